/** @module Timers: one wake-up for everything that will come due, on the engine's clock. */
import type { ItemRow } from "@tessera/persist";
import { unlessBlocked } from "./blocked-run.ts";
import { type Committed, type Host, keyOf } from "./host.ts";
import type { Background, WorkOptions } from "./outbox.ts";
import { makeSetbacks } from "./setbacks.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";
import { makeWakeLoop } from "./wake-loop.ts";

/** Refusals after which nothing is wrong and nothing is left to do. */
const SETTLED: ReadonlySet<string> = new Set(["not-open", "ended", "not-due", "suspended"]);

/** Items that are looked up at a time. */
const BATCH = 100;

/**
 * The timers over a host. What is due fires, the oldest first and each occurrence once; what came due while nobody ran
 * fires late; what could not fire is tried again after 50 ms, then less and less often, and keeps nothing else waiting; one of a run
 * that a transaction of somebody else's holds fires when that has ended, and keeps nothing else waiting either. The clock may jump: forwards, everything that it passed fires at the next look (at most `pollMs` later);
 * backwards, nothing fires twice, because an occurrence that has fired is no longer there.
 */
export function makeTimers(host: Host, { concurrency, pollMs }: WorkOptions): Background {
  /** Occurrences that could not fire: a fault of the store, a run that was just suspended, a version that cannot run here. */
  const setbacks = makeSetbacks(host.limits.leaseMs);
  /** Occurrences that are firing still, of runs that a transaction of somebody else's holds. */
  const underWay = new Set<string>();
  const setAside = (): number => setbacks.size() + underWay.size;
  const isAside = (row: ItemRow): boolean => setbacks.isHeld(itemKey(row)) || underWay.has(itemKey(row));
  const fireDue = async (): Promise<boolean> => {
    const now = host.clock.now();
    setbacks.release(now);
    const rows = await host.store.dueItems(now, BATCH + setAside());
    const due = rows.filter((row) => !isAside(row));
    const fire = async (row: ItemRow): Promise<void> => {
      const key = itemKey(row);
      const hasFired = await unlessBlocked(host, row, fireItem(host, row), () => {
        underWay.add(key);
        return () => {
          underWay.delete(key);
          loop.notify();
        };
      });
      if (hasFired === false) setbacks.hold(key, now);
    };
    await Promise.all(due.map(fire));
    return due.length > 0;
  };
  /** The earliest time of an occurrence that nothing holds back, due or not. */
  const nextDue = async (): Promise<number> => {
    if (setAside() === 0) return (await host.store.nextDue()) ?? Number.POSITIVE_INFINITY;
    const rows = await host.store.dueItems(Number.MAX_SAFE_INTEGER, 1 + setAside());
    return rows.find((row) => !isAside(row))?.item.dueAt ?? Number.POSITIVE_INFINITY;
  };
  const delayMs = async (): Promise<number> =>
    Math.min(await nextDue(), setbacks.nextAt()) - host.clock.now();
  const loop = makeWakeLoop(host, pollMs, {
    look: fireDue,
    delayMs,
    trouble: "the timers could not be read",
  });

  host.listeners.push(({ live: { tenant, run }, turn }: Committed) => {
    const timed = turn.items.set.filter((item) => item.dueAt !== undefined);
    for (const item of timed) setbacks.forget(itemKey({ tenant, run, item }));
    if (timed.length > 0) loop.notify();
  });
  return { begin: concurrency > 0 ? loop.begin : () => {}, look: loop.notify, stop: loop.stop };
}

function itemKey({ tenant, run, item }: Pick<ItemRow, "tenant" | "run" | "item">): string {
  return keyOf(tenant, `${run}/${item.id}@${item.dueAt}`);
}

/** Fires one item; false when it did not fire, so that another look at the same occurrence now would not help. */
async function fireItem(host: Host, { tenant, run, item }: ItemRow): Promise<boolean> {
  try {
    const dueAt = item.dueAt ?? 0;
    const submitted = await submit(host, tenant, run, () => ({
      event: { input: { kind: "timer", item: item.id, dueAt } },
    }));
    if (submitted.kind !== "refused") return true;
    // Somebody else was faster: the item is closed, or its time has moved. Should its row be there again, it is damaged.
    if (SETTLED.has(submitted.code)) return false;
    host.logger.warn("a timer could not fire", {
      run,
      item: item.id,
      code: submitted.code,
      why: submitted.message,
    });
  } catch (fault) {
    host.logger.error("a timer could not fire", { run, item: item.id, error: thrownText(fault) });
  }
  return false;
}
