/** @module Runs definitions by `step` alone: no store, no clock, no ids but those given. */
import {
  type ConditionEnvironment,
  type Constraint,
  compile,
  contentHash,
  type Definition,
  EMPTY_GRAPH,
  type InlineFunction,
  initialState,
  type Json,
  makeProgram,
  type OpenItem,
  type ProductGraph,
  type RunState,
  type TurnRecord,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { dueTime } from "../src/due.ts";
import { makePlan, type Plan } from "../src/plan.ts";
import { step } from "../src/step.ts";
import type { Bodies, InputEvent, InputRefusal, StepEnvironment, TurnReady } from "../src/turn.ts";

/** The plan of a definition that must compile. */
export function planOf(definition: Definition): Plan {
  const compiled = compile(definition, STANDARD_KINDS);
  if (!compiled.ok)
    throw new Error(compiled.issues.map(({ code, message }) => `${code} ${message}`).join("; "));
  return makePlan(makeProgram(contentHash(definition as unknown as Json), compiled.value));
}

/** Settings of a bare run. */
export interface BareOptions {
  readonly functions?: Readonly<Record<string, InlineFunction>>;
  readonly predicates?: Readonly<Record<string, (data: { readonly [key: string]: Json }) => boolean>>;
  readonly evaluate?: NonNullable<ConditionEnvironment["evaluate"]>;
  readonly constraints?: readonly Constraint[];
  readonly limits?: Partial<StepEnvironment["limits"]>;
  readonly validate?: Bodies["validate"];
}

/** An environment at `now`. */
export function environment(
  options: BareOptions = {},
  now = 1_000,
  graph: ProductGraph = EMPTY_GRAPH,
): StepEnvironment {
  return {
    now,
    at: now,
    seed: "seed",
    graph,
    due: dueTime,
    limits: {
      firingsMax: 1_000,
      stepsMax: 10_000,
      dataBytesMax: 1_000_000,
      eventBytesMax: 1_000_000,
      turnBytesMax: 1_000_000,
      ...options.limits,
    },
    bodies: {
      functions: new Map(Object.entries(options.functions ?? {})),
      conditions: {
        predicates: new Map(Object.entries(options.predicates ?? {})),
        ...(options.evaluate === undefined ? {} : { evaluate: options.evaluate }),
      },
      validate: options.validate ?? (() => null),
      constraints: options.constraints ?? [],
    },
  };
}

/** A run that a test drives turn by turn. */
export interface BareRun {
  readonly plan: Plan;
  readonly records: TurnRecord[];
  state: RunState;
  graph: ProductGraph;
  now: number;
  readonly turn: (event: InputEvent) => TurnReady | InputRefusal;
  /** A turn that must not be refused. */
  readonly take: (event: InputEvent) => TurnReady;
  readonly item: (node: string) => OpenItem;
}

/** A run of `definition` before its first turn. */
export function bareRun(definition: Definition, options: BareOptions = {}): BareRun {
  const plan = planOf(definition);
  const run: BareRun = {
    plan,
    records: [],
    state: initialState(plan.program),
    graph: EMPTY_GRAPH,
    now: 1_000,
    turn: (event) => {
      const ready = step(plan, run.state, event, environment(options, run.now, run.graph));
      if (ready.kind === "turn") {
        run.records.push(ready.record);
        run.state = ready.state;
        run.graph = ready.graph;
      }
      return ready;
    },
    take: (event) => {
      const ready = run.turn(event);
      if (ready.kind === "refused") throw new Error(`${ready.code}: ${ready.message}`);
      return ready;
    },
    item: (node) => {
      const found = run.state.items.find((item) => item.node === node);
      if (found === undefined) throw new Error(`nothing is open at "${node}"`);
      return found;
    },
  };
  return run;
}

/** The input that starts a run. */
export function starting(data: { readonly [key: string]: Json } = {}): InputEvent {
  return { input: { kind: "start", data } };
}

/** The result of a job or a called run. */
export function result(
  item: OpenItem,
  outcome = "done",
  patch: { readonly [key: string]: Json } = {},
): InputEvent {
  return { input: { kind: "result", item: item.id, outcome }, payload: { patch } };
}

/** A person's completion. */
export function completing(
  item: OpenItem,
  outcome = "done",
  patch: { readonly [key: string]: Json } = {},
): InputEvent {
  return { input: { kind: "complete", item: item.id, outcome, by: "ann" }, payload: { patch } };
}
