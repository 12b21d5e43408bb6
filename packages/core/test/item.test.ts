import { describe, expect, it } from "vitest";
import { type ItemKind, itemModes, MODE_ORDER, type OpenItem } from "../src/item.ts";

const item = (kind: ItemKind, change: Partial<OpenItem> = {}): OpenItem => ({
  id: "1.0",
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
