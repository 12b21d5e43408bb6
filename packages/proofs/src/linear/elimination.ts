/** @module Exact elimination: integer bases of kernels, and ranks modulo a prime, which bound the rank from below. */
import type { Sparse } from "./incidence.ts";

/** Products of two residues stay exact in a double. */
const PRIME = 67_108_859;

/**
 * The rank modulo a prime: never more than the rank over the rationals. Cost: rank times entries.
 */
export function rankModulo(rows: readonly Sparse[]): number {
  const pivots = new Map<number, Map<number, number>>();
  for (const row of rows) {
    const rest = new Map<number, number>();
    for (const [column, value] of row) {
      const residue = ((value % PRIME) + PRIME) % PRIME;
      if (residue !== 0) rest.set(column, residue);
    }
    for (let column = leastOf(rest); column !== null; column = leastOf(rest)) {
      const pivot = pivots.get(column);
      if (pivot === undefined) {
        const scale = inverse(rest.get(column)!);
        for (const [at, value] of rest) rest.set(at, (value * scale) % PRIME);
        pivots.set(column, rest);
        break;
      }
      const factor = rest.get(column)!;
      for (const [at, value] of pivot) {
        const next = ((rest.get(at) ?? 0) + (PRIME - factor) * value) % PRIME;
        if (next === 0) rest.delete(at);
        else rest.set(at, next);
      }
    }
  }
  return pivots.size;
}

/**
 * A basis of the integer vectors `x` with `row * x = 0` for each row: one vector for each free column, which no other
 * vector of the basis uses. Null if a coefficient does not fit an exact number. Cost: cubic.
 */
export function kernelBasis(
  rows: readonly Sparse[],
  columnCount: number,
): readonly (readonly number[])[] | null {
  const reduced = reducedRows(rows);
  const pivotOf = new Map(reduced.map(({ pivot, row }) => [pivot, row]));
  const basis: number[][] = [];
  for (let free = 0; free < columnCount; free += 1) {
    if (pivotOf.has(free)) continue;
    const vector = kernelVector(reduced, free, columnCount);
    if (vector === null) return null;
    basis.push(vector);
  }
  return basis;
}

interface Reduced {
  readonly pivot: number;
  readonly row: Map<number, bigint>;
}

/** Gauss-Jordan over the integers: each row is kept primitive. */
function reducedRows(rows: readonly Sparse[]): readonly Reduced[] {
  const reduced: Reduced[] = [];
  for (const given of rows) {
    const row = new Map(given.map(([column, value]) => [column, BigInt(value)]));
    for (const { pivot, row: other } of reduced) clear(row, pivot, other);
    makePrimitive(row);
    const pivot = leastOf(row);
    if (pivot === null) continue;
    for (const { row: other } of reduced) {
      clear(other, pivot, row);
      makePrimitive(other);
    }
    reduced.push({ pivot, row });
  }
  return reduced;
}

/** Makes the entry of `row` in `column` zero with a multiple of `other`, whose entry there is not zero. */
function clear(row: Map<number, bigint>, column: number, other: ReadonlyMap<number, bigint>): void {
  const value = row.get(column);
  if (value === undefined) return;
  const by = other.get(column)!;
  for (const [at, entry] of row) row.set(at, entry * by);
  for (const [at, entry] of other) {
    const next = (row.get(at) ?? 0n) - entry * value;
    if (next === 0n) row.delete(at);
    else row.set(at, next);
  }
}

function makePrimitive(row: Map<number, bigint>): void {
  let divisor = 0n;
  for (const value of row.values()) divisor = gcd(divisor, value);
  if (divisor > 1n) for (const [at, value] of row) row.set(at, value / divisor);
}

function kernelVector(reduced: readonly Reduced[], free: number, columnCount: number): number[] | null {
  const users = reduced.filter(({ row }) => row.has(free));
  let scale = 1n;
  for (const { pivot, row } of users) {
    const divisor = row.get(pivot)!;
    scale *= abs(divisor) / gcd(scale, divisor);
  }
  const vector = new Array<number>(columnCount).fill(0);
  vector[free] = Number(scale);
  for (const { pivot, row } of users) vector[pivot] = Number((-row.get(free)! * scale) / row.get(pivot)!);
  return vector.every((value) => Number.isSafeInteger(value)) ? vector : null;
}

function leastOf(row: ReadonlyMap<number, unknown>): number | null {
  let least: number | null = null;
  for (const column of row.keys()) if (least === null || column < least) least = column;
  return least;
}

/** The greatest common divisor, not negative. */
export function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [abs(left), abs(right)];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The inverse of a residue that is not zero, by Fermat's theorem. */
function inverse(residue: number): number {
  let result = 1;
  let base = residue;
  for (let exponent = PRIME - 2; exponent > 0; exponent = Math.floor(exponent / 2)) {
    if (exponent % 2 === 1) result = (result * base) % PRIME;
    base = (base * base) % PRIME;
  }
  return result;
}
