/** @module What the constructors of nodes share: options, what they say at type level, and the node made of them. */
import type { Json, JsonObject } from "../json.ts";
import type { DataKey, GraphClaim, Join, NodeId, Outcome, Split } from "../workflow.ts";
import { type EventLabels, type EventOptions, eventLabels } from "./event-options.ts";
import type { EveryKey, HandlerKind, NodeSpec } from "./node-spec.ts";

/** Options of every node. The last three are for nodes that are placed by hand. */
export interface NodeOptions {
  readonly label?: string;
  readonly join?: Join;
  readonly split?: Split | Readonly<Record<Outcome, Split>>;
  /** The embedded subprocess node that contains the node. */
  readonly scope?: NodeId;
}

/** Options of nodes that touch data: absent means any key, and any object of G. */
export interface KeyOptions extends NodeOptions {
  readonly reads?: readonly DataKey[];
  readonly writes?: readonly DataKey[];
  readonly graph?: GraphClaim;
}

/** The options of a constructor that got none. */
export type NoOptions = Readonly<Record<never, never>>;

/** Refuses members that `T` does not have: a misspelt option must not be silence. */
export type Exact<S, T> = Readonly<Record<Exclude<keyof S, keyof T>, never>>;

/** The outcomes that the options declare, else "done", and the labels of their events. */
export type DeclaredOutcomes<S> =
  | (S extends { readonly outcomes: readonly (infer O extends Outcome)[] } ? O : "done")
  | EventLabels<S>;

/** "expired" where the options have a deadline. */
export type Expiry<S> = S extends { readonly deadline: string } ? "expired" : never;

/** The keys that the options declare under `M`. */
export type DeclaredKeys<S, M extends "reads" | "writes"> = S extends {
  readonly [X in M]: readonly (infer K extends DataKey)[];
}
  ? K
  : EveryKey;

/** The routing options among the options. (Not `keyof S`: from that the checker would infer options that nobody gave.) */
export type RoutingOf<S> =
  | (S extends { readonly join: unknown } ? "join" : never)
  | (S extends { readonly split: unknown } ? "split" : never)
  | (S extends { readonly scope: unknown } ? "scope" : never);

/** A node of `kind`: the options of every node go to its members, the others to its meta, unless that is given. */
export function makeSpec<O extends Outcome, H extends HandlerKind>(
  kind: string,
  options: KeyOptions & { readonly [meta: string]: unknown },
  outcomes: readonly O[],
  handler: H,
  givenMeta?: JsonObject,
): NodeSpec<O, never, never, H, never> {
  const { label, join, split, scope, reads, writes, graph, ...rest } = options;
  const meta = defined(givenMeta ?? rest);
  const node = defined({
    kind,
    label,
    join,
    split,
    reads,
    writes,
    graph,
    scope,
    meta: Object.keys(meta).length === 0 ? undefined : meta,
  });
  return { node: node as unknown as NodeSpec["node"], outcomes: [...new Set(outcomes)], handler };
}

/** The outcomes that options declare (default done), those of their events, then those that the kind adds. */
export function outcomesWith(
  options: {
    readonly outcomes?: readonly Outcome[];
    readonly deadline?: string;
    readonly events?: readonly EventOptions[];
  },
  ...added: readonly Outcome[]
): readonly Outcome[] {
  return [
    ...(options.outcomes ?? ["done"]),
    ...eventLabels(options.events),
    ...added,
    ...(options.deadline === undefined ? [] : ["expired"]),
  ];
}

/** The members that have a value: absence, not undefined, is what JSON can say. */
function defined(members: Readonly<Record<string, unknown>>): JsonObject {
  const given = Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries(given);
}
