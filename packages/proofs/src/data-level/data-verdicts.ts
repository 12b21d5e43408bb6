/** @module What the product of net and data says of each obligation, with runs that carry values. */
import {
  type CompiledWorkflow,
  type Data,
  DONE,
  type Net,
  type Outcome,
  type PlaceIndex,
  type TransitionIndex,
} from "@tessera/core";
import { elementsOf } from "../elements.ts";
import { type DeadElement, fails, holds, type Limit, unknown, type Verdict } from "../verdict.ts";
import { certainlyTrue } from "./answers.ts";
import { type Answer, type DataRun, runTo } from "./data-run.ts";
import { type Domain, dataOf } from "./domain.ts";
import type { Choice } from "./leaving.ts";
import { FAILED, type Product, type ProductChoice } from "./product.ts";
import { certain, completing, isCertain, leadingTo, possible, type Step } from "./regions.ts";

/** What is wrong where a run with values ends. */
export type DataFinding =
  | {
      /** The answer of a node leaves data on which no arc can be taken. */
      readonly kind: "gap";
      readonly node: number;
      readonly outcome: Outcome;
      readonly answer: Answer;
      readonly data: Data;
      readonly trouble: string;
    }
  /** Nothing can happen any more. */
  | { readonly kind: "stuck" }
  /** From here on `size` states follow, none of them final; `cycle`: nodes that go round, where something goes on. */
  | { readonly kind: "no-completion"; readonly size: number; readonly cycle: readonly number[] }
  | { readonly kind: "second-token"; readonly place: PlaceIndex }
  | { readonly kind: "unsafe"; readonly place: PlaceIndex };

/** Evidence at the level of the data: a run of the engine, or elements that none of all `states` uses. */
export type DataEvidence =
  | { readonly kind: "data-run"; readonly run: DataRun; readonly finding: DataFinding }
  | { readonly kind: "data-dead"; readonly dead: readonly DeadElement[]; readonly states: number };

/** Two guards of an XOR split that hold at once: the order of the arcs decides. No obligation forbids it. */
export interface GuardOverlap {
  readonly node: number;
  readonly outcome: Outcome;
  readonly arcs: readonly number[];
  readonly data: Data;
}

/** Obligations that are decided at the level of the data. */
export type DataObligationId = "O1" | "O2" | "O3" | "O4" | "O5" | "O7" | "deadlock";

/** A state of the product that certain steps reach, and the answer there of which something is said. */
export interface RunGoal {
  readonly state: number;
  readonly next: Choice | null;
}

/** What the product says. */
export interface DataVerdicts {
  readonly verdicts: ReadonlyMap<DataObligationId, Verdict<DataEvidence>>;
  readonly overlaps: readonly GuardOverlap[];
  /** Elements that only errors use which the data do not allow. */
  readonly provisions: readonly DeadElement[];
  /** Where the run can fail because no arc can be taken: node and outcome. */
  readonly failures: readonly { readonly node: number; readonly outcome: Outcome | null }[];
  /** Where the runs of failures end in the product. */
  readonly goals: ReadonlyMap<DataEvidence, RunGoal>;
  /** Where O3 holds: for each element that is used (its transitions) a certain step that uses it. */
  readonly shown: readonly ShownElement[];
}

/** A certain step that fires one of the transitions of an element. */
export interface ShownElement {
  readonly transitions: readonly TransitionIndex[];
  readonly goal: RunGoal;
}

interface Explored {
  readonly compiled: CompiledWorkflow;
  readonly domain: Domain;
  readonly product: Product;
  /** Certain states with their last steps. */
  readonly last: readonly (Step | null | undefined)[];
  /** States that may be reached, in whatever order. */
  readonly mayBe: readonly boolean[];
  readonly goals: Map<DataEvidence, RunGoal>;
}

/**
 * The verdicts. A failure is a certain run of the engine; `holds` is for every order in which steps can come and every
 * answer of open conditions; what lies between is unknown.
 *
 * @definition D23.5
 */
export function dataVerdicts(compiled: CompiledWorkflow, domain: Domain, product: Product): DataVerdicts {
  const isTaken = ({ choice }: ProductChoice) => !choice.isProvision;
  const explored: Explored = {
    compiled,
    domain,
    product,
    last: certain(product),
    mayBe: possible(product, isTaken),
    goals: new Map(),
  };
  const completion = optionToComplete(explored);
  const { verdict: alive, provisions, shown } = deadElements(explored);
  return {
    verdicts: new Map<DataObligationId, Verdict<DataEvidence>>([
      ["O1", completion.verdict],
      ["O2", markingVerdict(explored, (marking) => secondToken(compiled, marking))],
      ["O3", alive],
      ["O4", markingVerdict(explored, (marking) => unsafe(compiled, marking))],
      ["O5", totalGuards(explored)],
      ["O7", completion.loops],
      ["deadlock", deadlock(explored)],
    ]),
    overlaps: overlapsOf(explored),
    provisions,
    failures: failuresOf(explored),
    goals: explored.goals,
    shown,
  };
}

function evidence(
  { compiled, domain, product, last, goals }: Explored,
  state: number,
  finding: DataFinding,
): DataEvidence {
  const { run } = runTo(compiled, domain, product, last, state);
  const found: DataEvidence = { kind: "data-run", run, finding };
  goals.set(found, { state, next: null });
  return found;
}

/** Nothing was found: it holds if everything was explored. */
function closed({ product, mayBe }: Explored, method: string): Verdict<never> {
  if (product.limit !== null) return unknown(product.limit);
  return holds({ class: "enumerated", method, states: mayBe.filter(Boolean).length });
}

const METHOD = "product of net and data";

function open(product: Product, what: string): Verdict<never> {
  const limit: Limit = product.limit ?? { kind: "method", reason: what };
  return unknown(limit);
}

function optionToComplete(explored: Explored): {
  readonly verdict: Verdict<DataEvidence>;
  readonly loops: Verdict<DataEvidence>;
} {
  const { product, last, mayBe } = explored;
  if (product.limit !== null) return { verdict: unknown(product.limit), loops: unknown(product.limit) };
  const hoped = completing(product, true);
  const lost = last.findIndex((step, state) => step !== undefined && hoped[state] === false);
  if (lost >= 0) {
    const rests = leadingTo(product, product.choices.map(isAtRest), true);
    const trap = last.findIndex(
      (step, state) => step !== undefined && hoped[state] === false && rests[state] === false,
    );
    const loops: Verdict<DataEvidence> =
      trap < 0 ? closed(explored, METHOD) : fails(evidence(explored, trap, noCompletion(product, trap)));
    return { verdict: fails(evidence(explored, lost, noCompletion(product, lost))), loops };
  }
  const sure = completing(product, false);
  if (mayBe.every((isReached, state) => !isReached || sure[state] === true)) {
    const verdict = closed(explored, METHOD);
    return { verdict, loops: verdict };
  }
  const verdict = open(
    product,
    "completion depends on what open conditions answer or on the order of inputs",
  );
  return { verdict, loops: verdict };
}

/** Can the engine do nothing, whoever answers? Runs beside a token may go on. */
function isAtRest(choices: readonly ProductChoice[]): boolean {
  return !choices.some((choice) => isNext(choice) && choice.choice.isBeside !== true);
}

function isNext({ isOrdered, choice, targets }: ProductChoice): boolean {
  return isOrdered && !choice.isProvision && targets.length > 0;
}

/** The states that follow, and, where none of them is at rest, a cycle that the run can go round. */
function noCompletion(product: Product, from: number): DataFinding & { readonly kind: "no-completion" } {
  const nextOf = (state: number) => (product.choices[state] ?? []).filter(isNext);
  const seen = new Set([from]);
  let isResting = false;
  for (const state of seen) {
    const next = nextOf(state);
    if (next.every(({ choice }) => choice.isBeside === true)) isResting = true;
    for (const { targets } of next) for (const target of targets) if (target !== FAILED) seen.add(target);
  }
  if (isResting) return { kind: "no-completion", size: seen.size, cycle: [] };
  // Whatever is done, the run goes on among these; so the first choice each time leads round.
  const visited: number[] = [];
  const nodes: number[] = [];
  for (let state = from; !visited.includes(state); ) {
    visited.push(state);
    const { choice, targets } = nextOf(state).find(({ choice: { isBeside } }) => isBeside !== true)!;
    nodes.push(choice.node);
    state = targets.find((target) => target !== FAILED)!;
    if (visited.includes(state)) nodes.splice(0, visited.indexOf(state));
  }
  return { kind: "no-completion", size: seen.size, cycle: [...new Set(nodes)] };
}

function markingVerdict(
  explored: Explored,
  fault: (marking: readonly number[]) => DataFinding | null,
): Verdict<DataEvidence> {
  const { product, last, mayBe } = explored;
  let isPossible = false;
  for (const [state, { facts }] of product.states.entries()) {
    const found = mayBe[state] === true ? fault(facts.marking) : null;
    if (found === null) continue;
    if (last[state] !== undefined) return fails(evidence(explored, state, found));
    isPossible = true;
  }
  return isPossible
    ? open(product, "the marking depends on what open conditions answer or on the order of inputs")
    : closed(explored, METHOD);
}

function secondToken({ net }: CompiledWorkflow, marking: readonly number[]): DataFinding | null {
  const ends = net.finals.kind === "ends" ? net.finals.ends : [];
  const place = ends.find((end) => (marking[end] ?? 0) > 1);
  return place === undefined ? null : { kind: "second-token", place };
}

function unsafe({ net }: CompiledWorkflow, marking: readonly number[]): DataFinding | null {
  const place = net.places.findIndex(({ role }, index) => role === "control" && (marking[index] ?? 0) > 1);
  return place < 0 ? null : { kind: "unsafe", place };
}

function deadlock(explored: Explored): Verdict<DataEvidence> {
  const { product, last, mayBe } = explored;
  let isPossible = false;
  for (const [state, choices] of product.choices.entries()) {
    if (mayBe[state] !== true || product.states[state]!.facts.isFinal || choices.some(isMoving)) continue;
    const isStuck = choices.every(({ targets, choice }) => targets.length === 0 || choice.isProvision);
    if (isStuck && last[state] !== undefined) return fails(evidence(explored, state, { kind: "stuck" }));
    isPossible = true;
  }
  return isPossible
    ? open(
        product,
        "a deadlock depends on what open conditions answer, on the order of inputs or on whether a time comes",
      )
    : closed(explored, METHOD);
}

/** Can the choice be made wherever the case is this one, and is it not refused whatever open conditions answer? */
function isMoving({ choice }: ProductChoice): boolean {
  return choice.isSure && !choice.isProvision && choice.results.every(({ kind }) => kind !== "refused");
}

function totalGuards(explored: Explored): Verdict<DataEvidence> {
  const { compiled, domain, product, last, mayBe, goals } = explored;
  let isPossible = false;
  for (const [state, choices] of product.choices.entries()) {
    if (mayBe[state] !== true) continue;
    for (const { choice, isOrdered } of choices) {
      if (choice.gap === null || choice.isProvision) continue;
      isPossible = true;
      if (last[state] === undefined || !isOrdered || !choice.isGapSure) continue;
      const { node, outcome, gap: trouble } = choice;
      const { run, answer, data } = runTo(compiled, domain, product, last, state, choice);
      const finding: DataFinding = { kind: "gap", node, outcome: outcome ?? DONE, answer, data, trouble };
      const found: DataEvidence = { kind: "data-run", run, finding };
      goals.set(found, { state, next: choice });
      return fails(found);
    }
  }
  return isPossible
    ? open(product, "whether an arc can be taken depends on open conditions or on the order of inputs")
    : closed(explored, METHOD);
}

function deadElements(explored: Explored): {
  readonly verdict: Verdict<DataEvidence>;
  readonly provisions: readonly DeadElement[];
  readonly shown: readonly ShownElement[];
} {
  const { compiled, product, last, mayBe } = explored;
  if (product.limit !== null) return { verdict: unknown(product.limit), provisions: [], shown: [] };
  const surely = new Map<number, RunGoal>();
  const maybe = new Set<number>();
  const provided = new Set<number>();
  for (const [state, choices] of product.choices.entries()) {
    for (const one of choices) {
      const isKnown = last[state] !== undefined && isCertain(one);
      const isPossible = mayBe[state] === true && !one.choice.isProvision;
      const goal: RunGoal = { state, next: one.choice };
      for (const result of one.choice.results) {
        for (const t of result.kind === "state" ? result.fired : []) {
          provided.add(t);
          if (isPossible) maybe.add(t);
          if (isKnown && !surely.has(t)) surely.set(t, goal);
        }
      }
    }
  }
  const elements = elementsOnData(compiled.net);
  const without = (fired: Pick<ReadonlySet<number>, "has">) =>
    elements.filter(({ transitions }) => !transitions.some((t) => fired.has(t)));
  const unused = without(maybe);
  const dead = without(provided);
  const provisions = unused.filter((one) => !dead.includes(one));
  const states = mayBe.filter(Boolean).length;
  if (dead.length > 0) return { verdict: fails({ kind: "data-dead", dead, states }), provisions, shown: [] };
  const isOpen = without(surely).some((one) => !unused.includes(one));
  const verdict = isOpen
    ? open(product, "whether some branch is taken depends on open conditions or on the order of inputs")
    : closed(explored, METHOD);
  const shown = elements.flatMap(({ transitions }): readonly ShownElement[] => {
    const t = transitions.find((one) => surely.has(one));
    return t === undefined ? [] : [{ transitions, goal: surely.get(t)! }];
  });
  return { verdict, provisions, shown };
}

/**
 * Nodes with phase and outcome, and arcs. Which way out follows which way in is for the data to say, and that a branch of
 * an OR split is passed over is nothing that a workflow owes.
 */
function elementsOnData(net: Net): readonly DeadElement[] {
  const isSkip = (t: number) => net.transitions[t]?.origin?.phase === "skip";
  const transitions = net.transitions.map((t) => ({ ...t, generated: true }));
  return elementsOf({ ...net, transitions }).filter((element) => !element.transitions.every(isSkip));
}

function overlapsOf({ compiled, domain, product, last }: Explored): readonly GuardOverlap[] {
  const found = new Map<string, GuardOverlap>();
  for (const [state, choices] of product.choices.entries()) {
    if (last[state] === undefined) continue;
    for (const { choice, isOrdered } of choices) {
      const { node, outcome, cells } = choice;
      const key = JSON.stringify([node, outcome]);
      if (outcome === null || !isOrdered || choice.isProvision || found.has(key)) continue;
      const arcs = xorArcs(compiled, node, outcome);
      if (arcs.length < 2) continue;
      const data = dataOf(domain, cells);
      const both = certainlyTrue(domain, arcs, data);
      if (both.length > 1) found.set(key, { node, outcome, arcs: both, data });
    }
  }
  return [...found.values()];
}

function xorArcs({ definition, graph }: CompiledWorkflow, node: number, outcome: Outcome): readonly number[] {
  const split = definition.nodes[node]?.split;
  const own = typeof split === "object" && split !== null ? split[outcome] : split;
  if (own !== undefined && own !== "first") return [];
  return (graph.outgoing[node] ?? []).filter((arc) => (definition.arcs[arc]?.outcome ?? "done") === outcome);
}

function failuresOf({ product, mayBe }: Explored): DataVerdicts["failures"] {
  const found = new Map<string, { readonly node: number; readonly outcome: Outcome | null }>();
  for (const [state, choices] of product.choices.entries()) {
    for (const { choice, targets } of choices) {
      if (mayBe[state] !== true || choice.isProvision || !targets.includes(FAILED)) continue;
      const { node, outcome } = choice;
      found.set(JSON.stringify([node, outcome]), { node, outcome });
    }
  }
  return [...found.values()];
}
