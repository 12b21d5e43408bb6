/** @module The product of a net with its abstract data, explored within limits. */
import { eventsOf, type NodeEvent } from "@tessera/gateways";
import type { Budget } from "../limits.ts";
import type { Limit } from "../verdict.ts";
import { offersAt } from "./choices.ts";
import { allCases } from "./combinations.ts";
import type { Choice } from "./leaving.ts";
import type { MarkingFacts, Stepper } from "./stepper.ts";

/** The target of a choice after which the run has failed. */
export const FAILED = -1;

/** A marking with a case of the data. */
export interface ProductState {
  readonly facts: MarkingFacts;
  readonly cells: readonly number[];
}

/** A choice with the states that it can lead to, FAILED among them; none where every answer is refused. */
export interface ProductChoice {
  readonly choice: Choice;
  readonly isOrdered: boolean;
  readonly targets: readonly number[];
}

/** The explored product. The first `initial` states are those in which a run can start. */
export interface Product {
  readonly states: readonly ProductState[];
  readonly initial: number;
  /** By state. */
  readonly choices: readonly (readonly ProductChoice[])[];
  /** What kept the exploration from being complete. */
  readonly limit: Limit | null;
}

/** Choices for each state that is allowed, on average. */
const CHOICES_PER_STATE = 8;
/** Choices between two looks at the clock. One state may have thousands of them. */
const SLICE = 1024;

/**
 * All states that are reachable from the initial marking with any case of the data, in breadth-first order. Yields the
 * number of states now and then. Within the budget's states, eight choices for each of them on average, and time.
 */
export function* explore(stepper: Stepper, budget: Budget): Generator<number, Product> {
  const { statesMax } = budget.limits;
  const states: ProductState[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (facts: MarkingFacts, cells: readonly number[]): number => {
    const key = `${facts.marking.join(",")}|${cells.join(",")}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, states.length);
    states.push({ facts, cells });
    return states.length - 1;
  };
  const start = stepper.factsOf(stepper.program.net.initial);
  const nothingOpen = stepper.handlers.map(() => 0);
  for (const cells of allCases(stepper.domain)) {
    if (states.length > statesMax) break;
    numberOf(start, [...cells, ...nothingOpen]);
  }
  const initial = states.length;
  const choices: ProductChoice[][] = [];
  let count = 0;
  let looked = -SLICE;
  const isDue = () => count + choices.length - looked >= SLICE;
  const limitAt = (): Limit | null => {
    if (states.length > statesMax) return { kind: "states", at: statesMax };
    if (count > statesMax * CHOICES_PER_STATE) return { kind: "states", at: states.length };
    return isDue() ? budget.exhausted(states.length) : null;
  };
  let limit = limitAt();
  while (limit === null && choices.length < states.length) {
    const state = choices.length;
    const { facts, cells } = states[state]!;
    const crowded = crowdedNode(stepper, facts);
    if (crowded !== null) return { states, initial, choices, limit: crowded };
    const found: ProductChoice[] = [];
    for (const { isOrdered, choices: offered } of offersAt(stepper, facts, cells)) {
      for (const choice of offered) {
        const isOpen = choice.results.some(({ kind }) => kind !== "refused");
        const targets = !isOpen
          ? []
          : choice.results.map((result) => {
              if (result.kind === "failed") return FAILED;
              return result.kind === "refused"
                ? state
                : numberOf(stepper.factsOf(result.marking), result.cells);
            });
        found.push({ choice, isOrdered, targets });
      }
    }
    count += found.length;
    choices.push(found);
    limit = limitAt();
    if (!isDue()) continue;
    looked = count + choices.length;
    yield states.length;
  }
  return { states, initial, choices, limit };
}

/**
 * Of two tokens that rest at a node which awaits events beside them, the first that leaves takes from the net what awaits
 * them; the engine awaits them for the second one still. What holds is not decided then.
 */
function crowdedNode({ program, compiled }: Stepper, { marking, resting }: MarkingFacts): Limit | null {
  const nodes = compiled.definition.nodes;
  const isBeside = ({ isInterrupting, handler }: NodeEvent) => !isInterrupting && handler === null;
  const found = resting.find(
    (node) =>
      eventsOf(nodes[node]!).some(isBeside) &&
      [...program.restNode].some(([place, own]) => own === node && (marking[place] ?? 0) > 1),
  );
  if (found === undefined) return null;
  const { id } = nodes[found]!;
  return { kind: "method", reason: `two tokens may rest at "${id}", which awaits events beside them` };
}
