/** @module The outbox: claims commands, gives them to those who carry them out, wakes when the next one can be claimed. */
import type { ClaimedEffect, EffectKind } from "@tessera/persist";
import { carryOut, concernedRun } from "./children.ts";
import { type Committed, type Host, keyOf } from "./host.ts";
import { jobSlots } from "./job-slots.ts";
import { makeJobs } from "./jobs.ts";
import { refused } from "./refusal.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";
import { makeWakeLoop } from "./wake-loop.ts";

/** How an engine works. */
export interface WorkOptions {
  /** Jobs at a time; 0: no background work at all in this engine. */
  readonly concurrency: number;
  /** At least so often the store is asked what other processes left, in ms. */
  readonly pollMs: number;
}

/** The background work of an engine. */
export interface Background {
  /** Begins; before it nothing is claimed and no timer fires. */
  readonly begin: () => void;
  /** Somebody else may have left something: look now. */
  readonly look: () => void;
  /** Takes nothing new; resolves when nothing is under way, or after `drainMs`, when what still is is abandoned. */
  readonly stop: (drainMs: number) => Promise<void>;
}

/** Commands between runs that are claimed at a time. */
const CONTROL_BATCH = 32;

/** So many runs have commands under way at a time: those of a group of turns. More would wait until their leases end. */
const CONTROL_RUNS_MAX = 256;

/** So many commands are under way at a time, however few runs they are for: twice the instances that a call may have. */
const CONTROL_MAX = 20_000;

const CONTROL: readonly EffectKind[] = [
  "start-child",
  "cancel-child",
  "child-done",
  "child-status",
  "continue",
  "signal",
];

/** The outbox over a host. Commands between runs never wait for a slot of jobs. */
export function makeOutbox(host: Host, { concurrency, pollMs }: WorkOptions): Background {
  const owner = host.ids();
  const jobs = makeJobs(host);
  const underWay = new Set<Promise<void>>();
  const track = (work: Promise<void>, after: () => void = () => {}): void => {
    const tracked = work.finally(() => {
      underWay.delete(tracked);
      after();
    });
    underWay.add(tracked);
  };
  const control = makeControl(host, (work, after) => track(work, after));
  const slots = jobSlots(host, { owner, concurrency, isOpen: () => loop.isRunning() });
  const dispatch = (claimed: ClaimedEffect): void => {
    slots.enter(claimed);
    track(loop.isStopped() ? giveBack(host, claimed) : jobs.run(claimed), () => {
      if (slots.leave(claimed)) loop.notify();
    });
  };
  const claim = async (): Promise<boolean> => {
    const now = host.clock.now();
    const isMore = await control.claim(owner, now, () => loop.notify());
    const found = loop.isStopped() ? [] : await slots.claim(now);
    for (const claimed of found) dispatch(claimed);
    return isMore || (found.length > 0 && slots.mayFindMore());
  };
  const delayMs = async (): Promise<number> => {
    // What there is no room for is looked for when there is some.
    const kinds = [...(control.isFull() ? [] : CONTROL), ...(slots.isFull() ? [] : (["job"] as const))];
    const next = kinds.length === 0 ? null : await host.store.nextEffect(kinds);
    return next === null ? Number.POSITIVE_INFINITY : next - host.clock.now();
  };
  const loop = makeWakeLoop(host, pollMs, { look: claim, delayMs, trouble: "the outbox could not be read" });

  host.claiming = {
    of: slots.claimOf,
    giveUp: (claim) => {
      if (slots.giveUp(claim)) loop.notify();
    },
  };
  host.listeners.push(({ live, turn, isUnfinished, claimed }: Committed) => {
    const { done } = turn.effects;
    slots.settle(live.tenant, done);
    if (done.length > 0) jobs.abandon("closed", live.tenant, done);
    for (const each of claimed) dispatch(each);
    if (isUnfinished && !loop.isStopped()) track(goOn(host, live.tenant, live.run));
    if (addsWork(turn, claimed.length)) loop.notify();
  });
  return {
    begin: concurrency > 0 ? loop.begin : () => {},
    look: loop.notify,
    stop: async (drainMs) => {
      const looked = loop.stop();
      const abandon = (): void => jobs.abandon("shutdown");
      if (drainMs <= 0) abandon();
      const cancel = drainMs <= 0 ? abandon : host.clock.schedule(drainMs, abandon);
      await looked;
      // A turn that is still being committed may have claimed jobs: they are given back before the store can be closed.
      do await Promise.all([...underWay, host.mailboxes.idle()]);
      while (underWay.size > 0);
      cancel();
    },
  };
}

/** The commands between runs of one engine. */
interface Control {
  /** Claims commands while there is room and has them carried out; true when there may be more. `freed`: there is room again. */
  readonly claim: (owner: string, now: number, freed: () => void) => Promise<boolean>;
  /** Was there no room when last looked? */
  readonly isFull: () => boolean;
}

/**
 * Commands are bounded by the runs that they are for: a run takes one at a time, and the many that wait for one run keep
 * nobody else waiting. `track`: has the engine wait for the work when it closes.
 */
function makeControl(host: Host, track: (work: Promise<void>, after: () => void) => void): Control {
  const underWay = new Map<string, number>();
  let total = 0;
  let isFull = false;
  const hasRoom = (): boolean =>
    underWay.size + CONTROL_BATCH <= CONTROL_RUNS_MAX && total + CONTROL_BATCH <= CONTROL_MAX;
  const leave = (run: string): void => {
    total -= 1;
    const left = (underWay.get(run) ?? 1) - 1;
    if (left === 0) underWay.delete(run);
    else underWay.set(run, left);
  };
  return {
    claim: async (owner, now, freed) => {
      isFull = !hasRoom();
      if (isFull) return false;
      const { leaseMs } = host.limits;
      const found = await host.store.claimEffects(owner, now, leaseMs, CONTROL_BATCH, CONTROL);
      for (const claimed of found) {
        const run = keyOf(claimed.tenant, concernedRun(claimed));
        total += 1;
        underWay.set(run, (underWay.get(run) ?? 0) + 1);
        track(carryOut(host, claimed), () => {
          leave(run);
          if (isFull && hasRoom()) freed();
        });
      }
      return found.length === CONTROL_BATCH;
    },
    isFull: () => isFull,
  };
}

/** Gives back a job that was claimed with a turn while the engine stopped. */
async function giveBack(host: Host, { tenant, effect, token }: ClaimedEffect): Promise<void> {
  try {
    await host.store.releaseEffect(effect.id, tenant, token, host.clock.now(), false);
  } catch (fault) {
    const facts = { effect: effect.id, error: thrownText(fault) };
    host.logger.warn("a job could not be given back; it is tried again when its lease ends", facts);
  }
}

/** Carries out the signals that can be claimed now, for an engine that does no work in the background. */
export async function signalNow(host: Host): Promise<void> {
  const owner = host.ids();
  for (;;) {
    const { clock, limits, store } = host;
    const claimed = await store.claimEffects(owner, clock.now(), limits.leaseMs, CONTROL_BATCH, ["signal"]);
    if (claimed.length === 0) return;
    await Promise.all(claimed.map((each) => carryOut(host, each)));
  }
}

/** Does the turn leave rows in the outbox that nobody has claimed? A signal that it sends is rows for others. */
function addsWork({ effects, sends }: Committed["turn"], claimed: number): boolean {
  return effects.add.length > claimed || (sends?.signals ?? []).length > 0;
}

/** The next turn of a run whose budget of firings was used up, after the inputs that came meanwhile. */
async function goOn(host: Host, tenant: string, run: string): Promise<void> {
  try {
    await submit(host, tenant, run, (live) => {
      if (!live.wasUnfinished) return refused("stale", "nothing is left to do", { run });
      return { event: { input: { kind: "continue" } } };
    });
  } catch (fault) {
    host.logger.error("a run could not go on; the outbox takes it up", { run, error: thrownText(fault) });
  }
}
