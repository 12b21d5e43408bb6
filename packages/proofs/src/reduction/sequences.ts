/** @module Firing sequences of a net as parts that are shared: joining two is one step, however long they are. */
import type { TransitionIndex } from "@tessera/core";

/**
 * A firing sequence: below `Sequences.transitions` the transition itself, from there on a part. Parts stand after those
 * that they are made of.
 */
export type Sequence = number;

/** The parts. Written out, the first choices of a sequence have `length` firings. */
export interface Sequences {
  readonly transitions: number;
  readonly first: Sequence[];
  readonly second: Sequence[];
  readonly length: number[];
  /** Either of two that do the same, rather than one after the other. */
  readonly isChoice: boolean[];
}

/** No parts yet. */
export function sequencesOf(transitions: number): Sequences {
  return { transitions, first: [], second: [], length: [], isChoice: [] };
}

/** `first`, then `second`. */
export function followedBy(sequences: Sequences, first: Sequence, second: Sequence): Sequence {
  return joined(sequences, first, second, lengthOf(sequences, first) + lengthOf(sequences, second), false);
}

/** `first` or `second`. */
export function either(sequences: Sequences, first: Sequence, second: Sequence): Sequence {
  const length = Math.max(lengthOf(sequences, first), lengthOf(sequences, second));
  return joined(sequences, first, second, length, true);
}

function joined(
  { transitions, first, second, length, isChoice }: Sequences,
  left: Sequence,
  right: Sequence,
  count: number,
  isEither: boolean,
): Sequence {
  second.push(right);
  length.push(count);
  isChoice.push(isEither);
  return transitions + first.push(left) - 1;
}

/** The number of firings, at most. */
export function lengthOf({ transitions, length }: Sequences, sequence: Sequence): number {
  return sequence < transitions ? 1 : length[sequence - transitions]!;
}

/**
 * The sequence in order, where there is a choice the first.
 *
 * @definition D13.3
 */
export function flatten(sequences: Sequences, sequence: Sequence): readonly TransitionIndex[] {
  const flat: TransitionIndex[] = [];
  write(sequences, sequence, null, flat);
  return flat;
}

/** Marks (1) all transitions that occur in some choice of one of `roots`. Cost: linear in the parts. */
export function markLeaves(sequences: Sequences, roots: Iterable<Sequence>): Uint8Array {
  const { transitions, first, second } = sequences;
  const isMet = new Uint8Array(transitions + first.length);
  for (const root of roots) isMet[root] = 1;
  for (let part = first.length - 1; part >= 0; part -= 1) {
    if (isMet[transitions + part] === 0) continue;
    isMet[first[part]!] = 1;
    isMet[second[part]!] = 1;
  }
  return isMet.subarray(0, transitions);
}

/** All transitions that occur in some choice, each once. Cost: linear in what the sequence is made of. */
export function leaves(sequences: Sequences, sequence: Sequence): ReadonlySet<TransitionIndex> {
  const found = new Set<TransitionIndex>();
  for (const part of partsAbove(sequences, sequence).keys())
    if (part < sequences.transitions) found.add(part);
  return found;
}

/** Each part of the sequence, with a part that it is in; the sequence itself with null. */
export type PartsAbove = ReadonlyMap<Sequence, Sequence | null>;

/** The parts of `sequence`, down to the transitions. */
export function partsAbove({ transitions, first, second }: Sequences, sequence: Sequence): PartsAbove {
  const above = new Map<Sequence, Sequence | null>([[sequence, null]]);
  for (const part of above.keys()) {
    if (part < transitions) continue;
    const [left, right] = [first[part - transitions]!, second[part - transitions]!];
    if (!above.has(left)) above.set(left, part);
    if (!above.has(right)) above.set(right, part);
  }
  return above;
}

/**
 * What `sequence` fires before `part`, with choices made so that `part` occurs in it; null if it cannot. `above`: the
 * parts of `sequence`.
 */
export function flattenTo(
  sequences: Sequences,
  sequence: Sequence,
  part: Sequence,
  above: PartsAbove = partsAbove(sequences, sequence),
): readonly TransitionIndex[] | null {
  if (!above.has(part)) return null;
  const chosen = new Set<Sequence>();
  for (let at: Sequence | null = part; at !== null; at = above.get(at) ?? null) chosen.add(at);
  const flat: TransitionIndex[] = [];
  write(sequences, sequence, { chosen, end: part }, flat);
  return flat;
}

/** Writes `sequence` to the end of `flat`: to the part `end`, and with the second of two choices where only that is `chosen`. */
function write(
  { transitions, first, second, isChoice }: Sequences,
  sequence: Sequence,
  way: { readonly chosen: ReadonlySet<Sequence>; readonly end: Sequence } | null,
  flat: TransitionIndex[],
): void {
  const stack = [sequence];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (part === way?.end) return;
    if (part < transitions) {
      flat.push(part);
      continue;
    }
    const [left, right] = [first[part - transitions]!, second[part - transitions]!];
    if (isChoice[part - transitions] !== true) stack.push(right, left);
    else stack.push(way?.chosen.has(right) === true && !way.chosen.has(left) ? right : left);
  }
}
