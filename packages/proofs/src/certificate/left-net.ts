/** @module The net that is left without a terminating part, in its own numbers. */
import type { Net, PlaceIndex, Transition, TransitionIndex, WeightedPlace } from "@tessera/core";
import type { Left } from "./terminating-part.ts";

/** The number of each place in what is left, and a side that is one arc of weight one to it: transitions share them. */
interface Places {
  readonly indexOf: Int32Array;
  readonly sides: readonly (readonly [WeightedPlace])[];
}

const NONE: readonly PlaceIndex[] = [];

/**
 * 1 for the places of the part; for those that transitions that go, and that others put tokens on; for the transitions
 * that go, and for the terminating ones.
 */
export interface Marks {
  readonly isInside: Uint8Array;
  readonly isFed: Uint8Array;
  readonly isLeft: Uint8Array;
  readonly isGone: Uint8Array;
  readonly isTerminating: Uint8Array;
}

/** The net that is left, with the original place and transition of each of its own. Cost: linear in the arcs. */
export function leftOf(
  net: Net,
  { isInside, isFed, isLeft, isGone, isTerminating }: Marks,
): Left & { readonly transitions: readonly TransitionIndex[] } {
  const given = net.finals.kind === "ends" ? net.finals.ends : [];
  const gone = isInside.slice();
  for (const end of given) if (isFed[end] === 1 && isLeft[end] === 0) gone[end] = 1;
  const places: PlaceIndex[] = [];
  const indexOf = new Int32Array(net.places.length).fill(-1);
  // Stryker disable next-line ArrayDeclaration: the length is room
  const sides = new Array<readonly [WeightedPlace]>(net.places.length);
  gone.forEach((isGone, place) => {
    if (isGone === 1) return;
    indexOf[place] = places.push(place) - 1;
    sides[place] = [[indexOf[place]!, 1]];
  });
  const transitions: TransitionIndex[] = [];
  const left: Transition[] = [];
  for (let t = 0; t < isGone.length; t += 1) {
    if (isGone[t] === 1) continue;
    transitions.push(t);
    left.push(renumbered(net.transitions[t]!, { indexOf, sides }, isTerminating[t] === 1));
  }
  const ends = given.filter((end) => gone[end] === 0).map((end) => indexOf[end]!);
  return {
    net: {
      places: places.map((place) => net.places[place]!),
      transitions: left,
      initial: places.map((place) => net.initial[place]!),
      finals: { kind: "ends", ends },
    },
    places,
    transitions,
  };
}

/** The transition in the places of the remainder, with the resets of those; a termination resets nothing. */
function renumbered(t: Transition, { indexOf, sides }: Places, isTerminating: boolean): Transition {
  const { id, generated, origin } = t;
  const isPlain = isTerminating || t.reset.length === 0;
  // An end that is gone is in no reset by D1.1; a net that nobody has looked at may have one all the same.
  const reset = isPlain ? NONE : t.reset.map((place) => indexOf[place]!).filter((place) => place >= 0);
  const [pre, post] = [sideIn(t.pre, sides), sideIn(t.post, sides)];
  if (origin === undefined) return { id, pre, any: NONE, post, reset };
  return generated === undefined
    ? { id, pre, any: NONE, post, reset, origin }
    : { id, pre, any: NONE, post, reset, origin, generated };
}

function sideIn(side: Transition["pre"], sides: Places["sides"]): readonly WeightedPlace[] {
  if (side.length === 1 && side[0]![1] === 1) return sides[side[0]![0]]!;
  return side.map(([place, weight]): WeightedPlace => {
    const one = sides[place]![0];
    return weight === 1 ? one : [one[0], weight];
  });
}
