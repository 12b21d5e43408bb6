/** @module Co-marking: which places can carry tokens at the same time, by Kovalyov's fixed point or by the state space. */
import type { Marking, Net, PlaceIndex, Transition } from "@tessera/core";
import { fixedPointRows } from "./co-marking-rows.ts";
import { areRelated, emptyRelation, type PlaceRelation, relateBoth } from "./place-relation.ts";

/** What can be marked together, and how that was found. */
export interface CoMarking {
  /** `fixed point`: at least what is reachable (exact for live and safe free-choice nets). `state space`: exactly that. */
  readonly method: "fixed point" | "state space";
  /** Can a reachable marking have a token on the place? */
  readonly isMarkable: (place: PlaceIndex) => boolean;
  /** Can a reachable marking have tokens on both places; of one place, two tokens? Symmetric. */
  readonly areCoMarked: (left: PlaceIndex, right: PlaceIndex) => boolean;
}

/** All reachable markings of a net, or null where the limits do not allow that. */
export type ReachableMarkings = (net: Net) => Iterable<Marking> | null;

/**
 * The co-marking of `net`, from its state space where `reachable` gives all of it, else by the fixed point.
 *
 * @definition D16.2
 */
export function coMarking(net: Net, reachable: ReachableMarkings = () => null): CoMarking {
  const markings = reachable(net);
  return markings === null ? fixedPoint(net) : seenTogether(net, markings);
}

/** The fixed point of `net`, by rows of bits. Cost: see `fixedPointRows`. */
export function fixedPoint(net: Net): CoMarking {
  return coMarkingOf("fixed point", fixedPointRows(net));
}

/**
 * Kovalyov's fixed point, widened to nets that are neither free-choice nor safe, as it is written: every rule is tried
 * for every transition until a round adds nothing. Cost: transitions times places a round, at most as many rounds as
 * pairs: for tests and small nets; `fixedPoint` is the same.
 *
 * @definition D16.1
 */
export function literalFixedPoint(net: Net): CoMarking {
  const relation = emptyRelation(net);
  const { marked } = relation;
  const R = (left: PlaceIndex, right: PlaceIndex) => areRelated(relation, left, right);
  let isGrowing = true;
  const mark = (place: PlaceIndex): void => {
    isGrowing ||= marked[place] === 0;
    marked[place] = 1;
  };
  const relate = (left: PlaceIndex, right: PlaceIndex): void => {
    isGrowing ||= !R(left, right);
    relateBoth(relation, left, right);
  };
  const round = (): void => {
    for (const t of net.transitions) {
      if (!canFire(t)) continue;
      for (const [p, weight] of t.post) {
        mark(p);
        for (const [q] of t.post) if (p !== q || weight > 1) relate(p, q);
        for (const s of net.places.keys()) if (stays(t, s)) relate(s, p);
      }
    }
  };
  const canFire = ({ pre, any }: Transition): boolean =>
    pre.every(
      ([p, weight]) => marked[p] === 1 && (weight === 1 || R(p, p)) && pre.every(([q]) => p === q || R(p, q)),
    ) &&
    (any.length === 0 || any.some((p) => marked[p] === 1 && pre.every(([q]) => R(p, q))));
  const stays = ({ pre, any, reset }: Transition, s: PlaceIndex): boolean =>
    marked[s] === 1 &&
    pre.every(([p]) => R(p, s)) &&
    !reset.includes(s) &&
    (R(s, s) || !any.includes(s)) &&
    (any.length === 0 || any.some((p) => R(p, s) || p === s));
  net.initial.forEach((tokens, p) => {
    if (tokens === 0) return;
    mark(p);
    net.initial.forEach((others, q) => {
      if (p === q ? tokens > 1 : others > 0) relate(p, q);
    });
  });
  while (isGrowing) {
    isGrowing = false;
    round();
  }
  return coMarkingOf("fixed point", relation);
}

function coMarkingOf(method: CoMarking["method"], relation: PlaceRelation): CoMarking {
  return {
    method,
    isMarkable: (place) => relation.marked[place] === 1,
    areCoMarked: (left, right) => areRelated(relation, left, right),
  };
}

function seenTogether(net: Net, markings: Iterable<Marking>): CoMarking {
  const relation = emptyRelation(net);
  for (const M of markings) {
    const marked = M.flatMap((tokens, place) => (tokens > 0 ? [place] : []));
    for (const place of marked) {
      relation.marked[place] = 1;
      for (const other of marked) if (other !== place || M[place]! > 1) relateBoth(relation, place, other);
    }
  }
  return coMarkingOf("state space", relation);
}
