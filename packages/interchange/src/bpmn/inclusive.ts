/** @module Inclusive gateways once the graph is known: what is simpler as a parallel or an exclusive one, and blocks whose shape says too little. */
import {
  type Arc,
  DONE,
  indexGraph,
  type NodeId,
  type WorkflowDefinition,
  type WorkflowGraph,
} from "@tessera/core";
import { blockClosedBy, structuredBlock } from "@tessera/gateways";
import type { Draft } from "./draft.ts";
import { expandSplit } from "./routes.ts";
import { type Board, boardOf, comesAlone } from "./scope-runs.ts";

/**
 * Decides every inclusive split and join. A split is an OR split, a join an OR join, with two exceptions: a split whose
 * block is structured (D6.8) although a branch brings more than one token is written out subset by subset, so that its
 * join looks at the whole marking (D15.3); a join that closes a block of the same form behind a parallel or an exclusive
 * split waits for all or for the one, which needs no look at the marking.
 *
 * @definition D14.15
 */
export function settleInclusive(draft: Draft, entry: NodeId): void {
  let view = viewOf(draft, entry);
  for (const split of draft.splits) {
    const index = view.graph.nodeIndex.get(split.node) ?? -1;
    const block = structuredBlock(view.graph, index, DONE);
    if (block.kind !== "structured" || branchesComeAlone(view, index, block.join)) continue;
    removeArcs(draft, split.node);
    setNode(draft, view.graph.nodeIndex.get(split.node), "split");
    expandSplit(draft, split);
    view = viewOf(draft, entry);
  }
  // Joins do not change what is a block: one view does for all.
  for (const [index, node] of [...draft.nodes].entries()) {
    if (node.join !== "or" || blockClosedBy(view.graph, index) !== null) continue;
    const join = joinBehindOther(view, index);
    if (join !== undefined) setNode(draft, index, "join", join);
  }
}

/** The draft as a graph and as something to play, until the draft changes. */
interface View {
  readonly graph: WorkflowGraph;
  readonly board: Board;
}

function viewOf(draft: Draft, entry: NodeId): View {
  return { graph: graphOf(draft, entry), board: boardOf(draft) };
}

/**
 * The join of a block whose split is parallel (all) or exclusive (any), undefined if there is no such block. The split
 * is looked for among the nodes from which the join can be reached, nearest first.
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
    const ways = (graph.outgoing[index] ?? []).filter(
      (arc) => (graph.definition.arcs[arc]?.outcome ?? DONE) === DONE,
    );
    if (node === undefined || index === target || ways.length < 2) continue;
    const split = typeof node.split === "string" ? node.split : (node.split?.[DONE] ?? "first");
    if (split === "or") continue;
    // The same shape with an OR split in its place: the form of the block does not depend on the kind of the split.
    const nodes = graph.definition.nodes.with(index, { ...node, split: "or" });
    const block = structuredBlock({ ...graph, definition: { ...graph.definition, nodes } }, index, DONE);
    if (block.kind !== "structured" || block.join !== target) continue;
    return branchesComeAlone(view, index, target) ? (split === "all" ? "all" : "any") : undefined;
  }
  return undefined;
}

/** Does each branch of the split bring one token to the join? Else the form of the block says too little. */
function branchesComeAlone({ graph, board }: View, split: number, join: number): boolean {
  const { nodes, arcs } = graph.definition;
  const end = nodes[join]?.id ?? "";
  return (graph.outgoing[split] ?? []).every((arc) => {
    if ((arcs[arc]?.outcome ?? DONE) !== DONE) return true;
    return comesAlone(board, arc, end);
  });
}

/** Splits that are tried for one join. */
const CANDIDATES_MAX = 200;

function graphOf(draft: Draft, entry: NodeId): WorkflowGraph {
  const definition: WorkflowDefinition = {
    format: 1,
    kind: "workflow",
    id: draft.processId,
    entry,
    nodes: draft.nodes,
    arcs: draft.arcs,
  };
  return indexGraph(definition);
}

function removeArcs(draft: Draft, from: NodeId): void {
  const kept: Arc[] = draft.arcs.filter((arc) => arc.from !== from || arc.outcome !== undefined);
  draft.arcs.splice(0, draft.arcs.length, ...kept);
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
