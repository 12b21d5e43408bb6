/** @module The loop behind the background work of an engine: looks while there is something, then sleeps until it is woken or the time has come. */
import type { Host } from "./host.ts";
import { makeSetbacks } from "./setbacks.ts";
import { thrownText } from "./trouble.ts";

/** What a loop does. */
export interface WakeWork {
  /** One look at the store; true when another look at once would find more. */
  readonly look: () => Promise<boolean>;
  /** In how many ms the next look is due when nobody wakes the loop; Infinity: nothing is known of. */
  readonly delayMs: () => Promise<number> | number;
  /** What the log says when a look fails. It is tried again soon, then less and less often. */
  readonly trouble: string;
}

/** A loop that has not begun, is asleep, is looking, or has stopped for good. */
export interface WakeLoop {
  /** Begins; before it nothing wakes the loop. */
  readonly begin: () => void;
  /** Look now, and once more if a look is under way: it may have missed what came meanwhile. */
  readonly notify: () => void;
  /** No further look begins; resolves when the one under way has ended. */
  readonly stop: () => Promise<void>;
  readonly isStopped: () => boolean;
  /** Has it begun, and not stopped? */
  readonly isRunning: () => boolean;
}

/** A loop on the engine's clock that sleeps for `pollMs` at most. */
export function makeWakeLoop(host: Host, pollMs: number, { look, delayMs, trouble }: WakeWork): WakeLoop {
  let isBegun = false;
  let isStopped = false;
  let isAgain = false;
  let running: Promise<void> | null = null;
  let cancelWake = (): void => {};
  const setbacks = makeSetbacks(host.limits.leaseMs);

  const sleep = (ms: number): void => {
    cancelWake();
    const delay = Math.min(Math.max(1, ms), pollMs);
    if (!isStopped && Number.isFinite(delay)) cancelWake = host.clock.schedule(delay, notify);
  };
  const run = async (): Promise<void> => {
    try {
      do {
        isAgain = false;
        while (!isStopped && (await look())) isAgain = false;
        if (!isAgain && !isStopped) sleep(await delayMs());
      } while (isAgain && !isStopped);
    } catch (fault) {
      host.logger.error(trouble, { error: thrownText(fault) });
      const now = host.clock.now();
      setbacks.release(now);
      setbacks.hold(trouble, now);
      sleep(setbacks.nextAt() - now);
    }
    running = null;
  };
  function notify(): void {
    if (!isBegun || isStopped) return;
    isAgain = true;
    running ??= run();
  }

  return {
    notify,
    begin: () => {
      if (isBegun) return;
      isBegun = true;
      notify();
    },
    stop: async () => {
      isStopped = true;
      cancelWake();
      await running;
    },
    isStopped: () => isStopped,
    isRunning: () => isBegun && !isStopped,
  };
}
