/** @module Facts of the net's structure that refute completion, or show a transition dead, without a search. */
import type { Marking, Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";

/**
 * What the certificates of L8.1 to L8.4 need to know of a net; `structureOf` computes it once.
 */
export interface Structure {
  /** 1 for the places that no transition takes from, by preset, optional input or reset. */
  readonly isNeverTaken: Uint8Array;
  /** Does every transition have a postset? */
  readonly alwaysProduces: boolean;
  /** The only final marking, if there is exactly one and no transition takes from its places; for L8.1 and T8.1. */
  readonly soleFinal: Marking | null;
  /** The most tokens that a final marking has on each place. */
  readonly finalMax: readonly number[];
  /** 1 for the places of the greatest trap without a place of a final marking. */
  readonly trap: Uint8Array;
}

/** The structural facts of `net`. Cost: linear in the arcs times the depth of the trap's computation. */
export function structureOf(net: Net): Structure {
  const isNeverTaken = new Uint8Array(net.places.length).fill(1);
  for (const t of net.transitions) for (const place of takenFrom(t)) isNeverTaken[place] = 0;
  const alwaysProduces = net.transitions.every((t) => t.post.length > 0);
  const finalMax = finalMaxima(net);
  const outside = Uint8Array.from(finalMax, (max) => (max === 0 ? 1 : 0));
  return {
    isNeverTaken,
    alwaysProduces,
    soleFinal: soleFinal(net, isNeverTaken),
    finalMax,
    trap: greatestTrap(net, outside),
  };
}

/** The places from which `t` may take tokens. */
function takenFrom(t: Transition): readonly PlaceIndex[] {
  return [...t.pre.map(([place]) => place), ...t.any, ...t.reset];
}

/** The places marked in some final marking, in place order. Empty if the net states none, or only the empty one. */
export function finalPlaces(net: Net): readonly PlaceIndex[] {
  return finalMaxima(net).flatMap((max, place) => (max > 0 ? [place] : []));
}

/** Does the net state any final marking? Imported nets may not. */
export function hasFinals(net: Net): boolean {
  return net.finals.kind === "ends" ? net.finals.ends.length > 0 : net.finals.markings.length > 0;
}

/** Does one listed final marking strictly cover another? End places have no such pair that matters to O2. */
export function hasNestedFinals({ finals }: Net): boolean {
  if (finals.kind === "ends") return false;
  const { markings } = finals;
  return markings.some((F) =>
    markings.some(
      (G) => F.every((tokens, p) => tokens <= (G[p] ?? 0)) && F.some((tokens, p) => tokens < (G[p] ?? 0)),
    ),
  );
}

/**
 * The greatest siphon that `M` leaves empty: the complement of the places that could be marked if tokens were never
 * used up. A transition that needs a place of it never fires from M on, whatever the class of the net.
 */
export function greatestEmptySiphon(net: Net, M: ArrayLike<number>): readonly PlaceIndex[] {
  const markable = new Uint8Array(net.places.length);
  for (let place = 0; place < markable.length; place += 1) if ((M[place] ?? 0) > 0) markable[place] = 1;
  const waiting = net.transitions.map((t) => t.pre.length);
  const consumers: number[][] = net.places.map(() => []);
  const anyConsumers: number[][] = net.places.map(() => []);
  net.transitions.forEach((t, index) => {
    for (const [place] of t.pre) consumers[place]?.push(index);
    for (const place of t.any) anyConsumers[place]?.push(index);
  });
  const hasAny = net.transitions.map((t) => t.any.length === 0);
  const done = new Uint8Array(net.transitions.length);
  const stack: PlaceIndex[] = [];
  const fireIfReady = (index: number) => {
    if (done[index] === 1 || waiting[index] !== 0 || hasAny[index] !== true) return;
    done[index] = 1;
    for (const [place] of net.transitions[index]?.post ?? []) {
      if (markable[place] === 1) continue;
      markable[place] = 1;
      stack.push(place);
    }
  };
  for (let place = 0; place < markable.length; place += 1) if (markable[place] === 1) stack.push(place);
  net.transitions.forEach((_, index) => {
    fireIfReady(index);
  });
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    for (const index of consumers[place] ?? []) waiting[index]! -= 1;
    for (const index of anyConsumers[place] ?? []) hasAny[index] = true;
    for (const index of [...(consumers[place] ?? []), ...(anyConsumers[place] ?? [])]) fireIfReady(index);
  }
  return net.places.flatMap((_, place) => (markable[place] === 1 ? [] : [place]));
}

/**
 * A trap inside `trap` that `M` marks and from which no place can be left out. Cost: for each place of `trap` one
 * computation of a greatest trap; for evidence only.
 */
export function smallTrap(net: Net, trap: Uint8Array, M: Marking): readonly PlaceIndex[] {
  let small = trap;
  for (let place = 0; place < small.length; place += 1) {
    if (small[place] === 0) continue;
    const without = Uint8Array.from(small);
    without[place] = 0;
    const rest = greatestTrap(net, without);
    if (M.some((tokens, p) => tokens > 0 && rest[p] === 1)) small = rest;
  }
  return net.places.flatMap((_, p) => (small[p] === 1 ? [p] : []));
}

function finalMaxima(net: Net): readonly number[] {
  const max = new Array<number>(net.places.length).fill(0);
  if (net.finals.kind === "ends") for (const place of net.finals.ends) max[place] = 1;
  else {
    for (const final of net.finals.markings) {
      final.forEach((tokens, place) => {
        max[place] = Math.max(max[place] ?? 0, tokens);
      });
    }
  }
  return max;
}

function soleFinal(net: Net, isNeverTaken: Uint8Array): Marking | null {
  const finals =
    net.finals.kind === "markings"
      ? net.finals.markings
      : net.finals.ends.length === 1
        ? [net.places.map((_, place) => (net.finals.kind === "ends" && net.finals.ends[0] === place ? 1 : 0))]
        : [];
  const [final] = finals;
  if (finals.length !== 1 || final === undefined) return null;
  return final.every((tokens, place) => tokens === 0 || isNeverTaken[place] === 1) ? final : null;
}

/**
 * The greatest trap inside `within` (1 = allowed). A set of places is a trap if each transition that takes from it
 * also puts a token on it, so a marked trap stays marked.
 */
function greatestTrap(net: Net, within: Uint8Array): Uint8Array {
  const trap = Uint8Array.from(within);
  const producers: TransitionIndex[][] = net.places.map(() => []);
  // How many places of the trap each transition puts tokens on; at none, it must not take from the trap.
  const puts = net.transitions.map((t, index) => {
    for (const [place] of t.post) producers[place]?.push(index);
    return t.post.filter(([place]) => trap[place] === 1).length;
  });
  const stack: PlaceIndex[] = [];
  const expel = (index: TransitionIndex) => {
    for (const place of takenFrom(net.transitions[index]!)) {
      if (trap[place] === 0) continue;
      trap[place] = 0;
      stack.push(place);
    }
  };
  puts.forEach((count, index) => {
    if (count === 0) expel(index);
  });
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    for (const index of producers[place]!) {
      puts[index]! -= 1;
      if (puts[index] === 0) expel(index);
    }
  }
  return trap;
}
