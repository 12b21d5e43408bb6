/** @module A symmetric relation on the places of a net, with the places that can be marked: a row of bits for each. */
import type { Net, PlaceIndex } from "@tessera/core";

/** `marked[p]`: 1 for a place of the set U. `rows`: bit s of row p says that p and s are related. */
export interface PlaceRelation {
  /** Words of a row: 32 places each. */
  readonly words: number;
  readonly marked: Uint8Array;
  readonly rows: Int32Array;
}

/** Nothing is marked, nothing related. */
export function emptyRelation({ places: { length: places } }: Net): PlaceRelation {
  const words = Math.ceil(places / 32);
  return { words, marked: new Uint8Array(places), rows: new Int32Array(places * words) };
}

/** Are the two related; of one place, to itself? */
export function areRelated({ rows, words }: PlaceRelation, left: PlaceIndex, right: PlaceIndex): boolean {
  return (((rows[left * words + (right >>> 5)] as number) >>> (right & 31)) & 1) === 1;
}

/** Relates the two, in both directions. */
export function relateBoth({ rows, words }: PlaceRelation, left: PlaceIndex, right: PlaceIndex): void {
  setBit(rows, left * words, right);
  setBit(rows, right * words, left);
}

/** Sets a bit of the row that begins at `from`. */
export function setBit(rows: Int32Array, from: number, bit: PlaceIndex): void {
  const word = from + (bit >>> 5);
  rows[word] = (rows[word] as number) | (1 << (bit & 31));
}

/** The places whose bits are set in `row`, ascending. */
export function* bitsOf(row: Int32Array): Generator<PlaceIndex, void> {
  for (let word = 0; word < row.length; word += 1) {
    for (let bits = row[word] as number; bits !== 0; bits &= bits - 1)
      yield word * 32 + (31 - Math.clz32(bits & -bits));
  }
}
