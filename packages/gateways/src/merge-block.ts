/** @module Blocks whose branches hold back what they write: staged ones, and those that merge keys of D at their join. */
import {
  type DataKey,
  type Join,
  type Json,
  type Outcome,
  scopesOf,
  splitOf,
  type WorkflowGraph,
} from "@tessera/core";
import { arcsUnder, labelsOf, nodeAt } from "./arcs.ts";
import { metaOf } from "./kinds/kind.ts";
import { loopOf } from "./loop.ts";
import { blockMembers } from "./loop-block.ts";
import { isTerminateEnd, structuredBlock } from "./structured.ts";

/** How the values that branches gave to one key become one: see D21.4. `function`: a registered function by name. */
export type MergeRule =
  | { readonly kind: "append" | "sum" | "max" | "last" }
  | { readonly kind: "function"; readonly name: string };

/** One branch: the arc of the split that begins it, and its nodes, with all inside embedded subprocesses. */
export interface HeldBranch {
  /** Index of the arc; -1 for the block of a loop. */
  readonly arc: number;
  readonly members: ReadonlySet<number>;
}

/**
 * A block that holds back what its branches write: mutations of G if it `isStaged`, and the keys of D in `merges`.
 * `closer` is the node at which that is merged: the join, or the decision of a loop. Branches in document order.
 *
 * @definition D21.1
 */
export interface MergeBlock {
  readonly closer: number;
  readonly split: number;
  readonly isStaged: boolean;
  readonly merges: ReadonlyMap<DataKey, MergeRule>;
  readonly branches: readonly HeldBranch[];
}

/** The blocks of a definition that hold back, in document order of their closers. Cost: linear in the blocks. */
export function mergeBlocks(graph: WorkflowGraph): readonly MergeBlock[] {
  return graph.definition.nodes.flatMap((node, closer): readonly MergeBlock[] => {
    const loop = loopOf(node);
    if (loop !== null) {
      if (!loop.isStaged) return [];
      const branch = { arc: -1, members: blockMembers(graph, node, loop) };
      return [{ closer, split: closer, isStaged: true, merges: new Map(), branches: [branch] }];
    }
    const isStaged = metaOf(node, "stage") === true;
    const merges = mergeRules(metaOf(node, "merge"));
    if (node.kind !== "gateway" || (!isStaged && merges.size === 0)) return [];
    const opened = openingOf(graph, closer);
    return opened === null ? [] : [{ closer, ...opened, isStaged, merges }];
  });
}

/** The split of the block that `join` closes, AND or OR, with its branches; null if it closes none. */
export function openingOf(graph: WorkflowGraph, join: number): Pick<MergeBlock, "split" | "branches"> | null {
  const rule = graph.definition.nodes[join]?.join;
  if (rule !== "all" && rule !== "or") return null;
  for (const [split] of graph.definition.nodes.entries()) {
    for (const outcome of parallelOutcomes(graph, split, rule)) {
      const block = structuredBlock(graph, split, outcome, rule);
      if (block.kind !== "structured" || block.join !== join) continue;
      const arcs = arcsUnder(graph, split, outcome);
      return { split, branches: arcs.map((arc) => ({ arc, members: branchMembers(graph, arc, join) })) };
    }
  }
  return null;
}

/** The rules of `meta.merge`; members of another form are left out, for `mergeRuleProblem` to report. */
export function mergeRules(value: Json | undefined): ReadonlyMap<DataKey, MergeRule> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([key, rule]) => {
      const read = mergeRule(rule as Json);
      return read === null ? [] : [[key, read] as const];
    }),
  );
}

/** "append", "sum", "max", "last", or `{ function: name }`; null for anything else. */
export function mergeRule(value: Json): MergeRule | null {
  if (value === "append" || value === "sum" || value === "max" || value === "last") return { kind: value };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { function: name, ...rest } = value as { readonly [member: string]: Json };
  const isNamed = typeof name === "string" && name !== "" && Object.keys(rest).length === 0;
  return isNamed ? { kind: "function", name } : null;
}

/** Outcomes under which `node` marks several arcs at the same time, for a join of `rule`. */
function parallelOutcomes(graph: WorkflowGraph, node: number, rule: Join): readonly Outcome[] {
  const definition = graph.definition.nodes[node];
  if (definition === undefined) return [];
  return labelsOf(graph, node).filter((outcome) => {
    const split = splitOf(definition, outcome);
    const isPair = split === "all" || (split === "or" && rule === "or");
    return isPair && arcsUnder(graph, node, outcome).length > 1;
  });
}

/** The nodes between an arc of a split and the join, and everything inside them; a terminate end lies outside. */
function branchMembers(graph: WorkflowGraph, arc: number, join: number): ReadonlySet<number> {
  const found = new Set<number>();
  const pending = [nodeAt(graph, arc, "to")];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === join || found.has(node) || isTerminateEnd(graph, node)) continue;
    found.add(node);
    for (const next of graph.outgoing[node]!) pending.push(nodeAt(graph, next, "to"));
  }
  const ids = new Set([...found].map((node) => graph.definition.nodes[node]!.id));
  graph.definition.nodes.forEach((node, index) => {
    if (scopesOf(graph, node).some((scope) => ids.has(scope))) found.add(index);
  });
  return found;
}
