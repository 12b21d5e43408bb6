/** @module Texts that a database keeps as bytes: what we wrote is what we read, whatever its encoding. */

/** A text as its column has it: bytes, which no encoding of a database touches. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}

/** The text of such a column. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
