/** @module @tessera/core: public names, grouped. */
// Trouble

// Builder
export {
  type Block,
  type BlockData,
  call,
  choice,
  finish,
  type GuardedBranch,
  type HoldOptions,
  inclusive,
  loop,
  nothing,
  parallel,
  sequence,
  step,
  subprocess,
  when,
} from "./builder/block.ts";
export { BuilderError } from "./builder/builder-error.ts";
export { composeWorkflow, FAILED } from "./builder/compose-workflow.ts";
export type { DataSchemas, ValueOf } from "./builder/data-schemas.ts";
export { defineWorkflow, type HandledNode, type Workflow } from "./builder/define-workflow.ts";
export type { EventOptions } from "./builder/event-options.ts";
export type { Guard } from "./builder/guard.ts";
export type {
  CancelSignal,
  HandlerResult,
  InlineContext,
  InlineFunction,
  JobContext,
  JobFunction,
  JobGraph,
  JobLog,
} from "./builder/handler.ts";
export type { MergeOption } from "./builder/hold-options.ts";
export { type Handlers, type Implementation, implement, type StartData } from "./builder/implement.ts";
export { catchEvent, throwEvent } from "./builder/node-events.ts";
export type { Entry, EveryKey, HandlerKind, NodeSpec } from "./builder/node-spec.ts";
export { decision, embedded, end, gateway, start } from "./builder/route-nodes.ts";
export { validateData } from "./builder/validate-data.ts";
export { called, collect, human, timer, wait } from "./builder/wait-nodes.ts";
export { agent, custom, integration, tool, transform, verifier } from "./builder/work-nodes.ts";
// JSON and hashes
export { canonicalJson } from "./canonical.ts";
// Workflows
export { type Compiled, type CompiledWorkflow, compile, compileWorkflow } from "./compile.ts";
export {
  type CompiledNet,
  canPlay,
  compileNet,
  firstPlayable,
  hasRoom,
  play,
  playable,
  startGame,
  type TokenGame,
} from "./compiled.ts";
// Conditions
export type {
  ComparisonOperator,
  Condition,
  ConditionData,
  ConditionResult,
  DataReference,
  Operand,
  Operator,
} from "./condition.ts";
export { type ConditionEnvironment, evaluateCondition } from "./condition-eval.ts";
export { parseCondition } from "./condition-parse.ts";
export { conditionConstants, keysRead } from "./condition-reads.ts";
// Product graph
export { acyclicConstraint, noOrphanConstraint } from "./constraints.ts";
export { DATA_LIMITS, type Data, type DataLimits, parseData, readData } from "./data.ts";
// Definitions as input
export {
  type DefinitionManifest,
  type DefinitionReliances,
  definitionHash,
  type GuardReliances,
  guardReliances,
} from "./definition-hash.ts";
export { definitionJsonSchema } from "./definition-json-schema.ts";
export type { ExpressionTerm, TermComparison, TermOperation } from "./expression-term.ts";
export { facetOf } from "./facet.ts";
// Nets
export {
  enabledTransitions,
  enabling,
  fire,
  fireSequence,
  isEnabled,
  NO_RULES,
  type NonLocalRule,
  type NonLocalRules,
  type NotEnabled,
  type RuleTracker,
  type TrackRules,
} from "./fire.ts";
export { applicability, commitMutation, type GateResult } from "./gate.ts";
export { entryOf, graphIssues, indexGraph, nodeOf, scopesOf } from "./graph.ts";
export { contentHash, type Hash, isHash, sha256Hex } from "./hash.ts";
export type { Constraint, ConstraintClass, ConstraintScope, Violation } from "./integrity.ts";
export { InvariantViolation, invariant, unreachable } from "./invariant.ts";
export { formatIssue, type Issue, issue, type Position } from "./issue.ts";
export { CODES } from "./issue-codes.ts";
// Runs
export {
  type ChildStatus,
  type InstanceCounts,
  type ItemId,
  type ItemKind,
  itemId,
  itemModes,
  MODE_ORDER,
  type OpenItem,
  type Subscription,
  type WaitingMode,
} from "./item.ts";
export { isJson, type Json, type JsonObject, jsonBytes, jsonEqual, type Path } from "./json.ts";
export { parseJson } from "./json-parse.ts";
export {
  addWeights,
  type BodyKind,
  type DraftTransition,
  type FragmentBuilder,
  type Input,
  type KindSpec,
  type KindTable,
  kindTable,
  type ResetSet,
  type RewriteBuilder,
  type ScopeContent,
  type WorkflowGraph,
} from "./kinds.ts";
export { isFinal, type Marking, markedPlaces, markingOf, sameMarking } from "./marking.ts";
export {
  applyMutation,
  EMPTY_MUTATION,
  type Merge,
  type Mutation,
  mergeMutations,
  type ObjectUpdate,
  touchedBy,
} from "./mutation.ts";
export { parseMutation } from "./mutation-parse.ts";
export {
  type FinalMarkings,
  makeNet,
  type Net,
  type NetClass,
  netClass,
  type Phase,
  type Place,
  type PlaceIndex,
  type PlaceOrigin,
  type Transition,
  type TransitionIndex,
  type TransitionOrigin,
  type WeightedPlace,
} from "./net.ts";
export { type CompiledNetDefinition, compileNetDefinition, orJoinRule } from "./net-definition.ts";
export { fillTemplate, templateKeys } from "./object-template.ts";
export { type OperatorInput, placesTokens, type Suspension } from "./operator-input.ts";
export { foldOverlays, followedBy, type Overlay, type StagedChange, stagedBytes } from "./overlay.ts";
export { type Parsed, parseDefinition, parseWorkflow } from "./parse-workflow.ts";
// Patches
export { applyPatch, EMPTY_PATCH, type Patch, type PatchOp } from "./patch.ts";
export { diff } from "./patch-diff.ts";
export { PATCH_LIMITS, type PatchLimits, parsePatch } from "./patch-parse.ts";
export { recordKeys, recordPatch } from "./patch-record.ts";
export {
  EMPTY_GRAPH,
  graphJson,
  type Link,
  objectJson,
  objectOf,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  sourcesOf,
} from "./product-graph.ts";
export { type ChainLink, makeProgram, type Program } from "./program.ts";
export { bad, ok, type Result } from "./result.ts";
export {
  applyTurn,
  deriveStatus,
  initialState,
  nodeIdOf,
  patchBytes,
  type RunState,
  type RunStatus,
  type SentEvent,
  type StepRecord,
  sameState,
  type Terminal,
  type Trouble,
  type TurnBase,
  type TurnInput,
  type TurnRecord,
  type TurnRefusal,
  tokenNodes,
  turnBase,
} from "./run.ts";
export { SEMANTICS, SEMANTICS_VERSION, type SemanticsVersion } from "./semantics.ts";
// Names
export { nearest } from "./suggest.ts";
export {
  type Arc,
  arcOutcome,
  CANCELLED,
  type DataKey,
  type DataType,
  type Definition,
  DONE,
  ERROR,
  EXPIRED,
  type Facet,
  type GraphClaim,
  type Join,
  type JoinSemantics,
  type NetDefinition,
  type NetDefinitionPlace,
  type NetDefinitionTransition,
  type NodeId,
  type ObjectsClaim,
  type Outcome,
  type Split,
  splitOf,
  type WorkflowDefinition,
  type WorkflowNode,
  type WritesClaim,
} from "./workflow.ts";
