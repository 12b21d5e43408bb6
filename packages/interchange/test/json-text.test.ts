import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonText } from "../src/index.ts";
import { refusal } from "./fixtures.ts";

/** Law: the reader agrees with JSON.parse on what is JSON and what it says. Oracle: JSON.parse. */
function agrees(read: typeof readJsonText): void {
  const pieces = fc.constantFrom(
    ...'{}[],:"\\ \n\t0123456789-+.eE'.split(""),
    "true",
    "false",
    "null",
    '"a"',
    '"b":',
    "\\u00e9",
    "\\ud83d",
    "\u0001",
    "[]",
    "{}",
    "-0.5e+3",
    "\u00e9",
    "\u2028",
  );
  const wrong = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
  const right = fc.json({ maxDepth: 4 });
  const mangled = fc.tuple(right, fc.nat(), pieces).map(([text, at, piece]) => {
    const cut = at % (text.length + 1);
    return `${text.slice(0, cut)}${piece}${text.slice(cut + (at % 2))}`;
  });
  let valid = 0;
  fc.assert(
    fc.property(fc.oneof(wrong, right, mangled), (text) => {
      let expected: { readonly value: unknown } | null;
      try {
        expected = { value: JSON.parse(text) };
      } catch {
        expected = null;
      }
      const result = read(text);
      // A repeated key is the one thing that JSON.parse takes and this reader does not.
      if (!result.ok && result.issues[0]?.code === "JSON004") return;
      expect([text, result.ok]).toEqual([text, expected !== null]);
      if (!result.ok || expected === null) return;
      valid += 1;
      expect(JSON.stringify(result.value)).toBe(JSON.stringify(expected.value));
    }),
    { numRuns: 4000 },
  );
  expect(valid).toBeGreaterThan(500);
}

describe("[D11.18] JSON text", () => {
  it("[D11.18] is what RFC 8259 says it is (oracle: JSON.parse)", () => {
    agrees(readJsonText);
  });

  it("[D11.18] the law fails for a reader that trims more, or takes everything", () => {
    expect(() => agrees((text) => readJsonText(String(text).trim().replace(/,$/, "")))).toThrow();
    expect(() => agrees(() => ({ ok: true, value: null }))).toThrow();
  });

  it.each([
    ["", "JSON001 1:1"],
    ["{", "JSON001 1:2"],
    ['{"a": 1,\n "b" 2}', "JSON001 2:6"],
    ["[1, 2,]", "JSON001 1:7"],
    ["[01]", "JSON001 1:3"],
    ['"\\x"', "JSON001 1:2"],
    ['"open', "JSON001 1:6"],
    ["nul", "JSON001 1:1"],
    ["{} x", "JSON001 1:4"],
    ["{'a': 1}", "JSON001 1:2"],
  ])("JSON001 %j: the position of the first fault", (text, issue) => {
    expect(refusal(readJsonText(text))).toEqual([issue]);
    expect(refusal(readJsonText(Buffer.from(text)))).toEqual([issue]);
  });

  it("JSON002 too long, too deep, however deep", () => {
    expect(refusal(readJsonText("[[1]]", { depthMax: 1 }))).toEqual(["JSON002 1:2"]);
    expect(readJsonText("[[1]]", { depthMax: 2 }).ok).toBe(true);
    expect(refusal(readJsonText("[".repeat(5_000_000)))).toEqual(["JSON002 1:201"]);
    expect(refusal(readJsonText("   ", { bytesMax: 2 }))).toEqual(["JSON002 -"]);
  });

  it("JSON003 bytes that are no text", () => {
    expect(refusal(readJsonText(Uint8Array.of(0x22, 0xff, 0x22)))).toEqual(["JSON003 1:2"]);
    expect(readJsonText(Buffer.from('\ufeff{"a":1}', "utf16le")).ok).toBe(true);
  });

  it("JSON004 a key twice in one object, written in whatever way; prototype keys are keys", () => {
    expect(refusal(readJsonText('{"a":1,\n"\\u0061":2}'))).toEqual(["JSON004 2:1"]);
    const read = readJsonText('{"__proto__":{"x":1},"constructor":1}');
    expect(read.ok && Object.getOwnPropertyNames(read.value)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});
