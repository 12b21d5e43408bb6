/** @module What a search is directed to: a fault of single markings, and which transitions every way to it passes. */
import { isFinal, type Marking, type Net, type PlaceIndex, type TransitionIndex } from "@tessera/core";
import { improperCompletion } from "../obligations/proper-completion.ts";
import type { Goal } from "../verdict.ts";
import type { Relations } from "./relations.ts";

/**
 * Has `M` the goal?
 *
 * @definition D25.4
 */
export function hasGoal(net: Net, goal: Goal, M: Marking): boolean {
  switch (goal.kind) {
    case "improper":
      return improperCompletion(net, M) !== null;
    case "crowded":
      return M[goal.place]! > 1;
    case "enabled":
      return isEnabledAt(net, goal.transition, M);
  }
}

/** Gives for each marking that has not the goal members which make a stubborn set directed to it. */
export function direction(relations: Relations, goal: Goal): (M: Marking) => ArrayLike<TransitionIndex> {
  const { finals } = relations.net;
  switch (goal.kind) {
    case "improper": {
      if (finals.kind === "markings") return (M) => beyondFinal(relations, finals.markings, M);
      const adders = finals.ends.flatMap((end) => addersOf(relations, end));
      return () => adders;
    }
    case "crowded": {
      const adders = addersOf(relations, goal.place);
      return () => adders;
    }
    case "enabled":
      return () => [goal.transition];
  }
}

function beyondFinal(
  relations: Relations,
  finals: readonly Marking[],
  M: Marking,
): readonly TransitionIndex[] {
  const { net } = relations;
  if (isFinal(net, M)) return net.transitions.flatMap((_, t) => (isEnabledAt(net, t, M) ? [t] : []));
  return finals.flatMap((F) => {
    const lacking = F.flatMap((tokens, place) => (M[place]! < tokens ? [addersOf(relations, place)] : []));
    // M does not cover F, or it had the goal.
    return lacking.reduce((least, list) => (list.length < least.length ? list : least));
  });
}

function addersOf({ adderStart, adder }: Relations, place: PlaceIndex): readonly TransitionIndex[] {
  return [...adder.subarray(adderStart[place], adderStart[place + 1])];
}

function isEnabledAt(net: Net, t: TransitionIndex, M: Marking): boolean {
  return net.transitions[t]!.pre.every(([place, weight]) => M[place]! >= weight);
}
