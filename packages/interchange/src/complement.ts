/** @module Inhibitor arcs and capacities as plain arcs: a complement place holds what is still free of a bound. */
import {
  bad,
  type FinalMarkings,
  type Issue,
  type Net,
  ok,
  type PlaceIndex,
  type Result,
  type Transition,
} from "@tessera/core";
import { finalsOf } from "./final-markings.ts";
import type { Capacity, Inhibition } from "./imported-net.ts";
import type { InterchangeCode } from "./issue-codes.ts";
import type { IssueLog, Where } from "./issue-log.ts";
import { subsetMarkings } from "./net-definition.ts";
import { type Budget, placeBound } from "./place-bound.ts";

/** What a file says beside the arcs of the net. Indices are those of the net. */
export interface Restrictions {
  readonly capacities: readonly Capacity[];
  readonly inhibitions: readonly Inhibition[];
  /** The code for an inhibitor arc whose place has no certain bound. */
  readonly code: InterchangeCode;
  readonly where: () => Where;
}

/** Numbers that the search for bounds of one file may compute: a few seconds at most. */
const BUDGET = 2_000_000;
/** Numbers that the final markings of a net with complement places may have together. */
const FINAL_CELLS_MAX = 1_000_000;

/**
 * The net with a complement place for each place that has a capacity, or an inhibitor arc and a certain bound. A place
 * with an inhibitor arc whose bound is not certain is an issue. Cost: linear in the net for each such place, and the
 * search for the bounds (D11.10) within a fixed budget.
 */
export function withComplements(
  net: Net,
  restrictions: Restrictions,
  log: IssueLog,
): Result<Net, readonly Issue[]> {
  const bounds = new Map<PlaceIndex, number>();
  for (const { place, tokens, where } of restrictions.capacities) {
    const initial = net.initial[place] ?? 0;
    const facts = { place: net.places[place]?.id ?? "", capacity: tokens, initial };
    if (initial > tokens)
      log.error("IMP008", where, `"${facts.place}" starts with more tokens than its capacity`, facts);
    else bounds.set(place, tokens);
  }
  if (log.hasErrors()) return bad(log.errors());
  // Final markings do not matter for bounds, and there may be too many of them.
  const limited = complement({ ...net, finals: { kind: "ends", ends: [] } }, bounds, []);
  const budget: Budget = { left: BUDGET };
  for (const { place, transition, weight, where } of restrictions.inhibitions) {
    const bound = bounds.get(place) ?? placeBound(limited, place, budget);
    if (bound !== null) bounds.set(place, bound);
    else {
      const facts = {
        place: net.places[place]?.id ?? "",
        transition: net.transitions[transition]?.id ?? "",
        weight,
      };
      const message = `an inhibitor arc from "${facts.place}" to "${facts.transition}": no bound of "${facts.place}" is certain`;
      log.error(restrictions.code, where, message, facts);
    }
  }
  const ends = net.finals.kind === "ends" ? net.finals.ends.length : 0;
  if (bounds.size > 0 && 2 ** ends * (net.places.length + bounds.size) > FINAL_CELLS_MAX)
    log.error("IMP009", restrictions.where, `${ends} end places beside complement places are too many`, {
      ends,
    });
  if (log.hasErrors()) return bad(log.errors());
  if (bounds.size > 0) {
    const places = [...bounds.keys()].slice(0, 10).map((p) => net.places[p]?.id ?? "");
    const message = `capacities and inhibitor arcs are read as complement places of: ${places.join(", ")}`;
    log.warn("IMP010", restrictions.where, message, { places, count: bounds.size });
  }
  return ok(complement(net, bounds, restrictions.inhibitions));
}

/**
 * The net with a complement place for each place of `bounds`: it holds the bound less the tokens of the place. A
 * transition that may not exceed the bound, or asks for few tokens, asks the complement for enough.
 * Requires: no initial marking above a bound; a bound for every place of `inhibitions`.
 *
 * @definition D11.11
 */
export function complement(
  net: Net,
  bounds: ReadonlyMap<PlaceIndex, number>,
  inhibitions: readonly Pick<Inhibition, "place" | "transition" | "weight">[],
): Net {
  if (bounds.size === 0) return net;
  const taken = new Set(net.places.map(({ id }) => id));
  const added = [...bounds].map(([place, bound], i) => ({
    place,
    bound,
    index: net.places.length + i,
    id: freshId(`${net.places[place]?.id ?? ""}.free`, taken),
  }));
  const complements = new Map(added.map((each) => [each.place, each] as const));
  const asked = net.transitions.map(() => new Map<PlaceIndex, number>());
  for (const { place, transition, weight } of inhibitions) {
    const own = asked[transition];
    own?.set(place, Math.min(weight, own.get(place) ?? weight));
  }
  const free = (marking: readonly number[]) =>
    added.map(({ place, bound }) => Math.max(0, bound - (marking[place] ?? 0)));
  const transitions = net.transitions.map((transition, t) => {
    const inhibitors = asked[t] ?? new Map<PlaceIndex, number>();
    const { pre, post, reset } = transition;
    const touched = new Set([...pre, ...post].map(([place]) => place));
    for (const place of [...reset, ...inhibitors.keys()]) touched.add(place);
    const own = [...touched].flatMap((place) => complements.get(place) ?? []);
    own.sort((a, b) => a.index - b.index);
    return own.reduce((sum, part) => restrict(sum, part, inhibitors.get(part.place)), transition);
  });
  return {
    places: [...net.places, ...added.map(({ id }) => ({ id, role: "control" }) as const)],
    transitions,
    initial: [...net.initial, ...free(net.initial)],
    finals: extended(net, transitions, free),
  };
}

interface Complement {
  readonly place: PlaceIndex;
  readonly bound: number;
  readonly index: PlaceIndex;
}

/** The transition with its arcs at the complement: it asks for what it inhibits and takes what it gives. */
function restrict(
  transition: Transition,
  { place, bound, index }: Complement,
  inhibitor: number | undefined,
): Transition {
  const weightIn = (side: Transition["pre"]) => side.find(([p]) => p === place)?.[1] ?? 0;
  const [taken, given] = [weightIn(transition.pre), weightIn(transition.post)];
  const asked = inhibitor === undefined ? 0 : Math.max(0, bound - inhibitor + 1);
  if (!transition.reset.includes(place)) {
    const required = Math.max(asked, given - taken, 0);
    return withArcs(transition, index, required, required + taken - given);
  }
  // What stands after a reset is what is given; a transition that gives more than the bound never fires.
  const required = given > bound ? bound + 1 : asked;
  const reset = { ...transition, reset: [...transition.reset, index] };
  return withArcs(reset, index, required, Math.max(0, bound - given));
}

function withArcs(transition: Transition, place: PlaceIndex, taken: number, given: number): Transition {
  return {
    ...transition,
    pre: taken > 0 ? [...transition.pre, [place, taken]] : transition.pre,
    post: given > 0 ? [...transition.post, [place, given]] : transition.post,
  };
}

/** The final markings with the tokens of the complements, which stay where a run ends. */
function extended(
  net: Net,
  transitions: Net["transitions"],
  free: (marking: readonly number[]) => readonly number[],
): FinalMarkings {
  const { finals } = net;
  if (finals.kind === "ends" && finals.ends.length === 0) return finals;
  const markings = finals.kind === "markings" ? finals.markings : subsetMarkings(net, finals.ends);
  const consumed = new Set(
    transitions.flatMap(({ pre, reset }) => [...pre.map(([place]) => place), ...reset]),
  );
  return finalsOf(
    markings.map((marking) => [...marking, ...free(marking)]),
    (place) => !consumed.has(place),
  );
}

function freshId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  while (taken.has(id)) id += "'";
  taken.add(id);
  return id;
}
