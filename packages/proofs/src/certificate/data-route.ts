/** @module Routing on plain data, read from the text of advance (D20.6); conditions that nobody decides answer as they like. */
import {
  arcOutcome,
  type CompiledWorkflow,
  type Condition,
  type Data,
  evaluateCondition,
  type Outcome,
  splitOf,
} from "@tessera/core";

/** What a condition answers. */
export type Answer = "true" | "false" | "error";

/** Answers a condition that is open. */
export type Oracle = () => Answer;

const ANSWERS: readonly Answer[] = ["true", "false", "error"];
/** Combinations of open answers that a checker goes through at one decision. */
const SCRIPTS_MAX = 20_000;

/** Thrown where a decision has more combinations of open answers than a checker goes through. */
export class TooManyAnswers extends Error {}

/**
 * What `ask` returns for each way in which open conditions can answer, each time anew: it is run with every script of
 * answers. Throws TooManyAnswers past 20,000 of them.
 */
export function underAllAnswers<T>(ask: (oracle: Oracle) => T): readonly T[] {
  const found: T[] = [];
  const script: number[] = [];
  for (;;) {
    let at = 0;
    found.push(
      ask(() => {
        if (at === script.length) script.push(0);
        at += 1;
        return ANSWERS[script[at - 1]!]!;
      }),
    );
    while (script.at(-1) === ANSWERS.length - 1) script.pop();
    const last = script.pop();
    if (last === undefined) return found;
    script.push(last + 1);
    if (found.length >= SCRIPTS_MAX) throw new TooManyAnswers();
  }
}

/** The answer of a condition (D4.8) where leaves of `open` are answered by the oracle. */
export function answerOf(
  condition: Condition,
  data: Data,
  open: ReadonlySet<Condition>,
  oracle: Oracle,
): Answer {
  switch (condition.kind) {
    case "not": {
      const inner = answerOf(condition.condition, data, open, oracle);
      return inner === "error" ? "error" : inner === "true" ? "false" : "true";
    }
    case "all":
    case "any": {
      const goesOn = condition.kind === "all" ? "true" : "false";
      for (const part of condition.conditions) {
        const answer = answerOf(part, data, open, oracle);
        if (answer !== goesOn) return answer;
      }
      return goesOn;
    }
    default: {
      if (open.has(condition)) return oracle();
      const answer = evaluateCondition(condition, data);
      return answer.kind === "error" ? "error" : answer.value ? "true" : "false";
    }
  }
}

/** The arcs that the node takes under the outcome on the data; null where there are none or a guard has no answer. */
export function routeOn(
  { definition, graph }: CompiledWorkflow,
  guards: readonly (Condition | null)[],
  node: number,
  outcome: Outcome,
  ask: (guard: Condition) => Answer,
): readonly number[] | null {
  const under = graph.outgoing[node]!.filter((arc) => arcOutcome(definition.arcs[arc]!) === outcome);
  const split = splitOf(definition.nodes[node]!, outcome);
  // Arcs of an AND split have no guards, and none is a default: all hold.
  const holding: number[] = [];
  for (const arc of under) {
    if (definition.arcs[arc]!.default === true) continue;
    const guard = guards[arc] ?? null;
    const answer = guard === null ? "true" : ask(guard);
    if (answer === "error") return null;
    if (answer === "true") holding.push(arc);
    if (answer === "true" && split === "first") break;
  }
  const otherwise = under.filter((arc) => definition.arcs[arc]!.default === true);
  const taken = holding.length > 0 ? holding : otherwise;
  return taken.length > 0 ? taken : null;
}
