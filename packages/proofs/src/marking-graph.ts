/** @module Graphs of markings, to be drawn and exported: what is reachable, or where that is endless what can be covered. */
import {
  enabledTransitions,
  fire,
  invariant,
  type Marking,
  type Net,
  NO_RULES,
  type NonLocalRules,
  netClass,
  type TransitionIndex,
} from "@tessera/core";
import { type Limit, UNBOUNDED } from "./coverability.ts";

/** From a node to a node, by index. */
export interface MarkingEdge {
  readonly from: number;
  readonly transition: TransitionIndex;
  readonly to: number;
}

/** Markings, the first one initial, and the firings between them. Tokens without bound are Infinity. */
export interface MarkingGraph {
  readonly nodes: readonly Limit[];
  readonly edges: readonly MarkingEdge[];
  /** False where there was no room for more nodes: what is there is right, and not all. */
  readonly isComplete: boolean;
}

/**
 * The reachability graph: every reachable marking, and every firing between two of them; at most `nodesMax` markings,
 * those that are nearest to the initial one. Cost: markings times transitions times places.
 *
 * @definition D22.11
 */
export function reachabilityGraph(net: Net, nodesMax: number, rules: NonLocalRules = NO_RULES): MarkingGraph {
  return growGraph(net.initial, nodesMax, (marking) =>
    enabledTransitions(net, marking, rules).map((t) => {
      const next = fire(net, marking, t, rules);
      invariant(next.kind === "fired", "D22.11", () => ({ transition: t }));
      return { transition: t, limit: next.marking };
    }),
  );
}

/**
 * The coverability graph of a plain or weighted net (R. Karp, R. Miller, 1969): finite, bounded or not. Where a marking
 * strictly covers one on the way to it, what it gained is without bound from there on. Resets would make it wrong: other
 * classes break invariant D22.12. It may be enormous; at most `nodesMax` nodes.
 *
 * @definition D22.12
 */
export function coverabilityGraph(net: Net, nodesMax: number): MarkingGraph {
  const kind = netClass(net);
  invariant(kind === "plain" || kind === "weighted", "D22.12", () => ({ kind }));
  return growGraph(net.initial, nodesMax, (limit, ancestors) =>
    net.transitions.flatMap(({ pre, post }, transition) => {
      if (pre.some(([place, weight]) => (limit[place] ?? 0) < weight)) return [];
      const next = [...limit];
      for (const [place, weight] of pre) next[place] = (next[place] ?? 0) - weight;
      for (const [place, weight] of post) next[place] = (next[place] ?? 0) + weight;
      return [{ transition, limit: accelerated(next, ancestors()) }];
    }),
  );
}

/** The nodes along which a run leads, by index: from the first on, a node a firing; null where it leaves the graph. */
export function pathThrough(graph: MarkingGraph, run: readonly TransitionIndex[]): readonly number[] | null {
  const next = new Map(graph.edges.map(({ from, transition, to }) => [`${from} ${transition}`, to]));
  const path = [0];
  for (const t of run) {
    const to = next.get(`${path.at(-1)} ${t}`);
    if (to === undefined) return null;
    path.push(to);
  }
  return path;
}

type Successors = (
  limit: Limit & Marking,
  ancestors: () => readonly Limit[],
) => readonly { readonly transition: TransitionIndex; readonly limit: Limit }[];

/** Breadth first; equal markings are one node. `ancestors`: the markings on the way on which a node was found, with it. */
function growGraph(initial: Marking, nodesMax: number, successors: Successors): MarkingGraph {
  const nodes: Limit[] = [initial];
  const parents: number[] = [-1];
  const index = new Map([[initial.join(), 0]]);
  const edges: MarkingEdge[] = [];
  let isComplete = true;
  for (let from = 0; from < nodes.length; from += 1) {
    const ancestors = (): readonly Limit[] => {
      const found: Limit[] = [];
      for (let at = from; at >= 0; at = parents[at] ?? -1) found.push(nodes[at] ?? []);
      return found;
    };
    for (const { transition, limit } of successors(nodes[from] ?? [], ancestors)) {
      const key = limit.join();
      let to = index.get(key);
      if (to === undefined) {
        if (nodes.length >= nodesMax) {
          isComplete = false;
          continue;
        }
        to = nodes.length;
        index.set(key, to);
        nodes.push(limit);
        parents.push(from);
      }
      edges.push({ from, transition, to });
    }
  }
  return { nodes, edges, isComplete };
}

/** What it gained over each marking that it strictly covers can be gained again. */
function accelerated(limit: readonly number[], ancestors: readonly Limit[]): Limit {
  let next = limit;
  for (const before of ancestors) {
    if (!next.every((tokens, place) => tokens >= (before[place] ?? 0))) continue;
    next = next.map((tokens, place) => (tokens > (before[place] ?? 0) ? UNBOUNDED : tokens));
  }
  return next;
}
