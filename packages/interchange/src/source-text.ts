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
  // Node's decoder reads "iso-8859-1" as windows-1252, as browsers do; XML means the ISO table, which is the identity.
  if (encoding === "iso-8859-1") return { kind: "text", text: Buffer.from(source).toString("latin1") };
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

/**
 * Line and column of offsets in `text`. A line ends with LF, CR LF or CR.
 * Cost: the first call is linear in the text, every other logarithmic in its lines.
 */
export function positionsOf(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
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
  return /^(?:iso-?8859-?1|iso_8859-1|latin-?1)$/.test(label) ? "iso-8859-1" : label;
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
