/** @module Constructors of events on the way: catch waits for the first of its events, throw sends one. */
import type { DataKey } from "../workflow.ts";
import { type EventLabels, type EventOptions, eventLabels } from "./event-options.ts";
import {
  type DeclaredKeys,
  type Exact,
  type KeyOptions,
  makeSpec,
  type NodeOptions,
  type RoutingOf,
} from "./node-options.ts";
import type { NodeSpec } from "./node-spec.ts";

/** Options of a catch: its events are all that it waits for. */
export interface CatchOptions extends KeyOptions {
  readonly events: readonly EventOptions[];
}

/** Options of a throw: a message (with the key of D that correlates it), a signal, or an escalation. */
export interface ThrowOptions extends NodeOptions {
  readonly on: "message" | "signal" | "escalation";
  readonly name: string;
  readonly key?: DataKey;
  readonly payload?: Readonly<Record<string, DataKey>>;
  readonly ttl?: string;
}

/** Waits for the first of its events; the others are closed in the same turn. */
export function catchEvent<const S extends CatchOptions>(
  options: S & Exact<S, CatchOptions>,
): NodeSpec<EventLabels<S>, DeclaredKeys<S, "reads">, DeclaredKeys<S, "writes">, "none", RoutingOf<S>> {
  const given: CatchOptions = options;
  return makeSpec("catch", { ...given }, eventLabels(given.events), "none") as never;
}

/** Sends a message or a signal with the turn, or raises an escalation, and goes on. */
export function throwEvent<const S extends ThrowOptions>(
  options: S & Exact<S, ThrowOptions>,
): NodeSpec<
  S extends { readonly key: DataKey } ? "done" | "error" : "done",
  | (S extends { readonly key: infer K extends DataKey } ? K : never)
  | (S extends { readonly payload: infer P } ? P[keyof P] & DataKey : never),
  never,
  "route",
  RoutingOf<S>
> {
  const given: ThrowOptions = options;
  const { key, payload = {} } = given;
  const reads = [...new Set([...(key === undefined ? [] : [key]), ...Object.values(payload)])];
  const outcomes = key === undefined ? ["done"] : ["done", "error"];
  return makeSpec("throw", { ...given, reads, writes: [] }, outcomes, "route") as never;
}
