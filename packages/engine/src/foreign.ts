/** @module Waking up for what other processes have committed to the same storage. */
import type { Host } from "./host.ts";

/** At most so long, in ms, until another process's commit is noticed, while this one is not busy. */
const NOTICE_MS = 50;

/** Looks for commits of others. */
export interface ForeignWatch {
  readonly begin: () => void;
  readonly stop: () => void;
}

/**
 * Calls `wake` when another process has committed, at most `NOTICE_MS` later (or a twentieth of `pollMs`, if that is
 * more). Does nothing where the store cannot tell, or where nobody wants to poll (`pollMs` infinite).
 */
export function watchForeign(host: Host, pollMs: number, wake: () => void): ForeignWatch {
  const { foreignVersion } = host.store;
  const everyMs = Math.max(NOTICE_MS, pollMs / 20);
  let known: number | null = null;
  let cancel = (): void => {};
  let isOver = false;
  const look = (): void => {
    const version = foreignVersion?.() ?? -1;
    if (known !== null && version !== -1 && version !== known) wake();
    if (version !== -1) known = version;
    if (!isOver) cancel = host.clock.schedule(everyMs, look);
  };
  return {
    begin: () => {
      if (foreignVersion === undefined || !Number.isFinite(pollMs) || known !== null || isOver) return;
      known = -1;
      look();
    },
    stop: () => {
      isOver = true;
      cancel();
    },
  };
}
