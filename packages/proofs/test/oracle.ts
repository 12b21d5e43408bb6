/**
 * @module An independent, naive judge of small nets: markings are JSON strings, firing is written out here again, and
 * nothing of the prover or of core's firing rule is used.
 */
import type { Net } from "@tessera/core";

export interface Judgement {
  readonly O1: boolean;
  readonly O2: boolean;
  readonly O3: boolean;
  readonly O4: boolean;
  readonly deadlock: boolean;
  readonly states: number;
  readonly edges: number;
}

export function successorsOf(net: Net, M: readonly number[]): { t: number; next: number[] }[] {
  const found: { t: number; next: number[] }[] = [];
  net.transitions.forEach((transition, t) => {
    const left = [...M];
    for (const [p, w] of transition.pre) left[p]! -= w;
    if (left.some((tokens) => tokens < 0)) return;
    const optional = transition.any.filter((p) => M[p]! > 0);
    if (transition.any.length > 0 && optional.length === 0) return;
    for (const p of transition.any) if (left[p]! > 0) left[p]! -= 1;
    for (const p of transition.reset) left[p] = 0;
    for (const [p, w] of transition.post) left[p]! += w;
    found.push({ t, next: left });
  });
  return found;
}

export function isFinalByHand(net: Net, M: readonly number[]): boolean {
  if (net.finals.kind === "markings") {
    return net.finals.markings.some((F) => JSON.stringify(F) === JSON.stringify(M));
  }
  const { ends } = net.finals;
  const onEnds = ends.map((p) => M[p]!);
  const elsewhere = M.filter((_, p) => !ends.includes(p));
  return elsewhere.every((n) => n === 0) && onEnds.every((n) => n <= 1) && onEnds.some((n) => n === 1);
}

/** The whole graph from `from`, or null beyond `statesMax` markings. */
export function graphOf(
  net: Net,
  from: readonly number[],
  statesMax: number,
): Map<string, { t: number; next: string }[]> | null {
  const graph = new Map<string, { t: number; next: string }[]>();
  const queue = [JSON.stringify(from)];
  const seen = new Set(queue);
  for (const key of queue) {
    const edges = successorsOf(net, JSON.parse(key) as number[]).map(({ t, next }) => ({
      t,
      next: JSON.stringify(next),
    }));
    graph.set(key, edges);
    for (const { next } of edges) {
      if (seen.has(next)) continue;
      if (seen.size >= statesMax) return null;
      seen.add(next);
      queue.push(next);
    }
  }
  return graph;
}

/** The truth about a net with at most `statesMax` reachable markings; null for larger and unbounded ones. */
export function judge(net: Net, statesMax: number): Judgement | null {
  const graph = graphOf(net, net.initial, statesMax);
  if (graph === null) return null;
  const markings = [...graph.keys()].map((key) => JSON.parse(key) as number[]);
  const good = new Set(markings.filter((M) => isFinalByHand(net, M)).map((M) => JSON.stringify(M)));
  for (let grew = true; grew; ) {
    grew = false;
    for (const [key, edges] of graph) {
      if (good.has(key) || !edges.some(({ next }) => good.has(next))) continue;
      good.add(key);
      grew = true;
    }
  }
  const fired = new Set([...graph.values()].flat().map(({ t }) => t));
  return {
    O1: good.size === graph.size,
    O2: !markings.some((M) => isBeyond(net, M)),
    O3: fired.size === net.transitions.length,
    O4: !markings.some((M) => M.some((tokens, p) => net.places[p]!.role === "control" && tokens > 1)),
    deadlock: !markings.some((M) => graph.get(JSON.stringify(M))!.length === 0 && !isFinalByHand(net, M)),
    states: graph.size,
    edges: [...graph.values()].flat().length,
  };
}

function isBeyond(net: Net, M: readonly number[]): boolean {
  if (net.finals.kind === "ends") return net.finals.ends.some((p) => M[p]! > 1);
  return !isFinalByHand(net, M) && net.finals.markings.some((F) => F.every((tokens, p) => M[p]! >= tokens));
}
