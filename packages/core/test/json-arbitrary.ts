/** @module Generators of JSON values that meet the borders: awkward keys, numbers and characters. */
import fc from "fast-check";
import type { Json, JsonObject } from "../src/json.ts";

/** Keys that a careless implementation loses, inherits or sorts wrongly. */
const AWKWARD_KEYS = [
  "",
  "0",
  "10",
  "9",
  "-1",
  "a",
  "b",
  "a.b",
  "response-x",
  "täsk-ü_2",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "\u{1f600}",
  "\ue000",
  "\u0080",
  "\n",
  '"',
  "\\",
] as const;

/** A key of D: any well-formed text but `__proto__`. */
export const dataKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "d") },
  { weight: 2, arbitrary: fc.constantFrom(...AWKWARD_KEYS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
);

/** A key inside a value: `__proto__` is possible. */
export const innerKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: dataKey },
  { weight: 1, arbitrary: fc.constant("__proto__") },
);

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "b",
    "ab",
    "\u0000",
    "\u000b\t",
    "\u007f",
    "\u07ff",
    "\u0800",
    "\uffff",
    "\u{10000}",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);

export const number: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 1.5, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER),
  fc.integer({ min: -3, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

export const scalar: fc.Arbitrary<Json> = fc.oneof(fc.constantFrom(null, true, false), number, text);

const { value, array } = fc.letrec<{ value: Json; array: readonly Json[]; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "json" },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: tie("array") },
    { weight: 2, arbitrary: tie("object") },
  ),
  array: fc.array(tie("value"), { maxLength: 5, depthIdentifier: "json" }),
  object: objectOf(innerKey, tie("value")),
}));

/** Any JSON value. */
export const json: fc.Arbitrary<Json> = value;
export const jsonArray: fc.Arbitrary<readonly Json[]> = array;

/** A data map of a run. */
export const data: fc.Arbitrary<JsonObject> = objectOf(dataKey, value);

/** Few different values, so that equal ones are frequent. */
export const smallJson: fc.Arbitrary<Json> = fc.oneof(
  { maxDepth: 2, depthIdentifier: "small" },
  { weight: 4, arbitrary: fc.constantFrom<Json>(null, true, false, 0, 1, 2, "", "a", "b", "0") },
  { weight: 1, arbitrary: fc.array(fc.constantFrom<Json>(0, 1, "a"), { maxLength: 2 }) },
  { weight: 1, arbitrary: objectOf(fc.constantFrom("a", "b"), fc.constantFrom<Json>(0, 1, "a")) },
);

export function objectOf(key: fc.Arbitrary<string>, member: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  // `fromEntries` defines members, so `__proto__` becomes a key.
  return fc
    .array(fc.tuple(key, member), { maxLength: 5, depthIdentifier: "json" })
    .map((entries): JsonObject => Object.fromEntries(entries));
}

/** A deep copy that shares nothing, with the keys of every object in the opposite order. */
export function reversedCopy(from: Json): Json {
  if (Array.isArray(from)) {
    return from.map(reversedCopy);
  }
  if (typeof from !== "object" || from === null) {
    return from;
  }
  return Object.fromEntries(
    Object.entries(from)
      .reverse()
      .map(([key, member]) => [key, reversedCopy(member)]),
  );
}
