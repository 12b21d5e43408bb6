/** @module The firing rule over packed markings, for nets of which preset and effect are the whole. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { PackedLayout } from "./packed-layout.ts";

/** Parts of one transition: `start[t] .. start[t + 1] - 1`. */
export interface PackedRules {
  readonly transitionCount: number;
  /** All bits of `bits` in `word` must be set: inputs of weight 1 in fields of one bit. */
  readonly bitStart: Int32Array;
  readonly bitWord: Int32Array;
  readonly bits: Int32Array;
  /** The field must hold `weight` at least. */
  readonly fieldStart: Int32Array;
  readonly fieldPlace: Int32Array;
  readonly fieldWeight: Int32Array;
  /** What firing adds to each word; no carry leaves a field that was checked before. */
  readonly addStart: Int32Array;
  readonly addWord: Int32Array;
  readonly addend: Int32Array;
  /** Places that get more, with how much: the checks for room. */
  readonly gainStart: Int32Array;
  readonly gainPlace: Int32Array;
  readonly gain: Int32Array;
  /** Transitions to be tried when a place is marked: each is watched at the place of its preset with the fewest consumers. */
  readonly watchStart: Int32Array;
  readonly watched: Int32Array;
  /** Transitions without a preset. */
  readonly unwatched: Int32Array;
}

/** The rules of a plain or weighted net in the given layout. Cost: linear in the arcs. */
export function packedRules(net: Net, layout: PackedLayout): PackedRules {
  const bits: Pairs = net.transitions.map(({ pre }) => {
    const masks = new Map<number, number>();
    for (const [place] of pre) {
      if (layout.max[place] !== 1) continue;
      const word = layout.word[place]!;
      masks.set(word, (masks.get(word) ?? 0) | (1 << layout.shift[place]!));
    }
    return [...masks];
  });
  const fields: Pairs = net.transitions.map(({ pre }) => pre.filter(([place]) => layout.max[place] !== 1));
  const changes = net.transitions.map((t) => effectOf(t.pre, t.post));
  const adds: Pairs = changes.map((change) => {
    const sums = new Map<number, number>();
    for (const [place, amount] of change) {
      const word = layout.word[place]!;
      sums.set(word, ((sums.get(word) ?? 0) + Math.imul(amount, 1 << layout.shift[place]!)) | 0);
    }
    return [...sums];
  });
  const gains: Pairs = changes.map((change) => change.filter(([, amount]) => amount > 0));
  const watch = watchersOf(net);
  const [bit, field, add, gain] = [flat(bits), flat(fields), flat(adds), flat(gains)];
  const watchers = flat(watch.byPlace.map((list) => list.map((t) => [t, 0] as const)));
  return {
    transitionCount: net.transitions.length,
    bitStart: bit.start,
    bitWord: bit.first,
    bits: bit.second,
    fieldStart: field.start,
    fieldPlace: field.first,
    fieldWeight: field.second,
    addStart: add.start,
    addWord: add.first,
    addend: add.second,
    gainStart: gain.start,
    gainPlace: gain.first,
    gain: gain.second,
    watchStart: watchers.start,
    watched: watchers.first,
    unwatched: Int32Array.from(watch.without),
  };
}

/** Is `t` enabled in the row that begins at `base`? */
export function isEnabledIn(
  rules: PackedRules,
  layout: PackedLayout,
  words: Int32Array,
  base: number,
  t: TransitionIndex,
): boolean {
  const bitEnd = rules.bitStart[t + 1]!;
  for (let k = rules.bitStart[t]!; k < bitEnd; k += 1) {
    const bits = rules.bits[k]!;
    if ((words[base + rules.bitWord[k]!]! & bits) !== bits) return false;
  }
  const fieldEnd = rules.fieldStart[t + 1]!;
  for (let k = rules.fieldStart[t]!; k < fieldEnd; k += 1) {
    const place = rules.fieldPlace[k]!;
    const tokens = (words[base + layout.word[place]!]! >>> layout.shift[place]!) & layout.max[place]!;
    if (tokens < rules.fieldWeight[k]!) return false;
  }
  return true;
}

type Pairs = readonly (readonly (readonly [number, number])[])[];

function effectOf(
  pre: readonly (readonly [PlaceIndex, number])[],
  post: readonly (readonly [PlaceIndex, number])[],
): readonly (readonly [PlaceIndex, number])[] {
  const effect = new Map<PlaceIndex, number>();
  for (const [place, weight] of pre) effect.set(place, (effect.get(place) ?? 0) - weight);
  for (const [place, weight] of post) effect.set(place, (effect.get(place) ?? 0) + weight);
  return [...effect].filter(([, amount]) => amount !== 0);
}

function watchersOf(net: Net): {
  readonly byPlace: TransitionIndex[][];
  readonly without: TransitionIndex[];
} {
  const consumers = new Int32Array(net.places.length);
  for (const { pre } of net.transitions) for (const [place] of pre) consumers[place]! += 1;
  const byPlace: TransitionIndex[][] = net.places.map(() => []);
  const without: TransitionIndex[] = [];
  net.transitions.forEach(({ pre }, t) => {
    let best = -1;
    for (const [place] of pre) if (best < 0 || consumers[place]! < consumers[best]!) best = place;
    if (best < 0) without.push(t);
    else byPlace[best]!.push(t);
  });
  return { byPlace, without };
}

function flat(lists: Pairs): { start: Int32Array; first: Int32Array; second: Int32Array } {
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => {
    start[index + 1] = start[index]! + list.length;
  });
  const pairs = lists.flat();
  return {
    start,
    first: Int32Array.from(pairs, ([left]) => left),
    second: Int32Array.from(pairs, ([, right]) => right),
  };
}
