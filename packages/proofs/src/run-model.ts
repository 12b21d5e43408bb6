/** @module The model of a run: where it may rest after what was answered, by the token game of its definition alone. */
import {
  type Compiled,
  enabledTransitions,
  fire,
  invariant,
  isFinal,
  type Marking,
  type Outcome,
  type TransitionIndex,
} from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";

/** An answer that was given at a node, by index. `outcomes`: the labels that it may come to; certain: it counts. */
export interface ModelAnswer {
  readonly node: number;
  readonly outcomes: readonly Outcome[];
  readonly isCertain: boolean;
}

/** What has come to a run. `isFree`: outcomes that may have come any number of times: of the clock, of called runs. */
export interface ModelInput {
  readonly answers: readonly ModelAnswer[];
  readonly isFree: (node: number, outcome: Outcome) => boolean;
}

/**
 * Where the run may be. `rests`: markings in which nothing goes on by itself and every certain answer was taken;
 * `passed`: all that were met, for a run that was stopped on its way. Or the limit that the search has met.
 */
export type ModelMarkings =
  | { readonly kind: "markings"; readonly rests: readonly Marking[]; readonly passed: readonly Marking[] }
  | { readonly kind: "unknown"; readonly limit: "states"; readonly at: number };

/** A model. `after`: from any of the markings `from`, searching at most `statesMax` states. */
export interface RunModel {
  readonly initial: Marking;
  readonly after: (from: readonly Marking[], input: ModelInput, statesMax: number) => ModelMarkings;
}

/**
 * The model of the runs of `compiled`: it plays the net by the plain firing rule and knows neither data nor the engine.
 * Guards and functions are free choices, answers are counted: at most once each, a certain one exactly once. At most 30
 * answers at a time (else InvariantViolation). Cost: the states between two rests, each with a look at every transition.
 *
 * @definition D26.1
 */
export function runModel(compiled: Compiled): RunModel {
  const { net } = compiled;
  const rules = orJoinRules(compiled);
  const after: RunModel["after"] = (from, { answers, isFree }, statesMax) => {
    invariant(answers.length <= ANSWERS_MAX, "D26.1", () => ({ answers: answers.length }));
    const certain = answers.reduce((bits, { isCertain }, at) => (isCertain ? bits | (1 << at) : bits), 0);
    const seen = new Map<string, State>();
    const queue: State[] = [];
    const meet = (state: State): void => {
      const key = `${state.taken}/${state.marking.join()}`;
      if (seen.has(key)) return;
      seen.set(key, state);
      queue.push(state);
    };
    for (const marking of from) meet({ marking, taken: 0 });
    const rests: Marking[] = [];
    for (const state of queue) {
      if (seen.size > statesMax) return { kind: "unknown", limit: "states", at: statesMax };
      const { marking, taken } = state;
      const enabled = enabledTransitions(net, marking, rules);
      const mayEnd = compiled.kind === "net" && isFinal(net, marking);
      const isRest = mayEnd || enabled.every((t) => isAnswered(compiled, t));
      if (isRest && (taken & certain) === certain) rests.push(marking);
      for (const t of enabled) {
        const next = fire(net, marking, t, rules);
        if (next.kind !== "fired") continue;
        for (const then of takenBy(compiled, t, taken, answers, isFree))
          meet({ marking: next.marking, taken: then });
      }
    }
    return {
      kind: "markings",
      rests: distinct(rests),
      passed: distinct([...seen.values()].map(({ marking }) => marking)),
    };
  };
  return { initial: net.initial, after };
}

/** A marking, and the answers that led to it, as bits. */
interface State {
  readonly marking: Marking;
  readonly taken: number;
}

const ANSWERS_MAX = 30;

/** Does the transition wait for somebody? Only what resolves an item, or comes beside one, does. */
function isAnswered({ net }: Compiled, t: TransitionIndex): boolean {
  const phase = net.transitions[t]?.origin?.phase;
  return phase === "finish" || phase === "trigger";
}

/** The answers that were taken once `t` has fired, for each way to account for it; none: it may not fire. */
function takenBy(
  compiled: Compiled,
  t: TransitionIndex,
  taken: number,
  answers: readonly ModelAnswer[],
  isFree: ModelInput["isFree"],
): readonly number[] {
  if (!isAnswered(compiled, t)) return [taken];
  const { node = -1, outcome = "" } = compiled.net.transitions[t]?.origin ?? {};
  const given = answers.flatMap((answer, at) => {
    const fits = answer.node === node && answer.outcomes.includes(outcome) && ((taken >> at) & 1) === 0;
    return fits ? [taken | (1 << at)] : [];
  });
  return isFree(node, outcome) ? [taken, ...given] : given;
}

function distinct(markings: readonly Marking[]): readonly Marking[] {
  return [...new Map(markings.map((marking) => [marking.join(), marking])).values()];
}
