/** @module A token game on flat arrays that knows at every step what is enabled, for walks of many steps. */
import type { Net, TransitionIndex } from "@tessera/core";
import { type FiringTable, firingTable } from "../firing-table.ts";
import { TOKENS_MAX } from "../marking-store.ts";

/** The game on a plain or weighted net. `enabled[0 .. enabledCount - 1]` are the transitions that the marking enables. */
export interface TokenGame {
  readonly net: Net;
  readonly table: FiringTable;
  readonly marking: Int32Array;
  /** For each transition how many of its input places have too few tokens. */
  readonly lacking: Int32Array;
  readonly enabled: Int32Array;
  /** Where a transition stands in `enabled`, or -1. */
  readonly at: Int32Array;
  enabledCount: number;
  /** For each place who consumes from it, and with which weight. */
  readonly consumerStart: Int32Array;
  readonly consumer: Int32Array;
  readonly weight: Int32Array;
}

/** A game at the initial marking. */
export function tokenGame(net: Net): TokenGame {
  const table = firingTable(net);
  const count = net.transitions.length;
  const consumerStart = new Int32Array(net.places.length + 1);
  for (const place of table.prePlace) consumerStart[place + 1]! += 1;
  for (let place = 0; place < net.places.length; place += 1)
    consumerStart[place + 1]! += consumerStart[place]!;
  const consumer = new Int32Array(table.prePlace.length);
  const weight = new Int32Array(table.prePlace.length);
  const next = consumerStart.slice();
  for (let t = 0; t < count; t += 1)
    for (let k = table.preStart[t]!; k < table.preStart[t + 1]!; k += 1) {
      const slot = next[table.prePlace[k]!]!;
      next[table.prePlace[k]!] = slot + 1;
      consumer[slot] = t;
      weight[slot] = table.preWeight[k]!;
    }
  const numbers = () => new Int32Array(count);
  const lists = { lacking: numbers(), enabled: numbers(), at: numbers() };
  const game = { net, table, ...lists, enabledCount: 0, consumerStart, consumer, weight };
  const made: TokenGame = { ...game, marking: new Int32Array(net.places.length) };
  restart(made);
  return made;
}

/** Back to the initial marking. */
export function restart(game: TokenGame): void {
  const { net, table, marking, lacking, at } = game;
  marking.set(net.initial);
  at.fill(-1);
  game.enabledCount = 0;
  for (let t = 0; t < lacking.length; t += 1) {
    let missing = 0;
    for (let k = table.preStart[t]!; k < table.preStart[t + 1]!; k += 1)
      if (marking[table.prePlace[k]!]! < table.preWeight[k]!) missing += 1;
    lacking[t] = missing;
    if (missing === 0) enter(game, t);
  }
}

/**
 * Fires an enabled transition, or with `sign` -1 takes its firing back. False, and nothing done, where a count would be too large.
 * Cost: the consumers of what changes.
 */
export function play(game: TokenGame, t: TransitionIndex, sign: 1 | -1 = 1): boolean {
  const { table, marking } = game;
  for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1)
    if (marking[table.deltaPlace[k]!]! + sign * table.deltaAmount[k]! > TOKENS_MAX) return false;
  for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1)
    change(game, table.deltaPlace[k]!, sign * table.deltaAmount[k]!);
  return true;
}

function change(game: TokenGame, place: number, amount: number): void {
  const { marking, lacking, consumerStart, consumer, weight } = game;
  const before = marking[place]!;
  const after = before + amount;
  marking[place] = after;
  for (let k = consumerStart[place]!; k < consumerStart[place + 1]!; k += 1) {
    const needed = weight[k]!;
    if (before >= needed === after >= needed) continue;
    const t = consumer[k]!;
    if (after >= needed) {
      lacking[t]! -= 1;
      if (lacking[t] === 0) enter(game, t);
    } else {
      if (lacking[t] === 0) leave(game, t);
      lacking[t]! += 1;
    }
  }
}

function enter(game: TokenGame, t: TransitionIndex): void {
  game.at[t] = game.enabledCount;
  game.enabled[game.enabledCount] = t;
  game.enabledCount += 1;
}

function leave(game: TokenGame, t: TransitionIndex): void {
  const { at, enabled } = game;
  game.enabledCount -= 1;
  const last = enabled[game.enabledCount]!;
  enabled[at[t]!] = last;
  at[last] = at[t]!;
  at[t] = -1;
}
