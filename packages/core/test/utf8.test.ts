import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormed, utf8Encode, utf8Length } from "../src/utf8.ts";
import { text } from "./json-arbitrary.ts";

const BORDERS = [
  "",
  "\u0000",
  "\u007f",
  "\u0080",
  "\u07ff",
  "\u0800",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
];

/** Law: the bytes are those of the platform's encoder, and the length is their number. */
function utf8Law(encode: (text: string) => Uint8Array, length: (text: string) => number): void {
  const oracle = new TextEncoder();
  const check = (sample: string): void => {
    expect([...encode(sample)]).toEqual([...oracle.encode(sample)]);
    expect(length(sample)).toBe(oracle.encode(sample).length);
  };
  for (const border of BORDERS) {
    check(border);
    check(`a${border}z`);
  }
  fc.assert(fc.property(text, check));
}

describe("UTF-8", () => {
  it("encodes as the platform does", () => {
    utf8Law(utf8Encode, utf8Length);
  });

  it("is tested: a wrong encoder is found", () => {
    expect(() => utf8Law((sample) => Uint8Array.from(sample, (c) => c.charCodeAt(0)), utf8Length)).toThrow();
    expect(() => utf8Law(utf8Encode, (sample) => sample.length)).toThrow();
  });

  it("knows lone surrogates", () => {
    expect(["", "a", "\u{1f600}", "\ud7ff\ue000"].map(isWellFormed)).toEqual([true, true, true, true]);
    expect(["\ud800", "\udfff", "a\udc00b", "\ude00\ud83d", "\u{1f600}\ud83d"].map(isWellFormed)).toEqual(
      Array(5).fill(false),
    );
  });
});
