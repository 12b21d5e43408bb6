/** @module Values of every region between constants, made by checkers for themselves. */
import { canonicalJson, type Json } from "@tessera/core";

/** Equal, or both missing. */
export function same(left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

/**
 * The constants of the type, and of each region between and beside them up to `k` values (of the integers and of the other
 * numbers `k` each): all that there are if they are fewer. Undefined: values of every type.
 */
export function samplesOf(constants: readonly Json[], type: string | undefined, k: number): readonly Json[] {
  const isAny = type === undefined || type === "any";
  const found: Json[] = [];
  const points = constants.filter((value) => typeof value === "number");
  const numbers = [...numbersAround(points, k), ...integersAround(points, k)];
  if (isAny || type === "number") found.push(...numbers);
  if (type === "integer") found.push(...numbers.filter(Number.isInteger));
  if (isAny || type === "string")
    found.push(
      ...textsAround(
        constants.filter((value) => typeof value === "string"),
        k,
      ),
    );
  const lists = constants.filter((value) => Array.isArray(value));
  if (isAny || type === "array") found.push(...lists, ...others(lists, k, (n) => ["sample", n]));
  const objects = constants.filter(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  );
  if (isAny || type === "object") found.push(...objects, ...others(objects, k, (n) => ({ sample: n })));
  if (isAny) found.push(false, true, null);
  return found.filter((value, at) => found.findIndex((one) => same(one, value)) === at);
}

/** Where the value stands to the constants: numbers and texts in their order, everything else by equality. */
export function regionOf(value: Json, constants: readonly Json[]): string {
  const near = constants.filter((one) => typeof one === typeof value);
  if (typeof value === "number" || typeof value === "string")
    return `${typeof value} ${new Set(near.filter((one) => (one as typeof value) < value)).size} ${near.includes(value)}`;
  const equal = near.find((one) => same(one, value));
  if (typeof value === "boolean" || value === null) return String(value);
  return `${Array.isArray(value)} ${equal === undefined ? "other" : canonicalJson(equal)}`;
}

function ascending(values: readonly number[]): readonly number[] {
  return [...new Set(values.map((value) => value + 0))].sort((a, b) => a - b);
}

function numbersAround(constants: readonly number[], k: number): readonly number[] {
  // Around 0 there are always fractions.
  const points = ascending([0, ...constants]);
  const bounds = [Number.NEGATIVE_INFINITY, ...points, Number.POSITIVE_INFINITY];
  const between = bounds.slice(1).flatMap((high, at) => {
    const low = bounds[at]!;
    // At both ends: of a long gap one end may have integers alone.
    const inside = [...doublesAfter(low, 2 * k), ...doublesAfter(0 - high, 2 * k).map((value) => 0 - value)];
    return inside.filter((value) => low < value && value < high);
  });
  return [...points, ...between];
}

/** The doubles that come next: where they lie closer than integers, every other one is none. */
function doublesAfter(value: number, count: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(8));
  const found: number[] = [];
  for (let last = value; found.length < count; found.push(last)) {
    view.setFloat64(0, last);
    view.setBigInt64(0, view.getBigInt64(0) + (last < 0 ? -1n : 1n));
    // Without -0 the bits of doubles count as their sizes do.
    last = view.getFloat64(0) + 0;
  }
  return found;
}

function integersAround(constants: readonly number[], k: number): readonly number[] {
  const points = ascending(constants);
  if (points.length === 0) return Array.from({ length: k }, (_, step) => step);
  const above = points.flatMap((low, at) => {
    const next = points[at + 1] ?? Number.POSITIVE_INFINITY;
    const first = Math.floor(low) + 1;
    return Array.from({ length: k }, (_, step) => first + step).filter((value) => value < next);
  });
  const below = Array.from({ length: k }, (_, step) => Math.ceil(points[0]!) - 1 - step);
  return [...points.filter(Number.isInteger), ...above, ...below];
}

/** After a text come those that begin with it: first with one zero unit more, then with two. */
function textsAround(constants: readonly string[], k: number): readonly string[] {
  const points = [...new Set(["", ...constants])].sort();
  return points.flatMap((text, at) => {
    const next = points[at + 1];
    const after = Array.from({ length: k }, (_, step) => text + "\u0000".repeat(step + 1));
    return [text, ...after.filter((one) => next === undefined || one < next)];
  });
}

function others(known: readonly Json[], k: number, make: (n: number) => Json): readonly Json[] {
  const found: Json[] = [];
  for (let n = 0; found.length < k; n += 1) {
    const value = make(n);
    if (!known.some((one) => same(one, value))) found.push(value);
  }
  return found;
}
