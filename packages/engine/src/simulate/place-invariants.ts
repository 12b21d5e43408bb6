/** @module Place invariants of a net: weights under which no firing changes the sum of the tokens. */
import type { Net } from "@tessera/core";

/** Weights of places, by index; integers, not all zero. */
export type PlaceInvariant = readonly bigint[];

/** Nets with more places are not looked at: the elimination is cubic. */
const PLACES_MAX = 200;

/**
 * A basis of the weights y with y.C = 0 that are zero on every place that a transition resets or takes optionally, by
 * elimination in exact integers. For every reachable M then y.M = y.M0.
 *
 * @definition D9.26
 */
export function placeInvariants({ places, transitions }: Net): readonly PlaceInvariant[] {
  if (places.length > PLACES_MAX) return [];
  const excluded = new Set(transitions.flatMap(({ reset, any }) => [...reset, ...any]));
  // Rows: [effect on each transition | identity]; rows whose effects become zero are invariants.
  const rows = places.flatMap((_, place) => {
    if (excluded.has(place)) return [];
    const effect = transitions.map(({ pre, post }) => {
      const weight = (side: typeof pre) => side.find(([at]) => at === place)?.[1] ?? 0;
      return BigInt(weight(post) - weight(pre));
    });
    return [[...effect, ...places.map((__, other) => (other === place ? 1n : 0n))]];
  });
  for (let column = 0; column < transitions.length; column += 1) {
    const pivot = rows.findIndex((row) => row[column] !== 0n);
    const [base] = pivot === -1 ? [] : rows.splice(pivot, 1);
    if (base === undefined) continue;
    const head = base[column] ?? 1n;
    for (const row of rows) {
      const factor = row[column] ?? 0n;
      if (factor === 0n) continue;
      for (let at = 0; at < row.length; at += 1) row[at] = (row[at] ?? 0n) * head - (base[at] ?? 0n) * factor;
      reduce(row);
    }
  }
  return rows.map((row) => {
    const weights = row.slice(transitions.length);
    const isNegative = (weights.find((weight) => weight !== 0n) ?? 0n) < 0n;
    return isNegative ? weights.map((weight) => -weight) : weights;
  });
}

/** y.M. */
export function weighed(invariant: PlaceInvariant, marking: ArrayLike<number>): bigint {
  return invariant.reduce(
    (sum, weight, place) => (weight === 0n ? sum : sum + weight * BigInt(marking[place] ?? 0)),
    0n,
  );
}

function reduce(row: bigint[]): void {
  const divisor = row.reduce(gcd, 0n);
  if (divisor <= 1n) return;
  for (let at = 0; at < row.length; at += 1) row[at] = (row[at] ?? 0n) / divisor;
}

function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
