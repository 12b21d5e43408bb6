/** @module The fixed point of co-marking by rows of bits: what is new is followed up, and nothing is tried twice for nothing. */
import type { Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";
import {
  areRelated,
  bitsOf,
  emptyRelation,
  type PlaceRelation,
  relateBoth,
  setBit,
} from "./place-relation.ts";

/** A growing relation, with what has not been followed up yet. */
interface Growing extends PlaceRelation {
  readonly singles: PlaceIndex[];
  readonly pairs: (readonly [PlaceIndex, PlaceIndex])[];
}

/**
 * The fixed point (D16.1) by a work list. A transition that can fire for the first time is asked for all that stays
 * beside it at once, as the intersection of the rows of its inputs; from then on only for what is newly related to one
 * of them. Cost: words of a row for each transition, and for each related pair the transitions that take from it.
 *
 * @refines D16.1
 */
export function fixedPointRows(net: Net): PlaceRelation {
  const relation = initialRelation(net);
  const { consumers, unfed } = consumersOf(net);
  const resets = net.transitions.map(({ reset }) => rowOf(relation, reset));
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
    for (const s of bitsOf(beside(relation, transition, resets[t] ?? null)))
      for (const [place] of post) relate(relation, place, s);
  };
  const follow = (t: TransitionIndex, s: PlaceIndex): void => {
    tryEnable(t);
    if (isEnabled[t] === 0 || !stays(relation, net.transitions[t]!, s) || hasBit(resets[t] ?? null, s))
      return;
    for (const [place] of net.transitions[t]!.post) relate(relation, place, s);
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
    if (pair === undefined) return relation;
    const [p, s] = pair;
    for (const t of consumers[p]!) follow(t, s);
    for (const t of consumers[s]!) follow(t, p);
  }
}

/** Could `t` be enabled: are its inputs pairwise related, and one of its optional inputs with all of them? */
function canFire(relation: Growing, { pre, any }: Transition): boolean {
  const fits = (place: PlaceIndex, isFeeding: boolean) =>
    relation.marked[place] === 1 &&
    pre.every(([other]) => (other === place && isFeeding) || areRelated(relation, place, other));
  return (
    pre.every(([place, weight]) => fits(place, true) && (weight < 2 || areRelated(relation, place, place))) &&
    (any.length === 0 || any.some((place) => fits(place, false)))
  );
}

/** Can a token on `s` be there when `t` fires, and one of it be left? Resets are asked by the caller. */
function stays(relation: Growing, { pre, any }: Transition, s: PlaceIndex): boolean {
  if (relation.marked[s] !== 1 || !pre.every(([place]) => areRelated(relation, place, s))) return false;
  if (any.includes(s)) return areRelated(relation, s, s);
  return any.length === 0 || any.some((place) => areRelated(relation, place, s));
}

/** All places that stay when `t` fires, as a row. (What is related to anything is marked.) */
function beside(relation: Growing, t: Transition, reset: Int32Array | null): Int32Array {
  const { words, rows } = relation;
  const row = t.pre.length + t.any.length === 0 ? markedRow(relation) : new Int32Array(words).fill(-1);
  const optional = t.any.length === 0 ? null : optionalRow(relation, t.any);
  for (let word = 0; word < words; word += 1) {
    let bits = row[word] as number;
    for (const [place] of t.pre) bits &= rows[place * words + word] as number;
    if (optional !== null) bits &= optional[word] as number;
    if (reset !== null) bits &= ~(reset[word] as number);
    row[word] = bits;
  }
  return row;
}

function markedRow({ words, marked }: Growing): Int32Array {
  const row = new Int32Array(words);
  for (const [place, is] of marked.entries()) if (is === 1) setBit(row, 0, place);
  return row;
}

/** What is related to one of the optional inputs; of these themselves, those that can have two tokens: one is taken. */
function optionalRow(relation: Growing, any: readonly PlaceIndex[]): Int32Array {
  const { words, rows } = relation;
  const row = new Int32Array(words);
  for (const place of any)
    for (let word = 0; word < words; word += 1)
      row[word] = (row[word] as number) | (rows[place * words + word] as number);
  for (const place of any) {
    const word = place >>> 5;
    const bit = 1 << (place & 31);
    row[word] = ((row[word] as number) & ~bit) | (areRelated(relation, place, place) ? bit : 0);
  }
  return row;
}

/** The places as a row; null: there are none, and most transitions reset none. */
function rowOf({ words }: PlaceRelation, places: readonly PlaceIndex[]): Int32Array | null {
  if (places.length === 0) return null;
  const row = new Int32Array(words);
  for (const place of places) setBit(row, 0, place);
  return row;
}

function hasBit(row: Int32Array | null, bit: PlaceIndex): boolean {
  return row !== null && (((row[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1;
}

function initialRelation(net: Net): Growing {
  const relation: Growing = { ...emptyRelation(net), singles: [], pairs: [] };
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

function mark(relation: Growing, place: PlaceIndex): void {
  if (relation.marked[place] === 1) return;
  relation.marked[place] = 1;
  relation.singles.push(place);
}

function relate(relation: Growing, left: PlaceIndex, right: PlaceIndex): void {
  if (areRelated(relation, left, right)) return;
  relateBoth(relation, left, right);
  relation.pairs.push([left, right]);
}
