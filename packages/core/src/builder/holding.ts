/** @module Blocks that hold back what their branches write: the meta of their closer, and what they cannot have inside. */
import type { Json, JsonObject } from "../json.ts";
import type { NodeId } from "../workflow.ts";
import { type BlockData, type HoldData, misuse } from "./block.ts";
import type { NodeSpec } from "./node-spec.ts";

/** The meta of the node that closes a block. */
export function closerMeta({ isStaged, merge }: HoldData): JsonObject {
  return {
    ...(isStaged ? { stage: true } : {}),
    ...(merge === null ? {} : { merge: merge as { readonly [key: string]: Json } }),
  };
}

/**
 * Refuses what a block that holds back cannot have (D21.2), where `id` closes it and `parts` lie inside.
 *
 * @throws BuilderError BUILD003 if a rule is none or `last` without stage, or if a step inside calls a workflow.
 */
export function refuseHeld(id: NodeId, hold: HoldData, parts: readonly BlockData[]): void {
  for (const [key, rule] of Object.entries(hold.merge ?? {})) {
    const isFunction = typeof rule === "object" && typeof rule.function === "string";
    if (rule === "last" && !hold.isStaged) throw misuse(id, `takes the last "${key}" and is not staged`);
    if (!isFunction && rule !== "append" && rule !== "sum" && rule !== "max" && rule !== "last")
      throw misuse(id, `has no rule that could merge "${key}"`);
  }
  for (const part of parts) {
    const calling = stepsIn(part).find(({ spec }) => callsWorkflow(spec));
    if (calling !== undefined)
      throw misuse(calling.id, `calls a workflow, which would write past what "${id}" holds back`);
  }
}

type Step = Extract<BlockData, { readonly kind: "step" }>;

function stepsIn(block: BlockData): readonly Step[] {
  return [...(block.kind === "step" ? [block] : []), ...partsOf(block).flatMap(stepsIn)];
}

/** The blocks that `block` is made of. */
export function partsOf(block: BlockData): readonly BlockData[] {
  switch (block.kind) {
    case "finish":
      return [];
    case "step":
      return [...block.routes.values()];
    case "subprocess":
      return [block.body, ...block.routes.values()];
    case "sequence":
      return block.blocks;
    case "choice":
      return [...block.branches.map((branch) => branch.block), block.otherwise];
    case "inclusive":
      return [...block.branches.map((branch) => branch.block), block.otherwise, ...rejectedOf(block.hold)];
    case "parallel":
      return [...block.branches, ...rejectedOf(block.hold)];
    case "loop":
      return [block.body, block.verify, block.repair, block.exhausted];
  }
}

function rejectedOf(hold: HoldData | null): readonly BlockData[] {
  return hold === null || hold.rejected === null ? [] : [hold.rejected];
}

/** Does the node, or an event of it, run another workflow? */
function callsWorkflow({ node }: NodeSpec): boolean {
  const events = node.meta?.events;
  const list: readonly Json[] = Array.isArray(events) ? events : [];
  const isCalling = (value: unknown) =>
    typeof value === "object" && value !== null && Object.hasOwn(value, "workflow");
  return isCalling(node.meta) || list.some(isCalling);
}
