/** @module Structured OR blocks: the pairing of an OR split with its join. */
import { arcOutcome, type Outcome, splitOf, type WorkflowGraph } from "@tessera/core";

/** The OR block of a split, or why there is none. `branchOf` maps each arc into the join to the arc out of the split whose branch it ends. */
export type OrBlock =
  | { readonly kind: "structured"; readonly join: number; readonly branchOf: ReadonlyMap<number, number> }
  | { readonly kind: "unstructured"; readonly reason: string; readonly node: number };

/**
 * The block of the OR split `split` under `outcome`: the OR join J such that the arcs of the outcome are the only way
 * into the region between, every way out of it enters J, J has no other input, branches share no node, every branch
 * can enter J, and no end lies inside. All arcs count, error arcs included, but for arcs to a terminate end: that
 * empties the whole scope, block and all, so it is neither inside nor a way out.
 * Cost: one graph search for each OR join of the scope.
 *
 * @definition D6.8
 */
export function structuredBlock(graph: WorkflowGraph, split: number, outcome: Outcome): OrBlock {
  const { nodes } = graph.definition;
  const scope = nodes[split]?.scope;
  const arcs = outcomeArcs(graph, split, outcome);
  let reason: OrBlock = { kind: "unstructured", reason: "no OR join closes it", node: split };
  for (const [join, node] of nodes.entries()) {
    if (node.join !== "or" || node.scope !== scope || join === split) continue;
    const block = blockBetween(graph, split, arcs, join);
    if (block.kind === "structured") return block;
    if (block.node !== split) reason = block;
  }
  return reason;
}

/** The block that `join` closes, if any. */
export function blockClosedBy(
  graph: WorkflowGraph,
  join: number,
): (OrBlock & { readonly kind: "structured" }) | null {
  for (const [split, node] of graph.definition.nodes.entries()) {
    const outcomes = new Set(
      (graph.outgoing[split] ?? []).map((arc) =>
        arcOutcome(graph.definition.arcs[arc] ?? { from: "", to: "" }),
      ),
    );
    for (const outcome of outcomes) {
      if (splitOf(node, outcome) !== "or" || outcomeArcs(graph, split, outcome).length < 2) continue;
      const block = structuredBlock(graph, split, outcome);
      if (block.kind === "structured" && block.join === join) return block;
    }
  }
  return null;
}

function outcomeArcs(graph: WorkflowGraph, node: number, outcome: Outcome): readonly number[] {
  return (graph.outgoing[node] ?? []).filter(
    (arc) => arcOutcome(graph.definition.arcs[arc] ?? { from: "", to: "" }) === outcome,
  );
}

function blockBetween(graph: WorkflowGraph, split: number, arcs: readonly number[], join: number): OrBlock {
  const owner = new Map<number, number>();
  const branchOf = new Map<number, number>();
  for (const arc of arcs) {
    const refusal = walkBranch(graph, { split, join, arc, owner, branchOf });
    if (refusal !== null) return refusal;
    if (![...branchOf.values()].includes(arc)) {
      return { kind: "unstructured", reason: "a branch never reaches the join", node: split };
    }
  }
  if ((graph.incoming[join] ?? []).some((arc) => !branchOf.has(arc))) {
    return { kind: "unstructured", reason: "the join has an input from outside the block", node: join };
  }
  const inside = (arc: number) => {
    const from = graph.nodeIndex.get(graph.definition.arcs[arc]?.from ?? "") ?? -1;
    return owner.has(from) || arcs.includes(arc);
  };
  for (const node of owner.keys()) {
    if ((graph.incoming[node] ?? []).some((arc) => !inside(arc))) {
      return { kind: "unstructured", reason: "a node inside the block has an input from outside", node };
    }
  }
  return { kind: "structured", join, branchOf };
}

interface Walk {
  readonly split: number;
  readonly join: number;
  readonly arc: number;
  /** Node to the arc of the split whose branch it belongs to; shared by all branches of a block. */
  readonly owner: Map<number, number>;
  /** Arc into the join to the arc of the split, filled by the walk. */
  readonly branchOf: Map<number, number>;
}

function walkBranch(graph: WorkflowGraph, { split, join, arc, owner, branchOf }: Walk): OrBlock | null {
  const pending = [arc];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const target = graph.nodeIndex.get(graph.definition.arcs[next]?.to ?? "") ?? -1;
    if (target === join) {
      branchOf.set(next, arc);
      continue;
    }
    const node = graph.definition.nodes[target];
    if (node?.kind === "end" && node.meta?.terminate === true) continue;
    if (target === split)
      return { kind: "unstructured", reason: "a branch leads back to the split", node: split };
    const known = owner.get(target);
    if (known === arc) continue;
    if (known !== undefined)
      return { kind: "unstructured", reason: "two branches share a node", node: target };
    owner.set(target, arc);
    const onward = graph.outgoing[target] ?? [];
    if (onward.length === 0) {
      return { kind: "unstructured", reason: "a branch ends inside the block", node: target };
    }
    pending.push(...onward);
  }
  return null;
}
