/** @module How many tokens some walks meet on each place: a guess at the bounds, below them or right. */
import type { Net } from "@tessera/core";

const WALKS = 16;
const STEPS_MAX = 1024;

/** The most tokens on each place along walks from the start that choose by a fixed sequence. Cost: steps times arcs. */
export function boundsOnWalks({ initial, transitions }: Net): Float64Array {
  const most = Float64Array.from(initial);
  let state = 0x2545f491;
  for (let walk = 0; walk < WALKS; walk += 1) {
    const M = Float64Array.from(initial);
    for (let step = 0; step < STEPS_MAX; step += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      const from = (state >>> 8) % Math.max(1, transitions.length);
      const t = [...transitions.slice(from), ...transitions.slice(0, from)].find(({ pre }) =>
        pre.every(([place, weight]) => M[place]! >= weight),
      );
      if (t === undefined) break;
      for (const [place, weight] of t.pre) M[place]! -= weight;
      for (const [place, weight] of t.post) M[place]! += weight;
      for (const [place] of t.post) most[place] = Math.max(most[place]!, M[place]!);
    }
  }
  return most;
}
