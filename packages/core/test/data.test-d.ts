/** @module Type tests of data, conditions, patches and hashes: compiled by `npm run types`, never run. */
import { expectTypeOf } from "vitest";
import type { ConditionData } from "../src/condition.ts";
import { contentHash, type Hash } from "../src/hash.ts";
import type { Json } from "../src/json.ts";
import { recordPatch } from "../src/patch-record.ts";

// Conditions without a type of their own still fit, whatever their order.
const guards = [
  { key: "a", op: "is", valueOf: "b" },
  { key: "a", op: "isAssigned" },
  { not: { key: "a", path: ["x", 0], op: "matches", value: "^x" } },
] as const;
export const all: ConditionData = { all: guards };

// @ts-expect-error - isAssigned compares with nothing
export const assigned: ConditionData = { key: "a", op: "isAssigned", value: 1 };
// @ts-expect-error - a pattern is a constant
export const pattern: ConditionData = { key: "a", op: "matches", valueOf: "b" };
// @ts-expect-error - an operator that is none of the eleven
export const operator: ConditionData = { key: "a", op: "equals", value: 1 };
// @ts-expect-error - a comparison compares with something
export const nothing: ConditionData = { key: "a", op: "is" };

// A hash has one maker.
expectTypeOf(contentHash(null)).toEqualTypeOf<Hash>();
expectTypeOf<string>().not.toExtend<Hash>();

// What is not JSON is no Json.
expectTypeOf<undefined>().not.toExtend<Json>();
expectTypeOf<Date>().not.toExtend<Json>();
expectTypeOf<readonly { readonly a: null }[]>().toExtend<Json>();

// A recipe changes a draft of its data, and gets them back in their type.
const D: { readonly list: readonly number[] } = { list: [1] };
const recorded = recordPatch(D, (draft) => {
  draft.list.push(2);
  // @ts-expect-error - a member of another type
  draft.list.push("3");
});
if (recorded.ok) {
  expectTypeOf(recorded.value.next).toEqualTypeOf<{ readonly list: readonly number[] }>();
}
// @ts-expect-error - a recipe is synchronous
recordPatch(D, async (draft) => {
  draft.list.push(2);
});
