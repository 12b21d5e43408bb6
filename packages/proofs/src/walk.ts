/** @module Random walks: where the state space is too large, a fault is often only a few dozen steps deep. */

import type { StateSpace } from "./state-space.ts";
import { successors } from "./state-space.ts";

/**
 * Walks `count` times from the first state of `space`, each at most `lengthMax` steps, choosing among the successors
 * with a fixed pseudo-random sequence. The observer of the space is told of what is met. Ends early when `isDone`
 * (asked every few steps), or at `statesMax` stored states.
 */
export function walk(
  space: StateSpace,
  limits: { readonly count: number; readonly lengthMax: number; readonly statesMax: number },
  isDone: () => boolean,
): void {
  let random = 0x9e3779b9;
  for (let round = 0; round < limits.count; round += 1) {
    let state = 0;
    for (let step = 0; step < limits.lengthMax; step += 1) {
      const next = successors(space, state, limits.statesMax);
      if (next === null || (step % 8 === 7 && isDone())) return;
      if (next.length === 0) {
        if (isDone()) return;
        break;
      }
      random = xorshift(random);
      state = next[(random >>> 0) % next.length]!;
    }
  }
}

/** Marsaglia's xorshift32: the walk is the same in every run and on every machine. */
function xorshift(state: number): number {
  let x = state;
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return x | 0;
}
