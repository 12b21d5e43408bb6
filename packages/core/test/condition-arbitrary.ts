/** @module Generators of conditions in the form of a definition, over few keys, so that they meet the data. */
import fc from "fast-check";
import type { ConditionData } from "../src/condition.ts";
import type { Json, JsonObject, Path } from "../src/json.ts";
import { objectOf, smallJson } from "./json-arbitrary.ts";

const key = fc.constantFrom("a", "b", "c", "response-x");
const path: fc.Arbitrary<Path> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.constantFrom<Path>(["a"], [0], ["b", 0]) },
);
const reference = fc.record({ key, path }, { requiredKeys: ["key"] });
const operand = fc.record({ valueOf: key, valuePath: path }, { requiredKeys: ["valueOf"] });
const pattern = fc.constantFrom("a", "^a", "b$", "^ab*$", "[0-9]", "a|b", ".", "");
const orderConstant = fc.constantFrom<Json>(0, 1, 1.5, "", "a", "b");

const comparison: fc.Arbitrary<ConditionData> = fc.oneof(
  withRight(fc.constantFrom("is", "isNot", "contains"), fc.oneof(constant(smallJson), operand)),
  withRight(
    fc.constantFrom("isOneOf", "isNoneOf"),
    fc.oneof(constant(fc.array(smallJson, { maxLength: 3 })), operand),
  ),
  withRight(
    fc.constantFrom("greaterThan", "atLeast", "lessThan", "atMost"),
    fc.oneof(constant(orderConstant), operand),
  ),
  withRight(fc.constant("matches"), constant(pattern)),
  reference.map((left) => ({ ...left, op: "isAssigned" }) as ConditionData),
);

function constant(value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return value.map((value) => ({ value }));
}

function withRight(op: fc.Arbitrary<string>, right: fc.Arbitrary<object>): fc.Arbitrary<ConditionData> {
  return fc
    .tuple(reference, op, right)
    .map(([left, op, right]) => ({ ...left, op, ...right }) as ConditionData);
}

/** Conditions without opaque parts. */
export const condition: fc.Arbitrary<ConditionData> = combined(comparison);

/** Conditions that also ask the language `x` and the predicate `p`. */
export const conditionWithPorts: fc.Arbitrary<ConditionData> = combined(
  fc.oneof(
    { weight: 4, arbitrary: comparison },
    {
      weight: 1,
      arbitrary: fc.constantFrom<ConditionData>({ language: "x", text: "a" }, { predicate: "p" }),
    },
  ),
);

function combined(leaf: fc.Arbitrary<ConditionData>): fc.Arbitrary<ConditionData> {
  return fc.letrec<{ condition: ConditionData }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3, depthIdentifier: "condition" },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: fc.array(tie("condition"), { maxLength: 3 }).map((all) => ({ all })) },
      { weight: 1, arbitrary: fc.array(tie("condition"), { maxLength: 3 }).map((any) => ({ any })) },
      { weight: 1, arbitrary: tie("condition").map((not) => ({ not })) },
    ),
  })).condition;
}

/** Data over the keys that the conditions read, and one more. */
export const conditionData: fc.Arbitrary<JsonObject> = objectOf(
  fc.constantFrom("a", "b", "c", "response-x", "unread"),
  fc.oneof(
    { weight: 3, arbitrary: smallJson },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Json>("ab", "abb", [0, "a"], { a: 1, b: [0] }, { a: "a" }, [[0]], -0),
    },
  ),
);
