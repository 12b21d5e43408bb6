/** @module Patterns of numbers that are compared by order: all by hand, each of them needed, and what is no pattern. */
import { describe, expect, it } from "vitest";
import { type Pattern, patternTrouble } from "../../src/certificate/data-patterns.ts";

type Tuple = readonly (number | undefined)[];

interface Asked {
  readonly constants?: readonly number[];
  readonly optional?: readonly boolean[];
  readonly isInteger?: boolean;
}

const PART = [2, 5];

function trouble(tuples: readonly Tuple[], { constants = [], optional, isInteger = false }: Asked = {}) {
  const others: Pattern = { places: [2, 6], tuples: [] };
  const patterns = [others, { places: PART, tuples }];
  return patternTrouble(PART, constants, optional ?? [false, false], isInteger, patterns);
}

/** All of them will do, in any order, and none can be left out. */
function expectEachNeeded(tuples: readonly Tuple[], asked: Asked = {}): void {
  expect(trouble(tuples, asked)).toBeNull();
  expect(trouble(tuples.toReversed(), asked)).toBeNull();
  for (const gone of tuples.keys())
    expect(trouble(tuples.toSpliced(gone, 1), asked), String(tuples[gone])).toMatch(/^stands in no pattern/u);
}

const pairs = (values: readonly number[]): Tuple[] => values.flatMap((x) => values.map((y) => [x, y]));
const TYPE = "has a pattern that the declarations do not allow";

describe("[D23.11] patterns of an order", () => {
  it("[D23.11] two numbers are equal, or one is greater", () => {
    const all = [
      [7, 7],
      [7, 8],
      [9, 1],
    ];
    expectEachNeeded(all);
    expectEachNeeded(all, { isInteger: true });
    expect(trouble(all.slice(1))).toBe("stands in no pattern as [0,0] do, the constants numbered from 0");
  });

  it("[D23.11] two numbers and a constant have thirteen orders", () => {
    const sides = [
      [4, 4],
      [3, 4],
      [4, 3],
      [4, 5],
      [5, 4],
      [4, 6],
      [6, 4],
      [5, 5],
      [6, 6],
      [5, 6],
      [6, 5],
      [6, 7],
      [7, 6],
    ];
    expectEachNeeded(sides, { constants: [5] });
    expectEachNeeded(sides, { constants: [5, 5], isInteger: true });
    // Named by what they are compared with: of another constant some orders are not there.
    expect(trouble(sides, { constants: [4.5] })).toMatch(/^stands in no pattern/u);
    expect(trouble(sides, { constants: [9, 5] })).toMatch(/^stands in no pattern/u);
  });

  it("[D23.11] constants in any order are the same constants", () => {
    const numbers = pairs([-3, -2, 0, 1, 2, 5, 6, 7, 8, 10, 11, 12, 13]);
    expect(trouble(numbers, { constants: [10, 0, 5] })).toBeNull();
    expect(trouble(numbers, { constants: [0, 5, 10] })).toBeNull();
    expect(
      trouble(
        numbers.filter(([x, y]) => !(x! > 5 && x! < 10 && y === x)),
        { constants: [10, 0, 5] },
      ),
    ).toMatch(/^stands in no pattern/u);
  });

  it("[D23.11] of integers there are in a gap so many as there are", () => {
    const around = (inside: readonly number[], high: number) =>
      pairs([-2, -1, 0, ...inside, high, high + 1, high + 2]);
    // One is between 0 and 2: two places are there only if they are equal. Two are between 0 and 3.
    expect(trouble(around([1], 2), { constants: [0, 2], isInteger: true })).toBeNull();
    expect(trouble(around([1], 2), { constants: [0, 2] })).toMatch(/^stands in no pattern/u);
    expect(trouble(around([1, 2], 3), { constants: [0, 3], isInteger: true })).toBeNull();
    expect(trouble(around([1], 3), { constants: [0, 3], isInteger: true })).toMatch(/^stands in no pattern/u);
    expect(trouble(around([], 2), { constants: [0, 2], isInteger: true })).toMatch(/^stands in no pattern/u);
    expect(trouble(around([], 1), { constants: [0, 1], isInteger: true })).toBeNull();
  });

  it("[D23.11] what stands elsewhere takes no room in a gap", () => {
    const numbers = pairs([3, 4, 5, 6, 7, 8, 9]);
    for (const constants of [
      [5, 7],
      [7, 5],
    ]) {
      const asked = { constants, isInteger: true };
      expect(trouble(numbers, asked)).toBeNull();
      // Below both, on one of them, between them, above both: the orders of two that are not there.
      for (const gone of [
        [[3, 4]],
        [
          [3, 6],
          [4, 6],
        ],
        [[5, 6]],
        [[6, 6]],
        [[6, 7]],
        [[5, 7]],
        [
          [6, 8],
          [6, 9],
        ],
        [[8, 9]],
      ]) {
        const left = numbers.filter((pair) => !gone.some((one) => String(one) === String(pair)));
        expect(trouble(left, asked), `${constants}: ${gone[0]}`).toMatch(/^stands in no pattern/u);
      }
    }
  });

  it("[D23.11] no integer is a constant with a fraction", () => {
    const integers = pairs([-1, 0, 1, 2]);
    expect(trouble(integers, { constants: [0.5], isInteger: true })).toBeNull();
    expect(trouble(integers, { constants: [0.2, 0.7], isInteger: true })).toBeNull();
    expect(trouble(integers, { constants: [0.5] })).toMatch(/^stands in no pattern/u);
    expect(trouble(pairs([-1, 0, 1]), { constants: [0.5], isInteger: true })).toMatch(
      /^stands in no pattern/u,
    );
    // Between 0.5 and 1.5 there is one.
    expect(trouble(pairs([-1, 0, 1, 2, 3]), { constants: [0.5, 1.5], isInteger: true })).toBeNull();
    expect(trouble(pairs([-1, 0, 2, 3]), { constants: [0.5, 1.5], isInteger: true })).toMatch(
      /^stands in no pattern/u,
    );
  });

  it("[D23.11] a place that may be without a value is so in some, and no other is", () => {
    const second = [
      [7, 7],
      [7, 8],
      [9, 1],
      [3, undefined],
    ];
    expectEachNeeded(second, { optional: [false, true] });
    expect(trouble(second)).toBe(TYPE);
    expect(trouble(second, { optional: [true, false] })).toBe(TYPE);
    const both = [...second, [undefined, 3], [undefined, undefined]];
    expectEachNeeded(both, { optional: [true, true] });
  });

  it("[D23.11] of numbers that are finite, and integers where these are declared", () => {
    const all = [
      [7, 7],
      [7, 8],
      [9, 1],
    ];
    expect(trouble([...all, [0.5, 1]])).toBeNull();
    expect(trouble([...all, [0.5, 1]], { isInteger: true })).toBe(TYPE);
    expect(trouble([...all, [Number.POSITIVE_INFINITY, 1]])).toBe(TYPE);
    expect(trouble([...all, [1, Number.NaN]])).toBe(TYPE);
  });

  it("[D23.11] of just these places, and of no more than can be made", () => {
    const none = "is compared by order, and no patterns are listed";
    expect(patternTrouble(PART, [], [false, false], false, [])).toBe(none);
    const others = [{ places: [5, 2], tuples: pairs([1, 2]) }];
    expect(patternTrouble(PART, [], [false, false], false, others)).toBe(none);
    const many = [...Array(8).keys()];
    expect(
      patternTrouble(
        many,
        [],
        many.map(() => false),
        false,
        [{ places: many, tuples: [many] }],
      ),
    ).toBe("is compared with too many others to be checked");
  });
});
