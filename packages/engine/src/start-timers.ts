/** @module Timers that start workflows: at each of their times one run, whoever looks for it and however often. */
import { contentHash, type WorkflowNode } from "@tessera/core";
import type { RunId, StartTimer, StartTimerRow } from "@tessera/persist";
import { DateTime } from "luxon";
import { dueTime, occurrencesAfter } from "./due.ts";
import { type Host, keyOf } from "./host.ts";
import { findVersion } from "./live-run.ts";
import type { Background, WorkOptions } from "./outbox.ts";
import type { Refused } from "./refusal.ts";
import { makeSetbacks } from "./setbacks.ts";
import { checkStart, commitStart, ID_MAX, type Started } from "./start.ts";
import { eventsOfStart } from "./start-event.ts";
import { thrownText } from "./trouble.ts";
import { makeWakeLoop } from "./wake-loop.ts";

/** Timers that are looked up at a time. */
const BATCH = 100;

/** The timers of a workflow's start, each with its first time counted from `from` (ms since the epoch); none for one without a time. */
export function firstTimers(
  nodes: readonly WorkflowNode[],
  entry: string,
  from: number,
): readonly StartTimer[] {
  return eventsOfStart(nodes, entry).flatMap(({ id, time }) => {
    if (time === null || time.by === "key") return [];
    const due = dueTime(time.text, from);
    if (due.kind === "trouble") return [];
    return [{ event: id, dueAt: due.at, remaining: due.remaining, repeat: due.repeat ?? null }];
  });
}

/** The timer at its next time, counted from the one that was used, so that lateness does not add up; null after the last. */
export function nextTimer({ event, dueAt, remaining, repeat }: StartTimer): StartTimer | null {
  if (repeat === null || remaining === 0) return null;
  const due = dueTime(repeat, dueAt);
  if (due.kind === "trouble") return null;
  return { event, dueAt: due.at, remaining: Math.max(-1, remaining - 1), repeat };
}

/**
 * What of a timer that is due is left out at the time `now`, because more than `max` of its times have passed: the timer
 * at the first of the latest `max`, and how many lie before it. Null when nothing is left out. Cost: that of a division.
 */
export function leftOut(
  { event, dueAt, remaining, repeat }: StartTimer,
  now: number,
  max: number,
): { readonly count: number; readonly next: StartTimer } | null {
  if (repeat === null || remaining === 0) return null;
  const { count: behind, nth } = occurrencesAfter(repeat, dueAt, now);
  const passed = 1 + (remaining === -1 ? behind : Math.min(behind, remaining));
  const count = passed - Math.max(1, max);
  if (!(count > 0)) return null;
  const left = remaining === -1 ? -1 : remaining - count;
  return { count, next: { event, dueAt: nth(count), remaining: left, repeat } };
}

/** The id of the run that a timer starts at `dueAt`: another one for every other workflow, event or time of a tenant. */
export function timedRunId({
  workflow,
  event,
  dueAt,
}: Pick<StartTimerRow, "workflow" | "event" | "dueAt">): RunId {
  const at = DateTime.fromMillis(dueAt, { zone: "utc" }).toISO();
  const id = `${encodeURIComponent(workflow)}/${encodeURIComponent(event)}@${at}`;
  return id.length <= ID_MAX ? id : `${contentHash([workflow, event])}@${at}`;
}

/**
 * Starts what is due, the oldest time first; of one timer a run at a time, of all at most `BATCH`, and of the times of one
 * that have passed at most the latest `missedStartsMax`. A run is started under the id of its time, then the timer is moved on: a crash
 * between the two, and another engine that does the same, find the run there.
 *
 * @definition D17.13
 */
export function makeStartTimers(host: Host, { concurrency, pollMs }: WorkOptions): Background {
  /** Times at which no run could be started now. */
  const setbacks = makeSetbacks(host.limits.leaseMs);
  const startDue = async (): Promise<boolean> => {
    const now = host.clock.now();
    setbacks.release(now);
    const rows = await host.store.startTimers({ dueBy: now, limit: BATCH + setbacks.size() });
    const due = rows.filter((row) => !setbacks.isHeld(timeKey(row)));
    const done = await Promise.all(due.map((row) => startAt(host, row)));
    due.forEach((row, index) => {
      if (done[index] === false) setbacks.hold(timeKey(row), now);
    });
    return due.length > 0;
  };
  const delayMs = async (): Promise<number> => {
    const rows = await host.store.startTimers({ limit: 1 + setbacks.size() });
    const next = rows.find((row) => !setbacks.isHeld(timeKey(row)))?.dueAt ?? Number.POSITIVE_INFINITY;
    return Math.min(next, setbacks.nextAt()) - host.clock.now();
  };
  const trouble = "the timers that start workflows could not be read";
  const loop = makeWakeLoop(host, pollMs, { look: startDue, delayMs, trouble });
  return { begin: concurrency > 0 ? loop.begin : () => {}, look: loop.notify, stop: loop.stop };
}

function timeKey({ tenant, workflow, event, definition, dueAt }: StartTimerRow): string {
  return keyOf(tenant, JSON.stringify([workflow, event, definition, dueAt]));
}

/** Starts the run of one time and moves the timer on; false if another look at the same time now would not help. */
async function startAt(host: Host, row: StartTimerRow): Promise<boolean> {
  const { tenant, workflow, event, dueAt } = row;
  const facts = { tenant, workflow, event, dueAt };
  try {
    const out = leftOut(row, host.clock.now(), host.limits.missedStartsMax);
    if (out !== null) {
      const { count, next } = out;
      host.logger.warn("times that start a workflow are left out", { ...facts, count, nextAt: next.dueAt });
      await host.store.moveStartTimer(row, next);
      return true;
    }
    const started = await begin(host, row);
    if (started.kind === "refused" && started.code !== "exists") {
      const { code, message } = started;
      host.logger.warn("a timer could not start a run", { ...facts, code, why: message });
      return false;
    }
    if (started.kind === "refused")
      host.logger.error("a timer found another run under the id of its own", { ...facts });
    // False: somebody else has moved it, or another version is the newest now.
    await host.store.moveStartTimer(row, nextTimer(row));
    return true;
  } catch (fault) {
    host.logger.error("a timer could not start a run", { ...facts, error: thrownText(fault) });
    return false;
  }
}

async function begin(host: Host, row: StartTimerRow): Promise<Started | Refused> {
  const version = await findVersion(host, row.definition);
  if (version.kind === "refused") return version;
  const request = { workflow: { hash: row.definition }, event: row.event, id: timedRunId(row) };
  const checked = checkStart(host, row.tenant, version, request);
  return checked.kind === "refused" ? checked : commitStart(host, checked.order);
}
