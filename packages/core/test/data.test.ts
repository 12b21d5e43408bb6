import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATA_LIMITS, orderedCopy, parseData, readData } from "../src/data.ts";
import { type Json, type JsonObject, jsonBytes, jsonEqual } from "../src/json.ts";
import { data, json, reversedCopy } from "./json-arbitrary.ts";

function codes(value: unknown, limits = DATA_LIMITS): readonly (readonly [string, string])[] {
  const result = parseData(value, ["data"], limits);
  return result.ok ? [] : result.issues.map((issue) => [issue.code, issue.path.join("/")] as const);
}

/** Keys of every object of the value, in the order in which JavaScript lists them. */
function keyOrders(value: Json): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const inner = Object.keys(value)
    .sort()
    .flatMap((key) => keyOrders((value as JsonObject)[key] as Json));
  return Array.isArray(value) ? inner : [Object.keys(value), ...inner];
}

/** Law: a copy is equal, shares nothing, and its key orders depend on the content alone. */
function orderLaw(copy: (value: Json) => Json): void {
  fc.assert(
    fc.property(json, (value) => {
      expect(jsonEqual(copy(value), value)).toBe(true);
      expect(keyOrders(copy(value))).toEqual(keyOrders(copy(reversedCopy(value))));
      if (typeof value === "object" && value !== null) {
        expect(copy(value)).not.toBe(value);
      }
    }),
    { numRuns: 300 },
  );
}

describe("[D4.5] data of a run", () => {
  it("[D4.5] takes every data map, as a copy that is equal", () => {
    fc.assert(
      fc.property(data, (value) => {
        const result = parseData(value);
        expect(result.ok && jsonEqual(result.value, value)).toBe(true);
      }),
    );
    const source = { list: [1] };
    const result = parseData(source);
    source.list.push(2);
    expect(result.ok && result.value).toEqual({ list: [1] });
  });

  it("[D4.5] DATA001 refuses what is not an object", () => {
    const result = parseData([]);
    expect(!result.ok && result.issues).toEqual([
      { code: "DATA001", path: [], message: "The data of a run must be an object of values by key." },
    ]);
    expect([null, 1, "a", [], true].map((value) => codes(value))).toEqual(
      Array(5).fill([["DATA001", "data"]]),
    );
  });

  it("[D4.5] DATA002 names every place that is not JSON", () => {
    expect(codes({ a: undefined, b: [0, Number.NaN] })).toEqual([
      ["DATA002", "data/a"],
      ["DATA002", "data/b/1"],
    ]);
    expect(codes(undefined)).toEqual([["DATA002", "data"]]);
    const issues = parseData({ a: undefined });
    expect(!issues.ok && issues.issues[0]?.message).toBe(
      "The data must be JSON: a value of type undefined is not JSON.",
    );
  });

  it("[D4.5] DATA003 refuses the key __proto__ in D, and keeps it inside values", () => {
    expect(codes(JSON.parse('{"__proto__":1}'))).toEqual([["DATA003", "data/__proto__"]]);
    const result = parseData(JSON.parse('{"a":{"__proto__":{"x":1}}}'));
    expect(result.ok && JSON.stringify(result.value)).toBe('{"a":{"__proto__":{"x":1}}}');
    expect(codes({ constructor: 1, prototype: 2 })).toEqual([]);
  });

  it("[D4.5] DATA004 refuses data above the limit of bytes, which is included", () => {
    const value = { a: "é" };
    const limits = { ...DATA_LIMITS, bytesMax: jsonBytes(value) };
    expect(codes(value, limits)).toEqual([]);
    expect(codes(value, { ...limits, bytesMax: limits.bytesMax - 1 })).toEqual([["DATA004", "data"]]);
    const result = parseData(value, undefined, { ...limits, bytesMax: 1 });
    expect(!result.ok && result.issues).toEqual([
      { code: "DATA004", path: [], message: "The data must take at most 1 bytes.", facts: { bytesMax: 1 } },
    ]);
    expect(codes(JSON.parse('{"__proto__":"long"}'), { ...limits, bytesMax: 1 })).toEqual([
      ["DATA003", "data/__proto__"],
      ["DATA004", "data"],
    ]);
  });

  it("[D4.5] heeds the limits of JSON that are given", () => {
    expect(codes({ a: [[]] }, { ...DATA_LIMITS, depthMax: 2 })).toEqual([["DATA002", "data/a/0"]]);
    expect(DATA_LIMITS.bytesMax).toBe(2 ** 24);
  });

  it("[D4.5] reads own members and members of arrays, nothing else", () => {
    const D: JsonObject = { a: [{ b: 0 }, null], t: "text", "0": { "1": "x" } };
    const read = (key: string, ...path: (string | number)[]): Json | undefined => readData(D, key, path);
    expect(read("a")).toBe(D["a"]);
    expect(read("a", 0, "b")).toBe(0);
    expect(read("a", 1)).toBeNull();
    expect(read("0", "1")).toBe("x");
    expect([
      read("b"),
      read("a", 2),
      read("a", -1),
      read("a", "0"),
      read("a", "length"),
      read("t", 0),
      read("t", "length"),
      read("0", 1),
      read("a", 1, "b"),
      read("b", "c", 0),
      read("toString"),
      read("a", 0, "toString"),
    ]).toEqual(Array(12).fill(undefined));
  });
});

describe("[D4.6] normal order", () => {
  it("[D4.6] the order of keys depends on the content alone", () => {
    orderLaw(orderedCopy);
  });

  it("[D4.6] the law finds wrong implementations", () => {
    expect(() => orderLaw((value) => value)).toThrow();
    expect(() => orderLaw((value) => structuredClone(value))).toThrow();
    expect(() => orderLaw((value) => reversedCopy(reversedCopy(value)))).toThrow();
    expect(() =>
      orderLaw((value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort())
          : structuredClone(value),
      ),
    ).toThrow();
  });

  it("[D4.6] adds keys in code-unit order", () => {
    expect(Object.keys(orderedCopy({ "\ue000": 0, b: 0, "\u{1f600}": 0, a: 0, B: 0 }) as JsonObject)).toEqual(
      ["B", "a", "b", "\u{1f600}", "\ue000"],
    );
  });
});
