/** @module The drawing of a graph of markings: a node a marking, an edge a firing, a run along them. */
import { isFinal, type Net, type TransitionIndex } from "@tessera/core";
import type { Drawing, DrawnEdge, DrawnNode } from "./drawing.ts";

/** Markings, the first one initial, with the firings between them by index; tokens without bound are Infinity. */
export interface DrawnMarkings {
  readonly nodes: readonly (readonly number[])[];
  readonly edges: readonly {
    readonly from: number;
    readonly transition: TransitionIndex;
    readonly to: number;
  }[];
  readonly isComplete: boolean;
}

/** What is shown on top: a title, and a run from the initial marking, which may leave the graph. */
export interface MarkingGraphOptions {
  readonly title?: string;
  readonly run?: readonly TransitionIndex[];
}

/**
 * The drawing of markings: the label of a node says what is marked, its sign its number and whether it is initial, final
 * or dead (it enables nothing, and is not final). The i-th step of the run is at the edge that it goes along and at the
 * node that it leads to. Cost: linear in the graph and the run.
 *
 * @definition D11.21
 */
export function markingGraphDrawing(
  net: Net,
  { nodes, edges, isComplete }: DrawnMarkings,
  { title = "", run = [] }: MarkingGraphOptions = {},
): Drawing {
  const steps = stepsAlong(edges, run);
  const goesOn = new Set(edges.map(({ from }) => from));
  return {
    title: isComplete ? title : `${title} (the first ${nodes.length} markings)`.trim(),
    nodes: nodes.map((marking, at): DrawnNode => {
      const label = tokensOf(net, marking);
      const isDead = isComplete && !goesOn.has(at);
      const kind = isFinal(net, marking) ? "final" : isDead ? "dead" : "";
      const sign = [`m${at}`, ...(at === 0 ? ["initial"] : []), ...(kind === "" ? [] : [kind])].join(" ");
      return {
        key: `n${at}`,
        shape: "step",
        label,
        hint: label,
        sign,
        tokens: 0,
        steps: steps.nodes.get(at) ?? [],
      };
    }),
    edges: edges.map(({ from, transition, to }, at): DrawnEdge => {
      const { id = "", label } = net.transitions[transition] ?? {};
      const own = steps.edges.get(at) ?? [];
      return { from: `n${from}`, to: `n${to}`, label: label ?? id, kind: "normal", tokens: 0, steps: own };
    }),
  };
}

/** The steps at each edge and at the node behind it, as far as the run goes along edges. */
function stepsAlong(edges: DrawnMarkings["edges"], run: readonly TransitionIndex[]) {
  const next = new Map(edges.map(({ from, transition }, at) => [`${from} ${transition}`, at]));
  const found = { nodes: new Map<number, number[]>(), edges: new Map<number, number[]>() };
  let at = 0;
  for (const [step, transition] of run.entries()) {
    const edge = next.get(`${at} ${transition}`);
    if (edge === undefined) break;
    at = edges[edge]?.to ?? 0;
    for (const [map, key] of [
      [found.edges, edge],
      [found.nodes, at],
    ] as const)
      map.set(key, [...(map.get(key) ?? []), step + 1]);
  }
  return found;
}

/** What is marked, as `a b=2 c=\u03c9`. */
function tokensOf({ places }: Net, marking: readonly number[]): string {
  const marked = places.flatMap(({ id, label }, place) => {
    const count = marking[place] ?? 0;
    const name = label ?? id;
    if (count === 0) return [];
    if (count === 1) return [name];
    return [`${name}=${Number.isFinite(count) ? count : "\u03c9"}`];
  });
  return marked.length === 0 ? "nothing" : marked.join(" ");
}
