/** @module Stage 0: what a net looks like, which decides the methods that may speak of it. */
import type { Net, NetClass, PlaceIndex, TransitionIndex } from "@tessera/core";
import { netClass } from "@tessera/core";

/** Facts of the graph of a net. Weights, resets and optional inputs count as arcs where a token can move along them. */
export interface NetShape {
  readonly class: NetClass;
  /** The only place that is marked at the start, if it carries one token; else null. */
  readonly source: PlaceIndex | null;
  /** The only end place, if the net has one end and nothing takes from it; else null. */
  readonly sink: PlaceIndex | null;
  /** Plain, with a source and a sink, and every node on a path from the source to the sink. */
  readonly isWorkflowNet: boolean;
  /** Plain, and transitions that share an input place have equal presets. */
  readonly isFreeChoice: boolean;
  /** Plain, and every transition has at most one input and one output. */
  readonly isStateMachine: boolean;
  /** Plain, and every place has at most one producer and one consumer. */
  readonly isMarkedGraph: boolean;
  readonly isAcyclic: boolean;
  /** With a transition from the sink to the source, can every node be reached from every other? */
  readonly isStronglyConnected: boolean;
}

/**
 * The shape of `net`. Cost: linear in the arcs.
 *
 * @definition D13.1
 */
export function netShape(net: Net): NetShape {
  const kind = netClass(net);
  const isPlain = kind === "plain";
  const source = sourceOf(net);
  const sink = sinkOf(net);
  const graph = graphOf(net);
  const isConnected = source !== null && sink !== null && isStronglyConnected(net, graph, source, sink);
  return {
    class: kind,
    source,
    sink,
    // With an arc from sink to source, being on a path between them is being strongly connected.
    isWorkflowNet: isPlain && isConnected,
    isFreeChoice: isPlain && isFreeChoice(net),
    isStateMachine: isPlain && net.transitions.every((t) => t.pre.length <= 1 && t.post.length <= 1),
    isMarkedGraph: isPlain && isMarkedGraph(net),
    isAcyclic: isAcyclic(graph),
    isStronglyConnected: isConnected,
  };
}

/**
 * Do transitions that share an input place have equal presets? Weights are not looked at.
 *
 * @definition D13.2
 */
export function isFreeChoice(net: Net): boolean {
  const first: (TransitionIndex | undefined)[] = net.places.map(() => undefined);
  return net.transitions.every((t, index) =>
    t.pre.every(([place]) => {
      const other = first[place];
      if (other === undefined) {
        first[place] = index;
        return true;
      }
      const preset = net.transitions[other]?.pre ?? [];
      return preset.length === t.pre.length && t.pre.every(([p]) => preset.some(([q]) => p === q));
    }),
  );
}

function sourceOf(net: Net): PlaceIndex | null {
  const marked = net.initial.flatMap((tokens, place) => (tokens > 0 ? [place] : []));
  const [source] = marked;
  return marked.length === 1 && source !== undefined && net.initial[source] === 1 ? source : null;
}

function sinkOf(net: Net): PlaceIndex | null {
  const sole = net.finals.kind === "ends" && net.finals.ends.length === 1 ? net.finals.ends[0] : undefined;
  if (sole === undefined) return null;
  const isTaken = net.transitions.some(
    (t) => t.pre.some(([place]) => place === sole) || t.any.includes(sole),
  );
  return isTaken ? null : sole;
}

function isMarkedGraph(net: Net): boolean {
  const producers = new Uint32Array(net.places.length);
  const consumers = new Uint32Array(net.places.length);
  for (const { pre, post } of net.transitions) {
    for (const [place] of pre) consumers[place]! += 1;
    for (const [place] of post) producers[place]! += 1;
  }
  return producers.every((count) => count <= 1) && consumers.every((count) => count <= 1);
}

/** Successors: places first, then transitions. */
function graphOf(net: Net): number[][] {
  const successors: number[][] = [...net.places, ...net.transitions].map(() => []);
  net.transitions.forEach(({ pre, any, post }, index) => {
    const node = net.places.length + index;
    for (const [place] of pre) successors[place]?.push(node);
    for (const place of any) successors[place]?.push(node);
    for (const [place] of post) successors[node]?.push(place);
  });
  return successors;
}

function isStronglyConnected(net: Net, graph: readonly number[][], source: number, sink: number): boolean {
  const closed = graph.map((nodes, node) => (node === sink ? [...nodes, source] : nodes));
  const back: number[][] = closed.map(() => []);
  closed.forEach((nodes, node) => {
    for (const next of nodes) back[next]?.push(node);
  });
  const count = net.places.length + net.transitions.length;
  return reachedFrom(closed, source) === count && reachedFrom(back, source) === count;
}

function reachedFrom(graph: readonly number[][], start: number): number {
  const seen = new Set([start]);
  for (const node of seen) for (const next of graph[node] ?? []) seen.add(next);
  return seen.size;
}

/** Takes away nodes without predecessors until none is left, or a cycle is. */
function isAcyclic(graph: readonly number[][]): boolean {
  const incoming = new Uint32Array(graph.length);
  for (const nodes of graph) for (const next of nodes) incoming[next]! += 1;
  const free = graph.flatMap((_, node) => (incoming[node] === 0 ? [node] : []));
  for (const node of free) {
    for (const next of graph[node] ?? []) {
      incoming[next]! -= 1;
      if (incoming[next] === 0) free.push(next);
    }
  }
  return free.length === graph.length;
}
