/** @module Times that have come in a simulated world: no run may be missing there for longer than faults explain. */
import { setImmediate } from "node:timers/promises";
import { ANSWERED } from "./rest.ts";
import type { Timetable } from "./timetable.ts";
import { violated } from "./violation.ts";
import { clocksOf, type World } from "./world.ts";

/** Watches over times at which nobody starts a run. */
export interface LateStarts {
  /** The store has done something: a time may have come, or be the next one. */
  readonly meet: () => void;
  /** Looks whenever the world may be at rest. */
  readonly look: () => Promise<void>;
}

/** After the last fault: longer than a restart, a lease and a poll together. */
const PATIENCE_MS = 5 * 60_000;
/** In a world without any fault: the next look is a millisecond later. */
const UNDISTURBED_MS = 1_000;

/**
 * The law of punctual starts (D17.15): in a world at rest a time that has come by the slowest clock has its run, at once if
 * nothing has ever gone wrong.
 */
export function watchTimes(world: World, timetable: Timetable): LateStarts {
  /** When each run was first due and missing, in the world's time. */
  const seen = new Map<string, number>();
  const late = (): string | null => {
    const due = timetable.overdue(Math.min(...clocksOf(world)));
    const since = due === null ? undefined : seen.get(due.run);
    if (due === null || since === undefined || world.ready.length > 0) return null;
    const patience = world.troubles === 0 ? UNDISTURBED_MS : PATIENCE_MS;
    return world.now - Math.max(since, world.troubledAt) > patience ? due.run : null;
  };
  return {
    meet: () => {
      const due = timetable.overdue(Math.min(...clocksOf(world)));
      if (due !== null && !seen.has(due.run)) seen.set(due.run, world.now);
    },
    look: async () => {
      if (late() === null) return;
      for (let turn = 0; turn < ANSWERED; turn += 1) await setImmediate();
      const run = late();
      if (run !== null) violated(`the world is at rest, and nobody has started ${run}, whose time has come`);
    },
  };
}
