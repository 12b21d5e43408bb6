/** @module The steps of the prover on told cases against the turns of the real step: from each state of a run, on its data. */
import { type CompiledWorkflow, DONE, type RunState } from "@tessera/core";
import { multiOf } from "@tessera/gateways";
import type { Answered, StepGraph } from "../../packages/engine/test/step-oracle.ts";
import type { Domain } from "../../packages/proofs/src/data-level/domain.ts";
import { countedHandlers } from "../../packages/proofs/src/data-level/handlers.ts";
import { FAILED, type Product, type ProductChoice } from "../../packages/proofs/src/data-level/product.ts";
import { caseOf } from "./told-case.ts";

/** A product with its workflow and the cases that it is of. */
export interface Told {
  readonly compiled: CompiledWorkflow;
  readonly domain: Domain;
  readonly product: Product;
}

/** What the turns show against the product, and how many of its choices were looked for among them. */
export interface Disagreements {
  readonly wrong: readonly string[];
  readonly sure: number;
  readonly untold: number;
}

/** A state of the product, or that the run failed; null where the product has none. */
type Place = number | "failed" | null;

/**
 * Every turn must lead to where the product's next choices lead. Where `isWhole` says that the product has no more than
 * runs show: a choice that can be made wherever the case is this one must be made by some input in every such state.
 */
export function disagreements(told: Told, graph: StepGraph, isWhole: boolean): Disagreements {
  const { states, starts, answers } = graph;
  const places = states.map(placesOf(told));
  const after = restsAfter(told);
  const show = (at: number) => JSON.stringify([Array.from(states[at]!.marking), states[at]!.data]);
  const initial = after(Array.from({ length: told.product.initial }, (_, at) => at));
  const isIn = (to: number, rests: ReadonlySet<Place>) =>
    isFuse(states[to]!) || (places[to] !== null && rests.has(places[to]!));
  const wrong = starts.flatMap(({ to }) => (isIn(to, initial) ? [] : [`start to ${show(to)}`]));
  let sure = 0;
  let untold = 0;
  for (const [from, own] of groupedBy(answers, (one) => one.from)) {
    const place = places[from];
    if (typeof place !== "number") continue;
    const choices = told.product.choices[place]!.filter(isNext);
    const rests = after(choices.flatMap(({ targets }) => targets));
    for (const { to } of own)
      if (
        to === null
          ? choices.every(({ choice }) => choice.gap === null)
          : places[to] !== place && !isIn(to, rests)
      )
        wrong.push(`${show(from)} to ${to === null ? "a refusal" : show(to)}`);
    const inputs = [...groupedBy(own, ({ event }) => event).values()];
    for (const one of isWhole ? choices.filter((choice) => isPromised(told, choice)) : []) {
      sure += 1;
      if (one.targets.length > 1) untold += 1;
      const left = after(one.targets);
      const isMade = inputs.some((ways) => ways.every(({ to }) => isIn(to ?? from, left)));
      if (!isMade) wrong.push(`${show(from)} cannot ${wordsOf(one)}`);
    }
  }
  return { wrong: [...new Set(wrong)], sure, untold };
}

const wordsOf = ({ choice: { node, outcome, cells } }: ProductChoice) =>
  JSON.stringify([node, outcome, cells]);

const isNext = ({ isOrdered, choice }: ProductChoice) => isOrdered && !choice.isProvision;
const isFuse = ({ terminal }: RunState) => terminal?.kind === "failed" && terminal.trouble.code === "FUSE";

/** Can it be made at once wherever the case is this one? Several instances that are done need an input each. */
function isPromised({ compiled }: Told, { choice, targets }: ProductChoice): boolean {
  const isSeveral = multiOf(compiled.definition.nodes[choice.node]!) !== null;
  return choice.isSure && targets.length > 0 && !(isSeveral && choice.outcome === DONE);
}

/** Where in the product a state of a run is: by its marking, the case of its data and the handlers that are open. */
function placesOf({ compiled, domain, product }: Told): (state: RunState) => Place {
  const handlers = countedHandlers(compiled, domain);
  const numbers = new Map(
    product.states.map(({ facts, cells }, at) => [`${facts.marking.join()}|${cells.join()}`, at]),
  );
  return ({ terminal, marking, data, items }) => {
    if (terminal?.kind === "failed" && terminal.trouble.code !== "DEADLOCK") return "failed";
    const counts = handlers.map(({ node, event, countMax }) => {
      const { id } = compiled.definition.nodes[node]!;
      return Math.min(countMax, items.filter((item) => item.node === id && item.event === event).length);
    });
    const cells = caseOf(domain, data);
    return cells === null
      ? null
      : (numbers.get(`${Array.from(marking).join()}|${[...cells, ...counts].join()}`) ?? null);
  };
}

/** Where a run rests after some states, whatever is chosen on the way. */
function restsAfter({ product }: Told): (targets: readonly number[]) => ReadonlySet<Place> {
  const known = new Map<string, ReadonlySet<Place>>();
  return (targets) => {
    const found = known.get(targets.join());
    if (found !== undefined) return found;
    const met = new Set(targets);
    const rests = new Set<Place>();
    for (const state of met) {
      if (state === FAILED) rests.add("failed");
      else if (product.states[state]!.facts.automatic.length === 0) rests.add(state);
      else
        for (const next of product.choices[state]!.filter(isNext))
          for (const target of next.targets) met.add(target);
    }
    known.set(targets.join(), rests);
    return rests;
  };
}

function groupedBy<K>(
  members: readonly Answered[],
  keyOf: (member: Answered) => K,
): ReadonlyMap<K, readonly Answered[]> {
  const groups = new Map<K, Answered[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key) ?? [];
    group.push(member);
    groups.set(key, group);
  }
  return groups;
}
