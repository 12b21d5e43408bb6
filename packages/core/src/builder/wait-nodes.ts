/** @module Constructors of nodes that wait: human, collect, wait, timer, called workflows. */
import type { ConditionData } from "../condition.ts";
import type { JsonObject } from "../json.ts";
import type { DataKey, Outcome } from "../workflow.ts";
import type { EventLabels, EventOptions } from "./event-options.ts";
import {
  type DeclaredKeys,
  type DeclaredOutcomes,
  type Exact,
  type Expiry,
  type KeyOptions,
  makeSpec,
  type NodeOptions,
  type NoOptions,
  outcomesWith,
  type RoutingOf,
} from "./node-options.ts";
import type { EveryKey, NodeSpec } from "./node-spec.ts";

/** Options of a work item. Where `writes` is absent and `form` is given, the keys of the form are written. */
export interface HumanOptions extends KeyOptions {
  readonly outcomes?: readonly Outcome[];
  readonly assignees?: readonly string[];
  readonly candidateGroups?: readonly string[];
  /** An ISO 8601 date or duration. */
  readonly deadline?: string;
  readonly form?: JsonObject;
  readonly title?: string;
  readonly events?: readonly EventOptions[];
}

/** Options of a work item that is done when its form is filled in. */
export interface CollectOptions extends Omit<HumanOptions, "outcomes" | "form"> {
  readonly form: JsonObject;
}

/** Options of a wait for somebody outside. */
export interface WaitOptions extends KeyOptions {
  readonly outcomes?: readonly Outcome[];
  readonly assignees?: readonly string[];
  readonly candidateGroups?: readonly string[];
  readonly deadline?: string;
  readonly events?: readonly EventOptions[];
}

/** When a timer is due, ISO 8601; or the key of D that holds it. */
export interface TimerTimes {
  readonly date: string;
  readonly duration: string;
  readonly cycle: string;
  readonly key: DataKey;
}

/** Options of a timer: exactly one of the times. */
export type TimerOptions = NodeOptions &
  {
    [T in keyof TimerTimes]: { readonly [X in T]: TimerTimes[X] } & {
      readonly [X in Exclude<keyof TimerTimes, T>]?: never;
    };
  }[keyof TimerTimes];

/** Options of a called workflow: `inputs` from its keys to ours, `outputs` from our keys to its. */
export interface CallOptions extends NodeOptions {
  readonly workflow: string;
  readonly outcomes?: readonly Outcome[];
  readonly inputs?: Readonly<Record<DataKey, DataKey>>;
  readonly outputs?: Readonly<Record<DataKey, DataKey>>;
  readonly events?: readonly EventOptions[];
  readonly multi?: MultiOptions;
}

/** How often a call runs (D17.7): for each member of the list under `collection`, or `count` times. */
export interface MultiOptions {
  readonly mode: "sequential" | "parallel";
  readonly collection?: DataKey;
  readonly count?: number;
  readonly element?: string;
  readonly index?: string;
  readonly result?: string;
  readonly results?: DataKey;
  readonly completion?: ConditionData;
}

type FormKeys<S> = S extends { readonly writes: readonly DataKey[] }
  ? DeclaredKeys<S, "writes">
  : S extends { readonly form: infer F }
    ? keyof F & DataKey
    : EveryKey;

/** A work item for a person, who completes it with one of the outcomes. */
export function human<const S extends HumanOptions = NoOptions>(
  options?: S & Exact<S, HumanOptions>,
): NodeSpec<DeclaredOutcomes<S> | Expiry<S>, DeclaredKeys<S, "reads">, FormKeys<S>, "none", RoutingOf<S>> {
  const given: HumanOptions = options ?? {};
  return makeSpec("human", withFormKeys(given), outcomesWith(given), "none") as never;
}

/** A work item whose completion writes the fields of a form. */
export function collect<const S extends CollectOptions>(
  options: S & Exact<S, CollectOptions>,
): NodeSpec<
  "done" | EventLabels<S> | Expiry<S>,
  DeclaredKeys<S, "reads">,
  FormKeys<S>,
  "none",
  RoutingOf<S>
> {
  const given: CollectOptions = options;
  const { deadline, events = [] } = given;
  const outcomes = outcomesWith(deadline === undefined ? { events } : { deadline, events });
  return makeSpec("collect", withFormKeys(given), outcomes, "none") as never;
}

/** Rests until somebody outside resumes it with one of the outcomes. */
export function wait<const S extends WaitOptions = NoOptions>(
  options?: S & Exact<S, WaitOptions>,
): NodeSpec<
  DeclaredOutcomes<S> | Expiry<S>,
  DeclaredKeys<S, "reads">,
  DeclaredKeys<S, "writes">,
  "none",
  RoutingOf<S>
> {
  const given: WaitOptions = options ?? {};
  return makeSpec("wait", { ...given }, outcomesWith(given), "none") as never;
}

/** Rests until its time. With `key` the value may be no time: then the outcome is error. */
export function timer<const S extends TimerOptions>(
  options: S & Exact<S, NodeOptions & TimerTimes>,
): NodeSpec<
  S extends { readonly key: DataKey } ? "done" | "error" : "done",
  S extends { readonly key: infer K extends DataKey } ? K : never,
  never,
  "none",
  RoutingOf<S>
> {
  const given: NodeOptions & Partial<TimerTimes> = options;
  const { key } = given;
  const node = { ...given, reads: key === undefined ? [] : [key], writes: [] };
  return makeSpec("timer", node, key === undefined ? ["done"] : ["done", "error"], "none") as never;
}

/** A run of another workflow. Outcomes: those declared (default done), error and cancelled. */
export function called<const S extends CallOptions>(
  options: S & Exact<S, CallOptions>,
): NodeSpec<
  DeclaredOutcomes<S> | "error" | "cancelled",
  S extends { readonly inputs: infer I } ? I[keyof I] & DataKey : EveryKey,
  S extends { readonly outputs: infer X } ? keyof X & DataKey : EveryKey,
  "none",
  RoutingOf<S>
> {
  const given: CallOptions = options;
  const node = {
    ...given,
    ...(given.inputs === undefined ? {} : { reads: [...new Set(Object.values(given.inputs))] }),
    ...(given.outputs === undefined ? {} : { writes: Object.keys(given.outputs) }),
  };
  return makeSpec("subprocess", node, outcomesWith(given, "error", "cancelled"), "none") as never;
}

function withFormKeys(options: HumanOptions): KeyOptions & { readonly [meta: string]: unknown } {
  const { form, writes, events = [] } = options;
  if (form === undefined || writes !== undefined) return { ...options };
  const brought = events.flatMap(({ payload = {} }) => Object.keys(payload));
  return { ...options, writes: [...new Set([...Object.keys(form), ...brought])] };
}
