/** @module Backward coverability on reset nets: which markings can come to hold at least a given one. */
import type { PlaceIndex, WeightedPlace } from "@tessera/core";

/** A transition of a reset net. */
export interface ResetTransition {
  readonly pre: readonly WeightedPlace[];
  readonly post: readonly WeightedPlace[];
  readonly reset: readonly PlaceIndex[];
}

/** Tokens by place, zeros left out: the markings that hold at least these. */
type Demand = ReadonlyMap<PlaceIndex, number>;

/** A question that was asked of some marking: what is known of it by now. Changed in place, as far as answers needed. */
export interface CoverSearch {
  readonly producers: ReadonlyMap<PlaceIndex, readonly ResetTransition[]>;
  /** Minimal demands from which the target can be covered; those before `next` have been followed. */
  demands: readonly Demand[];
  next: number;
}

/** A search for markings from which `target` can be covered by firing `transitions`. */
export function coverSearch(
  transitions: readonly ResetTransition[],
  target: readonly PlaceIndex[],
): CoverSearch {
  const producers = new Map<PlaceIndex, ResetTransition[]>();
  for (const t of transitions)
    for (const [place] of t.post) producers.set(place, [...(producers.get(place) ?? []), t]);
  return { producers, demands: [new Map(target.map((place) => [place, 1]))], next: 0 };
}

/**
 * Can a marking that holds at least the target be reached from `M`? Backwards from the target: the demands from which
 * it can be covered are closed upwards, so finitely many minimal ones say which they are (Dickson), and they are found
 * by adding predecessors until nothing new comes. Goes on with what earlier questions have found, and stops at the
 * first demand that `M` meets. Total; in the worst case as costly as coverability of reset nets is.
 */
export function canCover(search: CoverSearch, M: ArrayLike<number>): boolean {
  if (search.demands.some((demand) => isMet(demand, M))) return true;
  while (search.next < search.demands.length) {
    const demand = search.demands[search.next] as Demand;
    search.next += 1;
    const added = predecessors(search, demand).filter((before) => add(search, before));
    if (added.some((before) => isMet(before, M))) return true;
  }
  return false;
}

function isMet(demand: Demand, M: ArrayLike<number>): boolean {
  for (const [place, tokens] of demand) if ((M[place] ?? 0) < tokens) return false;
  return true;
}

/** Keeps the minimal demands; false if `demand` says nothing new. */
function add(search: CoverSearch, demand: Demand): boolean {
  if (search.demands.some((known) => isAtMost(known, demand))) return false;
  const isKept = (known: Demand) => !isAtMost(demand, known);
  const followed = search.demands.slice(0, search.next).filter(isKept);
  search.demands = [...followed, ...search.demands.slice(search.next).filter(isKept), demand];
  search.next = followed.length;
  return true;
}

function isAtMost(left: Demand, right: Demand): boolean {
  for (const [place, tokens] of left) if ((right.get(place) ?? 0) < tokens) return false;
  return true;
}

/** The least demands from which one firing leads to `demand`, of the transitions that add to it. */
function predecessors({ producers }: CoverSearch, demand: Demand): readonly Demand[] {
  const transitions = new Set([...demand.keys()].flatMap((place) => producers.get(place) ?? []));
  return [...transitions].flatMap((t) => beforeFiring(t, demand) ?? []);
}

function beforeFiring({ pre, post, reset }: ResetTransition, demand: Demand): Demand | null {
  const before = new Map<PlaceIndex, number>();
  for (const [place, tokens] of demand) {
    const made = post.find(([to]) => to === place)?.[1] ?? 0;
    const left = Math.max(0, tokens - made);
    if (left === 0) continue;
    // What stands there before the firing is taken away by it.
    if (reset.includes(place)) return null;
    before.set(place, left);
  }
  for (const [place, weight] of pre) before.set(place, (before.get(place) ?? 0) + weight);
  return before;
}
