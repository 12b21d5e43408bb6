/** @module Small definitions for the engine's tests, in few words. */
import type { Arc, JsonObject, WorkflowDefinition, WorkflowNode } from "@tessera/core";

type NodeLine = readonly [
  id: string,
  kind: string,
  meta?: JsonObject | undefined,
  more?: Partial<WorkflowNode>,
];
type ArcLine = readonly [from: string, to: string, outcome?: string | undefined, more?: Partial<Arc>];

/** A workflow from lines; the first node is the entry. */
export function flow(
  id: string,
  nodes: readonly NodeLine[],
  arcs: readonly ArcLine[],
  more: Partial<WorkflowDefinition> = {},
): WorkflowDefinition {
  return {
    format: 1,
    kind: "workflow",
    id,
    entry: nodes[0]?.[0] ?? "",
    nodes: nodes.map(([node, kind, meta, rest]) => ({
      id: node,
      kind,
      ...(meta === undefined ? {} : { meta }),
      ...rest,
    })),
    arcs: arcs.map(([from, to, outcome, rest]) => ({
      from,
      to,
      ...(outcome === undefined ? {} : { outcome }),
      ...rest,
    })),
    ...more,
  };
}

/** start, one node in the middle with an error end beside the end, and the outcomes of the middle one by one. */
export function single(
  id: string,
  node: NodeLine,
  outcomes: readonly string[] = ["done", "error"],
): WorkflowDefinition {
  const ends = outcomes.map((outcome) => [`end-${outcome}`, "end", { outcome }] as const);
  return flow(
    id,
    [["begin", "start"], node, ...ends],
    [["begin", node[0]], ...outcomes.map((outcome) => [node[0], `end-${outcome}`, outcome] as const)],
  );
}
