/** @module @tessera/gateways: public names. */

// Co-marking
export {
  type CoMarking,
  coMarking,
  fixedPoint,
  literalFixedPoint,
  type ReachableMarkings,
} from "./co-marking.ts";
// Footprints and parallel safety
export { claimKeys, dataFootprint } from "./data-footprint.ts";
// Events
export {
  awaitedEvents,
  canFail,
  type EventHandler,
  eventsOf,
  hasArcs,
  isEventLabel,
  type NodeEvent,
} from "./events.ts";
export {
  EVERYTHING,
  type Footprint,
  mutationFootprint,
  type Overlap,
  overlaps,
  type Region,
  regionsMeet,
  regionsOfData,
} from "./footprint.ts";
// Split and join semantics
export { endFragment, restFragment, scopeFragment, stepFragment } from "./fragment.ts";
export { isInstance, templatesMeet } from "./id-template.ts";
// Issues
export { CODES } from "./issue-codes.ts";
export { type Entry, entries } from "./join.ts";
// Kinds
export { type Thrown, thrownBy } from "./kinds/event.ts";
export { DEFAULT, decisionOutcome, endLabel } from "./kinds/route.ts";
export { STANDARD_KINDS } from "./kinds/standard.ts";
// The governed loop
export {
  EXHAUSTED,
  FAIL,
  type GovernedLoop,
  LOOP_BUDGET_MAX,
  loopBranch,
  loopOf,
  PASS,
} from "./loop.ts";
export { blockMembers, entersLoop } from "./loop-block.ts";
export {
  type HeldBranch,
  type MergeBlock,
  type MergeRule,
  mergeBlocks,
  mergeRule,
  mergeRules,
} from "./merge-block.ts";
export { INSTANCES_MAX, type MultiInstance, multiOf } from "./multi-instance.ts";
export {
  type FootprintOptions,
  graphFootprint,
  nodeFootprint,
  workflowFootprint,
} from "./node-footprint.ts";
export type { OrEncoding } from "./or-encoding.ts";
export { isQuiet, orJoinEnabled, reachedInputs, standing } from "./or-join.ts";
export { joinRules, orJoinRules } from "./or-join-rules.ts";
export {
  type Conflict,
  conflictBetween,
  eachConflict,
  parallelConflicts,
  waysOf,
} from "./parallel-safety.ts";
export { type Branch, branches, choiceChain } from "./split.ts";
export {
  blockClosedBy,
  blockJoin,
  innermostFirst,
  type OrBlock,
  orBlocks,
  structuredBlock,
} from "./structured.ts";
export { subsetChain } from "./subset-chain.ts";
