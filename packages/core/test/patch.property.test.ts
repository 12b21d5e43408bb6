// biome-ignore-all lint/suspicious/noExplicitAny: data of any shape are edited and read here.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderedCopy } from "../src/data.ts";
import { type Json, type JsonObject, jsonBytes, jsonEqual } from "../src/json.ts";
import { applyPatch, EMPTY_PATCH, type Patch, type PatchOp } from "../src/patch.ts";
import { diff } from "../src/patch-diff.ts";
import { parsePatch } from "../src/patch-parse.ts";
import { recordPatch } from "../src/patch-record.ts";
import { data, json, jsonArray } from "./json-arbitrary.ts";
import { editableData, editInPlace, fitOps, wish } from "./patch-arbitrary.ts";

type Apply = (D: JsonObject, patch: Patch) => JsonObject;
type Diff = (before: JsonObject, after: JsonObject) => Patch;

const wishes = fc.array(wish, { maxLength: 6 });

function patchOf(ops: readonly PatchOp[]): Patch {
  return { version: 1, ops };
}

const apply: Apply = (D, patch) => {
  const result = applyPatch(D, patch);
  if (!result.ok) {
    throw new Error(JSON.stringify(result.issues));
  }
  return result.value as JsonObject;
};

/** Law: application is ordinary assignment on a copy (oracle: `editInPlace`); the data before stay as they are. */
function applyLaw(implementation: Apply): void {
  fc.assert(
    fc.property(editableData, wishes, (D, list) => {
      const { ops, after } = fitOps(D, list);
      const before = JSON.stringify(D);
      expect(jsonEqual(implementation(D, patchOf(ops)), after)).toBe(true);
      expect(JSON.stringify(D)).toBe(before);
    }),
    { numRuns: 1_000 },
  );
}

/** Law: every container that lies on no path of the patch is the same object in the result, not a copy. */
function sharingLaw(implementation: Apply): void {
  fc.assert(
    fc.property(editableData, wishes, (D, list) => {
      const { ops } = fitOps(D, list);
      const touched = new Set(ops.map((op) => op.path[0]));
      const result = implementation(D, patchOf(ops));
      for (const key of Object.keys(D).filter((key) => !touched.has(key))) {
        expect(result[key]).toBe(D[key]);
      }
      const [only] = ops;
      if (ops.length === 1 && only !== undefined && only.kind !== "splice" && only.path.length > 1) {
        const parent = (root: JsonObject): any =>
          only.path.slice(0, -1).reduce((at: any, step) => at[step], root);
        for (const key of Object.keys(parent(D)).filter((key) => key !== String(only.path.at(-1)))) {
          expect(parent(result)[key]).toBe(parent(D)[key]);
        }
      }
    }),
    { numRuns: 500 },
  );
}

/** Law: the order of the keys after a patch depends on the content alone, if it did so before. */
function orderLaw(implementation: Apply): void {
  fc.assert(
    fc.property(editableData, wishes, (D, list) => {
      const ordered = orderedCopy(D) as JsonObject;
      const { ops } = fitOps(ordered, list);
      const result = implementation(ordered, patchOf(ops));
      expect(JSON.stringify(result)).toBe(JSON.stringify(orderedCopy(result)));
    }),
    { numRuns: 500 },
  );
}

/** Law: the difference leads from one to the other, is readable as a patch, and is empty exactly for equal data. */
function diffLaw(implementation: Diff): void {
  const check = (before: JsonObject, after: JsonObject): void => {
    const patch = implementation(before, after);
    expect(jsonEqual(apply(before, patch), after)).toBe(true);
    expect(patch.ops.length === 0).toBe(jsonEqual(before, after));
    expect(parsePatch(patch).ok).toBe(true);
  };
  fc.assert(fc.property(data, data, check), { numRuns: 500 });
  fc.assert(
    fc.property(jsonArray, jsonArray, (a, b) => check({ a }, { a: b })),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(editableData, wishes, (D, list) => {
      check(D, fitOps(D, list).after);
      check(D, structuredClone(D));
    }),
    { numRuns: 1_000 },
  );
}

/** The bytes of a patch, with every index and count as one digit. */
function weight(patch: Patch): number {
  const ops = patch.ops.map((op) => ({
    ...op,
    path: op.path.map((step) => (typeof step === "number" ? 0 : step)),
    ...(op.kind === "splice" ? { index: 0, remove: 0 } : {}),
  }));
  return jsonBytes({ version: 1, ops } as unknown as Json);
}

/** Law: no patch that sets, unsets, and splices each array at most once is shorter (indices as one digit). */
function shortestLaw(implementation: Diff): void {
  fc.assert(
    fc.property(editableData, wishes, (D, list) => {
      const { ops, after } = fitOps(D, list, true);
      expect(weight(implementation(D, after))).toBeLessThanOrEqual(weight(patchOf(ops)));
    }),
    { numRuns: 3_000 },
  );
}

/** Law: scattered insertions and removals cost what was inserted and a constant each, however long the array is. */
function scatteredLaw(implementation: Diff): void {
  const edits = fc.array(
    fc.record({
      at: fc.nat({ max: 999 }),
      remove: fc.nat({ max: 2 }),
      insert: fc.array(json, { maxLength: 2 }),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(edits, (list) => {
      const items: Json[] = Array.from({ length: 1_000 }, (_, i) => ({
        id: i,
        note: "a remark of some length",
      }));
      const after = [...items];
      let bound = 60;
      for (const { at, remove, insert } of list) {
        after.splice(at, remove, ...insert);
        bound += 120 + jsonBytes(insert) + 120 * remove;
      }
      expect(jsonBytes(implementation({ items }, { items: after }) as unknown as Json)).toBeLessThanOrEqual(
        bound,
      );
    }),
  );
}

/**
 * The least bytes of a patch of one array with at most one splice (oracle: every way to split it is tried). Members are
 * small, or rows that may differ in their first member only. All indices have one digit.
 */
function leastBytes(before: readonly Json[], after: readonly Json[]): number {
  const bytes = (op: object): number => JSON.stringify(op).length + 1;
  const pair = (a: Json, b: Json): number => {
    if (JSON.stringify(a) === JSON.stringify(b)) return 0;
    const whole = bytes({ kind: "set", path: ["a", 0], value: b });
    return Array.isArray(a) && Array.isArray(b)
      ? Math.min(whole, bytes({ kind: "set", path: ["a", 0, 0], value: b[0] }))
      : whole;
  };
  let least = Number.POSITIVE_INFINITY;
  for (let s = 0; s <= Math.min(before.length, after.length); s += 1) {
    for (let t = 0; t <= Math.min(before.length, after.length) - s; t += 1) {
      const insert = after.slice(s, after.length - t);
      const remove = before.length - s - t;
      let sum =
        insert.length + remove === 0 ? 0 : bytes({ kind: "splice", path: ["a"], index: s, remove, insert });
      for (let i = 0; i < s; i += 1) sum += pair(before[i] as Json, after[i] as Json);
      for (let i = 1; i <= t; i += 1) sum += pair(before.at(-i) as Json, after.at(-i) as Json);
      least = Math.min(least, sum);
    }
  }
  return Math.min(least, bytes({ kind: "set", path: ["a"], value: after }));
}

/** Law: of all small pairs of arrays, each has a difference that is as short as the best with one splice. */
function smallArraysLaw(implementation: Diff): void {
  const note = "a remark that is longer than an operation of a patch, which makes it worth not to repeat it";
  const members: readonly Json[] = [0, 1, [0, note], [1, note]];
  const lists: (readonly Json[])[] = [[]];
  for (const list of lists) {
    if (list.length < 3) lists.push(...members.map((member) => [...list, member]));
  }
  for (const before of lists) {
    for (const after of lists) {
      const patch = implementation({ a: before }, { a: after });
      const bytes = patch.ops.reduce((sum, op) => sum + JSON.stringify(op).length + 1, 0);
      const result = apply({ a: before }, patch)["a"] as Json;
      if (!jsonEqual(result, after) || bytes > leastBytes(before, after)) {
        throw new Error(`${JSON.stringify([before, after, patch])} takes ${bytes} bytes`);
      }
    }
  }
}

describe("patches, laws", () => {
  it("[D4.11] application is assignment on a copy", () => {
    applyLaw(apply);
  });

  it("[D4.11] [L4.3] what a patch does not touch is shared", () => {
    sharingLaw(apply);
  });

  it("[D4.11] [D4.6] the result is in normal order", () => {
    orderLaw(apply);
  });

  it("[D4.12] [L4.4] the difference is undone by application", () => {
    diffLaw(diff);
  });

  it("[D4.12] [L4.5] the difference is no longer than the change", () => {
    shortestLaw(diff);
  });

  it("[D4.12] [L4.5] every pair of small arrays has the shortest patch with one splice", () => {
    smallArraysLaw(diff);
  });

  it("[D4.12] [L4.5] scattered changes of a long array cost what they insert", () => {
    scatteredLaw(diff);
  });

  it("[D4.13] a recipe is recorded as what it did, and what it put in stays its own", () => {
    fc.assert(
      fc.property(editableData, wishes, (D, list) => {
        const { ops, after } = fitOps(D, list);
        const before = JSON.stringify(D);
        const mine = structuredClone(ops) as PatchOp[];
        const result = recordPatch(D, (draft) => {
          for (const op of mine) editInPlace(draft as JsonObject, op);
        });
        if (!result.ok) throw new Error(JSON.stringify(result.issues));
        const { next, patch } = result.value;
        expect(jsonEqual(next, after)).toBe(true);
        expect(jsonEqual(apply(D, patch), after)).toBe(true);
        expect(JSON.stringify(next)).toBe(JSON.stringify(apply(D, patch)));
        expect(JSON.stringify(D)).toBe(before);
        expect(weight(patch)).toBeLessThanOrEqual(weight(diff(D, after)));
      }),
      { numRuns: 500 },
    );
  });

  it("[D4.11] [D4.12] the laws find wrong implementations", () => {
    const inPlace: Apply = (D, patch) => {
      for (const op of patch.ops) editInPlace(D, op);
      return D;
    };
    const onClone: Apply = (D, patch) => inPlace(structuredClone(D), patch);
    const reversed: Apply = (D, patch) => onClone(D, patchOf([...patch.ops].reverse()));
    const wholeKeys: Diff = (before, after) =>
      patchOf([
        ...Object.keys(before)
          .filter((key) => !Object.hasOwn(after, key))
          .map((key): PatchOp => ({ kind: "unset", path: [key] })),
        ...Object.keys(after)
          .filter((key) => !Object.hasOwn(before, key) || !jsonEqual(before[key] as Json, after[key] as Json))
          .map((key): PatchOp => ({ kind: "set", path: [key], value: after[key] as Json })),
      ]);
    expect(() => applyLaw(inPlace)).toThrow();
    expect(() => applyLaw(reversed)).toThrow();
    expect(() => applyLaw((D) => D)).toThrow();
    expect(() => sharingLaw(onClone)).toThrow();
    expect(() => orderLaw(onClone)).toThrow();
    diffLaw(wholeKeys);
    expect(() => shortestLaw(wholeKeys)).toThrow();
    expect(() => scatteredLaw(wholeKeys)).toThrow();
    expect(() => smallArraysLaw(wholeKeys)).toThrow();
    expect(() => diffLaw(() => EMPTY_PATCH)).toThrow();
    expect(() => diffLaw((before, after) => diff(after, before))).toThrow();
    expect(() =>
      diffLaw((before, after) => patchOf(wholeKeys(before, after).ops.filter((op) => op.kind === "set"))),
    ).toThrow();
  });
});
