/** @module Constructors of nodes with a body of the program's: transform, verifier, tool, integration, agent. */
import type { JsonObject } from "../json.ts";
import type { DataKey, GraphClaim, Outcome } from "../workflow.ts";
import type { EventOptions } from "./event-options.ts";
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
import type { EveryKey, HandlerKind, NodeSpec } from "./node-spec.ts";

/** Options of a transform. `function` names one that the host registered; then the program gives no handler. */
export interface TransformOptions extends KeyOptions {
  readonly outcomes?: readonly Outcome[];
  readonly function?: string;
}

/** Options of a verifier: it writes the boolean `passKey` and nothing else. */
export interface VerifierOptions extends NodeOptions {
  readonly passKey: DataKey;
  readonly reads?: readonly DataKey[];
  readonly graph?: Pick<GraphClaim, "reads">;
  readonly function?: string;
}

/** Options of a job. `port` names one that the host registered; times are ISO 8601. */
export interface JobOptions extends KeyOptions {
  readonly outcomes?: readonly Outcome[];
  readonly port?: string;
  readonly deadline?: string;
  readonly timeout?: string;
  readonly retry?: JsonObject;
  readonly inputs?: JsonObject;
  readonly events?: readonly EventOptions[];
}

/** Options of an integration: `connector` is the sealed connector that it calls. */
export interface IntegrationOptions extends JobOptions {
  readonly connector?: string;
}

/** Options of an agent. With an orchestration or a limit of turns it can end "exhausted". */
export interface AgentOptions extends JobOptions {
  readonly orchestration?: JsonObject;
  readonly ideCapable?: boolean;
  readonly turnsMax?: number;
}

/** Options of a node of a registered kind. `outcomes` is its whole alphabet, "error" included where it has one. */
export interface CustomOptions extends KeyOptions {
  readonly outcomes: readonly Outcome[];
  readonly handler?: "inline" | "job" | "none";
  readonly meta?: JsonObject;
}

type Inline<S> = S extends { readonly function: string } ? "none" : "inline";
type Job<S> = S extends { readonly port: string } ? "none" : "job";

/** The node of a job: its outcomes, those of its kind, "error", and "expired" with a deadline. */
export type JobSpec<S, Added extends Outcome = never> = NodeSpec<
  DeclaredOutcomes<S> | Added | "error" | Expiry<S>,
  DeclaredKeys<S, "reads">,
  DeclaredKeys<S, "writes">,
  Job<S>,
  RoutingOf<S>
>;

/** A pure function of the data, in the turn. Outcomes: those declared (default done) and error. */
export function transform<const S extends TransformOptions = NoOptions>(
  options?: S & Exact<S, TransformOptions>,
): NodeSpec<
  DeclaredOutcomes<S> | "error",
  DeclaredKeys<S, "reads">,
  DeclaredKeys<S, "writes">,
  Inline<S>,
  RoutingOf<S>
> {
  const given: TransformOptions = options ?? {};
  const handler = given.function === undefined ? "inline" : "none";
  return makeSpec("transform", { ...given }, outcomesWith(given, "error"), handler) as never;
}

/** A pure predicate of the data, in the turn: its answer is the verdict under `passKey`. Outcomes: done, error. */
export function verifier<const S extends VerifierOptions>(
  options: S & Exact<S, VerifierOptions>,
): NodeSpec<
  "done" | "error",
  DeclaredKeys<S, "reads">,
  S["passKey"],
  S extends { readonly function: string } ? "none" : "verifier",
  RoutingOf<S>
> {
  const given: VerifierOptions = options;
  const handler = given.function === undefined ? "verifier" : "none";
  const { graph } = given;
  const claim = graph === undefined ? {} : { graph: { ...graph, writes: {} } };
  const node = { ...given, ...claim, writes: [given.passKey] };
  return makeSpec("verifier", node, ["done", "error"], handler) as never;
}

/** A tool, called outside the turn. */
export function tool<const S extends JobOptions = NoOptions>(options?: S & Exact<S, JobOptions>): JobSpec<S> {
  return job("tool", options) as never;
}

/** A sealed connector, called outside the turn. */
export function integration<const S extends IntegrationOptions = NoOptions>(
  options?: S & Exact<S, IntegrationOptions>,
): JobSpec<S> {
  return job("integration", options) as never;
}

/** An agentic step, outside the turn. */
export function agent<const S extends AgentOptions = NoOptions>(
  options?: S & Exact<S, AgentOptions>,
): JobSpec<
  S,
  S extends { readonly orchestration: JsonObject } | { readonly turnsMax: number } ? "exhausted" : never
> {
  const given: AgentOptions = options ?? {};
  const isLimited = given.orchestration !== undefined || given.turnsMax !== undefined;
  return job("agent", given, ...(isLimited ? ["exhausted"] : [])) as never;
}

/** A node of a kind that the host registers. */
export function custom<const S extends CustomOptions>(
  kind: string,
  options: S & Exact<S, CustomOptions>,
): NodeSpec<
  S["outcomes"][number],
  DeclaredKeys<S, "reads">,
  DeclaredKeys<S, "writes">,
  S extends { readonly handler: infer H extends HandlerKind } ? H : "none",
  RoutingOf<S>
> {
  const { outcomes, handler, meta, ...members }: CustomOptions = options;
  return makeSpec(kind, { ...members }, outcomes, handler ?? "none", meta ?? {}) as never;
}

function job(
  kind: string,
  options: JobOptions | undefined,
  ...added: readonly Outcome[]
): NodeSpec<Outcome, EveryKey> {
  const given = options ?? {};
  const handler = given.port === undefined ? "job" : "none";
  return makeSpec(kind, { ...given }, outcomesWith(given, ...added, "error"), handler);
}
