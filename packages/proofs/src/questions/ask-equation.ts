/** @module What the state equation answers where a search ends at its limits. */
import type { Net } from "@tessera/core";
import { enabledGoal, hasAtLeast, hasAtMost } from "../certificate/goal.ts";
import { askedGoals } from "../certificate/question-goals.ts";
import { DEFAULT_LIMITS, startBudget } from "../limits.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import { type NeverProver, neverProver } from "../state-equation/never.ts";
import type { EquationStep } from "../verdict.ts";
import type { Answer, AskOptions } from "./answer.ts";
import type { Question } from "./question.ts";

/** Markings that are searched before the state equation is asked. */
const STATES_BEFORE_EQUATION = 20_000;

/** Transitions and places are many: little work for each. */
const WORK_FOR_ONE = 4_000_000;

/**
 * The answer of a short search, else of the state equation, else of the search to its limits. Nets with few markings never come
 * to the equation, and nets of other classes are only searched.
 */
export function inStages(
  net: Net,
  question: Question,
  options: AskOptions,
  search: (options: AskOptions) => Answer,
): Answer {
  if (!isMonotone(net)) return search(options);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const now = options.now ?? (() => performance.now());
  const budget = startBudget(limits, now, options.signal ?? null);
  const start = now();
  const statesMax = Math.min(limits.statesMax, STATES_BEFORE_EQUATION);
  const short = search({ ...options, limits: { ...limits, statesMax } });
  if (short.kind !== "unknown" || short.limit.kind === "method" || short.limit.kind === "no-finals")
    return short;
  if (budget.exhausted(statesMax) !== null) return short;
  const found = byEquation(net, question, () => budget.exhausted(statesMax) !== null);
  if (found !== null) return found;
  if (limits.statesMax === statesMax || short.limit.kind !== "states") return short;
  const timeoutMs = Math.max(0, limits.timeoutMs - (now() - start));
  return search({ ...options, limits: { ...limits, timeoutMs } });
}

function byEquation(net: Net, question: Question, isOver: () => boolean): Answer | null {
  const prover = neverProver(net, net.initial, { isOver });
  if (question.kind === "quasi-live" || question.kind === "live") return deadTransition(net, prover, isOver);
  if (question.kind === "stable-place") return stablePlace(net, prover);
  const asked = askedGoals(net, question);
  if (asked === null) return null;
  const proofs: (readonly EquationStep[])[] = [];
  for (const goal of asked.goals) {
    const found = prover(goal);
    if (found.kind !== "never") return null;
    proofs.push(found.steps);
  }
  return { kind: asked.verdict, shown: { kind: "never", certificate: { kind: "state-equation", proofs } } };
}

/** A transition that never fires refutes quasi-liveness and liveness. */
function deadTransition(net: Net, prover: NeverProver, isOver: () => boolean): Answer | null {
  for (const [transition, t] of net.transitions.entries()) {
    if (isOver()) return null;
    const found = prover(enabledGoal(t), WORK_FOR_ONE);
    if (found.kind !== "never") continue;
    const dead = [{ element: { kind: "transition", transition }, transitions: [transition] } as const];
    const certificate = { kind: "state-equation", proofs: [found.steps] } as const;
    return { kind: "fails", shown: { kind: "evidence", evidence: { kind: "E3", dead, certificate } } };
  }
  return null;
}

/** A place that never has more or fewer tokens than at the start. */
function stablePlace(net: Net, prover: NeverProver): Answer | null {
  for (const [place, tokens] of net.initial.entries()) {
    const found = prover([[hasAtLeast(place, tokens + 1), hasAtMost(place, tokens - 1)]], WORK_FOR_ONE);
    if (found.kind === "never") return { kind: "holds", shown: { kind: "places", places: [place] } };
  }
  return null;
}
