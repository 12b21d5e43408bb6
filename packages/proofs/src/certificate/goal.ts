/** @module Sets of markings as clauses of linear constraints: what no reachable marking is claimed to satisfy. */
import type { Marking, Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";

/** The sum of `terms`, each the tokens of a place times a whole factor, is at least `atLeast`. */
export interface Constraint {
  readonly terms: readonly (readonly [place: PlaceIndex, factor: number])[];
  readonly atLeast: number;
}

/** One of the constraints is true. */
export type Clause = readonly Constraint[];

/**
 * Every clause is true.
 *
 * @definition D24.1
 */
export type Goal = readonly Clause[];

/** The constraint of whole numbers that is true where `constraint` is not. */
export function opposite({ terms, atLeast }: Constraint): Constraint {
  return { terms: terms.map(([place, factor]) => [place, -factor]), atLeast: 1 - atLeast };
}

/** Is the marking in the goal? */
export function isInGoal(goal: Goal, M: Marking): boolean {
  const weighed = ({ terms }: Constraint) =>
    terms.reduce((sum, [place, factor]) => sum + BigInt(factor) * BigInt(M[place] ?? 0), 0n);
  return goal.every((clause) =>
    clause.some((constraint) => weighed(constraint) >= BigInt(constraint.atLeast)),
  );
}

/**
 * Is every marking that has nowhere fewer tokens than one in the goal in it too?
 *
 * @definition D24.12
 */
export function isUpward(goal: Goal): boolean {
  return goal.every((clause) => clause.every(({ terms }) => terms.every(([, factor]) => factor >= 0)));
}

/** At least so many tokens on a place. */
export function hasAtLeast(place: PlaceIndex, tokens: number): Constraint {
  return { terms: [[place, 1]], atLeast: tokens };
}

/** At most so many tokens on a place. */
export function hasAtMost(place: PlaceIndex, tokens: number): Constraint {
  return { terms: [[place, -1]], atLeast: -tokens };
}

/** Markings that enable a transition of a plain or weighted net. */
export function enabledGoal({ pre }: Transition): Goal {
  return pre.map(([place, weight]) => [hasAtLeast(place, weight)]);
}

/** Markings that do not enable it. */
export function disabledClause({ pre }: Transition): Clause {
  return pre.map(([place, weight]) => hasAtMost(place, weight - 1));
}

/** Markings of a plain or weighted net that enable nothing. */
export function deadGoal(net: Net): Goal {
  return net.transitions.map(disabledClause);
}

/** Markings with more than `tokens` on one of `places`. */
export function moreThanGoal(places: readonly PlaceIndex[], tokens: number): Goal {
  return [places.map((place) => hasAtLeast(place, tokens + 1))];
}

/** The final markings: those of one of the goals. */
export function finalGoals({ finals, places }: Net): readonly Goal[] {
  if (finals.kind === "markings") return finals.markings.map(exactly);
  const ends = new Set(finals.ends);
  const bounds = places.map((_, place): Clause => [hasAtMost(place, ends.has(place) ? 1 : 0)]);
  return [[...bounds, [{ terms: finals.ends.map((end) => [end, 1]), atLeast: 1 }]]];
}

/** Markings that are not final. */
export function notFinalGoal({ finals, places }: Net): Goal {
  const differs = (M: Marking): Clause =>
    M.flatMap((tokens, place) => [hasAtLeast(place, tokens + 1), hasAtMost(place, tokens - 1)]);
  if (finals.kind === "markings") return finals.markings.map(differs);
  const ends = new Set(finals.ends);
  const isMore = places.map((_, place) => hasAtLeast(place, ends.has(place) ? 2 : 1));
  return [[...isMore, { terms: finals.ends.map((end) => [end, -1]), atLeast: 0 }]];
}

/** Markings that refute an obligation which speaks of single markings: those of one of the goals. Null for the others. */
export function faultGoals(net: Net, id: string): readonly Goal[] | null {
  if (id === "deadlock") return [[...deadGoal(net), ...notFinalGoal(net)]];
  if (id === "O4") return [moreThanGoal(controlPlaces(net), 1)];
  if (id !== "O2") return null;
  const { finals } = net;
  if (finals.kind === "ends") return [moreThanGoal(finals.ends, 1)];
  return finals.markings.map((F) => [
    ...F.map((tokens, place): Clause => [hasAtLeast(place, tokens)]),
    [{ terms: F.map((_, place) => [place, 1]), atLeast: F.reduce((sum, tokens) => sum + tokens, 1) }],
  ]);
}

/** Markings that enable one of `transitions`: those of one of the goals. */
export function enabledGoals(net: Net, transitions: Iterable<TransitionIndex>): readonly Goal[] {
  return [...transitions].map((t) => enabledGoal(net.transitions[t]!));
}

function controlPlaces({ places }: Net): readonly PlaceIndex[] {
  return places.flatMap(({ role }, place) => (role === "control" ? [place] : []));
}

function exactly(M: Marking): Goal {
  return M.flatMap((tokens, place) => [[hasAtLeast(place, tokens)], [hasAtMost(place, tokens)]]);
}
