/** @module Which values a checker takes of each region between constants, and which region a value is in: by hand, and by a law. */
import type { Json } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { regionOf, same, samplesOf, typeNames } from "../../src/certificate/data-samples.ts";

const numbersOf = (constants: readonly Json[], type: string | undefined, k: number) =>
  samplesOf(constants, type, k)
    .filter((value) => typeof value === "number")
    .sort((a, b) => a - b);
const inside = (values: readonly number[], low: number, high: number) =>
  values.filter((value) => low < value && value < high);

describe("[D23.11] samples of numbers", () => {
  it("[D23.11] of integers are the constants, 0, and k on each side", () => {
    const near = (constants: readonly Json[], k: number) =>
      numbersOf(constants, "integer", k).filter((value) => Math.abs(value) < 1e6);
    const range = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, at) => low + at);
    expect(near([], 2)).toEqual(range(-2, 2));
    expect(near([9], 2)).toEqual([...range(-2, 2), ...range(7, 11)]);
    expect(near([9, 12], 1)).toEqual([...range(-1, 1), ...range(8, 13)]);
    expect(near([30, 9], 1)).toEqual([...range(-1, 1), 8, 9, 10, 29, 30, 31]);
    expect(near([8.5], 2)).toEqual([...range(-2, 2), 7, 8, 9, 10]);
    expect(near([-8.5], 1)).toEqual([-9, -8, ...range(-1, 1)]);
    expect(near([-0, 0, "3", true], 1)).toEqual([-1, 0, 1]);
  });

  const bound = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(0.5, -0.5, 1e300, -1e300, 2 ** 53, -(2 ** 53), 2 ** 51, 1.7e308, -1.7e308),
  );
  const constantsOf = fc.uniqueArray(bound, { maxLength: 4 });

  it("[D23.11] every gap has k fractions and k integers, if it has so many (oracle: floor and ceil)", () => {
    fc.assert(
      fc.property(constantsOf, fc.integer({ min: 1, max: 3 }), (constants, k) => {
        const all = numbersOf(constants, "number", k);
        expect(all.every(Number.isFinite)).toBe(true);
        for (const one of constants) expect(all).toContain(one);
        const points = [Number.NEGATIVE_INFINITY, ...[...constants].sort((a, b) => a - b), Infinity];
        for (const [at, high] of points.slice(1).entries()) {
          const low = points[at]!;
          const here = inside(all, low, high);
          const isWide = high - low > 100;
          const whole = isWide ? k : Math.max(0, Math.ceil(high) - Math.floor(low) - 1);
          expect(here.filter(Number.isInteger).length).toBeGreaterThanOrEqual(Math.min(k, whole));
          // Fractions are there below 2^52 only.
          const hasFractions = low < 2 ** 50 && high > -(2 ** 50);
          if (hasFractions)
            expect(here.filter((value) => !Number.isInteger(value)).length).toBeGreaterThanOrEqual(k);
          const integers = inside(numbersOf(constants, "integer", k), low, high);
          expect(integers.length).toBeGreaterThanOrEqual(Math.min(k, whole));
          expect(integers.every(Number.isInteger)).toBe(true);
        }
      }),
      { seed: 23_011, numRuns: 200 },
    );
  });

  it("[D23.11] neighbouring doubles have nothing between them, those beside have one", () => {
    const next = 1 + Number.EPSILON;
    const after = next + Number.EPSILON;
    expect(inside(numbersOf([1, next], "number", 3), 1, next)).toEqual([]);
    expect(inside(numbersOf([1, after], "number", 3), 1, after)).toEqual([next]);
    expect(inside(numbersOf([-after, -1], "number", 3), -after, -1)).toEqual([-next]);
    const least = Number.MIN_VALUE;
    expect(inside(numbersOf([0, 2 * least], "number", 3), 0, 2 * least)).toEqual([least]);
    expect(inside(numbersOf([-2 * least, 0], "number", 3), -2 * least, 0)).toEqual([-least]);
    expect(inside(numbersOf([-least, least], "number", 3), -least, least)).toEqual([0]);
    expect(inside(numbersOf([Number.MAX_VALUE], "number", 1), Number.MAX_VALUE, Infinity)).toEqual([]);
  });

  it("[D23.11] without constants there are some of both kinds", () => {
    const all = numbersOf([], "number", 1);
    expect(all.some(Number.isInteger)).toBe(true);
    expect(all.some((value) => !Number.isInteger(value))).toBe(true);
  });
});

describe("[D23.11] samples of other types", () => {
  const types = (values: readonly Json[]) =>
    [
      ...new Set(values.map((one) => (Array.isArray(one) ? "array" : one === null ? "null" : typeof one))),
    ].sort();

  it("[D23.11] are of the type that is declared, whatever the constants are, and of every type where none is", () => {
    const constants = [1, "a", [1], { p: 1 }, true, null];
    expect(types(samplesOf(constants, "number", 1))).toEqual(["number"]);
    expect(types(samplesOf(constants, "integer", 1))).toEqual(["number"]);
    expect(types(samplesOf(constants, "string", 1))).toEqual(["string"]);
    expect(types(samplesOf(constants, "array", 1))).toEqual(["array"]);
    expect(types(samplesOf(constants, "object", 1))).toEqual(["object"]);
    const every = ["array", "boolean", "null", "number", "object", "string"];
    for (const type of [undefined, "any"])
      for (const some of [[], constants]) expect(types(samplesOf(some, type, 1))).toEqual(every);
    const any = samplesOf([], "any", 1);
    for (const value of [true, false, null]) expect(any).toContain(value);
  });

  it("[D23.11] texts: the empty one, the constants, and after each the next k before the next constant", () => {
    const texts = (constants: readonly Json[], k: number) =>
      [...samplesOf(constants, "string", k)].map(String).sort();
    expect(texts([], 1)).toEqual(["", "\u0000"]);
    expect(texts(["b"], 2)).toEqual(["", "\u0000", "\u0000\u0000", "b", "b\u0000", "b\u0000\u0000"]);
    expect(texts(["b", "a", "b", 5, ["c"]], 1)).toEqual(["", "\u0000", "a", "a\u0000", "b", "b\u0000"]);
    // Nothing is between a text and the same with one zero unit more.
    expect(texts(["a", "a\u0000"], 1)).toEqual(["", "\u0000", "a", "a\u0000", "a\u0000\u0000"]);
    expect(texts(["a", "a\u0000\u0000"], 3)).toContain("a\u0000");
  });

  it("[D23.11] lists and objects: the constants, and k that equal none of them", () => {
    for (const [type, known] of [
      ["array", [[], ["sample", 0], ["sample", 2]]],
      ["object", [{}, { sample: 0 }, { sample: 2 }]],
    ] as const) {
      const found = samplesOf(known as readonly Json[], type, 3);
      for (const one of known) expect(found).toContainEqual(one);
      expect(found).toHaveLength(known.length + 3);
      const texts = found.map((value) => JSON.stringify(value));
      expect(new Set(texts).size).toBe(found.length);
    }
    expect(samplesOf([null, [1]], "object", 1)).toHaveLength(1);
    expect(samplesOf([{ p: 1 }], "array", 1)).toHaveLength(1);
  });

  it("[D23.11] each value is taken once, the first of those that are equal", () => {
    const twice = samplesOf(
      [
        { p: 1, q: 2 },
        { q: 2, p: 1 },
      ],
      "object",
      1,
    );
    expect(twice).toHaveLength(2);
    expect(JSON.stringify(twice[0])).toBe('{"p":1,"q":2}');
  });
});

describe("[D23.11] the region of a value", () => {
  /** Values in ascending order of their regions, a row for each region. */
  const apart = (constants: readonly Json[], rows: readonly (readonly Json[])[]) => {
    const names = rows.map((row) => {
      const own = new Set(row.map((value) => regionOf(value, constants)));
      expect([...own], JSON.stringify(row)).toHaveLength(1);
      return [...own][0]!;
    });
    expect(new Set(names).size).toBe(rows.length);
  };

  it("[D23.11] of numbers: below, on, between, above", () => {
    apart([], [[-1, 0, 7], ["", "a"], [null], [true], [false], [{}, { p: 1 }], [[], [1]]]);
    apart([5, 1, 5, "3"], [[-9, 0.5], [1], [2, 3, 4.5], [5], [6, 1e300]]);
    apart([-0, 0], [[-1], [0, -0], [1]]);
  });

  it("[D23.11] of texts, by code units", () => {
    apart(["b", "Z", 7], [["", "A"], ["Z"], ["a", "az"], ["b"], ["ba", "c"]]);
  });

  it("[D23.11] of what is no number or text: itself where it is a constant, else others of its kind", () => {
    const constants = [[1], { p: 1, q: 2 }, null, true, 1, "1"];
    apart(constants, [
      [[1]],
      [[], [2], [{ p: 1, q: 2 }]],
      [{ q: 2, p: 1 }],
      [{}, { p: 1 }, { q: [1] }],
      [null],
      [true],
      [false],
      [1],
      ["1"],
      [0],
      [2],
      ["0"],
      ["2"],
    ]);
    apart([[1], [2], { p: 1 }, { p: 2 }], [[[1]], [[2]], [[3], []], [{ p: 1 }], [{ p: 2 }], [{}]]);
  });

  it("[D23.11] constants of another type tell nothing apart", () => {
    apart(["a", [1], null], [[-1, 0, 7]]);
    apart([1, 2], [["", "1", "z"]]);
  });
});

describe("[D23.11] values are the same", () => {
  it.each<readonly [Json | undefined, Json | undefined, boolean]>([
    [undefined, undefined, true],
    [undefined, null, false],
    [undefined, "undefined", false],
    [null, null, true],
    [0, -0, true],
    [1, "1", false],
    [{ p: 1, q: 2 }, { q: 2, p: 1 }, true],
    [{ p: 1 }, { p: 1, q: 2 }, false],
    [[1, 2], [2, 1], false],
    [[1], [1], true],
  ])("[D23.11] %j and %j: %j", (left, right, isSame) => {
    expect(same(left, right)).toBe(isSame);
    expect(same(right, left)).toBe(isSame);
  });
});

describe("[D4.5] the types of a value", () => {
  it.each<readonly [Json, readonly string[]]>([
    [null, ["any"]],
    [true, ["any", "boolean"]],
    [1, ["any", "integer", "number"]],
    [1.5, ["any", "number"]],
    ["1", ["any", "string"]],
    [[], ["any", "array"]],
    [{}, ["any", "object"]],
  ])("[D4.5] %j is of the declared types %j", (value, names) => {
    const declared = ["any", "array", "boolean", "integer", "number", "object", "string"];
    expect(declared.filter((name) => typeNames(value).includes(name))).toEqual(names);
  });
});
