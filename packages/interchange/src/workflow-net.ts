/** @module Structural facts about a net: its sources and sinks, and whether it is a workflow net. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";

/** What the arcs of a net say, in place and transition order. */
export interface WorkflowNetFacts {
  /** Places without incoming arcs. */
  readonly sources: readonly PlaceIndex[];
  /** Places without outgoing arcs; an optional input and a reset count as outgoing. */
  readonly sinks: readonly PlaceIndex[];
  /** One source, one sink, and every node on a path from the one to the other. */
  readonly isWorkflowNet: boolean;
  /** Nodes that are on no path from a source to a sink. */
  readonly offPath: {
    readonly places: readonly PlaceIndex[];
    readonly transitions: readonly TransitionIndex[];
  };
}

/**
 * The facts of `net`. Resets move no token, so no path leads over them. Cost: linear in the net.
 *
 * @definition D11.5
 */
export function workflowNetFacts(net: Net): WorkflowNetFacts {
  const arcs = arcsOf(net);
  const places = net.places.map((_, p) => p);
  const sources = places.filter((p) => arcs.into[p]?.length === 0);
  const sinks = places.filter((p) => arcs.outOf[p]?.length === 0 && !arcs.isReset[p]);
  const after = reached(sources, arcs.outOf);
  const before = reached(sinks, arcs.into);
  const isOff = (node: number) => !(after[node] && before[node]);
  const offPath = {
    places: places.filter(isOff),
    transitions: net.transitions.map((_, t) => t).filter((t) => isOff(places.length + t)),
  };
  const isOnPath = offPath.places.length + offPath.transitions.length === 0;
  return { sources, sinks, isWorkflowNet: sources.length === 1 && sinks.length === 1 && isOnPath, offPath };
}

/** Neighbours of every node; places come first, transition t is node `places.length + t`. */
interface Arcs {
  readonly outOf: readonly (readonly number[])[];
  readonly into: readonly (readonly number[])[];
  readonly isReset: readonly boolean[];
}

function arcsOf(net: Net): Arcs {
  const count = net.places.length + net.transitions.length;
  const outOf = Array.from({ length: count }, (): number[] => []);
  const into = Array.from({ length: count }, (): number[] => []);
  const isReset = net.places.map(() => false);
  const connect = (from: number, to: number) => {
    outOf[from]?.push(to);
    into[to]?.push(from);
  };
  net.transitions.forEach(({ pre, any, post, reset }, t) => {
    const node = net.places.length + t;
    for (const [place] of pre) connect(place, node);
    for (const place of any) connect(place, node);
    for (const [place] of post) connect(node, place);
    for (const place of reset) isReset[place] = true;
  });
  return { outOf, into, isReset };
}

/** Which nodes are reached from `starts` along `neighbours`, the starts included. */
function reached(starts: readonly number[], neighbours: readonly (readonly number[])[]): readonly boolean[] {
  const isReached = neighbours.map(() => false);
  const stack = [...starts];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isReached[node]) continue;
    isReached[node] = true;
    for (const next of neighbours[node] ?? []) if (!isReached[next]) stack.push(next);
  }
  return isReached;
}
