/** @module Repair hints: the changes of a single gateway that make a workflow sound, each proved. */
import {
  compileWorkflow,
  type Join,
  type KindTable,
  type NodeId,
  type Split,
  type WorkflowDefinition,
  type WorkflowNode,
} from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { proveNet } from "./pipeline.ts";
import type { CheckOptions } from "./soundness.ts";

/** A change of one gateway, named by its id and label: the other rule of its join or of its split. */
export type RepairHint = { readonly node: NodeId; readonly label?: string } & (
  | { readonly part: "join"; readonly from: Join; readonly to: Join }
  | { readonly part: "split"; readonly from: Split; readonly to: Split }
);

/** What the search for hints may use. */
export interface HintLimits {
  /** Changed definitions that are proved. */
  readonly changesMax: number;
  /** Markings for each of them. */
  readonly statesMax: number;
  /** Milliseconds for all of them. */
  readonly timeoutMs: number;
}

/** Enough for models that people draw; a hint that takes longer is none. */
export const HINT_LIMITS: HintLimits = { changesMax: 64, statesMax: 2_000, timeoutMs: 2_000 };

/** The hints that were found, in document order, and whether every change was tried and decided. */
export interface Hints {
  readonly hints: readonly RepairHint[];
  readonly isComplete: boolean;
}

/**
 * The changes of one gateway's join or split after which the net of `definition` is proved to be sound and 1-safe. What is
 * sound already needs none, and gets those changes that keep it so. Cost: a proof for each change, at most `changesMax`.
 *
 * @definition D8.15
 */
export function repairHints(
  definition: WorkflowDefinition,
  kinds: KindTable,
  limits: HintLimits = HINT_LIMITS,
  options: Pick<CheckOptions, "now" | "signal"> = {},
): Hints {
  const now = options.now ?? (() => performance.now());
  const until = now() + limits.timeoutMs;
  const changes = changesOf(definition);
  let isComplete = changes.length <= limits.changesMax;
  const hints = changes.slice(0, limits.changesMax).filter((change) => {
    const compiled = compileWorkflow(changed(definition, change), kinds);
    if (!compiled.ok) return false;
    const timeoutMs = Math.max(0, until - now());
    const { sound, obligations } = proveNet(compiled.value.net, {
      ...options,
      rules: orJoinRules(compiled.value),
      limits: { statesMax: limits.statesMax, statesAfterFailureMax: 1, timeoutMs },
    });
    if (sound === null) isComplete = false;
    return sound === true && obligations.some(({ id, verdict }) => id === "O4" && verdict.kind === "holds");
  });
  return { hints, isComplete };
}

/** The definition with one gateway changed. */
export function changed(definition: WorkflowDefinition, { node, part, to }: RepairHint): WorkflowDefinition {
  const nodes = definition.nodes.map((one): WorkflowNode => (one.id === node ? { ...one, [part]: to } : one));
  return { ...definition, nodes };
}

/** All changes of a gateway with several arcs on the side in question. */
function changesOf({ nodes, arcs }: WorkflowDefinition): readonly RepairHint[] {
  return nodes.flatMap((node): RepairHint[] => {
    if (node.kind !== "gateway") return [];
    const { id, join = "any", split = "first" } = node;
    const name = { node: id, ...(node.label === undefined ? {} : { label: node.label }) };
    const isJoin = arcs.filter(({ to }) => to === id).length > 1;
    const isSplit = arcs.filter(({ from }) => from === id).length > 1 && typeof split === "string";
    return [
      ...(isJoin ? others<Join>(join, "any", "all") : []).map(
        (to): RepairHint => ({ ...name, part: "join", from: join, to }),
      ),
      ...(isSplit ? others<Split>(split, "first", "all") : []).map(
        (to): RepairHint => ({ ...name, part: "split", from: split as Split, to }),
      ),
    ];
  });
}

function others<T>(now: T, ...all: readonly T[]): readonly T[] {
  return all.filter((one) => one !== now);
}
