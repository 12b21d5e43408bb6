/** @module Minimal semiflows: invariants of places and of transitions that are not negative, by Farkas' algorithm. */
import type { Net } from "@tessera/core";
import { incidence, type Sparse, transposed } from "../linear/incidence.ts";
import { exact, TableauLimit } from "./tableau.ts";

/** Vectors over places or transitions, each with no common divisor; all of them if `isComplete`. */
export interface Semiflows {
  readonly of: "places" | "transitions";
  readonly flows: readonly (readonly number[])[];
  readonly isComplete: boolean;
}

/** `vectorsMax`: vectors that are kept at a time, of which there may be exponentially many. `isOver`: must the work end? */
export interface SemiflowOptions {
  readonly vectorsMax: number;
  readonly isOver: () => boolean;
}

const VECTORS_MAX = 1000;

/** A vector, and what it still gives in the rows that are left. */
interface Candidate {
  readonly vector: readonly number[];
  readonly rest: readonly number[];
}

/**
 * The semiflows of minimal support of a plain or weighted net: weights of places that no transition changes, or counts of
 * firings that change no place. Past a limit: none, and not complete (J. Martínez, M. Silva, 1982).
 *
 * @definition D24.7
 */
export function semiflows(
  net: Net,
  of: Semiflows["of"],
  { vectorsMax = VECTORS_MAX, isOver = () => false }: Partial<SemiflowOptions> = {},
): Semiflows {
  const columns = incidence(net);
  const rows = transposed(columns, net.places.length);
  const [vectors, width] = of === "places" ? [rows, columns.length] : [columns, rows.length];
  try {
    const flows = eliminated(vectors, width, { vectorsMax, isOver });
    return flows === null ? { of, flows: [], isComplete: false } : { of, flows, isComplete: true };
  } catch (error) {
    if (error instanceof TableauLimit) return { of, flows: [], isComplete: false };
    throw error;
  }
}

function eliminated(
  given: readonly Sparse[],
  width: number,
  { vectorsMax, isOver }: SemiflowOptions,
): number[][] | null {
  let candidates: Candidate[] = given.map((entries, index) => {
    const rest = new Array<number>(width).fill(0);
    for (const [column, value] of entries) rest[column] = value;
    return { vector: given.map((_, at) => (at === index ? 1 : 0)), rest };
  });
  for (let column = 0; column < width; column += 1) {
    if (isOver()) return null;
    const kept = candidates.filter(({ rest }) => rest[column] === 0);
    const rising = candidates.filter(({ rest }) => rest[column]! > 0);
    const falling = candidates.filter(({ rest }) => rest[column]! < 0);
    if (rising.length * falling.length > 20 * vectorsMax) return null;
    const made = rising.flatMap((up) => falling.map((down) => combined(up, down, column)));
    candidates = minimal([...kept, ...made]);
    if (candidates.length > vectorsMax) return null;
  }
  return candidates.map(({ vector }) => [...vector]);
}

/** The sum of both with the least factors that give nothing in `column`. */
function combined(up: Candidate, down: Candidate, column: number): Candidate {
  const [left, right] = [-down.rest[column]!, up.rest[column]!];
  const sum = (one: readonly number[], other: readonly number[]) =>
    one.map((value, at) => exact(exact(value * left) + exact(other[at]! * right)));
  const [vector, rest] = [sum(up.vector, down.vector), sum(up.rest, down.rest)];
  const divisor = [...vector, ...rest].reduce((least, value) => gcd(least, Math.abs(value)), 0);
  const over = (list: readonly number[]) => list.map((value) => value / divisor);
  return { vector: over(vector), rest: over(rest) };
}

/** Those whose support contains that of no other; of equal supports one. */
function minimal(candidates: readonly Candidate[]): Candidate[] {
  const supports = candidates.map(({ vector }) => vector.flatMap((value, at) => (value === 0 ? [] : [at])));
  const order = [...candidates.keys()].sort((a, b) => supports[a]!.length - supports[b]!.length);
  const kept: number[] = [];
  for (const index of order) {
    const own = new Set(supports[index]);
    if (!kept.some((other) => supports[other]!.every((at) => own.has(at)))) kept.push(index);
  }
  return kept.sort((a, b) => a - b).map((index) => candidates[index]!);
}

function gcd(left: number, right: number): number {
  let [a, b] = [left, right];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
