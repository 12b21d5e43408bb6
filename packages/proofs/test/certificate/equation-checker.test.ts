/** @module Goals, and the checker of the state equation, on nets small enough to be judged by hand. */
import type { Marking, Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkAllNever, checkNever, checkNoFault, checkWeights } from "../../src/certificate/equation.ts";
import {
  deadGoal,
  disabledClause,
  enabledGoal,
  enabledGoals,
  faultGoals,
  finalGoals,
  type Goal,
  hasAtLeast,
  hasAtMost,
  isInGoal,
  isUpward,
  moreThanGoal,
  notFinalGoal,
  opposite,
} from "../../src/certificate/goal.ts";
import type { EquationStep } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

/** All markings with at most `max` tokens on each place. */
function markings(places: number, max: number): readonly Marking[] {
  if (places === 0) return [[]];
  return markings(places - 1, max).flatMap((M) =>
    Array.from({ length: max + 1 }, (_, tokens) => [...M, tokens]),
  );
}

/** Is the goal true of exactly the markings that the hand names, out of all small ones? */
function expectGoal(places: number, goals: readonly Goal[], isMeant: (M: Marking) => boolean): void {
  for (const M of markings(places, 2)) {
    const isThere = goals.some((goal) => isInGoal(goal, M));
    expect([M, isThere]).toEqual([M, isMeant(M)]);
  }
}

// Places i, a, b, o.
const heavy = net("t: i -> a + b; u: a + 2b -> o");

describe("goals", () => {
  it("[D24.1] every clause has a true constraint, exactly beyond what a number holds", () => {
    const goal: Goal = [
      [hasAtLeast(0, 2), hasAtMost(1, 0)],
      [{ terms: [[0, 1] as const, [1, -2] as const], atLeast: -1 }],
    ];
    expectGoal(2, [goal], ([a = 0, b = 0]) => (a >= 2 || b === 0) && a - 2 * b >= -1);
    expect(isInGoal([], [0])).toBe(true);
    expect(isInGoal([[]], [0])).toBe(false);
    // A place beyond the marking is empty.
    expect(isInGoal([[hasAtLeast(3, 1)]], [1])).toBe(false);
    expect(isInGoal([[hasAtLeast(3, 0)]], [1])).toBe(true);
    const large: Goal = [[{ terms: [[0, 2 ** 53 - 1] as const, [1, 1] as const], atLeast: 2 ** 53 }]];
    expect([isInGoal(large, [1, 0]), isInGoal(large, [1, 1])]).toEqual([false, true]);
  });

  it("[D24.1] the opposite is true where the constraint is not", () => {
    expect(
      opposite({
        terms: [
          [0, 2],
          [1, -1],
        ],
        atLeast: 3,
      }),
    ).toEqual({
      terms: [
        [0, -2],
        [1, 1],
      ],
      atLeast: -2,
    });
  });

  it("[D24.12] upward: no factor is below zero", () => {
    const factors = (...values: number[]) => ({
      terms: values.map((value, place) => [place, value] as const),
      atLeast: 1,
    });
    expect(isUpward([])).toBe(true);
    expect(isUpward([[factors(0, 1), factors(2)], [factors(1)]])).toBe(true);
    expect(isUpward([[factors(1, -1)]])).toBe(false);
    expect(isUpward([[factors(1), factors(-1)]])).toBe(false);
    expect(isUpward([[factors(1)], [factors(-1)]])).toBe(false);
  });

  it("[D24.1] markings that enable, that enable nothing, that hold too much", () => {
    const enablesU = ([, a = 0, b = 0]: Marking) => a >= 1 && b >= 2;
    const [t, u] = heavy.transitions;
    expectGoal(4, [enabledGoal(u!)], enablesU);
    expectGoal(4, [[disabledClause(u!)]], (M) => !enablesU(M));
    expectGoal(4, [deadGoal(heavy)], (M) => M[0] === 0 && !enablesU(M));
    expectGoal(4, enabledGoals(heavy, new Set([0, 1])), (M) => M[0]! > 0 || enablesU(M));
    expect(enabledGoals(heavy, [1, 0])).toEqual([enabledGoal(u!), enabledGoal(t!)]);
    expectGoal(4, [moreThanGoal([1, 3], 1)], (M) => M[1]! > 1 || M[3]! > 1);
    expectGoal(4, [moreThanGoal([], 0)], () => false);
  });

  it.each<[string, Net, (M: Marking) => boolean]>([
    ["an end", heavy, ([i, a, b, o]) => i === 0 && a === 0 && b === 0 && o === 1],
    [
      "two ends, which may both be marked",
      net("t: i -> o; u: i -> e", { ends: ["o", "e"] }),
      ([i, o = 0, e = 0]) => i === 0 && o <= 1 && e <= 1 && o + e > 0,
    ],
    ["no end", net("t: i -> i", { ends: [] }), () => false],
    [
      "a list",
      net("t: i -> o", { finals: [{ i: 2 }, { i: 1, o: 1 }] }),
      ([i, o]) => (i === 2 && o === 0) || (i === 1 && o === 1),
    ],
    ["an empty list", net("t: i -> o", { finals: [] }), () => false],
  ])("[D24.1] final markings and the others: %s", (_, other, isMeant) => {
    expectGoal(other.places.length, finalGoals(other), isMeant);
    expectGoal(other.places.length, [notFinalGoal(other)], (M) => !isMeant(M));
    const stuck = (M: Marking) =>
      !isMeant(M) && other.transitions.every(({ pre }) => pre.some(([p, w]) => M[p]! < w));
    expectGoal(other.places.length, faultGoals(other, "deadlock")!, stuck);
  });

  it("[D24.1] the faults of an obligation that speaks of single markings", () => {
    const counting: Net = {
      ...heavy,
      places: heavy.places.map((place) =>
        place.id === "b" ? { ...place, role: "counter" as never } : place,
      ),
    };
    expectGoal(4, faultGoals(counting, "O4")!, ([i = 0, a = 0, , o = 0]) => i > 1 || a > 1 || o > 1);
    expectGoal(4, faultGoals(heavy, "O2")!, (M) => M[3]! > 1);
    const listed = net("t: i -> o", { finals: [{ i: 1 }, { o: 2 }] });
    expectGoal(
      2,
      faultGoals(listed, "O2")!,
      ([i = 0, o = 0]) => (i >= 1 && i + o > 1) || (o >= 2 && i + o > 2),
    );
    expect(["O1", "O3", "bounded", "sound"].map((id) => faultGoals(heavy, id))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("the state equation", () => {
  const line = net("t: i -> a; u: a -> o");
  const all = {
    kind: "farkas",
    constraints: [0],
    factors: [1],
    places: [0, 1, 2],
    weights: [-1, -1, -1],
  } as const;
  const two: Goal = [[hasAtLeast(2, 2)]];
  const never = (n: Net, goal: Goal, ...steps: readonly EquationStep[]) =>
    said(checkNever(n, n.initial, goal, steps));
  const changed = (change: Partial<typeof all> | Record<string, unknown>) =>
    never(line, two, { ...all, ...change } as EquationStep);

  it("[D24.3] a weighted sum excludes a marking, and each condition is needed", () => {
    expect(changed({})).toBe("valid");
    expect(changed({ places: [0, 1] })).toMatch(/not one weight for each place/);
    expect(changed({ weights: [-1, -1] })).toMatch(/not one weight for each place/);
    expect(changed({ factors: [1, 1] })).toMatch(/not one factor for each constraint/);
    expect(changed({ constraints: [0, 0] })).toMatch(/not one factor for each constraint/);
    expect(changed({ constraints: [1] })).toMatch(/step 0: no such constraint/);
    expect(changed({ constraints: [0, 0], factors: [2, -1] })).toMatch(/factor below zero/);
    expect(changed({ constraints: [0, 0], factors: [1, 0] })).toBe("valid");
    expect(changed({ weights: [-1, -1, 0] })).toMatch(/a place has a positive sum/);
    // One token is there at the end, which nothing excludes.
    expect(never(line, [[hasAtLeast(2, 1)]], all)).toMatch(/total is not positive/);
    expect(never(net("t: i -> a; u: a -> 2o"), two, all)).toMatch(/transition 1 lowers/);
    expect(never(net("t: i -> 2a; u: a -> o"), two, all)).toMatch(/transition 0 lowers/);
    expect(never(net("t: 2i -> a; u: a -> o"), two, all)).toBe("valid");
  });

  it("[D24.3] weights of one place add up, and places without weight have none", () => {
    const twice = { factors: [2], places: [0, 1, 2, 2], weights: [-2, -2, -1, -1] };
    expect(changed(twice)).toBe("valid");
    expect(changed({ ...twice, weights: [-2, -2, -2, -1] })).toMatch(/transition 1 lowers/);
    expect(never(net("t: i -> a; u: a -> o; v: c -> d"), two, all)).toBe("valid");
    // A place that is not there holds nothing.
    const beyond = { ...all, places: [0, 1, 2, 9], weights: [-1, -1, -1, -1] };
    expect(never(line, [[hasAtLeast(2, 1)]], beyond)).toMatch(/total is not positive/);
    expect(never(line, two, beyond)).toBe("valid");
  });

  it("[T24.9] nets with resets are asked for what more tokens do not leave; no others but plain and weighted ones", () => {
    const down: Goal = [[hasAtLeast(2, 2)], [hasAtMost(0, 5)]];
    const resetting = net("t: i -> a; u: a -> o reset i");
    expect(never(line, down, all)).toBe("valid");
    expect(never(resetting, two, all)).toBe("valid");
    expect(never(resetting, down, all)).toMatch(/says nothing of this net/);
    expect(never(net("t: i any a -> o; u: a -> o"), two, all)).toMatch(/says nothing of this net/);
    expect(said(checkWeights(resetting, { kind: "weights", weights: [1, 1, 1] }))).toBe("valid");
  });

  it("[D24.3] every case is closed by a step of its own", () => {
    expect(never(line, two)).toBe("1 cases are left");
    expect(never(line, two, all, all)).toBe("step 1 has no case");
    // Only clauses of one constraint are true from the start.
    const mixed: Goal = [[hasAtLeast(0, 1), hasAtLeast(1, 1)], [hasAtLeast(2, 2)]];
    expect(never(line, mixed, all)).toBe("valid");
    expect(never(line, mixed, { ...all, constraints: [1] })).toMatch(/no such constraint/);
  });

  it("[D24.3] a place has at most so many tokens, or more", () => {
    const split = { kind: "value", place: 2, at: 0 } as const;
    const low = { kind: "farkas", constraints: [0, 1], factors: [1, 1], places: [], weights: [] } as const;
    expect(never(line, two, split, low, all)).toBe("valid");
    expect(never(line, two, split, all, low)).toMatch(/step 2: a place has a positive sum/);
    expect(never(line, two, split, low)).toBe("1 cases are left");
    // Half a token: only whole numbers exclude it, so the second case must begin with one.
    const half: Goal = [
      [{ terms: [[2, 2] as const], atLeast: 1 }],
      [{ terms: [[2, -2] as const], atLeast: -1 }],
    ];
    const none = { kind: "farkas", places: [], weights: [] } as const;
    const below = { ...none, constraints: [0, 2], factors: [1, 2] };
    const above = { ...none, constraints: [1, 2], factors: [1, 2] };
    expect(never(line, half, split, below, above)).toBe("valid");
    expect(never(line, half, { ...split, at: 1 }, below, above)).toMatch(/step 1: the total/);
    expect(never(line, half, { ...split, at: -1 }, below, above)).toMatch(/step 2: the total/);
  });

  it("[D24.3] one constraint of a clause after the other, those before it being false", () => {
    const source = net("t: i -> o", { initial: { i: 3 } });
    const goal: Goal = [[hasAtLeast(1, 0)], [hasAtLeast(0, 4), hasAtLeast(0, 5)]];
    const either = { kind: "either", clause: 1 } as const;
    const first = {
      kind: "farkas",
      constraints: [1],
      factors: [1],
      places: [0, 1],
      weights: [-1, -1],
    } as const;
    const second = { kind: "farkas", constraints: [1, 2], factors: [1, 1], places: [], weights: [] } as const;
    expect(never(source, goal, either, first, second)).toBe("valid");
    // The first case knows nothing of the second constraint, nor that the first is false.
    expect(never(source, goal, either, second, second)).toMatch(/step 1: no such constraint/);
    expect(never(source, goal, either, first, first)).toBe("valid");
    expect(never(source, goal, either, first)).toBe("1 cases are left");
    expect(never(source, goal, { kind: "either", clause: 2 }, first)).toBe("step 0: no such clause");
    expect(never(source, [...goal, []], { kind: "either", clause: 2 })).toBe("valid");
  });

  it("[D24.3] an empty siphon makes transitions dead, a marked trap has a token", () => {
    // Both x and y stay empty, so that v and w never fire.
    const starved = net("t: i -> a; u: a -> o; v: x + y -> x + y + o; w: y -> y + o");
    const at = (...ids: string[]) => ids.map((id) => starved.places.findIndex((place) => place.id === id));
    const siphon = (...ids: string[]): EquationStep => ({ kind: "siphon", places: at(...ids) });
    const sum = { ...all, places: at("i", "a", "o") };
    const goal: Goal = [[hasAtLeast(at("o")[0]!, 2)]];
    expect(never(starved, goal, sum)).toMatch(/transition 2 lowers/);
    expect(never(starved, goal, siphon("x"), sum)).toMatch(/step 1: transition 3 lowers/);
    expect(never(starved, goal, siphon("y"), sum)).toBe("valid");
    expect(never(starved, goal, siphon("i"), sum)).toMatch(/step 0: place 0 of the siphon is marked/);
    expect(never(starved, goal, siphon("a"), sum)).toMatch(/step 0: t puts a token into the siphon/);
    const apart = net("t: i -> a; u: a -> o; v: x -> x + o; w: y -> y + o");
    expect(never(apart, goal, siphon("x"), sum)).toMatch(/transition 3 lowers/);
  });

  it("[D24.3] what is dead stays dead in every case, together with what was so before", () => {
    const apart = net("t: i -> a; u: a -> o; v: x -> x + o; w: y -> y + o");
    const goal: Goal = [[hasAtLeast(2, 2)]];
    const low = { kind: "farkas", constraints: [0, 1], factors: [1, 1], places: [], weights: [] } as const;
    const siphons: EquationStep[] = [
      { kind: "siphon", places: [3] },
      { kind: "siphon", places: [4] },
    ];
    expect(never(apart, goal, ...siphons, all)).toBe("valid");
    expect(never(apart, goal, siphons[0]!, all)).toMatch(/transition 3 lowers/);
    expect(never(apart, goal, siphons[1]!, all)).toMatch(/transition 2 lowers/);
    expect(never(apart, goal, ...siphons, { kind: "value", place: 2, at: 0 }, low, all)).toBe("valid");
    // Constraints are kept too.
    expect(never(apart, goal, { kind: "value", place: 2, at: 0 }, siphons[0]!, low, ...siphons, all)).toBe(
      "valid",
    );
  });

  it("[D24.3] a trap is marked, is one, and then has a token", () => {
    const room = net("t: i -> a; u: i -> o; v: a -> b; w: b -> a");
    const at = (...ids: string[]) => ids.map((id) => room.places.findIndex((place) => place.id === id));
    const inRoom = { ...room, initial: room.places.map(({ id }) => (id === "b" ? 1 : 0)) };
    const goal: Goal = [[hasAtMost(at("a")[0]!, 0)], [hasAtMost(at("b")[0]!, 0)]];
    const trap = (...ids: string[]): EquationStep => ({ kind: "trap", places: at(...ids) });
    const close: EquationStep = {
      kind: "farkas",
      constraints: [0, 1, 2],
      factors: [1, 1, 1],
      places: [],
      weights: [],
    };
    expect(never(inRoom, goal, trap("a", "b"), close)).toBe("valid");
    expect(never(inRoom, goal, trap("b", "a", "a"), close)).toBe("valid");
    expect(never(room, goal, trap("a", "b"), close)).toBe("step 0: the trap is not marked");
    expect(never(inRoom, goal, trap("b"), close)).toBe("step 0: not a trap");
    expect(never(inRoom, goal, trap("b"))).toBe("step 0: not a trap");
    // One place of several is enough: to be taken from, and to be put back.
    const paired = net("t: b + c -> a + d; u: a + d -> b + c", { initial: { b: 1, c: 1 } });
    const [ofPair, other] = [[0, 2], [0]].map((places): EquationStep => ({ kind: "trap", places }));
    const held: Goal = [[hasAtMost(0, 0)], [hasAtMost(2, 0)]];
    expect(never(paired, held, ofPair!, close)).toBe("valid");
    expect(never(paired, held, other!, close)).toBe("step 0: not a trap");
    // One token is sure, not two.
    const three = { ...close, factors: [2, 2, 2] } as EquationStep;
    const more: Goal = [[hasAtMost(at("a")[0]!, 0)], [hasAtMost(at("b")[0]!, 1)]];
    expect(never(inRoom, more, trap("a", "b"), three)).toMatch(/total is not positive/);
  });

  it("[D24.3] one argument for each set of markings, and all are looked at", () => {
    const argue = (...proofs: (readonly EquationStep[])[]) =>
      said(checkAllNever(line, line.initial, [two, two], { kind: "state-equation", proofs }));
    expect(argue([all], [all])).toBe("valid");
    expect(argue([all])).toMatch(/not one argument/);
    expect(argue([all], [all], [all])).toMatch(/not one argument/);
    expect(argue([all], [])).toBe("1 cases are left");
    expect(argue([], [all])).toBe("1 cases are left");
  });

  it("[T24.1] [T24.2] what is shown of obligations: single markings by the equation, bounds by weights", () => {
    const equation = { kind: "state-equation", proofs: [[all]] } as const;
    expect(said(checkNoFault(line, "O2", equation))).toBe("valid");
    expect(said(checkNoFault({ ...line, initial: [2, 0, 0] }, "O2", equation))).toMatch(/total/);
    for (const id of ["O1", "O3", "bounded", "sound"])
      expect(said(checkNoFault(line, id, equation)), id).toBe(`the state equation shows nothing of ${id}`);
    const weights = { kind: "weights", weights: [1, 1, 1] } as const;
    expect(said(checkNoFault(line, "bounded", weights))).toBe("valid");
    for (const id of ["O1", "O2", "O3", "O4", "deadlock", "sound"])
      expect(said(checkNoFault(line, id, weights)), id).toBe(`weights show nothing of ${id}`);
  });

  it("[D24.5] weights: one positive for each place, and no transition raises the sum", () => {
    const weighed = (n: Net, ...weights: number[]) => said(checkWeights(n, { kind: "weights", weights }));
    expect(weighed(line, 2, 2, 1)).toBe("valid");
    expect(weighed(line, 1, 2, 1)).toMatch(/raises/);
    expect(weighed(line, 2, 1)).toMatch(/not positive/);
    expect(weighed(line, 2, 2, 1, 1)).toMatch(/not positive/);
    expect(weighed(line, 2, 2, 0)).toMatch(/not positive/);
    expect(weighed(net("t: i -> 2o"), 2, 1)).toBe("valid");
    expect(weighed(net("t: i -> 3o"), 2, 1)).toMatch(/raises/);
    expect(weighed(net("t: 2i -> 3o"), 2, 1)).toBe("valid");
    expect(weighed(net("t: i any a -> o"), 1, 1, 1)).toMatch(/nothing of this net/);
  });
});
