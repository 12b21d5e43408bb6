/** @module Plainer values than those that a solver names first, for people to read: near 0, and whole where that is confirmed. */
import type { Data, Json } from "@tessera/core";
import { and, constant, type Vocabulary } from "./encode.ts";

/** Numbers no greater than this are near. */
const NEAR = 1_000_000;
/** What is tried for a number, before its own rounding. */
const TRIED = [0, 1, -1, 10, 100, 1000];

/** All numbers are near 0. */
export function isNear(vocabulary: Vocabulary): string {
  const [low, high] = [-NEAR, NEAR].map((value) => constant(vocabulary, value)!.text);
  const numbers = [...vocabulary.variables.values()].filter(({ sort }) => sort === "number");
  return and(numbers.flatMap(({ symbol }) => [`(fp.leq ${low} ${symbol})`, `(fp.leq ${symbol} ${high})`]));
}

/**
 * The data with plain numbers for others, as far as `isConfirmed` says that they do as well. Numbers that are equal stay
 * equal. Cost: a few confirmations for each number.
 */
export function withPlainNumbers(data: Data, isConfirmed: (data: Data) => boolean): Data {
  let now = data;
  const numbers = new Set(Object.values(data).filter((value) => typeof value === "number"));
  for (const number of numbers) {
    if (Number.isInteger(number) && Math.abs(number) < NEAR) continue;
    for (const tried of [...TRIED, Math.round(number), Math.round(number * 100) / 100]) {
      const changed = Object.entries(now).map(([key, value]): [string, Json] => [
        key,
        value === number ? tried : value,
      ]);
      const found = Object.fromEntries(changed);
      if (!isConfirmed(found)) continue;
      now = found;
      break;
    }
  }
  return now;
}
