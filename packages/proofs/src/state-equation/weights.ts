/** @module Weights of places that no transition raises: they bound every place, whatever the initial marking. */
import type { Net } from "@tessera/core";
import { incidence, type Sparse, transposed } from "../linear/incidence.ts";
import type { WeightCertificate } from "../verdict.ts";
import { type Bounded, BY_NATURE, boundedTableau, solve, tighten } from "./bounds.ts";
import { exact, TableauLimit } from "./tableau.ts";

/** Entries of the tableau that are computed. */
const WORK_MAX = 60_000_000;

/**
 * weights: of the certificate. none: firings, as often as each transition says, that take nothing and leave something.
 * limit: too much work, or numbers too large.
 */
export type WeightAnswer =
  | { readonly kind: "weights"; readonly certificate: WeightCertificate }
  | { readonly kind: "none"; readonly firings: readonly number[] }
  | { readonly kind: "limit" };

/** `isExact`: no transition changes the sum (a positive P-invariant). `isOver`: must the work end? `workMax`: entries that are computed. */
export interface WeightOptions {
  readonly workMax: number;
  readonly isExact: boolean;
  readonly isOver: () => boolean;
}

/**
 * A positive weight for each place such that no transition of a plain or weighted net raises the weighted sum.
 *
 * @definition D24.5
 */
export function placeWeights(net: Net, options: Partial<WeightOptions> = {}): WeightAnswer {
  const rows = transposed(incidence(net), net.places.length);
  const found = positive(rows, net.transitions.length, options);
  return found.kind === "vector"
    ? { kind: "weights", certificate: { kind: "weights", weights: found.vector } }
    : found.kind === "none"
      ? { kind: "none", firings: found.factors }
      : found;
}

/** So many firings of each transition, at least one, that no place changes; or weights of places whose sum never falls and can rise. */
export function positiveFirings(
  net: Net,
  options: Partial<WeightOptions> = {},
):
  | { readonly kind: "firings"; readonly firings: readonly number[] }
  | { readonly kind: "none"; readonly weights: readonly number[] }
  | { readonly kind: "limit" } {
  const found = positive(incidence(net), net.places.length, { ...options, isExact: true });
  if (found.kind === "vector") return { kind: "firings", firings: found.vector };
  return found.kind === "none" ? { kind: "none", weights: found.factors } : found;
}

/** A positive whole factor for each vector such that the sum is not above zero anywhere, or zero; or what excludes it. */
function positive(
  vectors: readonly Sparse[],
  width: number,
  { isExact = false, isOver = () => false, workMax = WORK_MAX }: Partial<WeightOptions>,
):
  | { readonly kind: "vector"; readonly vector: readonly number[] }
  | { readonly kind: "none"; readonly factors: readonly number[] }
  | { readonly kind: "limit" } {
  const count = vectors.length;
  const free = Array.from({ length: width }, () => Number.NEGATIVE_INFINITY);
  const bounded = boundedTableau(vectors, free, isOver);
  bounded.tableau.work = workMax;
  try {
    for (let sum = count; sum < count + width; sum += 1) {
      tighten(bounded, sum, false, 0, BY_NATURE);
      if (isExact) tighten(bounded, sum, true, 0, BY_NATURE);
    }
    for (let factor = 0; factor < count; factor += 1) tighten(bounded, factor, true, 1, BY_NATURE);
    const conflict = solve(bounded);
    if (conflict === null) return { kind: "vector", vector: scaled(bounded, count) };
    const factors = free.map(() => 0);
    for (const { variable, isLower, factor } of conflict)
      if (variable >= count) factors[variable - count]! += isLower ? -factor : factor;
    return { kind: "none", factors };
  } catch (error) {
    if (error instanceof TableauLimit) return { kind: "limit" };
    throw error;
  }
}

/** The values of the first variables, times the least number that makes them whole. Throws TableauLimit. */
export function scaled({ tableau }: Bounded, count: number): readonly number[] {
  const { place, scale, numerator, value } = tableau;
  const over = (variable: number): [number, number] => {
    const row = place[variable]!;
    return row < 0 ? [value[variable]!, 1] : [numerator[row]!, scale[row]!];
  };
  const parts = Array.from({ length: count }, (_, variable) => over(variable));
  const common = parts.reduce((least, [, own]) => exact((least / gcd(least, own)) * own), 1);
  return parts.map(([top, own]) => exact(top * (common / own)));
}

function gcd(left: number, right: number): number {
  let [a, b] = [left, right];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
