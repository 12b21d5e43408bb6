/** @module What goes into a turn and what comes out: the types that step, hosts and tests share. */
import type {
  ChildStatus,
  ConditionEnvironment,
  Constraint,
  InlineFunction,
  Json,
  JsonObject,
  Mutation,
  ProductGraph,
  RunState,
  StepRecord,
  Trouble,
  TurnInput,
  TurnRecord,
} from "@tessera/core";
import type { GraphRead } from "./graph-reads.ts";

/** The functions that a definition needs inside the turn, by name. Pure. */
export interface Bodies {
  readonly functions: Pick<ReadonlyMap<string, InlineFunction>, "get">;
  readonly conditions: ConditionEnvironment;
  /** Problems of new values of keys of D (schemas), null when there are none. */
  readonly validate: (patch: { readonly [key: string]: Json | undefined }) => Trouble | null;
  readonly constraints: readonly Constraint[];
}

/** When something is due: the moment, the occurrences that remain after it (-1: no last one) and the expression of the next. */
export type Due =
  | { readonly kind: "due"; readonly at: number; readonly remaining: number; readonly repeat?: string }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** The limits of a turn. */
export interface TurnLimits {
  /** Firings after which the turn commits and goes on as the next one. */
  readonly firingsMax: number;
  /** Steps of a whole run: the fuse. */
  readonly stepsMax: number;
  /** Bytes of D. */
  readonly dataBytesMax: number;
  /** Bytes of the patch and the mutation of one step. */
  readonly eventBytesMax: number;
  /** Bytes of patches and mutations after which the turn commits and goes on as the next one. */
  readonly turnBytesMax: number;
}

/** Everything that a turn may ask: recorded inputs and pure functions. */
export interface StepEnvironment {
  /** What the clock says: from it the turn counts what comes due. */
  readonly now: number;
  /** The time of the turn, which it records; that of the turn before where the clock is behind it. */
  readonly at: number;
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
  /** What a message or a signal carries. */
  readonly data?: JsonObject;
  /** What a job read of G for its answer. */
  readonly reads?: readonly GraphRead[];
  /** New status of a called run. */
  readonly child?: ChildStatus;
  /** The first step of a reroute, a migration or a fork: the marking and the items on which the turn begins. */
  readonly placing?: StepRecord;
}

/**
 * Why an input opens no turn: nothing of it is recorded, the run is as it was. unavailable: a predicate or an
 * expression language that the guards behind it need is not registered here. suspended: an operator has stopped the run.
 * stale-read: the answer of a job rests on parts of G that have changed.
 */
export interface InputRefusal {
  readonly kind: "refused";
  readonly code:
    | "not-open"
    | "wrong-kind"
    | "unknown-outcome"
    | "invalid-data"
    | "ended"
    | "started"
    | "not-due"
    | "stale"
    | "suspended"
    | "stale-read"
    | "unavailable";
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
  /** A function of the application saw G in this turn: what it answered holds for that G only. */
  readonly hasReadGraph: boolean;
  /** About the bytes of the record: those of its data, patches and mutations. */
  readonly bytes: number;
  readonly isUnfinished: boolean;
}

/** An input with its payload. */
export interface InputEvent {
  readonly input: TurnInput;
  readonly payload?: InputPayload;
}
