/** @module Blocks that hold back on a case: what their end may be refused for, and why some say nothing of their data. */
import { type CompiledWorkflow, ERROR, type Outcome } from "@tessera/core";
import { type MergeBlock, mergeBlocks } from "@tessera/gateways";
import { mayWrite } from "./answers-of-nodes.ts";
import type { Questions } from "./conditions-read.ts";
import { type Choice, type Leaving, leave, untold } from "./leaving.ts";

/**
 * The end of a block: `mayRefuse`: a branch can hold back what does not go together; `isFree`: no branch must write a key
 * that is merged.
 */
export interface BlockEnd {
  readonly mayRefuse: boolean;
  readonly isFree: boolean;
}

/** The ends of blocks that hold back, by the node that closes them. */
export function blockEnds(compiled: CompiledWorkflow, questions: Questions): ReadonlyMap<number, BlockEnd> {
  return new Map(
    mergeBlocks(compiled.graph).map((block) => [block.closer, blockEnd(compiled, questions, block)]),
  );
}

function blockEnd(
  { definition, kinds }: CompiledWorkflow,
  questions: Questions,
  { closer, isStaged, merges, branches }: MergeBlock,
): BlockEnd {
  const members = branches.flatMap(({ members: own }) => [...own]).filter((node) => node !== closer);
  const bodyOf = (node: number) => kinds[node]!.body(definition.nodes[node]!);
  // A verifier answers true or false, and a decision looks at D alone.
  const proposes = (node: number) =>
    bodyOf(node) === "job" ||
    (bodyOf(node) === "inline" && !["decision", "verifier"].includes(definition.nodes[node]!.kind));
  const writesMerged = (node: number) =>
    kinds[node]!.alphabet(definition.nodes[node]!).some((outcome) =>
      [...merges.keys()].some((key) =>
        mayWrite(questions, bodyOf(node), definition.nodes[node]!, node, outcome, key),
      ),
    );
  const mustWrite = (node: number) =>
    (questions.forms[node] ?? []).some(({ key, isOptional }) => merges.has(key) && !isOptional);
  return {
    mayRefuse: (isStaged && members.some(proposes)) || members.some(writesMerged),
    isFree: !members.some(mustWrite),
  };
}

/**
 * The closer of a block leaves under `outcome`, or under error where what its branches hold back is refused. A run in
 * which they hold nothing back is not refused.
 *
 * @definition D23.10
 */
export function endChoices(
  leaving: Leaving,
  node: number,
  { mayRefuse, isFree }: BlockEnd,
  outcome: Outcome,
  cells: readonly number[],
): readonly Choice[] {
  const provision = leave(leaving, node, ERROR, cells, cells, { isProvision: true });
  if (!mayRefuse) return [leave(leaving, node, outcome, cells, cells), provision];
  const refused = leave(leaving, node, ERROR, cells, cells, { isPlayable: false });
  const accepted = leave(leaving, node, outcome, cells, cells, { isSure: false, isPlayable: isFree });
  return [untold([leave(leaving, node, outcome, cells, cells, { isPlayable: false }), refused]), accepted];
}
