/** @module The rules of reduction, plainly: each tests its side condition on the net as it is, and changes it. */
import type { PlaceIndex } from "@tessera/core";
import type { DraftTransition } from "../reduction/step.ts";
import { dropRow, type Row, type State, setRow } from "./reduction-state.ts";

/**
 * Gives the producers of `q` its consumers, which need nothing else. Null, or why it may not.
 *
 * @definition D13.4
 */
export function applyPost(state: State, q: PlaceIndex): string | null {
  const { initial } = state;
  const hs = rowsIn(state, state.producers[q]!);
  const fs = rowsIn(state, state.consumers[q]!);
  const [first] = fs;
  if (first === undefined) return "nothing takes from the place";
  if (hs.length === 0 && initial[q] === 0) return "the place is never marked";
  if (initial[q] !== 0 && fs.length > 1) return "the start leaves a choice";
  for (const [, f] of fs) {
    if (f.pre.size !== 1 || f.post.size === 0 || f.post.has(q)) return "a consumer is not simple";
    for (const [, h] of hs) for (const p of f.post) if (h.post.has(p)) return "two tokens on one place";
  }
  if (initial[q] !== 0) {
    for (const p of first[1].post) initial[p]! += initial[q]!;
    state.spared.push(first[1].carries);
    initial[q] = 0;
  }
  state.gone.add(q);
  for (const [f] of fs) dropRow(state, f);
  for (const [number, h] of hs) {
    for (const [index, [, f]] of fs.entries()) {
      const post = new Set([...h.post, ...f.post]);
      post.delete(q);
      setRow(state, index === 0 ? number : state.next, { pre: h.pre, post, carries: [h.carries, f.carries] });
      if (index > 0) state.next += 1;
    }
  }
  return null;
}

/**
 * Gives the consumers of `q` its producer, which does nothing else.
 *
 * @definition D13.5
 */
export function applyPre(state: State, q: PlaceIndex): string | null {
  const hs = rowsIn(state, state.producers[q]!);
  const fs = rowsIn(state, state.consumers[q]!);
  const [first] = hs;
  if (first === undefined || hs.length > 1 || fs.length === 0) return "not one producer and some consumer";
  const [number, h] = first;
  if (state.initial[q] !== 0) return "the place is marked";
  if (h.post.size !== 1 || h.pre.size === 0 || h.pre.has(q)) return "the producer is not simple";
  for (const p of h.pre)
    if (state.consumers[p]!.size > 1 || state.isFinal[p] === 1) return "others need what the producer needs";
  state.gone.add(q);
  dropRow(state, number);
  state.spared.push(h.carries);
  for (const [t, f] of fs) {
    const pre = new Set([...f.pre, ...h.pre]);
    pre.delete(q);
    setRow(state, t, { pre, post: f.post, carries: [h.carries, f.carries] });
  }
  return null;
}

/**
 * Takes `place` away, which always holds what `twin` holds.
 *
 * @definition D13.6
 */
export function applyTwinPlace(state: State, place: PlaceIndex, twin: PlaceIndex): string | null {
  const { producers, consumers, gone, initial } = state;
  if (place === twin || initial[place] !== initial[twin]) return "the places start differently";
  const isTwin = isSame(producers[place]!, producers[twin]!) && isSame(consumers[place]!, consumers[twin]!);
  if (!isTwin) return "the places have different neighbours";
  gone.add(place);
  for (const [t, row] of rowsIn(state, new Set([...producers[place]!, ...consumers[place]!]))) {
    const pre = new Set(row.pre);
    const post = new Set(row.post);
    pre.delete(place);
    post.delete(place);
    setRow(state, t, { pre, post, carries: row.carries });
  }
  return null;
}

/**
 * Takes `t` away, which does what `twin` does.
 *
 * @definition D13.7
 */
export function applyTwinTransition(state: State, t: DraftTransition, twin: DraftTransition): string | null {
  const [row, other] = [state.rows.get(t), state.rows.get(twin)];
  if (row === undefined || other === undefined || t === twin) return "no such transitions";
  if (!isSame(row.pre, other.pre) || !isSame(row.post, other.post)) return "the transitions differ";
  dropRow(state, t);
  state.rows.set(twin, { ...other, carries: [other.carries, row.carries] });
  return null;
}

/**
 * Takes `t` away, which changes nothing and can fire, as `other` or the start shows.
 *
 * @definition D13.8
 */
export function applyIdle(state: State, t: DraftTransition, other: DraftTransition | null): string | null {
  const { rows, spared, initial } = state;
  const row = rows.get(t);
  if (row === undefined || t === other) return "no such transition";
  if (!isSame(row.pre, row.post)) return "the transition changes something";
  const shown = other === null ? null : rows.get(other);
  if (shown === undefined) return "no such transition";
  const inputs = [...row.pre];
  const covers = (side: ReadonlySet<PlaceIndex>) => inputs.every((p) => side.has(p));
  const isShown =
    shown === null ? inputs.every((p) => initial[p]! > 0) : covers(shown.pre) || covers(shown.post);
  if (!isShown) return "nothing shows that the transition can fire";
  dropRow(state, t);
  spared.push(row.carries);
  return null;
}

/** The rows of these numbers, in the order of the numbers. */
function rowsIn({ rows }: State, numbers: ReadonlySet<DraftTransition>): (readonly [DraftTransition, Row])[] {
  return [...numbers].sort((a, b) => a - b).map((t) => [t, rows.get(t)!] as const);
}

function isSame(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  if (left.size !== right.size) return false;
  for (const item of left) if (!right.has(item)) return false;
  return true;
}
