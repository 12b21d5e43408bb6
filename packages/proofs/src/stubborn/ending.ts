/** @module What a complete terminal graph says: does every marking lead to a final one, and which do not? */
import { isFinal, type PlaceIndex, type TransitionIndex } from "@tessera/core";
import { canReach, type ReverseEdges, reversed } from "../state-space.ts";
import { type ReducedGraph, setAt, stateMarking } from "./graph.ts";

/**
 * completes: O1 holds by T25.4. stuck: no final marking is reachable from the marking of `state`, by T25.5; one that
 * enables nothing before all others. open: final markings enable something, and neither theorem applies.
 */
export type Ending =
  | { readonly kind: "completes" }
  | { readonly kind: "stuck"; readonly state: number }
  | { readonly kind: "open" };

/** What a complete terminal graph says of O1. Cost: linear in the edges, mostly. */
export function endingOf(graph: ReducedGraph): Ending {
  const { store, dead, relations } = graph;
  const { net } = relations;
  const isFinalState = Uint8Array.from({ length: store.count }, (_, state) =>
    isFinal(net, stateMarking(graph, state)) ? 1 : 0,
  );
  const back = reversed(graph.store.count, graph);
  const stuck = dead.find((state) => isFinalState[state] === 0) ?? canReach(back, isFinalState).indexOf(0);
  if (stuck >= 0) return finalsAreDead(graph) ? { kind: "stuck", state: stuck } : stuckIfDead(graph, stuck);
  const ends = new Uint8Array(store.count);
  for (const state of dead) ends[state] = isFinalState[state]!;
  const isEach = canReach(back, ends).every((reaches) => reaches === 1);
  return isEach || putsNothingOff(graph, back) ? { kind: "completes" } : { kind: "open" };
}

/** A state that is a deadlock, or null; and the marked end places of all reachable final markings, if known. */
export function finalsIn(graph: ReducedGraph): {
  readonly deadlock: number | null;
  readonly all: readonly (readonly PlaceIndex[])[] | null;
} {
  const { net } = graph.relations;
  const deadlock = graph.dead.find((state) => !isFinal(net, stateMarking(graph, state))) ?? null;
  if (net.finals.kind !== "ends" || !finalsAreDead(graph)) return { deadlock, all: null };
  const finals = graph.dead.map((state) => stateMarking(graph, state)).filter((M) => isFinal(net, M));
  return { deadlock, all: finals.map((M) => M.flatMap((tokens, place) => (tokens > 0 ? [place] : []))) };
}

/** A marking that enables nothing and is not final is stuck, whatever final markings enable. */
function stuckIfDead({ dead }: ReducedGraph, state: number): Ending {
  return dead.includes(state) ? { kind: "stuck", state } : { kind: "open" };
}

/** Does no final marking of the net, reachable or not, enable a transition? May say no where none does. */
function finalsAreDead({ relations: { net } }: ReducedGraph): boolean {
  const { finals } = net;
  return net.transitions.every(({ pre }) =>
    finals.kind === "ends"
      ? pre.some(([place]) => !finals.ends.includes(place))
      : finals.markings.every((F) => pre.some(([place, weight]) => F[place]! < weight)),
  );
}

/** Does each transition that a state enables belong to the set of one that edges lead to? */
function putsNothingOff(graph: ReducedGraph, back: ReverseEdges): boolean {
  const { store, relations } = graph;
  const sets = Array.from({ length: store.count }, (_, state) => new Set(setAt(graph, state)));
  const markings = sets.map((_, state) => stateMarking(graph, state));
  return relations.net.transitions.every(({ pre }, t: TransitionIndex) => {
    const reaches = canReach(
      back,
      Uint8Array.from(sets, (set) => (set.has(t) ? 1 : 0)),
    );
    return markings.every(
      (M, state) => reaches[state] === 1 || pre.some(([place, weight]) => M[place]! < weight),
    );
  });
}
