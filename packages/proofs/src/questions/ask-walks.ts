/** @module Questions that a run answers, or a few. */
import type { Net } from "@tessera/core";
import type { Answer } from "./answer.ts";
import type { Question } from "./question.ts";
import { type WalkGoal, type WalkOptions, walksFor } from "./walks.ts";

/**
 * The answer that walks show: deadlock-free and live fail with a run to a marking that enables nothing (T22.3), safe and bounds with one
 * to too many tokens, stable-place with runs that change each place; quasi-live holds with runs along which each transition is enabled. Null
 * where none were found, or no run can answer.
 */
export function byWalks(net: Net, question: Question, options: WalkOptions): Answer | null {
  const goal = goalOf(net, question);
  const runs = goal === null ? null : walksFor(net, goal, options);
  const [run] = runs ?? [];
  if (goal === null || runs === null || run === undefined) return null;
  switch (goal.kind) {
    case "dead":
    case "above":
      return { kind: "fails", shown: { kind: "run", run: runs.at(-1)! } };
    case "changed":
      return { kind: "fails", shown: { kind: "changes", runs } };
    case "enabled":
      return { kind: "holds", shown: { kind: "enables", runs } };
  }
}

function goalOf(net: Net, question: Question): WalkGoal | null {
  switch (question.kind) {
    case "deadlock-free":
      return { kind: "dead" };
    case "live":
      return net.transitions.length > 0 ? { kind: "dead" } : null;
    case "safe":
      return { kind: "above", tokens: 1 };
    case "k-bounded":
      return { kind: "above", tokens: question.k };
    case "stable-place":
      return { kind: "changed" };
    case "quasi-live":
      return { kind: "enabled" };
    default:
      return null;
  }
}
