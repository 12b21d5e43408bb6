/** @module Checks the certificate "closed set": markings that firing does not leave. Trusts the firing rule only. */

import type { Marking, Net, NonLocalRules, TransitionIndex } from "@tessera/core";
import { enabledTransitions, isFinal, sameMarking } from "@tessera/core";
import type { NoCompletion } from "../verdict.ts";
import { findRow, keepRow, markingTable, writeRow } from "./marking-table.ts";
import { markingsOf, reached } from "./reached.ts";
import { fireFromRow, tokenMoves } from "./token-moves.ts";

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
  if (set.markings === null) {
    // What is reachable is closed.
    const all = reached(net, M, set.size, options.rules);
    if (all === null) return invalid(`more than ${set.size} markings are reachable`);
    return checkMembers(markingsOf(all), M, set.size, isBad);
  }
  const members = checkMembers(set.markings, M, set.size, isBad);
  return members.kind === "valid" ? checkClosed(net, set.markings, options.rules) : members;
}

function checkMembers(
  markings: readonly Marking[],
  M: Marking,
  size: number,
  isBad: (marking: Marking) => string | null,
): Checked {
  if (markings.length !== size) return invalid(`${markings.length} markings, not ${size}`);
  if (!markings.some((marking) => sameMarking(marking, M)))
    return invalid("the set does not contain the marking");
  for (const marking of markings) {
    const bad = isBad(marking);
    if (bad !== null) return invalid(bad);
  }
  return VALID;
}

/** Does every firing from one of `markings` lead to one of them? */
function checkClosed(net: Net, markings: readonly Marking[], rules: NonLocalRules): Checked {
  const table = markingTable(net.places.length);
  for (const marking of markings) {
    if (marking.length !== table.width) return invalid("a marking of another net");
    const hash = writeRow(table, marking);
    if (findRow(table, hash) < 0) keepRow(table, hash);
  }
  const moves = tokenMoves(net, table, rules);
  for (let row = 0; row < table.count; row += 1) {
    for (let t = 0; t < net.transitions.length; t += 1) {
      const hash = fireFromRow(moves, row, t);
      if (hash !== null && findRow(table, hash) < 0)
        return invalid(`the set is left by ${net.transitions[t]!.id}`);
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
