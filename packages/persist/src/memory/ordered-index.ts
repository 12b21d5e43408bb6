/** @module An ordered index of the memory store: entries by (key, id), both numbers, ascending. */

/** An entry: `key` orders, `id` breaks ties and makes it unique. */
export interface IndexEntry<T> {
  readonly key: number;
  readonly id: number;
  readonly value: T;
}

/** Entries in ascending order of (key, id). Changed in place by `insertEntry` and `removeEntry` only. */
export type OrderedIndex<T> = IndexEntry<T>[];

/** Puts an entry in. Requires: its (key, id) is not there. Cost: logarithmic, and a move of the entries behind it. */
export function insertEntry<T>(index: OrderedIndex<T>, entry: IndexEntry<T>): void {
  index.splice(position(index, entry.key, entry.id), 0, entry);
}

/** Takes the entry with (key, id) out, if it is there. */
export function removeEntry<T>(index: OrderedIndex<T>, key: number, id: number): void {
  const at = position(index, key, id);
  const found = index[at];
  if (found !== undefined && found.key === key && found.id === id) index.splice(at, 1);
}

/** The first entries with key at most `keyMax`, at most `limit`. */
export function firstEntries<T>(
  index: OrderedIndex<T>,
  keyMax: number,
  limit: number,
): readonly IndexEntry<T>[] {
  return index.slice(0, Math.min(limit, position(index, keyMax, Number.POSITIVE_INFINITY)));
}

/** The first entries behind (key, id) with key less than `keyEnd`, at most `limit`. */
export function entriesBehind<T>(
  index: OrderedIndex<T>,
  [key, id]: readonly [key: number, id: number],
  keyEnd: number,
  limit: number,
): readonly IndexEntry<T>[] {
  const first = position(index, key, id);
  const found = index[first];
  const behind = found !== undefined && found.key === key && found.id === id ? first + 1 : first;
  return index.slice(behind, Math.min(behind + limit, position(index, keyEnd, Number.NEGATIVE_INFINITY)));
}

/** The number of entries before (key, id). */
function position<T>(index: OrderedIndex<T>, key: number, id: number): number {
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = index[middle] as IndexEntry<T>;
    if (entry.key < key || (entry.key === key && entry.id < id)) low = middle + 1;
    else high = middle;
  }
  return low;
}
