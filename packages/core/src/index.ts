/** @module @tessera/core: public names, grouped. */
// Trouble

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
export { DATA_LIMITS, type Data, type DataLimits, parseData, readData } from "./data.ts";
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
} from "./fire.ts";
export { entryOf, graphIssues, indexGraph, nodeOf, scopesOf } from "./graph.ts";
export { contentHash, type Hash, isHash, sha256Hex } from "./hash.ts";
export { InvariantViolation, invariant, unreachable } from "./invariant.ts";
export { formatIssue, type Issue, issue, type Position } from "./issue.ts";
export { CODES } from "./issue-codes.ts";
// Runs
export {
  type ChildStatus,
  type ItemId,
  type ItemKind,
  itemModes,
  MODE_ORDER,
  type OpenItem,
  type WaitingMode,
} from "./item.ts";
export { isJson, type Json, type JsonObject, jsonBytes, jsonEqual, type Path } from "./json.ts";
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
export { type CompiledNetDefinition, compileNetDefinition } from "./net-definition.ts";
// Product graph
export { commitMutation, type GateResult } from "./gate.ts";
export type { Constraint, ConstraintClass, ConstraintScope, Violation } from "./integrity.ts";
export { parseMutation } from "./mutation-parse.ts";
export { applyMutation, EMPTY_MUTATION, type Mutation, type ObjectUpdate } from "./mutation.ts";
export {
  EMPTY_GRAPH,
  type Link,
  objectOf,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  sourcesOf,
} from "./product-graph.ts";
// Patches
export { applyPatch, EMPTY_PATCH, type Patch, type PatchOp } from "./patch.ts";
export { diff } from "./patch-diff.ts";
export { PATCH_LIMITS, type PatchLimits, parsePatch } from "./patch-parse.ts";
export { recordPatch } from "./patch-record.ts";
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
  type StepRecord,
  type Terminal,
  type Trouble,
  type TurnInput,
  type TurnRecord,
  type TurnRefusal,
  tokenNodes,
} from "./run.ts";
export { SEMANTICS, SEMANTICS_VERSION, type SemanticsVersion } from "./semantics.ts";
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
  type Join,
  type NetDefinition,
  type NetDefinitionPlace,
  type NetDefinitionTransition,
  type NodeId,
  type Outcome,
  type Split,
  splitOf,
  type WorkflowDefinition,
  type WorkflowNode,
} from "./workflow.ts";
