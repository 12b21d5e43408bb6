/** @module Arcs by number: what they are, where they end, and which leave a node under an outcome. */
import { type Arc, arcOutcome, invariant, type Outcome, type WorkflowGraph } from "@tessera/core";

/** The node at one end of an arc; -1 if that is no node. */
export function nodeAt(graph: WorkflowGraph, arc: number, side: "from" | "to"): number {
  return graph.nodeIndex.get(arcAt(graph, arc)[side]) ?? -1;
}

/** The labels of the arcs out of a node, each once, in document order. */
export function labelsOf(graph: WorkflowGraph, node: number): readonly Outcome[] {
  return [...new Set(graph.outgoing[node]!.map((arc) => arcOutcome(arcAt(graph, arc))))];
}

/** The arcs out of a node under an outcome, document order. */
export function arcsUnder(graph: WorkflowGraph, node: number, outcome: Outcome): readonly number[] {
  return graph.outgoing[node]!.filter((arc) => arcOutcome(arcAt(graph, arc)) === outcome);
}

/** The arc with this number, which must be one of the graph's. */
function arcAt(graph: WorkflowGraph, arc: number): Arc {
  const found = graph.definition.arcs[arc];
  invariant(found !== undefined, "D20.2", () => ({ arc }));
  return found;
}
