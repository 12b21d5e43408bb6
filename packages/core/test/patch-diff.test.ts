import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantViolation } from "../src/invariant.ts";
import { type Json, type JsonObject, jsonBytes, jsonEqual } from "../src/json.ts";
import { applyPatch, EMPTY_PATCH, type PatchOp } from "../src/patch.ts";
import { align, type Hunk } from "../src/patch-align.ts";
import { diff } from "../src/patch-diff.ts";
import { smallJson } from "./json-arbitrary.ts";

function ops(before: JsonObject, after: JsonObject): readonly PatchOp[] {
  return diff(before, after).ops;
}

const LONG =
  "a text that is much longer than an operation of a patch could ever be, so that it is not repeated";

describe("[D4.12] difference", () => {
  it("[D4.12] equal data have the empty patch", () => {
    expect(diff({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBe(EMPTY_PATCH);
    expect(diff({ a: 1, b: -0 }, { b: 0, a: 1 })).toBe(EMPTY_PATCH);
  });

  it("[D4.12] keys in code-unit order, unset and set", () => {
    expect(ops({ c: 1, a: 1, "\ue000": 1 }, { b: 2, a: 1, "\u{1f600}": 0 })).toEqual([
      { kind: "set", path: ["b"], value: 2 },
      { kind: "unset", path: ["c"] },
      { kind: "set", path: ["\u{1f600}"], value: 0 },
      { kind: "unset", path: ["\ue000"] },
    ]);
  });

  it("[D4.12] goes into an object only where that is shorter", () => {
    expect(ops({ a: { x: 1, note: LONG } }, { a: { x: 2, note: LONG } })).toEqual([
      { kind: "set", path: ["a", "x"], value: 2 },
    ]);
    expect(ops({ a: { x: 1 } }, { a: { x: 2 } })).toEqual([{ kind: "set", path: ["a", "x"], value: 2 }]);
    expect(ops({ a: { x: 1, y: 1 } }, { a: { x: 2, y: 2 } })).toEqual([
      { kind: "set", path: ["a"], value: { x: 2, y: 2 } },
    ]);
    expect(ops({ a: { x: 1 } }, { a: [1] })).toEqual([{ kind: "set", path: ["a"], value: [1] }]);
    expect(ops({ a: [1] }, { a: { "0": 1 } })).toEqual([{ kind: "set", path: ["a"], value: { "0": 1 } }]);
    expect(ops({ a: null }, { a: {} })).toEqual([{ kind: "set", path: ["a"], value: {} }]);
  });

  it("[D4.12] one splice where an array got or lost members", () => {
    const items = Array.from({ length: 20 }, (_, i): Json => ({ id: i, note: LONG }));
    const splice = (index: number, remove: number, insert: readonly Json[]): PatchOp => ({
      kind: "splice",
      path: ["a"],
      index,
      remove,
      insert,
    });
    expect(ops({ a: items }, { a: [...items, 1] })).toEqual([splice(20, 0, [1])]);
    expect(ops({ a: items }, { a: [1, ...items] })).toEqual([splice(0, 0, [1])]);
    expect(ops({ a: items }, { a: items.slice(3) })).toEqual([splice(0, 3, [])]);
    expect(ops({ a: items }, { a: items.slice(0, -3) })).toEqual([splice(17, 3, [])]);
    expect(ops({ a: items }, { a: [...items.slice(0, 5), 1, 2, ...items.slice(8)] })).toEqual([
      splice(5, 3, [1, 2]),
    ]);
    expect(ops({ a: [items] }, { a: [] })).toEqual([{ kind: "set", path: ["a"], value: [] }]);
  });

  it("[D4.12] several splices, the last one first, where members came and went in several places", () => {
    const items = Array.from({ length: 20 }, (_, i): Json => ({ id: i, note: LONG }));
    const after = [...items];
    after.splice(15, 0, "new");
    after.splice(3, 2);
    after.splice(0, 1, 7);
    const found = ops({ a: items }, { a: after });
    expect(found).toEqual([
      { kind: "splice", path: ["a"], index: 15, remove: 0, insert: ["new"] },
      { kind: "splice", path: ["a"], index: 3, remove: 2, insert: [] },
      { kind: "set", path: ["a", 0], value: 7 },
    ]);
    // The same without any shared reference.
    expect(ops({ a: items }, { a: structuredClone(after) })).toEqual(found);
  });

  it("[D4.12] goes into members beside a splice", () => {
    const row = (id: number, x: number): Json => ({ id, x, note: LONG });
    expect(ops({ a: [row(0, 0), row(1, 0)] }, { a: [row(0, 5), row(9, 9), row(1, 6)] })).toEqual([
      { kind: "splice", path: ["a"], index: 1, remove: 0, insert: [row(9, 9)] },
      { kind: "set", path: ["a", 0, "x"], value: 5 },
      { kind: "set", path: ["a", 2, "x"], value: 6 },
    ]);
    expect(ops({ a: [row(0, 0), row(9, 9), row(1, 0)] }, { a: [row(0, 5), row(1, 6)] })).toEqual([
      { kind: "splice", path: ["a"], index: 1, remove: 1, insert: [] },
      { kind: "set", path: ["a", 0, "x"], value: 5 },
      { kind: "set", path: ["a", 1, "x"], value: 6 },
    ]);
  });

  it("[D4.12] replaces an array in which more than 500 members came or went as one", () => {
    const before = Array.from({ length: 1_200 }, (_, i) => i);
    const everyOther = before.filter((i) => i % 2 === 0);
    const found = ops({ a: before, note: LONG }, { a: everyOther, note: LONG });
    expect(found).toHaveLength(1);
    const most = before.slice(0, 1_000).filter((i) => i % 2 === 0);
    const few = ops(
      { a: before.slice(0, 1_000).map((i) => `${i}${LONG}`) },
      { a: most.map((i) => `${i}${LONG}`) },
    );
    expect(few).toHaveLength(500);
  });

  it("[D4.12] does not read what both share by reference, however large it is", () => {
    const trap = new Proxy(
      {},
      { ownKeys: () => fail(), get: () => fail(), getOwnPropertyDescriptor: () => fail() },
    );
    function fail(): never {
      throw new Error("read a shared part");
    }
    const shared = trap as JsonObject;
    expect(ops({ a: shared, b: 1 }, { a: shared, b: 2 })).toEqual([{ kind: "set", path: ["b"], value: 2 }]);
    let readCount = 0;
    const count = (target: object): (string | symbol)[] => {
      readCount += 1;
      return Reflect.ownKeys(target);
    };
    const items = Array.from({ length: 200 }, (_, i) => new Proxy({ i }, { ownKeys: count })) as JsonObject[];
    const after = [...items];
    after.splice(150, 1);
    after.splice(20, 1);
    expect(ops({ items }, { items: after })).toHaveLength(2);
    // Only the members beside the changes are compared.
    expect(readCount).toBeLessThan(30);
    const result = applyPatch(
      { a: shared, items },
      { version: 1, ops: [{ kind: "set", path: ["b"], value: 1 }] },
    );
    expect(result.ok && result.value["a"]).toBe(shared);
  });

  it("[D4.12] does not read removed members where one splice does it", () => {
    let readCount = 0;
    const count = (target: object): (string | symbol)[] => {
      readCount += 1;
      return Reflect.ownKeys(target);
    };
    const items = Array.from({ length: 200 }, (_, i) => new Proxy({ i }, { ownKeys: count })) as JsonObject[];
    for (const after of [[], ["new"], items.slice(150), items.slice(0, 50)]) {
      readCount = 0;
      ops({ items }, { items: after });
      expect(readCount).toBeLessThan(10);
    }
  });

  it("[D4.12] equal members at the ends are not counted twice", () => {
    for (const [before, after] of [
      [[1, 1], [1]],
      [[1], [1, 1]],
      [
        [1, 1, 1],
        [1, 1],
      ],
      [
        [1, 2, 1],
        [1, 2, 1, 2, 1],
      ],
      [
        [1, 2, 1, 2, 1],
        [1, 2, 1],
      ],
    ] as const) {
      const found = diff({ a: before, b: LONG }, { a: after, b: LONG });
      const result = applyPatch({ a: before, b: LONG }, found);
      expect(result.ok && result.value["a"]).toEqual(after);
    }
  });

  it("[D4.12] goes deep into nested arrays, though each member could be compared from both ends", () => {
    const nested = (depth: number, leaf: Json): Json =>
      depth === 0 ? leaf : [nested(depth - 1, leaf), LONG];
    const path = ["a", ...Array<number>(40).fill(0)];
    expect(ops({ a: nested(40, 1) }, { a: nested(40, 2) })).toEqual([{ kind: "set", path, value: 2 }]);
  });

  /** Rows between two names that change places: whoever keeps a name in its place must repeat the row. */
  function crossing(times: number, x: number): readonly Json[] {
    const row = (id: number): Json => ({ id, x, note: LONG.repeat(4) });
    return Array.from({ length: times }, (_, i) => [`p${i}`, row(i), `q${i}`]).flatMap((three) =>
      x === 0 ? three : three.reverse(),
    );
  }

  it("[D4.12] compares members one by one where the arrays differ in at most 64 members", () => {
    const bytes = (before: readonly Json[], after: readonly Json[]): number =>
      jsonBytes(diff({ a: before }, { a: after }) as unknown as Json);
    const [before, after] = [crossing(21, 0), crossing(21, 1)];
    // Three short operations for each row, whose remark is not repeated.
    const most = 22 * 3 * 50;
    expect(bytes([...before, 3], [...after, 4])).toBeLessThan(most);
    expect(bytes([...before, 3, 3], [...after, 4, 4])).toBeGreaterThan(most);
    expect(bytes([...before, 3, 3], [...after, 4])).toBeGreaterThan(most);
    expect(bytes([...before, 3], [...after, 4, 4])).toBeGreaterThan(most);
    // What is equal at both ends does not count.
    const rest = Array.from({ length: 100 }, (_, i): Json => [i, LONG]);
    expect(
      bytes([...rest, ...before, ...rest], structuredClone([...rest, ...after, ...rest]) as Json[]),
    ).toBeLessThan(most);
  });

  it("[D4.12] takes the shorter of one splice and several", () => {
    expect(ops({ a: crossing(1, 0) }, { a: crossing(1, 1) })).toEqual([
      { kind: "set", path: ["a", 0], value: "q0" },
      { kind: "set", path: ["a", 1, "x"], value: 1 },
      { kind: "set", path: ["a", 2], value: "p0" },
    ]);
    // Two members stay between three that come: one splice would repeat them.
    const [a, b] = [`a ${LONG}`, `b ${LONG}`];
    expect(ops({ a: [a, b] }, { a: [1, a, 2, b, 3] })).toHaveLength(3);
    expect(ops({ a: [1, a, 2, b, 3] }, { a: [a, b] })).toHaveLength(3);
    // Short members are cheaper repeated than kept apart.
    expect(ops({ a: [0, 1, 2, 3], b: 0 }, { a: [5, 1, 6, 3], b: 0 })).toHaveLength(1);
  });

  it("[D4.12] sets the whole value where a key __proto__ inside it differs", () => {
    const before = JSON.parse('{"a":{"__proto__":1,"b":0}}') as JsonObject;
    const after = JSON.parse('{"a":{"__proto__":2,"b":0}}') as JsonObject;
    expect(ops(before, after)).toEqual([{ kind: "set", path: ["a"], value: after["a"] }]);
    expect(ops(before, { a: { b: 0 } })).toEqual([{ kind: "set", path: ["a"], value: { b: 0 } }]);
    const [one, two] = [1, 2].map(
      (b) => JSON.parse(`{"a":{"__proto__":{"x":"${LONG}"},"b":${b}}}`) as JsonObject,
    );
    expect(ops(one as JsonObject, two as JsonObject)).toEqual([{ kind: "set", path: ["a", "b"], value: 2 }]);
    expect(ops({ a: [before["a"] as Json] }, { a: [after["a"] as Json] })).toEqual([
      { kind: "set", path: ["a", 0], value: after["a"] },
    ]);
    const forbidden = (): unknown => diff({}, JSON.parse('{"__proto__":1}') as JsonObject);
    expect(forbidden).toThrow(InvariantViolation);
    expect(forbidden).toThrow(expect.objectContaining({ id: "D4.5", facts: { key: "__proto__" } }));
  });

  it("[D4.12] bounds the work where every pair of nested arrays could be compared with every other", () => {
    let readCount = 0;
    const count = (target: object): (string | symbol)[] => {
      readCount += 1;
      return Reflect.ownKeys(target);
    };
    let leaf = 0;
    const tree = (depth: number, more: readonly Json[]): Json => {
      leaf += 1;
      return depth === 0
        ? (new Proxy({ leaf }, { ownKeys: count }) as JsonObject)
        : [tree(depth - 1, more), tree(depth - 1, more), ...more];
    };
    const before = { a: tree(9, []) };
    const after = { a: tree(9, [0]) };
    const patch = diff(before, after);
    // Three comparisons a level would be 3 ** 9 pairs of leaves, each read several times.
    expect(readCount).toBeLessThan(200_000);
    const result = applyPatch(before, patch);
    expect(result.ok && jsonEqual(result.value, after)).toBe(true);
  });
});

/** The least number of insertions and removals (oracle: the table of longest common subsequences). */
function leastEdits(a: readonly string[], b: readonly string[]): number {
  let row = Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries()) {
      next.push(x === y ? (row[j] as number) + 1 : Math.max(row[j + 1] as number, next[j] as number));
    }
    row = next;
  }
  return a.length + b.length - 2 * (row.at(-1) as number);
}

/** Law: outside the hunks the arrays are equal, hunks do not touch, and no smaller number of edits would do. */
function alignLaw(implementation: typeof align): void {
  fc.assert(
    fc.property(
      fc.array(smallJson, { maxLength: 12 }),
      fc.array(smallJson, { maxLength: 12 }),
      (before, after) => {
        const hunks = implementation(before, after, 24);
        let edits = 0;
        let x = 0;
        let y = 0;
        for (const hunk of [
          ...(hunks as readonly Hunk[]),
          { beforeStart: before.length, beforeEnd: 0, afterStart: after.length, afterEnd: 0 },
        ]) {
          expect(hunk.beforeStart - x).toBe(hunk.afterStart - y);
          expect(x === 0 || hunk.beforeStart > x || hunk.beforeStart === before.length).toBe(true);
          expect(before.slice(x, hunk.beforeStart)).toEqual(after.slice(y, hunk.afterStart));
          edits +=
            Math.max(0, hunk.beforeEnd - hunk.beforeStart) + Math.max(0, hunk.afterEnd - hunk.afterStart);
          x = hunk.beforeEnd;
          y = hunk.afterEnd;
        }
        const texts = [before, after].map((list) => list.map((member) => canonicalize(member) as string));
        expect(edits).toBe(leastEdits(texts[0] as string[], texts[1] as string[]));
      },
    ),
    { numRuns: 2_000 },
  );
}

describe("[D4.12] alignment of arrays", () => {
  it("[D4.12] finds the least number of insertions and removals", () => {
    alignLaw(align);
  });

  it("[D4.12] the law finds wrong implementations", () => {
    const whole: typeof align = (before, after) =>
      before.length + after.length === 0
        ? []
        : [{ beforeStart: 0, beforeEnd: before.length, afterStart: 0, afterEnd: after.length }];
    expect(() => alignLaw(whole)).toThrow();
    expect(() => alignLaw(() => [])).toThrow();
    expect(() => alignLaw((before, after, editsMax) => align(before, after, editsMax)?.slice(1))).toThrow();
  });

  it("[D4.12] gives up past the number of edits, which is included", () => {
    expect(align([1, 2, 3], [1, 3], 1)).toEqual([
      { beforeStart: 1, beforeEnd: 2, afterStart: 1, afterEnd: 1 },
    ]);
    expect(align([1, 2, 3], [1, 3], 0)).toBeUndefined();
    expect(align([1], [2], 2)).toEqual([{ beforeStart: 0, beforeEnd: 1, afterStart: 0, afterEnd: 1 }]);
    expect(align([1], [2], 1)).toBeUndefined();
    expect(align([1], [1], 0)).toEqual([]);
    expect(align([], [], 0)).toEqual([]);
  });

  it("[D4.12] tells shared members apart by reference and reads the others", () => {
    const [a, b] = [{ x: 1 }, { x: 1 }];
    expect(align([a, b], [b, { x: 2 }], 9)).toHaveLength(2);
    expect(align([{ x: 1 }, 0], [{ x: 1 }], 9)).toEqual([
      { beforeStart: 1, beforeEnd: 2, afterStart: 1, afterEnd: 1 },
    ]);
    expect(align(["[1]", "1"], [[1], 1], 9)).toHaveLength(1);
    expect(align([1, "1"], ["1", "z"], 9)).toEqual([
      { beforeStart: 0, beforeEnd: 1, afterStart: 0, afterEnd: 0 },
      { beforeStart: 2, beforeEnd: 2, afterStart: 1, afterEnd: 2 },
    ]);
  });
});
