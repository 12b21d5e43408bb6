/** @module The rules of reduction, plainly: each tests its side condition on the net as it is, and changes it. */
import type { Net, PlaceIndex } from "@tessera/core";
import type { DraftTransition } from "../reduction/step.ts";
import { isInFinal, type State } from "./reduction-state.ts";

/**
 * Gives the producers of `q` its consumers, which need nothing else. Null, or why it may not.
 *
 * @definition D13.4
 */
export function applyPost(state: State, q: PlaceIndex): string | null {
  const { rows, initial } = state;
  const hs = [...rows].filter(([, row]) => row.post.includes(q)).sort(([a], [b]) => a - b);
  const fs = [...rows].filter(([, row]) => row.pre.includes(q)).sort(([a], [b]) => a - b);
  const [first] = fs;
  if (first === undefined) return "nothing takes from the place";
  if (hs.length === 0 && initial[q] === 0) return "the place is never marked";
  if (initial[q] !== 0 && fs.length > 1) return "the start leaves a choice";
  for (const [, f] of fs) {
    if (f.pre.length !== 1 || f.post.length === 0 || f.post.includes(q)) return "a consumer is not simple";
    if (hs.some(([, h]) => f.post.some((p) => h.post.includes(p)))) return "two tokens on one place";
  }
  if (initial[q] !== 0) {
    for (const p of first[1].post) initial[p]! += initial[q]!;
    for (const t of first[1].carries) state.spared.add(t);
    initial[q] = 0;
  }
  state.gone.add(q);
  for (const [f] of fs) rows.delete(f);
  for (const [number, h] of hs) {
    for (const [index, [, f]] of fs.entries()) {
      const outputs = [...h.post.filter((p) => p !== q), ...f.post];
      rows.set(index === 0 ? number : state.next, {
        pre: h.pre,
        post: outputs,
        carries: [...h.carries, ...f.carries],
      });
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
export function applyPre(state: State, q: PlaceIndex, net: Net): string | null {
  const { rows } = state;
  const hs = [...rows].filter(([, row]) => row.post.includes(q));
  const fs = [...rows].filter(([, row]) => row.pre.includes(q));
  const [first] = hs;
  if (first === undefined || hs.length > 1 || fs.length === 0) return "not one producer and some consumer";
  const [number, h] = first;
  if (state.initial[q] !== 0) return "the place is marked";
  if (h.post.length !== 1 || h.pre.length === 0 || h.pre.includes(q)) return "the producer is not simple";
  const isShared = [...rows].some(([t, row]) => t !== number && row.pre.some((p) => h.pre.includes(p)));
  if (isShared || h.pre.some((p) => isInFinal(net, p))) return "others need what the producer needs";
  state.gone.add(q);
  rows.delete(number);
  for (const t of h.carries) state.spared.add(t);
  for (const [t, f] of fs) {
    const inputs = [...f.pre.filter((p) => p !== q), ...h.pre];
    rows.set(t, { pre: inputs, post: f.post, carries: [...h.carries, ...f.carries] });
  }
  return null;
}

/**
 * Takes `place` away, which always holds what `twin` holds.
 *
 * @definition D13.6
 */
export function applyTwinPlace(
  { rows, gone, initial }: State,
  place: PlaceIndex,
  twin: PlaceIndex,
): string | null {
  if (place === twin || initial[place] !== initial[twin]) return "the places start differently";
  for (const { pre: inputs, post: outputs } of rows.values()) {
    if (
      inputs.includes(place) !== inputs.includes(twin) ||
      outputs.includes(place) !== outputs.includes(twin)
    )
      return "the places have different neighbours";
  }
  gone.add(place);
  for (const [t, row] of rows) {
    const without = (side: readonly PlaceIndex[]) => side.filter((p) => p !== place);
    rows.set(t, { ...row, pre: without(row.pre), post: without(row.post) });
  }
  return null;
}

/**
 * Takes `t` away, which does what `twin` does.
 *
 * @definition D13.7
 */
export function applyTwinTransition(
  { rows }: State,
  t: DraftTransition,
  twin: DraftTransition,
): string | null {
  const [row, other] = [rows.get(t), rows.get(twin)];
  if (row === undefined || other === undefined || t === twin) return "no such transitions";
  if (!isSame(row.pre, other.pre) || !isSame(row.post, other.post)) return "the transitions differ";
  rows.delete(t);
  rows.set(twin, { ...other, carries: [...other.carries, ...row.carries] });
  return null;
}

/**
 * Takes `t` away, which changes nothing and can fire, as `other` or the start shows.
 *
 * @definition D13.8
 */
export function applyIdle(
  { rows, spared, initial }: State,
  t: DraftTransition,
  other: DraftTransition | null,
): string | null {
  const row = rows.get(t);
  if (row === undefined || t === other) return "no such transition";
  if (!isSame(row.pre, row.post)) return "the transition changes something";
  const shown = other === null ? null : rows.get(other);
  if (shown === undefined) return "no such transition";
  const isShown = (p: PlaceIndex) => initial[p]! > 0;
  const covers = (side: readonly PlaceIndex[]) => row.pre.every((p) => side.includes(p));
  if (shown === null ? !row.pre.every(isShown) : !covers(shown.pre) && !covers(shown.post))
    return "nothing shows that the transition can fire";
  rows.delete(t);
  for (const carried of row.carries) spared.add(carried);
  return null;
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item));
}
