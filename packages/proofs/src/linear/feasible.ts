/** @module Exact linear feasibility: a non-negative solution of a system of equations, or a proof that there is none. */
import { gcd } from "./elimination.ts";
import type { Sparse } from "./incidence.ts";

/**
 * solution: `x / scale` solves the system, `x >= 0`. infeasible (Farkas): `y * A >= 0` in each column and `y * b < 0`,
 * which no solution allows. limit: too many pivots, or numbers too large to be exact.
 */
export type Feasibility =
  | { readonly kind: "solution"; readonly x: readonly number[]; readonly scale: number }
  | { readonly kind: "infeasible"; readonly y: readonly number[] }
  | { readonly kind: "limit" };

/** Greatest work: pivots times cells of the tableau. */
const WORK_MAX = 40_000_000;

/**
 * Is there `x >= 0` with `A x = b`? `rows` are those of `A`. The first phase of the simplex method in integers, by
 * Bland's rule, so that it ends; every division is exact (Edmonds).
 *
 * @definition D13.11
 */
export function feasible(rows: readonly Sparse[], b: readonly number[], columnCount: number): Feasibility {
  const state = tableau(rows, b, columnCount);
  const cells = (rows.length + 1) * state.width;
  for (let work = 0; work <= WORK_MAX; work += cells) {
    const column = entering(state);
    if (column < 0) return answer(state, b);
    pivot(state, leaving(state, column), column);
  }
  return { kind: "limit" };
}

/**
 * Columns: those of A, one artificial for each row, the right side. Entries are integers over `scale`. `cost` is the
 * last row: the sum of the artificials, written in the columns that are not in the basis.
 */
interface Tableau {
  readonly rows: bigint[][];
  readonly cost: bigint[];
  readonly basis: number[];
  /** The sign by which each row was multiplied to make its right side non-negative. */
  readonly sign: readonly bigint[];
  readonly columnCount: number;
  readonly width: number;
  scale: bigint;
}

function tableau(rows: readonly Sparse[], b: readonly number[], columnCount: number): Tableau {
  const width = columnCount + rows.length + 1;
  const sign = b.map((value) => (value < 0 ? -1n : 1n));
  const cost = new Array<bigint>(width).fill(0n);
  const made = rows.map((row, index) => {
    const cells = new Array<bigint>(width).fill(0n);
    for (const [column, value] of row) cells[column] = BigInt(value) * sign[index]!;
    cells[width - 1] = BigInt(b[index]!) * sign[index]!;
    cells.forEach((value, column) => {
      cost[column]! -= value;
    });
    cells[columnCount + index] = 1n;
    return cells;
  });
  const basis = rows.map((_, index) => columnCount + index);
  return { rows: made, cost, basis, sign, columnCount, width, scale: 1n };
}

/** The first column whose cost is negative; artificials that have left do not come back. */
function entering({ cost, columnCount }: Tableau): number {
  for (let column = 0; column < columnCount; column += 1) if (cost[column]! < 0n) return column;
  return -1;
}

/** The row with the least ratio; of equal ones that with the first basic column. There is one: the cost is bounded. */
function leaving({ rows, basis, width }: Tableau, column: number): number {
  let best = -1;
  rows.forEach((row, index) => {
    if (row[column]! <= 0n) return;
    if (best < 0) {
      best = index;
      return;
    }
    const left = row[width - 1]! * rows[best]![column]!;
    const right = rows[best]![width - 1]! * row[column]!;
    if (left < right || (left === right && basis[index]! < basis[best]!)) best = index;
  });
  return best;
}

function pivot(state: Tableau, at: number, column: number): void {
  const { rows, cost, basis, scale } = state;
  const pivotRow = rows[at]!;
  const by = pivotRow[column]!;
  for (const row of [...rows, cost]) {
    if (row === pivotRow) continue;
    const factor = row[column]!;
    for (let cell = 0; cell < row.length; cell += 1) {
      row[cell] = (row[cell]! * by - factor * pivotRow[cell]!) / scale;
    }
  }
  basis[at] = column;
  state.scale = by;
}

function answer(state: Tableau, b: readonly number[]): Feasibility {
  const { rows, cost, basis, sign, columnCount, width, scale } = state;
  if (cost[width - 1] !== 0n) {
    // The cost of artificial i is 1 - y_i in the scale of the tableau, for y the optimal dual solution.
    const y = b.map((_, index) => -sign[index]! * (scale - cost[columnCount + index]!));
    const exact = numbers(y);
    return exact === null ? { kind: "limit" } : { kind: "infeasible", y: exact };
  }
  const x = new Array<bigint>(columnCount).fill(0n);
  basis.forEach((column, index) => {
    if (column < columnCount) x[column] = rows[index]![width - 1]!;
  });
  const exact = numbers([...x, scale]);
  if (exact === null) return { kind: "limit" };
  return { kind: "solution", x: exact.slice(0, -1), scale: exact.at(-1)! };
}

/** The vector without its common divisor, as exact numbers. */
function numbers(vector: readonly bigint[]): readonly number[] | null {
  const divisor = vector.reduce(gcd, 0n);
  const result = vector.map((value) => Number(divisor > 1n ? value / divisor : value));
  return result.every((value) => Number.isSafeInteger(value)) ? result : null;
}
