/** @module Markings that enable nothing, by stubborn sets: a terminal graph has all of them (T25.3). */
import type { Net } from "@tessera/core";
import { grow, type ReducedGraph, reducedGraph, runTo, stateMarking } from "../stubborn/graph.ts";
import { listed } from "../stubborn/prove.ts";
import { relationsOf } from "../stubborn/relations.ts";
import type { Answer } from "./answer.ts";

/** Limits: markings and bytes that are stored. `isOver`: must the work end? */
export interface TerminalLimits {
  readonly statesMax: number;
  readonly bytesMax: number;
  readonly isOver: () => boolean;
}

/** States expanded between two looks at the clock. */
const SLICE = 512;

/**
 * Is no marking that enables nothing reachable in a plain or weighted net? Fails with a run to one, holds with the graph; null where limits come
 * first.
 */
export function deadlockFreeBySets(net: Net, { statesMax, bytesMax, isOver }: TerminalLimits): Answer | null {
  const graph = reducedGraph(relationsOf(net), null);
  for (;;) {
    const status = grow(graph, statesMax, SLICE);
    const [dead] = graph.dead;
    if (dead !== undefined) {
      const run = { sequence: runTo(graph, dead), marking: stateMarking(graph, dead) };
      return { kind: "fails", shown: { kind: "run", run } };
    }
    if (status === "complete")
      return { kind: "holds", shown: { kind: "terminal", states: graph.store.count, graph: listed(graph) } };
    if (status !== "paused" || bytesOf(graph) > bytesMax || isOver()) return null;
  }
}

function bytesOf({ store, setItem, edgeTarget, parent }: ReducedGraph): number {
  return store.words.byteLength + setItem.byteLength + edgeTarget.byteLength + 4 * parent.byteLength;
}
