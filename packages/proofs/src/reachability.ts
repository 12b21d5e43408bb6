/** @module Reachable markings, in the plain form that is the definition. `state-space.ts` is the fast form. */

import type { Marking, Net, NonLocalRules } from "@tessera/core";
import { enabledTransitions, fire, invariant, NO_RULES } from "@tessera/core";

/** A set of markings in the order in which they were found, and whether nothing is missing. */
export interface ReachableSet {
  readonly markings: readonly Marking[];
  readonly complete: boolean;
}

/**
 * The markings reachable from `from` by firing sequences of `net`, breadth first, at most `statesMax` of them.
 * Cost: linear in states times transitions times places; strings identify markings.
 *
 * @definition D8.1
 */
export function reachableMarkings(
  net: Net,
  from: Marking,
  statesMax: number,
  rules: NonLocalRules = NO_RULES,
): ReachableSet {
  const markings: Marking[] = [from];
  const seen = new Set<string>([from.join()]);
  for (const M of markings) {
    for (const t of enabledTransitions(net, M, rules)) {
      const result = fire(net, M, t, rules);
      invariant(result.kind === "fired", "D8.1", () => ({ transition: t }));
      const key = result.marking.join();
      if (seen.has(key)) continue;
      if (markings.length >= statesMax) return { markings, complete: false };
      seen.add(key);
      markings.push(result.marking);
    }
  }
  return { markings, complete: true };
}
