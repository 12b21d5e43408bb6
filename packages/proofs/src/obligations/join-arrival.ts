/** @module O6, join arrival (a diagnosis): a token that waits at an AND join can still be joined, or is cleared. */
import type { Marking, Net, PlaceIndex, Transition } from "@tessera/core";
import {
  canReach,
  markingAt,
  type ReverseEdges,
  type StateSpace,
  sequenceTo,
  statesFrom,
} from "../state-space.ts";
import { fails, holds, type Run, type Verdict } from "../verdict.ts";

/** A marking with a token before the join `node` from which the join is never enabled and the token never cleared. */
export interface JoinEvidence {
  readonly kind: "join";
  readonly node: number;
  readonly place: PlaceIndex;
  readonly run: Run;
  /** How many markings are reachable from there; none of them helps. */
  readonly size: number;
}

/** An AND join: its node, its transitions and the places that they take from. */
export interface AndJoin {
  readonly node: number;
  readonly transitions: readonly Transition[];
  readonly inputs: readonly PlaceIndex[];
}

/**
 * O6: whenever an input of an AND join is marked, a marking is reachable that enables the join, or a transition that
 * resets this input is. `space` is complete. Cost: for each input of a join linear in the edges.
 *
 * @definition D8.11
 */
export function joinArrival(space: StateSpace, reverse: ReverseEdges): Verdict<JoinEvidence> {
  for (const join of andJoins(space.net)) {
    for (const place of join.inputs) {
      const helps = Uint8Array.from({ length: space.store.count }, (_, state) =>
        isHelped(space, join, place, state) ? 1 : 0,
      );
      const reached = canReach(reverse, helps);
      const { cells, stride } = space.store;
      for (let state = 0; state < reached.length; state += 1) {
        if (reached[state] === 1 || cells[state * stride + place] === 0) continue;
        const run = { sequence: sequenceTo(space, state), marking: markingAt(space, state) };
        return fails({ kind: "join", node: join.node, place, run, size: statesFrom(space, state).length });
      }
    }
  }
  return holds({ class: "enumerated", method: "state space", states: space.store.count });
}

/**
 * Does O6 follow from O1 (L8.6)? What takes a token from an input of an AND join is a transition of the join, or resets
 * that input, and no final marking marks it. Cost: linear in the arcs.
 */
export function arrivalFollows(net: Net): boolean {
  if (net.finals.kind !== "ends") return false;
  const ends = new Set(net.finals.ends);
  const own = new Map<PlaceIndex, Set<Transition>[]>();
  for (const { transitions, inputs } of andJoins(net)) {
    const members = new Set(transitions);
    for (const place of inputs) own.set(place, [...(own.get(place) ?? []), members]);
  }
  if ([...own.keys()].some((place) => ends.has(place))) return false;
  return net.transitions.every((t) => {
    const follows = (place: PlaceIndex) =>
      own.get(place)?.every((members) => members.has(t) || t.reset.includes(place)) ?? true;
    return t.any.every(follows) && t.pre.every(([place]) => follows(place));
  });
}

/** The AND joins of a compiled net: steps that take one token of each of several arcs. */
export function andJoins(net: Net): readonly AndJoin[] {
  const joins = new Map<number, { transitions: Transition[]; inputs: Set<PlaceIndex> }>();
  for (const t of net.transitions) {
    const { origin } = t;
    const arcs = t.pre.filter(([place]) => net.places[place]?.origin?.kind === "arc");
    if (origin === undefined || arcs.length < 2) continue;
    const join = joins.get(origin.node) ?? { transitions: [], inputs: new Set() };
    joins.set(origin.node, join);
    join.transitions.push(t);
    for (const [place] of arcs) join.inputs.add(place);
  }
  return [...joins].map(([node, { transitions, inputs }]) => ({ node, transitions, inputs: [...inputs] }));
}

/**
 * Does `M` enable the join, or a transition that clears `place`? An AND join has no rule; one that clears may have, and
 * is taken as permitted.
 */
export function helps(net: Net, { transitions }: AndJoin, place: PlaceIndex, M: Marking): boolean {
  const isMarked = (p: PlaceIndex) => (M[p] ?? 0) > 0;
  const isEnabled = ({ pre, any }: Transition) =>
    pre.every(([p, weight]) => (M[p] ?? 0) >= weight) && (any.length === 0 || any.some(isMarked));
  return transitions.some(isEnabled) || net.transitions.some((t) => t.reset.includes(place) && isEnabled(t));
}

function isHelped({ net, store }: StateSpace, join: AndJoin, place: PlaceIndex, state: number): boolean {
  const base = state * store.stride;
  return helps(net, join, place, store.cells.subarray(base, base + store.placeCount) as unknown as Marking);
}
