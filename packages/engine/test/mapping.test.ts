/** @module Data between two parties: named keys, and all of them. */
import { describe, expect, it } from "vitest";
import { mapData } from "../src/mapping.ts";

describe("[D20.16] mappings", () => {
  it("[D20.16] give what they name, and nothing for a key that is missing or no mapping", () => {
    expect(mapData({ x: "a", y: "gone" }, { a: 1, b: 2 })).toEqual({ x: 1 });
    for (const none of [undefined, null, [], "a", 1]) expect(mapData(none, { a: 1 })).toEqual({});
  });

  it("[D20.16] give every key under its own name for *, and what they name besides", () => {
    expect(mapData({ "*": "*", x: "a", b: "a" }, { a: 1, b: 2 })).toEqual({ a: 1, b: 1, x: 1 });
    expect(mapData({ "*": "a" }, { a: 1 })).toEqual({});
    expect(mapData({ x: "*" }, { a: 1, "*": 3 })).toEqual({ x: 3 });
    const odd = JSON.parse('{ "__proto__": { "x": 1 } }');
    expect(Object.keys(mapData({ "*": "*" }, odd))).toEqual(["__proto__"]);
  });
});
