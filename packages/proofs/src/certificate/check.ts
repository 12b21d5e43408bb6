/** @module The certificate checker: accepts a verdict only if its evidence is right, without asking the prover. */

import type { Net, NonLocalRules } from "@tessera/core";
import { NO_RULES, unreachable } from "@tessera/core";
import type { NetEvidence, NetObligationId, StuckEvidence, Support, Verdict } from "../verdict.ts";
import { type Checked, checkClosedSet, finalInSet, invalid, VALID } from "./closed-set.ts";
import { checkDead } from "./dead.ts";
import { checkAllNever, checkNoFault } from "./equation.ts";
import { finalGoals } from "./goal.ts";
import { malformed } from "./malformed.ts";
import { checkNeverFinal } from "./never-final.ts";
import { checkPump, checkPumpTheorem } from "./pump.ts";
import { checkIllFormed } from "./rank.ts";
import { checkEnumerated, type Enumerations } from "./recompute.ts";
import { checkReduction, type Replays } from "./reduced-net.ts";
import { checkRun, checkRunEvidence, checkRuns } from "./run.ts";
import { type CheckedGraphs, checkStubborn } from "./stubborn.ts";
import { checkTerminating, type Remainders } from "./terminating.ts";

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
  return checkLine(net, id, verdict, { ...DEFAULTS, ...options, ...nothingDone(net) });
}

/** A verdict on an obligation of a net, as reports list them. */
export interface CheckableLine {
  readonly id: NetObligationId | "sound";
  readonly verdict: Verdict<NetEvidence>;
}

/** `checkEvidence` for several verdicts on one net; what they share is replayed once. */
export function checkLines(
  net: Net,
  lines: readonly CheckableLine[],
  options: Partial<CheckerOptions> = {},
): readonly Checked[] {
  const settings = { ...DEFAULTS, ...options, ...nothingDone(net) };
  return lines.map(({ id, verdict }) => checkLine(net, id, verdict, settings));
}

interface Settings extends CheckerOptions {
  readonly replays: Replays;
  readonly remainders: Remainders;
  readonly enumerations: Enumerations;
  readonly graphs: CheckedGraphs;
  /** What was found of evidence that says the same whatever it is given for. */
  readonly known: Map<NetEvidence, Checked>;
  readonly fault: Checked | null;
}

function nothingDone(net: Net): Omit<Settings, keyof CheckerOptions> {
  return {
    known: new Map(),
    fault: malformed(net),
    replays: new Map(),
    remainders: { lefts: new Map(), silent: new Map() },
    enumerations: new Map(),
    graphs: new Map(),
  };
}

function checkLine(
  net: Net,
  id: NetObligationId | "sound",
  verdict: Verdict<NetEvidence>,
  settings: Settings,
): Checked {
  if (verdict.kind === "unknown") return VALID;
  if (settings.fault !== null) return settings.fault;
  if (verdict.kind === "holds") return checkHolds(net, id, verdict.evidence, settings);
  const { evidence } = verdict;
  switch (evidence.kind) {
    case "E1":
      return checkRunEvidence(net, id, evidence, settings);
    case "E2":
      return id === "O1" || id === "sound"
        ? once(settings, evidence, () => checkStuck(net, evidence, settings))
        : invalid(`E2 is no evidence against ${id}`);
    case "E3":
      return id === "O3" || id === "sound"
        ? once(settings, evidence, () => checkDead(net, evidence, settings))
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

/** One failure mostly refutes two lines: an obligation, and soundness. */
function once({ known }: Settings, evidence: NetEvidence, check: () => Checked): Checked {
  const found = known.get(evidence) ?? check();
  known.set(evidence, found);
  return found;
}

function checkStuck(net: Net, { run, certificate }: StuckEvidence, options: CheckerOptions): Checked {
  const replayed = checkRun(net, run, options.rules);
  if (replayed.kind !== "valid") return replayed;
  if (certificate.kind === "closed-set")
    return checkClosedSet(net, run.marking, certificate, finalInSet(net), options);
  return certificate.kind === "state-equation"
    ? checkAllNever(net, run.marking, finalGoals(net), certificate)
    : checkNeverFinal(net, run.marking, certificate);
}

function checkHolds(net: Net, id: NetObligationId | "sound", support: Support, options: Settings): Checked {
  if (support.class === "recomputable" || support.class === "solver")
    return { kind: "unchecked", reason: "no checker" };
  const { certificate } = support;
  if (certificate?.kind === "state-equation" || certificate?.kind === "weights")
    return checkNoFault(net, id, certificate);
  if (certificate?.kind === "terminating")
    return checkTerminating(net, id, certificate, options.remainders, (left, needed, inner) =>
      checkHolds(left, needed, inner, options),
    );
  if (certificate?.kind === "stubborn") return checkStubborn(net, id, certificate, options);
  if (certificate !== undefined) return checkReduction(net, id, certificate, support, options);
  if (support.class === "compact") {
    return id === "O3" ? checkRuns(net, support, options.rules) : invalid(`no compact evidence for ${id}`);
  }
  return checkEnumerated(net, id, support, options);
}
