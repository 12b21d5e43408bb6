/** @module Values of every region between constants, made by checkers for themselves. */
import { canonicalJson, type Json } from "@tessera/core";

/** Equal, or both missing. */
export function same(left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

/** The names of the types that a value has. */
export function typeNames(value: Json): readonly string[] {
  if (Array.isArray(value)) return ["array", "any"];
  if (typeof value === "object") return value === null ? ["any"] : ["object", "any"];
  return Number.isInteger(value) ? ["integer", "number", "any"] : [typeof value, "any"];
}

/**
 * The constants of the type, and of each region between and beside them `k` values (of the integers and of the other
 * numbers `k` each): all that there are if they are fewer. Undefined: values of every type.
 */
export function samplesOf(constants: readonly Json[], type: string | undefined, k: number): readonly Json[] {
  const isAny = type === undefined || type === "any";
  const found: Json[] = [];
  const numbers = numbersAround(
    constants.filter((value) => typeof value === "number"),
    k,
  );
  const texts = constants.filter((value) => typeof value === "string");
  const lists = constants.filter((value) => Array.isArray(value));
  const objects = constants.filter((value) => typeNames(value).includes("object"));
  if (isAny || type === "number") found.push(...numbers);
  if (type === "integer") found.push(...numbers.filter(Number.isInteger));
  if (isAny || type === "string") found.push(...textsAround(texts, k));
  if (isAny || type === "array") found.push(...lists, ...others(lists, k, (n) => ["sample", n]));
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

/** Integers on both sides of each constant, and of 0, and doubles beyond: every other one of these has a fraction, if any. */
function numbersAround(constants: readonly number[], k: number): readonly number[] {
  const found = [0, -0, ...constants].flatMap((point) => [
    point,
    ...doublesBeyond(point, 2 * k),
    ...Array.from({ length: k }, (_, step) => Math.floor(point) + 1 + step),
    ...Array.from({ length: k }, (_, step) => Math.ceil(point) - 1 - step),
  ]);
  return found.filter(Number.isFinite);
}

/** The next doubles away from 0. */
function doublesBeyond(value: number, count: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return Array.from({ length: count }, () => {
    view.setBigInt64(0, view.getBigInt64(0) + 1n);
    return view.getFloat64(0);
  });
}

/** After a text come those that begin with it: first with one zero unit more, then with two. Before all is the empty one. */
function textsAround(constants: readonly string[], k: number): readonly string[] {
  return ["", ...constants].flatMap((text) => [
    text,
    ...Array.from({ length: k }, (_, step) => text + "\u0000".repeat(step + 1)),
  ]);
}

function others(known: readonly Json[], k: number, make: (n: number) => Json): readonly Json[] {
  const found: Json[] = [];
  for (let n = 0; found.length < k; n += 1) {
    const value = make(n);
    if (!known.some((one) => same(one, value))) found.push(value);
  }
  return found;
}
