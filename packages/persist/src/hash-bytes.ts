/** @module Hashes as the stores on SQL keep them: 32 bytes. */
import type { Hash } from "@tessera/core";

/** The 32 bytes of a hash. */
export function hashBlob(hash: Hash): Uint8Array {
  return Buffer.from(hash.slice(PREFIX.length), "hex");
}

/** The hash of 32 bytes. */
export function hashOf(bytes: Uint8Array): Hash {
  // Drivers hand out buffers: no second one is needed.
  const buffer =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `${PREFIX}${buffer.toString("hex")}` as Hash;
}

const PREFIX = "sha256:";

/** Hashes of definitions that are kept as bytes: there are few, and every turn has one. */
const KNOWN_MAX = 256;
const known = new Map<Hash, Uint8Array>();

/** The 32 bytes of the hash of a definition. They are shared: nobody may change them. */
export function definitionBlob(hash: Hash): Uint8Array {
  const found = known.get(hash);
  if (found !== undefined) return found;
  if (known.size >= KNOWN_MAX) known.clear();
  const blob = hashBlob(hash);
  known.set(hash, blob);
  return blob;
}
