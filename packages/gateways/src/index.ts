/** @module @tessera/gateways: public names. */

// Co-marking
export { type CoMarking, coMarking, fixedPoint, type ReachableMarkings } from "./co-marking.ts";
// Split and join semantics
export { endFragment, restFragment, scopeFragment, stepFragment } from "./fragment.ts";
// Issues
export { CODES } from "./issue-codes.ts";
export { type Entry, entries } from "./join.ts";
// Kinds
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
export type { OrEncoding } from "./or-encoding.ts";
export { isQuiet, orJoinEnabled, orJoinRule, reachedInputs, standing } from "./or-join.ts";
export { orJoinRules } from "./or-join-table.ts";
export { type Branch, branches, choiceChain } from "./split.ts";
export { blockClosedBy, type OrBlock, structuredBlock } from "./structured.ts";
export { subsetChain } from "./subset-chain.ts";
