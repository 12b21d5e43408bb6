/** @module The block of a governed loop: its nodes, and what crosses its border. */
import {
  entryOf,
  scopesOf,
  type TransitionOrigin,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { arcsUnder, nodeAt } from "./arcs.ts";
import type { GovernedLoop } from "./loop.ts";

/** Node indices of the block: the decision, its body and everything inside embedded subprocesses of the body. */
export function blockMembers(
  graph: WorkflowGraph,
  decision: WorkflowNode,
  loop: GovernedLoop,
): ReadonlySet<number> {
  const body = new Set([decision.id, ...loop.body]);
  return new Set(
    graph.definition.nodes.flatMap((node, index) => {
      return body.has(node.id) || scopesOf(graph, node).some((scope) => body.has(scope)) ? [index] : [];
    }),
  );
}

/** How an arc stands to the border of the block `inside`; null if it does not cross it. */
export function crosses(graph: WorkflowGraph, inside: ReadonlySet<number>, arc: number): "in" | "out" | null {
  const from = inside.has(nodeAt(graph, arc, "from"));
  const to = inside.has(nodeAt(graph, arc, "to"));
  if (from === to) return null;
  return to ? "in" : "out";
}

/**
 * Does a transition of this origin take a token into the block `inside` of the loop that `decision` governs: over an
 * arc from outside, or from the source place of the decision's own scope? A token that settles before an OR join has
 * not entered yet: the join that takes it does.
 */
export function entersLoop(
  graph: WorkflowGraph,
  decision: WorkflowNode,
  inside: ReadonlySet<number>,
  origin: TransitionOrigin,
): boolean {
  const { node, consumed, phase } = origin;
  if (phase !== "step" && phase !== "start" && phase !== "enter") return false;
  if (consumed.length > 0) {
    return consumed.some((arc) => crosses(graph, inside, arc) === "in");
  }
  return inside.has(node) && graph.definition.nodes[node]?.id === entryOf(graph, decision.scope);
}

/**
 * The arcs out of the block that a transition of this origin marks. One that starts a choice chain leaves by the arcs
 * of its outcome (all of them or none, LOOP008); the moves of the chain do not leave again.
 */
export function leavingArcs(
  graph: WorkflowGraph,
  inside: ReadonlySet<number>,
  origin: TransitionOrigin,
): readonly number[] {
  const { node, chosen, phase, outcome } = origin;
  if (phase === "take" || phase === "skip" || outcome === undefined) return [];
  const arcs = chosen.length > 0 ? chosen : arcsUnder(graph, node, outcome);
  return arcs.filter((arc) => crosses(graph, inside, arc) === "out");
}
