/** @module Ends of blocks that hold back: what they may be refused for, and whether a run need hold anything back. */
import type { CompiledWorkflow } from "@tessera/core";
import { type MergeBlock, mergeBlocks } from "@tessera/gateways";
import { mayWrite } from "./answers-of-nodes.ts";
import type { Questions } from "./conditions-read.ts";

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
