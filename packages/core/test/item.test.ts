/** @module Tests of `item.ts`: the ids of visits. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { itemId } from "../src/index.ts";

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
