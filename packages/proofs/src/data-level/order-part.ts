/** @module Numbers that are compared with each other by order: patterns of them, and what a pattern can become. */
import { invariant } from "@tessera/core";
import { numbersBetween } from "./representatives.ts";

/**
 * Slots that conditions compare with each other by order. All have the same `values`: numbers, and undefined where one
 * may be missing. `tuples` are the patterns, as indices into the values in the order of the slots: in each gap between
 * `constants` the first so many values are used. `isDiscrete`: integers, between which there is not always room.
 */
export interface OrderPart {
  readonly slots: readonly number[];
  readonly values: readonly (number | undefined)[];
  readonly constants: readonly number[];
  readonly isDiscrete: boolean;
  readonly tuples: readonly (readonly number[])[];
  /** Tuples by the slots that are kept and their pattern. */
  readonly known: Map<string, readonly (readonly number[])[]>;
}

/** Patterns that a part may have. */
const TUPLES_MAX = 5000;

/**
 * The part of `slots` over the numbers `pool` (with missing, where `mayMiss` says so for a slot); null if there are too
 * many patterns. Requires of a dense part as many numbers in each gap as there are slots.
 */
export function orderPart(
  slots: readonly number[],
  pool: readonly number[],
  constants: readonly number[],
  mayMiss: readonly boolean[],
  isDiscrete: boolean,
): OrderPart | null {
  const values = mayMiss.includes(true) ? [...pool, undefined] : pool;
  if (values.length ** slots.length > TUPLES_MAX * 10) return null;
  const part = { slots, values, constants, isDiscrete, tuples: [], known: new Map() };
  const tuples = slots
    .reduce<readonly (readonly number[])[]>(
      (all, _, at) =>
        all.flatMap((tuple) =>
          values.flatMap((value, cell) =>
            value !== undefined || mayMiss[at] === true ? [[...tuple, cell]] : [],
          ),
        ),
      [[]],
    )
    .filter((tuple) => isFirst(part, tuple));
  return tuples.length > TUPLES_MAX ? null : { ...part, tuples };
}

/** Does the tuple use the first values of each gap? Then it stands for its pattern. */
function isFirst(part: OrderPart, tuple: readonly number[]): boolean {
  const used = new Set(tuple);
  return part.values.every((value, cell) => {
    const before = part.values[cell - 1];
    if (!used.has(cell) || value === undefined || before === undefined) return true;
    const gap = gapOf(part, value);
    const isNextInGap = !Number.isInteger(gap) && gapOf(part, before) === gap;
    return !isNextInGap || used.has(cell - 1);
  });
}

/** The pattern of the slots that are not `overwritten`: where each stands to the constants and to the others. */
function patternOf(part: OrderPart, tuple: readonly number[], overwritten: readonly boolean[]): string {
  const kept = tuple.filter((_, at) => overwritten[at] !== true);
  const cells = [...new Set(kept)].sort((a, b) => a - b);
  const places = tuple.map((cell, at) => {
    if (overwritten[at] === true) return "";
    const value = part.values[cell];
    if (value === undefined) return "missing";
    const gap = gapOf(part, value);
    const rank = cells.filter((other) => other < cell && gapOf(part, part.values[other]!) === gap).length;
    return `${gap}.${rank}`;
  });
  return JSON.stringify([overwritten, places]);
}

/** A constant by its number, a gap by that of the constant above it and a half. */
function gapOf({ constants }: OrderPart, value: number): number {
  const at = constants.findIndex((constant) => constant >= value);
  if (at < 0) return constants.length - 0.5;
  return constants[at] === value ? at : at - 0.5;
}

/**
 * The patterns in which the slots that are not overwritten stand as in `tuple`. Of numbers that lie dense each can come
 * about, by values for the overwritten ones.
 */
export function extensions(
  part: OrderPart,
  tuple: readonly number[],
  overwritten: readonly boolean[],
): readonly (readonly number[])[] {
  const pattern = patternOf(part, tuple, overwritten);
  const found =
    part.known.get(pattern) ?? part.tuples.filter((one) => patternOf(part, one, overwritten) === pattern);
  part.known.set(pattern, found);
  return found;
}

/**
 * Can the overwritten slots come to stand so, whatever integers the others are? Yes in a gap that no other one is in,
 * on a constant or another one, and beyond all others below the least or above the greatest constant.
 */
export function isAlwaysRoom(
  part: OrderPart,
  after: readonly number[],
  overwritten: readonly boolean[],
): boolean {
  const at = (cell: number) => part.values[cell];
  const kept = after.filter((_, index) => overwritten[index] !== true).map(at);
  return after.every((cell, index) => {
    const value = at(cell);
    if (overwritten[index] !== true || value === undefined || kept.includes(value)) return true;
    const gap = gapOf(part, value);
    if (Number.isInteger(gap)) return true;
    const others = kept.filter(
      (other) => other !== undefined && gapOf(part, other) === gap,
    ) as readonly number[];
    const isAbove = gap > part.constants.length - 1 && others.every((other) => other < value);
    const isBelow = gap < 0 && others.every((other) => other > value);
    return others.length === 0 || isAbove || isBelow;
  });
}

/**
 * Numbers for the pattern `after` in which the slots that are not overwritten have the values `given`. Requires that
 * there is room (else InvariantViolation).
 */
export function numbersFor(
  part: OrderPart,
  given: readonly (number | undefined)[],
  after: readonly number[],
  overwritten: readonly boolean[],
): readonly (number | undefined)[] {
  const known = new Map<number, number>();
  after.forEach((cell, index) => {
    const value = part.values[cell];
    if (value === undefined) return;
    if (overwritten[index] !== true) known.set(cell, given[index]!);
    else if (Number.isInteger(gapOf(part, value))) known.set(cell, value);
  });
  const cells = [...new Set(after)].filter((cell) => part.values[cell] !== undefined).sort((a, b) => a - b);
  for (const [index, cell] of cells.entries()) {
    if (known.has(cell)) continue;
    const gap = gapOf(part, part.values[cell]!);
    const inGap = (other: number) => gapOf(part, part.values[other]!) === gap;
    const before = cells
      .slice(0, index)
      .reverse()
      .find((other) => known.has(other) && inGap(other));
    const later = cells.slice(index).filter(inGap);
    const next = later.find((other) => known.has(other));
    const count = next === undefined ? later.length : later.indexOf(next);
    const low =
      before === undefined
        ? (part.constants[Math.ceil(gap) - 1] ?? Number.NEGATIVE_INFINITY)
        : known.get(before)!;
    const high =
      next === undefined ? (part.constants[Math.ceil(gap)] ?? Number.POSITIVE_INFINITY) : known.get(next)!;
    const own = part.isDiscrete ? integersBetween(low, high, count) : numbersBetween(low, high, count);
    invariant(own.length > 0, "D23.1", () => ({ low, high, count }));
    known.set(cell, own[0]!);
  }
  return after.map((cell) => (part.values[cell] === undefined ? undefined : known.get(cell)!));
}

/** `count` integers in a row: next to the bound where there is one. */
function integersBetween(low: number, high: number, count: number): readonly number[] {
  const first = Number.isFinite(low)
    ? Math.floor(low) + 1
    : Number.isFinite(high)
      ? Math.ceil(high) - count
      : 0;
  return Array.from({ length: count }, (_, step) => first + step).filter(
    (value) => low < value && value < high,
  );
}
