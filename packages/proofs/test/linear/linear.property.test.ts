import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernelBasis, rankModulo } from "../../src/linear/elimination.ts";
import { type Feasibility, feasible } from "../../src/linear/feasible.ts";
import { incidence, type Sparse, transposed } from "../../src/linear/incidence.ts";
import { net as parse } from "../net-text.ts";

const COLUMNS = 4;
const dense = fc.array(
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: COLUMNS, maxLength: COLUMNS }),
  {
    minLength: 1,
    maxLength: 4,
  },
);
const sparse = (row: readonly number[]): Sparse =>
  row.flatMap((value, index) => (value === 0 ? [] : [[index, value] as const]));
const dot = (left: readonly number[], right: readonly number[]) =>
  left.reduce((sum, value, index) => sum + value * right[index]!, 0);

/** The rank by the greatest minor that is not zero: determinants by expansion, nothing shared with elimination. */
function rankByMinors(rows: readonly (readonly number[])[]): number {
  const determinant = (m: readonly (readonly number[])[]): number =>
    m.length === 0
      ? 1
      : m[0]!.reduce(
          (sum, value, column) =>
            sum +
            (column % 2 === 0 ? 1 : -1) *
              value *
              determinant(m.slice(1).map((row) => row.filter((_, at) => at !== column))),
          0,
        );
  const subsets = (count: number, size: number): number[][] =>
    size === 0
      ? [[]]
      : Array.from({ length: count }, (_, first) => first).flatMap((first) =>
          subsets(first, size - 1).map((rest) => [...rest, first]),
        );
  for (let size = Math.min(rows.length, COLUMNS); size > 0; size -= 1)
    for (const chosen of subsets(rows.length, size))
      for (const columns of subsets(COLUMNS, size))
        if (determinant(chosen.map((row) => columns.map((column) => rows[row]![column]!))) !== 0) return size;
  return 0;
}

type Rank = (rows: readonly (readonly number[])[]) => number;
function rankIsRight(rank: Rank): void {
  fc.assert(
    fc.property(dense, (rows) => {
      expect(rank(rows)).toBe(rankByMinors(rows));
    }),
    { numRuns: 300 },
  );
}

type Solve = (rows: readonly (readonly number[])[], b: readonly number[]) => Feasibility;
const solve: Solve = (rows, b) => feasible(rows.map(sparse), b, COLUMNS);

/** Law: a solution solves, a refutation refutes (Farkas), and one of both is found. */
function answersAreRight(implementation: Solve): void {
  fc.assert(
    fc.property(
      dense,
      fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 }),
      (rows, right) => {
        const b = right.slice(0, rows.length);
        const found = implementation(rows, b);
        if (found.kind === "solution") {
          expect(found.scale).toBeGreaterThan(0);
          expect(found.x.every((value) => value >= 0)).toBe(true);
          expect(rows.map((row) => dot(row, found.x))).toEqual(b.map((value) => value * found.scale || 0));
        } else if (found.kind === "infeasible") {
          const { y } = found;
          for (let column = 0; column < COLUMNS; column += 1)
            expect(
              dot(
                y,
                rows.map((row) => row[column]!),
              ),
            ).toBeGreaterThanOrEqual(0);
          expect(dot(y, b)).toBeLessThan(0);
        } else expect(found.kind).not.toBe("limit");
      },
    ),
    { numRuns: 500 },
  );
}

describe("exact linear algebra", () => {
  it("[D13.10] the incidence matrix: what firing adds, loops cancelled", () => {
    const net = parse("t: i + a -> 2a + b; u: b -> o; v: a -> a");
    const columns = incidence(net);
    expect(columns).toEqual([
      [
        [0, -1],
        [1, 1],
        [2, 1],
      ],
      [
        [2, -1],
        [3, 1],
      ],
      [],
    ]);
    expect(transposed(columns, 4)).toEqual([
      [[0, -1]],
      [[0, 1]],
      [
        [0, 1],
        [1, -1],
      ],
      [[1, 1]],
    ]);
  });

  it("[D13.10] the rank modulo the prime is the rank, for small numbers", () => {
    rankIsRight((rows) => rankModulo(rows.map(sparse)));
    rankIsRight((rows) => COLUMNS - kernelBasis(rows.map(sparse), COLUMNS)!.length);
    expect(() => rankIsRight((rows) => rows.length)).toThrow();
    expect(rankModulo([sparse([67_108_859, 0, 0, 0]), sparse([0, 1, 0, 0])])).toBe(1);
  });

  it("[D13.10] kernel vectors are annihilated by every row, and independent", () => {
    fc.assert(
      fc.property(dense, (rows) => {
        const basis = kernelBasis(rows.map(sparse), COLUMNS)!;
        for (const vector of basis) for (const row of rows) expect(dot(row, vector)).toBe(0);
        expect(basis.length === 0 ? 0 : rankByMinors(basis)).toBe(basis.length);
      }),
      { numRuns: 300 },
    );
    expect(
      kernelBasis([sparse([2 ** 52, 3 ** 30, 0, 0]), sparse([0, 5 ** 20, 7 ** 15, 0])], COLUMNS),
    ).toBeNull();
    expect(kernelBasis([], 2)).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it("[D13.11] a solution solves, a refutation refutes, and one of both is found", () => {
    answersAreRight(solve);
  });

  it("[D13.11] the law refuses solvers that guess", () => {
    expect(() => answersAreRight(() => ({ kind: "solution", x: [0, 0, 0, 0], scale: 1 }))).toThrow();
    expect(() => answersAreRight((rows) => ({ kind: "infeasible", y: rows.map(() => 1) }))).toThrow();
    expect(() => answersAreRight(() => ({ kind: "limit" }))).toThrow();
  });

  it("[D13.11] large numbers stay exact or are refused", () => {
    expect(feasible([sparse([3, 0, 0, 0])], [2 ** 40], COLUMNS)).toEqual({
      kind: "solution",
      x: [2 ** 40, 0, 0, 0],
      scale: 3,
    });
    const big = 2 ** 52 - 1;
    const rows = [sparse([big, 1, 0, 0]), sparse([1, big, 0, 0])];
    expect(feasible(rows, [3, 5], COLUMNS).kind).toBe("limit");
  });
});
