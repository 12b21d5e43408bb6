/** @module Waiting for the end of a run. */
import type { RunId, TenantId } from "@tessera/persist";
import { hasEnded } from "./commands.ts";
import { type Committed, type Host, keyOf } from "./host.ts";
import { loadRun } from "./live-run.ts";
import type { RefusalCode, Refused } from "./refusal.ts";
import { endOf, type RunEnd } from "./run-view.ts";

/** How long to wait, and what ends the waiting before. */
export interface ResultOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** The end of the run, or why the waiting ended before it. */
export type RunResult =
  | RunEnd
  | {
      readonly kind: "unfinished";
      readonly run: RunId;
      readonly reason: "timeout" | "aborted" | "closed" | RefusalCode;
    };

/** Those who wait for runs of this process. */
export interface Watchers {
  readonly result: (tenant: TenantId, run: RunId, options?: ResultOptions) => Promise<RunResult>;
  /** Somebody else may have ended a run: look now. */
  readonly look: () => void;
  /** Resolves everybody who still waits, as `closed`. */
  readonly close: () => void;
}

/** Watchers over a host. `pollMs`: how often to look for what other processes did (Infinity: never). */
export function makeWatchers(host: Host, pollMs: number): Watchers {
  const waiting = new Map<string, Set<() => void>>();
  const closing = new Set<() => void>();
  host.listeners.push(({ live }: Committed) => {
    if (!hasEnded(live.state)) return;
    for (const wake of waiting.get(keyOf(live.tenant, live.run)) ?? []) wake();
  });
  return {
    result: (tenant, run, options = {}) =>
      waitForEnd(host, { tenant, run, options, pollMs, waiting, closing }),
    look: () => {
      for (const looks of waiting.values()) for (const look of looks) look();
    },
    close: () => {
      for (const end of [...closing]) end();
    },
  };
}

interface Wait {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly options: ResultOptions;
  readonly pollMs: number;
  readonly waiting: Map<string, Set<() => void>>;
  readonly closing: Set<() => void>;
}

function waitForEnd(
  host: Host,
  { tenant, run, options, pollMs, waiting, closing }: Wait,
): Promise<RunResult> {
  const { signal, timeoutMs } = options;
  const key = keyOf(tenant, run);
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = [];
    let isSettled = false;
    const settle = (result: RunResult): void => {
      if (isSettled) return;
      isSettled = true;
      for (const each of undo) each();
      resolve(result);
    };
    const unfinished = (reason: (RunResult & { readonly kind: "unfinished" })["reason"]) => () =>
      settle({ kind: "unfinished", run, reason });
    const look = (): void => {
      readEnd(host, tenant, run).then(
        (end) => {
          if (end?.kind === "refused") unfinished(end.code)();
          else if (end !== null) settle(end);
        },
        (fault) => {
          isSettled = true;
          for (const each of undo) each();
          reject(fault);
        },
      );
    };
    if (host.isClosed) return unfinished("closed")();
    if (signal?.aborted === true) return unfinished("aborted")();
    const others = waiting.get(key) ?? new Set();
    waiting.set(key, others);
    others.add(look);
    undo.push(() => {
      others.delete(look);
      if (others.size === 0 && waiting.get(key) === others) waiting.delete(key);
    });
    const closed = unfinished("closed");
    closing.add(closed);
    undo.push(() => void closing.delete(closed));
    const aborted = unfinished("aborted");
    signal?.addEventListener("abort", aborted, { once: true });
    undo.push(() => signal?.removeEventListener("abort", aborted));
    if (timeoutMs !== undefined) undo.push(host.clock.schedule(timeoutMs, unfinished("timeout")));
    if (Number.isFinite(pollMs)) undo.push(repeatedly(host, pollMs, look));
    look();
  });
}

function repeatedly(host: Host, everyMs: number, work: () => void): () => void {
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = host.clock.schedule(everyMs, () => {
      arm();
      work();
    });
  };
  arm();
  return () => cancel();
}

/** The end of a run: from memory where it is known to have ended, for an end is for ever; else from the store. */
async function readEnd(host: Host, tenant: TenantId, run: RunId): Promise<RunEnd | Refused | null> {
  const known = host.runs.get(keyOf(tenant, run));
  const end = known === undefined ? null : endOf(known);
  if (end !== null) return end;
  const live = await loadRun(host, tenant, run);
  return live.kind === "refused" ? live : endOf(live);
}
