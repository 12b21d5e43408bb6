/** @module One block by the words of its definition: its branches walked, past what lies between a fork inside and its exit. */
import type { Join, WorkflowGraph } from "@tessera/core";
import { nodeAt } from "./arcs.ts";
import { type Fork, isTerminateEnd } from "./block-regions.ts";

/** A fork whose region has been walked: a walk around it passes it in one step, as it has one way in and one way out. */
export interface Passage {
  readonly fork: Fork;
  readonly exit: number;
  readonly walked: Walked;
}

/** A graph, and the passages that begin at a node. */
export interface Guide {
  readonly graph: WorkflowGraph;
  readonly passagesAt: (node: number) => readonly Passage[];
}

/** The branches of a fork up to a node. */
export interface Walked {
  /** Why this is no single entry and single exit; null if it is one. */
  readonly problem: { readonly reason: string; readonly node: number } | null;
  /** Arc into the exit to the arc of the fork whose branch it ends. */
  readonly branchOf: ReadonlyMap<number, number>;
  /** Does some branch come to the exit? */
  readonly isReached: boolean;
  /** Does an arc from elsewhere lead between fork and exit? */
  readonly isEntered: boolean;
  /** The nodes in the branches, but for what lies inside the passages, and the passages. */
  readonly inside: readonly number[];
  readonly passages: readonly Passage[];
}

interface Walk {
  readonly owner: Map<number, number>;
  readonly branchOf: Map<number, number>;
  /** Exits that were reached across their region. */
  readonly passed: Set<number>;
  readonly reached: Set<number>;
  readonly passages: Passage[];
  problem: Walked["problem"];
}

/**
 * Walks all branches of the fork up to `exit`, to the end even if there is a problem: an outer walk passes what lies
 * between. Cost: linear in what is seen, and nothing for what lies inside a passage.
 */
export function walkBranches(guide: Guide, fork: Fork, exit: number): Walked {
  const { graph } = guide;
  const walk: Walk = {
    owner: new Map(),
    branchOf: new Map(),
    passed: new Set(),
    reached: new Set(),
    passages: [],
    problem: null,
  };
  for (const arc of fork.arcs) {
    walkBranch(guide, walk, fork.split, exit, arc);
    if (!walk.reached.has(arc))
      walk.problem ??= { reason: "a branch never reaches the join", node: fork.split };
  }
  const own = new Set(fork.arcs);
  const isOutside = (arc: number) => !own.has(arc) && !walk.owner.has(nodeAt(graph, arc, "from"));
  const isJoinEntered = graph.incoming[exit]!.some((arc) => !walk.branchOf.has(arc));
  if (isJoinEntered) walk.problem ??= { reason: "the join has an input from outside the block", node: exit };
  const inside = [...walk.owner.keys()];
  const isNodeEntered = (node: number) => !walk.passed.has(node) && graph.incoming[node]!.some(isOutside);
  const entered =
    inside.find(isNodeEntered) ?? walk.passages.find(({ walked }) => walked.isEntered)?.fork.split;
  if (entered !== undefined)
    walk.problem ??= { reason: "a node inside the block has an input from outside", node: entered };
  const { problem, branchOf, passages } = walk;
  return {
    problem,
    branchOf,
    isReached: walk.reached.size > 0,
    isEntered: isJoinEntered || entered !== undefined,
    inside,
    passages,
  };
}

function walkBranch(guide: Guide, walk: Walk, split: number, exit: number, arc: number): void {
  const { graph } = guide;
  const pending: { readonly target: number; readonly into: number | null }[] = [
    { target: nodeAt(graph, arc, "to"), into: arc },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { target, into } = next;
    if (target === exit) {
      walk.reached.add(arc);
      if (into !== null) walk.branchOf.set(into, arc);
      continue;
    }
    const known = walk.owner.get(target);
    if (known === arc || isTerminateEnd(graph, target)) continue;
    const outgoing = graph.outgoing[target] ?? [];
    const reason =
      target === split
        ? "a branch leads back to the split"
        : known !== undefined
          ? "two branches share a node"
          : outgoing.length === 0
            ? "a branch ends inside the block"
            : null;
    if (reason !== null) {
      walk.problem ??= { reason, node: target };
      continue;
    }
    walk.owner.set(target, arc);
    if (into === null) walk.passed.add(target);
    const skipped = new Set<number>();
    for (const passage of guide.passagesAt(target)) {
      walk.passages.push(passage);
      for (const own of passage.fork.arcs) skipped.add(own);
      if (passage.walked.isReached) pending.push({ target: passage.exit, into: null });
    }
    for (const out of outgoing)
      if (!skipped.has(out)) pending.push({ target: nodeAt(graph, out, "to"), into: out });
  }
}

/**
 * Where the first two branches of the fork meet: nodes that both reach without passing the split, none beyond the first.
 * For a structured block this is its join alone. Both walks go in step and stop when one has nowhere to go, unless they
 * have not met yet: a short branch has seen everything behind the join while a long one is still on its way to it.
 * Cost: linear in what is seen, which can be the whole graph.
 */
export function meetingOf(graph: WorkflowGraph, { split, arcs }: Fork, kind: Join): number | undefined {
  const [left, right] = arcs.slice(0, 2).map((arc) => ({ seen: new Set<number>(), pending: [arc], next: 0 }));
  if (left === undefined || right === undefined) return undefined;
  const met = new Set<number>();
  const isDone = (side: typeof left) => side.next >= side.pending.length;
  const isOver = () => (isDone(left) || isDone(right)) && (met.size > 0 || (isDone(left) && isDone(right)));
  while (!isOver()) {
    for (const [own, other] of [[left, right] as const, [right, left] as const]) {
      const arc = own.pending[own.next];
      own.next += 1;
      const node = arc === undefined ? split : nodeAt(graph, arc, "to");
      if (node === split || own.seen.has(node) || isTerminateEnd(graph, node)) continue;
      own.seen.add(node);
      if (other.seen.has(node)) met.add(node);
      else own.pending.push(...(graph.outgoing[node] ?? []));
    }
  }
  return [...met].find((node) => graph.definition.nodes[node]?.join === kind);
}
