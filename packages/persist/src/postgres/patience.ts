/** @module Trying again what another writer or a lost connection undid. */
import { isLockTimeout, storeFault } from "./faults.ts";

/** How long one attempt waits in the database for what other transactions hold, in ms. */
export const LOCK_MS = 1_000;

/** As many of the longest waits between attempts are about as long: a wait in the database counts as so many attempts. */
const LOCK_ATTEMPTS = 8;

/** How long a store waits for other writers, and for a server that is not there. */
export interface RetryOptions {
  /** Attempts after the first (default 80, about ten seconds in all). */
  readonly retriesMax?: number;
  /** The first wait in ms, doubled with each attempt (default 2). */
  readonly waitMs?: number;
  /** The longest wait in ms (default 200). */
  readonly waitMaxMs?: number;
  /** A number in [0, 1), so that two writers do not wait in step (default Math.random). */
  readonly random?: () => number;
  /** Waits (default setTimeout). */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** What `attempt` returns; while its fault passes, more attempts follow. Rejects with StoreErrors where they are known. */
export type Patience = <T>(passes: (fault: unknown) => boolean, attempt: () => Promise<T>) => Promise<T>;

/** Waits between half and all of a doubling time before each further attempt. */
export function patience(options: RetryOptions): Patience {
  const { retriesMax = 80, waitMs = 2, waitMaxMs = 200, random = Math.random, sleep = wait } = options;
  return async (passes, attempt) => {
    for (let count = 0; ; count += 1) {
      try {
        return await attempt();
      } catch (fault) {
        if (!passes(fault) || count >= retriesMax) throw storeFault(fault);
        if (isLockTimeout(fault)) count += LOCK_ATTEMPTS - 1;
        await sleep(Math.min(waitMaxMs, waitMs * 2 ** Math.min(count, 20)) * (0.5 + random() / 2));
      }
    }
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
