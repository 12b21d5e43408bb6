/** @module Values that stand for all others of a totally ordered type, as far as comparisons can tell them apart. */

/**
 * Numbers that stand for all: the constants, and in each gap between neighbours, below the least and above the
 * greatest, `k` of them, or all that there are if they are fewer. So any `k` numbers have `k` of these in the same order
 * among each other and to the constants. Ascending.
 */
export function numberPool(constants: readonly number[], k: number): readonly number[] {
  const sorted = ascending(constants);
  const bounds = [Number.NEGATIVE_INFINITY, ...sorted, Number.POSITIVE_INFINITY];
  const gaps = bounds.slice(1).flatMap((high, index) => numbersBetween(bounds[index]!, high, k));
  return ascending([...sorted, ...gaps]);
}

/**
 * The same among the integers; constants need not be integers. Null if a constant is so large that integers near it
 * cannot be told apart, or that there are few other numbers between them.
 */
export function integerPool(constants: readonly number[], k: number): readonly number[] | null {
  const sorted = ascending(constants);
  if (sorted.some((value) => Math.abs(value) >= 2 ** 51 - 2 * k)) return null;
  if (sorted.length === 0) return Array.from({ length: k }, (_, index) => index);
  const near = sorted.flatMap((value, index) => {
    const first = Math.floor(value) + 1;
    const next = sorted[index + 1] ?? Number.POSITIVE_INFINITY;
    const above = Array.from({ length: k }, (_, step) => first + step).filter((found) => found < next);
    return Number.isInteger(value) ? [value, ...above] : above;
  });
  const least = Math.ceil(sorted[0]!);
  return ascending([...Array.from({ length: k }, (_, step) => least - 1 - step), ...near]);
}

/** Bounded gaps with at most so many integers are listed. */
const LISTED_MAX = 8;

/** The constants, and all integers of gaps between them that have few. Ascending. */
export function integerBounds(constants: readonly number[]): readonly number[] {
  const sorted = ascending(constants);
  const inside = sorted.slice(1).flatMap((high, index) => {
    const first = Math.floor(sorted[index]!) + 1;
    const count = Math.max(0, Math.ceil(high) - first);
    return count > LISTED_MAX ? [] : Array.from({ length: count }, (_, step) => first + step);
  });
  return ascending([...sorted, ...inside]);
}

/** The same among the texts, in the order of code units. */
export function textPool(constants: readonly string[], k: number): readonly string[] {
  const sorted = [...new Set(["", ...constants])].sort();
  const gaps = sorted.flatMap((low, index) => textsAfter(low, sorted[index + 1], k));
  return [...new Set([...sorted, ...gaps])].sort();
}

/** `k` distinct finite numbers strictly between, or all. Readable ones where there are enough. */
export function numbersBetween(low: number, high: number, k: number): readonly number[] {
  const nice = ascending(Array.from({ length: k }, (_, step) => niceNumber(low, high, step + 1, k)));
  const inside = nice.filter((value) => low < value && value < high && Number.isFinite(value));
  if (inside.length === k) return inside;
  const all: number[] = [];
  for (let value = nextAbove(low); value < high && all.length < k; value = nextAbove(value)) all.push(value);
  return all;
}

function niceNumber(low: number, high: number, step: number, k: number): number {
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return step - 1;
  if (low === Number.NEGATIVE_INFINITY) return high - step * Math.max(1, Math.abs(high));
  if (high === Number.POSITIVE_INFINITY) return low + step * Math.max(1, Math.abs(low));
  const between = low + (high - low) * (step / (k + 1));
  const whole = Math.round(between);
  const isRoomy = high - low >= 2 * (k + 1);
  return isRoomy ? whole : between;
}

/** The least double above `value`. */
function nextAbove(value: number): number {
  if (value === Number.NEGATIVE_INFINITY) return -Number.MAX_VALUE;
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0) + 0;
}

/**
 * `k` distinct texts after `low` and before `high`, or all that there are: the texts between s and s followed by i zero
 * units are s followed by fewer zero units.
 */
function textsAfter(low: string, high: string | undefined, k: number): readonly string[] {
  const isBelow = (text: string) => high === undefined || text < high;
  const nice = Array.from({ length: k }, (_, step) => `${low}${"?".repeat(step + 1)}`).filter(isBelow);
  if (nice.length === k) return nice;
  return Array.from({ length: k }, (_, step) => `${low}${"\u0000".repeat(step + 1)}`).filter(isBelow);
}

function ascending(values: readonly number[]): number[] {
  // Adding 0 makes -0 the 0 that it equals.
  return [...new Set(values.map((value) => value + 0))].sort((a, b) => a - b);
}
