/** @module Arithmetic of integer vectors for the checkers: exact, dense and plain. */

/** Products of residues stay exact. Any prime bounds the rank from below. */
const PRIME = 67_108_859;

/** Is it an exact integer above zero? */
export function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/** The product of two vectors, exactly. */
export function dot(left: readonly number[], right: readonly number[]): bigint {
  return left.reduce((sum, value, index) => sum + BigInt(value) * BigInt(right[index] ?? 0), 0n);
}

/** Do the columns, weighted by `vector`, sum up to nothing in every row? */
export function isAnnihilated(columns: readonly (readonly number[])[], vector: readonly number[]): boolean {
  if (vector.length !== columns.length || !vector.every(Number.isSafeInteger)) return false;
  return (columns[0] ?? []).every(
    (_, place) =>
      dot(
        columns.map((column) => column[place]!),
        vector,
      ) === 0n,
  );
}

/** None below zero, and some above. */
export function isSemiPositive(values: readonly bigint[]): boolean {
  return values.every((value) => value >= 0n) && values.some((value) => value > 0n);
}

/** The rank modulo a prime: never more than over the rationals. */
export function rankModulo(given: readonly (readonly number[])[]): number {
  const rows = given.map((row) => row.map((value) => ((value % PRIME) + PRIME) % PRIME));
  let rank = 0;
  for (let column = 0; column < (rows[0]?.length ?? 0); column += 1) {
    const at = rows.findIndex((row, index) => index >= rank && row[column] !== 0);
    if (at < 0) continue;
    [rows[rank], rows[at]] = [rows[at]!, rows[rank]!];
    const pivot = rows[rank]!;
    for (const row of rows.slice(rank + 1)) {
      // Cross-multiplied, so that no inverse is needed: the prime divides neither factor.
      const [scale, factor] = [pivot[column]!, row[column]!];
      if (factor === 0) continue;
      for (let cell = 0; cell < row.length; cell += 1)
        row[cell] = (((row[cell]! * scale) % PRIME) + PRIME - ((factor * pivot[cell]!) % PRIME)) % PRIME;
    }
    rank += 1;
  }
  return rank;
}
