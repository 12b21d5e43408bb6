/** @module Checks `holds` by building the reachable markings again, plainly. */

import type { Marking, Net, NonLocalRules } from "@tessera/core";
import { enabledTransitions, fire, isFinal } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import { isDeadlock } from "../obligations/deadlock.ts";
import { improperCompletion } from "../obligations/proper-completion.ts";
import { unsafePlace } from "../obligations/safeness.ts";
import { reachableMarkings } from "../reachability.ts";
import type { NetObligationId, Support } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";

/** Does the obligation hold in the reachable markings, which must be as many as `support` says? */
export function checkEnumerated(
  net: Net,
  id: NetObligationId | "sound",
  support: Support,
  options: { readonly rules: NonLocalRules; readonly statesMax: number },
): Checked {
  const { rules, statesMax } = options;
  if (support.states > statesMax) return { kind: "unchecked", reason: `${support.states} markings` };
  const { markings, complete } = reachableMarkings(net, net.initial, support.states, rules);
  if (!complete || markings.length !== support.states)
    return invalid(`not ${support.states} reachable markings`);
  switch (id) {
    case "O1":
      return allComplete(net, markings, rules) ? VALID : invalid("some marking cannot complete");
    case "O2":
      return markings.some((M) => improperCompletion(net, M) !== null)
        ? invalid("improper completion")
        : VALID;
    case "O3":
      return someElementIsDead(net, markings, rules) ? invalid("an element is dead") : VALID;
    case "O4":
      return markings.some((M) => unsafePlace(net, M) !== null) ? invalid("not safe") : VALID;
    case "deadlock":
      return markings.some((M) => isDeadlock(net, M, rules)) ? invalid("a deadlock") : VALID;
    case "bounded":
      return VALID;
    case "sound":
      return isSound(net, markings, rules) ? VALID : invalid("not sound");
  }
}

function isSound(net: Net, markings: readonly Marking[], rules: NonLocalRules): boolean {
  const isProper = markings.every((M) => improperCompletion(net, M) === null);
  return isProper && allComplete(net, markings, rules) && !someElementIsDead(net, markings, rules);
}

function allComplete(net: Net, markings: readonly Marking[], rules: NonLocalRules): boolean {
  const predecessors = new Map<string, string[]>();
  for (const M of markings) {
    for (const t of enabledTransitions(net, M, rules)) {
      const next = fire(net, M, t, rules);
      if (next.kind !== "fired") continue;
      const key = next.marking.join();
      const known = predecessors.get(key);
      if (known === undefined) predecessors.set(key, [M.join()]);
      else known.push(M.join());
    }
  }
  const completing = new Set(markings.filter((M) => isFinal(net, M)).map((M) => M.join()));
  for (const key of completing) for (const before of predecessors.get(key) ?? []) completing.add(before);
  return completing.size === markings.length;
}

function someElementIsDead(net: Net, markings: readonly Marking[], rules: NonLocalRules): boolean {
  const alive = new Set(markings.flatMap((M) => enabledTransitions(net, M, rules)));
  return elementsOf(net).some(({ transitions }) => !transitions.some((t) => alive.has(t)));
}
