/** @module Do listed patterns of numbers that are compared by order stand for all? Every order is made here, and looked up. */

/** How the places of an order stand together: tuples of numbers, missing where a place has none. */
export interface Pattern {
  readonly places: readonly number[];
  readonly tuples: readonly (readonly (number | undefined)[])[];
}

/** Patterns that a checker makes of one order. */
const MADE_MAX = 20_000;

/**
 * Why some order of the places among each other and to the constants is in no tuple; null if all are. Numbers lie dense
 * and have no bounds; of integers there are in a gap between constants so many as there are.
 */
export function patternTrouble(
  part: readonly number[],
  numbers: readonly number[],
  optional: readonly boolean[],
  isDiscrete: boolean,
  patterns: readonly Pattern[],
): string | null {
  const own = patterns.find(({ places }) => String(places) === String(part));
  if (own === undefined) return "is compared by order, and no patterns are listed";
  const constants = [...new Set(numbers)].sort((a, b) => a - b);
  const listed = new Set(own.tuples.map((tuple) => standing(tuple, constants)));
  const isTyped = own.tuples.every((tuple) =>
    tuple.every((value, at) =>
      value === undefined
        ? optional[at] === true
        : Number.isFinite(value) && (!isDiscrete || Number.isInteger(value)),
    ),
  );
  if (!isTyped) return "has a pattern that the declarations do not allow";
  // Orders are made of ranks: between doubles, and beyond them, there is not always room.
  const ranks = constants.map((_, rank) => rank);
  let made: readonly (readonly (number | undefined)[])[] = [[]];
  for (const [at] of part.entries()) {
    made = made.flatMap((tuple) =>
      [...next(tuple, ranks), ...(optional[at] === true ? [undefined] : [])].map((value) => [
        ...tuple,
        value,
      ]),
    );
    if (made.length > MADE_MAX) return "is compared with too many others to be checked";
  }
  const missing = made.find((tuple) => {
    return (!isDiscrete || hasIntegers(tuple, constants)) && !listed.has(standing(tuple, ranks));
  });
  if (missing === undefined) return null;
  return `stands in no pattern as ${JSON.stringify(missing)} do, the constants numbered from 0`;
}

/** Where one more number may stand: on each point, between two neighbours, below and above all. */
function next(tuple: readonly (number | undefined)[], ranks: readonly number[]): readonly number[] {
  const known = tuple.filter((value) => value !== undefined);
  const points = [...new Set([...ranks, ...known])].sort((a, b) => a - b);
  if (points.length === 0) return [0];
  const between = points.slice(1).map((point, at) => points[at]! + (point - points[at]!) / 2);
  return [points[0]! - 1, ...points, ...between, points.at(-1)! + 1];
}

/** Are there integers whose ranks are these: whole constants, and room in each gap between constants? */
function hasIntegers(tuple: readonly (number | undefined)[], constants: readonly number[]): boolean {
  const values = [...new Set(tuple.filter((value) => value !== undefined))];
  if (constants.some((value, rank) => values.includes(rank) && !Number.isInteger(value))) return false;
  return constants.slice(1).every((high, rank) => {
    const inside = values.filter((value) => rank < value && value < rank + 1).length;
    return inside <= Math.ceil(high) - Math.floor(constants[rank]!) - 1;
  });
}

/** The order of the numbers among each other and to the constants; a missing one has none. */
function standing(tuple: readonly (number | undefined)[], constants: readonly number[]): string {
  const all = [...tuple, ...constants];
  return JSON.stringify(tuple.map((value) => all.map((other) => Math.sign(Number(value) - Number(other)))));
}
