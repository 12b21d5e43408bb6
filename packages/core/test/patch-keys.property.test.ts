/** @module Setting keys of D from an answer: the fast form of a recipe that assigns and deletes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue } from "../src/issue.ts";
import { type Json, type JsonObject, jsonEqual } from "../src/json.ts";
import { applyPatch, type Patch } from "../src/patch.ts";
import { recordKeys, recordPatch } from "../src/patch-record.ts";
import type { Result } from "../src/result.ts";
import { dataKey, json, smallJson } from "./json-arbitrary.ts";
import { editableData } from "./patch-arbitrary.ts";

type Values = { readonly [key: string]: Json | undefined };
type Record = (
  D: JsonObject,
  values: Values,
) => Result<{ readonly next: JsonObject; readonly patch: Patch }, readonly Issue[]>;

/** Data, and values for some of their keys and for some others. */
const assignment = editableData.chain((D) => {
  const key = fc.oneof(dataKey, ...(Object.keys(D).length > 0 ? [fc.constantFrom(...Object.keys(D))] : []));
  const value = fc.oneof(json, smallJson, fc.constant(undefined), fc.constantFrom(...Object.values(D), 0));
  return fc.tuple(fc.constant(D), fc.dictionary(key, value, { maxKeys: 5 }));
});

/** Law: the next D is D with the values assigned (oracle: ordinary assignment), and the patch leads there. */
function assignmentLaw(implementation: Record): void {
  fc.assert(
    fc.property(assignment, ([D, values]) => {
      const before = JSON.stringify(D);
      const expected = Object.entries({ ...D, ...values }).filter(([, value]) => value !== undefined);
      const result = implementation(D, values);
      if (!result.ok) throw new Error(JSON.stringify(result.issues));
      const after = Object.fromEntries(expected) as JsonObject;
      expect(jsonEqual(result.value.next, after)).toBe(true);
      const applied = applyPatch(D, result.value.patch);
      expect(applied.ok && jsonEqual(applied.value, after)).toBe(true);
      expect(JSON.stringify(D)).toBe(before);
    }),
    { numRuns: 500 },
  );
}

/** The plain form: a recipe on a draft. */
const byRecipe: Record = (D, values) =>
  recordPatch(D, (draft: { [key: string]: Json }) => {
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) delete draft[key];
      else draft[key] = value;
    }
    return undefined;
  });

describe("[D4.13] keys that are set", () => {
  it("[D4.13] next is assignment", () => {
    assignmentLaw(recordKeys);
  });

  it("[D4.13] is the recipe that assigns and deletes, to the byte", () => {
    fc.assert(
      fc.property(assignment, ([D, values]) => {
        expect(JSON.stringify(recordKeys(D, values))).toBe(JSON.stringify(byRecipe(D, values)));
      }),
      { numRuns: 500 },
    );
  });

  it("[D4.13] the law finds wrong implementations", () => {
    const set = (values: Values): Values =>
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    expect(() => assignmentLaw((D, values) => recordKeys(D, set(values)))).toThrow();
    expect(() => assignmentLaw((D) => recordKeys(D, {}))).toThrow();
    expect(() => assignmentLaw((D, values) => recordKeys(D, { ...D, ...values, extra: 1 }))).toThrow();
  });

  it("[D4.13] nothing changed gives the data themselves", () => {
    const D = { a: [1], b: 2 };
    expect(recordKeys(D, { a: [1], c: undefined })).toEqual({
      ok: true,
      value: { next: D, patch: { version: 1, ops: [] } },
    });
    const result = recordKeys(D, { b: 2 });
    expect(result.ok && result.value.next).toBe(D);
  });

  it("[D4.13] keeps nothing that the caller could change later, and never reads the other keys", () => {
    const mine = { x: [1] };
    const other = new Proxy({}, { ownKeys: () => expect.unreachable("was read") }) as unknown as JsonObject;
    const result = recordKeys({ other } as JsonObject, { mine });
    mine.x.push(2);
    expect(result.ok && result.value.next["mine"]).toEqual({ x: [1] });
    expect(result.ok && result.value.next["other"]).toBe(other);
  });

  it("[D4.13] DATA002, DATA003 and PATCH004 as for a recipe", () => {
    const codes = (values: object, limits?: { bytesMax: number; opsMax: number }) => {
      const result = recordKeys({ a: 1 } as JsonObject, values as Values, limits);
      return result.ok ? [] : result.issues.map(({ code, path }) => [code, path.join("/")]);
    };
    expect(codes({ a: { b: undefined }, c: Number.NaN })).toEqual([
      ["DATA002", "a/b"],
      ["DATA002", "c"],
    ]);
    expect(codes(JSON.parse('{"__proto__":1}'))).toEqual([["DATA003", "__proto__"]]);
    expect(codes({ a: "long" }, { bytesMax: 10, opsMax: 9 })).toEqual([["PATCH004", ""]]);
    expect(codes({ b: 1, c: 2 }, { bytesMax: 999, opsMax: 1 })).toEqual([["PATCH004", ""]]);
  });
});
