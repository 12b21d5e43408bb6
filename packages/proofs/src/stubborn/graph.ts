/** @module A reduced graph: in each marking only the enabled transitions of a stubborn set are fired, breadth first. */
import type { Marking, TransitionIndex } from "@tessera/core";
import type { MarkingStore } from "../marking-store.ts";
import {
  grown,
  intern,
  markingStore,
  readRow,
  rowMarking,
  TOKENS_MAX,
  writeScratch,
} from "../marking-store.ts";
import type { Goal } from "../verdict.ts";
import { type Chooser, chooser, closeUnder, lookAt } from "./choose.ts";
import { type Components, chooseTerminal, components } from "./choose-terminal.ts";
import { direction, hasGoal } from "./goal.ts";
import type { Relations } from "./relations.ts";

/** Why `grow` returned. `goal`: the last state has the goal. */
export type GrowthStatus = "complete" | "goal" | "states" | "paused" | "tokens";

/**
 * States are numbered as they are found. For those below `expanded` the set is `setItem[setStart[state] ..]`, and edges
 * lead to `edgeTarget[edgeStart[state] ..]`.
 */
export interface ReducedGraph {
  readonly relations: Relations;
  /** null: the graph is terminal. */
  readonly goal: Goal | null;
  readonly store: MarkingStore;
  readonly chosen: Chooser;
  readonly components: Components;
  readonly direction: (M: Marking) => ArrayLike<TransitionIndex>;
  /** The marking that is looked at: one for all, since there are many. */
  readonly at: number[];
  expanded: number;
  parent: Int32Array;
  parentTransition: Int32Array;
  edgeStart: Int32Array;
  edgeTarget: Int32Array;
  setStart: Int32Array;
  setItem: Int32Array;
  /** For each transition the first expanded state that enables it, or -1. */
  readonly enabledAt: Int32Array;
  /** Expanded states that enable nothing. */
  readonly dead: number[];
  /** The state that has the goal, or -1. */
  found: number;
}

/** A graph that has seen the initial marking only. */
export function reducedGraph(relations: Relations, goal: Goal | null): ReducedGraph {
  const { net } = relations;
  const store = markingStore(net.places.length);
  intern(store, writeScratch(store, net.initial));
  const chosen = chooser(relations);
  return {
    relations,
    goal,
    store,
    chosen,
    components: components(chosen),
    direction: goal === null ? () => [] : direction(relations, goal),
    at: [...net.initial],
    expanded: 0,
    parent: new Int32Array(store.capacity).fill(-1),
    parentTransition: new Int32Array(store.capacity).fill(-1),
    edgeStart: new Int32Array(store.capacity + 1),
    edgeTarget: new Int32Array(4 * store.capacity),
    setStart: new Int32Array(store.capacity + 1),
    setItem: new Int32Array(8 * store.capacity),
    enabledAt: new Int32Array(net.transitions.length).fill(-1),
    dead: [],
    found: goal !== null && hasGoal(net, goal, net.initial) ? 0 : -1,
  };
}

/**
 * Goes on until every state is expanded, a state has the goal, `statesMax` states are stored or `expansionsMax` were
 * expanded by this call. May be called again with greater limits. Cost: linear in the sets and edges.
 *
 * @definition D25.3
 */
export function grow(graph: ReducedGraph, statesMax: number, expansionsMax: number): GrowthStatus {
  const end = graph.expanded + expansionsMax;
  while (graph.found < 0 && graph.expanded < graph.store.count) {
    if (graph.expanded >= end) return "paused";
    const status = expand(graph, graph.expanded, statesMax);
    if (status !== "complete") return status;
    graph.expanded += 1;
  }
  return graph.found < 0 ? "complete" : "goal";
}

/** The set of an expanded state. */
export function setAt({ setStart, setItem }: ReducedGraph, state: number): readonly TransitionIndex[] {
  const set: TransitionIndex[] = [];
  for (let at = setStart[state]!; at < setStart[state + 1]!; at += 1) set.push(setItem[at]!);
  return set;
}

/** The marking of a state. */
export function stateMarking({ store }: ReducedGraph, state: number): Marking {
  return rowMarking(store, state);
}

/** A firing sequence to a state, shortest in the reduced graph. */
export function runTo(graph: ReducedGraph, state: number): readonly TransitionIndex[] {
  const sequence: TransitionIndex[] = [];
  for (let at = state; at > 0; at = graph.parent[at]!) sequence.push(graph.parentTransition[at]!);
  return sequence.reverse();
}

function expand(graph: ReducedGraph, state: number, statesMax: number): GrowthStatus {
  const { chosen, relations, goal, at: M } = graph;
  readRow(graph.store, state, M);
  lookAt(chosen, M);
  for (let at = 0; at < chosen.enabledCount; at += 1) {
    const t = chosen.enabledItems[at]!;
    if (graph.enabledAt[t]! < 0) graph.enabledAt[t] = state;
  }
  if (goal === null) chooseTerminal(graph.components, M);
  else closeUnder(chosen, M, graph.direction(M));
  let edges = graph.edgeStart[state]!;
  for (let at = 0; at < chosen.size; at += 1) {
    const t = chosen.items[at]!;
    if (chosen.isEnabled[t] === 0) continue;
    if (graph.store.count >= statesMax) return "states";
    if (!fire(relations, M, t)) return "tokens";
    const count = graph.store.count;
    const target = intern(graph.store, writeScratch(graph.store, M));
    if (target === count) {
      arrive(graph, target, state, t);
      if (goal !== null && hasGoal(relations.net, goal, M)) {
        graph.found = target;
        return "goal";
      }
    }
    takeBack(relations, M, t);
    if (edges === graph.edgeTarget.length) graph.edgeTarget = grown(graph.edgeTarget, 2 * edges);
    graph.edgeTarget[edges] = target;
    edges += 1;
  }
  if (chosen.enabledCount === 0) graph.dead.push(state);
  graph.edgeStart[state + 1] = edges;
  keepSet(graph, state);
  return "complete";
}

function arrive(graph: ReducedGraph, target: number, state: number, t: TransitionIndex): void {
  if (target >= graph.parent.length) {
    const length = 2 * graph.parent.length;
    graph.parent = grown(graph.parent, length);
    graph.parentTransition = grown(graph.parentTransition, length);
    graph.edgeStart = grown(graph.edgeStart, length + 1);
    graph.setStart = grown(graph.setStart, length + 1);
  }
  graph.parent[target] = state;
  graph.parentTransition[target] = t;
}

function keepSet(graph: ReducedGraph, state: number): void {
  const { chosen } = graph;
  const start = graph.setStart[state]!;
  const end = start + chosen.size;
  if (end > graph.setItem.length)
    graph.setItem = grown(graph.setItem, Math.max(end, 2 * graph.setItem.length));
  graph.setItem.set(chosen.items.subarray(0, chosen.size), start);
  graph.setStart[state + 1] = end;
}

/** Makes of `M` the marking that firing `t` leads to; false where a count would be too large. */
function fire({ table }: Relations, M: number[], t: TransitionIndex): boolean {
  let isSmall = true;
  for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1) {
    const place = table.deltaPlace[k]!;
    M[place]! += table.deltaAmount[k]!;
    if (M[place]! > TOKENS_MAX) isSmall = false;
  }
  return isSmall;
}

/** Makes of `M` the marking before `t` was fired. */
function takeBack({ table }: Relations, M: number[], t: TransitionIndex): void {
  for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1)
    M[table.deltaPlace[k]!]! -= table.deltaAmount[k]!;
}
