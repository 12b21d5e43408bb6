/** Law of the keys of indexed values. Oracle: the values themselves, compared by the language. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valueKey } from "../src/run-values.ts";

const value = fc.oneof(
  fc.constantFrom(0, 1, "", "0", "null", "true", true, false, null, "x".repeat(300), "x".repeat(301)),
  fc.string({ maxLength: 400 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
);

function lawOfKeys(keyOf: typeof valueKey): void {
  fc.assert(
    fc.property(value, value, (one, other) => {
      expect(keyOf(one) === keyOf(other)).toBe(one === other);
      expect(keyOf(one).length).toBeLessThanOrEqual(200);
    }),
    { numRuns: 1000 },
  );
}

describe("the key of a value", () => {
  it("[D10.18] is one for equal values only, and short", () => {
    lawOfKeys(valueKey);
  });

  it("[D10.18] the law notices keys that are the text of a value", () => {
    expect(() => lawOfKeys((given) => String(given).slice(0, 200))).toThrow();
  });
});
