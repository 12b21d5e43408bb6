/** @module Hashes as the stores on SQL keep them: 32 bytes. */
import type { Hash } from "@tessera/core";

/** The 32 bytes of a hash. */
export function hashBlob(hash: Hash): Uint8Array {
  return Buffer.from(hash.slice(PREFIX.length), "hex");
}

/** The hash of 32 bytes. */
export function hashOf(bytes: Uint8Array): Hash {
  return `${PREFIX}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}` as Hash;
}

const PREFIX = "sha256:";
