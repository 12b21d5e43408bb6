/** @module Inclusive gateways once the graph is known: what is simpler as a parallel or an exclusive one, and blocks whose shape says too little. */
import {
  type Arc,
  DONE,
  indexGraph,
  type NodeId,
  type WorkflowDefinition,
  type WorkflowGraph,
} from "@tessera/core";
import { blockClosedBy, blockJoin, innermostFirst, orBlocks, structuredBlock } from "@tessera/gateways";
import type { Draft } from "./draft.ts";
import { expandSplit } from "./routes.ts";
import { type Board, boardOf, comesAlone, passBlock } from "./scope-runs.ts";

/**
 * Decides every inclusive split and join. A split is an OR split, a join an OR join, with two exceptions: a split whose
 * block is structured (D6.8) although a branch brings more than one token is written out subset by subset, so that its
 * join looks at the whole marking (D15.3); a join that closes a block of the same form behind a parallel or an exclusive
 * split waits for all or for the one, which needs no look at the marking. Says whether a join is left that looks at it.
 * The joins come first: what they wait for decides whether a block around them is structured. Writing out a split takes
 * away its own block and those around it, and makes none.
 *
 * @definition D14.15
 */
export function settleInclusive(draft: Draft, entry: NodeId): { readonly looksAtMarking: boolean } {
  const isAsked = draft.splits.length > 0 || draft.nodes.some(({ join }) => join === "or");
  if (!isAsked) return { looksAtMarking: false };
  const view = viewOf(draft, entry);
  settleJoins(draft, view);
  const settled = graphOf(draft, entry);
  const graph = writeOut(draft, { ...view, graph: settled }) ? graphOf(draft, entry) : settled;
  const looksAtMarking = draft.nodes.some(
    ({ join }, index) => join === "or" && blockClosedBy(graph, index) === null,
  );
  return { looksAtMarking };
}

/** Settles the joins behind parallel and exclusive splits. A block inside another comes first, and is passed from then on. */
function settleJoins(draft: Draft, view: View): void {
  const { graph } = view;
  for (const split of innermostFirst(graph)) {
    // The form of a block does not depend on the kind of its split, nor on what the joins inside wait for.
    const join = blockJoin(graph, split, DONE);
    const node = graph.definition.nodes[split];
    if (join === null || node === undefined) continue;
    const kind = typeof node.split === "string" ? node.split : (node.split?.[DONE] ?? "first");
    const isBlock = kind !== "or" || structuredBlock(graph, split, DONE).kind === "structured";
    if (!isBlock || !comeAlone(view, split, join)) continue;
    if (kind !== "or") setNode(draft, join, "join", kind === "all" ? "all" : "any");
  }
}

/** Writes out the splits that must be: of blocks that are structured now. Was there one? */
function writeOut(draft: Draft, view: View): boolean {
  const open = new Set<NodeId>();
  const { nodes } = view.graph.definition;
  for (const { split, outcome, block } of orBlocks(view.graph)) {
    const id = nodes[split]?.id;
    if (id === undefined || outcome !== DONE || block.kind !== "structured") continue;
    if (!comeAlone(view, split, block.join)) open.add(id);
  }
  if (open.size === 0) return false;
  const kept: Arc[] = draft.arcs.filter((arc) => !open.has(arc.from) || arc.outcome !== undefined);
  draft.arcs.splice(0, draft.arcs.length, ...kept);
  for (const split of draft.splits) {
    if (!open.has(split.node)) continue;
    setNode(draft, view.graph.nodeIndex.get(split.node), "split");
    expandSplit(draft, split);
  }
  return true;
}

/** The draft as a graph and as something to play; the blocks of both kinds are played on one board, each within its limit. */
interface View {
  readonly graph: WorkflowGraph;
  readonly inclusive: Board;
  readonly others: Board;
  /** What was found, by split. */
  readonly alone: Map<number, boolean>;
}

function viewOf(draft: Draft, entry: NodeId): View {
  const board = boardOf(draft);
  return {
    graph: graphOf(draft, entry),
    inclusive: board,
    others: { ...board, budget: { ...board.budget } },
    alone: new Map(),
  };
}

/**
 * Does each branch of the split bring one token to the join? Else the form of the block says too little. If so, and
 * nothing else leaves the split, the block is passed from now on.
 */
function comeAlone(view: View, split: number, join: number): boolean {
  const known = view.alone.get(split);
  if (known !== undefined) return known;
  const { graph } = view;
  const { nodes } = graph.definition;
  const [start, end] = [nodes[split], nodes[join]?.id ?? ""];
  const kind = typeof start?.split === "string" ? start.split : start?.split?.[DONE];
  const board = kind === "or" ? view.inclusive : view.others;
  const arcs = graph.outgoing[split] ?? [];
  const branches = arcs.filter((arc) => outcomeOf(view, arc) === DONE);
  const isAlone = branches.every((arc) => comesAlone(board, arc, end));
  view.alone.set(split, isAlone);
  if (isAlone && branches.length === arcs.length && start !== undefined) passBlock(board, start.id, end);
  return isAlone;
}

function outcomeOf({ graph }: View, arc: number): string {
  return graph.definition.arcs[arc]?.outcome ?? DONE;
}

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
