import type { Net } from "@tessera/core";
import { arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkNever } from "../../src/certificate/equation.ts";
import type { Clause, Constraint, Goal } from "../../src/certificate/goal.ts";
import { feasible } from "../../src/linear/feasible.ts";
import { type Sparse, transposed } from "../../src/linear/incidence.ts";
import { BY_NATURE, boundedTableau, solve, takeBack, tighten } from "../../src/state-equation/bounds.ts";
import { type NeverAnswer, neverProver } from "../../src/state-equation/never.ts";
import type { EquationStep } from "../../src/verdict.ts";
import { net as parse } from "../net-text.ts";
import { graphOf } from "../oracle.ts";

const nets = fc.oneof(arbitraryNetOfClass("plain"), arbitraryNetOfClass("weighted"));

const goalOf = ({ places }: Net): fc.Arbitrary<Goal> => {
  const constraint: fc.Arbitrary<Constraint> = fc.record({
    terms: fc.uniqueArray(fc.tuple(fc.nat({ max: places.length - 1 }), fc.constantFrom(-2, -1, 1, 1, 2)), {
      maxLength: 3,
      selector: ([place]) => place,
    }),
    atLeast: fc.integer({ min: -2, max: 3 }),
  });
  return fc.array(fc.array(constraint, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
};

const asked = nets.chain((net) => goalOf(net).map((goal) => ({ net, goal })));

const isTrueByHand = (M: readonly number[]) => {
  const constraint = ({ terms, atLeast }: Constraint) =>
    terms.map(([place, factor]) => M[place]! * factor).reduce((sum, part) => sum + part, 0) >= atLeast;
  const clause = (constraints: Clause) => constraints.some(constraint);
  return (goal: Goal) => goal.every(clause);
};

/** The reachable markings, or those that were met before there were too many. */
function markingsByHand(net: Net): readonly (readonly number[])[] {
  for (const statesMax of [300, 30]) {
    const graph = graphOf(net, net.initial, statesMax);
    if (graph !== null) return [...graph.keys()].map((key) => JSON.parse(key) as number[]);
  }
  return [[...net.initial]];
}

type Ask = (net: Net, goal: Goal) => NeverAnswer;
const ask: Ask = (net, goal) => neverProver(net, net.initial)(goal);

/** Law: what is never reached is not among the markings by hand, the checker accepts it, and "maybe" solves the equation. */
function answersAreTrue(implementation: Ask, numRuns = 1500): Map<string, number> {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(asked, ({ net, goal }) => {
      const found = implementation(net, goal);
      counts.set(found.kind, (counts.get(found.kind) ?? 0) + 1);
      if (found.kind === "never") {
        expect(markingsByHand(net).filter((M) => isTrueByHand(M)(goal))).toEqual([]);
        expect(checkNever(net, net.initial, goal, found.steps)).toEqual({ kind: "valid" });
      } else if (found.kind === "maybe") {
        const { marking, firings } = found;
        expect(isTrueByHand(marking)(goal)).toBe(true);
        expect(marking.every((tokens) => Number.isInteger(tokens) && tokens >= 0)).toBe(true);
        if (firings === null) return;
        expect(firings.every((count) => count >= 0)).toBe(true);
        const reached = [...net.initial];
        net.transitions.forEach(({ pre, post }, t) => {
          for (const [place, weight] of pre) reached[place]! -= weight * firings[t]!;
          for (const [place, weight] of post) reached[place]! += weight * firings[t]!;
        });
        expect(marking).toEqual(reached);
      }
    }),
    { numRuns },
  );
  return counts;
}

/** Every step list that differs from `steps` in one place. */
function* changed(
  steps: readonly EquationStep[],
  { places, transitions }: Net,
): Generator<readonly EquationStep[]> {
  for (const [index, step] of steps.entries()) {
    yield steps.toSpliced(index, 1);
    yield steps.toSpliced(index, 0, step);
    const at = (other: EquationStep) => steps.with(index, other);
    const numbers = (list: readonly number[], limit: number) =>
      list.flatMap((value, i) => [
        list.toSpliced(i, 1),
        ...[value + 1, value - 1, 0, -value]
          .filter((n) => n < limit && n !== value)
          .map((n) => list.with(i, n)),
      ]);
    const [p, any] = [places.length, Number.POSITIVE_INFINITY];
    if (step.kind === "siphon" || step.kind === "trap") {
      for (const kind of ["siphon", "trap"] as const) {
        for (const list of numbers(step.places, p)) yield at({ kind, places: list });
        for (const place of places.keys()) yield at({ kind, places: [...step.places, place] });
      }
    } else if (step.kind === "value") {
      for (const value of [step.at - 1, step.at + 1]) yield at({ ...step, at: value });
      for (const place of places.keys()) yield at({ ...step, place });
    } else if (step.kind === "either") {
      for (const clause of [0, 1, step.clause + 1, transitions.length]) yield at({ ...step, clause });
    } else if (step.kind === "farkas") {
      for (const list of numbers(step.constraints, any)) yield at({ ...step, constraints: list });
      for (const list of numbers(step.factors, any)) yield at({ ...step, factors: list });
      for (const list of numbers(step.places, p)) yield at({ ...step, places: list });
      for (const list of numbers(step.weights, any)) yield at({ ...step, weights: list });
    }
  }
  yield [];
  yield steps.toReversed();
}

describe("the state equation", () => {
  it("[D24.1] [D24.3] [T24.1] what is never reached is not reachable by hand, and the argument is accepted", () => {
    const counts = answersAreTrue(ask);
    expect(counts.get("never")).toBeGreaterThan(300);
    expect(counts.get("maybe")).toBeGreaterThan(300);
    // Splitting on values need not end.
    expect(counts.get("limit") ?? 0).toBeLessThan(20);
  });

  it("[T24.1] the law refuses provers that do not look at everything", () => {
    const always: Ask = () => ({ kind: "never", steps: [] });
    const unweighted: Ask = (net, goal) =>
      ask({ ...net, transitions: net.transitions.map((t) => ({ ...t, post: t.post.slice(1) })) }, goal);
    const hasty: Ask = (net, goal) => ask(net, [...goal, [{ terms: [[0, 1]], atLeast: 2 }]]);
    for (const broken of [always, unweighted, hasty]) expect(() => answersAreTrue(broken)).toThrow();
  });

  it("[D24.3] a changed argument is accepted only for what is true", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(asked, asked, ({ net, goal }, { goal: other }) => {
        const found = ask(net, goal);
        if (found.kind !== "never") return;
        const isNever = (to: Goal) => !markingsByHand(net).some((M) => isTrueByHand(M)(to));
        const goals = [goal, goal.slice(1), goal.map((clause) => clause.slice(0, 1))];
        const isInside = other.flat(2).every(({ terms }) => terms.every(([p]) => p < net.places.length));
        if (isInside) goals.push(other);
        for (const to of goals)
          for (const steps of [found.steps, ...changed(found.steps, net)]) {
            if (checkNever(net, net.initial, to, steps).kind === "valid") {
              accepted += 1;
              expect({ net, to, steps, isNever: isNever(to) }).toMatchObject({ isNever: true });
            } else refused += 1;
          }
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(accepted);
  });

  it("[D24.3] [D24.12] an argument is refused for a net with optional inputs, and with resets for goals that more tokens leave", () => {
    const [up, down]: Goal[] = [[[{ terms: [[0, 1]], atLeast: 2 }]], [[{ terms: [[0, -1]], atLeast: 1 }]]];
    const farkas = { kind: "farkas", constraints: [0], factors: [1] } as const;
    const asked = [
      { goal: up!, steps: [{ ...farkas, places: [0], weights: [-1] }] },
      { goal: down!, steps: [{ ...farkas, places: [], weights: [] }] },
    ];
    const kinds = (text: string) =>
      asked.map(({ goal, steps }) => checkNever(parse(text), parse(text).initial, goal, steps));
    const refused = { kind: "invalid", reason: "the state equation says nothing of this net" };
    expect(kinds("t: i -> a")).toEqual([{ kind: "valid" }, { kind: "valid" }]);
    expect(kinds("t: i -> a reset b")).toEqual([{ kind: "valid" }, refused]);
    expect(kinds("t: i any b -> a")).toEqual([refused, refused]);
  });

  it("[T24.1] a trap that the equation does not see, a value between whole numbers, a clause, a siphon, and what is left open", () => {
    const kinds = (net: Net, goal: Goal) => {
      const found = ask(net, goal);
      return found.kind === "never" ? found.steps.map(({ kind }) => kind) : found.kind;
    };
    const lossy = parse("t: 2x -> x + o", { initial: { x: 2 } });
    expect(kinds(lossy, [[{ terms: [[0, -1]], atLeast: 0 }]])).toEqual(["trap", "farkas"]);
    const half: Goal = [[{ terms: [[1, 2]], atLeast: 1 }], [{ terms: [[1, -2]], atLeast: -1 }]];
    const free = parse("t: i -> a; u: a -> i", { ends: ["a"] });
    expect(kinds(free, half)).toEqual(["value", "farkas", "farkas"]);
    const either: Goal = [
      [
        { terms: [[0, 1]], atLeast: 2 },
        { terms: [[1, 1]], atLeast: 2 },
      ],
    ];
    expect(kinds(free, either)).toEqual(["either", "farkas", "farkas"]);
    const unseen = parse("t: i + k -> a; u: a -> k + b", { initial: { i: 1 }, ends: ["b"] });
    expect(kinds(unseen, [[{ terms: [[3, 1]], atLeast: 1 }]])).toEqual(["siphon", "farkas"]);
    // The key comes too late: the equation is solved by what no run does.
    const initial = { i: 1, q: 1 };
    const late = parse("t: i + k -> a + k; s: q + i -> k; r: k -> z; x: z -> q", { initial, ends: ["a"] });
    expect(kinds(late, [[{ terms: [[2, 1]], atLeast: 1 }]])).toBe("maybe");
    const starved = ask(parse("t: i -> i + a; u: c -> c + b"), [[{ terms: [[3, 1]], atLeast: 1 }]]);
    expect(starved).toMatchObject({ kind: "never", steps: [{ kind: "siphon" }, { kind: "farkas" }] });
  });

  it("[D8.9] limits of work, cases, time and size are limits, and the next question is answered", () => {
    const wide = parse("t: i -> 2a; u: 2a -> b; v: b -> o", { initial: { i: 3 } });
    const goal: Goal = [[{ terms: [[3, 1]], atLeast: 4 }]];
    expect(neverProver(wide, wide.initial, { workMax: -1 })(goal)).toEqual({ kind: "limit" });
    expect(neverProver(wide, wide.initial, { isOver: () => true })(goal)).toEqual({ kind: "limit" });
    const open: Goal = [[{ terms: [[3, 1]], atLeast: 1 }]];
    expect(neverProver(wide, wide.initial, { casesMax: 0 })(open)).toEqual({ kind: "limit" });
    let isOver = true;
    const prover = neverProver(wide, wide.initial, { isOver: () => isOver });
    expect(prover(goal).kind).toBe("limit");
    isOver = false;
    expect(prover(goal).kind).toBe("never");
    const heavy = parse("t: i -> a; u: a -> b", { initial: { i: 2 ** 53 - 1 } });
    expect(neverProver(heavy, heavy.initial)(open)).toEqual({ kind: "limit" });
  });
});

describe("bounds on linear sums", () => {
  const system = fc.record({
    rows: fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    }),
    lower: fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 4, maxLength: 4 }),
    gap: fc.array(fc.nat({ max: 4 }), { minLength: 4, maxLength: 4 }),
  });
  const sparse = (row: readonly number[]): Sparse =>
    row.flatMap((value, index) => (value === 0 ? [] : [[index, value] as const]));

  type Decide = (
    rows: readonly (readonly number[])[],
    lower: readonly number[],
    upper: readonly number[],
  ) => boolean;

  /** The same by equations: each row is its lower bound plus a slack, which another slack fills up to the gap. */
  const byEquations: Decide = (rows, lower, upper) => {
    const count = rows.length;
    const equations = rows.flatMap((row, r) => {
      const [slack, rest] = [3 + r, 3 + count + r];
      return [
        { row: [...sparse(row), [slack, -1] as const], right: lower[r]! },
        { row: [[slack, 1] as const, [rest, 1] as const], right: upper[r]! - lower[r]! },
      ];
    });
    const found = feasible(
      equations.map(({ row }) => row),
      equations.map(({ right }) => right),
      3 + 2 * count,
    );
    if (found.kind === "limit") throw new Error("limit");
    return found.kind === "solution";
  };

  const byBounds: Decide = (rows, lower, upper) => {
    const bounded = boundedTableau(
      transposed(rows.map(sparse), 3),
      rows.map(() => Number.NEGATIVE_INFINITY),
      () => false,
    );
    bounded.tableau.work = 1e6;
    for (const r of rows.keys()) {
      tighten(bounded, 3 + r, true, lower[r]!, r);
      tighten(bounded, 3 + r, false, upper[r]!, r);
    }
    const conflict = solve(bounded);
    if (conflict !== null) {
      // Farkas: no x that is not negative, and the bounds contradict each other.
      const sums = [0, 0, 0];
      let right = 0;
      for (const { variable, isLower, factor } of conflict) {
        expect(factor).toBeGreaterThan(0);
        if (variable < 3) continue;
        const sign = isLower ? factor : -factor;
        rows[variable - 3]!.forEach((value, column) => {
          sums[column]! += sign * value;
        });
        right += sign * (isLower ? lower : upper)[variable - 3]!;
      }
      expect(sums.every((sum) => sum <= 0)).toBe(true);
      expect(right).toBeGreaterThan(0);
    }
    // The bounds are taken back, and the tableau serves again.
    takeBack(bounded, 0);
    expect(solve(bounded)).toBeNull();
    return conflict === null;
  };

  function agree(decide: Decide): void {
    fc.assert(
      fc.property(system, ({ rows, lower, gap }) => {
        const upper = lower.map((value, r) => value + gap[r]!);
        expect(decide(rows, lower, upper)).toBe(byEquations(rows, lower, upper));
      }),
      { numRuns: 800 },
    );
  }

  it("[D24.2] bounds are feasible where another method finds a solution, and a conflict refutes", () => {
    agree(byBounds);
    expect(() =>
      agree((rows, lower, upper) =>
        byBounds(
          rows,
          lower.map((value) => value - 1),
          upper,
        ),
      ),
    ).toThrow();
  });

  it("[D24.2] two bounds of one variable exclude each other at once", () => {
    const bounded = boundedTableau([[[0, 1]]], [0], () => false);
    expect(tighten(bounded, 0, false, 2, 7)).toBeNull();
    expect(tighten(bounded, 0, true, 3, 8)).toEqual([
      { variable: 0, isLower: true, by: 8, factor: 1 },
      { variable: 0, isLower: false, by: 7, factor: 1 },
    ]);
    takeBack(bounded, 1);
    expect([bounded.lower[0], bounded.lowerBy[0]]).toEqual([0, BY_NATURE]);
  });
});
