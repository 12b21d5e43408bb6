/** @module Checks why a net with one source and one sink is not sound for many tokens (T24.3, T24.4). */
import { type Net, netClass, type PlaceIndex, type TransitionIndex } from "@tessera/core";
import type { ManyTokens } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { checkNever } from "./equation.ts";
import { type Goal, hasAtLeast, hasAtMost } from "./goal.ts";
import { isPositive } from "./integer-vectors.ts";
import { checkRun } from "./run.ts";

/** The source, which no transition fills, and the sink, from which none takes; every transition leaves a token. */
export interface Ends {
  readonly source: PlaceIndex;
  readonly sink: PlaceIndex;
}

/** Of which notion the refutation is asked: for every number of tokens, or for some. */
export type ManyTokensQuestion = "generalised-sound" | "structurally-sound";

/**
 * Does `reason` refute the notion in a plain or weighted net?
 *
 * @definition D24.6
 */
export function checkManyTokens(
  net: Net,
  { source, sink }: Ends,
  question: ManyTokensQuestion,
  reason: ManyTokens,
): Checked {
  const kind = netClass(net);
  if ((kind !== "plain" && kind !== "weighted") || !isOpenEnded(net, { source, sink }))
    return invalid("not one source that is never filled, one sink, and tokens that never vanish");
  if (reason.kind !== "stuck" && question === "structurally-sound")
    return invalid(`${reason.kind} says nothing of a single number of tokens`);
  const fireable = everFireable(net, source);
  switch (reason.kind) {
    case "stuck":
      return checkStuckForAny(net, { source, sink }, reason);
    case "lasting-trap": {
      const places = new Set(reason.places);
      const isTrap = net.transitions.every(
        ({ pre, post }) => !pre.some(([p]) => places.has(p)) || post.some(([p]) => places.has(p)),
      );
      const isMarked =
        places.has(source) ||
        [...fireable].some((t) => net.transitions[t]!.post.some(([p]) => places.has(p)));
      return isTrap && isMarked && !places.has(sink) ? VALID : invalid("no trap that is marked for ever");
    }
    case "drift": {
      const { weights } = reason;
      if (weights.length !== net.places.length) return invalid("not one weight for each place");
      const changes = [...fireable].map((t) => weighedChange(net, t, weights));
      const isDrift = changes.every((change) => change >= 0n) && changes.some((change) => change > 0n);
      return isDrift && weights[sink]! <= weights[source]! ? VALID : invalid("the weights do not drift");
    }
    case "gain": {
      const { firings, tokens } = reason;
      if (firings.length !== net.transitions.length) return invalid("not one count for each transition");
      const isRight = firings.every((count, t) => count === 0 || (isPositive(count) && fireable.has(t)));
      if (!isRight || (tokens !== 0 && !isPositive(tokens))) return invalid("counts of what never fires");
      const gains = net.places.map(() => 0n);
      for (const [t, { pre, post }] of net.transitions.entries()) {
        for (const [place, weight] of pre) gains[place]! -= BigInt(weight) * BigInt(firings[t]!);
        for (const [place, weight] of post) gains[place]! += BigInt(weight) * BigInt(firings[t]!);
      }
      gains[source]! += BigInt(tokens);
      gains[sink]! -= BigInt(tokens);
      const isGain = gains.every((gain) => gain >= 0n) && gains.some((gain) => gain > 0n);
      return isGain ? VALID : invalid("nothing is gained");
    }
  }
}

/** From one token a marking is reached from which, for a reason that holds of any multiple, the sink alone is not. */
function checkStuckForAny(
  net: Net,
  { source, sink }: Ends,
  { run, steps }: Extract<ManyTokens, { readonly kind: "stuck" }>,
): Checked {
  const one = { ...net, initial: net.places.map((_, place) => (place === source ? 1 : 0)) };
  const replayed = checkRun(one, run);
  if (replayed.kind !== "valid") return replayed;
  const scales = steps.every(
    (step) =>
      step.kind === "siphon" ||
      step.kind === "farkas" ||
      (step.kind === "trap" && !step.places.includes(sink)),
  );
  if (!scales) return invalid("the argument is of one number of tokens only");
  return checkNever(net, run.marking, onlyOn(net, sink), steps);
}

/** The marking with one token on `place` and nothing else, as a goal. */
export function onlyOn({ places }: Net, place: PlaceIndex): Goal {
  return places.flatMap((_, p) => {
    const tokens = p === place ? 1 : 0;
    return [[hasAtLeast(p, tokens)], [hasAtMost(p, tokens)]];
  });
}

/** No transition fills the source, none takes from the sink, each leaves a token. */
export function isOpenEnded({ transitions }: Net, { source, sink }: Ends): boolean {
  return (
    source !== sink &&
    transitions.every(
      ({ pre, post }) =>
        post.length > 0 && !post.some(([p]) => p === source) && !pre.some(([p]) => p === sink),
    )
  );
}

/** The transitions that fire in some run if there are tokens enough on the source. */
export function everFireable({ places, transitions }: Net, source: PlaceIndex): ReadonlySet<TransitionIndex> {
  const isMarked = places.map((_, place) => place === source);
  const found = new Set<TransitionIndex>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const [t, { pre, post }] of transitions.entries()) {
      if (found.has(t) || pre.some(([place]) => !isMarked[place])) continue;
      found.add(t);
      for (const [place] of post) isMarked[place] = true;
      grew = true;
    }
  }
  return found;
}

function weighedChange({ transitions }: Net, t: TransitionIndex, weights: readonly number[]): bigint {
  const { pre, post } = transitions[t]!;
  let change = 0n;
  for (const [place, weight] of post) change += BigInt(weight) * BigInt(weights[place]!);
  for (const [place, weight] of pre) change -= BigInt(weight) * BigInt(weights[place]!);
  return change;
}
