/** @module The net that is left without a terminating part, in its own numbers. */
import type { Net, PlaceIndex, Transition, TransitionIndex, WeightedPlace } from "@tessera/core";
import type { Left } from "./terminating-part.ts";

/** The number of each place in what is left, and an arc of weight one to it, which transitions share. */
interface Places {
  readonly indexOf: Int32Array;
  readonly arcs: readonly WeightedPlace[];
}

const NONE: readonly PlaceIndex[] = [];

/** 1 for the places of the part, for the transitions that go, and for the terminating ones. */
export interface Marks {
  readonly isInside: Uint8Array;
  readonly isGone: Uint8Array;
  readonly isTerminating: Uint8Array;
}

/** The net that is left, with the original place and transition of each of its own. Cost: linear in the arcs. */
export function leftOf(
  net: Net,
  { isInside, isGone, isTerminating }: Marks,
): Left & { readonly transitions: readonly TransitionIndex[] } {
  const isFed = new Uint8Array(net.places.length);
  const isLeft = new Uint8Array(net.places.length);
  for (let t = 0; t < isGone.length; t += 1) {
    const into = isGone[t] === 1 ? isFed : isLeft;
    for (const output of net.transitions[t]!.post) into[output[0]] = 1;
  }
  const given = net.finals.kind === "ends" ? net.finals.ends : [];
  const gone = Uint8Array.from(isInside);
  for (const end of given) if (isFed[end] === 1 && isLeft[end] === 0) gone[end] = 1;
  const places: PlaceIndex[] = [];
  const indexOf = new Int32Array(net.places.length).fill(-1);
  const arcs = new Array<WeightedPlace>(net.places.length);
  for (let place = 0; place < gone.length; place += 1) {
    if (gone[place] === 0) indexOf[place] = places.push(place) - 1;
    arcs[place] = [indexOf[place]!, 1];
  }
  const transitions: TransitionIndex[] = [];
  const left: Transition[] = [];
  for (let t = 0; t < isGone.length; t += 1) {
    if (isGone[t] === 1) continue;
    transitions.push(t);
    left.push(renumbered(net.transitions[t]!, { indexOf, arcs }, isTerminating[t] === 1));
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

/** The transition in the places of the remainder. What a termination resets of the part would be no place of it. */
function renumbered(t: Transition, { indexOf, arcs }: Places, isTerminating: boolean): Transition {
  const { id, generated, origin } = t;
  const isPlain = isTerminating || t.reset.length === 0;
  const reset = isPlain ? NONE : t.reset.map((place) => indexOf[place]!);
  const [pre, post] = [sideIn(t.pre, arcs), sideIn(t.post, arcs)];
  if (origin === undefined) return { id, pre, any: NONE, post, reset };
  return generated === undefined
    ? { id, pre, any: NONE, post, reset, origin }
    : { id, pre, any: NONE, post, reset, origin, generated };
}

function sideIn(side: Transition["pre"], arcs: readonly WeightedPlace[]): readonly WeightedPlace[] {
  return side.map((arc): WeightedPlace => {
    const one = arcs[arc[0]]!;
    return arc[1] === 1 ? one : [one[0], arc[1]];
  });
}
