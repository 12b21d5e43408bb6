/** @module YAWL's OR-join: it waits while a marking with more marked inputs is reachable in its reset net. */
import type { Net, PlaceIndex } from "@tessera/core";
import { type CoverSearch, canCover, coverSearch, type ResetTransition } from "./coverability.ts";

/**
 * The reset net in which YAWL looks ahead for the OR-join `rule`: the net without the join's own transitions, where
 * every other transition with optional inputs takes one of them (an optimistic XOR join), and every other rule permits.
 *
 * @definition D15.7
 */
export function optimisticNet(net: Net, rule: string): readonly ResetTransition[] {
  return net.transitions
    .filter((t) => t.rule !== rule)
    .flatMap(({ pre, any, post, reset }): readonly ResetTransition[] =>
      any.length === 0
        ? [{ pre, post, reset }]
        : any.map((place) => ({ pre: [...pre, [place, 1] as const], post, reset })),
    );
}

/**
 * Is the OR-join `rule` of `net` enabled in `M` under YAWL's rule? Some input is marked, and no marking is reachable in
 * the reset net of D15.7 that marks all of these inputs and one more. Source: Wynn, Edmond, van der Aalst, ter Hofstede,
 * "Achieving a General, Formal and Decidable Approach to the OR-Join in Workflow Using Reset Nets", 2005.
 *
 * What was found for one marking is kept for the next (the searches go backwards, from the inputs, so they do not depend
 * on it); an input from which nothing but the join takes and that nothing empties needs no demand of its own (L15.4).
 *
 * @definition D15.8
 */
export function yawlJoinTest(net: Net, rule: string): (M: ArrayLike<number>) => boolean {
  const inputs = [...new Set(net.transitions.flatMap((t) => (t.rule === rule ? t.any : [])))];
  const transitions = optimisticNet(net, rule);
  const canLose = losable(transitions);
  const searches = new Map<string, CoverSearch>();
  const searchFor = (kept: readonly PlaceIndex[], more: PlaceIndex): CoverSearch => {
    const key = [...kept, more].join();
    const search = searches.get(key) ?? coverSearch(transitions, [...kept, more]);
    searches.set(key, search);
    return search;
  };
  return (M) => {
    const isMarked = (place: PlaceIndex) => (M[place] ?? 0) > 0;
    const marked = inputs.filter(isMarked);
    const kept = marked.filter((place) => canLose.has(place));
    return (
      marked.length > 0 && inputs.every((place) => isMarked(place) || !canCover(searchFor(kept, place), M))
    );
  };
}

/** Places from which some transition takes, or which some transition empties. */
function losable(transitions: readonly ResetTransition[]): ReadonlySet<PlaceIndex> {
  return new Set(transitions.flatMap(({ pre, reset }) => [...pre.map(([place]) => place), ...reset]));
}
