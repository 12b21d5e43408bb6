import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJson, type Json, jsonBytes, jsonDepth, jsonEqual, jsonProblems } from "../src/json.ts";
import { json, reversedCopy, smallJson } from "./json-arbitrary.ts";

/** -0 as 0, so that the platform's equality is that of JSON. */
function plainZero(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Law: everything that JSON text can say is JSON; the same with one wrong value in it is not, and is found there. */
function isJsonLaw(implementation: (value: unknown) => boolean): void {
  fc.assert(
    fc.property(json, (value) => {
      expect(implementation(value)).toBe(true);
      expect(implementation(plainZero(value))).toBe(true);
    }),
    { examples: [[-0]] },
  );
  const wrong = fc.constantFrom(undefined, Number.NaN, () => 0, new Date(0), "\ud800", 1n, Symbol("s"));
  fc.assert(
    fc.property(json, wrong, fc.array(fc.nat(), { maxLength: 4 }), (value, bad, choices) => {
      expect(implementation(plant(value, bad, choices).value)).toBe(false);
    }),
  );
}

/** `value` with `bad` at a place that `choices` lead to, and that place. */
function plant(
  value: unknown,
  bad: unknown,
  choices: readonly number[],
): { value: unknown; path: (string | number)[] } {
  const [choice, ...rest] = choices;
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (choice === undefined || keys.length === 0) {
    return { value: bad, path: [] };
  }
  const key = keys[choice % keys.length] as string;
  const inner = plant((value as Record<string, unknown>)[key], bad, rest);
  const step = Array.isArray(value) ? Number(key) : key;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Object.defineProperty(copy, key, {
    value: inner.value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
  return { value: copy, path: [step, ...inner.path] };
}

/** Law: equality is that of the platform, once zeros have no sign (oracle: node:util). */
function equalityLaw(equal: (a: Json, b: Json) => boolean): void {
  fc.assert(
    fc.property(fc.oneof(json, smallJson), fc.oneof(json, smallJson), (a, b) => {
      expect(equal(a, b)).toBe(isDeepStrictEqual(plainZero(a), plainZero(b)));
      expect(equal(a, reversedCopy(a))).toBe(true);
    }),
    {
      numRuns: 300,
      examples: [
        [
          { a: 0, b: -0 },
          { a: 0, b: 0 },
        ],
      ],
    },
  );
}

/** Law: the bytes are those of the compact text (oracle: JSON.stringify and Buffer), exact up to the limit. */
function bytesLaw(bytes: (value: Json, bytesMax?: number) => number): void {
  fc.assert(
    fc.property(json, fc.nat({ max: 60 }), (value, bytesMax) => {
      const exact = Buffer.byteLength(JSON.stringify(value));
      expect(bytes(value)).toBe(exact);
      const limited = bytes(value, bytesMax);
      expect(limited <= bytesMax ? limited : exact > bytesMax).toBe(exact <= bytesMax ? exact : true);
    }),
    { numRuns: 300, examples: [["é", 0]] },
  );
}

/** Law: the depth is the greatest number of open brackets (oracle: the text without its strings). */
function depthLaw(depth: (value: Json) => number): void {
  fc.assert(
    fc.property(json, (value) => {
      let open = 0;
      let deepest = 0;
      for (const character of JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/gu, "")) {
        open += "[{".includes(character) ? 1 : "]}".includes(character) ? -1 : 0;
        deepest = Math.max(deepest, open);
      }
      expect(depth(value)).toBe(deepest);
    }),
    { examples: [[[[]]]] },
  );
}

describe("JSON values, laws", () => {
  it("[D4.1] what text can say is JSON, and one wrong value in it is enough", () => {
    isJsonLaw(isJson);
  });

  it("[D4.1] the problem is found at its place", () => {
    fc.assert(
      fc.property(json, fc.array(fc.nat(), { maxLength: 4 }), (value, choices) => {
        const { value: planted, path } = plant(value, Number.NaN, choices);
        expect(jsonProblems(planted)).toEqual([{ path, message: "the number NaN is not finite" }]);
      }),
    );
  });

  it("[D4.2] equality agrees with the platform", () => {
    equalityLaw(jsonEqual);
  });

  it("counts bytes and depth like the text", () => {
    bytesLaw(jsonBytes);
    depthLaw(jsonDepth);
  });

  it("[D4.1] [D4.2] the laws find wrong implementations", () => {
    expect(() => isJsonLaw((value) => JSON.stringify(value) !== undefined)).toThrow();
    expect(() => isJsonLaw(() => true)).toThrow();
    expect(() => isJsonLaw((value) => !Object.is(value, -0) && isJson(value))).toThrow();
    expect(() => equalityLaw((a, b) => JSON.stringify(a) === JSON.stringify(b))).toThrow();
    expect(() => equalityLaw((a, b) => a === b)).toThrow();
    expect(() => bytesLaw((value) => JSON.stringify(value).length)).toThrow();
    expect(() => bytesLaw((value, bytesMax = Infinity) => Math.min(jsonBytes(value), bytesMax))).toThrow();
    expect(() => depthLaw((value) => (typeof value === "object" ? 1 : 0))).toThrow();
  });
});
