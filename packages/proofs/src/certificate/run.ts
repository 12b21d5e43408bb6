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
  }
  const stopped = firstThatStops(net, runs, rules);
  return stopped < 0 ? VALID : invalid(`run ${stopped} is not enabled`);
}

/**
 * The first run that does not fire from the initial marking; -1 if all do. What a run has in common with the one before
 * is not fired again: the markings where runs part are kept, the outermost first.
 */
function firstThatStops(net: Net, runs: readonly Run["sequence"][], rules: NonLocalRules): number {
  const kept = [{ length: 0, marking: net.initial }];
  for (const [index, run] of runs.entries()) {
    const next = sharedLength(run, runs[index + 1] ?? []);
    let { length, marking } = kept.at(-1)!;
    for (const end of next > length && next < run.length ? [next, run.length] : [run.length]) {
      const fired = fireSequence(net, marking, run.slice(length, end), rules);
      if (fired.kind !== "fired") return index;
      if (end === next) kept.push({ length: next, marking: fired.marking });
      ({ marking } = fired);
      length = end;
    }
    while (kept.at(-1)!.length > next) kept.pop();
  }
  return -1;
}

/** How many firings two runs begin with alike. */
function sharedLength(one: Run["sequence"], other: Run["sequence"]): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
