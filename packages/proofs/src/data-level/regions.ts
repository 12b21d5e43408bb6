/** @module Sets of states of the product: what is reached for sure, what may be reached, from where completion is. */
import { FAILED, type Product, type ProductChoice } from "./product.ts";

/** How a state was first reached: from which one, by which of its choices. */
export interface Step {
  readonly from: number;
  readonly choice: ProductChoice;
}

/**
 * The states that runs of the engine reach for certain, whatever open conditions answer, each with its last step; null
 * where a run starts; undefined where nothing leads for certain.
 */
export function certain({ states, initial, choices }: Product): readonly (Step | null | undefined)[] {
  const last = states.map((_, state): Step | null | undefined => (state < initial ? null : undefined));
  const queue = Array.from({ length: initial }, (_, state) => state);
  for (const state of queue) {
    for (const choice of choices[state] ?? []) {
      const [target] = choice.targets;
      if (target === undefined || target === FAILED || !isCertain(choice) || last[target] !== undefined)
        continue;
      last[target] = { from: state, choice };
      queue.push(target);
    }
  }
  return last;
}

/** Does the choice lead to one state for certain, in the order of the engine? */
export function isCertain({ isOrdered, choice, targets }: ProductChoice): boolean {
  return isOrdered && choice.isPlayable && !choice.isProvision && targets.length === 1;
}

/** The states that may be reached by choices that `takes` accepts, whatever open conditions answer. */
export function possible(
  { states, initial, choices }: Product,
  takes: (choice: ProductChoice) => boolean,
): readonly boolean[] {
  const isReached = states.map((_, state) => state < initial);
  const queue = Array.from({ length: initial }, (_, state) => state);
  for (const state of queue) {
    for (const choice of choices[state] ?? []) {
      if (!takes(choice)) continue;
      for (const target of choice.targets) {
        if (target === FAILED || isReached[target] === true) continue;
        isReached[target] = true;
        queue.push(target);
      }
    }
  }
  return isReached;
}

/**
 * The states from which the world can bring about a final marking, or the failure of the run, in the order of the
 * engine. `hopes`: open conditions answer as is best; otherwise whatever they answer.
 *
 * @definition D23.4
 */
export function completing(product: Product, hopes: boolean): readonly boolean[] {
  return leadingTo(
    product,
    product.states.map(({ facts }) => facts.isFinal),
    hopes,
  );
}

/** The states from which the world can bring about one of `goals`, or the failure of the run. */
export function leadingTo(
  { states, choices }: Product,
  goals: readonly boolean[],
  hopes: boolean,
): readonly boolean[] {
  const isIn = [...goals];
  const users: { readonly from: number; readonly index: number }[][] = states.map(() => []);
  const missing: number[][] = [];
  const queue: number[] = [];
  const add = (state: number) => {
    isIn[state] = true;
    queue.push(state);
  };
  states.forEach((_, from) => {
    const own = choices[from] ?? [];
    missing.push(own.map((choice) => need(choice, hopes)));
    own.forEach(({ targets }, index) => {
      for (const target of targets) if (target !== FAILED) users[target]!.push({ from, index });
    });
  });
  states.forEach((_, state) => {
    if (isIn[state] === true) queue.push(state);
    else if (missing[state]!.includes(0)) add(state);
  });
  for (const state of queue) {
    for (const { from, index } of users[state]!) {
      if (isIn[from] === true) continue;
      missing[from]![index]! -= 1;
      if (missing[from]![index]! <= 0) add(from);
    }
  }
  return isIn;
}

/** Targets that must still complete before the choice does; failures count as done. Infinity: it is not to be used. */
function need({ isOrdered, choice, targets }: ProductChoice, hopes: boolean): number {
  const isUsable = isOrdered && !choice.isProvision && (hopes || choice.isSure) && targets.length > 0;
  if (!isUsable) return Number.POSITIVE_INFINITY;
  const alive = targets.filter((target) => target !== FAILED).length;
  if (hopes) return alive < targets.length ? 0 : 1;
  return alive;
}
