/** @module Constructors of nodes that route: start, end, gateway, decision, embedded subprocess. */
import type { DataKey, NodeId, Outcome } from "../workflow.ts";
import type { EventOptions } from "./event-options.ts";
import type { MergeOptions, StageOptions } from "./hold-options.ts";
import {
  type DeclaredOutcomes,
  type Exact,
  makeSpec,
  type NodeOptions,
  type NoOptions,
  outcomesWith,
  type RoutingOf,
} from "./node-options.ts";
import type { NodeSpec } from "./node-spec.ts";

/** Options of a start: `input` names the keys of D that a run starts with. */
export interface StartOptions extends Omit<NodeOptions, "join"> {
  readonly input?: readonly DataKey[];
}

/** Options of an end: its label (default done); `terminate` empties everything else in its scope. */
export interface EndOptions extends NodeOptions {
  readonly outcome?: Outcome;
  readonly terminate?: boolean;
}

/**
 * Options of a decision: by the value of `key` (text of the value to outcome), with an outcome "default" if `default`
 * is true; as the verdict of a governed loop; or, without either, by the guards of its arcs.
 */
export interface DecisionOptions extends NodeOptions {
  readonly key?: DataKey;
  readonly branches?: Readonly<Record<string, Outcome>>;
  readonly default?: boolean;
  readonly loop?: {
    readonly id: string;
    readonly budget: number;
    readonly passKey: DataKey;
    readonly proves: string;
    readonly body: readonly NodeId[];
    /** Hold back the mutations of the body until it passes. */
    readonly stage?: boolean;
  };
}

/**
 * Options of a gateway: it closes a block whose branches hold back what they write (`stage`, `merge`); or it starts when
 * `activation` of its arcs are marked, as a complex gateway does.
 */
export type GatewayOptions = NodeOptions &
  (StageOptions | MergeOptions | { readonly stage?: never; readonly merge?: never }) & {
    readonly activation?: number;
  };

type AllGatewayOptions = NodeOptions & StageOptions & { readonly activation?: number };

/** One that closes such a block can be refused. */
type GatewayOutcome<S> = S extends { readonly stage: true } | { readonly merge: object }
  ? "done" | "error"
  : "done";

type MergedKey<S> = S extends { readonly merge: infer M } ? keyof M & DataKey : never;

/** Options of an embedded subprocess: its first node, which names it as `scope`, and the labels of its ends. */
export interface EmbeddedOptions extends NodeOptions {
  readonly entry: NodeId;
  readonly outcomes?: readonly Outcome[];
  readonly events?: readonly EventOptions[];
}

type DecisionKey<S> = S extends { readonly key: infer K extends DataKey }
  ? K
  : S extends { readonly loop: { readonly passKey: infer P extends DataKey } }
    ? P
    : never;

type DecisionOutcome<S> = S extends { readonly loop: object }
  ? "pass" | "fail" | "exhausted" | "error"
  : S extends { readonly branches: infer T }
    ? (T[keyof T] & Outcome) | (S extends { readonly default: true } ? "default" : "error")
    : "done";

/** Where a run begins. */
export function start<const S extends StartOptions = NoOptions>(
  options?: S & Exact<S, StartOptions>,
): NodeSpec<
  "done",
  never,
  S extends { readonly input: readonly (infer K extends DataKey)[] } ? K : never,
  "route",
  RoutingOf<S>
> {
  const { input, ...given }: StartOptions = options ?? {};
  const node = input === undefined ? given : { ...given, writes: input };
  return makeSpec("start", node, ["done"], "route") as never;
}

/** Where a run, or an embedded subprocess, ends. */
export function end<const S extends EndOptions = NoOptions>(
  options?: S & Exact<S, EndOptions>,
): NodeSpec<never, never, never, "route", RoutingOf<S>> {
  return makeSpec("end", { ...options }, [], "route") as never;
}

/** Joins and splits, and nothing else; or closes a block that holds back. */
export function gateway<const S extends GatewayOptions = NoOptions>(
  options?: S & Exact<S, AllGatewayOptions>,
): NodeSpec<GatewayOutcome<S>, MergedKey<S>, never, "route", RoutingOf<S>> {
  const given: GatewayOptions = options ?? {};
  const isClosing = given.stage === true || given.merge !== undefined;
  return makeSpec("gateway", { ...given }, isClosing ? ["done", "error"] : ["done"], "route") as never;
}

/** Chooses one branch. */
export function decision<const S extends DecisionOptions = NoOptions>(
  options?: S & Exact<S, DecisionOptions>,
): NodeSpec<DecisionOutcome<S>, DecisionKey<S>, never, "route", RoutingOf<S>> {
  const given: DecisionOptions = options ?? {};
  return makeSpec("decision", { ...given }, decisionOutcomes(given), "route") as never;
}

/** A part of the workflow with ends of its own; its content are the nodes whose `scope` it is. */
export function embedded<const S extends EmbeddedOptions>(
  options: S & Exact<S, EmbeddedOptions>,
): NodeSpec<DeclaredOutcomes<S>, never, never, "route", RoutingOf<S>> {
  const given: EmbeddedOptions = options;
  return makeSpec("subprocess", { ...given }, outcomesWith(given), "route") as never;
}

function decisionOutcomes(options: DecisionOptions): readonly Outcome[] {
  if (options.loop !== undefined) return ["pass", "fail", "exhausted", "error"];
  if (options.branches === undefined) return ["done"];
  return [...Object.values(options.branches), options.default === true ? "default" : "error"];
}
