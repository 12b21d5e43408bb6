/** @module Markings packed into one growing array, found again through an open-addressing table with full compare. */
import type { Marking } from "@tessera/core";

/** The greatest number of tokens on a place that a store can hold. */
export const TOKENS_MAX = 0x7fffffff;

const BYTE_MAX = 255;
/** Most nets that are searched have a few markings only. */
const CAPACITY_MIN = 16;
const EMPTY = -1;

/**
 * Rows of equal length, one marking each. Rows are bytes padded to whole words until a count exceeds 255, then
 * words. Row `count` is scratch: the caller writes a marking there and calls `intern`.
 */
export interface MarkingStore {
  readonly placeCount: number;
  /** A fixed odd multiplier for each place: the hash of a marking is the sum of multiplier times tokens, mod 2^32. */
  readonly multiplier: Int32Array;
  count: number;
  capacity: number;
  isWide: boolean;
  /** Cells of a row, and words of a row. */
  stride: number;
  wordStride: number;
  cells: Uint8Array | Int32Array;
  words: Int32Array;
  hashes: Int32Array;
  slots: Int32Array;
}

/** An empty store for markings of `placeCount` places. */
export function markingStore(placeCount: number): MarkingStore {
  const wordStride = Math.max(1, (placeCount + 3) >> 2);
  const capacity = CAPACITY_MIN;
  const words = new Int32Array(capacity * wordStride);
  return {
    placeCount,
    multiplier: multipliers(placeCount),
    count: 0,
    capacity,
    isWide: false,
    stride: wordStride * 4,
    wordStride,
    cells: new Uint8Array(words.buffer),
    words,
    hashes: new Int32Array(capacity),
    slots: new Int32Array(4 * CAPACITY_MIN).fill(EMPTY),
  };
}

/** Makes room for the scratch row. Arrays are replaced: read them again from the store afterwards. */
export function reserve(store: MarkingStore): void {
  if (store.count < store.capacity) return;
  store.capacity *= 2;
  const words = new Int32Array(store.capacity * store.wordStride);
  words.set(store.words);
  store.words = words;
  store.cells = store.isWide ? words : new Uint8Array(words.buffer);
  store.hashes = grown(store.hashes, store.capacity);
}

/** Changes to rows of words, for counts beyond 255. Hashes do not depend on the width, so the table stays valid. */
export function widen(store: MarkingStore): void {
  if (store.isWide) return;
  const { placeCount, stride, cells, capacity } = store;
  const wide = new Int32Array(capacity * Math.max(1, placeCount));
  // The scratch row comes along.
  const rows = Math.min(store.count + 1, capacity);
  for (let row = 0; row < rows; row += 1) {
    for (let place = 0; place < placeCount; place += 1) {
      wide[row * placeCount + place] = cells[row * stride + place]!;
    }
  }
  store.isWide = true;
  store.stride = Math.max(1, placeCount);
  store.wordStride = store.stride;
  store.words = wide;
  store.cells = wide;
}

/**
 * The index of the marking in the scratch row, whose hash is `hash`: an earlier row that is equal in every word,
 * else the scratch row itself, which is then kept (`count` grows by one; call `reserve` before the next).
 */
export function intern(store: MarkingStore, hash: number): number {
  const { slots, hashes, words, wordStride, count } = store;
  const mask = slots.length - 1;
  const scratch = count * wordStride;
  let slot = spread(hash) & mask;
  for (;;) {
    const row = slots[slot]!;
    if (row === EMPTY) break;
    if (hashes[row] === hash) {
      const base = row * wordStride;
      let word = 0;
      while (word < wordStride && words[base + word] === words[scratch + word]) word += 1;
      if (word === wordStride) return row;
    }
    slot = (slot + 1) & mask;
  }
  slots[slot] = count;
  hashes[count] = hash;
  store.count = count + 1;
  if (store.count * 2 > slots.length) rehash(store);
  return count;
}

/** Writes `marking` into the scratch row; returns its hash. Counts must not exceed TOKENS_MAX. */
export function writeScratch(store: MarkingStore, marking: ArrayLike<number>): number {
  reserve(store);
  for (let place = 0; place < store.placeCount; place += 1) if (marking[place]! > BYTE_MAX) widen(store);
  const base = store.count * store.stride;
  store.cells.fill(0, base, base + store.stride);
  let hash = 0;
  for (let place = 0; place < store.placeCount; place += 1) {
    store.cells[base + place] = marking[place]!;
    hash = (hash + Math.imul(store.multiplier[place]!, marking[place]!)) | 0;
  }
  return hash;
}

/** The marking in row `row`. */
export function rowMarking(store: MarkingStore, row: number): Marking {
  const marking = new Array<number>(store.placeCount);
  readRow(store, row, marking);
  return marking;
}

/** The same, written into `marking`. */
export function readRow({ cells, stride, placeCount }: MarkingStore, row: number, marking: number[]): void {
  const base = row * stride;
  for (let place = 0; place < placeCount; place += 1) marking[place] = cells[base + place]!;
}

/** A copy of `array` with room for `length` items. */
export function grown(array: Int32Array, length: number): Int32Array {
  const next = new Int32Array(length);
  next.set(array);
  return next;
}

/** Takes back the newest row. It stands last in its probe sequence, so its slot can simply be cleared. */
export function forget(store: MarkingStore): void {
  store.count -= 1;
  const mask = store.slots.length - 1;
  let slot = spread(store.hashes[store.count]!) & mask;
  while (store.slots[slot] !== store.count) slot = (slot + 1) & mask;
  store.slots[slot] = EMPTY;
}

function rehash(store: MarkingStore): void {
  const slots = new Int32Array(store.slots.length * 2).fill(EMPTY);
  const mask = slots.length - 1;
  for (let row = 0; row < store.count; row += 1) {
    let slot = spread(store.hashes[row]!) & mask;
    while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    slots[slot] = row;
  }
  store.slots = slots;
}

/** The finalizer of MurmurHash3: the sum alone has its entropy in the high bits. */
function spread(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** A fixed sequence (a multiplicative walk, mixed), the same in every run. */
function multipliers(count: number): Int32Array {
  const result = new Int32Array(count);
  let state = 0x2545f491;
  for (let place = 0; place < count; place += 1) {
    state = (state + 0x9e3779b9) | 0;
    result[place] = spread(state) | 1;
  }
  return result;
}
