/** @module What the state equation answers where a search ends at its limits. */
import type { Net, PlaceIndex } from "@tessera/core";
import { deadGoal, enabledGoal, hasAtLeast, hasAtMost } from "../certificate/goal.ts";
import { type AskedGoals, askedGoals } from "../certificate/question-goals.ts";
import { DEFAULT_LIMITS, startBudget } from "../limits.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import { hasHugeNumbers } from "../soundness.ts";
import { type NeverProver, neverProver } from "../state-equation/never.ts";
import type { EquationStep, Limit } from "../verdict.ts";
import type { Answer, AskOptions } from "./answer.ts";
import { byCommoner } from "./ask-siphons.ts";
import { deadlockFreeBySets } from "./ask-stubborn.ts";
import { byWalks } from "./ask-walks.ts";
import type { Question } from "./question.ts";

/** Markings that are searched before the state equation is asked. */
const STATES_BEFORE_EQUATION = 20_000;

/** Firings of walks: before the equation is asked (too many tokens are met soon), and where it says what might fire. */
const STEPS_BEFORE_EQUATION = 300_000;
const STEPS_TO_TOKENS = 50_000;
const STEPS_FOR_STATE = 20;
const STEPS_BY_EQUATION = 100_000;

/** The part of the time that walks, and stubborn sets, may take. */
const SHARE_OF_WALKS = 0.3;
const SHARE_OF_SETS = 0.6;

/** Transitions and places are many: little work for each. */
const WORK_FOR_ONE = 4_000_000;

/**
 * The answer of a short search, else of walks, of the state equation, of stubborn sets, else of the search to its limits. Nets with few markings
 * never come to these, and nets of other classes are only searched.
 */
export function inStages(
  net: Net,
  question: Question,
  options: AskOptions,
  search: (options: AskOptions) => Answer,
): Answer {
  if (!isMonotone(net) || hasHugeNumbers(net)) return search(options);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const now = options.now ?? (() => performance.now());
  const budget = startBudget(limits, now, options.signal ?? null);
  const start = now();
  const statesMax = Math.min(limits.statesMax, STATES_BEFORE_EQUATION);
  const short = search({ ...options, limits: { ...limits, statesMax } });
  if (short.kind !== "unknown" || short.limit.kind === "method" || short.limit.kind === "no-finals")
    return short;
  if (budget.exhausted(statesMax) !== null) return short;
  const leftMs = () => Math.max(0, limits.timeoutMs - (now() - start));
  const until = (share: number) => {
    const least = leftMs() * (1 - share);
    return () => budget.exhausted(statesMax) !== null || leftMs() < least;
  };
  const isOfTokens = question.kind === "safe" || question.kind === "k-bounded";
  const most = isOfTokens ? STEPS_TO_TOKENS : STEPS_BEFORE_EQUATION;
  const stepsMax = Math.min(most, STEPS_FOR_STATE * limits.statesMax);
  const found =
    byWalks(net, question, { stepsMax, isOver: until(SHARE_OF_WALKS) }) ??
    byEquation(net, question, () => budget.exhausted(statesMax));
  if (found !== null) return found;
  if (question.kind === "deadlock-free") {
    const ended = deadlockFreeBySets(net, { ...limits, isOver: until(SHARE_OF_SETS) });
    if (ended !== null) return ended;
  }
  if (limits.statesMax === statesMax || short.limit.kind !== "states") return short;
  return search({ ...options, limits: { ...limits, timeoutMs: leftMs() } });
}

function byEquation(net: Net, question: Question, exhausted: () => Limit | null): Answer | null {
  const isOver = () => exhausted() !== null;
  const prover = neverProver(net, net.initial, { isOver });
  if (question.kind === "quasi-live") return deadTransition(net, prover, isOver);
  if (question.kind === "live")
    return (
      byCommoner(net, "live", { exhausted }) ??
      guided(net, question, { verdict: "holds", goals: [deadGoal(net)] }, prover, isOver) ??
      deadTransition(net, prover, isOver)
    );
  if (question.kind === "stable-place") return stablePlace(net, prover);
  const asked = askedGoals(net, question);
  if (asked === null) return null;
  const found = neverIn(asked, prover) ?? guided(net, question, asked, prover, isOver);
  if (found !== null || question.kind !== "deadlock-free") return found;
  return byCommoner(net, "deadlock-free", { exhausted });
}

/** Walks that fire what the equation says, where it has a solution for a goal. */
function guided(
  net: Net,
  question: Question,
  { goals }: AskedGoals,
  prover: NeverProver,
  isOver: () => boolean,
): Answer | null {
  for (const goal of goals) {
    const solution = prover(goal);
    if (solution.kind !== "maybe" || solution.firings === null) continue;
    const { firings } = solution;
    const found = byWalks(net, question, { stepsMax: STEPS_BY_EQUATION, isOver, firings });
    if (found !== null) return found;
  }
  return null;
}

/** No reachable marking is in what is asked, by the state equation. */
export function neverIn(asked: AskedGoals, prover: NeverProver): Answer | null {
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

/** A place, of those given or of all, that never has more or fewer tokens than at the start. */
export function stablePlace(
  net: Net,
  prover: NeverProver,
  among: readonly PlaceIndex[] = [...net.places.keys()],
): Answer | null {
  for (const place of among) {
    const tokens = net.initial[place]!;
    const found = prover([[hasAtLeast(place, tokens + 1), hasAtMost(place, tokens - 1)]], WORK_FOR_ONE);
    if (found.kind !== "never") continue;
    const certificate = { kind: "state-equation", proofs: [found.steps] } as const;
    return { kind: "holds", shown: { kind: "places", places: [place], certificate } };
  }
  return null;
}
