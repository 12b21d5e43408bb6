import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countOf,
  entriesOf,
  insert,
  keysOf,
  lookup,
  remove,
  type SortedMap,
  type SortedNode,
} from "../src/sorted-map.ts";

interface MapFunctions {
  readonly insert: typeof insert<number>;
  readonly remove: typeof remove<number>;
}

const key = fc.oneof(
  fc.constantFrom("", "a", "b", "\u{1f600}", "\ue000", "__proto__"),
  fc.string({ maxLength: 2 }),
);
const step = fc.record({ key, value: fc.option(fc.nat(), { nil: undefined }) });

interface Step {
  readonly key: string;
  readonly value: number | undefined;
}

function run(steps: readonly Step[], functions: MapFunctions, from?: SortedMap<number>): SortedMap<number> {
  return steps.reduce<SortedMap<number>>(
    (map, { key, value }) =>
      value === undefined ? functions.remove(map, key) : functions.insert(map, key, value),
    from,
  );
}

/** Law: a map says what the built-in map says after the same changes, in code-unit order (oracle: Map). */
function mapLaw(functions: MapFunctions): void {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const oracle = new Map<string, number>();
      for (const { key, value } of steps) {
        if (value === undefined) oracle.delete(key);
        else oracle.set(key, value);
      }
      const map = run(steps, functions);
      expect([...entriesOf(map)]).toEqual([...oracle].sort(([a], [b]) => (a < b ? -1 : 1)));
      expect(countOf(map)).toBe(oracle.size);
      for (const { key } of steps) expect(lookup(map, key)).toBe(oracle.get(key));
    }),
    { numRuns: 300 },
  );
}

/** Law: no side weighs more than three times the other, so that every path is logarithmic. */
function balanceLaw(functions: MapFunctions): void {
  // Plain comparisons: they are made a million times.
  const check = (map: SortedMap<number>): number => {
    if (map === undefined) return 1;
    const [left, right] = [check(map.left), check(map.right)];
    if (left > 3 * right || right > 3 * left) throw new Error(`weights ${left} and ${right} at ${map.key}`);
    if (map.count !== left + right - 1) throw new Error(`count ${map.count} at ${map.key}`);
    return left + right;
  };
  const name = (i: number): string => String(1_000 + i);
  const add = (i: number): Step => ({ key: name(i), value: i });
  const drop = (i: number): Step => ({ key: name(i), value: undefined });
  const checkEach = (steps: readonly Step[]): void => {
    let map: SortedMap<number>;
    for (const step of steps) {
      map = run([step], functions, map);
      check(map);
    }
  };
  // Every order of insertion of few keys, then removal in two orders.
  for (const order of permutations([0, 1, 2, 3, 4, 5])) {
    checkEach([...order.map(add), ...order.map(drop)]);
    checkEach([...order.map(add), ...[...order].reverse().map(drop)]);
  }
  const ascending = Array.from({ length: 120 }, (_, i) => i);
  // From both ends inwards, and from the middle outwards: the inner sides grow.
  const inwards = ascending.map((i) => (i % 2 === 0 ? i / 2 : 119 - (i - 1) / 2));
  for (const order of [ascending, inwards]) {
    for (const inserted of [order, [...order].reverse()]) {
      for (const removed of [order, [...order].reverse(), inwards, ascending]) {
        checkEach([...inserted.map(add), ...removed.map(drop)]);
      }
    }
  }
  fc.assert(
    fc.property(
      fc.shuffledSubarray(ascending, { minLength: 60 }),
      fc.shuffledSubarray(ascending),
      (adds, drops) => {
        checkEach([...adds.map(add), ...drops.map(drop)]);
      },
    ),
    { numRuns: 60 },
  );
}

function permutations(list: readonly number[]): readonly (readonly number[])[] {
  return list.length === 0
    ? [[]]
    : list.flatMap((first) =>
        permutations(list.filter((other) => other !== first)).map((rest) => [first, ...rest]),
      );
}

function nodesOf(map: SortedMap<number>, into: Set<SortedNode<number>> = new Set()): Set<SortedNode<number>> {
  if (map !== undefined) {
    into.add(map);
    nodesOf(map.left, into);
    nodesOf(map.right, into);
  }
  return into;
}

describe("sorted map", () => {
  it("says what the built-in map says", () => {
    mapLaw({ insert, remove });
  });

  it("stays balanced", () => {
    balanceLaw({ insert, remove });
  });

  it("shares all but a logarithmic number of nodes", () => {
    const map = run(
      Array.from({ length: 4_096 }, (_, i) => ({ key: String(i), value: i })),
      { insert, remove },
    );
    const before = nodesOf(map);
    for (const next of [insert(map, "17", 0), insert(map, "new", 0), remove(map, "2048")]) {
      expect([...nodesOf(next)].filter((node) => !before.has(node)).length).toBeLessThan(40);
    }
    for (const key of ["", "2048x", "missing"]) expect(remove(map, key)).toBe(map);
    expect(remove(undefined, "a")).toBeUndefined();
  });

  it("lists keys in code-unit order", () => {
    const map = insert(insert(insert(insert(undefined, "\ue000", 1), "b", 2), "\u{1f600}", 3), "B", 4);
    expect(keysOf(map)).toEqual(["B", "b", "\u{1f600}", "\ue000"]);
    expect(keysOf(undefined)).toEqual([]);
    expect(countOf(undefined)).toBe(0);
    expect(lookup(undefined, "a")).toBeUndefined();
  });

  it("is tested: wrong maps are found", () => {
    expect(() => mapLaw({ insert, remove: (map) => map })).toThrow();
    expect(() =>
      mapLaw({ insert: (map, key, value) => insert(map, key, lookup(map, key) ?? value), remove }),
    ).toThrow();
    const unbalanced: typeof insert<number> = (map, key, value) =>
      map === undefined
        ? { key, value, count: 1, left: undefined, right: undefined }
        : key === map.key
          ? { ...map, value }
          : key < map.key
            ? grown({ ...map, left: unbalanced(map.left, key, value) })
            : grown({ ...map, right: unbalanced(map.right, key, value) });
    const grown = (node: SortedNode<number>): SortedNode<number> => ({
      ...node,
      count: countOf(node.left) + countOf(node.right) + 1,
    });
    expect(() => balanceLaw({ insert: unbalanced, remove })).toThrow();
  });
});
