/** @module Content hashes: the identity of definitions, payloads and turns. */

import { sha256 } from "@noble/hashes/sha2.js";
import { canonicalJson } from "./canonical.ts";
import { invariant } from "./invariant.ts";
import type { Json } from "./json.ts";
import { isWellFormed, utf8Encode } from "./utf8.ts";

/** `sha256:` and 64 lower-case hexadecimal digits. */
export type Hash = string & { readonly __brand: "Hash" };

/**
 * The hash of the canonical form of `value` in UTF-8.
 * Law: equal hashes iff `jsonEqual`, as far as SHA-256 has no collisions.
 *
 * @definition D4.4
 */
export function contentHash(value: Json): Hash {
  return `sha256:${sha256Hex(canonicalJson(value))}` as Hash;
}

/** Is `text` of the form of a content hash? */
export function isHash(text: unknown): text is Hash {
  return typeof text === "string" && /^sha256:[0-9a-f]{64}$/u.test(text);
}

/** SHA-256 (FIPS 180-4) of bytes, or of a well-formed text in UTF-8: 64 lower-case hexadecimal digits. */
export function sha256Hex(input: Uint8Array | string): string {
  return hex(sha256(typeof input === "string" ? encode(input) : input));
}

function encode(text: string): Uint8Array {
  invariant(isWellFormed(text), "D4.1", () => ({ length: text.length }));
  return utf8Encode(text);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
