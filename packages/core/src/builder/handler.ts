/** @module The bodies that a program gives to the nodes of a workflow: what they get and what they answer. */
import type { Json, JsonObject } from "../json.ts";
import type { Mutation } from "../mutation.ts";
import type { ProductGraph, ProductObject } from "../product-graph.ts";
import type { DataKey, Outcome, WorkflowNode } from "../workflow.ts";
import type { DataSchemas, KeyOf, ValueOf } from "./data-schemas.ts";
import type { Entry, EveryKey, NodeSpec, OutcomesOf, ReadsOf, WritesOf } from "./node-spec.ts";

/**
 * What a body answers: the outcome (default done), keys of D to set (undefined unsets one), a proposed mutation of G.
 * The types of the handlers of a program are narrower; this is what a host calls.
 */
export interface HandlerResult {
  readonly outcome?: Outcome | undefined;
  readonly patch?: { readonly [key: DataKey]: Json | undefined } | undefined;
  readonly mutation?: Mutation | undefined;
}

/** What an inline body gets. It is pure: same context, same answer. */
export interface InlineContext {
  /** The data of the run. */
  readonly data: { [key: DataKey]: Json };
  readonly graph: ProductGraph;
  readonly node: WorkflowNode;
  /** The recorded time of the turn, in ms since the epoch. */
  readonly now: number;
}

/** An inline body as a host calls it; a verifier answers a boolean. */
export type InlineFunction = (context: InlineContext) => HandlerResult | boolean | undefined;

/** Where a job reports to; the host decides what becomes of it. */
export interface JobLog {
  readonly debug: (message: string, facts?: JsonObject) => void;
  readonly info: (message: string, facts?: JsonObject) => void;
  readonly warn: (message: string, facts?: JsonObject) => void;
  readonly error: (message: string, facts?: JsonObject) => void;
}

/** The platform's AbortSignal where the program has one, else the part of it that jobs need. */
// biome-ignore lint/style/noRestrictedGlobals: a type is asked, nothing global is used
export type CancelSignal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer S } }
  ? S
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      readonly throwIfAborted: () => void;
      readonly addEventListener: (type: "abort", listener: () => void) => void;
      readonly removeEventListener: (type: "abort", listener: () => void) => void;
    };

/** G as a job sees it: as it was when first asked for in the attempt. Every look counts as a read of the job. */
export interface JobGraph {
  readonly object: (id: string) => ProductObject | undefined;
  readonly objectsOfType: (type: string) => readonly ProductObject[];
  /** Ids of the objects that link to `id`. */
  readonly sourcesOf: (id: string) => readonly string[];
}

/** What a job gets besides its data. */
interface JobSupport {
  /** Aborted when the result is no longer wanted: time is up, the run was cancelled, the host closes. */
  readonly signal: CancelSignal;
  /** The same for every attempt at one visit of the node: pass it on, so that the effect happens once. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  readonly log: JobLog;
  /** G. If something that was read has changed when the job answers, the attempt has failed: STALE_READ. */
  readonly graph: () => Promise<JobGraph>;
  /** The recorded time at which the job was started, in ms since the epoch. */
  readonly now: number;
}

/** What a job gets. */
export interface JobContext extends JobSupport {
  readonly data: { readonly [key: DataKey]: Json };
}

/** A job as a host calls it. */
export type JobFunction = (
  context: JobContext,
) => HandlerResult | undefined | Promise<HandlerResult | undefined>;

/** `EveryKey` spelt out. */
type Spelt<D extends DataSchemas, K> = [EveryKey] extends [K] ? KeyOf<D> : K & KeyOf<D>;

/** The data that a node reads: keys that a run starts with have a value, others may have none yet. */
type HandlerData<D extends DataSchemas, I extends DataKey, S extends NodeSpec> = {
  readonly [K in Spelt<D, ReadsOf<S>>]: K extends I ? ValueOf<D[K]> : ValueOf<D[K]> | undefined;
};

/** The patch that a node may answer: the keys that it writes. A key that a run starts with is never unset. */
type HandlerPatch<D extends DataSchemas, I extends DataKey, S extends NodeSpec> = {
  readonly [K in Spelt<D, WritesOf<S>>]?: K extends I ? ValueOf<D[K]> : ValueOf<D[K]> | undefined;
};

/** The answer of the handler of a node; without an outcome "done" the outcome must be said. */
type HandlerAnswer<D extends DataSchemas, I extends DataKey, S extends NodeSpec> = {
  readonly patch?: HandlerPatch<D, I, S> | undefined;
  readonly mutation?: Mutation | undefined;
} & ("done" extends OutcomesOf<S>
  ? { readonly outcome?: OutcomesOf<S> | undefined }
  : { readonly outcome: OutcomesOf<S> });

type Silent<S extends NodeSpec> = "done" extends OutcomesOf<S> ? undefined : never;

/** The handler of one node. */
type HandlerOf<D extends DataSchemas, I extends DataKey, S extends NodeSpec> = S["handler"] extends "verifier"
  ? (context: Omit<InlineContext, "data"> & { readonly data: HandlerData<D, I, S> }) => boolean
  : S["handler"] extends "inline"
    ? (
        context: Omit<InlineContext, "data"> & { readonly data: HandlerData<D, I, S> },
      ) => HandlerAnswer<D, I, S> | Silent<S>
    : (
        context: JobSupport & { readonly data: HandlerData<D, I, S> },
      ) => HandlerAnswer<D, I, S> | Silent<S> | Promise<HandlerAnswer<D, I, S> | Silent<S>>;

/** The entries whose node needs a handler. */
type Handled<E extends Entry> = E extends { readonly spec: { readonly handler: "none" | "route" } }
  ? never
  : E;

/** A handler for each node that needs one, and for no other. */
export type HandlersOf<D extends DataSchemas, I extends DataKey, E extends Entry> = {
  readonly [X in Handled<E> as X["id"]]: HandlerOf<D, I, X["spec"]>;
};

type KeysOf<T> = T extends unknown ? keyof T : never;
type PatchKeys<R> = R extends { readonly patch?: infer P } ? KeysOf<NonNullable<P>> : never;

/** The keys in the patches of handler `F` that node `S` does not write. */
type StrayKeys<D extends DataSchemas, S extends NodeSpec, F> = F extends (...args: never) => infer R
  ? Exclude<PatchKeys<Awaited<R>>, Spelt<D, WritesOf<S>>>
  : never;

/** Refuses handlers without a node, and keys in patches that the node does not write. */
export type NoStrays<D extends DataSchemas, E extends Entry, F> = {
  readonly [X in keyof F]: X extends Handled<E>["id"]
    ? [StrayKeys<D, Extract<E, { readonly id: X }>["spec"], F[X]>] extends [never]
      ? unknown
      : {
          readonly "the node does not declare to write": StrayKeys<
            D,
            Extract<E, { readonly id: X }>["spec"],
            F[X]
          >;
        }
    : "no node of this name needs a handler";
};
