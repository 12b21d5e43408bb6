/** @module A tableau of exact whole numbers: each basic variable, scaled, as a sum of the others. */
import type { Sparse } from "../linear/incidence.ts";

/** Whole numbers up to here, and sums of two of them, are exact. */
const EXACT_MAX = 2 ** 52;

/** Rows with larger entries are divided by their common divisor. */
const LARGE = 2 ** 20;

/** Numbers became too large to be exact, or the work too much. */
export class TableauLimit extends Error {}

/** The work ended between two steps: the tableau can serve again. */
export class WorkLimit extends TableauLimit {}

/**
 * `scale[r] * value(basic[r])` is the sum of `rows[r][c] * value(nonbasic[c])`. Nonbasic variables have whole `value`s;
 * of the basic one of row `r`, `numerator[r] / scale[r]` is the value. `place[v]`: the row of `v`, or `-1 - column`.
 * `work` counts the entries that may still be computed.
 */
export interface Tableau {
  readonly rows: Float64Array[];
  readonly scale: number[];
  readonly greatest: number[];
  readonly numerator: number[];
  readonly basic: number[];
  readonly nonbasic: number[];
  readonly value: number[];
  readonly place: number[];
  work: number;
}

/** The tableau of `columns`: one nonbasic variable for each column, then one basic variable for each row, all zero. */
export function tableauOf(columns: readonly Sparse[], rowCount: number): Tableau {
  const width = columns.length;
  // One piece of memory for all: a piece for each row costs more than what is computed in it.
  const all = new Float64Array(rowCount * width);
  const rows = Array.from({ length: rowCount }, (_, row) => all.subarray(row * width, (row + 1) * width));
  const greatest = new Array<number>(rowCount).fill(1);
  columns.forEach((column, c) => {
    for (const [row, value] of column) {
      rows[row]![c] = value;
      greatest[row] = Math.max(greatest[row]!, Math.abs(value));
    }
  });
  return {
    rows,
    scale: rows.map(() => 1),
    greatest,
    numerator: rows.map(() => 0),
    basic: rows.map((_, row) => width + row),
    nonbasic: columns.map((_, c) => c),
    value: new Array<number>(width + rowCount).fill(0),
    place: [...columns.map((_, c) => -1 - c), ...rows.map((_, row) => row)],
    work: 0,
  };
}

/** One more basic variable: the sum of `terms`, each a variable and a whole factor. Returns it. */
export function addSum(tableau: Tableau, terms: Sparse): number {
  const { rows, scale, place, basic, value, nonbasic } = tableau;
  const row = new Float64Array(nonbasic.length);
  let own = 1;
  for (const [variable, factor] of terms) {
    const at = place[variable]!;
    if (at < 0) {
      row[-1 - at]! += exact(factor * own);
      continue;
    }
    const common = gcd(own, scale[at]!);
    const [raise, times] = [scale[at]! / common, exact((own / common) * factor)];
    row.forEach((entry, c) => {
      row[c] = exact(exact(entry * raise) + exact(rows[at]![c]! * times));
    });
    own = exact(own * raise);
  }
  const variable = place.length;
  place.push(rows.length);
  value.push(0);
  basic.push(variable);
  rows.push(row);
  scale.push(own);
  tableau.numerator.push(0);
  tableau.greatest.push(0);
  settle(tableau, rows.length - 1);
  return variable;
}

/** Sets a nonbasic variable; the basic ones follow. */
export function setNonbasic(tableau: Tableau, variable: number, to: number): void {
  const { rows, numerator, place, value } = tableau;
  const column = -1 - place[variable]!;
  const change = to - value[variable]!;
  value[variable] = to;
  rows.forEach((row, r) => {
    if (row[column] !== 0) numerator[r] = exact(numerator[r]! + exact(row[column]! * change));
  });
}

/** Exchanges the basic variable of `row` with the nonbasic one of `column`, and sets the former to `to`. */
export function exchange(tableau: Tableau, at: number, column: number, to: number): void {
  const { rows, scale, basic, nonbasic, value, place } = tableau;
  const [leaving, entering] = [basic[at]!, nonbasic[column]!];
  const row = rows[at]!;
  const pivot = row[column]!;
  const sign = pivot > 0 ? 1 : -1;
  for (let c = 0; c < row.length; c += 1) if (row[c] !== 0) row[c] = -sign * row[c]!;
  row[column] = sign * scale[at]!;
  scale[at] = Math.abs(pivot);
  basic[at] = entering;
  nonbasic[column] = leaving;
  place[entering] = at;
  place[leaving] = -1 - column;
  value[leaving] = to;
  tableau.greatest[at] = Math.max(tableau.greatest[at]!, Math.abs(row[column]!));
  settle(tableau, at);
  const used: number[] = [];
  for (let c = 0; c < row.length; c += 1) if (row[c] !== 0) used.push(c);
  for (let r = 0; r < rows.length; r += 1)
    if (r !== at && rows[r]![column] !== 0) substitute(tableau, r, at, column, used);
  tableau.work -= row.length + rows.length;
}

/** Writes row `at` into row `r` in place of the variable of `column`, which has become basic there. */
function substitute(tableau: Tableau, r: number, at: number, column: number, used: readonly number[]): void {
  const { rows, scale, greatest } = tableau;
  const [target, source] = [rows[r]!, rows[at]!];
  const factor = target[column]!;
  const common = gcd(Math.abs(factor), scale[at]!);
  const [raise, times] = [scale[at]! / common, factor / common];
  exact(raise * greatest[r]!);
  exact(times * greatest[at]!);
  target[column] = 0;
  if (raise !== 1) for (let c = 0; c < target.length; c += 1) target[c]! *= raise;
  let most = greatest[r]! * raise;
  for (const c of used) {
    const entry = target[c]! + times * source[c]!;
    target[c] = entry;
    if (entry > most) most = entry;
    else if (-entry > most) most = -entry;
  }
  scale[r] = exact(scale[r]! * raise);
  greatest[r] = exact(most);
  tableau.work -= used.length + (raise === 1 ? 0 : target.length);
  settle(tableau, r);
}

/** Divides a row with large entries, and computes the value of its variable. */
function settle(tableau: Tableau, r: number): void {
  const { rows, scale, greatest, numerator, nonbasic, value } = tableau;
  const row = rows[r]!;
  if (greatest[r]! > LARGE || greatest[r] === 0 || scale[r]! > LARGE) {
    let divisor = scale[r]!;
    let most = 0;
    for (const entry of row) {
      if (entry === 0) continue;
      if (divisor > 1) divisor = gcd(divisor, Math.abs(entry));
      most = Math.max(most, Math.abs(entry));
    }
    if (divisor > 1) for (let c = 0; c < row.length; c += 1) row[c]! /= divisor;
    scale[r]! /= divisor;
    greatest[r] = Math.max(most / divisor, 1);
  }
  let [sum, size] = [0, 0];
  for (let c = 0; c < row.length; c += 1) {
    if (row[c] === 0) continue;
    const part = row[c]! * value[nonbasic[c]!]!;
    sum += part;
    size += Math.abs(part);
  }
  exact(size);
  numerator[r] = sum;
  tableau.work -= row.length;
}

/** The number itself if it is small enough to be exact. */
export function exact(number: number): number {
  if (number > EXACT_MAX || number < -EXACT_MAX) throw new TableauLimit();
  return number;
}

function gcd(left: number, right: number): number {
  let [a, b] = [left, right];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
