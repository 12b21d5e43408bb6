/** @module When workflows must start by themselves in a simulation: a model beside the store, from the calls that the workers make. */
import { contentHash, type Hash } from "@tessera/core";
import type { DefinitionRow, StartTimer, StartTimerQuery, StartTimerRow, Turn } from "@tessera/persist";
import { ID_MAX } from "../start.ts";
import type { Version } from "../versions.ts";
import { type FoldedRuns, startsOf } from "./receivers.ts";
import { type Times, timesOf } from "./times.ts";
import { violated } from "./violation.ts";

/** What the timetable learns, in the order in which the store did it, and what it can be asked. */
export interface Timetable {
  /** A version was deployed, at the time `row.deployedAt` of whoever did it. */
  readonly deployed: (row: DefinitionRow) => void;
  /** A worker has looked for timers. */
  readonly looked: (query: StartTimerQuery, found: readonly StartTimerRow[]) => void;
  /** A worker wants a timer moved; `isMoved` is the answer. */
  readonly moved: (row: StartTimerRow, next: StartTimer | null, isMoved: boolean) => void;
  /** A turn was taken. */
  readonly turned: (turn: Turn) => void;
  /** A time that is not after `now` and has no run, null when there is none. */
  readonly overdue: (now: number) => { readonly run: string; readonly dueAt: number } | null;
}

/** A timer of the newest version of a workflow, at its time number `at`. */
interface Series {
  readonly workflow: string;
  readonly event: string;
  readonly definition: Hash;
  readonly times: Times;
  at: number;
}

/**
 * The laws of times, as they are broken: of the newest version every time that has come is shown, and no time of an older
 * version; at each one run begins, not before it; a timer goes on when its run is there, to its next time; what is left
 * out lies before the latest `missedMax` times that have passed.
 *
 * @definition D17.15
 */
export function makeTimetable(
  runs: FoldedRuns,
  versions: ReadonlyMap<string, Version>,
  missedMax: number,
  /** The clock that is furthest ahead. */
  clock: () => number,
): Timetable {
  const newest = new Map<string, { readonly hash: Hash; readonly series: readonly Series[] }>();
  const shown = new Map<string, StartTimerRow>();
  let latest = 0;
  const all = (): readonly Series[] => [...newest.values()].flatMap(({ series }) => series);
  const find = ({ workflow, event, definition }: StartTimerRow): Series | undefined =>
    newest
      .get(workflow)
      ?.series.find((each) => each.event === event && each.definition === definition && dueAt(each) !== null);
  return {
    deployed: ({ name, hash, deployedAt }) => {
      if (newest.get(name)?.hash === hash) return;
      const version = versions.get(hash) ?? violated(`${name} is deployed in an unknown version`);
      newest.set(name, { hash, series: seriesOf(version, deployedAt) });
    },
    looked: ({ dueBy = Number.POSITIVE_INFINITY, limit }, found) => {
      latest = Math.max(latest, clock());
      for (const row of found) {
        const series = find(row);
        if (series === undefined)
          violated(`${named(row)} is shown, and the newest version has no such timer`);
        if (dueAt(series) !== row.dueAt)
          violated(`${named(row)} is shown, and is not the time that comes next`);
        if (row.dueAt > dueBy) violated(`${named(row)} is shown ${row.dueAt - dueBy} ms before it comes`);
        shown.set(`${runOf(row)} ${row.definition}`, row);
      }
      if (found.length >= limit) return;
      const missing = all().find((each) => {
        const due = dueAt(each);
        return due !== null && due <= dueBy && !found.some((row) => find(row) === each);
      });
      if (missing !== undefined)
        violated(`${missing.workflow}/${missing.event} is due and not shown to a worker`);
    },
    moved: (row, next, isMoved) => {
      const series = find(row);
      const isThere = series !== undefined && dueAt(series) === row.dueAt;
      if (isMoved !== isThere)
        violated(`${named(row)} is ${isMoved ? "" : "not "}moved on, and is ${isThere ? "" : "not "}there`);
      if (series === undefined || !isMoved) return;
      latest = Math.max(latest, clock());
      const to = next === null ? series.at + 1 : indexOf(series, next.dueAt);
      const at = series.times(to);
      if (at !== (next?.dueAt ?? null)) violated(`${named(row)} is moved on, and not to its next time`);
      if (to > series.at + 1 || !runs.has(runOf(row))) checkLeftOut(series, to);
      series.at = to;
    },
    turned: ({ run, record: { input }, created, definition }) => {
      if (created === undefined || created.parent !== undefined || input.kind !== "start") return;
      const version = versions.get(definition);
      const isTimed =
        version !== undefined && startsOf(version).some(({ id, on }) => on === "timer" && id === input.event);
      if (!isTimed) return;
      const row = shown.get(`${run} ${definition}`);
      if (row === undefined)
        violated(`${run} begins under "${input.event}", and no worker was shown such a time`);
      if (row.event !== input.event)
        violated(`${run} begins under "${input.event}", and the time is of "${row.event}"`);
    },
    overdue: (now) => {
      for (const each of all()) {
        for (let k = each.at, due = each.times(k); due !== null && due <= now; k += 1, due = each.times(k)) {
          const run = runOf({ ...each, dueAt: due });
          if (!runs.has(run)) return { run, dueAt: due };
        }
      }
      return null;
    },
  };

  /** Nothing is left out but what lies before the latest times that had passed by the clock that was furthest ahead. */
  function checkLeftOut(series: Series, to: number): void {
    const last = series.times(to + missedMax - 1);
    if (to <= series.at || last === null || last > latest)
      violated(
        `times of ${series.workflow}/${series.event} are left out, and fewer than ${missedMax} have passed since`,
      );
  }
}

/** The timers of a version, each at the first of its times, counted from `from`. */
function seriesOf(version: Version, from: number): readonly Series[] {
  const { name: workflow, hash: definition } = version;
  const timers = startsOf(version).filter(({ on }) => on === "timer");
  return timers.map((event) => {
    return { workflow, event: event.id, definition, times: timesOf(event, from), at: 0 };
  });
}

function dueAt({ times, at }: Series): number | null {
  return times(at);
}

/** The first of the later times of a series that is not before `due`; behind the last one when there is none. */
function indexOf({ times, at }: Series, due: number): number {
  for (let k = at + 1; ; k += 1) {
    const time = times(k);
    if (time === null || time >= due) return k;
  }
}

/** The id of the run of a time. */
function runOf({ workflow, event, dueAt: due }: Pick<StartTimerRow, "workflow" | "event" | "dueAt">): string {
  const at = new Date(due).toISOString();
  const id = `${encodeURIComponent(workflow)}/${encodeURIComponent(event)}@${at}`;
  return id.length <= ID_MAX ? id : `${contentHash([workflow, event])}@${at}`;
}

function named({ workflow, event, dueAt: due }: StartTimerRow): string {
  return `the time ${new Date(due).toISOString()} of ${workflow}/${event}`;
}
