/** @module A simulated world at rest: nobody may wait there for a message that is buffered. */
import { setImmediate } from "node:timers/promises";
import type { RunStore } from "@tessera/persist";
import type { Deliverable, Post } from "./post.ts";
import { violated } from "./violation.ts";
import { clocksOf, type World } from "./world.ts";

/** Watches over messages that nobody brings. */
export interface RestWatch {
  /** The store has done something: from now on a message and its receiver may be together. */
  readonly meet: () => void;
  /** Looks whenever the world may be at rest. */
  readonly look: () => Promise<void>;
  /** Can something that is buffered still be taken, by the clock that is furthest behind? */
  readonly isQuiet: () => boolean;
}

/** When a message and its receiver met. */
interface Meeting {
  readonly at: number;
  readonly troubles: number;
}

/**
 * With nothing to do at this time, a message and the item that waits for it may be apart only for a fault that hit after
 * both were there; and however many did, not for longer than this: it is beyond every lease, poll and jump of a clock.
 */
const PATIENCE_MS = 3 * 3_600_000;

/** Immediates in which a store that works in groups has answered. */
export const ANSWERED = 6;

/**
 * The law of wake-ups (D17.14): in a world at rest no receiver waits while a message for it is buffered, and a signal that somebody
 * waits for is in the outbox.
 */
export function watchRest(world: World, post: Post, store: Pick<RunStore, "nextEffect">): RestWatch {
  const meetings = new Map<string, Meeting>();
  const latest = (): number => Math.max(...clocksOf(world));
  const isResting = (): boolean => world.ready.length === 0;
  const apart = (): Deliverable | undefined =>
    post.deliverable(latest()).find((pair) => {
      const met = meetings.get(nameOf(pair));
      if (met === undefined) return false;
      const isUndisturbed =
        met.troubles === world.troubles && world.closing.size === 0 && pair.to.kind === "item";
      return isUndisturbed || world.now - Math.max(met.at, world.troubledAt) > PATIENCE_MS;
    });
  const isLate = async (): Promise<boolean> =>
    apart() !== undefined || (post.owesSignals() && (await store.nextEffect(["signal"])) === null);
  return {
    meet: () => {
      for (const pair of post.deliverable(Math.min(...clocksOf(world)))) {
        const name = nameOf(pair);
        if (!meetings.has(name)) meetings.set(name, { at: world.now, troubles: world.troubles });
      }
    },
    look: async () => {
      if (!isResting() || !(await isLate())) return;
      for (let turn = 0; turn < ANSWERED; turn += 1) await setImmediate();
      if (!isResting() || !(await isLate())) return;
      const found = apart();
      if (found === undefined) return post.settled();
      const { letter, to } = found;
      const who = to.kind === "item" ? `${to.run}/${to.item}` : `the start of ${to.workflow}`;
      violated(
        `the world is at rest, and ${who} waits for the ${letter.on} "${letter.name}", which is buffered`,
      );
    },
    isQuiet: () => post.deliverable(Math.min(...clocksOf(world))).length === 0,
  };
}

function nameOf({ letter, to }: Deliverable): string {
  const who = to.kind === "item" ? [to.run, to.item, to.event] : [to.workflow, to.event];
  return JSON.stringify([
    letter.on,
    letter.name,
    letter.key,
    letter.id,
    letter.expiresAt,
    letter.target,
    ...who,
  ]);
}
