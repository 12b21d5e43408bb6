/** @module Checks of one marking of a reduced graph: is its set stubborn there, and directed to the goal? */
import { enabledTransitions, isFinal, type Marking, type Net, type TransitionIndex } from "@tessera/core";
import { improperCompletion } from "../obligations/proper-completion.ts";
import type { Goal } from "../verdict.ts";

/** The arcs of a net as maps, and who consumes from or adds to each place. */
export interface Arcs {
  readonly pre: readonly ReadonlyMap<number, number>[];
  readonly effect: readonly ReadonlyMap<number, number>[];
  readonly consumers: readonly (readonly TransitionIndex[])[];
  readonly adders: readonly (readonly TransitionIndex[])[];
}

/** The arcs of `net`. */
export function arcsOf({ places, transitions }: Net): Arcs {
  const pre = transitions.map((t) => new Map(t.pre));
  const effect = transitions.map((t) => {
    const sum = new Map<number, number>();
    for (const [place, weight] of t.post) sum.set(place, (sum.get(place) ?? 0) + weight);
    for (const [place, weight] of t.pre) sum.set(place, (sum.get(place) ?? 0) - weight);
    return sum;
  });
  const consumers: TransitionIndex[][] = places.map(() => []);
  const adders: TransitionIndex[][] = places.map(() => []);
  for (let t = 0; t < transitions.length; t += 1) {
    for (const place of pre[t]!.keys()) consumers[place]!.push(t);
    for (const [place, sum] of effect[t]!) if (sum > 0) adders[place]!.push(t);
  }
  return { pre, effect, consumers, adders };
}

/**
 * Why `set` is not stubborn at `M`; null if it is.
 *
 * @definition D25.2
 */
export function stubbornFault(
  { pre, effect, consumers, adders }: Arcs,
  M: Marking,
  set: ReadonlySet<TransitionIndex>,
): string | null {
  for (const t of set) {
    const needs = pre[t];
    if (needs === undefined) return `no transition ${t}`;
    let isLacking = false;
    let isFed = false;
    for (const [place, weight] of needs) {
      const isThere = !(M[place]! < weight);
      if (isThere) continue;
      isLacking = true;
      isFed ||= adders[place]!.every((u) => set.has(u));
    }
    if (isLacking && !isFed) return `transition ${t} has no scapegoat`;
    if (isLacking) continue;
    const takes = (u: TransitionIndex, place: number) => (effect[u]!.get(place) ?? 0) < 0;
    for (const place of needs.keys()) {
      const other = consumers[place]!.find((u) => !set.has(u) && (takes(t, place) || takes(u, place)));
      if (other !== undefined) return `transition ${other} is in conflict with ${t}`;
    }
  }
  return null;
}

/** Has `M` the goal? */
export function isReached(net: Net, goal: Goal, M: Marking): boolean {
  if (goal.kind === "improper") return improperCompletion(net, M) !== null;
  if (goal.kind === "crowded") return (M[goal.place] ?? 0) > 1;
  return enabledTransitions(net, M).includes(goal.transition);
}

/** Is a stubborn `set` directed to the goal at `M`, which has not the goal (D25.4)? */
export function isDirected(
  net: Net,
  { adders }: Arcs,
  goal: Goal,
  M: Marking,
  set: ReadonlySet<TransitionIndex>,
): boolean {
  const hasAdders = (place: number) => adders[place]?.every((t) => set.has(t)) ?? false;
  if (goal.kind === "enabled") return set.has(goal.transition);
  if (goal.kind === "crowded") return hasAdders(goal.place);
  const { finals } = net;
  if (finals.kind === "ends") return finals.ends.every(hasAdders);
  if (isFinal(net, M)) return enabledTransitions(net, M).every((t) => set.has(t));
  return finals.markings.every((F) => F.some((tokens, place) => M[place]! < tokens && hasAdders(place)));
}
