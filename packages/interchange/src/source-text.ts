/** @module From bytes or a string to text: byte order marks, declared encodings, lines and columns. */
import { TextDecoder } from "node:util";
import type { Position } from "@tessera/core";

/** A file as it comes from outside: its bytes, or a text that somebody else decoded. */
export type Source = string | Uint8Array;

/** The text of a source, or why the bytes are not text. Offsets count bytes from 0. */
export type Decoded =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "invalid";
      readonly encoding: string;
      readonly byteOffset: number;
      readonly position: Position;
    }
  | { readonly kind: "unknown-encoding"; readonly encoding: string };

/**
 * Decodes `source`; a byte order mark decides and is dropped, then `declared` (the label of the XML declaration),
 * then UTF-8. Invalid bytes are never replaced: the answer is where they are. Cost: linear.
 */
export function decodeSource(source: Source, declared?: string): Decoded {
  if (typeof source === "string") return { kind: "text", text: withoutMark(source) };
  const encoding = encodingOf(source, declared);
  // The platform's decoders take these two for one another, each version in its own way.
  if (encoding === "iso-8859-1") return { kind: "text", text: latin1(source) };
  if (encoding === "windows-1252") return { kind: "text", text: windows1252(source) };
  const decoder = decoderOf(encoding);
  if (decoder === undefined) return { kind: "unknown-encoding", encoding };
  try {
    return { kind: "text", text: withoutMark(decoder.decode(source)) };
  } catch {
    const byteOffset = encoding === "utf-8" ? firstInvalidUtf8(source) : firstInvalid(source, encoding);
    const before = decoderOf(encoding)?.decode(source.subarray(0, byteOffset), { stream: true }) ?? "";
    return { kind: "invalid", encoding, byteOffset, position: positionsOf(before)(before.length) };
  }
}

/** Distance between the offsets whose line is remembered, in code units. */
const STEP = 4096;

/**
 * Line and column of offsets in `text`. A line ends with LF, CR LF or CR.
 * Cost: the first call is linear in the text (a file of nothing but line ends too), every other constant.
 */
export function positionsOf(text: string): (offset: number) => Position {
  let marks: readonly Position[] | undefined;
  return (offset) => {
    marks ??= markLines(text);
    const mark = Math.floor(offset / STEP);
    return advance(text, mark * STEP, offset, marks[mark] ?? START);
  };
}

const START: Position = { line: 1, column: 1 };

/** The position of every offset that is a multiple of `STEP`. */
function markLines(text: string): readonly Position[] {
  const marks = [START];
  for (let from = 0; from + STEP <= text.length; from += STEP) {
    marks.push(advance(text, from, from + STEP, marks.at(-1) ?? START));
  }
  return marks;
}

/** The position at `to`, given that of `from`. */
function advance(text: string, from: number, to: number, start: Position): Position {
  let { line, column } = start;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    // The CR of a CR LF ends no line of its own: the LF does.
    const isEnd = unit === 0x0a || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a);
    line += isEnd ? 1 : 0;
    column = isEnd ? 1 : column + 1;
  }
  return { line, column };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The characters of the bytes 0x80 to 0x9f in windows-1252; the other bytes are as in ISO-8859-1. */
const WINDOWS_1252 =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

function windows1252(bytes: Uint8Array): string {
  return latin1(bytes).replace(/[\u0080-\u009f]/g, (c) => WINDOWS_1252.charAt(c.charCodeAt(0) - 0x80));
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function encodingOf(bytes: Uint8Array, declared: string | undefined): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  const label = (declared ?? "utf-8").trim().toLowerCase();
  // A declaration that was legible byte by byte is not UTF-16, whatever it says: such files are written as UTF-8.
  if (/^(?:utf-?8|us-ascii|ascii|utf-16.*|ucs-2)$/.test(label)) return "utf-8";
  return /^(?:iso-?8859-?1|iso_8859-1|latin-?1)$/.test(label)
    ? "iso-8859-1"
    : label.replace(/^cp-?1252$/, "windows-1252");
}

function decoderOf(encoding: string): TextDecoder | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    return undefined;
  }
}

/** The length of the longest prefix that decodes; binary search, for a prefix of a valid prefix is valid. */
function firstInvalid(bytes: Uint8Array, encoding: string): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (decodes(bytes.subarray(0, middle), encoding)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function decodes(bytes: Uint8Array, encoding: string): boolean {
  try {
    decoderOf(encoding)?.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Where the first byte sequence that is not UTF-8 starts; the length if there is none (Unicode, table 3-7). */
function firstInvalidUtf8(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/** The length of the well-formed UTF-8 sequence at `at`, 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const tails =
    lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0;
  if (tails === 0) return 0;
  // The second byte's range is narrower after these leads: no overlong forms, no surrogates, nothing above U+10FFFF.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let i = 1; i <= tails; i += 1) {
    const byte = bytes[at + i] ?? 0;
    if (byte < (i === 1 ? low : 0x80) || byte > (i === 1 ? high : 0xbf)) return 0;
  }
  return tails + 1;
}
