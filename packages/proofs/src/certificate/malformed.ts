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
  const isHuge = (count: number) => count > TOKENS_MAX;
  const markings = finals.kind === "markings" ? [initial, ...finals.markings] : [initial];
  const lastSide = new Int32Array(places.length);
  let side = 0;
  const isTwice = (arcs: readonly WeightedPlace[]) => {
    side += 1;
    for (const arc of arcs) {
      if (lastSide[arc[0]] === side) return true;
      lastSide[arc[0]] = side;
    }
    return false;
  };
  if (transitions.some(({ pre, post }) => isTwice(pre) || isTwice(post)))
    return { kind: "unchecked", reason: "a place is named twice on one side" };
  const isFound =
    markings.some((M) => M.some(isHuge)) ||
    transitions.some(({ pre, post }) => [pre, post].some((arcs) => arcs.some((arc) => isHuge(arc[1]))));
  return isFound ? { kind: "unchecked", reason: "numbers beyond 2^31 - 1" } : null;
}
