/** @module Finds terminating parts of a net (D13.14): what to take away so that the rest is likely to decide the net. */
import { invariant, type Net, type PlaceIndex, type TransitionIndex } from "@tessera/core";
import { terminating } from "../certificate/terminating-part.ts";
import type { TerminatingPart } from "../verdict.ts";

/** Nothing is taken away: the terminating transitions that are left reset nothing. */
const NOTHING: TerminatingPart = { exits: [], places: [] };

interface Graph {
  readonly net: Net;
  readonly producers: readonly (readonly TransitionIndex[])[];
  readonly consumers: readonly (readonly TransitionIndex[])[];
  /** 1 for the terminating transitions whose part is looked for. */
  readonly isTerminating: Uint8Array;
  /** 1 for places that are in no part. */
  readonly isBarred: Uint8Array;
}

/**
 * Terminating parts of `net` to try, the most promising first; none if no transition is terminating. First the greatest
 * part that leaves a way on wherever an exit starts: an end without which there is none is taken for an ordinary one.
 * Then the empty part. Cost: linear in the arcs for each end that is filled by terminating transitions.
 *
 * @refines D13.14
 */
export function terminatingParts(net: Net): readonly TerminatingPart[] {
  const isTerminating = terminating(net);
  if (isTerminating?.includes(1) !== true) return [];
  const graph = graphOf(net, isTerminating);
  for (;;) {
    const isIn = greatestPart(graph);
    const exits = exitsInto(graph, isIn);
    const hasWayOn = waysOn(graph, isIn, exits);
    const blocked = exits.filter((t) => !hasWayOn(t));
    if (blocked.length === 0) {
      const places = [...isIn.keys()].filter((place) => isIn[place] === 1);
      const direct = [...net.transitions.keys()].filter((t) => isOutside(graph, isIn, t) && hasWayOn(t));
      const part = { exits: [...exits, ...direct], places };
      return part.exits.length === 0 ? [NOTHING] : [part, NOTHING];
    }
    const end = sparestEnd(graph, isIn, blocked);
    net.transitions.forEach(({ post }, t) => {
      if (post[0]?.[0] === end) graph.isTerminating[t] = 0;
    });
  }
}

function graphOf(net: Net, isTerminating: Uint8Array): Graph {
  const producers: TransitionIndex[][] = net.places.map(() => []);
  const consumers: TransitionIndex[][] = net.places.map(() => []);
  const isBarred = Uint8Array.from(net.initial, (tokens) => (tokens > 0 ? 1 : 0));
  if (net.finals.kind === "ends") for (const end of net.finals.ends) isBarred[end] = 1;
  net.transitions.forEach(({ pre, post, reset }, t) => {
    for (const [place] of pre) consumers[place]!.push(t);
    for (const [place] of post) producers[place]!.push(t);
    if (isTerminating[t] === 0) for (const place of reset) isBarred[place] = 1;
  });
  return { net, producers, consumers, isTerminating: Uint8Array.from(isTerminating), isBarred };
}

/** The greatest set of places as D13.14 wants it: 1 for each. */
function greatestPart({ net, producers, consumers, isTerminating, isBarred }: Graph): Uint8Array {
  const { transitions } = net;
  const isIn = isBarred.map((is) => 1 - is);
  const open: PlaceIndex[] = [];
  const drop = (place: PlaceIndex) => {
    if (isIn[place] === 0) return;
    isIn[place] = 0;
    open.push(place);
  };
  const isMove = (t: TransitionIndex) =>
    transitions[t]!.post.length === 1 && transitions[t]!.post[0]![1] === 1;
  const isInner = (t: TransitionIndex) => {
    const { pre, reset } = transitions[t]!;
    return (
      pre.length === 1 && pre[0]![1] === 1 && (isTerminating[t] === 1 || (reset.length === 0 && isMove(t)))
    );
  };
  const settle = () => {
    // What leads to a place that is out takes the place that it comes from out, too.
    for (let place = open.pop(); place !== undefined; place = open.pop())
      for (const t of producers[place]!)
        if (isTerminating[t] === 0) for (const [from] of transitions[t]!.pre) drop(from);
  };
  for (const place of net.places.keys()) {
    if (isIn[place] === 0) open.push(place);
    else if (!consumers[place]!.every(isInner) || !producers[place]!.every(isMove)) drop(place);
  }
  settle();
  const leading = new Set<PlaceIndex>();
  transitions.forEach(({ pre }, t) => {
    if (isTerminating[t] === 1 && isIn[pre[0]![0]] === 1) leading.add(pre[0]![0]);
  });
  for (const place of leading)
    for (const t of producers[place]!) {
      const [from] = transitions[t]!.pre[0]!;
      if (isIn[from] === 1) leading.add(from);
    }
  for (const place of net.places.keys()) if (!leading.has(place)) drop(place);
  settle();
  return isIn;
}

/** The transitions that lead from outside into the part. */
function exitsInto({ net }: Graph, isIn: Uint8Array): readonly TransitionIndex[] {
  return [...net.transitions.keys()].filter((t) => {
    const { pre, post } = net.transitions[t]!;
    return post.some(([place]) => isIn[place] === 1) && !pre.some(([place]) => isIn[place] === 1);
  });
}

/** Does `t` terminate the run, from places that are not in the part? */
function isOutside({ net, isTerminating }: Graph, isIn: Uint8Array, t: TransitionIndex): boolean {
  return isTerminating[t] === 1 && !net.transitions[t]!.pre.some(([place]) => isIn[place] === 1);
}

/** Tells of a transition whether each place that it takes from has a consumer that leads neither into the part nor to a termination. */
function waysOn(
  graph: Graph,
  isIn: Uint8Array,
  exits: readonly TransitionIndex[],
): (t: TransitionIndex) => boolean {
  const { net, consumers } = graph;
  const isExit = new Uint8Array(net.transitions.length);
  for (const t of exits) isExit[t] = 1;
  const isWay = (t: TransitionIndex) => isExit[t] === 0 && !isOutside(graph, isIn, t);
  return (t) => net.transitions[t]!.pre.every(([place]) => consumers[place]!.some(isWay));
}

/** Of the ends to which `blocked` lead, the one that the fewest transitions fill. */
function sparestEnd(
  { net, consumers, producers, isTerminating }: Graph,
  isIn: Uint8Array,
  blocked: readonly TransitionIndex[],
): PlaceIndex {
  const ends = new Set<PlaceIndex>();
  const places = new Set(blocked.map((t) => net.transitions[t]!.post[0]![0]));
  for (const place of places)
    for (const t of consumers[place]!) {
      const [to] = net.transitions[t]!.post[0]!;
      if (isTerminating[t] === 1) ends.add(to);
      else if (isIn[to] === 1) places.add(to);
    }
  const [first, ...others] = ends;
  invariant(first !== undefined, "D13.14", () => ({ blocked }));
  return others.reduce((best, end) => (producers[end]!.length < producers[best]!.length ? end : best), first);
}
