/** @module Weights of places that no transition raises: they bound every place, whatever the initial marking. */
import type { Net, TransitionIndex } from "@tessera/core";
import { incidence, transposed } from "../linear/incidence.ts";
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

/** `isExact`: no transition changes the sum (a positive P-invariant). `isOver`: must the work end? */
export interface WeightOptions {
  readonly isExact: boolean;
  readonly isOver: () => boolean;
}

/**
 * A positive weight for each place such that no transition of a plain or weighted net raises the weighted sum.
 *
 * @definition D24.5
 */
export function placeWeights(
  net: Net,
  { isExact = false, isOver = () => false }: Partial<WeightOptions> = {},
): WeightAnswer {
  const rows = transposed(incidence(net), net.places.length);
  const bounded = boundedTableau(
    rows,
    net.transitions.map(() => Number.NEGATIVE_INFINITY),
    isOver,
  );
  bounded.tableau.work = WORK_MAX;
  const transitionVariable = (t: TransitionIndex) => net.places.length + t;
  try {
    for (const t of net.transitions.keys()) {
      tighten(bounded, transitionVariable(t), false, 0, BY_NATURE);
      if (isExact) tighten(bounded, transitionVariable(t), true, 0, BY_NATURE);
    }
    for (const place of net.places.keys()) tighten(bounded, place, true, 1, BY_NATURE);
    const conflict = solve(bounded);
    if (conflict === null)
      return {
        kind: "weights",
        certificate: { kind: "weights", weights: scaled(bounded, net.places.length) },
      };
    const firings = net.transitions.map(() => 0);
    for (const { variable, isLower, factor } of conflict)
      if (variable >= net.places.length) firings[variable - net.places.length]! += isLower ? -factor : factor;
    return { kind: "none", firings };
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
