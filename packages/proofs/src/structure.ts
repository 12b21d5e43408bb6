/** @module Facts of the net's structure that refute completion, or show a transition dead, without a search. */
import type { Marking, Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";

/**
 * What the certificates of L8.1 to L8.4 need to know of a net; `structureOf` computes it once, the trap when it is asked for.
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
  for (const t of net.transitions) {
    for (const arc of t.pre) isNeverTaken[arc[0]] = 0;
    for (const place of t.any) isNeverTaken[place] = 0;
    for (const place of t.reset) isNeverTaken[place] = 0;
  }
  const alwaysProduces = net.transitions.every((t) => t.post.length > 0);
  const finalMax = finalMaxima(net);
  let trap: Uint8Array | null = null;
  return {
    isNeverTaken,
    alwaysProduces,
    soleFinal: soleFinal(net, isNeverTaken),
    finalMax,
    get trap() {
      if (trap === null) {
        const outside = new Uint8Array(finalMax.length);
        for (let place = 0; place < outside.length; place += 1)
          outside[place] = finalMax[place] === 0 ? 1 : 0;
        trap = greatestTrap(net, outside);
      }
      return trap;
    },
  };
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
  const { transitions } = net;
  const waiting = new Int32Array(transitions.length);
  const isAnyMet = new Uint8Array(transitions.length);
  const isDone = new Uint8Array(transitions.length);
  const open: PlaceIndex[] = [];
  const fireIfReady = (t: TransitionIndex) => {
    if (isDone[t] === 1 || waiting[t] !== 0 || isAnyMet[t] === 0) return;
    isDone[t] = 1;
    for (const arc of transitions[t]!.post) {
      if (markable[arc[0]] === 1) continue;
      markable[arc[0]] = 1;
      open.push(arc[0]);
    }
  };
  for (let place = 0; place < markable.length; place += 1) if (markable[place] === 1) open.push(place);
  for (let t = 0; t < transitions.length; t += 1) {
    waiting[t] = transitions[t]!.pre.length;
    isAnyMet[t] = transitions[t]!.any.length === 0 ? 1 : 0;
    fireIfReady(t);
  }
  const consumers = rowsOf(net, (t, tell) => {
    for (const arc of t.pre) tell(arc[0]);
  });
  const optional = rowsOf(net, (t, tell) => {
    for (const place of t.any) tell(place);
  });
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (let k = consumers.start[place]!; k < consumers.start[place + 1]!; k += 1) {
      waiting[consumers.items[k]!]! -= 1;
      fireIfReady(consumers.items[k]!);
    }
    for (let k = optional.start[place]!; k < optional.start[place + 1]!; k += 1) {
      isAnyMet[optional.items[k]!] = 1;
      fireIfReady(optional.items[k]!);
    }
  }
  return net.places.flatMap((_, place) => (markable[place] === 1 ? [] : [place]));
}

/**
 * A trap inside the trap `trap` that `M` marks and from which no place can be left out. Cost: linear, and for each place
 * that must stay what would go with it; for evidence only.
 */
export function smallTrap(net: Net, trap: Uint8Array, M: Marking): readonly PlaceIndex[] {
  const shrinking = shrinkingFrom(net, trap);
  const small = shrinking.trap;
  let marked = M.filter((tokens, place) => tokens > 0 && small[place] === 1).length;
  for (let place = 0; place < small.length; place += 1) {
    if (small[place] === 0) continue;
    const gone = [place];
    small[place] = 0;
    shrink(shrinking, gone);
    const unmarked = gone.filter((each) => M[each]! > 0).length;
    if (unmarked < marked) marked -= unmarked;
    else restore(shrinking, gone);
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
  const shrinking = shrinkingFrom(net, within);
  const { transitions } = net;
  const gone: PlaceIndex[] = [];
  // All are counted before one is expelled: what is dropped is counted off afterwards.
  for (let t = 0; t < transitions.length; t += 1)
    if (shrinking.puts[t] === 0) expel(shrinking.trap, transitions[t]!, gone);
  if (gone.length > 0) shrink(shrinking, gone);
  return shrinking.trap;
}

/** A set of places on its way to a trap, and on how many of them each transition puts tokens; at none, it must not take. */
interface Shrinking {
  readonly net: Net;
  readonly trap: Uint8Array;
  readonly puts: Int32Array;
  producers: Rows | null;
}

function shrinkingFrom(net: Net, places: Uint8Array): Shrinking {
  const { transitions } = net;
  const trap = places.slice();
  const puts = new Int32Array(transitions.length);
  for (let t = 0; t < transitions.length; t += 1)
    for (const arc of transitions[t]!.post) puts[t]! += trap[arc[0]]!;
  return { net, trap, puts, producers: null };
}

/** Takes what the transition takes from out of the trap, and notes it in `gone`. */
function expel(trap: Uint8Array, { pre, any, reset }: Transition, gone: PlaceIndex[]): void {
  const drop = (place: PlaceIndex) => {
    if (trap[place] === 0) return;
    trap[place] = 0;
    gone.push(place);
  };
  for (const arc of pre) drop(arc[0]);
  for (const place of any) drop(place);
  for (const place of reset) drop(place);
}

/** Drops what must go with the places in `gone`, which are out already; all that went is in `gone` afterwards. */
function shrink(shrinking: Shrinking, gone: PlaceIndex[]): void {
  const { net, trap, puts } = shrinking;
  const { start, items } = producersOf(shrinking);
  for (let at = 0; at < gone.length; at += 1) {
    for (let k = start[gone[at]!]!; k < start[gone[at]! + 1]!; k += 1) {
      const t = items[k]!;
      puts[t]! -= 1;
      if (puts[t] === 0) expel(trap, net.transitions[t]!, gone);
    }
  }
}

/** Takes back what `shrink` did. */
function restore(shrinking: Shrinking, gone: readonly PlaceIndex[]): void {
  const { trap, puts } = shrinking;
  const { start, items } = producersOf(shrinking);
  for (const place of gone) {
    trap[place] = 1;
    for (let k = start[place]!; k < start[place + 1]!; k += 1) puts[items[k]!]! += 1;
  }
}

function producersOf(shrinking: Shrinking): Rows {
  shrinking.producers ??= rowsOf(shrinking.net, (t, tell) => {
    for (const arc of t.post) tell(arc[0]);
  });
  return shrinking.producers;
}

/** The transitions around each place: those of `place` are `items[start[place] .. start[place + 1] - 1]`. */
interface Rows {
  readonly start: Int32Array;
  readonly items: Int32Array;
}

/** `placesOf` tells the places of a transition that are meant. */
function rowsOf(
  { places, transitions }: Net,
  placesOf: (t: Transition, tell: (place: PlaceIndex) => void) => void,
): Rows {
  const start = new Int32Array(places.length + 1);
  const count = (place: PlaceIndex) => {
    start[place + 1]! += 1;
  };
  for (const t of transitions) placesOf(t, count);
  for (let place = 0; place < places.length; place += 1) start[place + 1]! += start[place]!;
  const items = new Int32Array(start[places.length]!);
  const at = start.slice();
  let index = 0;
  const enter = (place: PlaceIndex) => {
    items[at[place]!] = index;
    at[place]! += 1;
  };
  for (; index < transitions.length; index += 1) placesOf(transitions[index]!, enter);
  return { start, items };
}
