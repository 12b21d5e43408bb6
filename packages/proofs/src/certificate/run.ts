/** @module Checks evidence in the form of a run (E1): it is fired, and the fault looked for where it ends. */
import {
  fireSequence,
  isFinal,
  type Net,
  NO_RULES,
  type NonLocalRules,
  sameMarking,
  unreachable,
} from "@tessera/core";
import { elementsOf } from "../elements.ts";
import { isDeadlock } from "../obligations/deadlock.ts";
import type { NetObligationId, Run, RunEvidence, Support } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { checkPump } from "./pump.ts";

/** Does the run fire from the initial marking, and reach the marking that it states? */
export function checkRun(net: Net, run: Run, rules: NonLocalRules = NO_RULES): Checked {
  const result = fireSequence(net, net.initial, run.sequence, rules);
  if (result.kind !== "fired") return invalid(`firing ${result.at} is not enabled`);
  return sameMarking(result.marking, run.marking) ? VALID : invalid("the run reaches another marking");
}

/** Does the run end in the fault that is found there, and does that speak against `id`? */
export function checkRunEvidence(
  net: Net,
  id: NetObligationId | "sound",
  { run, finding }: RunEvidence,
  { rules }: { readonly rules: NonLocalRules },
): Checked {
  const replayed = checkRun(net, run, rules);
  if (replayed.kind !== "valid") return replayed;
  const isAgainst = (...ids: readonly (NetObligationId | "sound")[]) =>
    ids.includes(id) ? VALID : invalid(`${finding.kind} is no evidence against ${id}`);
  const M = run.marking;
  switch (finding.kind) {
    case "second-token": {
      const isEnd = net.finals.kind === "ends" && net.finals.ends.includes(finding.place);
      return isEnd && (M[finding.place] ?? 0) > 1
        ? isAgainst("O2", "sound")
        : invalid("no second token on an end");
    }
    case "beyond-final": {
      const { final } = finding;
      const isListed =
        net.finals.kind === "markings" && net.finals.markings.some((F) => sameMarking(F, final));
      const covers = final.every((tokens, place) => (M[place] ?? 0) >= tokens);
      return isListed && covers && !isFinal(net, M)
        ? isAgainst("O2", "sound")
        : invalid("not beyond a final marking");
    }
    case "unsafe": {
      const isControl = net.places[finding.place]?.role === "control";
      return isControl && (M[finding.place] ?? 0) > 1 ? isAgainst("O4") : invalid("the place is safe there");
    }
    case "deadlock":
      return isDeadlock(net, M, rules) ? isAgainst("deadlock") : invalid("not a deadlock");
    case "pump": {
      const pump = checkPump(net, run, finding.from);
      return pump.kind === "valid" ? isAgainst("bounded") : pump;
    }
    default:
      return unreachable(finding);
  }
}

/** O3 by runs: one run for each element, the last firing of which is a transition of the element. */
export function checkRuns(net: Net, { runs = [] }: Support, rules: NonLocalRules): Checked {
  const elements = elementsOf(net);
  if (runs.length !== elements.length) return invalid("not one run for each element");
  for (const [index, { transitions }] of elements.entries()) {
    const run = runs[index] ?? [];
    const last = run.at(-1);
    if (last === undefined || !transitions.includes(last))
      return invalid(`run ${index} does not end with its element`);
    if (fireSequence(net, net.initial, run, rules).kind !== "fired")
      return invalid(`run ${index} is not enabled`);
  }
  return VALID;
}
