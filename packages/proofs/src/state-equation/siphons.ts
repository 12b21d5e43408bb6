/** @module Siphons and traps inside a set of places: the greatest ones, and what starts empty for ever. */
import type { Marking, Net, PlaceIndex, TransitionIndex } from "@tessera/core";

/**
 * The greatest siphon among the places that `isIn` accepts: each transition that puts a token into it takes one from it.
 * Cost: linear in the arcs.
 *
 * @definition D24.4
 */
export function maximalSiphon(net: Net, isIn: (place: PlaceIndex) => boolean): readonly PlaceIndex[] {
  return greatest(net, isIn, ({ pre, post }) => [post, pre]);
}

/** The greatest trap among the places that `isIn` accepts: each transition that takes from it puts a token into it. */
export function maximalTrap(net: Net, isIn: (place: PlaceIndex) => boolean): readonly PlaceIndex[] {
  return greatest(net, isIn, ({ pre, post }) => [pre, post]);
}

/** The places that can never be marked, and the transitions that need one of them. */
export function unmarkableSiphon(
  net: Net,
  M: Marking,
): { readonly places: readonly PlaceIndex[]; readonly needing: ReadonlySet<TransitionIndex> } {
  const places = maximalSiphon(net, (place) => M[place] === 0);
  const inside = new Set(places);
  const needing = net.transitions.flatMap(({ pre }, t) => (pre.some(([p]) => inside.has(p)) ? [t] : []));
  return { places, needing: new Set(needing) };
}

type Sides = (
  transition: Net["transitions"][number],
) => readonly [leaving: Net["transitions"][number]["pre"], kept: Net["transitions"][number]["pre"]];

/** Places fall out as long as a transition has one on its first side and none on its second. */
function greatest(net: Net, isIn: (place: PlaceIndex) => boolean, sides: Sides): readonly PlaceIndex[] {
  const inSet = net.places.map((_, place) => isIn(place));
  const users: TransitionIndex[][] = net.places.map(() => []);
  const counts = net.transitions.map((transition, t) => {
    const kept = sides(transition)[1].filter(([place]) => inSet[place]);
    for (const [place] of kept) users[place]!.push(t);
    return kept.length;
  });
  const open = counts.flatMap((count, t) => (count === 0 ? [t] : []));
  for (let t = open.pop(); t !== undefined; t = open.pop()) {
    for (const [place] of sides(net.transitions[t]!)[0]) {
      if (!inSet[place]) continue;
      inSet[place] = false;
      for (const user of users[place]!) {
        counts[user]! -= 1;
        if (counts[user] === 0) open.push(user);
      }
    }
  }
  return net.places.flatMap((_, place) => (inSet[place] ? [place] : []));
}
