/** @module @tessera/proofs: public names, grouped. */
// Verdicts and evidence
export { type Checked } from "./certificate/closed-set.ts";
export { checkEvidence, type CheckerOptions, checkRun } from "./certificate/check.ts";
export { elementsOf } from "./elements.ts";
export { explainEvidence, type ExplainedStep, explainRun, transitionIds } from "./explain.ts";
export type {
  DeadElement,
  DeadEvidence,
  Element,
  Finding,
  Level,
  Limit,
  NetEvidence,
  NetObligationId,
  NeverFires,
  NoCompletion,
  ObligationResult,
  PumpEvidence,
  Run,
  RunEvidence,
  StuckEvidence,
  Support,
  Verdict,
} from "./verdict.ts";
// Nets
export { type Abortable, DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { reachableMarkings, type ReachableSet } from "./reachability.ts";
export { checkNet, checkNetAsync, type CheckOptions, type NetReport } from "./soundness.ts";
