/** @module What `tessera draw --graph` shows: the markings of a net and the firings between them. */
import { type Compiled, netClass } from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { type Drawing, markingGraphDrawing } from "@tessera/interchange";
import { coverabilityGraph, type Run, reachabilityGraph } from "@tessera/proofs";
import { UsageError } from "../io.ts";

/** Which graph: all reachable markings, or the limits of what can be covered. */
export type GraphKind = "states" | "coverability";

/** Markings that are drawn unless more are asked for. */
const NODES_MAX = 500;

/** The drawing of the graph of a net, or of the net behind a workflow, with a run along it. */
export function graphDrawing(
  compiled: Compiled,
  kind: GraphKind,
  shown: { readonly title: string; readonly run?: Run | undefined; readonly nodesMax?: number | undefined },
): Drawing {
  const { title, run, nodesMax = NODES_MAX } = shown;
  const { net } = compiled;
  const isCoverable = netClass(net) === "plain" || netClass(net) === "weighted";
  if (kind === "coverability" && !isCoverable)
    throw new UsageError(
      `the net is ${netClass(net)}, and has no coverability graph`,
      "--graph states shows what is reachable",
    );
  const graph =
    kind === "states"
      ? reachabilityGraph(net, nodesMax, orJoinRules(compiled))
      : coverabilityGraph(net, nodesMax);
  return markingGraphDrawing(net, graph, { title, ...(run === undefined ? {} : { run: run.sequence }) });
}
