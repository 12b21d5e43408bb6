/** @module Nets with counts that no token game has: the checkers count in numbers that would not be exact. */
import type { Net } from "@tessera/core";
import type { Checked } from "./closed-set.ts";

/** What a place of a token game can hold. */
const TOKENS_MAX = 0x7fffffff;

/** Why nothing is checked of `net`: a weight, or a count of a marking that it states, is beyond 2^31 - 1 (D1.2). Null if none is. */
export function hugeNumbers({ initial, transitions, finals }: Net): Checked | null {
  const isHuge = (count: number) => count > TOKENS_MAX;
  const markings = finals.kind === "markings" ? [initial, ...finals.markings] : [initial];
  const isFound =
    markings.some((M) => M.some(isHuge)) ||
    transitions.some(({ pre, post }) => [pre, post].some((side) => side.some((arc) => isHuge(arc[1]))));
  return isFound ? { kind: "unchecked", reason: "numbers beyond 2^31 - 1" } : null;
}
