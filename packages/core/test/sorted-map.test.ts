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

function run(
  steps: readonly { readonly key: string; readonly value: number | undefined }[],
  functions: MapFunctions,
): SortedMap<number> {
  return steps.reduce<SortedMap<number>>(
    (map, { key, value }) =>
      value === undefined ? functions.remove(map, key) : functions.insert(map, key, value),
    undefined,
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
  const check = (map: SortedMap<number>): number => {
    if (map === undefined) return 1;
    const [left, right] = [check(map.left), check(map.right)];
    expect(Math.max(left, right)).toBeLessThanOrEqual(3 * Math.min(left, right));
    expect(map.count).toBe(left + right - 1);
    return left + right;
  };
  const number = fc.record({
    key: fc.nat({ max: 200 }).map(String),
    value: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  });
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300 }), (steps) => {
      check(run(steps, functions));
    }),
    { numRuns: 200 },
  );
  const ascending = Array.from({ length: 300 }, (_, i) => ({
    key: String(1_000 + i),
    value: i as number | undefined,
  }));
  check(run(ascending, functions));
  check(run([...ascending].reverse(), functions));
  const thinned = ascending.filter((_, i) => i % 7 !== 0).map(({ key }) => ({ key, value: undefined }));
  check(run([...ascending, ...thinned], functions));
  check(run([...ascending, ...thinned.reverse()], functions));
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
    expect(remove(map, "missing")).toBe(map);
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
      mapLaw({ insert: (map, key, value) => insert(remove(map, key.toLowerCase()), key, value), remove }),
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
