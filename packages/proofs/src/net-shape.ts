/** @module Stage 0: what a net looks like, which decides the methods that may speak of it. */
import type { Net, NetClass, PlaceIndex, Transition } from "@tessera/core";
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
 * The shape of `net`, each fact computed when it is first asked for. Cost: linear in the arcs.
 *
 * @definition D13.1
 */
export function netShape(net: Net): NetShape {
  const kind = netClass(net);
  const isPlain = kind === "plain";
  const source = sourceOf(net);
  const sink = sinkOf(net);
  const graph = once(() => graphOf(net, false));
  const isConnected = once(
    () => source !== null && sink !== null && isStronglyConnected(net, graph(), source, sink),
  );
  const facts = {
    isFreeChoice: once(() => isPlain && isFreeChoice(net)),
    isStateMachine: once(
      () => isPlain && net.transitions.every((t) => t.pre.length <= 1 && t.post.length <= 1),
    ),
    isMarkedGraph: once(() => isPlain && isMarkedGraph(net)),
    isAcyclic: once(() => isAcyclic(graph())),
  };
  return {
    class: kind,
    source,
    sink,
    // With an arc from sink to source, being on a path between them is being strongly connected.
    get isWorkflowNet() {
      return isPlain && isConnected();
    },
    get isFreeChoice() {
      return facts.isFreeChoice();
    },
    get isStateMachine() {
      return facts.isStateMachine();
    },
    get isMarkedGraph() {
      return facts.isMarkedGraph();
    },
    get isAcyclic() {
      return facts.isAcyclic();
    },
    get isStronglyConnected() {
      return isConnected();
    },
  };
}

function once(compute: () => boolean): () => boolean;
function once<T extends object>(compute: () => T): () => T;
function once<T>(compute: () => T): () => T {
  let known: T | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

/**
 * Do transitions that share an input place have equal presets? Weights are not looked at.
 *
 * @definition D13.2
 */
export function isFreeChoice(net: Net): boolean {
  const { places, transitions } = net;
  const first = new Int32Array(places.length).fill(-1);
  for (let t = 0; t < transitions.length; t += 1) {
    const { pre } = transitions[t]!;
    for (const arc of pre) {
      const other = first[arc[0]]!;
      if (other === -1) first[arc[0]] = t;
      else if (!haveSamePlaces(pre, transitions[other]!.pre)) return false;
    }
  }
  return true;
}

function haveSamePlaces(left: Transition["pre"], right: Transition["pre"]): boolean {
  if (left.length !== right.length) return false;
  if (left.length > 8) {
    const places = new Set(right.map(([place]) => place));
    return left.every(([place]) => places.has(place));
  }
  return left.every(([p]) => right.some(([q]) => p === q));
}

function sourceOf({ initial }: Net): PlaceIndex | null {
  let source: PlaceIndex | null = null;
  for (let place = 0; place < initial.length; place += 1) {
    if (initial[place] === 0) continue;
    if (source !== null || initial[place] !== 1) return null;
    source = place;
  }
  return source;
}

function sinkOf({ finals, transitions }: Net): PlaceIndex | null {
  const sole = finals.kind === "ends" && finals.ends.length === 1 ? finals.ends[0] : undefined;
  if (sole === undefined) return null;
  for (const { pre, any } of transitions) {
    for (const arc of pre) if (arc[0] === sole) return null;
    if (any.includes(sole)) return null;
  }
  return sole;
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

/** A graph in compressed rows: the successors of a node are `next[start[node] .. start[node + 1] - 1]`. */
interface Graph {
  readonly start: Int32Array;
  readonly next: Int32Array;
}

/** Places first, then transitions. `isBackward`: every arc turned round. */
function graphOf(net: Net, isBackward: boolean): Graph {
  const count = net.places.length + net.transitions.length;
  const start = new Int32Array(count + 1);
  const forEachArc = (tell: (from: number, to: number) => void) => {
    const arc = isBackward ? (from: number, to: number) => tell(to, from) : tell;
    net.transitions.forEach(({ pre, any, post }, index) => {
      const node = net.places.length + index;
      for (const [place] of pre) arc(place, node);
      for (const place of any) arc(place, node);
      for (const [place] of post) arc(node, place);
    });
  };
  forEachArc((from) => {
    start[from + 1]! += 1;
  });
  for (let node = 0; node < count; node += 1) start[node + 1]! += start[node]!;
  const next = new Int32Array(start[count]!);
  const at = start.slice();
  forEachArc((from, to) => {
    next[at[from]!] = to;
    at[from]! += 1;
  });
  return { start, next };
}

/** With an arc from sink to source every node is reached from every other iff each is after one and before the other. */
function isStronglyConnected(net: Net, graph: Graph, source: number, sink: number): boolean {
  const count = net.places.length + net.transitions.length;
  return reachedFrom(graph, source) === count && reachedFrom(graphOf(net, true), sink) === count;
}

function reachedFrom({ start, next }: Graph, from: number): number {
  const seen = new Uint8Array(start.length - 1);
  const stack = [from];
  seen[from] = 1;
  let count = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    count += 1;
    for (let k = start[node]!; k < start[node + 1]!; k += 1) {
      const to = next[k]!;
      if (seen[to] === 1) continue;
      seen[to] = 1;
      stack.push(to);
    }
  }
  return count;
}

/** Takes away nodes without predecessors until none is left, or a cycle is. */
function isAcyclic({ start, next }: Graph): boolean {
  const count = start.length - 1;
  const incoming = new Int32Array(count);
  for (const to of next) incoming[to]! += 1;
  const free: number[] = [];
  for (let node = 0; node < count; node += 1) if (incoming[node] === 0) free.push(node);
  for (const node of free) {
    for (let k = start[node]!; k < start[node + 1]!; k += 1) {
      const to = next[k]!;
      incoming[to]! -= 1;
      if (incoming[to] === 0) free.push(to);
    }
  }
  return free.length === count;
}
