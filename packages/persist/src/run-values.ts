/** @module How values by which runs are found are written: one text for equal values, short whatever the value is. */
import { canonicalJson } from "@tessera/core";
import { hashBytes } from "./blob.ts";
import type { IndexedScalar } from "./query.ts";

/** Characters of a value that is kept as it is. */
const TEXT_MAX = 200;

/**
 * The key of a value: its canonical JSON, or the hash of that where it is long; no JSON text begins like a hash.
 *
 * @definition D10.18
 */
export function valueKey(value: IndexedScalar): string {
  const text = canonicalJson(value);
  return text.length <= TEXT_MAX ? text : hashBytes(text);
}
