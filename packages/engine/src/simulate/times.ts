/** @module The times of a timer in a simulation: read from its text apart from the engine, each counted from the anchor. */
import type { NodeEvent } from "@tessera/gateways";
import { DateTime, Duration } from "luxon";

/** Time number k (from 0 on) of a timer, ms since the epoch; null where it has no such time. */
export type Times = (k: number) => number | null;

/** The times of an event's timer, counted from `from`; none for an event that is no timer (D9.7). */
export function timesOf({ time }: NodeEvent, from: number): Times {
  if (time === null || time.by === "key") return () => null;
  const text = time.text.trim().toUpperCase();
  if (time.by === "date") return single(dateOf(text).toMillis());
  if (time.by === "duration")
    return single(Math.max(from, momentOf(from).plus(Duration.fromISO(text)).toMillis()));
  const [head = "", first = "", second] = text.split("/");
  const count = head === "R" ? Number.POSITIVE_INFINITY : Number(head.slice(1));
  if (first.startsWith("P")) {
    const end = second === undefined ? Number.POSITIVE_INFINITY : dateOf(second).toMillis();
    return series(momentOf(from), Duration.fromISO(first), 1, count, end);
  }
  const start = dateOf(first);
  const every = second?.startsWith("P") ? Duration.fromISO(second) : dateOf(second ?? "").diff(start);
  return series(start, every, count < Number.POSITIVE_INFINITY ? 0 : passed(start, every, from), count);
}

function single(at: number): Times {
  return (k) => (k === 0 ? at : null);
}

function series(
  anchor: DateTime,
  every: Duration,
  skipped: number,
  count: number,
  end = Number.POSITIVE_INFINITY,
): Times {
  const known: number[] = [];
  return (k) => {
    known[k] ??= anchor.plus(every.mapUnits((value) => value * (k + skipped))).toMillis();
    const at = known[k];
    return k < count && at <= end ? at : null;
  };
}

/** How many times from the start on are not after `from`: without a number only what comes later counts. */
function passed(start: DateTime, every: Duration, from: number): number {
  let count = 0;
  while (start.plus(every.mapUnits((value) => value * count)).toMillis() <= from) count += 1;
  return count;
}

function momentOf(at: number): DateTime {
  return DateTime.fromMillis(at, { zone: "utc" });
}

function dateOf(text: string): DateTime {
  return DateTime.fromISO(text, { zone: "utc", setZone: true });
}
