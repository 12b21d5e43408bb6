/** @module No reachable marking is in a set: the state equation with traps and cases, each refuted in whole numbers. */
import type { Marking, Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import { type Constraint, type Goal, hasAtLeast, hasAtMost, opposite } from "../certificate/goal.ts";
import { incidence } from "../linear/incidence.ts";
import type { EquationStep } from "../verdict.ts";
import {
  type Bounded,
  boundedTableau,
  type Conflict,
  solve,
  sumVariable,
  takeBack,
  tighten,
} from "./bounds.ts";
import { maximalTrap, unmarkableSiphon } from "./siphons.ts";
import { TableauLimit, WorkLimit } from "./tableau.ts";

/**
 * never: the steps show it. maybe: a marking of whole numbers satisfies the state equation, all traps and the goal,
 * which does not mean that it is reachable; `firings` is how often each transition would fire (null: not whole).
 * limit: too many cases, too much work, or numbers too large.
 */
export type NeverAnswer =
  | { readonly kind: "never"; readonly steps: readonly EquationStep[] }
  | { readonly kind: "maybe"; readonly marking: Marking; readonly firings: readonly number[] | null }
  | { readonly kind: "limit" };

/** Limits: entries of the tableau that are computed for one question, and cases. `isOver`: must the work end? */
export interface NeverLimits {
  readonly workMax: number;
  readonly casesMax: number;
  readonly isOver: () => boolean;
}

/** A second of work or two. */
const LIMITS: NeverLimits = { workMax: 100_000_000, casesMax: 1000, isOver: () => false };

/** Larger tableaus are not made: places times transitions. */
const CELLS_MAX = 8_000_000;

/** Cases within cases. */
const DEPTH_MAX = 300;

/** Asks one net from one marking; what one question has computed serves the next. `workMax` may be less than for others. */
export type NeverProver = (goal: Goal, workMax?: number) => NeverAnswer;

/**
 * Is no marking reachable from `M` in a goal? Of plain and weighted nets. Cost of a question: within the limits.
 *
 * @refines D24.3
 */
export function neverProver(net: Net, M: Marking, given: Partial<NeverLimits> = {}): NeverProver {
  const limits = { ...LIMITS, ...given };
  if (net.places.length * net.transitions.length > CELLS_MAX) return () => ({ kind: "limit" });
  const siphon = unmarkableSiphon(net, M);
  const first: readonly EquationStep[] =
    siphon.places.length > 0 ? [{ kind: "siphon", places: siphon.places }] : [];
  const alive = [...net.transitions.keys()].filter((t) => !siphon.needing.has(t));
  const columns = incidence(net);
  const known = alive.map((t) => columns[t]!);
  const least = M.map((tokens) => -tokens);
  let bounded: Bounded | null = null;
  return (goal, workMax = limits.workMax) => {
    bounded ??= boundedTableau(known, least, limits.isOver);
    bounded.tableau.work = workMax;
    const rest = { constraints: [], sums: new Map<string, number>(), cases: limits.casesMax };
    const search: Search = { net, M, goal, alive, bounded, steps: [...first], ...rest };
    try {
      const sole = goal.filter((clause) => clause.length === 1).flat();
      return assume(search, sole, () => close(search, 0)) ?? { kind: "never", steps: search.steps };
    } catch (error) {
      if (!(error instanceof TableauLimit)) throw error;
      if (error instanceof WorkLimit) takeBack(bounded, 0);
      else bounded = null;
      return { kind: "limit" };
    }
  };
}

interface Search {
  readonly net: Net;
  readonly M: Marking;
  readonly goal: Goal;
  /** The transitions of the columns. */
  readonly alive: readonly TransitionIndex[];
  readonly bounded: Bounded;
  readonly steps: EquationStep[];
  readonly constraints: Constraint[];
  /** The variables of sums of several places, by their terms. */
  readonly sums: Map<string, number>;
  cases: number;
}

/** Null: the case is closed, its steps are written. Else why it is not. */
type Closing = Exclude<NeverAnswer, { readonly kind: "never" }> | null;

/** Adds constraints, closes the case at once or by `then`, and takes them back. */
function assume(search: Search, more: readonly Constraint[], then: () => Closing): Closing {
  const { bounded, constraints, steps } = search;
  const [known, mark] = [constraints.length, bounded.trail.length];
  constraints.push(...more);
  let conflict: Conflict | null = null;
  for (let number = known; number < constraints.length && conflict === null; number += 1)
    conflict = assertConstraint(search, number);
  conflict ??= solve(bounded);
  if (conflict !== null) steps.push(farkasStep(search, conflict));
  const found = conflict === null ? then() : null;
  takeBack(bounded, mark);
  constraints.length = known;
  return found;
}

/** The constraint of this number as a bound of a variable; a constraint on nothing that is false is a conflict by itself. */
function assertConstraint(search: Search, number: number): Conflict | null {
  const { M, bounded } = search;
  const { terms, atLeast } = search.constraints[number]!;
  const least = terms.reduce((rest, [place, factor]) => rest - factor * M[place]!, atLeast);
  const [first] = terms;
  if (first === undefined)
    return least <= 0 ? null : [{ variable: -1, isLower: true, by: number, factor: 1 }];
  if (terms.length === 1 && Math.abs(first[1]) === 1) {
    const isLower = first[1] === 1;
    return tighten(bounded, placeVariable(search, first[0]), isLower, isLower ? least : -least, number);
  }
  return tighten(bounded, variableOfSum(search, terms), true, least, number);
}

function placeVariable({ alive }: Search, place: PlaceIndex): number {
  return alive.length + place;
}

function variableOfSum(search: Search, terms: Constraint["terms"]): number {
  const key = terms.join(";");
  const known = search.sums.get(key);
  if (known !== undefined) return known;
  const made = sumVariable(
    search.bounded,
    terms.map(([place, factor]) => [placeVariable(search, place), factor]),
  );
  search.sums.set(key, made);
  return made;
}

/** Factors of the constraints and of the places, by what each bound of the conflict says. */
function farkasStep({ constraints, alive, M }: Search, conflict: Conflict): EquationStep {
  const factors = new Map<number, number>();
  const weights = new Map<PlaceIndex, number>();
  const add = (to: Map<number, number>, key: number, value: number) =>
    to.set(key, (to.get(key) ?? 0) + value);
  for (const { variable, by, factor } of conflict) {
    if (by >= 0) {
      add(factors, by, factor);
      for (const [place, value] of constraints[by]!.terms) add(weights, place, -factor * value);
    } else if (variable >= alive.length && variable < alive.length + M.length) {
      add(weights, variable - alive.length, -factor);
    }
  }
  const weighted = [...weights].filter(([, weight]) => weight !== 0);
  return {
    kind: "farkas",
    constraints: [...factors.keys()],
    factors: [...factors.values()],
    places: weighted.map(([place]) => place),
    weights: weighted.map(([, weight]) => weight),
  };
}

/** Closes a case that has a rational solution: by a trap, by a clause that the solution breaks, or by a whole number of tokens. */
function close(search: Search, depth: number): Closing {
  const { net, M, goal, steps } = search;
  search.cases -= 1;
  if (depth > DEPTH_MAX || search.cases < 0) return { kind: "limit" };
  const tokens = M.map((own, place) => own + currentValue(search, placeVariable(search, place)));
  const deeper = (more: readonly Constraint[]) => assume(search, more, () => close(search, depth + 1));
  const trap = maximalTrap(net, (place) => tokens[place] === 0);
  if (trap.some((place) => M[place]! > 0)) {
    steps.push({ kind: "trap", places: trap });
    return deeper([{ terms: trap.map((place) => [place, 1]), atLeast: 1 }]);
  }
  const broken = brokenClause(goal, tokens);
  if (broken >= 0) {
    const clause = goal[broken]!;
    steps.push({ kind: "either", clause: broken });
    return firstOpen(clause, (constraint, index) =>
      deeper([constraint, ...clause.slice(0, index).map(opposite)]),
    );
  }
  const place = tokens.findIndex((value) => !Number.isInteger(value));
  if (place < 0) return { kind: "maybe", marking: tokens, firings: firingsOf(search) };
  const at = Math.floor(tokens[place]!);
  steps.push({ kind: "value", place, at });
  return firstOpen([hasAtMost(place, at), hasAtLeast(place, at + 1)], (constraint) => deeper([constraint]));
}

function firstOpen<T>(items: readonly T[], closing: (item: T, index: number) => Closing): Closing {
  for (const [index, item] of items.entries()) {
    const found = closing(item, index);
    if (found !== null) return found;
  }
  return null;
}

/** Of the clauses that the tokens break the shortest. */
function brokenClause(goal: Goal, tokens: readonly number[]): number {
  let best = -1;
  goal.forEach((clause, index) => {
    if (clause.some((constraint) => isTrue(constraint, tokens))) return;
    if (best < 0 || clause.length < goal[best]!.length) best = index;
  });
  return best;
}

function isTrue({ terms, atLeast }: Constraint, tokens: readonly number[]): boolean {
  return terms.reduce((sum, [place, factor]) => sum + factor * tokens[place]!, 0) >= atLeast;
}

/** The value of a variable; not exact where it is not whole, so it only guides. */
function currentValue({ bounded: { tableau } }: Search, variable: number): number {
  const row = tableau.place[variable]!;
  return row < 0 ? tableau.value[variable]! : tableau.numerator[row]! / tableau.scale[row]!;
}

function firingsOf(search: Search): readonly number[] | null {
  const firings = search.net.transitions.map(() => 0);
  search.alive.forEach((t, column) => {
    firings[t] = currentValue(search, column);
  });
  return firings.every(Number.isInteger) ? firings : null;
}
