/** @module Every run of a small workflow, by the real step on concrete values: what is reached, fired, stuck and lost. */
import {
  type CompiledWorkflow,
  contentHash,
  type Data,
  EMPTY_GRAPH,
  EMPTY_MUTATION,
  fire,
  initialState,
  type Json,
  type Marking,
  makeProgram,
  type OpenItem,
  objectOf,
  type ProductGraph,
  type RunState,
  type Trouble,
} from "@tessera/core";
import { eventsOf, mergeBlocks, multiOf, orJoinRules } from "@tessera/gateways";
import { answerLabels } from "../src/input.ts";
import { makePlan, type Plan } from "../src/plan.ts";
import { step } from "../src/step.ts";
import type { InputEvent, TurnReady } from "../src/turn.ts";
import { type BareOptions, environment } from "./host.ts";

/** The values that each key takes; undefined: it is not there. */
export type Values = Readonly<Record<string, readonly (Json | undefined)[]>>;

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
  /** Some state that is not complete, in which nothing is accepted that changes the marking or the data. */
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

/** What no key of D takes: a message brings it, too. */
const UNTAKEN = "(untaken)";

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
  const begin = (data: Data) =>
    turns(initialState(plan.program), { input: { kind: "start", data } }, EMPTY_GRAPH);
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
  for (const { from, to, ready } of answers) {
    if (to === null || ready === null) hasGap = true;
    else {
      look(states[from]!, ready);
      next[from]!.push(to);
    }
  }
  const isStuckAt = (at: number): boolean => {
    const state = states[at]!;
    if (isDone(state)) return false;
    if (state.terminal?.kind === "failed") return state.terminal.trouble.code === "DEADLOCK";
    const reached = [...reachedFrom(next, at)].map((other) => states[other]!);
    return reached.every((other) => !isDone(other) && looks(other) === looks(state));
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

/** Every way to give the keys values, or to leave them out where that is among the values. */
function combinations(keys: readonly string[], values: Values): readonly Data[] {
  return keys.reduce<readonly Data[]>(
    (all, key) =>
      all.flatMap((data) =>
        (values[key] ?? []).map((value) => (value === undefined ? data : { ...data, [key]: value })),
      ),
    [{}],
  );
}

/** Patches that set some of the keys: each one of its values, or left as it is. */
function patches(keys: readonly string[], values: Values): readonly Data[] {
  const there = Object.fromEntries(
    keys.map((key) => [key, [undefined, ...(values[key] ?? []).filter((value) => value !== undefined)]]),
  );
  return combinations(keys, there);
}

/** Everything that can come to the run as it rests. */
function inputsOf(
  plan: Plan,
  state: RunState,
  values: Values,
  isErrorWriting: boolean,
): readonly InputEvent[] {
  return state.items.flatMap((item): readonly InputEvent[] => {
    const node = plan.nodes[plan.nodeIndex.get(item.node)!]!;
    const labels = answerLabels(plan, item.node);
    const form = node.meta?.form as object | undefined;
    const writable = form === undefined ? (node.writes ?? []) : Object.keys(form);
    // Whoever leaves out what a form asks for is asked again: no run comes of that.
    const asked = Object.entries(form ?? {}).flatMap(([key, field]) => (isOptional(field) ? [] : [key]));
    const fitting = Object.fromEntries(
      writable.flatMap((key) => {
        const listed = listedIn(form, key);
        const all = Object.hasOwn(values, key) ? values[key]! : null;
        return all === null ? [] : [[key, all.filter((value) => listed?.includes(value ?? null) !== false)]];
      }),
    );
    const own = patches(Object.keys(fitting), fitting).filter((patch) =>
      asked.every((key) => !Object.hasOwn(values, key) || Object.hasOwn(patch, key)),
    );
    const events = eventInputs(item, values, node);
    if (item.kind === "job") {
      const mutations = isStaged(plan, item.node) ? [undefined, proposal(item.node)] : [undefined];
      return [
        ...events,
        ...labels.flatMap((outcome) =>
          (outcome === "error" && !isErrorWriting ? [{}] : own).flatMap((patch) =>
            mutations.map((mutation) => ({
              input: { kind: "result", item: item.id, outcome } as const,
              payload: { patch, ...(mutation === undefined ? {} : { mutation }) },
            })),
          ),
        ),
      ];
    }
    if (item.kind === "work-item" || item.kind === "external")
      return [
        ...events,
        ...labels.flatMap((outcome) =>
          own.map((patch) => ({
            input: { kind: "complete", item: item.id, outcome, by: "ann" } as const,
            payload: { patch },
          })),
        ),
      ];
    if (item.kind !== "child") return events;
    const answers = (outcomes: readonly string[], given: readonly Data[]) =>
      outcomes.flatMap((outcome) =>
        (outcome === "done" ? given : [{}]).map((patch) => ({
          input: { kind: "result", item: item.id, outcome } as const,
          payload: { patch },
        })),
      );
    if (item.event !== undefined) {
      const { handler } = eventsOf(node).find(({ id }) => id === item.event)!;
      return answers(["done", "error"], patches(Object.keys(handler!.outputs), values));
    }
    if (multiOf(node) !== null) return answers(labels, [{ value: 1 }]);
    const outputs = Object.keys((node.meta?.outputs ?? {}) as object);
    return [...events, ...answers(labels, patches(outputs, values))];
  });
}

function isOptional(field: unknown): boolean {
  return (
    typeof field === "object" &&
    field !== null &&
    (field as { readonly optional?: boolean }).optional === true
  );
}

/** The values that the field of a form lists; undefined where it lists none. */
function listedIn(form: object | undefined, key: string): readonly Json[] | undefined {
  const field = Object.entries(form ?? {}).find(([name]) => name === key)?.[1] as unknown;
  if (typeof field !== "object" || field === null) return undefined;
  return (field as { readonly values?: readonly Json[] }).values;
}

function eventInputs(item: OpenItem, values: Values, node: Plan["nodes"][number]): readonly InputEvent[] {
  if (item.subscriptions === undefined && item.dueAt !== undefined)
    return [{ input: { kind: "timer", item: item.id, dueAt: item.dueAt } }];
  return (item.subscriptions ?? []).flatMap((subscription): readonly InputEvent[] => {
    const { event, on, name = "", dueAt } = subscription;
    if (on === "timer" && dueAt === item.dueAt && dueAt !== undefined)
      return [{ input: { kind: "timer", item: item.id, dueAt } }];
    if (on === "timer" || subscription.isFull === true) return [];
    const payload = eventsOf(node).find(({ id }) => id === event)!.payload;
    const isHandled = eventsOf(node).find(({ id }) => id === event)!.handler !== null;
    const keys = isHandled ? [] : Object.keys(payload);
    const untaken = keys.slice(0, 1).map((key): Data => ({ [key]: UNTAKEN }));
    return [...patches(keys, values), ...untaken].map((patch) => {
      const data = Object.fromEntries(
        Object.entries(patch).map(([key, value]) => [String(payload[key]), value]),
      );
      return { input: { kind: "event", item: item.id, event, on, name }, payload: { data } };
    });
  });
}

function isStaged({ program }: Plan, id: string): boolean {
  const { compiled } = program;
  if (compiled.kind === "net") return false;
  const index = compiled.graph.nodeIndex.get(id)!;
  return mergeBlocks(compiled.graph).some(
    ({ isStaged: isOne, branches }) => isOne && branches.some(({ members }) => members.has(index)),
  );
}

/** Two of these say different things of one object. */
function proposal(node: string) {
  const made = { id: "o", type: "t", payload: { by: node }, links: [] };
  return { ...EMPTY_MUTATION, create: [made] };
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
