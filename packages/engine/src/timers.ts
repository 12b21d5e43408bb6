/** @module Timers: one wake-up for everything that will come due, on the engine's clock. */
import type { ItemRow } from "@tessera/persist";
import { type Committed, type Host, keyOf } from "./host.ts";
import type { Background, WorkOptions } from "./outbox.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";
import { makeWakeLoop } from "./wake-loop.ts";

/** Refusals after which nothing is wrong and nothing is left to do. */
const SETTLED: ReadonlySet<string> = new Set(["not-open", "ended", "not-due", "suspended"]);

/** Items that are looked up at a time. */
const BATCH = 100;

/**
 * The timers over a host. What is due fires, the oldest first and each occurrence once; what came due while nobody ran
 * fires late. The clock may jump: forwards, everything that it passed fires at the next look (at most `pollMs` later);
 * backwards, nothing fires twice, because an occurrence that has fired is no longer there.
 */
export function makeTimers(host: Host, { concurrency, pollMs }: WorkOptions): Background {
  /** Occurrences that could not fire (their version is not available here), with the time of the next try. */
  const suspended = new Map<string, number>();
  const fireDue = async (): Promise<boolean> => {
    const now = host.clock.now();
    for (const [key, until] of suspended) if (until <= now) suspended.delete(key);
    const limit = BATCH + suspended.size;
    const rows = await host.store.dueItems(now, limit);
    const due = rows.filter((row) => !suspended.has(itemKey(row)));
    const done = await Promise.all(due.map((row) => fireItem(host, row)));
    due.forEach((row, index) => {
      if (done[index] === false) suspended.set(itemKey(row), now + host.limits.leaseMs);
    });
    return due.length > 0;
  };
  const delayMs = async (): Promise<number> => {
    const next = await host.store.nextDue();
    const retry = Math.min(Number.POSITIVE_INFINITY, ...suspended.values());
    const now = host.clock.now();
    // Something overdue that did not fire is suspended: look again when its time has come, not at once.
    const isNews = next !== null && (next > now || suspended.size === 0);
    return (isNews ? Math.min(next, retry) : retry) - now;
  };
  const loop = makeWakeLoop(host, pollMs, {
    look: fireDue,
    delayMs,
    trouble: "the timers could not be read",
  });

  host.listeners.push(({ turn }: Committed) => {
    if (turn.items.set.some((item) => item.dueAt !== undefined)) loop.notify();
  });
  return { begin: concurrency > 0 ? loop.begin : () => {}, look: loop.notify, stop: loop.stop };
}

function itemKey({ tenant, run, item }: ItemRow): string {
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
