/** @module Choosing a stubborn set at a marking: closed under conflict where enabled, fed by a scapegoat where not. */
import type { Marking, TransitionIndex } from "@tessera/core";
import type { Relations } from "./relations.ts";

/** Work space for the sets of one net, and the set that was built last: the first `size` of `items`. */
export interface Chooser {
  readonly relations: Relations;
  readonly items: Int32Array;
  size: number;
  /** For each transition: `stamp` where it is in the set. */
  readonly mark: Int32Array;
  stamp: number;
  /** The transitions that the marking enables, in order. */
  readonly enabledItems: Int32Array;
  enabledCount: number;
  readonly isEnabled: Uint8Array;
}

/** A chooser for sets of the net behind `relations`. */
export function chooser(relations: Relations): Chooser {
  const { transitionCount } = relations.table;
  return {
    relations,
    items: new Int32Array(transitionCount),
    size: 0,
    mark: new Int32Array(transitionCount),
    stamp: 0,
    enabledItems: new Int32Array(transitionCount),
    enabledCount: 0,
    isEnabled: new Uint8Array(transitionCount),
  };
}

/** Looks which transitions `M` enables; to be called before a set is chosen at `M`. Cost: linear in the presets. */
export function lookAt(chosen: Chooser, M: Marking): void {
  const { preStart, prePlace, preWeight, transitionCount } = chosen.relations.table;
  chosen.enabledCount = 0;
  for (let t = 0; t < transitionCount; t += 1) {
    let k = preStart[t]!;
    const end = preStart[t + 1]!;
    while (k < end && M[prePlace[k]!]! >= preWeight[k]!) k += 1;
    chosen.isEnabled[t] = k === end ? 1 : 0;
    if (k === end) {
      chosen.enabledItems[chosen.enabledCount] = t;
      chosen.enabledCount += 1;
    }
  }
}

/**
 * A stubborn set at `M` with the given members. Cost: linear in the conflicts and scapegoats of its members.
 *
 * @definition A25.1
 */
export function closeUnder(chosen: Chooser, M: Marking, members: ArrayLike<TransitionIndex>): void {
  const { relations, items, isEnabled } = chosen;
  const { conflictStart, conflict, adderStart, adder } = relations;
  clear(chosen);
  for (let at = 0; at < members.length; at += 1) add(chosen, members[at]!);
  for (let at = 0; at < chosen.size; at += 1) {
    const t = items[at]!;
    if (isEnabled[t] === 1) {
      for (let k = conflictStart[t]!; k < conflictStart[t + 1]!; k += 1) add(chosen, conflict[k]!);
      continue;
    }
    const place = scapegoat(chosen, M, t);
    for (let k = adderStart[place]!; k < adderStart[place + 1]!; k += 1) add(chosen, adder[k]!);
  }
}

/** Empties the set. */
export function clear(chosen: Chooser): void {
  chosen.stamp += 1;
  chosen.size = 0;
}

/** Adds `t` to the set, if it is not in it. */
export function add(chosen: Chooser, t: TransitionIndex): void {
  if (chosen.mark[t] === chosen.stamp) return;
  chosen.mark[t] = chosen.stamp;
  chosen.items[chosen.size] = t;
  chosen.size += 1;
}

/** The place for which the fewest transitions are to be added, of those where `t` lacks tokens. */
function scapegoat({ relations, mark, stamp }: Chooser, M: Marking, t: TransitionIndex): number {
  const { table, adderStart, adder } = relations;
  let [best, fewest] = [-1, Number.POSITIVE_INFINITY];
  for (let k = table.preStart[t]!; k < table.preStart[t + 1]!; k += 1) {
    const place = table.prePlace[k]!;
    if (M[place]! >= table.preWeight[k]!) continue;
    let added = 0;
    for (let at = adderStart[place]!; at < adderStart[place + 1]!; at += 1)
      if (mark[adder[at]!] !== stamp) added += 1;
    if (added >= fewest) continue;
    [best, fewest] = [place, added];
  }
  return best;
}
