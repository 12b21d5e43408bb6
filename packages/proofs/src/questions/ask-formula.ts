/** @module Formulas asked of a net: predicates of every marking, branching time, linear time with fairness. */
import type { Net, TransitionIndex } from "@tessera/core";
import { enabledTransitions, fireSequence } from "@tessera/core";
import type { Budget } from "../limits.ts";
import type { CheckOptions } from "../soundness.ts";
import type { Answer } from "./answer.ts";
import { statesSatisfying, statesWithin } from "./ctl.ts";
import { type Formula, formulaClass } from "./formula.ts";
import { budgetOf, runToState, type StateGraph, stateGraph } from "./graph.ts";
import { counterexample } from "./ltl.ts";
import { unknownIds } from "./predicate.ts";
import type { Question } from "./question.ts";

/**
 * A predicate holds if it does in every reachable marking; a CTL formula, in the initial marking; an LTL formula, for
 * every fair run from there. A marking that settles `EF p` or `AG p` does so before all markings were seen.
 */
export function askFormula(
  net: Net,
  question: Extract<Question, { readonly kind: "formula" }>,
  options: CheckOptions,
): Answer {
  const { formula } = question;
  const missing = [
    ...unknownIds(net, formula),
    ...missingTransitions(net, [...question.weak, ...question.strong]),
  ];
  if (missing.length > 0) return method(`the net has no ${missing.map((id) => `"${id}"`).join(", ")}`);
  const budget = budgetOf(options);
  const graph = stateGraph(net, options, budget);
  switch (formulaClass(formula)) {
    case "predicate":
      return askBranching(graph, { kind: "G", path: "A", of: formula }, budget);
    case "ctl":
      return askBranching(graph, formula, budget);
    case "ltl":
      return askLinear(graph, question, budget);
    case "mixed":
      return method("operators with and without A and E do not mix");
  }
}

function method(reason: string): Answer {
  return { kind: "unknown", limit: { kind: "method", reason } };
}

function askBranching(graph: StateGraph, formula: Formula, budget: Budget): Answer {
  const witness = settledBy(graph, formula);
  if (witness !== null) {
    const kind = formula.kind === "F" ? "holds" : "fails";
    return { kind, shown: { kind: "run", run: runToState(graph, witness) } };
  }
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  const labels = statesWithin(graph, formula, budget);
  if ("kind" in labels) return { kind: "unknown", limit: labels };
  return { kind: labels[0] === 1 ? "holds" : "fails", shown: { kind: "markings", states: graph.count } };
}

/** For EF of a predicate the first marking that satisfies it, for AG one that does not; null if none was seen. */
function settledBy(graph: StateGraph, formula: Formula): number | null {
  const isExists = formula.kind === "F" && formula.path === "E";
  const isAlways = formula.kind === "G" && formula.path === "A";
  if ((!isExists && !isAlways) || formulaClass(formula.of) !== "predicate") return null;
  const whole = { ...graph, limit: null };
  const found = statesOf(whole, formula.of).indexOf(isExists ? 1 : 0);
  return found < 0 ? null : found;
}

/** A predicate looks at markings alone, so no edges are needed. */
function statesOf(graph: StateGraph, predicate: Formula): Uint8Array {
  const { space } = graph;
  const edges = {
    ...space,
    expanded: space.store.count,
    edgeCount: 0,
    edgeStart: new Int32Array(space.store.count + 1),
  };
  return statesSatisfying({ ...graph, space: edges }, predicate);
}

function askLinear(
  graph: StateGraph,
  { formula, weak, strong }: Extract<Question, { readonly kind: "formula" }>,
  budget: Budget,
): Answer {
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  const { net } = graph;
  const fairness = { weak: indices(net, weak), strong: indices(net, strong) };
  const found = counterexample(graph, formula, fairness, budget);
  if (found !== null && "kind" in found) return { kind: "unknown", limit: found };
  if (found !== null) return { kind: "fails", shown: { kind: "lasso", lasso: found } };
  return { kind: "holds", shown: { kind: "markings", states: graph.count } };
}

function indices(net: Net, ids: readonly string[]): readonly TransitionIndex[] {
  return ids.map((id) => net.transitions.findIndex((t) => t.id === id));
}

function missingTransitions(net: Net, ids: readonly string[]): readonly string[] {
  return ids.filter((id) => !net.transitions.some((t) => t.id === id));
}

/** Does the lasso fire from the start, and does its loop lead back to where it began, or, if it is empty, nothing go on? */
export function isLasso(
  net: Net,
  { stem, loop }: { readonly stem: readonly TransitionIndex[]; readonly loop: readonly TransitionIndex[] },
): boolean {
  const before = fireSequence(net, net.initial, stem);
  if (before.kind !== "fired") return false;
  if (loop.length === 0) return enabledTransitions(net, before.marking).length === 0;
  const after = fireSequence(net, before.marking, loop);
  return after.kind === "fired" && after.marking.join() === before.marking.join();
}
