/** @module What a net reaches, as the checker builds it: every marking once, and the firings between them. */
import type { Marking, Net, NonLocalRules } from "@tessera/core";
import {
  findRow,
  keepRow,
  type MarkingTable,
  markingOfRow,
  markingTable,
  writeRow,
} from "./marking-table.ts";
import { fireFromRow, tokenMoves } from "./token-moves.ts";

/** All that is reachable from a marking, which is row 0. Edge k leads from `source[k]` to `target[k]`. */
export interface Reached {
  readonly table: MarkingTable;
  readonly source: readonly number[];
  readonly target: readonly number[];
  /** 1 for the transitions that some marking enables. */
  readonly isEnabled: Uint8Array;
}

/**
 * The markings reachable from `from`, or null if there are more than `max`. Cost: markings times the presets of the net.
 *
 * @refines D8.1
 */
export function reached(net: Net, from: Marking, max: number, rules: NonLocalRules): Reached | null {
  if (max < 1) return null;
  const table = markingTable(net.places.length);
  const moves = tokenMoves(net, table, rules);
  const source: number[] = [];
  const target: number[] = [];
  const isEnabled = new Uint8Array(net.transitions.length);
  keepRow(table, writeRow(table, from));
  for (let row = 0; row < table.count; row += 1) {
    for (let t = 0; t < isEnabled.length; t += 1) {
      const hash = fireFromRow(moves, row, t);
      if (hash === null) continue;
      isEnabled[t] = 1;
      let next = findRow(table, hash);
      if (next < 0) {
        if (table.count >= max) return null;
        next = table.count;
        keepRow(table, hash);
      }
      source.push(row);
      target.push(next);
    }
  }
  return { table, source, target, isEnabled };
}

/** The markings, in the order in which they were found. */
export function markingsOf({ table }: Reached): readonly Marking[] {
  return Array.from({ length: table.count }, (_, row) => markingOfRow(table, row));
}

/** 1 for each marking from which one of `goals` (1 = goal) is reached. */
export function reaching({ source, target }: Reached, goals: Uint8Array): Uint8Array {
  const from = Uint8Array.from(goals);
  const start = new Int32Array(goals.length + 1);
  for (const row of target) start[row + 1]! += 1;
  for (let row = 0; row < goals.length; row += 1) start[row + 1]! += start[row]!;
  const before = new Int32Array(source.length);
  const at = start.slice();
  for (let edge = 0; edge < source.length; edge += 1) {
    before[at[target[edge]!]!] = source[edge]!;
    at[target[edge]!]! += 1;
  }
  const open: number[] = [];
  for (let row = 0; row < goals.length; row += 1) if (goals[row] === 1) open.push(row);
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    for (let edge = start[row]!; edge < start[row + 1]!; edge += 1) {
      if (from[before[edge]!] === 1) continue;
      from[before[edge]!] = 1;
      open.push(before[edge]!);
    }
  }
  return from;
}
