/** @module @tessera/engine: public names, grouped. */
// The engine

// People
export {
  type Actor,
  type ActorAction,
  type AuthorizationQuery,
  type Authorize,
  isOffered,
  mayByDefault,
} from "./actor.ts";
// Looking back
export type { Audit, AuditFinding, GraphAudit, RunAudit } from "./audit.ts";
export type { AuditSetup, Exported } from "./audit-batch.ts";
export {
  type AuditedPart,
  auditDatabase,
  type DatabaseAudit,
  type DatabaseAuditOptions,
  type FirstBad,
} from "./audit-database.ts";
export { type Clock, systemClock } from "./clock.ts";
export type { Acceptance, Deployable, Deployed, DeployOptions } from "./deploy.ts";
export { dueTime } from "./due.ts";
export {
  createEngine,
  type Engine,
  type EngineOptions,
  type RunHandle,
  type StartedRun,
  type TypedStart,
} from "./engine.ts";
export type { EnlistedTransaction } from "./enlisted.ts";
export type { Forked, ForkRequest } from "./fork.ts";
export type { EventPlace, History, HistoryEvent, HistoryQuery, StepEvent } from "./history.ts";
// Looking for runs
export type { IndexedData, Reindexed, RunsQuery } from "./indexed-data.ts";
export { CODES } from "./issue-codes.ts";
// Limits, refusals, codes
export { DEFAULT_ENGINE_LIMITS, type EngineLimits } from "./limits.ts";
export type { Logger } from "./logger.ts";
// Messages and signals
export type { MessageRequest, PublishedMessage, SignalRequest } from "./messages.ts";
export type { MigrateAllRequest, Migrated, MigratedAll, MigrateRequest, MigrationOrder } from "./migrate.ts";
export type { MappingProved } from "./migration-proof.ts";
export type { EngineFigures, ObservedStep, ObservedTurn, Observer } from "./observer.ts";
export type { EditRequest, OperationRequest, Operations, RerouteRequest, SkipRequest } from "./operations.ts";
export type { Mapping } from "./place-map.ts";
export { makePlan, type Plan } from "./plan.ts";
// What the application gives
export { type Port, type PortContext, type Reconcile, reconciled } from "./port.ts";
export { type CalledLabels, type ObligationVerdict, type Proof, type Prover, staticProver } from "./prove.ts";
export type { Pruned, PruneRequest } from "./prune.ts";
export { accepted, type RefusalCode, type Refused, RefusedError } from "./refusal.ts";
export type { LanguageEvaluator, Predicate, Registrations, Versioned } from "./registry.ts";
export type { RunEnd, RunView } from "./run-view.ts";
export type { StartRequest, WorkflowRef } from "./start.ts";
export { step } from "./step.ts";
export {
  readTaskId,
  type TaskId,
  taskId,
  type WorkItem,
} from "./task.ts";
export type { EngineTransaction } from "./transaction.ts";
// The pure turn, for other hosts
export type {
  Bodies,
  Due,
  InputEvent,
  InputPayload,
  InputRefusal,
  StepEnvironment,
  TurnLimits,
  TurnReady,
} from "./turn.ts";
export type { ResultOptions, RunResult } from "./watch.ts";
export type {
  CompleteRequest,
  Done,
  NodeRequest,
  ReassignRequest,
  TaskRequest,
  WorkItems,
} from "./work-items.ts";
