/** @module Which members of two arrays are the same, when few were inserted or removed (Myers' O(ND) algorithm). */

import { canonicalJson } from "./canonical.ts";
import { invariant } from "./invariant.ts";
import type { Json } from "./json.ts";

/** Members `before[beforeStart .. beforeEnd)` were replaced by `after[afterStart .. afterEnd)`; ends are excluded. */
export interface Hunk {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/**
 * The parts in which `before` and `after` differ, in ascending order, with at least one equal member between two of
 * them; undefined if more than `editsMax` members were inserted or removed in all.
 * Law: the number of members inserted and removed is the least possible.
 * Members that both arrays share by reference are told apart by reference, so that they are not read.
 * Cost: (number of members + edits) times edits, and the size of the members that are not shared.
 *
 * @nonformal one half of `diff`, which is defined by its laws
 * @see Myers, An O(ND) difference algorithm and its variations, Algorithmica 1 (1986)
 */
export function align(
  before: readonly Json[],
  after: readonly Json[],
  editsMax: number,
): readonly Hunk[] | undefined {
  const [a, b] = numberMembers(before, after);
  const trace = search(a, b, Math.min(editsMax, a.length + b.length));
  return trace === undefined ? undefined : backtrack(a.length, b.length, trace);
}

/** Equal numbers for equal members; a member that is shared by reference has its own, whatever else it equals. */
function numberMembers(before: readonly Json[], after: readonly Json[]): readonly [Int32Array, Int32Array] {
  const inBefore = new Set(before);
  const shared = new Set(after.filter((member) => inBefore.has(member)));
  const numbers = new Map<Json, number>();
  const numberOf = (member: Json): number => {
    // The text of a container starts with a bracket and the text of a string with a quote, so texts cannot collide.
    const key = shared.has(member) && typeof member === "object" ? member : canonicalJson(member);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  return [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)];
}

/**
 * For d = 0, 1, ...: the furthest x on each diagonal x - y = k that d edits reach. Entry d of the answer holds them,
 * the diagonal k at index k + d; the last entry reaches the end of both arrays.
 */
function search(a: Int32Array, b: Int32Array, editsMax: number): readonly Int32Array[] | undefined {
  const trace: Int32Array[] = [];
  for (let d = 0; d <= editsMax; d += 1) {
    const reached = new Int32Array(2 * d + 1);
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : stepFrom(trace[d - 1] as Int32Array, d, k).x;
      // Past the end of b there is nothing, which equals no number.
      while (x < a.length && a[x] === b[x - k]) {
        x += 1;
      }
      reached[k + d] = x;
      if (x >= a.length && x - k >= b.length) {
        trace.push(reached);
        return trace;
      }
    }
    trace.push(reached);
  }
  return undefined;
}

/** Where edit d leads on diagonal k: down from k + 1 (an insertion) or right from k - 1 (a removal). */
function stepFrom(
  previous: Int32Array,
  d: number,
  k: number,
): { readonly isInsertion: boolean; readonly x: number } {
  // `previous` has diagonal k at index k + d - 1, and ends at d - 1 on both sides: beyond, nothing was reached.
  const right = (previous[k + d - 2] ?? -2) + 1;
  const down = previous[k + d] ?? -1;
  return right > down ? { isInsertion: false, x: right } : { isInsertion: true, x: down };
}

/** The edits of the trace, last one first, joined to hunks. */
function backtrack(beforeLength: number, afterLength: number, trace: readonly Int32Array[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let x = beforeLength;
  let y = afterLength;
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const step = stepFrom(trace[d - 1] as Int32Array, d, x - y);
    const fromX = step.isInsertion ? step.x : step.x - 1;
    const endY = step.x - (x - y);
    const edit = {
      beforeStart: fromX,
      beforeEnd: step.x,
      afterStart: step.isInsertion ? endY - 1 : endY,
      afterEnd: endY,
    };
    const next = hunks.at(-1);
    // Between two edits stand equally many members of both arrays, so one of them tells whether there are any.
    if (next !== undefined && next.beforeStart === edit.beforeEnd) {
      hunks[hunks.length - 1] = { ...next, beforeStart: edit.beforeStart, afterStart: edit.afterStart };
    } else {
      hunks.push(edit);
    }
    x = edit.beforeStart;
    y = edit.afterStart;
  }
  invariant(x === y, "D4.12");
  return hunks.reverse();
}
