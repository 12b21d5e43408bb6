/** @module How the leaves of a group can answer together: a solver names data until there are no others. */
import type { ConditionEnvironment, Data } from "@tessera/core";
import { isOfType } from "../data-level/conditions-read.ts";
import { type AnswerGroup, leafAnswer } from "../data-level/told-answers.ts";
import type { Limit } from "../verdict.ts";
import { and, type Encoded, encodeGuard, not, or, type Vocabulary, vocabularyOf } from "./encode.ts";
import type { LeafGroup } from "./groups.ts";
import { dataOfModel, problemOf } from "./problem.ts";
import type { SolverClock } from "./solver-clock.ts";

/** The group with its combinations and the last question, to which the solver said that there are no others; or why not. */
export type Combined =
  | { readonly kind: "combined"; readonly group: AnswerGroup; readonly smtlib: string }
  | { readonly kind: "undecided"; readonly limit: Limit };

/** Combinations of one group that are told apart at most. */
const COMBINATIONS_MAX = 64;

/**
 * Every combination of answers that data in the range give. Each was seen on data by the evaluator; that there are no others
 * is the solver's word.
 */
export async function combinationsOf(
  group: LeafGroup,
  declared: Vocabulary["declared"],
  environment: ConditionEnvironment,
  { read, ask }: SolverClock,
): Promise<Combined> {
  const vocabulary = vocabularyOf(declared, read);
  const leaves = group.leaves.map((leaf) => encodeGuard(vocabulary, leaf)!);
  const seen: string[] = [];
  for (;;) {
    const problem = problemOf(vocabulary, and(seen.map((one) => not(saysAll(leaves, one)))));
    const answer = await ask(problem.body);
    if (answer.kind === "unsat")
      return { kind: "combined", group: { ...group, combinations: seen }, smtlib: problem.text };
    if (answer.kind === "undecided") return answer;
    const data = dataOfModel(vocabulary, answer.model);
    const isIn = [...vocabulary.variables.values()].every(({ key, type }) => isOfType(data[key]!, type));
    const found = group.leaves.map((leaf) => leafAnswer(leaf, data, environment)).join("");
    if (!isIn || seen.includes(found)) return undecided(unconfirmed(data));
    seen.push(found);
    if (seen.length > COMBINATIONS_MAX)
      return undecided(`more than ${COMBINATIONS_MAX} combinations of answers of guards`);
  }
}

/** The leaves answer as the combination says. */
export function saysAll(leaves: readonly Encoded[], combination: string): string {
  return and(leaves.map((leaf, at) => says(leaf, combination[at]!)));
}

function says({ truth, error }: Encoded, answer: string): string {
  if (answer === "e") return error;
  return answer === "t" ? and([truth, not(error)]) : not(or([truth, error]));
}

function undecided(reason: string): Combined {
  return { kind: "undecided", limit: { kind: "method", reason } };
}

function unconfirmed(data: Data): string {
  return `the solver names data on which the guards answer otherwise: ${JSON.stringify(data)}`;
}
