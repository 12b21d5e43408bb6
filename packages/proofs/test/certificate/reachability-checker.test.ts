/** @module Tables of markings, firing on them, what is reached, and closed sets, on nets small enough to be judged by hand. */
import type { Marking, Net, NonLocalRules } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkClosedSet, enabledInSet, finalInSet } from "../../src/certificate/closed-set.ts";
import {
  findRow,
  keepRow,
  markingOfRow,
  markingTable,
  writeRow,
} from "../../src/certificate/marking-table.ts";
import { markingsOf, reached, reaching } from "../../src/certificate/reached.ts";
import { fireFromRow, tokenMoves } from "../../src/certificate/token-moves.ts";
import { net } from "../net-text.ts";

const rules: NonLocalRules = new Map();
const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

describe("tables of markings", () => {
  it("[D8.1] every marking is found again, and no other one", () => {
    const table = markingTable(3);
    const all = Array.from({ length: 7 ** 3 }, (_, n) => [n % 7, Math.floor(n / 7) % 7, Math.floor(n / 49)]);
    for (const [row, M] of all.entries()) {
      const hash = writeRow(table, M);
      expect(findRow(table, hash)).toBe(-1);
      keepRow(table, hash);
      expect(table.count).toBe(row + 1);
    }
    for (const [row, M] of all.entries()) {
      expect(findRow(table, writeRow(table, M))).toBe(row);
      expect(markingOfRow(table, row)).toEqual(M);
    }
    expect(findRow(table, writeRow(table, [7, 0, 0]))).toBe(-1);
    // At most half of the slots are taken, so that looking up ends.
    expect(table.slots.length).toBeGreaterThanOrEqual(2 * table.count);
    expect(table.slots.length).toBeLessThanOrEqual(8 * table.count);
    expect(table.slots.filter((slot) => slot >= 0).sort((a, b) => a - b)).toEqual([...all.keys()]);
  });

  it("[D8.1] markings with the same hash are told apart, at every place", () => {
    const table = markingTable(2);
    const [f = 0, g = 0] = table.factors;
    expect([f % 2, g % 2].map(Math.abs)).toEqual([1, 1]);
    expect(f).not.toBe(g);
    // The hash counts modulo 2^32.
    const alike = [
      [1, 0],
      [1 + 2 ** 32, 0],
      [1, 2 ** 32],
    ];
    const hashes = alike.map((M) => {
      const hash = writeRow(table, M);
      expect(findRow(table, hash)).toBe(-1);
      keepRow(table, hash);
      return hash;
    });
    expect(new Set(hashes)).toEqual(new Set([f]));
    expect(alike.map((M) => findRow(table, writeRow(table, M)))).toEqual([0, 1, 2]);
  });

  it("[D8.1] the table of no places has one marking", () => {
    const table = markingTable(0);
    keepRow(table, writeRow(table, []));
    expect([findRow(table, 0), markingOfRow(table, 0)]).toEqual([0, []]);
  });
});

describe("firing on a table", () => {
  const moving = net("t: 2i -> a + 3b; u: a -> a; v: i any a -> b; w: i -> a reset b", {
    initial: { i: 2, b: 1 },
  });

  it("[D1.4] a transition takes and puts what its arcs say, if all of it is there", () => {
    const table = markingTable(4);
    const moves = tokenMoves(moving, table, rules);
    // Places i, a, b, o.
    const from: readonly Marking[] = [
      [2, 0, 1, 0],
      [1, 0, 4, 0],
      [3, 1, 0, 0],
      [0, 0, 0, 2],
    ];
    for (const M of from) keepRow(table, writeRow(table, M));
    const firedTo = (row: number, t: number): Marking | null => {
      const hash = fireFromRow(moves, row, t);
      if (hash === null) return null;
      const M = markingOfRow(table, table.count);
      expect(writeRow(table, M)).toBe(hash);
      return M;
    };
    expect(from.map((_, row) => firedTo(row, 0))).toEqual([[0, 1, 4, 0], null, [1, 2, 3, 0], null]);
    expect(from.map((_, row) => firedTo(row, 1))).toEqual([null, null, [3, 1, 0, 0], null]);
    expect(from.map((_, row) => firedTo(row, 2))).toEqual([null, null, [2, 0, 1, 0], null]);
    expect(from.map((_, row) => firedTo(row, 3))).toEqual([[1, 1, 0, 0], [0, 1, 0, 0], [2, 2, 0, 0], null]);
    expect(moves.hashChange.map((change) => change === null)).toEqual([false, false, true, true]);
  });

  it("[D1.4] a rule is asked", () => {
    const plain = net("t: i -> o");
    const ruled: Net = {
      ...plain,
      transitions: plain.transitions.map((t) => ({ ...t, rule: "r" as never })),
    };
    for (const isAllowed of [true, false]) {
      const table = markingTable(2);
      const moves = tokenMoves(ruled, table, new Map([["r", () => isAllowed]]));
      keepRow(table, writeRow(table, [1, 0]));
      expect(fireFromRow(moves, 0, 0) !== null).toBe(isAllowed);
    }
  });
});

describe("what is reached", () => {
  const choice = net("t: i -> a; u: i -> b; v: a -> b; w: b -> a; x: b -> o; y: c -> o");

  it("[D8.1] each marking once, each firing, and each transition that fires", () => {
    const all = reached(choice, choice.initial, 4, rules)!;
    // Places i, a, b, o, c.
    expect(markingsOf(all)).toEqual([
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 1, 0],
    ]);
    expect(all.source).toEqual([0, 0, 1, 2, 2]);
    expect(all.target).toEqual([1, 2, 2, 1, 3]);
    expect([...all.isEnabled]).toEqual([1, 1, 1, 1, 1, 0]);
    expect(reached(choice, choice.initial, 5, rules)?.table.count).toBe(4);
    expect(reached(choice, choice.initial, 3, rules)).toBeNull();
    expect(reached(choice, choice.initial, 0, rules)).toBeNull();
    expect(reached(choice, [0, 0, 0, 1, 0], 1, rules)?.table.count).toBe(1);
  });

  it("[D8.1] from which markings one of the goals is reached", () => {
    const graph = (...edges: readonly (readonly [number, number])[]) =>
      ({ source: edges.map(([s]) => s), target: edges.map(([, t]) => t) }) as never;
    const from = (edges: readonly (readonly [number, number])[], ...goals: readonly number[]) => [
      ...reaching(graph(...edges), Uint8Array.from(goals)),
    ];
    const edges = [
      [0, 1],
      [0, 4],
      [1, 2],
      [2, 1],
      [2, 3],
      [4, 4],
    ] as const;
    expect(from(edges, 0, 0, 0, 1, 0)).toEqual([1, 1, 1, 1, 0]);
    expect(from(edges, 0, 0, 0, 0, 1)).toEqual([1, 0, 0, 0, 1]);
    expect(from(edges, 1, 0, 0, 0, 0)).toEqual([1, 0, 0, 0, 0]);
    expect(from(edges, 0, 0, 0, 0, 0)).toEqual([0, 0, 0, 0, 0]);
    expect(from(edges, 0, 0, 0, 1, 1)).toEqual([1, 1, 1, 1, 1]);
    expect(from([[1, 0]], 1, 0)).toEqual([1, 1]);
  });
});

describe("closed sets", () => {
  // Places i, a, b, o.
  const room = net("t: i -> a; v: a -> b; w: b -> a; x: o -> o");
  const A = [0, 1, 0, 0];
  const B = [0, 0, 1, 0];
  const none = () => null;
  const set = (
    markings: readonly Marking[] | null,
    size: number,
    isBad: (M: Marking) => string | null = none,
    M = A,
  ) => said(checkClosedSet(room, M, { kind: "closed-set", size, markings }, isBad, { rules, statesMax: 3 }));

  it("[D8.2] listed: of the stated size, with the marking, not left, nothing bad", () => {
    expect(set([A, B], 2)).toBe("valid");
    expect(set([B, A], 2)).toBe("valid");
    expect(set([A, B, B], 3)).toBe("valid");
    expect(set([A, B], 3)).toBe("2 markings, not 3");
    expect(set([A, B], 1)).toBe("2 markings, not 1");
    expect(set([B], 1)).toBe("the set does not contain the marking");
    expect(set([A], 1)).toBe("the set is left by v");
    expect(set([A, B], 2, finalInSet(room), [1, 0, 0, 0])).toBe("the set does not contain the marking");
    expect(set([A, B, [0, 0, 0, 1]], 3, finalInSet(room))).toBe("the set contains a final marking");
    expect(set([A, B], 2, finalInSet(room))).toBe("valid");
    expect(set([A, B, [0, 1]], 3)).toBe("a marking of another net");
    expect(set([A, B, [0, 0, 0, 0, 0]], 3)).toBe("a marking of another net");
  });

  it("[D8.2] counted: built again from the marking, and of exactly that size", () => {
    expect(set(null, 2)).toBe("valid");
    expect(set(null, 1)).toBe("more than 1 markings are reachable");
    expect(set(null, 3)).toBe("2 markings, not 3");
    expect(set(null, 2, (M) => (M[2] === 1 ? "bad" : null))).toBe("bad");
    expect(set(null, 3, none, [1, 0, 0, 0])).toBe("valid");
  });

  it("[D8.2] larger sets than were allowed are not checked", () => {
    const large = checkClosedSet(room, A, { kind: "closed-set", size: 4, markings: null }, none, {
      rules,
      statesMax: 3,
    });
    expect(large).toEqual({ kind: "unchecked", reason: "closed set of 4 markings" });
  });

  it("[D8.4] a set in which a transition is enabled does not show that it is dead", () => {
    const enabled = (...dead: readonly number[]) => enabledInSet(room, new Set(dead), rules);
    expect(enabled(1)(A)).toBe("v is enabled in the set");
    expect(enabled(0, 2)(A)).toBeNull();
    expect(enabled(0, 2)(B)).toBe("w is enabled in the set");
    expect(enabled()(B)).toBeNull();
  });
});
