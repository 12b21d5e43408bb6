/** @module A clock that only moves when a test moves it. */
import type { Clock } from "../clock.ts";
import { durationMs } from "../due.ts";

/** A manual clock. Durations are ISO 8601 texts or milliseconds. */
export interface ManualClock extends Clock {
  /** Moves time forwards, stopping at every wake-up on the way until what it started has come to rest. */
  readonly advance: (by: string | number) => Promise<void>;
  /** Sets the time, forwards or backwards, without stopping anywhere: as a machine's clock is set. */
  readonly jumpTo: (at: number) => Promise<void>;
}

interface Wake {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** A clock at `start` (ms since the epoch; default 2026-01-01). `settle` lets everything come to rest. */
export function manualClock(settle: () => Promise<void>, start: number = Date.UTC(2026, 0, 1)): ManualClock {
  const wakes = new Set<Wake>();
  let now = start;
  let order = 0;
  const first = (until: number): Wake | undefined => {
    let found: Wake | undefined;
    for (const wake of wakes) {
      if (wake.at > until) continue;
      if (found === undefined || wake.at < found.at || (wake.at === found.at && wake.order < found.order))
        found = wake;
    }
    return found;
  };
  const runUntil = async (until: number): Promise<void> => {
    await settle();
    for (let next = first(until); next !== undefined; next = first(until)) {
      wakes.delete(next);
      now = Math.max(now, next.at);
      next.wake();
      await settle();
    }
  };
  return {
    now: () => now,
    schedule: (delayMs, wake) => {
      const entry = { at: now + Math.max(0, delayMs), order, wake };
      order += 1;
      wakes.add(entry);
      return () => void wakes.delete(entry);
    },
    advance: async (by) => {
      const ms = typeof by === "number" ? by : durationMs(by, now);
      if (ms === null || ms < 0) throw new RangeError(`"${by}" is no positive duration`);
      const until = now + ms;
      await runUntil(until);
      now = until;
      await settle();
    },
    jumpTo: async (at) => {
      now = at;
      await runUntil(at);
    },
  };
}
