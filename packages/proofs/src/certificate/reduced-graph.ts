/** @module Checks reduced graphs: listed markings with stubborn sets, closed under firing these (D25.3). */
import { enabledTransitions, fire, isFinal, type Marking, type Net, netClass } from "@tessera/core";
import type { ReducedStates } from "../verdict.ts";
import { findRow, keepRow, markingTable, writeRow } from "./marking-table.ts";
import { arcsOf, isDirected, isReached, stubbornFault } from "./stubborn-set.ts";

/** A graph that was checked: for each state its edges, what it enables and its set. */
export interface CheckedGraph {
  readonly markings: readonly Marking[];
  readonly edges: readonly (readonly number[])[];
  readonly enabled: readonly (readonly number[])[];
  readonly sets: readonly ReadonlySet<number>[];
}

/**
 * The graph that `listed` states, or why it is none: of another class of nets, a set not stubborn or not directed, a
 * marking missing or with the goal. Without a goal it must be terminal. Cost: linear in sets, edges and arcs.
 *
 * @definition D25.5
 */
export function checkedGraph(net: Net, { goal, states }: ReducedStates): CheckedGraph | string {
  const kind = netClass(net);
  if (kind !== "plain" && kind !== "weighted") return `stubborn sets are not stated for ${kind} nets`;
  if (states.some(({ marking }) => marking.length !== net.places.length)) return "no marking of the net";
  const table = markingTable(net.places.length);
  // A marking that is listed twice is found where it comes first.
  const firsts: number[] = [];
  for (const [state, { marking }] of states.entries()) {
    const hash = writeRow(table, marking);
    if (findRow(table, hash) >= 0) continue;
    keepRow(table, hash);
    firsts.push(state);
  }
  const stateOf = (M: Marking) => firsts[findRow(table, writeRow(table, M))] ?? -1;
  if (stateOf(net.initial) < 0) return "the start is missing";
  const arcs = arcsOf(net);
  const [enabled, edges]: [(readonly number[])[], number[][]] = [[], []];
  const sets = states.map(({ set }) => new Set(set));
  for (const [state, { marking }] of states.entries()) {
    const set = sets[state]!;
    const fault = stubbornFault(arcs, marking, set);
    if (fault !== null) return `state ${state}: ${fault}`;
    const can = enabledTransitions(net, marking);
    const fired = can.filter((t) => set.has(t));
    if (goal === null) {
      if (can.length > 0 && fired.length === 0) return `state ${state}: nothing of the set is enabled`;
    } else {
      if (isReached(net, goal, marking)) return `state ${state} has the goal`;
      if (!isDirected(net, arcs, goal, marking, set)) return `state ${state}: not directed to the goal`;
    }
    const targets = fired.map((t) => {
      const next = fire(net, marking, t);
      return next.kind === "fired" ? stateOf(next.marking) : -1;
    });
    const missing = targets.indexOf(-1);
    if (missing >= 0) return `state ${state}: what transition ${fired[missing]} leads to is missing`;
    enabled.push(can);
    edges.push(targets);
  }
  return { markings: states.map(({ marking }) => marking), edges, enabled, sets };
}

/** Do edges lead from every state to a final one, and is nothing put off for ever (T25.4)? */
export function completes(net: Net, graph: CheckedGraph): boolean {
  const { markings, enabled } = graph;
  const before = sources(graph);
  const isFinalState = markings.map((M) => isFinal(net, M));
  if (!reaching(before, isFinalState).every(Boolean)) return false;
  // L25.3
  const ends = isFinalState.map((isEnd, state) => isEnd && enabled[state]!.length === 0);
  return reaching(before, ends).every(Boolean) || putsNothingOff(graph, before);
}

/** Is every state that enables nothing final? In a terminal graph these are all such markings (T25.3). */
export function hasNoDeadlock(net: Net, { markings, enabled }: CheckedGraph): boolean {
  return markings.every((M, state) => enabled[state]!.length > 0 || isFinal(net, M));
}

/**
 * For each transition: do edges lead from every state that enables it to one whose set has it?
 *
 * @definition D25.6
 */
function putsNothingOff({ enabled, sets }: CheckedGraph, before: readonly (readonly number[])[]): boolean {
  const asked = new Set(enabled.flat());
  return [...asked].every((t) => {
    const reaches = reaching(
      before,
      sets.map((set) => set.has(t)),
    );
    return enabled.every((can, state) => reaches[state] === true || !can.includes(t));
  });
}

function sources({ edges }: CheckedGraph): readonly (readonly number[])[] {
  const before: number[][] = edges.map(() => []);
  edges.forEach((targets, state) => {
    for (const target of targets) before[target]!.push(state);
  });
  return before;
}

/** For each state: do edges lead from it to one of `targets`? */
function reaching(before: readonly (readonly number[])[], targets: readonly boolean[]): readonly boolean[] {
  const reached = [...targets];
  const stack = reached.flatMap((isTarget, state) => (isTarget ? [state] : []));
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (const source of before[state]!) {
      if (reached[source] === true) continue;
      reached[source] = true;
      stack.push(source);
    }
  }
  return reached;
}
