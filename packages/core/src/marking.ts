/** @module Markings: multisets over the places of a net, and the view of them that chapter 20 calls tok. */
import { invariant } from "./invariant.ts";
import type { Net } from "./net.ts";

/**
 * A marking: tokens per place, indexed by place (non-negative integers). JSON-serialisable.
 *
 * @definition D1.2
 */
export type Marking = readonly number[];

/** The marking with `tokens` on the named places and none elsewhere; unknown ids break invariant D1.2. Cost: linear. */
export function markingOf(net: Net, tokens: Readonly<Record<string, number>>): Marking {
  const indexOf = new Map(net.places.map((place, index) => [place.id, index]));
  const marking = new Array<number>(net.places.length).fill(0);
  for (const [id, count] of Object.entries(tokens)) {
    const index = indexOf.get(id);
    invariant(index !== undefined && Number.isSafeInteger(count) && count >= 0, "D1.2", () => ({
      place: id,
      count,
    }));
    marking[index] = count;
  }
  return marking;
}

/** Marked places with their counts, by place id: the printable and JSON form of a marking. */
export function markedPlaces(net: Net, marking: ArrayLike<number>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    net.places.flatMap((place, index) => {
      const count = marking[index] ?? 0;
      return count > 0 ? [[place.id, count]] : [];
    }),
  );
}

/** Are the two markings equal, place by place? */
export function sameMarking(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  if (left.length !== right.length) return false;
  for (let place = 0; place < left.length; place += 1) if (left[place] !== right[place]) return false;
  return true;
}

/**
 * Is `marking` final? With ends: at least one end place marked, at most one token on each, nothing else,
 * counters included. With an explicit list: equal to one of them.
 *
 * @definition D1.7
 */
export function isFinal(net: Net, marking: ArrayLike<number>): boolean {
  if (net.finals.kind === "markings") return net.finals.markings.some((final) => sameMarking(final, marking));
  const { ends } = net.finals;
  let endCount = 0;
  for (let place = 0; place < marking.length; place += 1) {
    const count = marking[place] ?? 0;
    if (count === 0) continue;
    // Only marked places are looked up, and a marking that is not final mostly ends the search at its first.
    if (count > 1 || !ends.includes(place)) return false;
    endCount += 1;
  }
  return endCount > 0;
}
