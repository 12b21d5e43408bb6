/** @module Where a block can lie: for each split the one node that may close it, found for all splits at once. */
import { arcOutcome, type Outcome, type WorkflowGraph } from "@tessera/core";
import { nodeAt } from "./arcs.ts";
import { type CycleClasses, cycleClasses } from "./cycle-equivalence.ts";
import { outermost } from "./outermost.ts";

/** An outcome of a node with at least two arcs, in document order. */
export interface Fork {
  readonly split: number;
  readonly outcome: Outcome;
  readonly arcs: readonly number[];
}

/**
 * Where the block of a fork lies if it has one. `closed`: between it and `exit`, and `size` grows with what lies
 * between; `open`: nowhere; `unknown`: the graph around says too little.
 */
export type Region =
  | { readonly kind: "closed"; readonly exit: number; readonly size: number }
  | { readonly kind: "open" }
  | { readonly kind: "unknown" };

/** All forks of the graph. Cost: linear. */
export function forksOf(graph: WorkflowGraph): readonly Fork[] {
  return graph.outgoing.flatMap((outgoing, split): readonly Fork[] => {
    if (outgoing.length < 2) return [];
    const groups = new Map<Outcome, number[]>();
    for (const arc of outgoing) {
      const outcome = arcOutcome(graph.definition.arcs[arc]!);
      const group = groups.get(outcome);
      if (group === undefined) groups.set(outcome, [arc]);
      else group.push(arc);
    }
    return [...groups].flatMap(([outcome, arcs]) => (arcs.length < 2 ? [] : [{ split, outcome, arcs }]));
  });
}

/** Is the node an end that empties its whole scope? */
export function isTerminateEnd(graph: WorkflowGraph, node: number): boolean {
  const end = graph.definition.nodes[node];
  return end?.kind === "end" && end.meta?.terminate === true;
}

/**
 * The regions of the forks, in their order. Each node is an edge from its inputs to its outputs, each fork an edge from
 * the outputs of its node to its arcs; sources and sinks are tied together, terminate ends left out. A block is then cut
 * off by two edges, that of its fork and that of its join, which therefore lie on the same cycles; and no third edge
 * of their class lies between, as all branches would have to pass it. An edge on no cycle says nothing: for it, parts that
 * nothing enters or leaves are tied as well, and a region that is closed then is closed without that. Cost: linear.
 *
 * @definition D6.10
 */
export function regionsOf(graph: WorkflowGraph, forks: readonly Fork[]): readonly Region[] {
  if (forks.length === 0) return [];
  const nodes = graph.definition.nodes.map((_, node) => node);
  const sources = nodes.filter((node) => graph.incoming[node]!.length === 0);
  const sinks = nodes.filter((node) => graph.outgoing[node]!.length === 0 && !isTerminateEnd(graph, node));
  const found = regionsTied(graph, forks, sources, sinks);
  if (found.every(({ kind }) => kind !== "unknown")) return found;
  const tied = regionsTied(graph, forks, outermost(arcsOf(graph, "from")), outermost(arcsOf(graph, "to")));
  return found.map((region, index) =>
    region.kind === "unknown" && tied[index]!.kind === "closed" ? tied[index]! : region,
  );
}

/** For each node the nodes at the other ends of its arcs, which it is at the side `own` of; arcs to terminate ends left out. */
function arcsOf(graph: WorkflowGraph, own: "from" | "to"): readonly (readonly number[])[] {
  const next = graph.definition.nodes.map((): number[] => []);
  graph.definition.arcs.forEach((_, arc) => {
    const [from, to] = [nodeAt(graph, arc, "from"), nodeAt(graph, arc, "to")];
    if (from < 0 || to < 0 || isTerminateEnd(graph, to)) return;
    if (own === "from") next[from]!.push(to);
    else next[to]!.push(from);
  });
  return next;
}

function regionsTied(
  graph: WorkflowGraph,
  forks: readonly Fork[],
  first: readonly number[],
  last: readonly number[],
): readonly Region[] {
  const count = graph.definition.nodes.length;
  const [from, to] = [[] as number[], [] as number[]];
  const join = (a: number, b: number) => to.push(b) && from.push(a);
  for (let node = 0; node < count; node += 1) join(2 * node, 2 * node + 1);
  const outside = 2 * count;
  const startOf = new Map<number, number>();
  forks.forEach(({ split, arcs }, index) => {
    join(2 * split + 1, outside + 1 + index);
    for (const arc of arcs) startOf.set(arc, outside + 1 + index);
  });
  graph.definition.arcs.forEach((_, arc) => {
    const [source, target] = [nodeAt(graph, arc, "from"), nodeAt(graph, arc, "to")];
    if (source < 0 || target < 0 || isTerminateEnd(graph, target)) return;
    join(startOf.get(arc) ?? 2 * source + 1, 2 * target);
  });
  for (const node of first) join(outside, 2 * node);
  for (const node of last) join(2 * node + 1, outside);
  const classes = cycleClasses({ vertexCount: outside + 1 + forks.length, from, to }, outside);
  const near = neighboursIn(classes);
  return forks.map(({ split }, index) => regionAt(classes, near, count, index, split));
}

/** The edges of each class that are of the tree, from the root down, and the one that is not, if any. */
interface Neighbours {
  readonly chains: ReadonlyMap<number, readonly number[]>;
  /** By edge of the tree: its place in its chain. */
  readonly place: ReadonlyMap<number, number>;
  readonly back: ReadonlyMap<number, number>;
  /** By edge of the tree: the vertex below it. */
  readonly lower: ReadonlyMap<number, number>;
}

function neighboursIn({ order, parentEdge, classOf }: CycleClasses): Neighbours {
  const chains = new Map<number, number[]>();
  const [place, lower, back] = [
    new Map<number, number>(),
    new Map<number, number>(),
    new Map<number, number>(),
  ];
  // In the order of the walk, so each chain is met from the root down.
  for (const vertex of order) {
    const edge = parentEdge[vertex]!;
    if (edge < 0) continue;
    lower.set(edge, vertex);
    const known = classOf[edge]!;
    if (known < 0) continue;
    const chain = chains.get(known) ?? [];
    chains.set(known, chain);
    place.set(edge, chain.push(edge) - 1);
  }
  classOf.forEach((known, edge) => {
    if (known >= 0 && !lower.has(edge)) back.set(known, edge);
  });
  return { chains, place, back, lower };
}

/** The region behind the edge of the fork `index`, up to the next edge of its class, if that is the edge of a node. */
function regionAt(
  classes: CycleClasses,
  near: Neighbours,
  count: number,
  index: number,
  split: number,
): Region {
  const edge = count + index;
  const vertex = 2 * count + 1 + index;
  const known = classes.classOf[edge]!;
  if (known < 0) return { kind: "unknown" };
  const chain = near.chains.get(known) ?? [];
  const at = near.place.get(edge);
  const [exit, size] =
    at === undefined
      ? belowBack(classes, near, chain, vertex, 2 * split + 1)
      : near.lower.get(edge) === vertex
        ? below(classes, near, chain, at, near.back.get(known))
        : above(classes, near, chain, at);
  return exit < 0 || exit >= count || exit === split ? { kind: "open" } : { kind: "closed", exit, size };
}

const NOWHERE = [-1, 0] as const;

/** Between an edge of a chain and the next one down, or the one that is not of the tree. The exit's inputs lie between. */
function below(
  { size, number }: CycleClasses,
  { lower }: Neighbours,
  chain: readonly number[],
  at: number,
  back: number | undefined,
): readonly [exit: number, size: number] {
  const whole = size[lower.get(chain[at]!)!]!;
  const next = chain[at + 1];
  if (next !== undefined) {
    const under = lower.get(next)!;
    return under === 2 * next + 1 ? [next, whole - size[under]!] : NOWHERE;
  }
  const isInside = back !== undefined && number[2 * back]! > number[2 * back + 1]!;
  return isInside ? [back, whole] : NOWHERE;
}

/** Between an edge of a chain and the next one up; beyond the first one lies the outside. */
function above(
  { size }: CycleClasses,
  { lower }: Neighbours,
  chain: readonly number[],
  at: number,
): readonly [exit: number, size: number] {
  const next = chain[at - 1];
  if (next === undefined || lower.get(next) !== 2 * next) return NOWHERE;
  return [next, size[2 * next]! - size[lower.get(chain[at]!)!]!];
}

/** Below the last edge of a chain, where the edge of the fork, from `splitVertex` to `vertex`, is not of the tree. */
function belowBack(
  { size, number }: CycleClasses,
  { lower }: Neighbours,
  chain: readonly number[],
  vertex: number,
  splitVertex: number,
): readonly [exit: number, size: number] {
  const last = chain.at(-1);
  if (last === undefined || lower.get(last) !== 2 * last) return NOWHERE;
  return number[vertex]! > number[splitVertex]! ? [last, size[2 * last]!] : NOWHERE;
}
