/** @module The proof of a workflow: what can be decided before it runs, with levels, assumptions and fairness named. */
import {
  type CompiledWorkflow,
  type JsonObject,
  type NetClass,
  type Outcome,
  unreachable,
} from "@tessera/core";
import { type Footprint, type FootprintOptions, orJoinRules, workflowFootprint } from "@tessera/gateways";
import { assumptionsOf, FAIRNESS } from "./assumptions.ts";
import { type DataReport, proveDataSteps } from "./data-level/data-proof.ts";
import type { Names } from "./element-words.ts";
import { describeLimit } from "./explain.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { arrivalFollows, joinArrival } from "./obligations/join-arrival.ts";
import { type LoopGrade, loopBounds, loopGrade } from "./obligations/loop-bounds.ts";
import { loopHonesty } from "./obligations/loop-honesty.ts";
import { parallelSafety } from "./obligations/parallel-safety.ts";
import { askedEnds, type ChildLabels, finalLabels, returnLabels } from "./obligations/return-label.ts";
import { totality } from "./obligations/totality.ts";
import { type NetProof, proveSteps, type Stage } from "./pipeline.ts";
import type { Search } from "./search.ts";
import { hasStates, seenStates } from "./seen-states.ts";
import {
  type AsyncCheckOptions,
  type CheckOptions,
  finish,
  finishAsync,
  methodOf,
  searchNet,
} from "./soundness.ts";
import { reverseEdges } from "./state-space.ts";
import {
  fails,
  holds,
  type Level,
  type NetEvidence,
  type NetObligationId,
  type ObligationResult,
  unknown,
  type Verdict,
} from "./verdict.ts";
import { describeEvidence, explainWorkflowEvidence, type WorkflowEvidence } from "./workflow-evidence.ts";

/** The obligations that are decided for a workflow. deadlock, bounded and O6 are diagnoses. */
export type WorkflowObligationId = NetObligationId | "O5" | "O6" | "O7" | "O8" | "O9" | "O12";

/** One line of a workflow's report: `message` says in a sentence what is wrong or open, empty where it holds. */
export interface WorkflowObligation extends ObligationResult<WorkflowObligationId, WorkflowEvidence> {
  readonly message: string;
  /** The evidence of a failure in ids of nodes, places and transitions. */
  readonly witness?: JsonObject;
  /** The workflow does not ask for it: O9 without `parallelSafety`. */
  readonly isDiagnosis?: true;
}

/** What is known of a workflow before it runs. */
export interface WorkflowReport {
  readonly class: NetClass;
  /** Markings of the net that was searched, which is the reduced net in the stages that name it. */
  readonly states: number;
  readonly complete: boolean;
  readonly stage: Stage;
  /** O1 to O9, O12, then deadlock and bounded. O13 is not decided here. */
  readonly obligations: readonly WorkflowObligation[];
  /** O1, O2 and O3 together, at the level of the net. */
  readonly soundness: Verdict<NetEvidence>;
  readonly sound: boolean | null;
  readonly loops: LoopGrade;
  /** The labels under which a run can end; null if the search was not complete. A caller's proof takes them. */
  readonly labels: readonly Outcome[] | null;
  /** What the workflow does with G. A caller's proof takes it. */
  readonly footprint: Footprint;
  readonly assumptions: readonly string[];
  readonly fairness: string;
  /** With `level: "data"`: what is known where guards are asked on values. */
  readonly data?: DataReport;
}

/** Options of a proof. `children`: the labels of called workflows, by the name that nodes give, from their proofs. */
export interface ProofOptions extends CheckOptions {
  readonly children?: ChildLabels;
  /** The constraints of I, and what called workflows do with G: for O9. */
  readonly footprints?: FootprintOptions;
  /** The elements behind nodes and arcs, for what messages and witnesses say; else nodes by label and id. */
  readonly names?: Names;
  /** `data` explores the product of net and data as well, within the limits anew. Default: the net alone. */
  readonly level?: Level;
}

/**
 * Decides what a compiled workflow owes, as far as the limits go. The obligations of its net (guards as free choices)
 * carry over to the data as their `level` says: O2, O4 and boundedness when they hold, O1 when moreover O5 holds and
 * all loops are bounded, O3 never. Non-local OR-joins follow their own rules, unless `rules` gives others, and so go
 * last, as in a turn. Blocks until done; see `proveWorkflowAsync`.
 */
export function proveWorkflow(compiled: CompiledWorkflow, options: ProofOptions = {}): WorkflowReport {
  return finish(prove(compiled, options), options);
}

/** As `proveWorkflow`, but lets other work run between slices of some milliseconds. */
export function proveWorkflowAsync(
  compiled: CompiledWorkflow,
  options: ProofOptions & AsyncCheckOptions = {},
): Promise<WorkflowReport> {
  return finishAsync(prove(compiled, options), options);
}

function* prove(compiled: CompiledWorkflow, options: ProofOptions): Generator<number, WorkflowReport> {
  const { children = new Map(), rules = orJoinRules(compiled), footprints = {} } = options;
  const proof = yield* proveSteps(compiled.net, { ...options, rules }, askedEnds(compiled));
  const net = proof.report;
  const searched = wholeSearch(compiled, proof, { ...options, rules });
  const seen = seenStates(hasStates(proof) ? proof : { ...proof, found: yield* searched() });
  const o5 = totality(compiled);
  const loops = loopGrade(compiled);
  const o9 = yield* parallelSafety(compiled, footprints, searched);
  const verdicts = new Map<WorkflowObligationId, Verdict<WorkflowEvidence>>([
    ...net.obligations.map(({ id, verdict }) => [id, verdict] as const),
    ["O5", o5],
    ["O6", yield* joinVerdict(compiled, proof, searched)],
    ["O7", loopBounds(loops)],
    ["O8", loopHonesty(compiled)],
    ["O9", o9],
    ["O12", returnLabels(compiled, seen, children)],
  ]);
  const isTotal = o5.kind === "holds" && loops.kind === "bounded";
  const data = options.level === "data" ? yield* dataReport(compiled, options, verdicts.get("O7")!) : null;
  return {
    ...(data === null ? {} : { data }),
    class: net.class,
    states: net.states,
    complete: net.complete,
    stage: net.stage,
    obligations: ORDER.map((id) => lineOf(compiled, id, verdicts.get(id)!, isTotal, options.names)),
    soundness: net.soundness,
    sound: net.sound,
    loops,
    labels: finalLabels(compiled, seen),
    footprint: workflowFootprint(compiled, footprints),
    assumptions: assumptionsOf(compiled, o5, o9, new Set(children.keys())),
    fairness: FAIRNESS,
  };
}

/** A clock of its own: what the net took is not taken from the data. */
function dataReport(
  compiled: CompiledWorkflow,
  { limits = {}, signal, now, names }: ProofOptions,
  loopBounds: Verdict<unknown>,
): Generator<number, DataReport> {
  return proveDataSteps(compiled, {
    limits,
    loopBounds,
    ...(signal === undefined ? {} : { signal }),
    ...(now === undefined ? {} : { now }),
    ...(names === undefined ? {} : { names }),
  });
}

const ORDER: readonly WorkflowObligationId[] = [
  "O1",
  "O2",
  "O3",
  "O4",
  "O5",
  "O6",
  "O7",
  "O8",
  "O9",
  "O12",
  "deadlock",
  "bounded",
];

/** O6 follows from O1 where it can (L8.6); else it is asked of the net itself, which may have to be searched for it. */
function* joinVerdict(
  compiled: CompiledWorkflow,
  proof: NetProof,
  searched: () => Generator<number, Search | null>,
): Generator<number, Verdict<WorkflowEvidence>> {
  const { obligations } = proof.report;
  const completes = obligations.some(({ id, verdict }) => id === "O1" && verdict.kind === "holds");
  if (completes && arrivalFollows(compiled.net)) return holds({ class: "compact", method: "O1", states: 0 });
  const whole = yield* searched();
  if (whole === null) return unknown({ kind: "tokens", at: 0 });
  if (whole.limit !== null) return unknown(whole.limit);
  return joinArrival(whole.space, reverseEdges(whole.space));
}

/** The search of the net itself, done once: the one behind the proof, or, where that did without, a short one. */
function wholeSearch(
  { net }: CompiledWorkflow,
  { found }: NetProof,
  options: CheckOptions,
): () => Generator<number, Search | null> {
  let whole = found;
  return function* () {
    const { statesMax, statesAfterFailureMax } = { ...DEFAULT_LIMITS, ...options.limits };
    const limits = { ...options.limits, statesMax: Math.min(statesMax, statesAfterFailureMax) };
    whole ??= yield* searchNet(net, { ...options, limits });
    return whole;
  };
}

function lineOf(
  compiled: CompiledWorkflow,
  id: WorkflowObligationId,
  verdict: Verdict<WorkflowEvidence>,
  isTotal: boolean,
  names: Names | undefined,
): WorkflowObligation {
  const isAsked = id !== "O9" || compiled.definition.parallelSafety === "checked";
  const line = {
    id,
    verdict,
    level: levelOf(id, verdict, isTotal),
    method: methodName(verdict),
    ...(isAsked ? {} : { isDiagnosis: true as const }),
  };
  switch (verdict.kind) {
    case "holds":
      return { ...line, message: "" };
    case "unknown":
      return { ...line, message: describeLimit(verdict.limit) };
    case "fails": {
      const { evidence } = verdict;
      return {
        ...line,
        message: describeEvidence(compiled, evidence, names),
        witness: explainWorkflowEvidence(compiled, evidence, names),
      };
    }
    default:
      return unreachable(verdict);
  }
}

function methodName(verdict: Verdict<WorkflowEvidence>): string {
  if (verdict.kind !== "fails") return methodOf(verdict);
  const { evidence } = verdict;
  switch (evidence.kind) {
    case "E1":
    case "E2":
    case "E3":
    case "E3-pump":
    case "E3-ill-formed":
      return methodOf(fails(evidence));
    default:
      return evidence.kind;
  }
}

/** Which of the two levels a verdict reaches. O5 speaks of data by itself; failures of the net may be spurious. */
function levelOf(id: WorkflowObligationId, { kind }: Verdict<unknown>, isTotal: boolean): Level {
  if (id === "O5") return "data";
  if (kind !== "holds" || id === "O3" || id === "O6" || id === "deadlock") return "net";
  return id === "O1" && !isTotal ? "net" : "data";
}
