/** @module The canonical form of a JSON value (RFC 8785): one text for each value, to be hashed and compared. */

import { invariant } from "./invariant.ts";
import { isJsonArray, type Json } from "./json.ts";
import { isWellFormed } from "./utf8.ts";

/**
 * Deeper than any value that enters (`JSON_LIMITS`) even inside the envelopes of our own records; a value that goes
 * past it contains itself.
 */
const DEPTH_MAX = 1_000;

/**
 * The canonical text of `value`: no white space, keys in code-unit order, numbers as ECMAScript writes them (so -0 is
 * `0`), the shortest escapes.
 *
 * Requires: `isJson(value)` (else InvariantViolation where it is seen).
 * Law: `canonicalJson(a) === canonicalJson(b)` iff `jsonEqual(a, b)`.
 * Cost: linear in the text, and the sorting of keys.
 *
 * @definition D4.3
 * @see RFC 8785, section 3.2
 */
export function canonicalJson(value: Json): string {
  return write(value, 0);
}

function write(value: Json, depth: number): string {
  if (value === null || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "number") {
    invariant(Number.isFinite(value), "D4.1", () => ({ number: String(value) }));
    return String(value);
  }
  if (typeof value === "string") {
    return writeString(value);
  }
  invariant(depth < DEPTH_MAX, "D4.1", () => ({ depthMax: DEPTH_MAX }));
  if (isJsonArray(value)) {
    return `[${value.map((member) => write(member, depth + 1)).join(",")}]`;
  }
  // The default order of `sort` is the one that RFC 8785 asks for: by UTF-16 code units.
  const members = Object.keys(value)
    .sort()
    .map((key) => `${writeString(key)}:${write(value[key] as Json, depth + 1)}`);
  return `{${members.join(",")}}`;
}

/** Longer texts, longer than a hash, are left to the platform. */
const PLAIN_MAX = 80;

/** Is `text` short, without anything that is escaped, and without surrogates? Then it is written as it is. */
function isPlain(text: string): boolean {
  if (text.length > PLAIN_MAX) return false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return false;
  }
  return true;
}

/** For well-formed text the escapes of `JSON.stringify` are those of RFC 8785. */
function writeString(text: string): string {
  if (isPlain(text)) return `"${text}"`;
  invariant(isWellFormed(text), "D4.1", () => ({ length: text.length }));
  return JSON.stringify(text);
}
