/** @module Nets that are none of D1.1: the checkers count in numbers that would not be exact, and read each arc once. */
import type { Net, WeightedPlace } from "@tessera/core";
import type { Checked } from "./closed-set.ts";

/** What a place of a token game can hold. */
const TOKENS_MAX = 0x7fffffff;

/**
 * Why nothing is checked of `net`: a weight, or a count of a marking that it states, is beyond 2^31 - 1 (D1.2), or a transition names a
 * place twice on one side (D1.1). Null if it is a net. Cost: linear in the arcs.
 */
export function malformed({ places, initial, transitions, finals }: Net): Checked | null {
  const markings = finals.kind === "markings" ? [initial, ...finals.markings] : [initial];
  const lastSide = new Int32Array(places.length);
  let isFound = markings.some((M) => M.some(isHuge));
  for (let t = 0; t < transitions.length; t += 1) {
    const { pre, post } = transitions[t]!;
    if (isTwice(pre, lastSide, 2 * t + 1) || isTwice(post, lastSide, 2 * t + 2))
      return { kind: "unchecked", reason: "a place is named twice on one side" };
    isFound ||= hasHuge(pre) || hasHuge(post);
  }
  return isFound ? { kind: "unchecked", reason: "numbers beyond 2^31 - 1" } : null;
}

/** Does a side name a place twice? `lastSide`: the number of the side that named each place last. */
function isTwice(arcs: readonly WeightedPlace[], lastSide: Int32Array, side: number): boolean {
  for (const arc of arcs) {
    if (lastSide[arc[0]] === side) return true;
    lastSide[arc[0]] = side;
  }
  return false;
}

function hasHuge(arcs: readonly WeightedPlace[]): boolean {
  for (const arc of arcs) if (isHuge(arc[1])) return true;
  return false;
}

function isHuge(count: number): boolean {
  return count > TOKENS_MAX;
}
