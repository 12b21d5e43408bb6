/** @module A set of packed markings: rows in one array, found again through an open-addressing table with full compare. */

/** Slots of the table before it grows, and how full it may be. */
const SLOTS_MIN = 1024;
const LOAD_MAX = 0.7;
const ROWS_MIN = 256;
/** Rows grow by a half, many rows by an eighth: what is allocated and not used yet counts as memory too. */
const GROWTH = 1.5;
const GROWTH_LARGE = 1.125;
const LARGE = 65_536;

/**
 * Rows of `wordCount` words, numbered as they come. Row `count` is scratch. A slot holds the number of a row plus one
 * in its low bits, as many as the table has slots, and above them a piece of the hash, so that a stranger is mostly
 * dismissed without a look at its row. Equal rows are equal in every word.
 */
export interface PackedSet {
  readonly wordCount: number;
  count: number;
  words: Int32Array;
  slots: Int32Array;
}

/** An empty set. */
export function packedSet(wordCount: number): PackedSet {
  return {
    wordCount,
    count: 0,
    words: new Int32Array(ROWS_MIN * wordCount),
    slots: new Int32Array(SLOTS_MIN),
  };
}

/** Room for the scratch row. `words` may be replaced: read it again afterwards. */
export function makeRoom(set: PackedSet): void {
  const needed = (set.count + 1) * set.wordCount;
  if (needed <= set.words.length) return;
  const rows = grownRows(set.words.length / set.wordCount);
  const words = new Int32Array(rows * set.wordCount);
  words.set(set.words);
  set.words = words;
}

function grownRows(rows: number): number {
  return Math.ceil(rows * (rows < LARGE ? GROWTH : GROWTH_LARGE));
}

/** The number of the row that equals the scratch row; the scratch row itself, which is then kept, if none does. */
export function intern(set: PackedSet): number {
  const { words, wordCount, slots, count } = set;
  const scratch = count * wordCount;
  const mask = slots.length - 1;
  const hash = hashOf(words, scratch, wordCount);
  const tag = hash & ~mask;
  let slot = hash & mask;
  for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
    if ((entry & ~mask) === tag) {
      const base = ((entry & mask) - 1) * wordCount;
      let word = 0;
      while (word < wordCount && words[base + word] === words[scratch + word]) word += 1;
      if (word === wordCount) return (entry & mask) - 1;
    }
    slot = (slot + 1) & mask;
  }
  slots[slot] = tag | (count + 1);
  set.count = count + 1;
  if (set.count > slots.length * LOAD_MAX) rebuildSlots(set, slots.length * 2);
  return count;
}

/** Takes back the newest row: it stands last in its probe sequence. */
export function forget(set: PackedSet): void {
  const { words, wordCount, slots } = set;
  const mask = slots.length - 1;
  set.count -= 1;
  let slot = hashOf(words, set.count * wordCount, wordCount) & mask;
  while ((slots[slot]! & mask) !== set.count + 1) slot = (slot + 1) & mask;
  slots[slot] = 0;
}

/** A set of the same markings in rows of another form: `repack` writes the first `count` rows of `from` to `words`. */
export function repacked(
  set: PackedSet,
  wordCount: number,
  repack: (from: Int32Array, count: number, words: Int32Array) => void,
): PackedSet {
  const rows = Math.max(ROWS_MIN, grownRows(set.count));
  const words = new Int32Array(rows * wordCount);
  repack(set.words, set.count, words);
  const wide: PackedSet = { wordCount, count: set.count, words, slots: new Int32Array(0) };
  rebuildSlots(wide, set.slots.length);
  return wide;
}

/** Bytes of the arrays, with what is not used yet. */
export function bytesOf({ words, slots }: PackedSet): number {
  return words.byteLength + slots.byteLength;
}

function rebuildSlots(set: PackedSet, length: number): void {
  const { words, wordCount, count } = set;
  const slots = new Int32Array(length);
  const mask = length - 1;
  for (let row = 0; row < count; row += 1) {
    const hash = hashOf(words, row * wordCount, wordCount);
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = (hash & ~mask) | (row + 1);
  }
  set.slots = slots;
}

/** A multiplicative hash, mixed after each word: the low bits choose the slot, the high ones are its tag. */
function hashOf(words: Int32Array, base: number, wordCount: number): number {
  let hash = 0;
  for (let word = base; word < base + wordCount; word += 1) {
    hash = Math.imul(hash ^ words[word]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x85ebca6b);
  return hash ^ (hash >>> 16);
}
