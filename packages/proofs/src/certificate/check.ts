/** @module The certificate checker: accepts a verdict only if its evidence is right, without asking the prover. */

import type { Net, NonLocalRules } from "@tessera/core";
import { fireSequence, isFinal, NO_RULES, sameMarking, unreachable } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import { isDeadlock } from "../obligations/deadlock.ts";
import type {
  DeadEvidence,
  NetEvidence,
  NetObligationId,
  Run,
  RunEvidence,
  StuckEvidence,
  Support,
  Verdict,
} from "../verdict.ts";
import { type Checked, checkClosedSet, enabledInSet, finalInSet, invalid, VALID } from "./closed-set.ts";
import { checkNeverFinal, checkSiphon, needs } from "./never-final.ts";
import { checkPump, checkPumpTheorem } from "./pump.ts";
import { checkIllFormed } from "./rank.ts";
import { checkEnumerated } from "./recompute.ts";
import { checkDeadInReduced, checkReduction } from "./reduced-net.ts";

/** Options of the checker. `statesMax` bounds what it builds again. */
export interface CheckerOptions {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
}

const DEFAULTS: CheckerOptions = { rules: NO_RULES, statesMax: 20_000 };

/**
 * Is the verdict supported by its evidence? Runs are replayed by the firing rule, certificates are checked against
 * the net, enumerations are built again up to `statesMax`. It imports the net, the firing rule, the definitions of
 * the obligations on a single marking, and the format; no prover. `sound` takes evidence against O1, O2 or O3, or a
 * pump under T8.2. `unknown` claims nothing and is valid.
 */
export function checkEvidence(
  net: Net,
  id: NetObligationId | "sound",
  verdict: Verdict<NetEvidence>,
  options: Partial<CheckerOptions> = {},
): Checked {
  const settings = { ...DEFAULTS, ...options };
  if (verdict.kind === "unknown") return VALID;
  if (verdict.kind === "holds") return checkHolds(net, id, verdict.evidence, settings);
  const { evidence } = verdict;
  switch (evidence.kind) {
    case "E1":
      return checkRunEvidence(net, id, evidence, settings);
    case "E2":
      return id === "O1" || id === "sound"
        ? checkStuck(net, evidence, settings)
        : invalid(`E2 is no evidence against ${id}`);
    case "E3":
      return id === "O3" || id === "sound"
        ? checkDead(net, evidence, settings)
        : invalid(`E3 is no evidence against ${id}`);
    case "E3-pump": {
      if (id !== "O1" && id !== "sound") return invalid(`a pump is no evidence against ${id}`);
      const replayed = checkRun(net, evidence.run, settings.rules);
      if (replayed.kind !== "valid") return replayed;
      const pump = checkPump(net, evidence.run, evidence.from);
      return pump.kind === "valid" ? checkPumpTheorem(net, id) : pump;
    }
    case "E3-ill-formed":
      return id === "sound"
        ? checkIllFormed(net, evidence.reason)
        : invalid(`an ill-formed net is no evidence against ${id}`);
    default:
      return unreachable(evidence);
  }
}

/** Does the run fire from the initial marking, and reach the marking that it states? */
export function checkRun(net: Net, run: Run, rules: NonLocalRules = NO_RULES): Checked {
  const result = fireSequence(net, net.initial, run.sequence, rules);
  if (result.kind !== "fired") return invalid(`firing ${result.at} is not enabled`);
  return sameMarking(result.marking, run.marking) ? VALID : invalid("the run reaches another marking");
}

function checkRunEvidence(
  net: Net,
  id: NetObligationId | "sound",
  { run, finding }: RunEvidence,
  { rules }: CheckerOptions,
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

function checkStuck(net: Net, { run, certificate }: StuckEvidence, options: CheckerOptions): Checked {
  const replayed = checkRun(net, run, options.rules);
  if (replayed.kind !== "valid") return replayed;
  return certificate.kind === "closed-set"
    ? checkClosedSet(net, run.marking, certificate, finalInSet(net), options)
    : checkNeverFinal(net, run.marking, certificate);
}

function checkDead(net: Net, { dead, certificate }: DeadEvidence, options: CheckerOptions): Checked {
  const known = new Set(elementsOf(net).map((element) => JSON.stringify(element)));
  if (dead.length === 0) return invalid("no dead element is named");
  for (const element of dead)
    if (!known.has(JSON.stringify(element))) return invalid("not an element of the net");
  const transitions = new Set(dead.flatMap((element) => element.transitions));
  if (certificate.kind === "closed-set") {
    return checkClosedSet(
      net,
      net.initial,
      certificate,
      enabledInSet(net, transitions, options.rules),
      options,
    );
  }
  if (certificate.kind === "reduced") return checkDeadInReduced(net, transitions, certificate, options);
  const places = new Set(certificate.places);
  for (const index of transitions) {
    const t = net.transitions[index];
    if (t === undefined || !needs(t, places)) return invalid(`transition ${index} does not need the siphon`);
  }
  return checkSiphon(net, net.initial, places);
}

function checkHolds(
  net: Net,
  id: NetObligationId | "sound",
  support: Support,
  options: CheckerOptions,
): Checked {
  if (support.class === "recomputable") return { kind: "unchecked", reason: "no checker" };
  if (support.certificate !== undefined)
    return checkReduction(net, id, support.certificate, support, options);
  if (support.class === "compact") {
    return id === "O3" ? checkRuns(net, support, options.rules) : invalid(`no compact evidence for ${id}`);
  }
  return checkEnumerated(net, id, support, options);
}

/** O3 by runs: one run for each element, the last firing of which is a transition of the element. */
function checkRuns(net: Net, { runs = [] }: Support, rules: NonLocalRules): Checked {
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
