/** @module A node under construction: what it is as data, and at type level its outcomes, keys and handler. */
import type { DataKey, Outcome, WorkflowNode } from "../workflow.ts";

/**
 * The handler that a program must give for a node. inline: a function in the turn. verifier: the same, it answers the
 * verdict. job: a function outside the turn. none: a person, a clock, a called workflow, or something that the host
 * registered answers. route: the node has no body.
 */
export type HandlerKind = "inline" | "verifier" | "job" | "none" | "route";

declare const everyKey: unique symbol;
/** Stands for all keys of D, where a node declares none. */
export type EveryKey = string & { readonly [everyKey]: true };

/** The options that place a node in a graph by hand; a block places its steps itself. */
type Routing = "join" | "split" | "scope";

/**
 * A node without its id. `outcomes` is O(n). Type parameters: outcomes, keys read, keys written, the handler, and the
 * routing options that were given.
 */
export interface NodeSpec<
  O extends Outcome = Outcome,
  R extends DataKey = DataKey,
  W extends DataKey = DataKey,
  H extends HandlerKind = HandlerKind,
  P extends Routing = Routing,
> {
  readonly node: Omit<WorkflowNode, "id">;
  readonly outcomes: readonly O[];
  readonly handler: H;
  /** Exists for the type checker only. */
  readonly "~types"?: { readonly reads: R; readonly writes: W; readonly routing: P };
}

/** O(n) of a node under construction. */
export type OutcomesOf<S> = S extends NodeSpec<infer O, DataKey, DataKey, HandlerKind, Routing> ? O : never;
/** The keys that a node declares to read. */
export type ReadsOf<S> = S extends NodeSpec<Outcome, infer R, DataKey, HandlerKind, Routing> ? R : never;
/** The keys that a node declares to write. */
export type WritesOf<S> = S extends NodeSpec<Outcome, DataKey, infer W, HandlerKind, Routing> ? W : never;

/** A node of a program: its id and what it is. */
export interface Entry<I extends string = string, S extends NodeSpec = NodeSpec> {
  readonly id: I;
  readonly spec: S;
}
