/** @module Every run of a small workflow, by the real step on concrete values: what is reached, fired, stuck and lost. */
import {
  type CompiledWorkflow,
  contentHash,
  type Data,
  EMPTY_GRAPH,
  fire,
  initialState,
  type Json,
  type Marking,
  makeProgram,
  objectOf,
  type ProductGraph,
  type RunState,
  type Trouble,
} from "@tessera/core";
import { eventsOf, orJoinRules } from "@tessera/gateways";
import { makePlan, type Plan } from "../src/plan.ts";
import { step } from "../src/step.ts";
import type { InputEvent, TurnReady } from "../src/turn.ts";
import { type BareOptions, environment } from "./host.ts";
import { combinations, inputsOf, UNTAKEN, type Values } from "./step-inputs.ts";

/** What all runs show, when inputs come only while the run rests. */
export interface Seen {
  readonly states: number;
  readonly fired: ReadonlySet<number>;
  readonly hasSecondEnd: boolean;
  readonly isUnsafe: boolean;
  /** Some answer found no arc under its outcome. */
  readonly hasGap: boolean;
  /** Some state from which no run completes or fails for want of an arc. */
  readonly isLost: boolean;
  /** Some state that is not complete, in which nothing is accepted that fires or changes the data. */
  readonly isStuck: boolean;
}

interface Node {
  readonly state: RunState;
  readonly graph: ProductGraph;
}

/** Guards of these workflows always have an answer; a completion condition may have none. */
const ROUTING: ReadonlySet<string> = new Set(["NO_ARC", "NO_TRUE_ARC"]);

/**
 * What answers expressions; whether jobs that fail may write what their nodes declare; whether a condition without an answer is
 * a gap, as it is of a guard.
 */
export interface OracleWorld extends Pick<BareOptions, "evaluate" | "functions"> {
  /** Functions and predicates that ask how to answer: one of so many ways. Every turn is taken in all of them. */
  readonly deciding?: (choose: (ways: number) => number) => Pick<BareOptions, "functions" | "predicates">;
  readonly isErrorWriting?: boolean;
  readonly isErrorGap?: boolean;
}

function untakenTrouble(patch: { readonly [key: string]: Json | undefined }): Trouble | null {
  if (!Object.values(patch).includes(UNTAKEN)) return null;
  return { code: "SCHEMA_INVALID", message: "no key takes this value", facts: {} };
}

/** What an input came to: the state after its turn, or null where it was refused. */
export interface Answered {
  readonly from: number;
  readonly event: InputEvent;
  readonly to: number | null;
  readonly ready: TurnReady | null;
}

/** Every state in which a run rests, and every input that may come to it there; `null` is where a run starts from. */
export interface StepGraph {
  readonly plan: Plan;
  readonly states: readonly RunState[];
  readonly starts: readonly { readonly to: number; readonly ready: TurnReady }[];
  readonly answers: readonly Answered[];
}

/** All runs from all starts, input by input; null past `statesMax` states between two turns. */
export function graphByStep(
  compiled: CompiledWorkflow,
  values: Values,
  statesMax: number,
  { isErrorWriting = false, deciding, functions = {}, evaluate }: OracleWorld = {},
): StepGraph | null {
  const plan = planOf(compiled);
  const turns = (state: RunState, event: InputEvent, graph: ProductGraph) =>
    inAllWays((choose) => {
      const fixed = { functions, ...(evaluate === undefined ? {} : { evaluate }) };
      const options = { limits: { stepsMax: 60 }, validate: untakenTrouble, ...fixed, ...deciding?.(choose) };
      // A time comes when it is due, whatever else was due before: proofs know no clock.
      const now = event.input.kind === "timer" ? event.input.dueAt : 1_000;
      return step(plan, state, event, environment(options, now, graph));
    });
  const nodes: Node[] = [];
  const numbers = new Map<string, number>();
  const numberOf = ({ state, graph }: Node): number => {
    const name = nameOf(state, graph);
    const known = numbers.get(name) ?? nodes.length;
    if (known === nodes.length) nodes.push({ state, graph });
    numbers.set(name, known);
    return known;
  };
  const { nodes: own, entry } = compiled.definition;
  const labels = eventsOf(own.find(({ id }) => id === entry)!).map(({ id }) => ({ event: id }));
  const begin = (data: Data) =>
    (labels.length === 0 ? [{}] : labels).flatMap((label) =>
      turns(initialState(plan.program), { input: { kind: "start", data, ...label } }, EMPTY_GRAPH),
    );
  const starts = startsOf(values)
    .flatMap(begin)
    .map((ready) => {
      if (ready.kind !== "turn") throw new Error(ready.message);
      return { to: numberOf(ready), ready };
    });
  const answers: Answered[] = [];
  for (let from = 0; from < nodes.length; from += 1) {
    if (nodes.length > statesMax) return null;
    const { state, graph } = nodes[from]!;
    if (state.terminal !== null || state.status === "completed") continue;
    for (const event of inputsOf(plan, state, values, isErrorWriting)) {
      for (const ready of turns(state, event, graph)) {
        if (ready.kind === "turn") answers.push({ from, event, to: numberOf(ready), ready });
        else if (ready.code === "invalid-data") answers.push({ from, event, to: null, ready: null });
      }
    }
  }
  return { plan, states: nodes.map(({ state }) => state), starts, answers };
}

/** What `ask` returns for every sequence of choices that it can be given. */
function inAllWays<T>(ask: (choose: (ways: number) => number) => T): readonly T[] {
  const found: T[] = [];
  let script: readonly { readonly way: number; readonly ways: number }[] | null = [];
  while (script !== null) {
    const given: readonly { readonly way: number; readonly ways: number }[] = script;
    const taken: { readonly way: number; readonly ways: number }[] = [];
    found.push(
      ask((ways) => {
        const way = given[taken.length]?.way ?? 0;
        taken.push({ way, ways });
        return way;
      }),
    );
    const last = taken.findLastIndex(({ way, ways }) => way + 1 < ways);
    script = last < 0 ? null : [...taken.slice(0, last), { ...taken[last]!, way: taken[last]!.way + 1 }];
  }
  return found;
}

/** What all runs from all starts show; null past `statesMax` states between two turns. */
export function seenByStep(
  compiled: CompiledWorkflow,
  values: Values,
  statesMax: number,
  world: OracleWorld = {},
): Seen | null {
  const graph = graphByStep(compiled, values, statesMax, world);
  if (graph === null) return null;
  const { plan, states, starts, answers } = graph;
  const fired = new Set<number>();
  let hasSecondEnd = false;
  let isUnsafe = false;
  let hasGap = false;
  const look = (before: RunState, ready: TurnReady): void => {
    let marking: Marking = Array.from(before.marking);
    for (const { fired: transitions = [], trouble } of ready.record.steps) {
      const { code = "" } = trouble ?? {};
      if (ROUTING.has(code) || (world.isErrorGap === true && /^(?:COND|FEEL)/u.test(code))) hasGap = true;
      for (const t of transitions) {
        fired.add(t);
        const result = fire(plan.program.net, marking, t, plan.program.rules);
        if (result.kind !== "fired") throw new Error(`${t} cannot fire`);
        marking = result.marking;
        plan.program.net.places.forEach(({ role, origin }, place) => {
          if ((marking[place] ?? 0) < 2) return;
          if (role === "control") isUnsafe = true;
          if (origin?.kind === "end") hasSecondEnd = true;
        });
      }
    }
  };
  for (const { ready } of starts) look(initialState(plan.program), ready);
  const next: number[][] = states.map(() => []);
  // A loop may lead back to what was there; that is no deadlock.
  const moving = new Set<number>();
  for (const { from, to, ready } of answers) {
    if (to === null || ready === null) hasGap = true;
    else {
      look(states[from]!, ready);
      next[from]!.push(to);
      if (ready.record.steps.some(({ fired: transitions = [] }) => transitions.length > 0)) moving.add(from);
    }
  }
  const isStuckAt = (at: number): boolean => {
    const state = states[at]!;
    if (isDone(state)) return false;
    if (state.terminal?.kind === "failed") return state.terminal.trouble.code === "DEADLOCK";
    return [...reachedFrom(next, at)].every((other) => {
      const there = states[other]!;
      return !isDone(there) && !moving.has(other) && looks(there) === looks(state);
    });
  };
  const completes = leadingTo(next, states.map(isDone));
  return {
    states: states.length,
    fired,
    hasSecondEnd,
    isUnsafe,
    hasGap,
    isLost: completes.includes(false),
    isStuck: states.some((_, at) => isStuckAt(at)),
  };
}

function planOf(compiled: CompiledWorkflow): Plan {
  const hash = contentHash(compiled.definition as unknown as Json);
  return makePlan(makeProgram(hash, compiled, orJoinRules(compiled)));
}

/** Completed, or failed because an answer found no arc. */
function isDone({ status, terminal }: RunState): boolean {
  if (terminal?.kind === "failed") return !["DEADLOCK", "FUSE"].includes(terminal.trouble.code);
  return status === "completed";
}

const looks = ({ marking, data, terminal }: RunState): string =>
  JSON.stringify([Array.from(marking), sorted(data), terminal]);

function nameOf(state: RunState, graph: ProductGraph): string {
  const items = state.items.map(({ node, kind, event, instance, instances, subscriptions }) => {
    const awaited = subscriptions?.map((one) => [one.event, one.isFull]);
    return JSON.stringify([node, kind, event, instance, instances, awaited]);
  });
  const objects = JSON.stringify(objectOf(graph, "o")?.payload ?? null);
  return `${looks(state)} ${items.sort().join()} ${JSON.stringify(state.overlays ?? [])} ${objects}`;
}

function sorted(data: Data): Json {
  return Object.keys(data)
    .sort()
    .map((key) => [key, data[key] ?? null]);
}

function startsOf(values: Values): readonly Data[] {
  return combinations(Object.keys(values), values);
}

function reachedFrom(next: readonly (readonly number[])[], from: number): ReadonlySet<number> {
  const seen = new Set([from]);
  for (const at of seen) for (const to of next[at]!) seen.add(to);
  return seen;
}

function leadingTo(next: readonly (readonly number[])[], goals: readonly boolean[]): readonly boolean[] {
  const found = [...goals];
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (let at = next.length - 1; at >= 0; at -= 1) {
      if (found[at] !== true && next[at]!.some((to) => found[to] === true)) {
        found[at] = true;
        isGrowing = true;
      }
    }
  }
  return found;
}
