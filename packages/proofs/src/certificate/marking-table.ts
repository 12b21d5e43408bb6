/** @module Markings as the checker lists them: rows of one array, found again by full compare. Counts are exact. */
import type { Marking } from "@tessera/core";

const EMPTY = -1;

/**
 * Rows of `width` counts, which are any numbers, as those in a certificate are: nothing wraps round. Row `count` is free
 * for the next marking. Lists, not typed arrays: most tables are small.
 */
export interface MarkingTable {
  readonly width: number;
  /** The hash of a marking is the sum of factor times tokens, modulo 2^32. */
  readonly factors: readonly number[];
  count: number;
  readonly rows: number[];
  readonly hashes: number[];
  slots: number[];
}

/** An empty table. */
export function markingTable(width: number): MarkingTable {
  const factors: number[] = [];
  let state = 1;
  for (let place = 0; place < width; place += 1) {
    state = (Math.imul(state, 0x41c64e6d) + 12345) | 0;
    factors.push(state | 1);
  }
  return { width, factors, count: 0, rows: [], hashes: [], slots: emptySlots(16) };
}

function emptySlots(length: number): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < length; slot += 1) slots.push(EMPTY);
  return slots;
}

/** Writes `M` into the free row; returns its hash. */
export function writeRow(table: MarkingTable, M: ArrayLike<number>): number {
  const { rows, width, count } = table;
  for (let place = 0; place < width; place += 1) rows[count * width + place] = M[place]!;
  return hashOf(table, M);
}

/** The hash of `M`. */
function hashOf({ factors, width }: MarkingTable, M: ArrayLike<number>): number {
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

/** Keeps the free row, which equals no other; the next one is free then. */
export function keepRow(table: MarkingTable, hash: number): void {
  table.hashes.push(hash);
  table.count += 1;
  if (2 * table.count <= table.slots.length) {
    enter(table, table.count - 1);
    return;
  }
  table.slots = emptySlots(4 * table.slots.length);
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
