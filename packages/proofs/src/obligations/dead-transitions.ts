/** @module O3, no dead transition: everything that was drawn can happen. */
import type { Net, TransitionIndex } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { StateSpace } from "../state-space.ts";
import { markingAt, sequenceTo } from "../state-space.ts";
import { greatestEmptySiphon } from "../structure.ts";
import type { DeadElement, DeadEvidence, Limit, NeverFires, Verdict } from "../verdict.ts";
import { fails, holds, unknown } from "../verdict.ts";

const LISTED_MAX = 256;

/**
 * No element of the net is dead. From a complete space the answer is exact. From an incomplete one: elements that
 * need a place of the greatest siphon that starts empty are dead; if some state seen enables a transition of every
 * element, none is; otherwise the question is open.
 */
export function deadTransitions(
  net: Net,
  spaces: readonly StateSpace[],
  limit: Limit | null,
): Verdict<DeadEvidence> {
  const elements = elementsOf(net);
  const silent = elements.filter(({ transitions }) => transitions.every((t) => enabler(spaces, t) === null));
  const [space] = spaces;
  if (silent.length === 0 || space === undefined) return everyElementFires(elements, spaces, limit);
  const siphon = greatestEmptySiphon(net, net.initial);
  const starved = starvedBy(net, siphon);
  const dead = silent.filter(({ transitions }) => transitions.every((t) => starved.has(t)));
  if (dead.length === silent.length || (limit !== null && dead.length > 0)) {
    return fails({ kind: "E3", dead, certificate: { kind: "empty-siphon", places: siphon } });
  }
  if (limit !== null) return unknown(limit);
  return fails({ kind: "E3", dead: silent, certificate: wholeSpace(space) });
}

/** A run that ends with the firing of some transition of the element, from the first state seen that enables it. */
function shortestRun(element: DeadElement, spaces: readonly StateSpace[]): readonly TransitionIndex[] {
  let shortest: readonly TransitionIndex[] | null = null;
  for (const t of element.transitions) {
    const at = enabler(spaces, t);
    if (at === null) continue;
    const run = [...sequenceTo(at.space, at.state), t];
    if (shortest === null || run.length < shortest.length) shortest = run;
  }
  return shortest ?? [];
}

function everyElementFires(
  elements: readonly DeadElement[],
  spaces: readonly StateSpace[],
  limit: Limit | null,
): Verdict<DeadEvidence> {
  if (limit === null) {
    // The walks, if there were any, add nothing to a complete space.
    const states = spaces[0]?.store.count ?? 0;
    return holds({ class: "enumerated", method: "state space", states });
  }
  const states = spaces.reduce((sum, space) => sum + space.store.count, 0);
  const runs = elements.map((element) => shortestRun(element, spaces));
  return holds({ class: "compact", method: "one run for each element", states, runs });
}

function enabler(
  spaces: readonly StateSpace[],
  t: TransitionIndex,
): { space: StateSpace; state: number } | null {
  for (const space of spaces) {
    const state = space.enabledAt[t] ?? -1;
    if (state >= 0) return { space, state };
  }
  return null;
}

function starvedBy(net: Net, siphon: readonly number[]): ReadonlySet<TransitionIndex> {
  const empty = new Set(siphon);
  const starved = new Set<TransitionIndex>();
  net.transitions.forEach(({ pre, any }, t) => {
    const needsAny = any.length > 0 && any.every((place) => empty.has(place));
    if (needsAny || pre.some(([place]) => empty.has(place))) starved.add(t);
  });
  return starved;
}

function wholeSpace(space: StateSpace): NeverFires {
  const size = space.store.count;
  const markings =
    size > LISTED_MAX ? null : Array.from({ length: size }, (_, state) => markingAt(space, state));
  return { kind: "closed-set", size, markings };
}
