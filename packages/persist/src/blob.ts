/** @module Blobs: values too large for a record, stored once under the hash of their content. */
import { hash } from "node:crypto";
import {
  bad,
  type Hash,
  type Issue,
  issue,
  type Json,
  ok,
  parseJson as parse,
  type Result,
} from "@tessera/core";

/** A value whose canonical form takes more bytes than this stands beside its record. */
export const BLOB_BYTES: number = 65_536;

/** A large value: the bytes of its canonical form in UTF-8, and their hash. */
export interface Blob {
  readonly hash: Hash;
  readonly bytes: Uint8Array;
}

/** Where the bytes of a hash are found; null when they are not there. */
export type BlobSource = (hash: Hash) => Uint8Array | null;

/** What refers to large values: a journal row, a snapshot, an open item, an effect, a message, an object of a graph; by its id. */
export type OwnerKind = "turn" | "snapshot" | "item" | "effect" | "message" | "object";

/** JOURNAL003, with the hash. */
export type BlobTrouble = readonly Issue[];

/** A source without blobs. */
export const NO_BLOBS: BlobSource = () => null;

/**
 * The blob of a canonical text, null if it is small enough to stand where it is.
 *
 * @definition D10.15
 */
export function blobOf(canonical: string): Blob | null {
  // UTF-8 takes at most three bytes for a code unit, so most texts are settled without encoding them.
  if (canonical.length * 3 <= BLOB_BYTES) return null;
  const bytes = new TextEncoder().encode(canonical);
  return bytes.length <= BLOB_BYTES ? null : { hash: hashBytes(bytes), bytes };
}

/** The value behind the hash `name`, its content verified; or JOURNAL003. */
export function readBlob(blobs: BlobSource, name: Hash): Result<Json, BlobTrouble> {
  const bytes = blobs(name);
  if (bytes === null) return trouble("A large value is missing.", name);
  if (hashBytes(bytes) !== name) return trouble("A large value is not what its hash says.", name);
  const value = parseUtf8(bytes);
  return value === undefined ? trouble("A large value is not JSON.", name) : ok(value);
}

/** What UTF-8 bytes parse to as JSON; undefined if they do not. */
export function parseUtf8(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** What a text parses to as JSON; undefined if it does not. */
export function parseJson(text: string): Json | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function trouble(message: string, name: Hash): { readonly ok: false; readonly issues: BlobTrouble } {
  return bad([issue("JOURNAL003", [], message, { hash: name })]);
}

/** SHA-256 of bytes. */
export function hashBytes(bytes: Uint8Array | string): Hash {
  return `sha256:${hash("sha256", bytes, "hex")}` as Hash;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
