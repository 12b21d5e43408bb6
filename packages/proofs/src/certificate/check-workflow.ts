/** @module Checks the evidence against the obligations of a workflow that speak of more than its net. */
import { type CompiledWorkflow, unreachable } from "@tessera/core";
import { type FootprintOptions, orJoinRules } from "@tessera/gateways";
import { andJoins, helps } from "../obligations/join-arrival.ts";
import { isFuseOnlyCycle } from "../obligations/loop-bounds.ts";
import { isDishonest } from "../obligations/loop-honesty.ts";
import { isConflict } from "../obligations/parallel-safety.ts";
import { type ChildLabels, isReturnFault } from "../obligations/return-label.ts";
import { isGap } from "../obligations/totality.ts";
import { reachableMarkings } from "../reachability.ts";
import type { WorkflowEvidence } from "../workflow-evidence.ts";
import type { WorkflowObligation } from "../workflow-proof.ts";
import { type CheckerOptions, checkEvidence } from "./check.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { checkRun } from "./run.ts";

/** Options of the checker; `children` and `footprints` are those that the proof was given. */
export interface WorkflowCheckerOptions extends Partial<CheckerOptions> {
  readonly children?: ChildLabels;
  readonly footprints?: FootprintOptions;
}

/**
 * Is a line of a workflow's report supported? Lines about the net go to `checkEvidence`. Claims about the definition
 * are read off the definition anew, witness data are put to the guards, runs are replayed, and the markings after a
 * join's run are enumerated plainly. What `holds` by reading the definition is recomputable and not checked. Lines of the
 * report on data go to `checkDataEvidence`.
 */
export function checkWorkflowEvidence(
  compiled: CompiledWorkflow,
  { id, verdict }: Pick<WorkflowObligation, "id" | "verdict">,
  given: WorkflowCheckerOptions = {},
): Checked {
  if (verdict.kind === "unknown") return VALID;
  const options = { ...given, rules: given.rules ?? orJoinRules(compiled) };
  switch (id) {
    case "O1":
    case "O2":
    case "O3":
    case "O4":
    case "deadlock":
    case "bounded":
      if (verdict.kind === "holds") return checkEvidence(compiled.net, id, verdict, options);
      return isNetEvidence(verdict.evidence)
        ? checkEvidence(compiled.net, id, { kind: "fails", evidence: verdict.evidence }, options)
        : invalid(`${verdict.evidence.kind} is no evidence against ${id}`);
    default:
      if (verdict.kind === "holds") return { kind: "unchecked", reason: "recomputable" };
      return checkFailure(compiled, id, verdict.evidence, options);
  }
}

type NetEvidenceKind = "E1" | "E2" | "E3" | "E3-pump" | "E3-ill-formed";

function isNetEvidence(
  evidence: WorkflowEvidence,
): evidence is Extract<WorkflowEvidence, { readonly kind: NetEvidenceKind }> {
  return ["E1", "E2", "E3", "E3-pump", "E3-ill-formed"].includes(evidence.kind);
}

function checkFailure(
  compiled: CompiledWorkflow,
  id: "O5" | "O6" | "O7" | "O8" | "O9" | "O12",
  evidence: WorkflowEvidence,
  options: WorkflowCheckerOptions,
): Checked {
  const beside = invalid(`${evidence.kind} is no evidence against ${id}`);
  const verified = (isAgainst: boolean, isTrue: boolean) => {
    if (!isAgainst) return beside;
    return isTrue ? VALID : invalid("the claim is not true of the workflow");
  };
  switch (evidence.kind) {
    case "gaps":
      return verified(
        id === "O5",
        evidence.gaps.length > 0 && evidence.gaps.every((gap) => isGap(compiled, gap)),
      );
    case "cycle":
      return verified(id === "O7", isFuseOnlyCycle(compiled, evidence.nodes));
    case "dishonest": {
      const isTrue =
        evidence.found.length > 0 && evidence.found.every((claim) => isDishonest(compiled, claim));
      return verified(id === "O8", isTrue);
    }
    case "conflicts": {
      const { conflicts } = evidence;
      const runs = new Set(conflicts.map(({ run }) => run));
      const replayed = [...runs].map((run) => checkRun(compiled.net, run, options.rules));
      const isTrue = (conflict: (typeof conflicts)[number]) =>
        isConflict(compiled, conflict, options.footprints ?? {});
      return (
        replayed.find(({ kind }) => kind !== "valid") ??
        verified(id === "O9", conflicts.length > 0 && conflicts.every(isTrue))
      );
    }
    case "join":
      return id === "O6" ? checkJoin(compiled, evidence, options) : beside;
    case "two-labels": {
      const run = checkRun(compiled.net, evidence.run, options.rules);
      return run.kind === "valid"
        ? verified(id === "O12", isReturnFault(compiled, evidence, new Map()))
        : run;
    }
    case "unexpected":
    case "impossible":
      return verified(id === "O12", isReturnFault(compiled, evidence, options.children ?? new Map()));
    case "E1":
    case "E2":
    case "E3":
    case "E3-pump":
    case "E3-ill-formed":
      return beside;
    default:
      return unreachable(evidence);
  }
}

function checkJoin(
  { net }: CompiledWorkflow,
  evidence: Extract<WorkflowEvidence, { readonly kind: "join" }>,
  { rules, statesMax = 20_000 }: WorkflowCheckerOptions,
): Checked {
  const run = checkRun(net, evidence.run, rules);
  if (run.kind !== "valid") return run;
  if (evidence.size > statesMax) return { kind: "unchecked", reason: `${evidence.size} markings` };
  const join = andJoins(net).find(({ node }) => node === evidence.node);
  const { marking } = evidence.run;
  if (join === undefined || !join.inputs.includes(evidence.place))
    return invalid("not an input of an AND join");
  if ((marking[evidence.place] ?? 0) === 0) return invalid("no token waits there");
  const { markings, complete } = reachableMarkings(net, marking, evidence.size, rules);
  if (!complete || markings.length !== evidence.size) return invalid(`not ${evidence.size} markings`);
  return markings.some((M) => helps(net, join, evidence.place, M))
    ? invalid("the join can be reached")
    : VALID;
}
