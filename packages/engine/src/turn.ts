/** @module What goes into a turn and what comes out: the types that step, hosts and tests share. */
import type {
  ConditionEnvironment,
  Constraint,
  Data,
  ItemId,
  Json,
  JsonObject,
  Mutation,
  NodeId,
  Outcome,
  ProductGraph,
  RunState,
  Trouble,
  TurnInput,
  TurnRecord,
  WorkflowNode,
} from "@tessera/core";

/** What an inline body sees. `data` is a draft: a body may change it, or return a patch, or both. */
export interface InlineContext {
  readonly data: { [key: string]: Json };
  readonly graph: ProductGraph;
  readonly node: WorkflowNode;
  /** The turn's recorded time, ms since the epoch. */
  readonly now: number;
}

/** What a body answers: a label (default done), keys of D to set (undefined unsets), a proposed mutation of G. */
export interface BodyAnswer {
  readonly outcome?: Outcome;
  readonly patch?: { readonly [key: string]: Json | undefined };
  readonly mutation?: Mutation;
}

/** An inline body: pure and synchronous; no answer means done. A verifier answers a boolean. */
export type InlineFunction = (context: InlineContext) => BodyAnswer | boolean | undefined;

/** The functions that a definition needs inside the turn, by name. Pure. */
export interface Bodies {
  readonly functions: ReadonlyMap<string, InlineFunction>;
  readonly conditions: ConditionEnvironment;
  /** Problems of new values of keys of D (schemas), null when there are none. */
  readonly validate: (patch: { readonly [key: string]: Json | undefined }) => Trouble | null;
  readonly constraints: readonly Constraint[];
}

/** When something is due: the moment, the occurrences that remain after it and the duration between them. */
export type Due = { readonly kind: "due"; readonly at: number; readonly remaining: number; readonly repeat?: string } | { readonly kind: "trouble"; readonly trouble: Trouble };

/** The limits of a turn. */
export interface TurnLimits {
  /** Firings after which the turn commits and goes on as the next one. */
  readonly firingsMax: number;
  /** Steps of a whole run: the fuse. */
  readonly stepsMax: number;
  /** Bytes of D. */
  readonly dataBytesMax: number;
}

/** Everything that a turn may ask: recorded inputs and pure functions. */
export interface StepEnvironment {
  readonly now: number;
  readonly seed: string;
  readonly bodies: Bodies;
  readonly limits: TurnLimits;
  readonly graph: ProductGraph;
  /** Due time of an ISO 8601 date, duration or cycle, counted from `from`. */
  readonly due: (expression: string, from: number) => Due;
}

/** What an input brings besides what is recorded of it. */
export interface InputPayload {
  readonly patch?: { readonly [key: string]: Json | undefined };
  readonly mutation?: Mutation;
  /** New status of a called run. */
  readonly child?: { readonly status: "running" | "waiting"; readonly modes: RunState["modes"] };
}

/** Why an input opens no turn: nothing of it is recorded, the run is as it was. */
export interface InputRefusal {
  readonly kind: "refused";
  readonly code: "not-open" | "wrong-kind" | "unknown-outcome" | "invalid-data" | "ended" | "started" | "not-due";
  readonly message: string;
  readonly facts: JsonObject;
}

/** A turn that is ready to commit. `isUnfinished`: the firing budget ran out, continue with the next turn. */
export interface TurnReady {
  readonly kind: "turn";
  readonly record: TurnRecord;
  readonly state: RunState;
  readonly mutations: readonly Mutation[];
  readonly graph: ProductGraph;
  readonly isUnfinished: boolean;
}

/** An input with its payload. */
export interface InputEvent {
  readonly input: TurnInput;
  readonly payload?: InputPayload;
}

export type { Data, ItemId, NodeId };
