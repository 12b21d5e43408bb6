/** @module The product of a net with its cases built again, plainly, and sets of its states, for checkers. */
import { canonicalJson, type Data, isFinal } from "@tessera/core";
import type { PlainState, World } from "./data-frame.ts";
import type { PlainStep } from "./data-leave.ts";
import { stepsAt } from "./data-steps.ts";

/** The target of a step after which the run has failed. */
export const FAILED = -1;

/** A step with the states that it can lead to; none where every answer is refused. */
export interface Taken extends PlainStep {
  readonly targets: readonly number[];
}

/** All states of which the first `initial` are those in which a run can start, and their steps. */
export interface PlainProduct {
  readonly states: readonly PlainState[];
  readonly initial: number;
  readonly steps: readonly (readonly Taken[])[];
}

/** The product from the initial marking with every case; null past `statesMax` states. */
export function productOf(world: World, cases: readonly Data[], statesMax: number): PlainProduct | null {
  const states: PlainState[] = [];
  const numbers = new Map<string, number>();
  const numberOf = ({ marking, data, open }: PlainState): number => {
    const name = `${marking.join()} ${open.join()} ${canonicalJson(data)}`;
    const known = numbers.get(name) ?? states.length;
    if (known === states.length) states.push({ marking, data, open });
    numbers.set(name, known);
    return known;
  };
  const open = world.beside.map(() => 0);
  for (const data of cases) numberOf({ marking: world.program.net.initial, data, open });
  const initial = states.length;
  const steps: (readonly Taken[])[] = [];
  for (let state = 0; state < states.length; state += 1) {
    if (states.length > statesMax) return null;
    steps.push(
      stepsAt(world, states[state]!).map((step): Taken => {
        const isRefused = step.results.every(({ kind }) => kind === "refused");
        const targets = step.results.map((result) => {
          if (result.kind === "failed") return FAILED;
          return result.kind === "refused" ? state : numberOf(result);
        });
        return { ...step, targets: isRefused ? [] : targets };
      }),
    );
  }
  return { states, initial, steps };
}

/** Does the step lead to one state for certain, in the order of the engine? */
export function isCertain({ isOrdered, isPlayable, isProvision, targets }: Taken): boolean {
  return isOrdered && isPlayable && !isProvision && targets.length === 1;
}

/** The states that are reached by steps that `takes` accepts. */
export function reachedBy(product: PlainProduct, takes: (step: Taken) => boolean): ReadonlySet<number> {
  return followed(
    product,
    Array.from({ length: product.initial }, (_, state) => state),
    takes,
  );
}

/** The states that follow on `from` by steps that `takes` accepts, `from` included. */
export function followed(
  { steps }: PlainProduct,
  from: readonly number[],
  takes: (step: Taken) => boolean,
): ReadonlySet<number> {
  const seen = new Set(from);
  for (const state of seen)
    for (const step of steps[state]!)
      if (takes(step)) for (const target of step.targets) if (target !== FAILED) seen.add(target);
  return seen;
}

/**
 * The states from which the world can bring about a goal, or the failure of the run (D23.4): all results of a sure step
 * of the engine are such, or, `atBest`, some result of a step of the engine is.
 */
export function completing(
  { states, steps }: PlainProduct,
  isGoal: (state: number) => boolean,
  atBest: boolean,
): ReadonlySet<number> {
  const found = new Set([...states.keys()].filter(isGoal));
  const isIn = (target: number) => target === FAILED || found.has(target);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (let state = states.length - 1; state >= 0; state -= 1) {
      const leads = steps[state]!.some(({ isOrdered, isSure, isProvision, targets }) => {
        if (!isOrdered || isProvision || targets.length === 0) return false;
        return atBest ? targets.some(isIn) : isSure && targets.every(isIn);
      });
      if (leads) found.add(state);
    }
  }
  return found;
}

/** The final states. */
export function isFinalIn(
  world: Pick<World, "program">,
  { states }: PlainProduct,
): (state: number) => boolean {
  return (state) => isFinal(world.program.net, states[state]!.marking);
}
