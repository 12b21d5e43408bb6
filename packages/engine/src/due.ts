/** @module When something is due: ISO 8601 dates, durations and repetitions. */
import { DateTime, Duration } from "luxon";
import type { Due } from "./turn.ts";

/** Occurrences that a repetition may have. */
export const OCCURRENCES_MAX = 1_000_000;

/** Occurrences of a repetition that says its end and not their number: as many as an index of 32 bits can count. */
const UNNUMBERED_MAX = 2_147_483_647;

/**
 * The due time of `expression`, counted from `from` (ms since the epoch).
 *
 * A date without offset is in UTC, one without time is midnight. A duration is added by the calendar (31 January + P1M
 * is the last of February) in UTC: a day has 24 hours, no clock change of any zone moves anything; a date that names an
 * offset keeps it. A duration that is not positive is due at once.
 * A repetition `Rn/duration`, `Rn/start/duration`, `Rn/start/end` or `Rn/duration/end` has n >= 1 occurrences: the first
 * at its start (else one duration after `from`), each a duration after the one before; those after `end` fall away.
 * Occurrences in the past are due at once, one by one. Its duration must be positive. The occurrences are counted from
 * the start, so months do not drift. Without n it has all up to its end; without an end, too, it has no last one
 * (`remaining` -1), and the next one after `from` is due.
 *
 * Trouble: TIMER_INVALID, with the part that could not be read.
 *
 * @definition D9.7
 */
export function dueTime(expression: string, from: number): Due {
  const text = expression.trim();
  if (/^R/i.test(text)) return repetitionDue(text, from);
  if (/^[-+]?P/i.test(text)) {
    const duration = readDuration(text);
    if (duration === null) return invalid(text, text);
    return due(Math.max(from, utc(from).plus(duration).toMillis()), 0);
  }
  const date = readDate(text);
  return date === null ? invalid(text, text) : due(date.toMillis(), 0);
}

/** Milliseconds of a positive duration counted from `from`, null when the text is none. */
export function durationMs(text: string, from: number): number | null {
  const duration = readDuration(text.trim());
  if (duration === null) return null;
  const ms = utc(from).plus(duration).toMillis() - from;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

/** What kind of time a text is, null when it is none. */
export function timeKind(text: string): "date" | "duration" | "cycle" | null {
  if (dueTime(text, 0).kind === "trouble") return null;
  if (/^R/i.test(text.trim())) return "cycle";
  return /^[-+]?P/i.test(text.trim()) ? "duration" : "date";
}

function repetitionDue(text: string, from: number): Due {
  const [head = "", first = "", second] = text.split("/");
  const count = /^R(\d*)$/i.exec(head)?.[1];
  if (count === undefined || text.split("/").length > 3) return invalid(text, head);
  const bounded = count === "" ? null : Number(count);
  if (bounded !== null && (bounded < 1 || bounded > OCCURRENCES_MAX)) return invalid(text, head);
  const parts = readInterval(first, second, from);
  if (typeof parts === "string") return invalid(text, parts);
  const { anchor, skipped, every, end } = parts;
  if (anchor.plus(every).toMillis() <= anchor.toMillis()) return invalid(text, second ?? first);
  const repeat = `R/${anchor.toISO()}/${every.toISO()}`;
  if (bounded === null && end === null) return { ...due(nextAfter(anchor, every, from), -1), repeat };
  const most = bounded ?? UNNUMBERED_MAX;
  const last = end === null ? most : countUntil(parts, end, most);
  if (last < 1) return invalid(text, second ?? "");
  return { ...due(occurrence(anchor, every, skipped), last - 1), repeat };
}

/** The occurrences are anchor + k * every for k = skipped, skipped + 1, ... up to `end`. */
interface Interval {
  readonly anchor: DateTime;
  readonly skipped: 0 | 1;
  readonly every: Duration;
  readonly end: DateTime | null;
}

/** The interval, or the part of it that is neither date nor duration. */
function readInterval(first: string, second: string | undefined, from: number): Interval | string {
  const every = readDuration(first);
  if (every !== null) {
    const end = second === undefined ? null : readDate(second);
    if (second !== undefined && end === null) return second;
    return { anchor: utc(from), skipped: 1, every, end };
  }
  const start = readDate(first);
  if (start === null) return first;
  const length = second === undefined ? null : readDuration(second);
  if (length !== null) return { anchor: start, skipped: 0, every: length, end: null };
  const end = second === undefined ? null : readDate(second);
  return end === null ? (second ?? "") : { anchor: start, skipped: 0, every: end.diff(start), end: null };
}

/** anchor + k * every, each counted from the anchor. */
function occurrence(anchor: DateTime, every: Duration, k: number): number {
  return anchor.plus(every.mapUnits((value) => value * k)).toMillis();
}

function nextAfter(anchor: DateTime, every: Duration, from: number): number {
  return occurrence(anchor, every, indexAfter(anchor, every, from));
}

/** The k of the first occurrence after `from`. */
function indexAfter(anchor: DateTime, every: Duration, from: number): number {
  const length = Math.max(1, every.toMillis());
  let k = Math.max(0, Math.floor((from - anchor.toMillis()) / length));
  while (k > 0 && occurrence(anchor, every, k - 1) > from) k -= 1;
  while (occurrence(anchor, every, k) <= from) k += 1;
  return k;
}

/**
 * Of a repetition without end (`Due.repeat`), behind an occurrence of it at `from`: how many lie up to `until`, and the
 * n-th of them (n >= 1). Trouble as `dueTime` has it is none here: the text is one that it gave.
 */
export function occurrencesAfter(
  repeat: string,
  from: number,
  until: number,
): { readonly count: number; readonly nth: (n: number) => number } {
  const [, start = "", length = ""] = repeat.split("/");
  const [anchor, every] = [readDate(start), readDuration(length)];
  if (anchor === null || every === null) return { count: 0, nth: () => from };
  const first = indexAfter(anchor, every, from);
  const count = Math.max(0, indexAfter(anchor, every, until) - first);
  return { count, nth: (n) => occurrence(anchor, every, first + n - 1) };
}

/** How many of the first `max` occurrences are not after `end`. */
function countUntil({ anchor, every, skipped }: Interval, end: DateTime, max: number): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (occurrence(anchor, every, skipped + middle - 1) <= end.toMillis()) low = middle;
    else high = middle - 1;
  }
  return low;
}

function readDuration(text: string): Duration | null {
  // The library reads a bare "P" or "PT" as zero.
  if (!/^[-+]?P.*\d/i.test(text)) return null;
  const duration = Duration.fromISO(text.toUpperCase());
  return duration.isValid ? duration : null;
}

function readDate(text: string): DateTime | null {
  if (!/^[-+]?\d{4}/.test(text)) return null;
  const date = DateTime.fromISO(text, { zone: "utc", setZone: true });
  return date.isValid ? date : null;
}

function utc(at: number): DateTime {
  return DateTime.fromMillis(at, { zone: "utc" });
}

function due(at: number, remaining: number): Due & { readonly kind: "due" } {
  return { kind: "due", at, remaining };
}

function invalid(text: string, part: string): Due {
  const message = `"${text}" is no ISO 8601 date, duration or repetition`;
  return { kind: "trouble", trouble: { code: "TIMER_INVALID", message, facts: { text, part } } };
}
