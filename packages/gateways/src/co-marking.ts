/** @module Co-marking: which places can carry tokens at the same time, by Kovalyov's fixed point or by the state space. */
import type { Marking, Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";

/** What can be marked together, and how that was found. */
export interface CoMarking {
  /** `fixed point`: at least what is reachable (exact for live and safe free-choice nets). `state space`: exactly that. */
  readonly method: "fixed point" | "state space";
  /** Can a reachable marking have a token on the place? */
  readonly isMarkable: (place: PlaceIndex) => boolean;
  /** Can a reachable marking have tokens on both places; of one place, two tokens? Symmetric. */
  readonly areCoMarked: (left: PlaceIndex, right: PlaceIndex) => boolean;
}

/** All reachable markings of a net, or null where the limits do not allow that. */
export type ReachableMarkings = (net: Net) => Iterable<Marking> | null;

/**
 * The co-marking of `net`, from its state space where `reachable` gives all of it, else by the fixed point.
 *
 * @definition D16.2
 */
export function coMarking(net: Net, reachable: ReachableMarkings = () => null): CoMarking {
  const markings = reachable(net);
  return markings === null ? fixedPoint(net) : seenTogether(net, markings);
}

/** A growing symmetric relation on places, with what has not been followed up yet. */
interface Relation {
  readonly words: number;
  readonly marked: Uint8Array;
  /** Bit s of row p: p and s are related. */
  readonly rows: Int32Array;
  readonly singles: PlaceIndex[];
  readonly pairs: (readonly [PlaceIndex, PlaceIndex])[];
}

/**
 * Kovalyov's fixed point, widened to nets that are neither free-choice nor safe: the least relation that holds of
 * what is marked at the beginning; of the outputs of each transition whose inputs are pairwise related; and of an
 * output with each place that is related to all inputs of such a transition and not reset by it. Non-local rules are
 * taken as permitting; an optional input counts where it is related to the others. Cost: at most cubic in the places
 * for bounded degrees, in practice linear in the pairs that are related.
 *
 * @definition D16.1
 */
export function fixedPoint(net: Net): CoMarking {
  const relation = initialRelation(net);
  const { consumers, unfed } = consumersOf(net);
  const isEnabled = new Uint8Array(net.transitions.length);
  const tryEnable = (t: TransitionIndex): void => {
    const transition = net.transitions[t]!;
    if (isEnabled[t] === 1 || !canFire(relation, transition)) return;
    isEnabled[t] = 1;
    const { post } = transition;
    for (const [place] of post) mark(relation, place);
    for (const [place, weight] of post) {
      if (weight > 1) relate(relation, place, place);
      for (const [other] of post) if (other !== place) relate(relation, place, other);
    }
    for (let s = 0; s < net.places.length; s += 1) propagate(relation, transition, s);
  };
  const follow = (t: TransitionIndex, s: PlaceIndex): void => {
    tryEnable(t);
    if (isEnabled[t] === 1) propagate(relation, net.transitions[t]!, s);
  };
  for (const t of unfed) tryEnable(t);
  for (;;) {
    const single = relation.singles.pop();
    if (single !== undefined) {
      for (const t of consumers[single]!) tryEnable(t);
      for (const t of unfed) follow(t, single);
      continue;
    }
    const pair = relation.pairs.pop();
    if (pair === undefined) break;
    const [p, s] = pair;
    for (const t of consumers[p]!) follow(t, s);
    for (const t of consumers[s]!) follow(t, p);
  }
  return {
    method: "fixed point",
    isMarkable: (place) => relation.marked[place] === 1,
    areCoMarked: (left, right) => isRelated(relation, left, right),
  };
}

/** Could `t` be enabled: are its inputs pairwise related, and one of its optional inputs with all of them? */
function canFire(relation: Relation, { pre, any }: Transition): boolean {
  const fits = (place: PlaceIndex, isFeeding: boolean) =>
    relation.marked[place] === 1 &&
    pre.every(([other]) => (other === place && isFeeding) || isRelated(relation, place, other));
  return (
    pre.every(([place, weight]) => fits(place, true) && (weight < 2 || isRelated(relation, place, place))) &&
    (any.length === 0 || any.some((place) => fits(place, false)))
  );
}

/** If a token on `s` can be there when `t` fires, and stays, it comes to be together with every output. */
function propagate(relation: Relation, t: Transition, s: PlaceIndex): void {
  const { pre, any, reset, post } = t;
  if (relation.marked[s] !== 1 || reset.includes(s)) return;
  if (!pre.every(([place]) => isRelated(relation, place, s))) return;
  const isWithAny = any.includes(s)
    ? isRelated(relation, s, s)
    : any.length === 0 || any.some((place) => isRelated(relation, place, s));
  if (isWithAny) for (const [place] of post) relate(relation, place, s);
}

function emptyRelation({ places: { length: places } }: Net): Relation {
  const words = Math.ceil(places / 32);
  return {
    words,
    marked: new Uint8Array(places),
    rows: new Int32Array(places * words),
    singles: [],
    pairs: [],
  };
}

function initialRelation(net: Net): Relation {
  const relation = emptyRelation(net);
  net.initial.forEach((tokens, place) => {
    if (tokens > 0) mark(relation, place);
    if (tokens > 1) relate(relation, place, place);
    for (let other = 0; tokens > 0 && other < place; other += 1)
      if (net.initial[other]! > 0) relate(relation, place, other);
  });
  return relation;
}

/** The transitions that take from each place, and those that take from none. */
function consumersOf(net: Net): {
  readonly consumers: readonly (readonly TransitionIndex[])[];
  readonly unfed: readonly TransitionIndex[];
} {
  const consumers: TransitionIndex[][] = net.places.map(() => []);
  const unfed: TransitionIndex[] = [];
  net.transitions.forEach(({ pre, any }, t) => {
    for (const place of [...pre.map(([p]) => p), ...any]) consumers[place]!.push(t);
    if (pre.length + any.length === 0) unfed.push(t);
  });
  return { consumers, unfed };
}

function mark(relation: Relation, place: PlaceIndex): void {
  if (relation.marked[place] === 1) return;
  relation.marked[place] = 1;
  relation.singles.push(place);
}

function relate(relation: Relation, left: PlaceIndex, right: PlaceIndex): void {
  if (isRelated(relation, left, right)) return;
  setBit(relation, left, right);
  setBit(relation, right, left);
  relation.pairs.push([left, right]);
}

function setBit({ rows, words }: Relation, row: PlaceIndex, bit: PlaceIndex): void {
  const word = row * words + (bit >>> 5);
  rows[word] = (rows[word] as number) | (1 << (bit & 31));
}

function isRelated({ rows, words }: Relation, row: PlaceIndex, bit: PlaceIndex): boolean {
  return (((rows[row * words + (bit >>> 5)] as number) >>> (bit & 31)) & 1) === 1;
}

function seenTogether(net: Net, markings: Iterable<Marking>): CoMarking {
  const relation = emptyRelation(net);
  for (const M of markings) {
    const marked = M.flatMap((tokens, place) => (tokens > 0 ? [place] : []));
    for (const place of marked) {
      relation.marked[place] = 1;
      if (M[place]! > 1) setBit(relation, place, place);
      for (const other of marked) if (other !== place) setBit(relation, place, other);
    }
  }
  return {
    method: "state space",
    isMarkable: (place) => relation.marked[place] === 1,
    areCoMarked: (left, right) => isRelated(relation, left, right),
  };
}
