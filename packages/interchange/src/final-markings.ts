/** @module Lists of final markings in normal form: as ends where they say the same. */
import type { FinalMarkings, Marking, PlaceIndex } from "@tessera/core";

/** The markings, as ends where they are the non-empty subsets of a set of places that are all `isFree` of outgoing arcs. */
export function finalsOf(
  markings: readonly Marking[],
  isFree: (place: PlaceIndex) => boolean,
): FinalMarkings {
  const ends = endsOf(markings);
  return ends?.every(isFree) ? { kind: "ends", ends } : { kind: "markings", markings };
}

/** The set of places whose non-empty subsets the (pairwise different) markings are; null if there is none. */
function endsOf(markings: readonly Marking[]): readonly PlaceIndex[] | null {
  if (!markings.every((marking) => marking.every((tokens) => tokens <= 1) && marking.includes(1)))
    return null;
  const marked = new Set(
    markings.flatMap((marking) => marking.flatMap((tokens, p) => (tokens > 0 ? [p] : []))),
  );
  return markings.length === 2 ** marked.size - 1 ? [...marked].sort((a, b) => a - b) : null;
}
