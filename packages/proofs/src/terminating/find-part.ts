/** @module Finds terminating parts of a net (D13.14): what to take away so that the rest is likely to decide the net. */
import { invariant, type Net, type PlaceIndex, type Transition, type TransitionIndex } from "@tessera/core";
import { terminating } from "../certificate/terminating-part.ts";
import type { TerminatingPart } from "../verdict.ts";

/** Nothing is taken away: the terminating transitions that are left reset nothing. */
const NOTHING: TerminatingPart = { exits: [], places: [] };

/** The transitions around each place, in compressed rows: those of `place` are `items[start[place] .. start[place + 1] - 1]`. */
interface Rows {
  readonly start: Int32Array;
  readonly items: Int32Array;
}

const NO_ITEMS = new Int32Array(0);

interface Graph {
  readonly net: Net;
  readonly producers: Rows;
  readonly consumers: Rows;
  /** 1 for the terminating transitions whose part is looked for. */
  readonly isTerminating: Uint8Array;
  /** 1 for places that are in no part. */
  readonly isBarred: Uint8Array;
}

/** The terminating transitions of `net`: 1 for each. Null if there is none, or the net is not of the class. */
export function terminations(net: Net): Uint8Array | null {
  // A terminating transition takes from a place that is no end, and resets all such.
  if (net.transitions.every(({ reset }) => reset.length === 0)) return null;
  const isTerminating = terminating(net);
  return isTerminating?.includes(1) === true ? isTerminating : null;
}

/**
 * Terminating parts of `net` to try, the most promising first; none if no transition is terminating. First the greatest
 * part that leaves a way on wherever an exit starts: an end without which there is none is taken for an ordinary one.
 * Then the empty part. Cost: linear in the arcs for each end that is filled by terminating transitions.
 *
 * @refines D13.14
 */
export function terminatingParts(
  net: Net,
  isTerminating: Uint8Array | null = terminations(net),
): readonly TerminatingPart[] {
  if (isTerminating === null) return [];
  const graph = graphOf(net, isTerminating);
  for (;;) {
    const isIn = greatestPart(graph);
    const exits = exitsInto(graph, isIn);
    const hasWayOn = waysOn(graph, isIn, exits);
    const blocked = exits.filter((t) => !hasWayOn(t));
    if (blocked.length === 0) {
      const places: PlaceIndex[] = [];
      for (let place = 0; place < isIn.length; place += 1) if (isIn[place] === 1) places.push(place);
      const all = [...exits];
      for (let t = 0; t < isTerminating.length; t += 1)
        if (isOutside(graph, isIn, t) && hasWayOn(t)) all.push(t);
      return all.length === 0 ? [NOTHING] : [{ exits: all, places }, NOTHING];
    }
    const end = sparestEnd(graph, isIn, blocked);
    net.transitions.forEach(({ post }, t) => {
      if (post[0]?.[0] === end) graph.isTerminating[t] = 0;
    });
  }
}

function graphOf(net: Net, isTerminating: Uint8Array): Graph {
  const isBarred = new Uint8Array(net.places.length);
  for (let place = 0; place < isBarred.length; place += 1) if (net.initial[place]! > 0) isBarred[place] = 1;
  for (let t = 0; t < isTerminating.length; t += 1)
    if (isTerminating[t] === 0) for (const place of net.transitions[t]!.reset) isBarred[place] = 1;
  return {
    net,
    ...rowsOf(net),
    isTerminating: isTerminating.slice(),
    isBarred,
  };
}

function rowsOf({ places, transitions }: Net): Pick<Graph, "producers" | "consumers"> {
  const producers = { start: new Int32Array(places.length + 1), items: NO_ITEMS };
  const consumers = { start: new Int32Array(places.length + 1), items: NO_ITEMS };
  for (const { pre, post } of transitions) {
    for (const arc of pre) consumers.start[arc[0] + 1]! += 1;
    for (const arc of post) producers.start[arc[0] + 1]! += 1;
  }
  const atProducer = begin(producers);
  const atConsumer = begin(consumers);
  for (let t = 0; t < transitions.length; t += 1) {
    const { pre, post } = transitions[t]!;
    for (const arc of pre) consumers.items[atConsumer[arc[0]]!++] = t;
    for (const arc of post) producers.items[atProducer[arc[0]]!++] = t;
  }
  return { producers, consumers };
}

/** Where the row of each place begins, from the lengths of the rows; makes room for their items. */
function begin(rows: { readonly start: Int32Array; items: Int32Array }): Int32Array {
  const { start } = rows;
  for (let place = 1; place < start.length; place += 1) start[place]! += start[place - 1]!;
  rows.items = new Int32Array(start.at(-1)!);
  return start.slice();
}

/** Is there a transition around the place of which `is` says so? */
function someAround({ start, items }: Rows, place: PlaceIndex, is: (t: TransitionIndex) => boolean): boolean {
  for (let at = start[place]!; at < start[place + 1]!; at += 1) if (is(items[at]!)) return true;
  return false;
}

/** The greatest set of places as D13.14 wants it: 1 for each. */
function greatestPart({ net, producers, isTerminating, isBarred }: Graph): Uint8Array {
  const { transitions } = net;
  const isIn = isBarred.map((is) => 1 - is);
  const open: PlaceIndex[] = [];
  const drop = (place: PlaceIndex) => {
    if (isIn[place] === 0) return;
    isIn[place] = 0;
    open.push(place);
  };
  const settle = () => {
    // What leads to a place that is out takes the place that it comes from out, too.
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      for (let at = producers.start[place]!; at < producers.start[place + 1]!; at += 1) {
        const t = producers.items[at]!;
        if (isTerminating[t] === 0) for (const arc of transitions[t]!.pre) drop(arc[0]);
      }
    }
  };
  const isLeading = new Uint8Array(isIn.length);
  const leading: PlaceIndex[] = [];
  const lead = (place: PlaceIndex) => {
    if (isIn[place] === 0 || isLeading[place] === 1) return;
    isLeading[place] = 1;
    leading.push(place);
  };
  const starts: PlaceIndex[] = [];
  for (let t = 0; t < transitions.length; t += 1) {
    const { pre, post, reset } = transitions[t]!;
    const isMove = post.length === 1 && post[0]![1] === 1;
    const isTaking = pre.length === 1 && pre[0]![1] === 1;
    const isInner = isTaking && (isTerminating[t] === 1 || (reset.length === 0 && isMove));
    if (!isInner) for (const arc of pre) drop(arc[0]);
    else if (isTerminating[t] === 1) starts.push(pre[0]![0]);
    if (!isMove) for (const arc of post) drop(arc[0]);
  }
  for (let place = 0; place < isBarred.length; place += 1) if (isBarred[place] === 1) open.push(place);
  settle();
  // Backwards from the terminations, inside what is left by now.
  for (const place of starts) lead(place);
  for (let place = leading.pop(); place !== undefined; place = leading.pop())
    for (let at = producers.start[place]!; at < producers.start[place + 1]!; at += 1) {
      const from = transitions[producers.items[at]!]!.pre[0];
      if (from !== undefined) lead(from[0]);
    }
  for (let place = 0; place < isIn.length; place += 1) if (isLeading[place] === 0) drop(place);
  settle();
  return isIn;
}

/** The transitions that lead from outside into the part. */
function exitsInto({ net }: Graph, isIn: Uint8Array): readonly TransitionIndex[] {
  const exits: TransitionIndex[] = [];
  for (let t = 0; t < net.transitions.length; t += 1) {
    const { pre, post } = net.transitions[t]!;
    if (isMet(post, isIn) && !isMet(pre, isIn)) exits.push(t);
  }
  return exits;
}

/** Does `t` terminate the run, from places that are not in the part? */
function isOutside({ net, isTerminating }: Graph, isIn: Uint8Array, t: TransitionIndex): boolean {
  return isTerminating[t] === 1 && !isMet(net.transitions[t]!.pre, isIn);
}

function isMet(side: Transition["pre"], isIn: Uint8Array): boolean {
  for (const arc of side) if (isIn[arc[0]] === 1) return true;
  return false;
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
  return (t) => net.transitions[t]!.pre.every((arc) => someAround(consumers, arc[0], isWay));
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
    for (let at = consumers.start[place]!; at < consumers.start[place + 1]!; at += 1) {
      const t = consumers.items[at]!;
      const to = net.transitions[t]!.post[0]![0];
      if (isTerminating[t] === 1) ends.add(to);
      else if (isIn[to] === 1) places.add(to);
    }
  const [first, ...others] = ends;
  invariant(first !== undefined, "D13.14", () => ({ blocked }));
  const count = (end: PlaceIndex) => producers.start[end + 1]! - producers.start[end]!;
  return others.reduce((best, end) => (count(end) < count(best) ? end : best), first);
}
