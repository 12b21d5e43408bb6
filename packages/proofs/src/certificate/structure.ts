/** @module Checks claims on the incidence matrix and on places that never change (T24.8). */
import {
  enabling,
  fire,
  type Marking,
  type Net,
  NO_RULES,
  type PlaceIndex,
  type Transition,
  type TransitionIndex,
} from "@tessera/core";
import type { EquationCertificate, NoCompletion } from "../verdict.ts";
import { type Checked, checkClosedSet, invalid, VALID } from "./closed-set.ts";
import { checkAllNever } from "./equation.ts";
import { hasAtLeast, hasAtMost } from "./goal.ts";
import { isPositive } from "./integer-vectors.ts";

/** A place with the same tokens in every reachable marking, and why. */
export interface StablePlace {
  readonly kind: "stable-place";
  readonly place: PlaceIndex;
  readonly by: EquationCertificate | Extract<NoCompletion, { readonly kind: "closed-set" }>;
}

/** Is it a positive weight of each place whose sum no transition changes? */
export function checkPlaceInvariant(net: Net, weights: readonly number[]): Checked {
  if (weights.length !== net.places.length || !weights.every(isPositive)) return invalid("not positive");
  return sumChanges(net, weights).every((change) => change === 0n) ? VALID : invalid("a sum changes");
}

/** Is it a positive number of firings of each transition that together change no place? */
export function checkFiringInvariant(net: Net, firings: readonly number[]): Checked {
  if (firings.length !== net.transitions.length || !firings.every(isPositive)) return invalid("not positive");
  return placeChanges(net, firings).every((change) => change === 0n) ? VALID : invalid("a place changes");
}

/** Do these firings take nothing in sum, and leave something? `isReal`: none of them is less than zero. */
export function checkGain(net: Net, firings: readonly number[], isReal: boolean): Checked {
  if (firings.length !== net.transitions.length) return invalid("not one number for each transition");
  if (isReal && firings.some((count) => count < 0)) return invalid("firings below zero");
  return isRise(placeChanges(net, firings)) ? VALID : invalid("the firings leave nothing over");
}

/** Does no transition lower the weighted sum, and one raise it? */
export function checkDrift(net: Net, weights: readonly number[]): Checked {
  if (weights.length !== net.places.length) return invalid("not one weight for each place");
  return isRise(sumChanges(net, weights)) ? VALID : invalid("no weighted sum that only rises");
}

/** Has the place the same tokens in every reachable marking? */
export function checkStablePlace(net: Net, { place, by }: StablePlace, statesMax: number): Checked {
  const own = net.initial[place];
  if (own === undefined) return invalid("no such place");
  if (by.kind === "state-equation")
    return checkAllNever(net, net.initial, [[[hasAtLeast(place, own + 1), hasAtMost(place, own - 1)]]], by);
  const isBad = (M: Marking) => (M[place] === own ? null : "the place changes");
  return checkClosedSet(net, net.initial, by, isBad, { rules: NO_RULES, statesMax });
}

/** Do the firing sequences change each place at some time? */
export function checkChanges(net: Net, sequences: readonly (readonly number[])[]): Checked {
  const isChanged = new Uint8Array(net.places.length);
  for (const [index, sequence] of sequences.entries()) {
    let M = net.initial;
    for (const t of sequence) {
      const next = fire(net, M, t);
      if (next.kind !== "fired") return invalid(`sequence ${index} is not enabled`);
      M = next.marking;
      for (const [place, tokens] of M.entries()) if (tokens !== net.initial[place]) isChanged[place] = 1;
    }
  }
  return isChanged.includes(0) ? invalid("a place does not change") : VALID;
}

/** Do the firing sequences enable each transition at some time? */
export function checkEnables(net: Net, sequences: readonly (readonly number[])[]): Checked {
  const isEnabled = new Uint8Array(net.transitions.length);
  const consumers: TransitionIndex[][] = net.places.map(() => []);
  net.transitions.forEach(({ pre }, t) => {
    for (const [place] of pre) consumers[place]!.push(t);
  });
  // What a firing may come to enable consumes from what it produces.
  const look = (M: Marking, candidates: Iterable<TransitionIndex>) => {
    for (const t of candidates) if (enabling(net, M, t) === null) isEnabled[t] = 1;
  };
  look(net.initial, net.transitions.keys());
  for (const [index, sequence] of sequences.entries()) {
    let M = net.initial;
    for (const t of sequence) {
      const next = fire(net, M, t);
      if (next.kind !== "fired") return invalid(`sequence ${index} is not enabled`);
      M = next.marking;
      for (const [place] of net.transitions[t]!.post) look(M, consumers[place]!);
    }
  }
  return isEnabled.includes(0) ? invalid("a transition is not enabled") : VALID;
}

/** What each transition adds to the weighted sum. */
function sumChanges({ transitions }: Net, weights: readonly number[]): readonly bigint[] {
  const weigh = (side: Transition["pre"]) =>
    side.reduce((sum, [place, weight]) => sum + BigInt(weight) * BigInt(weights[place] ?? 0), 0n);
  return transitions.map(({ pre, post }) => weigh(post) - weigh(pre));
}

/** What so many firings add to each place. */
function placeChanges({ places, transitions }: Net, firings: readonly number[]): readonly bigint[] {
  const changes = places.map(() => 0n);
  for (const [t, { pre, post }] of transitions.entries()) {
    const count = BigInt(firings[t] ?? 0);
    for (const [place, weight] of post) changes[place]! += count * BigInt(weight);
    for (const [place, weight] of pre) changes[place]! -= count * BigInt(weight);
  }
  return changes;
}

function isRise(changes: readonly bigint[]): boolean {
  return changes.every((change) => change >= 0n) && changes.some((change) => change > 0n);
}
