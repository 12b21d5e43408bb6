/** @module The incidence matrix of a net: what each transition adds to each place. Exact, sparse, by columns. */
import type { Net, PlaceIndex } from "@tessera/core";

/** A sparse column or row: index and value, no value zero, each index once. */
export type Sparse = readonly (readonly [index: number, value: number])[];

/**
 * The columns of the incidence matrix of `net`, one for each transition: postset minus preset. Resets and optional
 * inputs are no part of it; callers look at the class first.
 *
 * @definition D13.10
 */
export function incidence(net: Net): readonly Sparse[] {
  return net.transitions.map(({ pre, post }) => {
    const effect = new Map<PlaceIndex, number>();
    for (const [place, weight] of pre) effect.set(place, (effect.get(place) ?? 0) - weight);
    for (const [place, weight] of post) effect.set(place, (effect.get(place) ?? 0) + weight);
    return [...effect].filter(([, amount]) => amount !== 0);
  });
}

/** The rows of a matrix given by its columns. */
export function transposed(columns: readonly Sparse[], rowCount: number): readonly Sparse[] {
  const rows: [number, number][][] = Array.from({ length: rowCount }, () => []);
  columns.forEach((column, index) => {
    for (const [row, value] of column) rows[row]!.push([index, value]);
  });
  return rows;
}
