/** @module Structured OR blocks searched for one by one, each through every node of it: the oracle of the faster search. */
import { type Join, type Outcome, splitOf, type WorkflowGraph } from "@tessera/core";
import { arcsUnder, labelsOf, nodeAt } from "../src/arcs.ts";

/** The OR block of a split, or why there is none. `branchOf` maps each arc into the join to the arc out of the split whose branch it ends. */
type OrBlock =
  | { readonly kind: "structured"; readonly join: number; readonly branchOf: ReadonlyMap<number, number> }
  | { readonly kind: "unstructured"; readonly reason: string; readonly node: number };

/**
 * The block of the OR split `split` under `outcome`: the OR join J such that the arcs of the outcome are the only way
 * into the region between, every way out of it enters J, J has no other input, branches share no node, every branch
 * can enter J, no end lies inside, and every AND or OR split inside closes there, so that a branch brings one token.
 * All arcs count, error arcs included, but for arcs to a terminate end: that empties the whole scope, block and all, so
 * it is neither inside nor a way out. Cost: linear in the block and in the blocks of the AND and OR splits inside it.
 */
export function plainBlock(
  graph: WorkflowGraph,
  split: number,
  outcome: Outcome,
  rule: Join = "or",
): OrBlock {
  const { block, inside } = shapeOf(graph, split, outcome, rule);
  if (block.kind === "unstructured") return block;
  const open = [...inside].find((node) => !closesInside(graph, node));
  return open === undefined
    ? block
    : { kind: "unstructured", reason: "a branch may bring several tokens", node: open };
}

/** Single entry and single exit of the arcs of `outcome`, and the nodes between, whatever happens there. */
function shapeOf(
  graph: WorkflowGraph,
  split: number,
  outcome: Outcome,
  kind: Join,
): { readonly block: OrBlock; readonly inside: Iterable<number> } {
  const { nodes } = graph.definition;
  const arcs = arcsUnder(graph, split, outcome);
  const meeting = meetingNodes(graph, split, arcs);
  const join = meeting.find((node) => nodes[node]?.join === kind);
  if (join !== undefined) return blockBetween(graph, split, arcs, join);
  const [node = split] = meeting;
  const reason = node === split ? "its branches do not meet" : "its branches meet where no OR join is";
  return { block: { kind: "unstructured", reason, node }, inside: [] };
}

/** Has each AND or OR split of the node the shape of a block that a join of its own sort closes? */
function closesInside(graph: WorkflowGraph, node: number): boolean {
  return (["all", "or"] as const).every((kind) =>
    splitOutcomes(graph, node, kind).every(
      (outcome) => shapeOf(graph, node, outcome, kind).block.kind === "structured",
    ),
  );
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
  return splitOutcomes(graph, node, "or");
}

function splitOutcomes(graph: WorkflowGraph, node: number, kind: "all" | "or"): readonly Outcome[] {
  const definition = graph.definition.nodes[node];
  if (definition === undefined) return [];
  return labelsOf(graph, node).filter(
    (outcome) => splitOf(definition, outcome) === kind && arcsUnder(graph, node, outcome).length > 1,
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

function blockBetween(
  graph: WorkflowGraph,
  split: number,
  arcs: readonly number[],
  join: number,
): ReturnType<typeof shapeOf> {
  const owner = new Map<number, number>();
  const branchOf = new Map<number, number>();
  const no = (block: OrBlock) => ({ block, inside: [] });
  for (const arc of arcs) {
    const refusal = walkBranch(graph, { split, join, arc, owner, branchOf });
    if (refusal !== null) return no(refusal);
    if (!(graph.incoming[join] ?? []).some((into) => branchOf.get(into) === arc))
      return no({ kind: "unstructured", reason: "a branch never reaches the join", node: split });
  }
  if ((graph.incoming[join] ?? []).some((arc) => !branchOf.has(arc)))
    return no({ kind: "unstructured", reason: "the join has an input from outside the block", node: join });
  const starts = new Set(arcs);
  const isInside = (arc: number) => owner.has(nodeAt(graph, arc, "from")) || starts.has(arc);
  for (const node of owner.keys()) {
    if ((graph.incoming[node] ?? []).some((arc) => !isInside(arc)))
      return no({ kind: "unstructured", reason: "a node inside the block has an input from outside", node });
  }
  return { block: { kind: "structured", join, branchOf }, inside: owner.keys() };
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
