import vm from "node:vm";
import { describe, expect, it } from "vitest";
import {
  isJson,
  isJsonArray,
  isJsonObject,
  JSON_LIMITS,
  type Json,
  jsonBytes,
  jsonDepth,
  jsonEqual,
  jsonProblems,
  ownValue,
} from "../src/json.ts";

class Point {
  readonly x = 1;
}

class Row extends Array<number> {}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const hidden = Object.defineProperty({}, "a", { value: 1, enumerable: false });
const named = Object.assign([1], { name: 2 });
// biome-ignore lint/suspicious/noSparseArray: the hole is what is tested.
const sparse = [1, , 3];
// biome-ignore lint/suspicious/noSparseArray: as many named members as holes.
const sparseNamed = Object.assign([1, , 3], { name: 2 });

/** `depth` arrays around a scalar. */
function nested(depth: number): Json {
  let value: Json = 0;
  for (let i = 0; i < depth; i += 1) {
    value = [value];
  }
  return value;
}

describe("[D4.1] JSON values", () => {
  it.each<readonly [string, unknown]>([
    ["null", null],
    ["booleans", [true, false]],
    ["finite numbers", [0, -0, 1.5, 5e-324, Number.MAX_VALUE]],
    ["text with surrogate pairs", "a\u{1f600}"],
    ["empty containers", [[], {}, ""]],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 })],
    ["objects and arrays of another realm", vm.runInNewContext("({ a: [1, {}] })")],
    ["a key __proto__", JSON.parse('{"__proto__":{"a":1}}')],
    ["a shared part that is no cycle", [cyclic.self === cyclic, Array(2).fill({ a: 1 })]],
    ["a frozen object", Object.freeze({ a: 1 })],
  ])("[D4.1] accepts %s", (_, value) => {
    expect(isJson(value)).toBe(true);
  });

  it.each<readonly [string, unknown, string]>([
    ["undefined", undefined, "a value of type undefined is not JSON"],
    ["a bigint", 1n, "a value of type bigint is not JSON"],
    ["a symbol", Symbol("s"), "a value of type symbol is not JSON"],
    ["a function", () => 1, "a value of type function is not JSON"],
    ["not a number", Number.NaN, "the number NaN is not finite"],
    ["infinity", Number.NEGATIVE_INFINITY, "the number -Infinity is not finite"],
    ["a lone surrogate", "a\ud800", "the string has a lone surrogate"],
    ["a class instance", new Point(), "an instance of a class is not JSON"],
    ["a date", new Date(0), "an instance of a class is not JSON"],
    ["a map", new Map(), "an instance of a class is not JSON"],
    ["a boxed number", Object(1), "an instance of a class is not JSON"],
    ["an array of a class", Row.from([1]), "an instance of a class is not JSON"],
    ["an array without prototype", Object.setPrototypeOf([1], null), "an instance of a class is not JSON"],
    [
      "an array like an object",
      Object.setPrototypeOf([1], Object.prototype),
      "an instance of a class is not JSON",
    ],
    ["an heir of an object", Object.create({ a: 1 }), "an instance of a class is not JSON"],
    ["an heir of an empty one", Object.create(Object.create(null)), "an instance of a class is not JSON"],
    ["a cycle", cyclic, "the value contains itself"],
    [
      "an accessor",
      Object.defineProperty({}, "a", { get: () => 1, enumerable: true }),
      "the member is computed by an accessor",
    ],
    ["a hidden member", hidden, "the member is not enumerable"],
    ["a symbol as key", { [Symbol("s")]: 1 }, "a symbol is not a key"],
    ["a lone surrogate as key", { "\udc00": 1 }, "the key has a lone surrogate"],
    ["a hole", sparse, "the array has a hole"],
    ["a hole and a name", sparseNamed, "an array has no named members"],
    ["a named member of an array", named, "an array has no named members"],
  ])("[D4.1] refuses %s", (_, value, message) => {
    expect(isJson(value)).toBe(false);
    expect(isJson({ a: [value] })).toBe(false);
    expect(jsonProblems(value).map((problem) => problem.message)).toContain(message);
  });

  it("[D4.1] refuses a value of an array at its index, and of an object at its key", () => {
    expect(jsonProblems({ a: [0, undefined, { b: Number.NaN }] })).toEqual([
      { path: ["a", 1], message: "a value of type undefined is not JSON" },
      { path: ["a", 2, "b"], message: "the number NaN is not finite" },
    ]);
    expect(jsonProblems(named)).toEqual([{ path: ["name"], message: "an array has no named members" }]);
    expect(jsonProblems({ [Symbol("s")]: 1 })[0]?.path).toEqual(["Symbol(s)"]);
  });

  it("[D4.1] counts depth from 0 for a scalar, and includes the limit", () => {
    expect(isJson(nested(JSON_LIMITS.depthMax))).toBe(true);
    expect(isJson(nested(JSON_LIMITS.depthMax + 1))).toBe(false);
    const limits = { depthMax: 1, nodesMax: 10 };
    expect([0, [0], [], {}, { a: 0 }].map((value) => isJson(value, limits))).toEqual(Array(5).fill(true));
    expect([[[]], { a: {} }, [{}]].map((value) => isJson(value, limits))).toEqual(Array(3).fill(false));
    expect(jsonProblems([[]], limits)).toEqual([{ path: [0], message: "deeper than 1" }]);
  });

  it("[D4.1] ends at the limit of values, with one problem, though the value is small in memory", () => {
    const limits = { depthMax: 200, nodesMax: 4 };
    expect(isJson([1, 2, 3], limits)).toBe(true);
    expect(jsonProblems([1, 2, 3, 4], limits)).toEqual([{ path: [3], message: "more than 4 values" }]);
    expect(jsonProblems([[1, 2, 3, 4], 5, 6], limits)).toEqual([
      { path: [0, 2], message: "more than 4 values" },
    ]);
    let doubling: unknown = 0;
    for (let i = 0; i < 150; i += 1) {
      doubling = [doubling, doubling];
    }
    expect(jsonProblems(doubling, { depthMax: 200, nodesMax: 100_000 })).toHaveLength(1);
  });

  it("[D4.1] stops after as many problems as are asked for", () => {
    const value = [undefined, undefined, [undefined], undefined];
    expect(jsonProblems(value, JSON_LIMITS, 2).map((problem) => problem.path)).toEqual([[0], [1]]);
    expect(jsonProblems(value, JSON_LIMITS, 3).map((problem) => problem.path)).toEqual([[0], [1], [2, 0]]);
    expect(jsonProblems(Array(150).fill(undefined))).toHaveLength(100);
  });

  it("[D4.1] does not enter what a trusted value has at the same place or in the same array", () => {
    const bad = { x: undefined } as unknown as Json;
    const trusted = { a: bad, list: [bad], "0": [0] };
    expect(jsonProblems({ a: bad }, JSON_LIMITS, 9, trusted)).toEqual([]);
    expect(jsonProblems({ list: [1, bad] }, JSON_LIMITS, 9, trusted)).toEqual([]);
    expect(jsonProblems(trusted, JSON_LIMITS, 9, trusted)).toEqual([]);
    expect(jsonProblems({ b: bad }, JSON_LIMITS, 9, trusted)).toHaveLength(1);
    expect(jsonProblems({ a: { x: undefined } }, JSON_LIMITS, 9, trusted)).toHaveLength(1);
    expect(jsonProblems({ c: undefined }, JSON_LIMITS, 9, trusted)).toHaveLength(1);
    expect(jsonProblems({ list: [undefined] }, JSON_LIMITS, 9, { list: [0] })).toHaveLength(1);
    // What an object inherits is not a member of it.
    expect(jsonProblems({ toString: Object.prototype.toString }, JSON_LIMITS, 9, {})).toHaveLength(1);
  });
});

describe("[D4.2] equality", () => {
  it("[D4.2] compares types, members, lengths and own keys", () => {
    const samples: readonly Json[] = [
      null,
      false,
      true,
      0,
      1,
      "",
      "0",
      "a",
      [],
      [0],
      [0, 0],
      [[]],
      {},
      { a: 0 },
      { b: 0 },
      { a: 0, b: 0 },
      { "0": 0 },
      JSON.parse('{"toString":0}'),
      JSON.parse('{"__proto__":{}}'),
    ];
    for (const [i, a] of samples.entries()) {
      for (const [j, b] of samples.entries()) {
        expect(jsonEqual(a, structuredClone(b))).toBe(i === j);
      }
    }
  });

  it("[D4.2] does not see the order of keys, nor the sign of zero", () => {
    expect(jsonEqual({ a: 1, b: [0] }, { b: [-0], a: 1 })).toBe(true);
  });
});

describe("measures", () => {
  it("counts bytes of the canonical form exactly up to the limit, and past it stops above", () => {
    const value = { list: [1, 22, "é"], empty: {}, none: [] };
    const bytes = '{"empty":{},"list":[1,22,"é"],"none":[]}'.length + 1;
    expect(jsonBytes(value)).toBe(bytes);
    expect(jsonBytes(value, bytes)).toBe(bytes);
    expect(jsonBytes(value, bytes - 1)).toBeGreaterThan(bytes - 1);
    expect(jsonBytes([0, 0, 0], 0)).toBeLessThan(7);
    expect(jsonBytes({ a: 0, b: 0, c: 0 }, 0)).toBeLessThan(19);
    expect(
      ["\b", "\t", "\n", "\v", "\f", "\r", "\u0007", "\u000e", '"', "\\", "/", "\u007f"].map((c) =>
        jsonBytes(c),
      ),
    ).toEqual([4, 4, 4, 8, 4, 4, 8, 8, 4, 4, 3, 3]);
    expect(["\u001f", " ", "!", "#", "[", "]"].map((c) => jsonBytes(c))).toEqual([8, 3, 3, 3, 3, 3]);
  });

  it("hands on to members only what is left of the limit", () => {
    const trap = new Proxy<Json[]>([0, 0, 0], {
      get: (target, key) => {
        if (key === "2") throw new Error("read past the limit");
        return Reflect.get(target, key);
      },
    });
    // 28 bytes before the inner list: after its first member the limit is passed.
    const [text, bytesMax] = ["x".repeat(24), 29];
    expect(jsonBytes([text, trap], bytesMax)).toBeGreaterThan(bytesMax);
    expect(jsonBytes({ a: text.slice(4), b: trap }, bytesMax)).toBeGreaterThan(bytesMax);
  });

  it("does not read on past the limit", () => {
    const trap = (members: readonly Json[]): Json =>
      new Proxy(members, {
        get: (target, key) => {
          if (key === "2") {
            throw new Error("read past the limit");
          }
          return Reflect.get(target, key);
        },
      });
    expect(jsonBytes(trap([100, 200, 300]), 3)).toBeGreaterThan(3);
    expect(() => jsonBytes(trap([100, 200, 300]), 100)).toThrow("read past the limit");
  });

  it("counts depth", () => {
    expect([null, 0, "a", [], {}, [[]], [0, [{}]], { a: [0], b: 0 }].map(jsonDepth)).toEqual([
      0, 0, 0, 1, 1, 2, 3, 2,
    ]);
  });

  it("reads own members only", () => {
    expect(ownValue({ a: 1 }, "a")).toBe(1);
    expect(ownValue({}, "toString")).toBeUndefined();
    expect(ownValue(JSON.parse('{"__proto__":2}'), "__proto__")).toBe(2);
  });

  it("tells arrays and objects", () => {
    const samples: readonly (Json | undefined)[] = [undefined, null, 0, "a", [], {}];
    expect(samples.map(isJsonArray)).toEqual([false, false, false, false, true, false]);
    expect(samples.map(isJsonObject)).toEqual([false, false, false, false, false, true]);
  });
});
