/** @module @tessera/proofs: public names, grouped. */

// Nets
export { type Block, blockNet, type Mistake } from "./block-net.ts";
// Verdicts and their evidence
export { type CheckableLine, type CheckerOptions, checkEvidence, checkLines } from "./certificate/check.ts";
export {
  type CheckableDataLine,
  checkDataEvidence,
  checkDataLines,
  type DataCheckerOptions,
} from "./certificate/check-data.ts";
export { checkWorkflowEvidence, type WorkflowCheckerOptions } from "./certificate/check-workflow.ts";
export { type Checked, checkClosedSet } from "./certificate/closed-set.ts";
export { dataCertificate, workflowHash } from "./certificate/data-file.ts";
export {
  certificateOf,
  netHash,
  questionCertificateOf,
  type Verification,
  type VerifiedClaim,
  type VerifyOptions,
  verifyCertificate,
} from "./certificate/file.ts";
export { certificateJsonSchema } from "./certificate/format.ts";
export { checkQuestion, type QuestionClaim, type QuestionEvidence } from "./certificate/question-claims.ts";
export { checkRun } from "./certificate/run.ts";
// The level of the data
export type { DataObligation, DataReport, SolverShare } from "./data-level/data-proof.ts";
export type { Answer as DataAnswer, DataRun, DataStep } from "./data-level/data-run.ts";
export type { DataEvidence, DataFinding, DataObligationId } from "./data-level/data-verdicts.ts";
export type { Defect } from "./defects.ts";
export { drawRun } from "./draw-run.ts";
export { type Names, type ToldTokens, type Written, whereOf, wordOf } from "./element-words.ts";
export { elementsOf } from "./elements.ts";
export { type EnumerateOptions, enumerateNets } from "./enumerate.ts";
export {
  describeLimit,
  type ExplainedStep,
  explainEvidence,
  explainManyTokens,
  explainRun,
  namedNumbers,
  transitionIds,
} from "./explain.ts";
export { exploreNet, type NetFacts } from "./explicit/explore-net.ts";
export { itfTrace } from "./itf.ts";
export { type JoinDifference, joinDifference } from "./join-difference.ts";
export { type Abortable, DEFAULT_LIMITS, type Limits } from "./limits.ts";
export {
  coverabilityGraph,
  type MarkingEdge,
  type MarkingGraph,
  pathThrough,
  reachabilityGraph,
} from "./marking-graph.ts";
export { type NetShape, netShape } from "./net-shape.ts";
// Workflows
export type { JoinEvidence } from "./obligations/join-arrival.ts";
export type { CycleEvidence, LoopGrade } from "./obligations/loop-bounds.ts";
export type { Dishonesty, HonestyEvidence } from "./obligations/loop-honesty.ts";
export type { ConflictEvidence, ShownConflict } from "./obligations/parallel-safety.ts";
export type { ChildLabels, ReturnEvidence } from "./obligations/return-label.ts";
export type { Gap, TotalityEvidence } from "./obligations/totality.ts";
export { type PipelineReport, proveNet, proveNetAsync, type Stage } from "./pipeline.ts";
// Questions
export type { Answer, AskOptions, ClosedSet, Shown } from "./questions/answer.ts";
export { askNet } from "./questions/ask.ts";
export { isLasso } from "./questions/ask-formula.ts";
export { claimOf } from "./questions/claim.ts";
export type { Atom, Comparison, Formula, Path, Sum } from "./questions/formula.ts";
export type { Lasso } from "./questions/ltl.ts";
export { type ParsedFormula, parseFormula } from "./questions/parse-formula.ts";
export { type ParsedQuestion, parseQuestion, QUESTION_NAMES, type Question } from "./questions/question.ts";
export { type ReachableSet, reachableMarkings } from "./reachability.ts";
export type { DraftTransition, ReductionStep } from "./reduction/step.ts";
export { HINT_LIMITS, type HintLimits, type Hints, type RepairHint, repairHints } from "./repair-hint.ts";
// The model of a run, for tests of what runs it
export {
  type ModelAnswer,
  type ModelInput,
  type ModelMarkings,
  type RunModel,
  runModel,
} from "./run-model.ts";
export {
  type AsyncCheckOptions,
  type CheckOptions,
  checkNet,
  checkNetAsync,
  type NetReport,
} from "./soundness.ts";
export {
  type CommonerAnswer,
  commoner,
  minimalSiphons,
  type SiphonAnswer,
  type SiphonKind,
  type SiphonLimits,
} from "./state-equation/minimal-siphons.ts";
export { type Semiflows, semiflows } from "./state-equation/semiflows.ts";
export { maximalSiphon, maximalTrap } from "./state-equation/siphons.ts";
export { stepWords, type Told, type ToldStep, toldSteps } from "./told-evidence.ts";
export type {
  Certificate,
  DeadElement,
  DeadEvidence,
  Element,
  EquationCertificate,
  EquationStep,
  FarkasStep,
  Finding,
  Level,
  Limit,
  ManyTokens,
  NetEvidence,
  NetObligationId,
  NeverFires,
  NoCompletion,
  ObligationResult,
  PumpEvidence,
  Run,
  RunEvidence,
  SiphonArgument,
  SiphonStep,
  SiphonTraps,
  StuckEvidence,
  Support,
  TerminatingPart,
  Verdict,
  WeightCertificate,
} from "./verdict.ts";
export {
  describeEvidence,
  explainWorkflowEvidence,
  stepsOf,
  tellEvidence,
  type WorkflowEvidence,
} from "./workflow-evidence.ts";
export {
  type ProofOptions,
  proveWorkflow,
  proveWorkflowAsync,
  type WorkflowObligation,
  type WorkflowObligationId,
  type WorkflowReport,
} from "./workflow-proof.ts";
