/** @module What could not be done just now, and when it is tried again: soon at first, then less and less often. */

/** Setbacks by key. */
export interface Setbacks {
  /** What is to be tried again by now is no longer held. */
  readonly release: (now: number) => void;
  /** Is it to be left alone until a later time? */
  readonly isHeld: (key: string) => boolean;
  /** It could not be done at `now`. `isLasting`: nothing will have changed soon. */
  readonly hold: (key: string, now: number, isLasting?: boolean) => void;
  /** It has changed: it is tried again at once, and as if for the first time. */
  readonly forget: (key: string) => void;
  /** How many are held. */
  readonly size: () => number;
  /** When the first one is tried again (ms since the epoch); Infinity: none is held. Cost: one step for each. */
  readonly nextAt: () => number;
}

/** The first wait, in ms. */
const FIRST_MS = 50;

/**
 * None yet. The waits double from 50 ms up to `mostMs`; what has not been held for so long begins anew. The clock may jump:
 * nothing is held for longer than `mostMs` from now.
 *
 * @definition D9.29
 */
export function makeSetbacks(mostMs: number): Setbacks {
  const known = new Map<string, { readonly until: number; readonly waitMs: number; isHeld: boolean }>();
  let size = 0;
  return {
    release: (now) => {
      for (const [key, setback] of known) {
        const { until, isHeld } = setback;
        if (isHeld && (until <= now || until - now > mostMs)) {
          setback.isHeld = false;
          size -= 1;
        }
        if (!setback.isHeld && Math.abs(now - until) >= mostMs) known.delete(key);
      }
    },
    isHeld: (key) => known.get(key)?.isHeld === true,
    hold: (key, now, isLasting = false) => {
      const before = known.get(key);
      const grown = before === undefined ? FIRST_MS : 2 * before.waitMs;
      const waitMs = isLasting ? mostMs : Math.min(grown, mostMs);
      if (before?.isHeld !== true) size += 1;
      known.set(key, { until: now + waitMs, waitMs, isHeld: true });
    },
    forget: (key) => {
      if (known.get(key)?.isHeld === true) size -= 1;
      known.delete(key);
    },
    size: () => size,
    nextAt: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { until, isHeld } of known.values()) if (isHeld) next = Math.min(next, until);
      return next;
    },
  };
}
