/** @module All small nets: a bound that makes "for every net" a test. */
import type { Net, Transition, WeightedPlace } from "@tessera/core";

/** How large the nets are, and what they may have. */
export interface EnumerateOptions {
  /** Few: with 4 there are 65,536 plain transitions to choose from. */
  readonly placesMax: number;
  readonly transitionsMax: number;
  /** Places of the fewest (default 1). */
  readonly placesMin?: number;
  /** Greatest weight of an arc (default 1). */
  readonly weightMax?: number;
  /** May transitions reset places that are no ends (default: they may not)? */
  readonly hasResets?: boolean;
  /** How many of the last places are ends (default 1). */
  readonly ends?: number;
}

/**
 * Every net with 1 to `placesMax` places and 0 to `transitionsMax` transitions, up to the order of transitions: one token
 * on the first place, the last place as the end. Transitions may repeat, lack a preset or a postset, and take from the
 * end. Plain ones with up to 3 x 3: 48,909.
 */
export function* enumerateNets(options: EnumerateOptions): Generator<Net> {
  const { placesMax, transitionsMax, placesMin = 1, weightMax = 1, hasResets = false, ends = 1 } = options;
  for (let places = Math.max(placesMin, ends); places <= placesMax; places += 1) {
    const all = everyTransition(places, weightMax, hasResets ? places - ends : 0);
    for (let count = 0; count <= transitionsMax; count += 1) {
      for (const chosen of multisets(all.length, count)) {
        const transitions = chosen.map((code, index): Transition => ({ id: `t${index}`, ...all[code]! }));
        yield smallNet(places, transitions, ends);
      }
    }
  }
}

function smallNet(places: number, transitions: readonly Transition[], ends: number): Net {
  const indices = Array.from({ length: places }, (_, place) => place);
  return {
    places: indices.map((place) => ({ id: `p${place}`, role: "control" })),
    transitions,
    initial: indices.map((place) => (place === 0 ? 1 : 0)),
    finals: { kind: "ends", ends: indices.slice(places - ends) },
  };
}

/** Every preset with every postset and every set of the first `resettable` places. */
function everyTransition(
  places: number,
  weightMax: number,
  resettable: number,
): readonly Omit<Transition, "id">[] {
  const sides = Array.from({ length: (weightMax + 1) ** places }, (_, code) =>
    Array.from({ length: places }, (__, place): WeightedPlace => {
      return [place, Math.floor(code / (weightMax + 1) ** place) % (weightMax + 1)];
    }).filter(([, weight]) => weight > 0),
  );
  const resets = Array.from({ length: 2 ** resettable }, (_, code) =>
    Array.from({ length: resettable }, (__, place) => place).filter((place) => ((code >> place) & 1) === 1),
  );
  return resets.flatMap((reset) =>
    sides.flatMap((post) => sides.map((pre) => ({ pre, any: [], post, reset }))),
  );
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
