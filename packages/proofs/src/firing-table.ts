/** @module The net as flat integer arrays, for the fast search. */

import type { Net, PlaceIndex, Transition, TransitionIndex, WeightedPlace } from "@tessera/core";
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
  const pre = flattened(transitions, (t) => t.pre);
  const post = flattened(transitions, (t) => t.post);
  const any = concatenated(transitions, (t) => t.any);
  const reset = concatenated(transitions, (t) => t.reset);
  return {
    placeCount: places.length,
    transitionCount: transitions.length,
    preStart: pre.start,
    prePlace: pre.place,
    preWeight: pre.weight,
    postStart: post.start,
    postPlace: post.place,
    postWeight: post.weight,
    ...differences(places.length, transitions),
    anyStart: any.start,
    anyPlace: any.place,
    resetStart: reset.start,
    resetPlace: reset.place,
    isLocal: Uint8Array.from(transitions, (t) =>
      t.any.length === 0 && t.reset.length === 0 && t.rule === undefined ? 1 : 0,
    ),
    rule: transitions.map((t) => t.rule ?? null),
    ...watchers(places.length, transitions),
  };
}

/** Each transition at the place of its preset with the fewest consumers, which is marked least often in vain. */
function watchers(
  placeCount: number,
  transitions: readonly Transition[],
): Pick<FiringTable, "watchStart" | "watchTransition" | "unwatched"> {
  const consumers = new Int32Array(placeCount);
  for (const { pre } of transitions) for (const arc of pre) consumers[arc[0]]! += 1;
  const watchStart = new Int32Array(placeCount + 1);
  const watchedAt = new Int32Array(transitions.length);
  const without: TransitionIndex[] = [];
  for (let t = 0; t < transitions.length; t += 1) {
    let watched: PlaceIndex = -1;
    for (const arc of transitions[t]!.pre)
      if (watched < 0 || consumers[arc[0]]! < consumers[watched]!) watched = arc[0];
    watchedAt[t] = watched;
    if (watched < 0) without.push(t);
    else watchStart[watched + 1]! += 1;
  }
  for (let place = 0; place < placeCount; place += 1) watchStart[place + 1]! += watchStart[place]!;
  const watchTransition = new Int32Array(watchStart[placeCount]!);
  const at = watchStart.slice();
  for (let t = 0; t < watchedAt.length; t += 1) {
    const watched = watchedAt[t]!;
    if (watched < 0) continue;
    watchTransition[at[watched]!] = t;
    at[watched]! += 1;
  }
  return { watchStart, watchTransition, unwatched: Int32Array.from(without) };
}

/** What each transition changes: first the places of its postset, then the others of its preset. */
function differences(
  placeCount: number,
  transitions: readonly Transition[],
): Pick<FiringTable, "deltaStart" | "deltaPlace" | "deltaAmount"> {
  const start = new Int32Array(transitions.length + 1);
  const changed: PlaceIndex[] = [];
  const amounts: number[] = [];
  const amountAt = new Float64Array(placeCount);
  for (let t = 0; t < transitions.length; t += 1) {
    const { pre, post } = transitions[t]!;
    for (const arc of post) amountAt[arc[0]]! += arc[1];
    for (const arc of pre) amountAt[arc[0]]! -= arc[1];
    for (const side of [post, pre]) {
      for (const arc of side) {
        const amount = amountAt[arc[0]]!;
        if (amount === 0) continue;
        changed.push(arc[0]);
        amounts.push(amount);
        amountAt[arc[0]] = 0;
      }
    }
    start[t + 1] = changed.length;
  }
  return { deltaStart: start, deltaPlace: new Int32Array(changed), deltaAmount: counts(amounts) };
}

function concatenated(
  transitions: readonly Transition[],
  placesOf: (t: Transition) => readonly PlaceIndex[],
): { start: Int32Array; place: Int32Array } {
  const start = new Int32Array(transitions.length + 1);
  const places: PlaceIndex[] = [];
  for (let t = 0; t < transitions.length; t += 1) {
    for (const place of placesOf(transitions[t]!)) places.push(place);
    start[t + 1] = places.length;
  }
  return { start, place: new Int32Array(places) };
}

function flattened(
  transitions: readonly Transition[],
  sideOf: (t: Transition) => readonly WeightedPlace[],
): { start: Int32Array; place: Int32Array; weight: Int32Array } {
  const start = new Int32Array(transitions.length + 1);
  const places: PlaceIndex[] = [];
  const weights: number[] = [];
  for (let t = 0; t < transitions.length; t += 1) {
    for (const arc of sideOf(transitions[t]!)) {
      places.push(arc[0]);
      weights.push(arc[1]);
    }
    start[t + 1] = places.length;
  }
  return { start, place: new Int32Array(places), weight: counts(weights) };
}

function counts(weights: readonly number[]): Int32Array {
  for (const weight of weights)
    invariant(Math.abs(weight) <= 0x7fffffff, "D8.1", () => ({ weightsMax: 0x7fffffff }));
  return new Int32Array(weights);
}
