/** @module How a marking lies in machine words: a field of bits for each place, none across the border of a word. */
import type { Net, PlaceIndex } from "@tessera/core";

/** The widest field: a count of tokens is below 2^31. */
export const WIDTH_MAX = 31;

const WORD_BITS = 32;

/** Where each place lies: its word, the lowest bit of its field, and the greatest count that fits. */
export interface PackedLayout {
  readonly wordCount: number;
  readonly word: Int32Array;
  readonly shift: Int32Array;
  readonly max: Int32Array;
  /** For each bit of each word the place whose field begins there, or -1. */
  readonly placeAt: Int32Array;
}

/** The narrowest widths for which the start and every single arc fit. */
export function initialWidths(net: Net): Int32Array {
  const most = Float64Array.from(net.initial);
  for (const { pre, post } of net.transitions) {
    for (const [place, weight] of pre) most[place] = Math.max(most[place]!, weight);
    for (const [place, weight] of post) most[place] = Math.max(most[place]!, weight);
  }
  return Int32Array.from(most, (tokens) => Math.max(1, 32 - Math.clz32(tokens)));
}

/** Fields of the given widths in place order: a field that does not fit begins the next word. */
export function packedLayout(widths: Int32Array): PackedLayout {
  const count = widths.length;
  const word = new Int32Array(count);
  const shift = new Int32Array(count);
  const max = new Int32Array(count);
  let at = 0;
  let free = 0;
  for (let place = 0; place < count; place += 1) {
    const width = widths[place]!;
    if (free + width > WORD_BITS) {
      at += 1;
      free = 0;
    }
    word[place] = at;
    shift[place] = free;
    max[place] = 2 ** width - 1;
    free += width;
  }
  const wordCount = at + 1;
  const placeAt = new Int32Array(wordCount * WORD_BITS).fill(-1);
  for (let place = 0; place < count; place += 1) placeAt[word[place]! * WORD_BITS + shift[place]!] = place;
  return { wordCount, word, shift, max, placeAt };
}

/** The tokens on `place` in the row that begins at `base`. */
export function tokensIn(layout: PackedLayout, words: Int32Array, base: number, place: PlaceIndex): number {
  return (words[base + layout.word[place]!]! >>> layout.shift[place]!) & layout.max[place]!;
}

/** Writes a marking, every count of which fits, into the row that begins at `base`. */
export function writeRow(
  layout: PackedLayout,
  words: Int32Array,
  base: number,
  marking: ArrayLike<number>,
): void {
  words.fill(0, base, base + layout.wordCount);
  for (let place = 0; place < layout.word.length; place += 1) {
    words[base + layout.word[place]!]! |= marking[place]! << layout.shift[place]!;
  }
}

/** Writes the first `count` rows of `words` in another layout, whose fields are at least as wide. */
export function convertRows(
  from: PackedLayout,
  words: Int32Array,
  count: number,
  to: PackedLayout,
  target: Int32Array,
): void {
  const places = from.word.length;
  for (let row = 0; row < count; row += 1) {
    const [base, start] = [row * from.wordCount, row * to.wordCount];
    for (let place = 0; place < places; place += 1) {
      const tokens = (words[base + from.word[place]!]! >>> from.shift[place]!) & from.max[place]!;
      if (tokens !== 0) target[start + to.word[place]!]! |= tokens << to.shift[place]!;
    }
  }
}

/** The marking in the row that begins at `base`. */
export function readRow(layout: PackedLayout, words: Int32Array, base: number): number[] {
  return Array.from(layout.word, (_, place) => tokensIn(layout, words, base, place));
}
