/** @module The limits of an engine: everything that can grow has one. */

/** All bounds are included. */
export interface EngineLimits {
  /** Firings after which a turn commits and goes on as the next one. */
  readonly firingsMax: number;
  /** Steps of a whole run: the fuse. */
  readonly stepsMax: number;
  /** Bytes of the data of a run, in canonical JSON. */
  readonly dataBytesMax: number;
  /** Bytes of what one input brings: the data of a start or a completion, the answer of a job. */
  readonly messageBytesMax: number;
  /** How long a message waits for its receiver that does not say it, in ms. */
  readonly messageTtlMs: number;
  /** Bytes of the patch and the mutation of one step. */
  readonly eventBytesMax: number;
  /** Bytes of patches and mutations after which a turn commits and goes on as the next one. */
  readonly turnBytesMax: number;
  /** Calls inside calls. */
  readonly callDepthMax: number;
  /** Attempts to commit one turn against other writers. */
  readonly conflictsMax: number;
  /** Times that a job may be claimed without an answer before somebody must look: its process dies each time. */
  readonly claimsMax: number;
  /** Runs whose state is kept in memory. */
  readonly cachedRunsMax: number;
  /** Turns behind the newest snapshot before another one is considered. */
  readonly snapshotTurns: number;
  /** Times of one timer that have passed and whose runs are started late, the latest ones; earlier ones are left out. At least 1. */
  readonly missedStartsMax: number;
  /** How long a worker holds a job without renewing, in ms. */
  readonly leaseMs: number;
  /** How long a job may take that says nothing itself, in ms. */
  readonly jobTimeoutMs: number;
}

const MIB = 1_048_576;

/** The limits unless the host sets its own. */
export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  firingsMax: 1_000,
  stepsMax: 100_000,
  dataBytesMax: 16 * MIB,
  messageBytesMax: 8 * MIB,
  messageTtlMs: 3_600_000,
  eventBytesMax: 8 * MIB,
  turnBytesMax: 4 * MIB,
  callDepthMax: 16,
  conflictsMax: 50,
  claimsMax: 20,
  cachedRunsMax: 1_000,
  snapshotTurns: 100,
  missedStartsMax: 1_000,
  leaseMs: 30_000,
  jobTimeoutMs: 300_000,
};
