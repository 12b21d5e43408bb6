/** @module Exact feasibility of bounds on the variables of a tableau, with the reason where they exclude each other. */
import type { Sparse } from "../linear/incidence.ts";
import { addSum, exact, exchange, setNonbasic, type Tableau, tableauOf, WorkLimit } from "./tableau.ts";

/** Why a variable has a bound: the number of a constraint, or what is true of every solution. */
export const BY_NATURE = -1;

/**
 * A tableau with bounds, each with its reason. `trail`: how to take bounds back. `isOver`: must the work end?
 *
 * @definition D24.2
 */
export interface Bounded {
  readonly tableau: Tableau;
  readonly lower: number[];
  readonly upper: number[];
  readonly lowerBy: number[];
  readonly upperBy: number[];
  readonly trail: Undo[];
  readonly isOver: () => boolean;
}

interface Undo {
  readonly variable: number;
  readonly isLower: boolean;
  readonly bound: number;
  readonly by: number;
}

/**
 * Why no solution exists: for each bound that takes part, the variable, whether it is the lower bound, its reason, and
 * a positive factor. The sum of what the bounds say, each times its factor, is less than nothing.
 */
export type Conflict = readonly {
  readonly variable: number;
  readonly isLower: boolean;
  readonly by: number;
  readonly factor: number;
}[];

/** The variables are those of `tableauOf`; the columns are not negative, and row `p` is at least `least[p]`, at most 0. */
export function boundedTableau(
  columns: readonly Sparse[],
  least: readonly number[],
  isOver: () => boolean,
): Bounded {
  const tableau = tableauOf(columns, least.length);
  const count = columns.length + least.length;
  return {
    tableau,
    lower: [...columns.map(() => 0), ...least],
    upper: new Array<number>(count).fill(Number.POSITIVE_INFINITY),
    lowerBy: new Array<number>(count).fill(BY_NATURE),
    upperBy: new Array<number>(count).fill(BY_NATURE),
    trail: [],
    isOver,
  };
}

/** One more variable without bounds: the sum of `terms`. */
export function sumVariable(bounded: Bounded, terms: Sparse): number {
  const variable = addSum(bounded.tableau, terms);
  bounded.lower.push(Number.NEGATIVE_INFINITY);
  bounded.upper.push(Number.POSITIVE_INFINITY);
  bounded.lowerBy.push(BY_NATURE);
  bounded.upperBy.push(BY_NATURE);
  return variable;
}

/** Tightens a bound; a looser one than that known changes nothing. A conflict of the two bounds of the variable is returned. */
export function tighten(
  bounded: Bounded,
  variable: number,
  isLower: boolean,
  bound: number,
  by: number,
): Conflict | null {
  const { tableau, lower, upper, lowerBy, upperBy, trail } = bounded;
  const [own, reasons] = isLower ? [lower, lowerBy] : [upper, upperBy];
  if (isLower ? bound <= own[variable]! : bound >= own[variable]!) return null;
  trail.push({ variable, isLower, bound: own[variable]!, by: reasons[variable]! });
  own[variable] = exact(bound);
  reasons[variable] = by;
  if (lower[variable]! > upper[variable]!)
    return [
      { variable, isLower: true, by: lowerBy[variable]!, factor: 1 },
      { variable, isLower: false, by: upperBy[variable]!, factor: 1 },
    ];
  const isOutside = isLower ? tableau.value[variable]! < bound : tableau.value[variable]! > bound;
  if (tableau.place[variable]! < 0 && isOutside) setNonbasic(tableau, variable, bound);
  return null;
}

/** Takes back the bounds that were made after the trail had `length` entries. */
export function takeBack({ trail, lower, upper, lowerBy, upperBy }: Bounded, length: number): void {
  while (trail.length > length) {
    const { variable, isLower, bound, by } = trail.pop()!;
    (isLower ? lower : upper)[variable] = bound;
    (isLower ? lowerBy : upperBy)[variable] = by;
  }
}

/** Thrown often, and always caught in `never.ts`: made once, since the stack of an error costs more than many steps. */
const WORK_ENDED = new WorkLimit();

/**
 * Moves the variables into their bounds (null), or says which bounds exclude each other. The general simplex method (B.
 * Dutertre, L. de Moura, CAV 2006); after some steps by Bland's rule, so that it ends.
 *
 * @refines D24.2
 * @throws TableauLimit if numbers or the work become too large.
 */
export function solve(bounded: Bounded): Conflict | null {
  const { tableau } = bounded;
  const patience = 2 * (tableau.rows.length + tableau.nonbasic.length);
  for (let step = 0; ; step += 1) {
    if (tableau.work < 0 || (step % 16 === 0 && bounded.isOver())) throw WORK_ENDED;
    const isBland = step > patience;
    const row = violated(bounded, isBland);
    if (row < 0) return null;
    const variable = tableau.basic[row]!;
    const isBelow = tableau.numerator[row]! < bounded.lower[variable]! * tableau.scale[row]!;
    const column = movable(bounded, row, isBelow, isBland);
    if (column < 0) return conflict(bounded, row, isBelow);
    exchange(tableau, row, column, isBelow ? bounded.lower[variable]! : bounded.upper[variable]!);
  }
}

/** A row whose variable is out of its bounds: the worst one, or by Bland that of the first variable; -1 if there is none. */
function violated({ tableau, lower, upper }: Bounded, isBland: boolean): number {
  const { basic, numerator, scale } = tableau;
  let [best, most] = [-1, 0];
  for (let row = 0; row < basic.length; row += 1) {
    const variable = basic[row]!;
    const below = lower[variable] === Number.NEGATIVE_INFINITY ? 0 : exact(lower[variable]! * scale[row]!);
    const isBelow = lower[variable] !== Number.NEGATIVE_INFINITY && numerator[row]! < below;
    const isFree = upper[variable] === Number.POSITIVE_INFINITY;
    const isAbove = !isFree && numerator[row]! > exact(upper[variable]! * scale[row]!);
    if (!isBelow && !isAbove) continue;
    if (isBland) {
      if (best < 0 || variable < basic[best]!) best = row;
      continue;
    }
    const gap = isBelow ? below - numerator[row]! : numerator[row]! - upper[variable]! * scale[row]!;
    if (gap / scale[row]! > most) [best, most] = [row, gap / scale[row]!];
  }
  return best;
}

/** A column whose variable can move so that that of `row` moves up or down; -1 if there is none. */
function movable({ tableau, lower, upper }: Bounded, row: number, isUp: boolean, isBland: boolean): number {
  const { rows, nonbasic, value } = tableau;
  const entries = rows[row]!;
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (let column = 0; column < entries.length; column += 1) {
    const entry = entries[column]!;
    if (entry === 0) continue;
    const variable = nonbasic[column]!;
    const mayMove =
      entry > 0 === isUp ? value[variable]! < upper[variable]! : value[variable]! > lower[variable]!;
    if (!mayMove) continue;
    // Entries of one keep the numbers small.
    const cost = isBland ? variable : Math.abs(entry);
    if (cost < least) [best, least] = [column, cost];
  }
  return best;
}

function conflict({ tableau, lowerBy, upperBy }: Bounded, row: number, isBelow: boolean): Conflict {
  const { basic, nonbasic, rows, scale } = tableau;
  const variable = basic[row]!;
  const by = (isBelow ? lowerBy : upperBy)[variable]!;
  const own = { variable, isLower: isBelow, by, factor: scale[row]! };
  const others = nonbasic.flatMap((other, column) => {
    const entry = rows[row]![column]!;
    if (entry === 0) return [];
    const isLower = entry > 0 !== isBelow;
    return [{ variable: other, isLower, by: (isLower ? lowerBy : upperBy)[other]!, factor: Math.abs(entry) }];
  });
  return [own, ...others];
}
