/** @module The clock port: what time it is, and to be woken at a time. */

/** Time is a parameter of an engine. */
export interface Clock {
  /** Milliseconds since the epoch. It may jump, both ways. */
  readonly now: () => number;
  /** Calls `wake` once when `delayMs` have passed; the answer takes it back. */
  readonly schedule: (delayMs: number, wake: () => void) => () => void;
}

/** The longest delay that the platform's timers take, in ms; a longer wait is cut and asked again. */
const DELAY_MAX_MS = 2_147_483_647;

/** The clock of the machine. Its timers keep the process alive until the engine is closed. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    schedule: (delayMs, wake) => {
      const timer = setTimeout(wake, Math.min(Math.max(0, delayMs), DELAY_MAX_MS));
      return () => clearTimeout(timer);
    },
  };
}
