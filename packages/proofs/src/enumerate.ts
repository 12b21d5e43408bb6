/** @module All small nets: a bound that makes "for every net" a test. */
import type { Net, Transition, WeightedPlace } from "@tessera/core";

/** How large the nets are. */
export interface EnumerateOptions {
  /** At most 3: there are 4^places transitions to choose from. */
  readonly placesMax: number;
  readonly transitionsMax: number;
}

/**
 * Every plain net with 1 to `placesMax` places and 0 to `transitionsMax` transitions, up to the order of transitions:
 * one token on the first place, the last place as the end. Transitions may repeat, lack a preset or a postset, and
 * take from the end. 3 x 3: 50,000 nets in round numbers.
 */
export function* enumerateNets({ placesMax, transitionsMax }: EnumerateOptions): Generator<Net> {
  for (let places = 1; places <= placesMax; places += 1) {
    for (let transitions = 0; transitions <= transitionsMax; transitions += 1) {
      for (const chosen of multisets(4 ** places, transitions)) yield smallNet(places, chosen);
    }
  }
}

function smallNet(places: number, chosen: readonly number[]): Net {
  return {
    places: Array.from({ length: places }, (_, place) => ({ id: `p${place}`, role: "control" })),
    transitions: chosen.map((code, index): Transition => {
      const side = (bits: number) =>
        Array.from({ length: places }, (_, place) => place)
          .filter((place) => ((bits >> place) & 1) === 1)
          .map((place): WeightedPlace => [place, 1]);
      const half = 2 ** places;
      return {
        id: `t${index}`,
        pre: side(code % half),
        any: [],
        post: side(Math.floor(code / half)),
        reset: [],
      };
    }),
    initial: Array.from({ length: places }, (_, place) => (place === 0 ? 1 : 0)),
    finals: { kind: "ends", ends: [places - 1] },
  };
}

/** All non-decreasing sequences of `size` numbers below `count`. */
function* multisets(count: number, size: number, from = 0): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let first = from; first < count; first += 1) {
    for (const rest of multisets(count, size - 1, first)) yield [first, ...rest];
  }
}
