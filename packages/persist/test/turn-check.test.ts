import type { Turn } from "@tessera/persist";
import { checkTurn } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { effect, item, mutation, object, stateAt, turn } from "../src/contract/sample.ts";
import { approximateBytes } from "../src/turn-check.ts";

const claiming = (...effects: string[]): Turn["effects"] => ({
  add: [effect("a/1")],
  done: ["a/2"],
  claim: { owner: "w", leaseUntil: 9, effects },
});

describe("a turn agrees with itself", () => {
  const change = mutation({ create: [object("x", { n: 1 })] });
  const good = turn({
    run: "a",
    expect: 3,
    graph: { id: "g", expect: 0, mutations: [change] },
    hasSnapshot: true,
  });

  it("[D10.6] accepts mutations that are equal without being the same", () => {
    checkTurn(good);
    const copy = JSON.parse(JSON.stringify(change)) as typeof change;
    checkTurn({ ...good, graph: { id: "g", expect: 0, mutations: [copy] } });
    checkTurn({ ...good, effects: claiming("a/1") });
    checkTurn({ ...good, effects: claiming() });
  });

  it("[D10.6] finds every disagreement", () => {
    const { graph: _, ...withoutGraph } = good;
    const { created: __, ...withoutCreation } = turn({ run: "a", expect: 0 });
    const other = mutation({ create: [object("y")] });
    const wrong: readonly Turn[] = [
      { ...good, expect: 4 },
      { ...good, created: { workflow: "w", graph: "g" } },
      withoutCreation,
      withoutGraph,
      { ...good, graph: { id: "g", expect: 0, mutations: [other] } },
      { ...good, graph: { id: "g", expect: 0, mutations: [change, other] } },
      { ...good, snapshot: stateAt(3, {}) },
      { ...good, effects: claiming("a/1", "a/2") },
      { ...good, effects: claiming("a/1", "a/1") },
    ];
    for (const each of wrong) expect(() => checkTurn(each)).toThrow(expect.objectContaining({ id: "D10.6" }));
  });
});

describe("the approximate size of a turn", () => {
  it("[D10.5] counts what can be large, wherever it stands", () => {
    const text = "x".repeat(5_000);
    const reason = { code: "X", message: "", facts: { text } };
    const base = { run: "a", expect: 1 };
    const set = { kind: "set" as const, path: ["k"], value: text };
    const splice = { kind: "splice" as const, path: ["k"], index: 0, remove: 0, insert: [text] };
    const large: readonly Turn[] = [
      turn({ run: "a", expect: 0, data: { text } }),
      turn({ ...base, steps: [{ patch: { version: 1, ops: [set] } }] }),
      turn({ ...base, steps: [{ patch: { version: 1, ops: [splice] } }] }),
      turn({ ...base, steps: [{ opened: [item("1.0", { reason })] }] }),
      turn({ ...base, steps: [{ changed: [item("1.0", { reason })] }] }),
      turn({ ...base, steps: [{ trouble: reason }] }),
      turn({ ...base, effects: { add: [effect("a/1", { payload: { text } })], done: [] } }),
      turn({ ...base, data: { text }, hasSnapshot: true }),
      turn({
        ...base,
        graph: { id: "g", expect: 0, mutations: [mutation({ create: [object("x", { text })] })] },
      }),
    ];
    const small = approximateBytes(turn(base));
    expect(small).toBeLessThan(500);
    for (const each of large) {
      expect(approximateBytes(each)).toBeGreaterThan(5_000);
      expect(approximateBytes(each)).toBeLessThan(6_000);
    }
  });
});
