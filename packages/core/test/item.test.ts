/** @module Tests of `item.ts`: the ids of visits, and for whom items wait. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ItemKind, itemId, itemModes, MODE_ORDER, type OpenItem } from "../src/index.ts";

describe("[D3.4] the id of a visit", () => {
  it("[D3.4] names the node and the visit, so that it does not depend on how branches interleave", () => {
    expect(itemId("approve", 1)).toBe("approve.1");
    expect(itemId("a/b c", 12)).toBe("a%2Fb%20c.12");
  });

  it("[D3.4] is different for different visits, and carries no slash", () => {
    const visit = fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "/", ".", "1", "\u00e9"), minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
    );
    const law = (idOf: typeof itemId) =>
      fc.assert(
        fc.property(visit, visit, ([node, count], [other, otherCount]) => {
          const isSame = node === other && count === otherCount;
          expect(idOf(node, count) === idOf(other, otherCount)).toBe(isSame);
          expect(idOf(node, count)).not.toContain("/");
        }),
      );
    law(itemId);
    expect(() => law((node, count) => `${node}.${count}`)).toThrow();
    expect(() => law((node) => encodeURIComponent(node))).toThrow();
  });
});

const item = (kind: ItemKind, change: Partial<OpenItem> = {}): OpenItem => ({
  id: "n.1",
  kind,
  node: "n",
  openedAt: 0,
  ...change,
});

describe("[D20.4] waiting modes", () => {
  it("[D20.4] [C20-13] each kind of item says for whom it waits", () => {
    expect(itemModes(item("job"))).toEqual([]);
    expect(itemModes(item("work-item"))).toEqual(["waiting_human"]);
    expect(itemModes(item("intervention"))).toEqual(["waiting_human"]);
    expect(itemModes(item("timer"))).toEqual(["waiting_timer"]);
    expect(itemModes(item("external"))).toEqual(["waiting_external"]);
  });

  it("[D20.4] [C20-70] a called run waits for what it waits for, and for nobody while it runs", () => {
    const child = (status: "running" | "waiting") =>
      item("child", { child: { sequence: 1, status, modes: ["waiting_timer", "waiting_ide"] } });
    expect(itemModes(item("child"))).toEqual([]);
    expect(itemModes(child("running"))).toEqual([]);
    expect(itemModes(child("waiting"))).toEqual(["waiting_timer", "waiting_ide"]);
  });

  it("[D20.4] [C20-13] the four modes in the order that derives m", () => {
    expect(MODE_ORDER).toEqual(["waiting_human", "waiting_ide", "waiting_external", "waiting_timer"]);
  });
});
