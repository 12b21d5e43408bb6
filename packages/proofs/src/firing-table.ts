/** @module The net as flat integer arrays, for the fast search. */

import type { Net, PlaceIndex, TransitionIndex, WeightedPlace } from "@tessera/core";
import { invariant } from "@tessera/core";

/**
 * A net flattened. Lists of lists are stored as one array and the offsets of its parts: the preset of `t` is
 * `prePlace[preStart[t] .. preStart[t + 1] - 1]`, and so on.
 *
 * `watchers` of a place: transitions to be tested when the place is marked. Each transition with a preset is watched
 * at exactly one place of it, so a scan of the marked places meets each candidate once. `unwatched` have no preset.
 */
export interface FiringTable {
  readonly placeCount: number;
  readonly transitionCount: number;
  readonly preStart: Int32Array;
  readonly prePlace: Int32Array;
  readonly preWeight: Int32Array;
  readonly postStart: Int32Array;
  readonly postPlace: Int32Array;
  readonly postWeight: Int32Array;
  /** Postset minus preset, zeros left out. */
  readonly deltaStart: Int32Array;
  readonly deltaPlace: Int32Array;
  readonly deltaAmount: Int32Array;
  readonly anyStart: Int32Array;
  readonly anyPlace: Int32Array;
  readonly resetStart: Int32Array;
  readonly resetPlace: Int32Array;
  /** 1 where the preset and the delta are the whole of the transition: no optional inputs, resets or rule. */
  readonly isLocal: Uint8Array;
  readonly rule: readonly (string | null)[];
  readonly watchStart: Int32Array;
  readonly watchTransition: Int32Array;
  readonly unwatched: Int32Array;
}

/** Flattens `net`. Weights beyond 2^31 - 1 break invariant D8.1. Cost: linear in the arcs. */
export function firingTable(net: Net): FiringTable {
  const { places, transitions } = net;
  const pre = flattenWeighted(transitions.map((t) => t.pre));
  const post = flattenWeighted(transitions.map((t) => t.post));
  const delta = flattenWeighted(transitions.map((t) => difference(t.post, t.pre)));
  const any = flatten(transitions.map((t) => t.any));
  const reset = flatten(transitions.map((t) => t.reset));
  const watched = watchers(net);
  const watch = flatten(watched.byPlace);
  return {
    placeCount: places.length,
    transitionCount: transitions.length,
    preStart: pre.start,
    prePlace: pre.item,
    preWeight: pre.weight,
    postStart: post.start,
    postPlace: post.item,
    postWeight: post.weight,
    deltaStart: delta.start,
    deltaPlace: delta.item,
    deltaAmount: delta.weight,
    anyStart: any.start,
    anyPlace: any.item,
    resetStart: reset.start,
    resetPlace: reset.item,
    isLocal: Uint8Array.from(transitions, (t) =>
      t.any.length === 0 && t.reset.length === 0 && t.rule === undefined ? 1 : 0,
    ),
    rule: transitions.map((t) => t.rule ?? null),
    watchStart: watch.start,
    watchTransition: watch.item,
    unwatched: Int32Array.from(watched.without),
  };
}

function watchers(net: Net): { byPlace: TransitionIndex[][]; without: TransitionIndex[] } {
  const consumers = new Int32Array(net.places.length);
  for (const { pre } of net.transitions) for (const [place] of pre) consumers[place]! += 1;
  const byPlace: TransitionIndex[][] = net.places.map(() => []);
  const without: TransitionIndex[] = [];
  net.transitions.forEach(({ pre }, t) => {
    // The place with the fewest consumers is marked least often in vain.
    let watched: PlaceIndex = -1;
    for (const [place] of pre) if (watched < 0 || consumers[place]! < consumers[watched]!) watched = place;
    if (watched < 0) without.push(t);
    else byPlace[watched]!.push(t);
  });
  return { byPlace, without };
}

function difference(post: readonly WeightedPlace[], pre: readonly WeightedPlace[]): WeightedPlace[] {
  const amounts = new Map<PlaceIndex, number>();
  for (const [place, weight] of post) amounts.set(place, (amounts.get(place) ?? 0) + weight);
  for (const [place, weight] of pre) amounts.set(place, (amounts.get(place) ?? 0) - weight);
  return [...amounts].filter(([, amount]) => amount !== 0);
}

function flatten(lists: readonly (readonly number[])[]): { start: Int32Array; item: Int32Array } {
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => {
    start[index + 1] = start[index]! + list.length;
  });
  return { start, item: Int32Array.from(lists.flat()) };
}

function flattenWeighted(lists: readonly (readonly WeightedPlace[])[]): {
  start: Int32Array;
  item: Int32Array;
  weight: Int32Array;
} {
  const { start, item } = flatten(lists.map((list) => list.map(([place]) => place)));
  const weights = lists.flatMap((list) => list.map(([, weight]) => weight));
  invariant(
    weights.every((weight) => Math.abs(weight) <= 0x7fffffff),
    "D8.1",
    () => ({ weightsMax: 0x7fffffff }),
  );
  return { start, item, weight: Int32Array.from(weights) };
}
