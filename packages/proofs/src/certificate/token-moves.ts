/** @module The firing rule on a table of markings: what moves tokens of its own places only is fired in place. */
import { fire, isEnabled, type Net, type NonLocalRules, type Transition } from "@tessera/core";
import { type MarkingTable, markingOfRow, writeRow } from "./marking-table.ts";

/** A net whose markings are the rows of `table`. */
export interface TokenMoves {
  readonly net: Net;
  readonly rules: NonLocalRules;
  readonly table: MarkingTable;
  /** How firing changes the hash; null for transitions with optional inputs, resets or a rule. */
  readonly hashChange: readonly (number | null)[];
}

/** Moves between the markings of `table`, which are of `net`. Cost: linear in the arcs. */
export function tokenMoves(net: Net, table: MarkingTable, rules: NonLocalRules): TokenMoves {
  return { net, rules, table, hashChange: net.transitions.map((t) => changeOfHash(table, t)) };
}

function changeOfHash({ factors }: MarkingTable, t: Transition): number | null {
  if (t.any.length > 0 || t.reset.length > 0 || t.rule !== undefined) return null;
  let change = 0;
  for (const arc of t.pre) change = (change - Math.imul(factors[arc[0]]!, arc[1])) | 0;
  for (const arc of t.post) change = (change + Math.imul(factors[arc[0]]!, arc[1])) | 0;
  return change;
}

/**
 * Fires `t` from `row` into the free row of the table and returns the hash of what is there; null if it is not enabled.
 *
 * @refines D1.4
 */
export function fireFromRow(moves: TokenMoves, row: number, t: number): number | null {
  const { net, table } = moves;
  const change = moves.hashChange[t]!;
  if (change === null) return fireByRule(moves, row, t);
  const { pre, post } = net.transitions[t]!;
  const { rows, width } = table;
  const base = row * width;
  for (let k = 0; k < pre.length; k += 1) if (rows[base + pre[k]![0]]! < pre[k]![1]) return null;
  const free = table.count * width;
  for (let place = 0; place < width; place += 1) rows[free + place] = rows[base + place]!;
  for (let k = 0; k < pre.length; k += 1) rows[free + pre[k]![0]]! -= pre[k]![1];
  for (let k = 0; k < post.length; k += 1) rows[free + post[k]![0]]! += post[k]![1];
  return (table.hashes[row]! + change) | 0;
}

function fireByRule({ net, table, rules }: TokenMoves, row: number, t: number): number | null {
  const M = markingOfRow(table, row);
  if (!isEnabled(net, M, t, rules)) return null;
  const next = fire(net, M, t, rules);
  return next.kind === "fired" ? writeRow(table, next.marking) : null;
}
