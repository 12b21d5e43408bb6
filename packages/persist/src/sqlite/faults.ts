/** @module Faults of SQLite as StoreErrors, and waiting while another process writes. */
import { StoreError, type StoreErrorCode } from "../store.ts";

/** By the prefix of a result code of SQLite, the code of the fault; the first that fits. */
const CODES: readonly (readonly [prefix: string, code: StoreErrorCode])[] = [
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_FULL", "full"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_NOTADB", "corrupt"],
  ["SQLITE_TOOBIG", "limit"],
  ["SQLITE_READONLY", "settings"],
  ["SQLITE_", "io"],
];

/** What the driver says without a code of SQLite: a query of the application is under way; its handle was closed. */
const PHRASES: readonly (readonly [phrase: string, code: StoreErrorCode])[] = [
  ["connection is busy executing a query", "busy"],
  ["connection is not open", "closed"],
];

/** `fault` as a StoreError if it is one of SQLite's or of the driver's; anything else as it is. */
export function storeFault(fault: unknown): unknown {
  if (fault instanceof TypeError) {
    const known = PHRASES.find(([phrase]) => fault.message.includes(phrase));
    return known === undefined ? fault : new StoreError(known[1], fault.message, { cause: fault });
  }
  const code = (fault as { readonly code?: unknown } | null)?.code;
  if (!(fault instanceof Error) || typeof code !== "string") return fault;
  const found = CODES.find(([prefix]) => code.startsWith(prefix));
  return found === undefined
    ? fault
    : new StoreError(found[1], `${code}: ${fault.message}`, { cause: fault });
}

/** How long a writer waits for another one. */
export interface BusyOptions {
  /** Attempts after the first (default 60, about five seconds in all). */
  readonly retriesMax?: number;
  /** The first wait in ms, doubled with each attempt (default 2). */
  readonly waitMs?: number;
  /** The longest wait in ms (default 100). */
  readonly waitMaxMs?: number;
  /** A number in [0, 1), so that two writers do not wait in step (default Math.random). */
  readonly random?: () => number;
  /** Waits (default setTimeout). */
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * What `attempt` returns, or its fault as a StoreError. The first attempt is made at once; while the fault is "busy", more
 * follow after waits between half and all of a doubling time, without blocking the event loop.
 */
export async function whenFree<T>(attempt: () => T, options: BusyOptions): Promise<T> {
  const { retriesMax = 60, waitMs = 2, waitMaxMs = 100, random = Math.random, sleep = wait } = options;
  for (let count = 0; ; count += 1) {
    try {
      return attempt();
    } catch (caught) {
      const fault = storeFault(caught);
      if (!(fault instanceof StoreError) || fault.code !== "busy" || count >= retriesMax) throw fault;
      await sleep(Math.min(waitMaxMs, waitMs * 2 ** Math.min(count, 20)) * (0.5 + random() / 2));
    }
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
