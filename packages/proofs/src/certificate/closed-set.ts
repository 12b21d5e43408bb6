/** @module Checks the certificate "closed set": markings that firing does not leave. Trusts the firing rule only. */

import type { Marking, Net, NonLocalRules, TransitionIndex } from "@tessera/core";
import { enabledTransitions, fire, isFinal, sameMarking } from "@tessera/core";
import { reachableMarkings } from "../reachability.ts";
import type { NoCompletion } from "../verdict.ts";

type ClosedSet = Extract<NoCompletion, { readonly kind: "closed-set" }>;

/** Valid, not valid for a reason, or not checked for a reason (a limit of the checker). */
export type Checked =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "unchecked"; readonly reason: string };

/** Accepts. */
export const VALID: Checked = { kind: "valid" };

/** Refuses. */
export function invalid(reason: string): Checked {
  return { kind: "invalid", reason };
}

/**
 * Is `set` a set of markings that contains `M`, is closed under firing, and contains nothing that `isBad` names?
 * A listed set is checked as it is; a counted one is built again from `M` and must have exactly the stated size.
 * Cost: linear in the set times the net; past `statesMax` markings it is not checked.
 */
export function checkClosedSet(
  net: Net,
  M: Marking,
  set: ClosedSet,
  isBad: (marking: Marking) => string | null,
  options: { readonly rules: NonLocalRules; readonly statesMax: number },
): Checked {
  if (set.size > options.statesMax)
    return { kind: "unchecked", reason: `closed set of ${set.size} markings` };
  const markings = set.markings ?? rebuild(net, M, set.size, options.rules);
  if (markings === null) return invalid(`more than ${set.size} markings are reachable`);
  if (markings.length !== set.size) return invalid(`${markings.length} markings, not ${set.size}`);
  if (!markings.some((marking) => sameMarking(marking, M)))
    return invalid("the set does not contain the marking");
  const keys = new Set(markings.map((marking) => marking.join()));
  for (const marking of markings) {
    const bad = isBad(marking);
    if (bad !== null) return invalid(bad);
    for (const t of enabledTransitions(net, marking, options.rules)) {
      const next = fire(net, marking, t, options.rules);
      if (next.kind === "fired" && !keys.has(next.marking.join())) {
        return invalid(`the set is left by ${net.transitions[t]?.id ?? t}`);
      }
    }
  }
  return VALID;
}

/** For O1: no marking of the set may be final. */
export function finalInSet(net: Net): (marking: Marking) => string | null {
  return (marking) => (isFinal(net, marking) ? "the set contains a final marking" : null);
}

/** For O3: no marking of the set may enable one of `dead`. */
export function enabledInSet(
  net: Net,
  dead: ReadonlySet<TransitionIndex>,
  rules: NonLocalRules,
): (marking: Marking) => string | null {
  return (marking) => {
    const alive = enabledTransitions(net, marking, rules).find((t) => dead.has(t));
    return alive === undefined ? null : `${net.transitions[alive]?.id ?? alive} is enabled in the set`;
  };
}

function rebuild(net: Net, M: Marking, size: number, rules: NonLocalRules): readonly Marking[] | null {
  const { markings, complete } = reachableMarkings(net, M, size, rules);
  return complete ? markings : null;
}
