/** @module Ends of blocks that hold back on plain data, read from the text of D23.10, for checkers. */
import { type CompiledWorkflow, type Data, ERROR, type Outcome } from "@tessera/core";
import { mergeBlocks } from "@tessera/gateways";
import type { Questions } from "../data-level/conditions-read.ts";
import { type Leaving, leave, type PlainStep } from "./data-leave.ts";
import { untoldOf } from "./data-untold.ts";

/** Can what a block holds back be refused; can a run go through it in which it holds nothing back? */
export interface BlockEnd {
  readonly mayRefuse: boolean;
  readonly isFree: boolean;
}

/** By the node that closes the block. */
export function endsOf(
  { definition, kinds, graph }: CompiledWorkflow,
  forms: Questions["forms"],
  mayWrite: (node: number, outcome: Outcome, key: string) => boolean,
): ReadonlyMap<number, BlockEnd> {
  const found = new Map<number, BlockEnd>();
  for (const { closer, isStaged, merges, branches } of mergeBlocks(graph)) {
    const inside = branches.flatMap(({ members }) => [...members]);
    const mayRefuse = inside.some((node) => {
      const given = definition.nodes[node]!;
      const body = kinds[node]!.body(given);
      const isFunction = body === "inline" && given.kind !== "decision" && given.kind !== "verifier";
      if (isStaged && (isFunction || body === "job")) return true;
      const labels = kinds[node]!.alphabet(given);
      return [...merges.keys()].some((key) => labels.some((label) => mayWrite(node, label, key)));
    });
    const isFree = inside.every((node) =>
      (forms[node] ?? []).every((field) => field.isOptional || !merges.has(field.key)),
    );
    found.set(closer, { mayRefuse, isFree });
  }
  return found;
}

/** The end under `outcome`, or the refusal; alone, as in a run whose branches hold nothing back. */
export function endSteps(
  leaving: Leaving,
  node: number,
  { mayRefuse, isFree }: BlockEnd,
  outcome: Outcome,
  data: Data,
): readonly PlainStep[] {
  const left = (label: Outcome, manner = {}) => leave(leaving, node, label, data, data, manner);
  if (!mayRefuse) return [left(outcome), left(ERROR, { isProvision: true })];
  const either = untoldOf([left(outcome), left(ERROR)], { isPlayable: false });
  return [either, left(outcome, { isSure: false, isPlayable: isFree })];
}
