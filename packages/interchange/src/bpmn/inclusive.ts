/** @module Inclusive gateways once the graph is known: what is simpler as a parallel or an exclusive one, and blocks whose shape says too little. */
import {
  type Arc,
  DONE,
  indexGraph,
  type NodeId,
  type WorkflowDefinition,
  type WorkflowGraph,
} from "@tessera/core";
import { blockClosedBy, innermostFirst, orBlocks, structuredBlock } from "@tessera/gateways";
import type { Draft } from "./draft.ts";
import { expandSplit } from "./routes.ts";
import { type Board, boardOf, comesAlone, passBlock } from "./scope-runs.ts";

/**
 * Decides every inclusive split and join. A split is an OR split, a join an OR join, with two exceptions: a split whose
 * block is structured (D6.8) although a branch brings more than one token is written out subset by subset, so that its
 * join looks at the whole marking (D15.3); a join that closes a block of the same form behind a parallel or an exclusive
 * split waits for all or for the one, which needs no look at the marking. Says whether a join is left that looks at it.
 *
 * @definition D14.15
 */
export function settleInclusive(draft: Draft, entry: NodeId): { readonly looksAtMarking: boolean } {
  let looksAtMarking = false;
  if (draft.splits.length > 0) writeOut(draft, draft.splits, viewOf(draft, entry));
  if (!draft.nodes.some(({ join }) => join === "or")) return { looksAtMarking };
  // Joins do not change what is a block: one view does for all.
  const view = viewOf(draft, entry);
  // Backwards, so that a block inside another is settled, and passed from then on, before the other one.
  for (const index of innermostFirst(view.graph).toReversed()) {
    const node = draft.nodes[index];
    if (node?.join !== "or" || blockClosedBy(view.graph, index) !== null) continue;
    const join = joinBehindOther(view, index);
    if (join === undefined) looksAtMarking = true;
    else setNode(draft, index, "join", join);
  }
  return { looksAtMarking };
}

/**
 * Writes out the splits that must be. One view does for all: what is written out stands between a split and the nodes
 * that it led to before, so it changes neither the shape nor the runs of any other block.
 */
function writeOut(draft: Draft, splits: Draft["splits"], view: View): void {
  const open = new Set<NodeId>();
  const { nodes } = view.graph.definition;
  for (const { split, outcome, block } of orBlocks(view.graph)) {
    const id = nodes[split]?.id;
    if (id === undefined || outcome !== DONE || block.kind !== "structured") continue;
    const isOnlyWay = (view.graph.outgoing[split] ?? []).every((arc) => outcomeOf(view, arc) === DONE);
    if (!branchesComeAlone(view, split, block.join)) open.add(id);
    else if (isOnlyWay) passBlock(view.board, id, nodes[block.join]?.id ?? id);
  }
  if (open.size === 0) return;
  const kept: Arc[] = draft.arcs.filter((arc) => !open.has(arc.from) || arc.outcome !== undefined);
  draft.arcs.splice(0, draft.arcs.length, ...kept);
  for (const split of splits) {
    if (!open.has(split.node)) continue;
    setNode(draft, view.graph.nodeIndex.get(split.node), "split");
    expandSplit(draft, split);
  }
}

/** The draft as a graph and as something to play, until the draft changes. */
interface View {
  readonly graph: WorkflowGraph;
  readonly board: Board;
  /** Splits that may still be tried: each costs a walk, and a walk can see the whole graph. */
  triesLeft: number;
}

function viewOf(draft: Draft, entry: NodeId): View {
  const graph = graphOf(draft, entry);
  const triesLeft = Math.ceil(STEPS_MAX / Math.max(1, graph.definition.nodes.length));
  return { graph, board: boardOf(draft), triesLeft };
}

/**
 * The join of a block whose split is parallel (all) or exclusive (any), undefined if there is no such block. The split
 * is looked for among the nodes from which the join can be reached, nearest first, within limits.
 */
function joinBehindOther(view: View, target: number): "all" | "any" | undefined {
  const { graph } = view;
  const seen = new Set([target]);
  let steps = 0;
  for (const index of seen) {
    steps += 1;
    if (steps > CANDIDATES_MAX) return undefined;
    for (const arc of graph.incoming[index] ?? [])
      seen.add(graph.nodeIndex.get(graph.definition.arcs[arc]?.from ?? "") ?? -1);
    const node = graph.definition.nodes[index];
    const ways = (graph.outgoing[index] ?? []).filter((arc) => outcomeOf(view, arc) === DONE);
    if (node === undefined || index === target || ways.length < 2) continue;
    const split = typeof node.split === "string" ? node.split : (node.split?.[DONE] ?? "first");
    if (split === "or") continue;
    view.triesLeft -= 1;
    if (view.triesLeft < 0) return undefined;
    // The form of a block does not depend on the kind of its split.
    const block = structuredBlock(graph, index, DONE);
    if (block.kind !== "structured" || block.join !== target) continue;
    if (!branchesComeAlone(view, index, target)) return undefined;
    if (ways.length === graph.outgoing[index]?.length)
      passBlock(view.board, node.id, graph.definition.nodes[target]?.id ?? node.id);
    return split === "all" ? "all" : "any";
  }
  return undefined;
}

/** Does each branch of the split bring one token to the join? Else the form of the block says too little. */
function branchesComeAlone(view: View, split: number, join: number): boolean {
  const { graph, board } = view;
  const end = graph.definition.nodes[join]?.id ?? "";
  const branches = (graph.outgoing[split] ?? []).filter((arc) => outcomeOf(view, arc) === DONE);
  return branches.every((arc) => comesAlone(board, arc, end));
}

function outcomeOf({ graph }: View, arc: number): string {
  return graph.definition.arcs[arc]?.outcome ?? DONE;
}

/** Splits that are tried for one join. */
const CANDIDATES_MAX = 200;

/** Nodes that the walks for all joins may see, about: seconds. Joins that are left then look at the marking. */
const STEPS_MAX = 20_000_000;

function graphOf(draft: Draft, entry: NodeId): WorkflowGraph {
  const definition: WorkflowDefinition = {
    format: 1,
    kind: "workflow",
    id: draft.processId,
    entry,
    nodes: [...draft.nodes],
    arcs: [...draft.arcs],
  };
  return indexGraph(definition);
}

/** Sets the join of the node at `index`, or takes away its split. */
function setNode(
  draft: Draft,
  index: number | undefined,
  member: "join" | "split",
  value?: "all" | "any",
): void {
  const node = index === undefined ? undefined : draft.nodes[index];
  if (index === undefined || node === undefined) return;
  const { [member]: _old, ...rest } = node;
  draft.nodes[index] = value === undefined ? rest : { ...rest, join: value };
}
