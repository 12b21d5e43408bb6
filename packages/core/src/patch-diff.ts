/** @module The patch between two data maps: as short as the change is small. */

import { type Data, FORBIDDEN_KEY } from "./data.ts";
import { invariant } from "./invariant.ts";
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonBytes,
  jsonEqual,
  type Path,
} from "./json.ts";
import { EMPTY_PATCH, PATCH_VERSION, type Patch, type PatchOp } from "./patch.ts";
import { align, type Hunk } from "./patch-align.ts";

/** Past so many insertions and removals in one array they are no longer told apart, but replaced as one. */
const EDITS_MAX = 500;

/** Up to so many members, unchanged ones are compared too, to find a shorter patch. */
const COMPARE_MAX = 64;

/** Past so many pairs of array members in one call, a pair is replaced whole instead of being compared inside. */
const PAIRS_MAX = 20_000;

/**
 * A patch that leads from `before` to `after`.
 *
 * Requires: both are data maps (`parseData`), at most `JSON_LIMITS` deep.
 * Laws: applied to `before` it gives `after`; it is empty iff they are equal; it is (up to the digits of indices) no
 * longer than any patch between the two that sets, unsets, and splices each array at most once, while the arrays differ
 * in a stretch of at most 64 members; of up to 500 members inserted into and removed from any array of members that
 * differ from each other, only the inserted ones are in it.
 * Cost: the size of what `before` and `after` do not share by reference, and the width of the containers above it.
 * Operations are in code-unit order of the keys; in an array the splices stand first, the last one before the others.
 *
 * @definition D4.12
 */
export function diff(before: Data, after: Data): Patch {
  const change = diffObjects(before, after, [], { pairCount: 0 });
  invariant(change !== undefined, "D4.5", () => ({ key: FORBIDDEN_KEY }));
  return change.ops.length === 0 ? EMPTY_PATCH : { version: PATCH_VERSION, ops: change.ops };
}

/** Operations, and the bytes that they take in a patch, each with its comma. */
interface Change {
  readonly ops: readonly PatchOp[];
  readonly bytes: number;
}

interface Work {
  pairCount: number;
}

const NONE: Change = { ops: [], bytes: 0 };

/** The shorter of: the changes inside the value, or setting it. */
function diffValues(before: Json, after: Json, path: Path, work: Work): Change {
  const inside = diffInside(before, after, path, work);
  // Measured only as far as needed to know that it is longer.
  const whole = changeOf({ kind: "set", path, value: after }, inside?.bytes);
  return inside === undefined || whole.bytes < inside.bytes ? whole : inside;
}

/** The changes inside two containers of the same kind; undefined if only setting the value is possible. */
function diffInside(before: Json, after: Json, path: Path, work: Work): Change | undefined {
  if (isJsonArray(before) && isJsonArray(after)) {
    return diffArrays(before, after, path, work);
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    return diffObjects(before, after, path, work);
  }
  return jsonEqual(before, after) ? NONE : undefined;
}

/** Undefined if the members under `__proto__` differ, which no path can name. */
function diffObjects(before: JsonObject, after: JsonObject, path: Path, work: Work): Change | undefined {
  // What both share by reference is the bulk. A value that one of them only inherits is no JSON, so never the other's.
  const touched = Object.keys(before).filter((key) => before[key] !== after[key]);
  const added = Object.keys(after).filter((key) => before[key] !== after[key] && !Object.hasOwn(before, key));
  const changes: Change[] = [];
  for (const key of [...touched, ...added].sort()) {
    const change = diffMember(before, after, key, path, work);
    if (key === FORBIDDEN_KEY && change.ops.length > 0) {
      return undefined;
    }
    changes.push(change);
  }
  return join(changes);
}

function diffMember(before: JsonObject, after: JsonObject, key: string, path: Path, work: Work): Change {
  const place = [...path, key];
  if (!Object.hasOwn(after, key)) {
    return changeOf({ kind: "unset", path: place });
  }
  const value = after[key] as Json;
  return Object.hasOwn(before, key)
    ? diffValues(before[key] as Json, value, place, work)
    : changeOf({ kind: "set", path: place, value });
}

/**
 * One splice for each part in which the arrays differ, or one at most, whichever is shorter. The latter is tried only
 * where the former cannot be had or little has to be compared: it compares members that did not change.
 */
function diffArrays(before: readonly Json[], after: readonly Json[], path: Path, work: Work): Change {
  const pairs: Pairs = { before, after, path, work, known: new Map() };
  const middle = trim(before, after);
  const parts = splitHunk(middle, before, after);
  if (parts.length < 2) {
    return joinHunks([diffHunk(middle, pairs)]);
  }
  const inParts = joinHunks(parts.map((part) => diffHunk(part, pairs)));
  if (
    middle.beforeEnd - middle.beforeStart > COMPARE_MAX ||
    middle.afterEnd - middle.afterStart > COMPARE_MAX
  ) {
    return inParts;
  }
  const asOne = joinHunks([diffHunk(middle, pairs)]);
  return inParts.bytes < asOne.bytes ? inParts : asOne;
}

/** The parts of a hunk in which the arrays differ; none if they cannot be told apart. */
function splitHunk(hunk: Hunk, before: readonly Json[], after: readonly Json[]): readonly Hunk[] {
  const removed = before.slice(hunk.beforeStart, hunk.beforeEnd);
  const inserted = after.slice(hunk.afterStart, hunk.afterEnd);
  if (inserted.length < 2) {
    // One splice does it, so what was removed need not be read.
    return [];
  }
  const parts = align(removed, inserted, EDITS_MAX) ?? [];
  return parts.map((part) => ({
    beforeStart: part.beforeStart + hunk.beforeStart,
    beforeEnd: part.beforeEnd + hunk.beforeStart,
    afterStart: part.afterStart + hunk.afterStart,
    afterEnd: part.afterEnd + hunk.afterStart,
  }));
}

/** What is left of the arrays without their longest equal beginning and, of the rest, end. */
function trim(before: readonly Json[], after: readonly Json[]): Hunk {
  const lengthMax = Math.min(before.length, after.length);
  let start = 0;
  while (start < lengthMax && jsonEqual(before[start] as Json, after[start] as Json)) {
    start += 1;
  }
  let end = 0;
  while (end < lengthMax - start && jsonEqual(before.at(-1 - end) as Json, after.at(-1 - end) as Json)) {
    end += 1;
  }
  return {
    beforeStart: start,
    beforeEnd: before.length - end,
    afterStart: start,
    afterEnd: after.length - end,
  };
}

/** Members of two arrays that may be compared inside, and what came of it: a pair is asked for more than once. */
interface Pairs {
  readonly before: readonly Json[];
  readonly after: readonly Json[];
  readonly path: Path;
  readonly work: Work;
  readonly known: Map<number, Change>;
}

/** The change from member `i` of `before` to member `j` of `after`, at its place in `after`. */
function pairChange(i: number, j: number, pairs: Pairs): Change {
  const id = i * pairs.after.length + j;
  const known = pairs.known.get(id);
  if (known !== undefined) {
    return known;
  }
  const value = pairs.after[j] as Json;
  if (pairs.before[i] === value) {
    return NONE;
  }
  const place = [...pairs.path, j];
  pairs.work.pairCount += 1;
  const change =
    pairs.work.pairCount > PAIRS_MAX
      ? changeOf({ kind: "set", path: place, value })
      : diffValues(pairs.before[i] as Json, value, place, pairs.work);
  pairs.known.set(id, change);
  return change;
}

/** A hunk as operations: at most one splice, then the changes inside members of `after`. */
interface HunkChange {
  readonly splice: Change;
  readonly inside: Change;
}

/**
 * The shortest change of a hunk with at most one splice: the first `s` members are compared one by one, and so are the
 * last `t`; a splice replaces what stands between. Its length is a part that depends on s, plus one that depends on t,
 * so one pass over t with the best s so far finds the best pair.
 */
function diffHunk(hunk: Hunk, pairs: Pairs): HunkChange {
  const removed = hunk.beforeEnd - hunk.beforeStart;
  const inserted = hunk.afterEnd - hunk.afterStart;
  const pairsMax = Math.min(removed, inserted);
  const front = Array.from({ length: pairsMax }, (_, i) =>
    pairChange(hunk.beforeStart + i, hunk.afterStart + i, pairs),
  );
  const back = Array.from({ length: pairsMax }, (_, i) =>
    pairChange(hunk.beforeEnd - 1 - i, hunk.afterEnd - 1 - i, pairs),
  );
  const { s, t } = bestSplit(hunk, pairs, front, back);
  const inside = join([...front.slice(0, s), ...back.slice(0, t).reverse()]);
  if (removed === s + t && inserted === s + t) {
    return { splice: NONE, inside };
  }
  const splice = changeOf({
    kind: "splice",
    path: pairs.path,
    index: hunk.beforeStart + s,
    remove: removed - s - t,
    insert: pairs.after.slice(hunk.afterStart + s, hunk.afterEnd - t),
  });
  return { splice, inside };
}

function bestSplit(
  hunk: Hunk,
  pairs: Pairs,
  front: readonly Change[],
  back: readonly Change[],
): { readonly s: number; readonly t: number } {
  const inserted = hunk.afterEnd - hunk.afterStart;
  // What the first n members of the hunk add to a splice that inserts them.
  const sizes = sums(
    pairs.after.slice(hunk.afterStart, hunk.afterEnd).map((member) => jsonBytes(member) + 1),
  );
  const frontBytes = sums(front.map((change) => change.bytes));
  const backBytes = sums(back.map((change) => change.bytes));
  const frontCost = (s: number): number => at(frontBytes, s) - at(sizes, s);
  // bestFront[n]: of 0..n, the number of members at the front that is cheapest to compare.
  const bestFront = [0];
  for (let s = 1; s <= front.length; s += 1) {
    const best = at(bestFront, s - 1);
    bestFront.push(frontCost(s) < frontCost(best) ? s : best);
  }
  let best = { s: 0, t: 0, bytes: Number.POSITIVE_INFINITY };
  for (let t = 0; t <= back.length; t += 1) {
    const s = at(bestFront, back.length - t);
    const bytes = frontCost(s) + at(backBytes, t) + at(sizes, inserted - t);
    if (bytes < best.bytes) {
      best = { s, t, bytes };
    }
  }
  const splice = changeOf({ kind: "splice", path: pairs.path, index: 0, remove: 0, insert: [] });
  const hasPairsOnly = hunk.beforeEnd - hunk.beforeStart === inserted;
  const isShorter = at(frontBytes, front.length) <= best.bytes + splice.bytes;
  return hasPairsOnly && isShorter ? { s: front.length, t: 0 } : best;
}

/** The splices, the last one first so that the indices of the others stay true, then the changes inside members. */
function joinHunks(hunks: readonly HunkChange[]): Change {
  const splices = hunks.map((hunk) => hunk.splice).reverse();
  return join([...splices, ...hunks.map((hunk) => hunk.inside)]);
}

function join(changes: readonly Change[]): Change {
  return {
    ops: changes.flatMap((change) => change.ops),
    bytes: changes.reduce((sum, change) => sum + change.bytes, 0),
  };
}

/** One operation; its bytes are exact up to `bytesMax`, else just greater. */
function changeOf(op: PatchOp, bytesMax?: number): Change {
  return { ops: [op], bytes: jsonBytes(op as unknown as Json, bytesMax) + 1 };
}

/** Entry n is the sum of the first n numbers. */
function sums(numbers: readonly number[]): readonly number[] {
  const result = [0];
  for (const [i, number] of numbers.entries()) {
    result.push(at(result, i) + number);
  }
  return result;
}

function at(numbers: readonly number[], i: number): number {
  return numbers[i] as number;
}
