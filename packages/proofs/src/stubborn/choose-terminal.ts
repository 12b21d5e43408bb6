/** @module Choosing a small stubborn set with an enabled member: by the components of "what must be added for what". */
import type { Marking, TransitionIndex } from "@tessera/core";
import { add, type Chooser, clear } from "./choose.ts";

/**
 * Work space of Tarjan's algorithm on the transitions, where `t` leads to its conflicts, or, if it is not enabled, to
 * what adds to the scapegoat with the fewest such.
 */
export interface Components {
  readonly chosen: Chooser;
  /** Numbers in order of the visit, from 1; 0 where not visited. */
  readonly order: Int32Array;
  readonly low: Int32Array;
  readonly onStack: Uint8Array;
  readonly stack: Int32Array;
  /** 1 where a component with an enabled member is reached, its own included; known once the component is. */
  readonly isLive: Uint8Array;
  /** The path of the visit; for each transition its list of what to add, and the part of it that is left. */
  readonly path: Int32Array;
  readonly first: Int32Array;
  readonly next: Int32Array;
  readonly end: Int32Array;
  visited: number;
  height: number;
  /** The members of the best component so far, and how many of them are enabled. */
  best: TransitionIndex;
  fewest: number;
}

/** Work space for the sets that `chosen` chooses. */
export function components(chosen: Chooser): Components {
  const count = chosen.relations.table.transitionCount;
  const numbers = () => new Int32Array(count);
  return {
    chosen,
    order: numbers(),
    low: numbers(),
    onStack: new Uint8Array(count),
    stack: numbers(),
    isLive: new Uint8Array(count),
    path: numbers(),
    first: numbers(),
    next: numbers(),
    end: numbers(),
    visited: 0,
    height: 0,
    best: -1,
    fewest: 0,
  };
}

/**
 * Chooses a stubborn set at `M` that has an enabled member, if anything is enabled; `lookAt` was called. Cost: linear in
 * the lists of what must be added for what.
 */
export function chooseTerminal(work: Components, M: Marking): void {
  const { chosen } = work;
  work.order.fill(0);
  [work.visited, work.height, work.best, work.fewest] = [0, 0, -1, Number.POSITIVE_INFINITY];
  for (let at = 0; at < chosen.enabledCount && work.fewest > 1; at += 1) {
    const seed = chosen.enabledItems[at]!;
    if (work.order[seed] === 0) visit(work, M, seed);
  }
  clear(chosen);
  if (work.best < 0) return;
  add(chosen, work.best);
  for (let at = 0; at < chosen.size; at += 1) {
    const t = chosen.items[at]!;
    const list = listOf(chosen, t);
    for (let k = work.first[t]!; k < work.end[t]!; k += 1) add(chosen, list[k]!);
  }
}

/** The array of which a part is what must be added for `t`. */
function listOf({ isEnabled, relations }: Chooser, t: TransitionIndex): Int32Array {
  return isEnabled[t] === 1 ? relations.conflict : relations.adder;
}

/** Visits what is reached from `root`, until a component with one enabled member is met. */
function visit(work: Components, M: Marking, root: TransitionIndex): void {
  const { path, next, end, order, low, onStack } = work;
  let depth = 0;
  enter(work, M, root);
  path[0] = root;
  while (depth >= 0) {
    const t = path[depth]!;
    if (next[t]! < end[t]!) {
      const to = listOf(work.chosen, t)[next[t]!]!;
      next[t]! += 1;
      if (order[to] === 0) {
        enter(work, M, to);
        depth += 1;
        path[depth] = to;
      } else if (onStack[to] === 1 && order[to]! < low[t]!) low[t] = order[to]!;
      continue;
    }
    if (low[t] === order[t]) {
      leave(work, t);
      if (work.fewest === 1) return;
    }
    depth -= 1;
    if (depth >= 0 && low[t]! < low[path[depth]!]!) low[path[depth]!] = low[t]!;
  }
}

function enter(work: Components, M: Marking, t: TransitionIndex): void {
  const { chosen, order, low, onStack, stack, first, next, end } = work;
  const { conflictStart, adderStart } = chosen.relations;
  work.visited += 1;
  order[t] = work.visited;
  low[t] = work.visited;
  onStack[t] = 1;
  stack[work.height] = t;
  work.height += 1;
  const at = chosen.isEnabled[t] === 1 ? t : fewestAdders(chosen, M, t);
  const start = chosen.isEnabled[t] === 1 ? conflictStart : adderStart;
  first[t] = start[at]!;
  next[t] = start[at]!;
  end[t] = start[at + 1]!;
}

/** Takes the component of `root` off the stack, and keeps it if it is better than the best. */
function leave(work: Components, root: TransitionIndex): void {
  const { chosen, stack, onStack, isLive } = work;
  const top = work.height;
  let from = top;
  let enabled = 0;
  do {
    from -= 1;
    const t = stack[from]!;
    onStack[t] = 0;
    isLive[t] = 0;
    enabled += chosen.isEnabled[t]!;
  } while (stack[from] !== root);
  work.height = from;
  let leadsOn = false;
  for (let at = from; at < top && !leadsOn; at += 1) {
    const t = stack[at]!;
    const list = listOf(chosen, t);
    for (let k = work.first[t]!; k < work.end[t]! && !leadsOn; k += 1) leadsOn = isLive[list[k]!] === 1;
  }
  if (enabled > 0 || leadsOn) for (let at = from; at < top; at += 1) isLive[stack[at]!] = 1;
  if (enabled === 0 || leadsOn || enabled >= work.fewest) return;
  work.best = root;
  work.fewest = enabled;
}

/** Of the places where `t` lacks tokens the first with the fewest transitions that add to it. */
function fewestAdders({ relations }: Chooser, M: Marking, t: TransitionIndex): number {
  const { table, adderStart } = relations;
  let [best, fewest] = [-1, Number.POSITIVE_INFINITY];
  for (let k = table.preStart[t]!; k < table.preStart[t + 1]!; k += 1) {
    const place = table.prePlace[k]!;
    if (M[place]! >= table.preWeight[k]!) continue;
    const count = adderStart[place + 1]! - adderStart[place]!;
    if (count < fewest) [best, fewest] = [place, count];
  }
  return best;
}
