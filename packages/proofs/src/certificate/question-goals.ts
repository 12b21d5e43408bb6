/** @module What a question asks to be unreachable: for formulas by their clauses. */
import type { Net } from "@tessera/core";
import { type Formula, formulaClass, type Sum } from "../questions/formula.ts";
import { unknownIds } from "../questions/predicate.ts";
import type { Question } from "../questions/question.ts";
import {
  type Clause,
  type Constraint,
  deadGoal,
  disabledClause,
  enabledGoal,
  finalGoals,
  type Goal,
  moreThanGoal,
  notFinalGoal,
} from "./goal.ts";

/** Formulas with more clauses are left to the search. */
const CLAUSES_MAX = 500;

/** The verdict if no reachable marking is in one of the goals. */
export interface AskedGoals {
  readonly verdict: "holds" | "fails";
  readonly goals: readonly Goal[];
}

/** What must be unreachable for an answer; null where that is not how the question is answered, or it takes too many clauses. */
export function askedGoals(net: Net, question: Question): AskedGoals | null {
  switch (question.kind) {
    case "safe":
      return { verdict: "holds", goals: [moreThanGoal([...net.places.keys()], 1)] };
    case "k-bounded":
      return { verdict: "holds", goals: [moreThanGoal([...net.places.keys()], question.k)] };
    case "deadlock-free":
      return { verdict: "holds", goals: [deadGoal(net)] };
    case "easy-sound":
      return { verdict: "fails", goals: finalGoals(net) };
    case "formula":
      return formulaGoals(net, question.formula);
    default:
      return null;
  }
}

function formulaGoals(net: Net, formula: Formula): AskedGoals | null {
  const isExists = formula.kind === "F" && formula.path === "E";
  const isAlways = formula.kind === "G" && formula.path === "A";
  const inner = isExists || isAlways ? formula.of : formula;
  if (formulaClass(inner) !== "predicate" || unknownIds(net, inner).length > 0) return null;
  const goal = clausesOf(net, inner, isExists);
  return goal === null ? null : { verdict: isExists ? "fails" : "holds", goals: [goal] };
}

/** The clauses of a predicate, or of its negation. */
function clausesOf(net: Net, formula: Formula, isTrue: boolean): Goal | null {
  switch (formula.kind) {
    case "true":
      return isTrue ? [] : [[]];
    case "false":
      return isTrue ? [[]] : [];
    case "not":
      return clausesOf(net, formula.of, !isTrue);
    case "and":
    case "or":
    case "implies": {
      const left = clausesOf(net, formula.left, formula.kind === "implies" ? !isTrue : isTrue);
      const right = clausesOf(net, formula.right, isTrue);
      return (formula.kind === "and") === isTrue ? both(left, right) : oneOf(left, right);
    }
    case "compare":
      return comparison(net, formula, isTrue);
    case "enabled": {
      const t = net.transitions.find(({ id }) => id === formula.transition);
      if (t === undefined) return null;
      return isTrue ? enabledGoal(t) : [disabledClause(t)];
    }
    case "deadlock": {
      if (isTrue) return deadGoal(net);
      return net.transitions.map(enabledGoal).reduce<Goal | null>(oneOf, [[]]);
    }
    case "final":
      return isTrue ? finalGoals(net).reduce<Goal | null>(oneOf, [[]]) : notFinalGoal(net);
    default:
      return null;
  }
}

function both(left: Goal | null, right: Goal | null): Goal | null {
  return left === null || right === null ? null : few([...left, ...right]);
}

function oneOf(left: Goal | null, right: Goal | null): Goal | null {
  if (left === null || right === null || left.length * right.length > CLAUSES_MAX) return null;
  return few(left.flatMap((one) => right.map((other): Clause => [...one, ...other])));
}

function few(goal: Goal): Goal | null {
  return goal.length > CLAUSES_MAX ? null : goal;
}

function comparison(
  net: Net,
  { left, comparison: sign, right }: Extract<Formula, { readonly kind: "compare" }>,
  isTrue: boolean,
): Goal {
  const atLeast = (one: Sum, other: Sum, more: number): Constraint => difference(net, one, other, more);
  const [more, less] = [atLeast(left, right, 1), atLeast(right, left, 1)];
  const [notLess, notMore] = [atLeast(left, right, 0), atLeast(right, left, 0)];
  switch (sign) {
    case "<":
      return [[isTrue ? less : notLess]];
    case "<=":
      return [[isTrue ? notMore : more]];
    case "=":
      return isTrue ? [[notLess], [notMore]] : [[more, less]];
    case "!=":
      return isTrue ? [[more, less]] : [[notLess], [notMore]];
    case ">=":
      return [[isTrue ? notLess : less]];
    case ">":
      return [[isTrue ? more : notMore]];
  }
}

/** `one` is `other` and at least `more`; terms of one place are put together. */
function difference(net: Net, one: Sum, other: Sum, more: number): Constraint {
  const factors = new Map<number, number>();
  const add = ({ terms }: Sum, sign: number) => {
    for (const [id, factor] of terms) {
      const place = net.places.findIndex((candidate) => candidate.id === id);
      factors.set(place, (factors.get(place) ?? 0) + sign * factor);
    }
  };
  add(one, 1);
  add(other, -1);
  const terms = [...factors].filter(([, factor]) => factor !== 0);
  return { terms, atLeast: other.constant - one.constant + more };
}
