/** @module A text in the making, kept as the bytes of its UTF-8: no string is made of what is put together piece by piece. */
import { canonicalJson } from "@tessera/core";

/** The bytes so far are the first `length` of `bytes`; what follows is room. */
export interface TextWriter {
  bytes: Buffer;
  length: number;
}

/** Room of a new writer. */
const ROOM = 1_024;
/** A writer that needed more room than this does not keep it. */
const ROOM_MAX = 65_536;

/** A writer without text. */
export function textWriter(): TextWriter {
  return { bytes: Buffer.allocUnsafe(ROOM), length: 0 };
}

/** Begins anew. */
export function restart(writer: TextWriter): void {
  if (writer.bytes.length > ROOM_MAX) writer.bytes = Buffer.allocUnsafe(ROOM);
  writer.length = 0;
}

/** The text, as a string. */
export function writtenText({ bytes, length }: TextWriter): string {
  return bytes.toString("utf8", 0, length);
}

/** A copy of the bytes. Small ones are cut from a page that they share. */
export function writtenBytes({ bytes, length }: TextWriter): Uint8Array {
  const copy = Buffer.allocUnsafe(length);
  bytes.copy(copy, 0, 0, length);
  return new Uint8Array(copy.buffer, copy.byteOffset, length);
}

function reserve(writer: TextWriter, more: number): void {
  const needed = writer.length + more;
  if (needed <= writer.bytes.length) return;
  const bytes = Buffer.allocUnsafe(Math.max(needed, writer.bytes.length * 2));
  writer.bytes.copy(bytes, 0, 0, writer.length);
  writer.bytes = bytes;
}

/** Appends one ASCII character by its code. */
export function putCharacter(writer: TextWriter, code: number): void {
  reserve(writer, 1);
  writer.bytes[writer.length] = code;
  writer.length += 1;
}

/** Appends the ASCII bytes `from` to `to` of a table. */
export function putBytes(writer: TextWriter, table: Uint8Array, from: number, to: number): void {
  reserve(writer, to - from);
  const { bytes } = writer;
  let end = writer.length;
  for (let at = from; at < to; at += 1) {
    bytes[end] = table[at] as number;
    end += 1;
  }
  writer.length = end;
}

/** Appends well-formed text as it is. */
export function putText(writer: TextWriter, text: string): void {
  // UTF-8 takes at most three bytes for a code unit.
  reserve(writer, text.length * 3);
  writer.length += writer.bytes.write(text, writer.length, "utf8");
}

/** Longer texts, longer than a hash, are left to the platform. */
const PLAIN_MAX = 80;

/** Appends the canonical JSON (D4.3) of a text: as it is between quotation marks if it is short and nothing in it is escaped. */
export function putString(writer: TextWriter, text: string): void {
  const { length } = text;
  if (length > PLAIN_MAX) {
    putText(writer, canonicalJson(text));
    return;
  }
  reserve(writer, length + 2);
  const { bytes } = writer;
  let end = writer.length;
  bytes[end] = QUOTE;
  end += 1;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit >= 0x80 || unit === QUOTE || unit === BACKSLASH) {
      putText(writer, canonicalJson(text));
      return;
    }
    bytes[end] = unit;
    end += 1;
  }
  bytes[end] = QUOTE;
  writer.length = end + 1;
}

/** Appends a safe integer in decimals. */
export function putInteger(writer: TextWriter, value: number): void {
  if (value < 0 || value >= PARTS_MAX) {
    putText(writer, String(value));
    return;
  }
  reserve(writer, DIGITS_MAX);
  // In two parts, each of which is a small integer of the platform.
  const high = Math.floor(value / PART);
  if (high > 0) putDigits(writer, high, digitsOf(high));
  const low = value - high * PART;
  putDigits(writer, low, high > 0 ? PART_DIGITS : digitsOf(low));
}

const PART = 1_000_000_000;
const PART_DIGITS = 9;
const PARTS_MAX = PART * 1_000_000;
const DIGITS_MAX = 16;

function digitsOf(value: number): number {
  let count = 1;
  for (let limit = 10; limit <= value; limit *= 10) count += 1;
  return count;
}

function putDigits(writer: TextWriter, value: number, count: number): void {
  const { bytes, length } = writer;
  let rest = value;
  for (let at = length + count - 1; at >= length; at -= 1) {
    const next = Math.floor(rest / 10);
    bytes[at] = ZERO + rest - next * 10;
    rest = next;
  }
  writer.length = length + count;
}

const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
