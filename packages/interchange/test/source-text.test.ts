import { describe, expect, it } from "vitest";
import { decodeSource, positionsOf } from "../src/source-text.ts";

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const utf16 = (text: string, isLittle: boolean) =>
  Uint8Array.from([...text].flatMap((c) => (isLittle ? [c.charCodeAt(0), 0] : [0, c.charCodeAt(0)])));

describe("decodeSource", () => {
  it("drops a byte order mark and reads its encoding, whatever is declared", () => {
    expect(decodeSource("\ufeffab")).toEqual({ kind: "text", text: "ab" });
    expect(decodeSource(bytes(0xef, 0xbb, 0xbf, 0x61), "iso-8859-1")).toEqual({ kind: "text", text: "a" });
    expect(decodeSource(bytes(0xff, 0xfe, ...utf16("ab", true)))).toEqual({ kind: "text", text: "ab" });
    expect(decodeSource(bytes(0xfe, 0xff, ...utf16("ab", false)))).toEqual({ kind: "text", text: "ab" });
  });

  it("reads ISO-8859-1 as ISO says, not as windows-1252", () => {
    expect(decodeSource(bytes(0xe9, 0x80), "ISO-8859-1")).toEqual({ kind: "text", text: "\u00e9\u0080" });
    for (const label of ["windows-1252", "CP1252"]) {
      const text = "\u20ac\u0178\u00e9a";
      expect(decodeSource(bytes(0x80, 0x9f, 0xe9, 0x61), label)).toEqual({ kind: "text", text });
    }
  });

  it("reads a file as UTF-8 that calls itself UTF-16 in single bytes", () => {
    expect(decodeSource(bytes(0x61, 0xc3, 0xa9), "utf-16")).toEqual({ kind: "text", text: "a\u00e9" });
  });

  it("says where the first byte is that is not UTF-8", () => {
    const cases: readonly (readonly [readonly number[], number])[] = [
      [[0x61, 0x0a, 0xe9, 0x62], 2],
      [[0xc3], 0],
      [[0x61, 0xe2, 0x82], 1],
      [[0x61, 0xc0, 0x80], 1],
      [[0xed, 0xa0, 0x80], 0],
      [[0xf4, 0x90, 0x80, 0x80], 0],
      [[0xf0, 0x8f, 0xbf, 0xbf], 0],
      [[0xe0, 0x9f, 0xbf], 0],
      [[0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff], 9],
    ];
    for (const [values, byteOffset] of cases) {
      expect(decodeSource(bytes(...values))).toMatchObject({
        kind: "invalid",
        encoding: "utf-8",
        byteOffset,
      });
    }
    expect(decodeSource(bytes(0x61, 0x0a, 0xe9))).toMatchObject({ position: { line: 2, column: 1 } });
  });

  it("says where bytes are not in another encoding", () => {
    expect(decodeSource(bytes(0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8, 0x61, 0x00))).toMatchObject({
      kind: "invalid",
      encoding: "utf-16le",
    });
    expect(decodeSource(bytes(0x61, 0x81, 0xff), "gb18030")).toMatchObject({
      kind: "invalid",
      byteOffset: 2,
    });
  });

  it("does not know every label", () => {
    expect(decodeSource(bytes(0x61), "ebcdic-cp-us")).toEqual({
      kind: "unknown-encoding",
      encoding: "ebcdic-cp-us",
    });
  });
});

describe("positionsOf", () => {
  it("counts LF, CR LF and CR as one line end each", () => {
    const at = positionsOf("a\nb\r\nc\rd");
    const positions = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((offset) => {
      const { line, column } = at(offset);
      return `${line}:${column}`;
    });
    expect(positions).toEqual(["1:1", "1:2", "2:1", "2:2", "2:3", "3:1", "3:2", "4:1", "4:2"]);
  });

  it("agrees with splitting the text before every offset, over many remembered marks", () => {
    const text = Array.from(
      { length: 3000 },
      (_, i) => `${"x".repeat(i % 7)}${["\n", "\r\n", "\r"][i % 3]}`,
    ).join("");
    const at = positionsOf(text);
    for (let offset = 0; offset <= text.length; offset += 97) {
      // A CR LF that the offset cuts is still one line end, which the LF completes.
      const before = text.slice(0, offset);
      const lines = (
        before.endsWith("\r") && text[offset] === "\n" ? `${before.slice(0, -1)}?` : before
      ).split(/\r\n|\r|\n/);
      expect(at(offset)).toEqual({ line: lines.length, column: (lines.at(-1) ?? "").length + 1 });
    }
  });
});
