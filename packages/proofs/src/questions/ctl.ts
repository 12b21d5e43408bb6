/** @module Branching time over a whole state graph: the states where a formula holds, by labelling. */
import { unreachable } from "@tessera/core";
import type { Budget } from "../limits.ts";
import type { ReverseEdges } from "../state-space.ts";
import type { Limit } from "../verdict.ts";
import { type Formula, partsOf } from "./formula.ts";
import { backwards, reaches, type StateGraph, statesWhere, targetsOf } from "./graph.ts";
import { testOf } from "./predicate.ts";

/**
 * 1 for the states where the formula holds. Runs are maximal: they end only where nothing is enabled. In such a state X
 * is false under E and true under A. Cost: for each operator linear in the edges.
 *
 * @definition D22.3
 */
export function statesSatisfying(graph: StateGraph, formula: Formula): Uint8Array {
  return labels(graph, formula, () => null) as Uint8Array;
}

/** The same within limits: the clock is looked at before each operator. */
export function statesWithin(graph: StateGraph, formula: Formula, budget: Budget): Uint8Array | Limit {
  return labels(graph, formula, () => budget.exhausted(graph.count));
}

/** The parts of the formula from the innermost one; kept are the labels of those whose operator comes later. */
function labels(graph: StateGraph, formula: Formula, over: () => Limit | null): Uint8Array | Limit {
  const reverse = backwards(graph);
  const waiting: Uint8Array[] = [];
  for (const part of innermostFirst(formula)) {
    const limit = over();
    if (limit !== null) return limit;
    const below = partsOf(part);
    const known = waiting.splice(waiting.length - below.length);
    waiting.push(label(graph, reverse, part, (one) => known[below.indexOf(one)]!));
  }
  return waiting[0]!;
}

function innermostFirst(formula: Formula): readonly Formula[] {
  return [...partsOf(formula).flatMap(innermostFirst), formula];
}

function label(
  graph: StateGraph,
  reverse: ReverseEdges,
  formula: Formula,
  of: (part: Formula) => Uint8Array,
): Uint8Array {
  switch (formula.kind) {
    case "not":
      return not(of(formula.of));
    case "and":
      return zip(of(formula.left), of(formula.right), (p, q) => p & q);
    case "or":
      return zip(of(formula.left), of(formula.right), (p, q) => p | q);
    case "implies":
      return zip(of(formula.left), of(formula.right), (p, q) => (1 - p) | q);
    case "X":
      return formula.path === "E" ? before(graph, of(formula.of)) : not(before(graph, not(of(formula.of))));
    case "F":
      return formula.path === "E"
        ? reaches(graph, of(formula.of), reverse)
        : not(staying(graph, reverse, not(of(formula.of))));
    case "G":
      return formula.path === "E"
        ? staying(graph, reverse, of(formula.of))
        : not(reaches(graph, not(of(formula.of)), reverse));
    case "U": {
      const [p, q] = [of(formula.left), of(formula.right)];
      if (formula.path === "E") return someUntil(reverse, p, q);
      // A(p U q): no run on which q never holds, and none that leaves p before q.
      const notQ = not(q);
      const broken = someUntil(
        reverse,
        notQ,
        zip(notQ, not(p), (a, b) => a & b),
      );
      return not(zip(broken, staying(graph, reverse, notQ), (a, b) => a | b));
    }
    case "compare":
    case "enabled":
    case "deadlock":
    case "final":
    case "true":
    case "false":
      return statesWhere(graph, testOf(graph.net, formula, graph.space.rules));
    default:
      return unreachable(formula);
  }
}

/** EX: some successor is in `states`. */
function before(graph: StateGraph, states: Uint8Array): Uint8Array {
  return Uint8Array.from(states, (_, state) =>
    targetsOf(graph, state).some((to) => states[to] === 1) ? 1 : 0,
  );
}

/** E(p U q): backwards from q through p. */
function someUntil({ start, source }: ReverseEdges, p: Uint8Array, q: Uint8Array): Uint8Array {
  const found = Uint8Array.from(q);
  const stack: number[] = [];
  found.forEach((is, state) => {
    if (is === 1) stack.push(state);
  });
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (let edge = start[state]!; edge < start[state + 1]!; edge += 1) {
      const from = source[edge]!;
      if (found[from] === 1 || p[from] === 0) continue;
      found[from] = 1;
      stack.push(from);
    }
  }
  return found;
}

/** EG p: states of p are struck out while all their successors are, unless they have none. */
function staying(graph: StateGraph, { start, source }: ReverseEdges, p: Uint8Array): Uint8Array {
  const found = Uint8Array.from(p);
  const left = Int32Array.from(p, (_, state) => targetsOf(graph, state).length);
  const isDead = Uint8Array.from(left, (edges) => (edges === 0 ? 1 : 0));
  const stack: number[] = [];
  found.forEach((is, state) => {
    if (is === 0) stack.push(state);
  });
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (let edge = start[state]!; edge < start[state + 1]!; edge += 1) {
      const from = source[edge]!;
      left[from]! -= 1;
      if (left[from] !== 0 || found[from] === 0 || isDead[from] === 1) continue;
      found[from] = 0;
      stack.push(from);
    }
  }
  return found;
}

function not(states: Uint8Array): Uint8Array {
  return states.map((is) => 1 - is);
}

function zip(left: Uint8Array, right: Uint8Array, join: (p: number, q: number) => number): Uint8Array {
  return left.map((p, state) => join(p, right[state]!));
}
