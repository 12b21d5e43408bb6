/** @module Timers that start workflows as a store keeps them: of each the time that comes next, until it has been used. */
import type { Hash, Outcome } from "@tessera/core";
import type { TenantId } from "./store.ts";

/** A timer of the start of a workflow: its label, and the time that comes next (ms since the epoch). */
export interface StartTimer {
  readonly event: Outcome;
  readonly dueAt: number;
  /** Times that come after it; -1: there is no last one. */
  readonly remaining: number;
  /** From one time to the next, as the engine reads it; null where there is one time only. */
  readonly repeat: string | null;
}

/** A timer with the name and the version that it starts. */
export interface StartTimerRow extends StartTimer {
  readonly tenant: TenantId;
  readonly workflow: string;
  readonly definition: Hash;
}

/** Which timers: those of one tenant (default: of all), due by a time (default: whenever), at most `limit`. */
export interface StartTimerQuery {
  readonly tenant?: TenantId;
  readonly dueBy?: number;
  readonly limit: number;
}
