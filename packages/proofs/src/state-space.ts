/** @module The state space by breadth-first search: packed markings, edges in compressed rows, shortest runs. */

import type { Marking, Net, NonLocalRules, TransitionIndex } from "@tessera/core";
import { invariant, NO_RULES } from "@tessera/core";
import type { FiringTable } from "./firing-table.ts";
import { firingTable } from "./firing-table.ts";
import type { MarkingStore } from "./marking-store.ts";
import {
  forget,
  grown,
  intern,
  markingStore,
  reserve,
  rowMarking,
  TOKENS_MAX,
  widen,
  writeScratch,
} from "./marking-store.ts";

/** Raised with a new state that has two or more tokens on a place that the step put tokens on. */
export const SEVERAL = 1;
/** Raised with a new state when the step put a token on a place of `marked`. */
const MARKED = 2;

const OVERFLOW = -1;
const BYTE_MAX = 255;

/** What a caller wants to be told of while the search runs. Callbacks must not change the search. */
export interface SearchObserver {
  /** 1 for the places whose marking raises MARKED. */
  readonly marked: Uint8Array;
  /** Is it told of each new state, flags or none? */
  readonly isEach?: boolean;
  /** A new state with a flag raised. */
  readonly onFlagged: (state: number, flags: number) => void;
  /** A state that enables nothing. */
  readonly onDead: (state: number) => void;
}

/** Why `advance` returned. `tokens`: a place would exceed 2^31 - 1 tokens. */
export type SearchStatus = "complete" | "states" | "paused" | "tokens";

/**
 * A search that can go on. States are numbered in the order of discovery, which is breadth first, so a parent's
 * number is smaller than its child's. Rows of `edgeTarget` are complete for the states below `expanded`.
 */
export interface StateSpace {
  readonly net: Net;
  readonly rules: NonLocalRules;
  readonly table: FiringTable;
  readonly store: MarkingStore;
  readonly observer: SearchObserver | null;
  /** For local transitions: how firing changes the hash. */
  readonly hashDelta: Int32Array;
  /** For each transition the first expanded state that enables it, or -1. */
  readonly enabledAt: Int32Array;
  /** Flags of the marking in the scratch row; OVERFLOW if it cannot be stored. */
  raised: number;
  expanded: number;
  edgeCount: number;
  parent: Int32Array;
  parentTransition: Int32Array;
  edgeStart: Int32Array;
  edgeTarget: Int32Array;
}

/** A search from `from` (default: the initial marking of `net`) that has seen its first state only. */
export function stateSpace(
  net: Net,
  options: {
    readonly from?: Marking;
    readonly rules?: NonLocalRules;
    readonly observer?: SearchObserver;
    readonly table?: FiringTable;
  } = {},
): StateSpace {
  const table = options.table ?? firingTable(net);
  const store = markingStore(net.places.length);
  const first = intern(store, writeScratch(store, options.from ?? net.initial));
  invariant(first === 0, "D8.1");
  return {
    net,
    rules: options.rules ?? NO_RULES,
    table,
    store,
    observer: options.observer ?? null,
    hashDelta: hashDeltas(table, store.multiplier),
    enabledAt: new Int32Array(net.transitions.length).fill(-1),
    raised: 0,
    expanded: 0,
    edgeCount: 0,
    parent: new Int32Array(store.capacity).fill(-1),
    parentTransition: new Int32Array(store.capacity).fill(-1),
    edgeStart: new Int32Array(store.capacity + 1),
    edgeTarget: new Int32Array(4 * store.capacity),
  };
}

/**
 * Goes on with the search until every state is expanded, `statesMax` states are stored, or `expansionsMax` states
 * were expanded by this call. May be called again with greater limits. Cost: linear in the edges.
 *
 * @refines D8.1
 */
export function advance(
  space: StateSpace,
  statesMax: number,
  expansionsMax: number = Number.POSITIVE_INFINITY,
): SearchStatus {
  const end = space.expanded + expansionsMax;
  while (space.expanded < space.store.count) {
    if (space.expanded >= end) return "paused";
    const status = expand(space, space.expanded, statesMax);
    if (status !== "complete") return status;
    space.expanded += 1;
    space.edgeStart[space.expanded] = space.edgeCount;
  }
  return "complete";
}

/**
 * The successors of any one state, outside the order of `advance`: for walks. The edges of the whole space are lost,
 * so a space that is walked in must not be advanced. Null at `statesMax` or an overflow.
 */
export function successors(space: StateSpace, state: number, statesMax: number): Int32Array | null {
  space.edgeCount = 0;
  if (expand(space, state, statesMax) !== "complete") return null;
  return space.edgeTarget.subarray(0, space.edgeCount);
}

/** The marking of state `state`. */
export function markingAt(space: StateSpace, state: number): Marking {
  return rowMarking(space.store, state);
}

/** The shortest firing sequence from the first state to `state`. */
export function sequenceTo(space: StateSpace, state: number): readonly TransitionIndex[] {
  const sequence: TransitionIndex[] = [];
  for (let at = state; at > 0; at = space.parent[at]!) sequence.push(space.parentTransition[at]!);
  return sequence.reverse();
}

/** The edges of a complete search, backwards: the sources of `state` are `source[start[state] .. start[state + 1] - 1]`. */
export interface ReverseEdges {
  readonly start: Int32Array;
  readonly source: Int32Array;
}

/** The reversed edges of a complete search. Cost: linear in the edges. */
export function reverseEdges(space: StateSpace): ReverseEdges {
  const count = space.store.count;
  invariant(space.expanded === count, "D8.2", () => ({ expanded: space.expanded, count }));
  return reversed(count, space);
}

/** The edges of a graph of `count` states, each with the edges from `edgeStart` on, backwards. Cost: linear. */
export function reversed(
  count: number,
  { edgeStart, edgeTarget }: Readonly<Record<"edgeStart" | "edgeTarget", Int32Array>>,
): ReverseEdges {
  const edges = edgeStart[count]!;
  const start = new Int32Array(count + 1);
  for (let edge = 0; edge < edges; edge += 1) start[edgeTarget[edge]! + 1]! += 1;
  for (let state = 0; state < count; state += 1) start[state + 1]! += start[state]!;
  const source = new Int32Array(edges);
  const next = start.slice(0, count);
  for (let state = 0; state < count; state += 1) {
    for (let edge = edgeStart[state]!; edge < edgeStart[state + 1]!; edge += 1) {
      const target = edgeTarget[edge]!;
      source[next[target]!] = state;
      next[target]! += 1;
    }
  }
  return { start, source };
}

/** For each state whether one of `targets` (1 = target) can be reached from it. Cost: linear in the edges. */
export function canReach({ start, source }: ReverseEdges, targets: Uint8Array): Uint8Array {
  const reached = Uint8Array.from(targets);
  const stack: number[] = [];
  for (let state = 0; state < reached.length; state += 1) if (reached[state] === 1) stack.push(state);
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (let edge = start[state]!; edge < start[state + 1]!; edge += 1) {
      const before = source[edge]!;
      if (reached[before] === 1) continue;
      reached[before] = 1;
      stack.push(before);
    }
  }
  return reached;
}

/** The states reachable from `from` (included), in breadth-first order. Requires a complete search. */
export function statesFrom(space: StateSpace, from: number): readonly number[] {
  const seen = new Uint8Array(space.store.count);
  const states = [from];
  seen[from] = 1;
  for (const state of states) {
    for (let edge = space.edgeStart[state]!; edge < space.edgeStart[state + 1]!; edge += 1) {
      const target = space.edgeTarget[edge]!;
      if (seen[target] === 1) continue;
      seen[target] = 1;
      states.push(target);
    }
  }
  return states;
}

/** Expands one state. If a limit interrupts it, the state can be expanded again: only the edges are taken back. */
function expand(space: StateSpace, state: number, statesMax: number): SearchStatus {
  const { table, store } = space;
  const { watchStart, watchTransition, unwatched, placeCount } = table;
  const edgesBefore = space.edgeCount;
  for (let k = 0; k < unwatched.length; k += 1) {
    const status = tryTransition(space, state, unwatched[k]!, statesMax);
    if (status !== "complete") return status;
  }
  for (let place = 0; place < placeCount; place += 1) {
    if (store.cells[state * store.stride + place] === 0) continue;
    const end = watchStart[place + 1]!;
    for (let k = watchStart[place]!; k < end; k += 1) {
      const status = tryTransition(space, state, watchTransition[k]!, statesMax);
      if (status !== "complete") return status;
    }
  }
  if (space.edgeCount === edgesBefore) space.observer?.onDead(state);
  return "complete";
}

/** Fires `t` in `state` if it is enabled there, and records the edge. "complete" if there is nothing to complain of. */
function tryTransition(
  space: StateSpace,
  state: number,
  t: TransitionIndex,
  statesMax: number,
): SearchStatus {
  const { table, store } = space;
  const { preStart, prePlace, preWeight } = table;
  const cells = store.cells;
  const base = state * store.stride;
  const preEnd = preStart[t + 1]!;
  for (let k = preStart[t]!; k < preEnd; k += 1) {
    if (cells[base + prePlace[k]!]! < preWeight[k]!) return "complete";
  }
  const isLocal = table.isLocal[t] === 1;
  if (!isLocal && !isPermitted(space, state, t)) return "complete";
  if (space.enabledAt[t] === -1) space.enabledAt[t] = state;
  reserve(store);
  const hash = isLocal ? fireLocal(space, state, t) : fireAny(space, state, t);
  if (space.raised === OVERFLOW) return giveBack(space, state, "tokens");
  const count = store.count;
  const target = intern(store, hash);
  if (target === count) {
    if (count >= statesMax) {
      forget(store);
      return giveBack(space, state, "states");
    }
    if (count >= space.parent.length) growStates(space);
    space.parent[target] = state;
    space.parentTransition[target] = t;
    const { observer, raised } = space;
    if (observer !== null && (raised !== 0 || observer.isEach === true)) observer.onFlagged(target, raised);
  }
  if (space.edgeCount === space.edgeTarget.length)
    space.edgeTarget = grown(space.edgeTarget, space.edgeCount * 2);
  space.edgeTarget[space.edgeCount] = target;
  space.edgeCount += 1;
  return "complete";
}

function giveBack(space: StateSpace, state: number, status: SearchStatus): SearchStatus {
  space.edgeCount = space.edgeStart[state]!;
  return status;
}

/** Optional inputs and the non-local rule; the preset is known to be there. */
function isPermitted(space: StateSpace, state: number, t: TransitionIndex): boolean {
  const { table, store } = space;
  const { anyStart, anyPlace } = table;
  const base = state * store.stride;
  let isAnyMarked = anyStart[t] === anyStart[t + 1];
  for (let k = anyStart[t]!; k < anyStart[t + 1]!; k += 1) {
    if (store.cells[base + anyPlace[k]!]! > 0) isAnyMarked = true;
  }
  const name = table.rule[t]!;
  if (!isAnyMarked || name === null) return isAnyMarked;
  const rule = space.rules.get(name);
  invariant(rule !== undefined, "D1.3", () => ({ transition: t, missingRule: name }));
  return rule(space.net, markingAt(space, state), t);
}

/** Writes the successor into the scratch row, sets `raised`, returns the hash. For local transitions. */
function fireLocal(space: StateSpace, state: number, t: TransitionIndex): number {
  const { table, store } = space;
  copyToScratch(store, state);
  space.raised = 0;
  const end = table.deltaStart[t + 1]!;
  for (let k = table.deltaStart[t]!; k < end; k += 1) {
    add(space, table.deltaPlace[k]!, table.deltaAmount[k]!);
  }
  return (store.hashes[state]! + space.hashDelta[t]!) | 0;
}

/** As `fireLocal`, for every transition: preset, then optional inputs, then resets, then postset. */
function fireAny(space: StateSpace, state: number, t: TransitionIndex): number {
  const { table, store } = space;
  copyToScratch(store, state);
  space.raised = 0;
  const { preStart, prePlace, preWeight, anyStart, anyPlace, resetStart, resetPlace } = table;
  const base = store.count * store.stride;
  for (let k = preStart[t]!; k < preStart[t + 1]!; k += 1) store.cells[base + prePlace[k]!]! -= preWeight[k]!;
  for (let k = anyStart[t]!; k < anyStart[t + 1]!; k += 1) {
    const cell = base + anyPlace[k]!;
    if (store.cells[cell]! > 0) store.cells[cell]! -= 1;
  }
  for (let k = resetStart[t]!; k < resetStart[t + 1]!; k += 1) store.cells[base + resetPlace[k]!] = 0;
  const { postStart, postPlace, postWeight } = table;
  for (let k = postStart[t]!; k < postStart[t + 1]!; k += 1) add(space, postPlace[k]!, postWeight[k]!);
  const after = store.count * store.stride;
  let hash = 0;
  for (let place = 0; place < store.placeCount; place += 1) {
    hash = (hash + Math.imul(store.multiplier[place]!, store.cells[after + place]!)) | 0;
  }
  return hash;
}

/** Adds `amount` (of either sign) to a place of the scratch row. */
function add(space: StateSpace, place: number, amount: number): void {
  const store = space.store;
  const value = store.cells[store.count * store.stride + place]! + amount;
  if (value > BYTE_MAX && !store.isWide) widen(store);
  if (value > TOKENS_MAX) {
    space.raised = OVERFLOW;
    return;
  }
  store.cells[store.count * store.stride + place] = value;
  if (amount < 0 || space.raised === OVERFLOW) return;
  if (value > 1) space.raised |= SEVERAL;
  if (space.observer !== null && space.observer.marked[place] === 1) space.raised |= MARKED;
}

function copyToScratch(store: MarkingStore, row: number): void {
  const { words, wordStride } = store;
  const from = row * wordStride;
  const to = store.count * wordStride;
  for (let word = 0; word < wordStride; word += 1) words[to + word] = words[from + word]!;
}

function growStates(space: StateSpace): void {
  const capacity = space.store.capacity;
  space.parent = grown(space.parent, capacity);
  space.parentTransition = grown(space.parentTransition, capacity);
  space.edgeStart = grown(space.edgeStart, capacity + 1);
}

function hashDeltas(table: FiringTable, multiplier: Int32Array): Int32Array {
  const deltas = new Int32Array(table.transitionCount);
  for (let t = 0; t < table.transitionCount; t += 1) {
    let hash = 0;
    for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1) {
      hash = (hash + Math.imul(multiplier[table.deltaPlace[k]!]!, table.deltaAmount[k]!)) | 0;
    }
    deltas[t] = hash;
  }
  return deltas;
}
