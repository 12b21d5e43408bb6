/** @module Markings as the checker lists them: rows of one array, found again by full compare. Counts are exact. */
import type { Marking } from "@tessera/core";

const EMPTY = -1;

/**
 * Rows of `width` counts. They are doubles, as counts in a certificate are: nothing wraps round. Row `count` is free for
 * the next marking.
 */
export interface MarkingTable {
  readonly width: number;
  /** The hash of a marking is the sum of factor times tokens, modulo 2^32. */
  readonly factors: Int32Array;
  count: number;
  rows: Float64Array;
  hashes: Int32Array;
  slots: Int32Array;
}

/** An empty table with room for some markings; it grows. */
export function markingTable(width: number, room = 16): MarkingTable {
  const capacity = 2 ** Math.ceil(Math.log2(room + 1));
  const factors = new Int32Array(width);
  let state = 1;
  for (let place = 0; place < width; place += 1) {
    state = (Math.imul(state, 0x41c64e6d) + 12345) | 0;
    factors[place] = state | 1;
  }
  return {
    width,
    factors,
    count: 0,
    rows: new Float64Array(capacity * width),
    hashes: new Int32Array(capacity),
    slots: new Int32Array(4 * capacity).fill(EMPTY),
  };
}

/** The hash of `M`. */
export function hashOf({ factors, width }: MarkingTable, M: ArrayLike<number>): number {
  let hash = 0;
  for (let place = 0; place < width; place += 1) hash = (hash + Math.imul(factors[place]!, M[place]!)) | 0;
  return hash;
}

/** The row that equals the free row, whose hash is `hash`; -1 if there is none. */
export function findRow({ rows, hashes, slots, width, count }: MarkingTable, hash: number): number {
  const mask = slots.length - 1;
  for (let slot = start(hash) & mask; slots[slot] !== EMPTY; slot = (slot + 1) & mask) {
    const row = slots[slot]!;
    if (hashes[row] !== hash) continue;
    let place = 0;
    while (place < width && rows[row * width + place] === rows[count * width + place]) place += 1;
    if (place === width) return row;
  }
  return -1;
}

/** Keeps the free row, which equals no other, and makes room for the next. */
export function keepRow(table: MarkingTable, hash: number): void {
  table.hashes[table.count] = hash;
  enter(table, table.count);
  table.count += 1;
  if (table.count < table.hashes.length) return;
  const { rows, hashes } = table;
  table.rows = new Float64Array(2 * rows.length);
  table.rows.set(rows);
  table.hashes = new Int32Array(2 * hashes.length);
  table.hashes.set(hashes);
  table.slots = new Int32Array(2 * table.slots.length).fill(EMPTY);
  for (let row = 0; row < table.count; row += 1) enter(table, row);
}

function enter({ hashes, slots }: MarkingTable, row: number): void {
  const mask = slots.length - 1;
  let slot = start(hashes[row]!) & mask;
  while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
  slots[slot] = row;
}

/** The high bits of a sum of products are the better ones. */
function start(hash: number): number {
  return hash ^ (hash >>> 16) ^ (hash >>> 8);
}

/** The marking of a row. */
export function markingOfRow({ rows, width }: MarkingTable, row: number): Marking {
  const marking: number[] = [];
  for (let cell = row * width; cell < (row + 1) * width; cell += 1) marking.push(rows[cell]!);
  return marking;
}
