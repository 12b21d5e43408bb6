/** @module The limits of a search: always explicit, always finite. */
import type { Limit } from "./verdict.ts";

/** What a search may use. All bounds are included. */
export interface Limits {
  /** Markings stored. */
  readonly statesMax: number;
  /** Markings stored once the net is known to be unsound: the rest only settles the other obligations. */
  readonly statesAfterFailureMax: number;
  /** Milliseconds by the clock of the call. */
  readonly timeoutMs: number;
  /** Bytes of the packed markings and edges; checked between slices, so the arrays may have doubled once more. */
  readonly bytesMax: number;
}

/** The limits of `tessera check`: each net of the industrial collections takes well under a second. */
export const DEFAULT_LIMITS: Limits = {
  statesMax: 500_000,
  statesAfterFailureMax: 20_000,
  timeoutMs: 20_000,
  bytesMax: 512 * 1024 * 1024,
};

/** Anything with the flag of an AbortSignal. */
export interface Abortable {
  readonly aborted: boolean;
}

/** Limits with a clock that has started. */
export interface Budget {
  readonly limits: Limits;
  /** The limit that time or the caller has reached by now, if any. `states` is reported with an abort. */
  readonly exhausted: (states: number) => Limit | null;
}

/** Starts the clock. `now` gives milliseconds from any origin and never goes back. */
export function startBudget(limits: Limits, now: () => number, signal: Abortable | null): Budget {
  const start = now();
  return {
    limits,
    exhausted: (states) => {
      if (signal?.aborted === true) return { kind: "aborted", at: states };
      const elapsed = now() - start;
      return elapsed > limits.timeoutMs ? { kind: "time", at: limits.timeoutMs } : null;
    },
  };
}
