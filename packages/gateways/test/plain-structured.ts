/** @module Structured OR blocks searched for one by one, each through every node of it: the oracle of the faster search. */
import { type Outcome, splitOf, type WorkflowGraph } from "@tessera/core";
import { arcsUnder, labelsOf, nodeAt } from "../src/arcs.ts";

/** The OR block of a split, or why there is none. `branchOf` maps each arc into the join to the arc out of the split whose branch it ends. */
type OrBlock =
  | { readonly kind: "structured"; readonly join: number; readonly branchOf: ReadonlyMap<number, number> }
  | { readonly kind: "unstructured"; readonly reason: string; readonly node: number };

/**
 * The block of the OR split `split` under `outcome`: the OR join J such that the arcs of the outcome are the only way
 * into the region between, every way out of it enters J, J has no other input, branches share no node, every branch
 * can enter J, and no end lies inside. All arcs count, error arcs included, but for arcs to a terminate end: that
 * empties the whole scope, block and all, so it is neither inside nor a way out.
 * Cost: linear in the block.
 */
export function plainBlock(graph: WorkflowGraph, split: number, outcome: Outcome): OrBlock {
  const { nodes } = graph.definition;
  const arcs = arcsUnder(graph, split, outcome);
  const meeting = meetingNodes(graph, split, arcs);
  const join = meeting.find((node) => nodes[node]?.join === "or");
  if (join !== undefined) return blockBetween(graph, split, arcs, join);
  const [node = split] = meeting;
  return {
    kind: "unstructured",
    reason: node === split ? "its branches do not meet" : "its branches meet where no OR join is",
    node,
  };
}

/** The block that `join` closes, if any. Cost: linear in the block and the OR blocks inside it. */
export function plainBlockClosedBy(
  graph: WorkflowGraph,
  join: number,
): (OrBlock & { readonly kind: "structured" }) | null {
  // Backward from the join: its own split comes first, but for the splits of blocks inside.
  const seen = new Set([join]);
  for (const node of seen) {
    for (const arc of graph.incoming[node] ?? []) seen.add(nodeAt(graph, arc, "from"));
    for (const outcome of orOutcomes(graph, node)) {
      const block = plainBlock(graph, node, outcome);
      if (block.kind === "structured" && block.join === join) return block;
    }
  }
  return null;
}

/** The outcomes under which `node` is an OR split of at least two arcs. */
function orOutcomes(graph: WorkflowGraph, node: number): readonly Outcome[] {
  const definition = graph.definition.nodes[node];
  if (definition === undefined) return [];
  return labelsOf(graph, node).filter(
    (outcome) => splitOf(definition, outcome) === "or" && arcsUnder(graph, node, outcome).length > 1,
  );
}

/**
 * Where the first two branches meet: nodes that both reach without passing the split, none beyond the first. For a
 * structured block this is its join alone. Both walks go in step and stop when one has nowhere to go, unless they have
 * not met yet: a short branch has seen everything behind the join while a long one is still on its way to it.
 */
function meetingNodes(graph: WorkflowGraph, split: number, arcs: readonly number[]): readonly number[] {
  const [left, right] = arcs.slice(0, 2).map((arc) => ({ seen: new Set<number>(), pending: [arc] }));
  if (left === undefined || right === undefined) return [];
  const met = new Set<number>();
  const isOver = () => {
    const isOneDone = left.pending.length === 0 || right.pending.length === 0;
    return isOneDone && (met.size > 0 || left.pending.length + right.pending.length === 0);
  };
  while (!isOver()) {
    for (const [own, other] of [[left, right] as const, [right, left] as const]) {
      const arc = own.pending.shift();
      const node = arc === undefined ? split : nodeAt(graph, arc, "to");
      if (node === split || own.seen.has(node) || isTerminateEnd(graph, node)) continue;
      own.seen.add(node);
      if (other.seen.has(node)) met.add(node);
      else own.pending.push(...(graph.outgoing[node] ?? []));
    }
  }
  return [...met];
}

/** Is the node an end that empties its whole scope? */
function isTerminateEnd(graph: WorkflowGraph, node: number): boolean {
  const end = graph.definition.nodes[node];
  return end?.kind === "end" && end.meta?.terminate === true;
}

function blockBetween(graph: WorkflowGraph, split: number, arcs: readonly number[], join: number): OrBlock {
  const owner = new Map<number, number>();
  const branchOf = new Map<number, number>();
  for (const arc of arcs) {
    const refusal = walkBranch(graph, { split, join, arc, owner, branchOf });
    if (refusal !== null) return refusal;
    if (!(graph.incoming[join] ?? []).some((into) => branchOf.get(into) === arc)) {
      return { kind: "unstructured", reason: "a branch never reaches the join", node: split };
    }
  }
  if ((graph.incoming[join] ?? []).some((arc) => !branchOf.has(arc))) {
    return { kind: "unstructured", reason: "the join has an input from outside the block", node: join };
  }
  const starts = new Set(arcs);
  const inside = (arc: number) => owner.has(nodeAt(graph, arc, "from")) || starts.has(arc);
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
    const target = nodeAt(graph, next, "to");
    const known = owner.get(target);
    if (target === join) branchOf.set(next, arc);
    if (target === join || known === arc || isTerminateEnd(graph, target)) continue;
    const onward = graph.outgoing[target] ?? [];
    const problem =
      target === split
        ? "a branch leads back to the split"
        : known !== undefined
          ? "two branches share a node"
          : onward.length === 0
            ? "a branch ends inside the block"
            : null;
    if (problem !== null) return { kind: "unstructured", reason: problem, node: target };
    owner.set(target, arc);
    pending.push(...onward);
  }
  return null;
}
