/** @module The rules of reduction, plainly: each tests its side condition on the net as it is, and changes it. */
import type { PlaceIndex } from "@tessera/core";
import type { DraftTransition } from "../reduction/step.ts";
import { addInput, addOutput, dropPlace, dropRow, isSame, type Row, type State } from "./reduction-state.ts";

/**
 * Gives the producers of `q` its consumers, which need nothing else. Null, or why it may not.
 *
 * @definition D13.4
 */
export function applyPost(state: State, q: PlaceIndex): string | null {
  const { initial, producers, consumers, rows } = state;
  const hs = inOrder(producers[q]!);
  const fs = inOrder(consumers[q]!);
  const [first] = fs;
  if (first === undefined) return "nothing takes from the place";
  if (hs.length === 0 && initial[q] === 0) return "the place is never marked";
  if (initial[q] !== 0 && fs.length > 1) return "the start leaves a choice";
  for (const f of fs) {
    if (f.pre.length !== 1 || f.post.length === 0 || f.post.includes(q)) return "a consumer is not simple";
    for (const p of f.post) for (const h of hs) if (puts(state, h, p)) return "two tokens on one place";
  }
  if (initial[q] !== 0) {
    for (const p of first.post) initial[p]! += initial[q]!;
    state.spared.push(first.carries);
    initial[q] = 0;
  }
  for (const f of fs) dropRow(state, f);
  dropPlace(state, q);
  for (const h of hs) {
    for (let k = 1; k < fs.length; k += 1) {
      const f = fs[k]!;
      const row: Row = { number: rows.length, pre: [], post: [], carries: [h.carries, f.carries] };
      rows.push(row);
      for (const p of h.pre) addInput(state, row, p);
      for (const p of h.post) addOutput(state, row, p);
      for (const p of f.post) addOutput(state, row, p);
    }
    h.carries = [h.carries, first.carries];
    for (const p of first.post) addOutput(state, h, p);
  }
  return null;
}

/** Does `row` put a token on `place`? Looked up where there is less to look at. */
function puts({ producers }: State, row: Row, place: PlaceIndex): boolean {
  const others = producers[place]!;
  return others.length < row.post.length ? others.includes(row) : row.post.includes(place);
}

/**
 * Gives the consumers of `q` its producer, which does nothing else.
 *
 * @definition D13.5
 */
export function applyPre(state: State, q: PlaceIndex): string | null {
  const hs = state.producers[q]!;
  const fs = [...state.consumers[q]!];
  const [h] = hs;
  if (h === undefined || hs.length > 1 || fs.length === 0) return "not one producer and some consumer";
  if (state.initial[q] !== 0) return "the place is marked";
  if (h.post.length !== 1 || h.pre.length === 0 || h.pre.includes(q)) return "the producer is not simple";
  for (const p of h.pre)
    if (state.consumers[p]!.length > 1 || state.isFinal[p] === 1)
      return "others need what the producer needs";
  dropRow(state, h);
  dropPlace(state, q);
  state.spared.push(h.carries);
  for (const f of fs) {
    for (const p of h.pre) addInput(state, f, p);
    f.carries = [h.carries, f.carries];
  }
  return null;
}

/**
 * Takes `place` away, which always holds what `twin` holds.
 *
 * @definition D13.6
 */
export function applyTwinPlace(state: State, place: PlaceIndex, twin: PlaceIndex): string | null {
  const { producers, consumers, initial } = state;
  if (place === twin || initial[place] !== initial[twin]) return "the places start differently";
  const isTwin = isSame(producers[place]!, producers[twin]!) && isSame(consumers[place]!, consumers[twin]!);
  if (!isTwin) return "the places have different neighbours";
  dropPlace(state, place);
  return null;
}

/**
 * Takes `t` away, which does what `twin` does.
 *
 * @definition D13.7
 */
export function applyTwinTransition(state: State, t: DraftTransition, twin: DraftTransition): string | null {
  const [row, other] = [state.rows[t], state.rows[twin]];
  if (row === undefined || other === undefined || t === twin) return "no such transitions";
  if (!isSame(row.pre, other.pre) || !isSame(row.post, other.post)) return "the transitions differ";
  dropRow(state, row);
  other.carries = [other.carries, row.carries];
  return null;
}

/**
 * Takes `t` away, which changes nothing and can fire, as `other` or the start shows.
 *
 * @definition D13.8
 */
export function applyIdle(state: State, t: DraftTransition, other: DraftTransition | null): string | null {
  const { rows, spared, initial } = state;
  const row = rows[t];
  if (row === undefined || t === other) return "no such transition";
  if (!isSame(row.pre, row.post)) return "the transition changes something";
  const shown = other === null ? null : rows[other];
  if (shown === undefined) return "no such transition";
  const covers = (side: readonly PlaceIndex[]) => row.pre.every((p) => side.includes(p));
  const isShown =
    shown === null ? row.pre.every((p) => initial[p]! > 0) : covers(shown.pre) || covers(shown.post);
  if (!isShown) return "nothing shows that the transition can fire";
  dropRow(state, row);
  spared.push(row.carries);
  return null;
}

/** A copy by number. Most lists have a row or two. */
function inOrder(rows: readonly Row[]): Row[] {
  const [first, second] = rows;
  if (rows.length === 2) return first!.number < second!.number ? [first!, second!] : [second!, first!];
  return rows.length < 2 ? rows.slice() : rows.slice().sort((a, b) => a.number - b.number);
}
