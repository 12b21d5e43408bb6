/** @module Copies of a database while it is in use, and the check that a copy, or any database, is whole. */
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { RECOUNT } from "./sqlite/counts.ts";
import { makeSession } from "./sqlite/driver.ts";
import { storeFault } from "./sqlite/faults.ts";
import { PRUNABLE_AT } from "./sqlite/prune.ts";
import { SCHEMA_VERSION, schemaVersion } from "./sqlite/schema.ts";
import { listStartTimers } from "./sqlite/start-timers.ts";
import type { StartTimerRow } from "./start-timer.ts";
import { StoreError } from "./store.ts";

/** What a database is, and what is wrong with it; `problems` is empty when nothing is. */
export interface DatabaseCheck {
  readonly path: string;
  readonly bytes: number;
  /** The version of its tables; null when it has none. */
  readonly schema: number | null;
  readonly runs: number;
  readonly turns: number;
  readonly openItems: number;
  /** Commands that nobody has carried out yet. */
  readonly outbox: number;
  /** Timers that start workflows, the first to be due first; at most 100. */
  readonly startTimers: readonly StartTimerRow[];
  readonly problems: readonly string[];
}

/** Timers that are listed at most. */
const TIMERS_MAX = 100;

/** Problems that SQLite itself lists at most. */
const LISTED_MAX = 20;

/**
 * Looks at a database without writing: SQLite's own check of its pages and indexes, its foreign keys, the version of its
 * tables, whether each run's journal has as many turns as the run, whether the counts are what there is, and whether the
 * runs that are listed as to be pruned are those that are. Other processes may use it meanwhile.
 * Throws StoreError: io (no such file), corrupt (no database). Cost: all pages are read.
 */
export function checkDatabase(path: string): DatabaseCheck {
  return withReader(path, (db) => {
    const version = schemaVersion(db);
    const problems: string[] = [];
    /** What damage makes impossible is itself a problem. */
    const ask = <T>(work: () => T, otherwise: T): T => {
      try {
        return work();
      } catch (caught) {
        const fault = storeFault(caught);
        if (!(fault instanceof StoreError) || fault.code !== "corrupt") throw caught;
        problems.push(fault.message);
        return otherwise;
      }
    };
    ask(() => problems.push(...pageProblems(db)), 0);
    if (version === 0) problems.push("it has no tables of tessera");
    if (version > SCHEMA_VERSION)
      problems.push(`its tables have version ${version}; this release knows ${SCHEMA_VERSION}`);
    const count = (text: string): number =>
      version === 0 ? 0 : ask(() => Number((db.prepare(text).get() as { n: number }).n), 0);
    const torn = count(tornOf(version < COUNTED_SINCE ? "0" : "COALESCE(r.pruned_to, 0)"));
    if (torn > 0) problems.push(`${torn} runs have more or fewer turns in the journal than they took`);
    const miscounted = version < COUNTED_SINCE ? 0 : count(MISCOUNTED.runs) + count(MISCOUNTED.items);
    if (miscounted > 0) problems.push(`${miscounted} counts of runs or open items are not what there is`);
    const misplaced = version < LISTED_SINCE ? 0 : count(MISPLACED);
    if (misplaced > 0)
      problems.push(
        `${misplaced} runs are to be pruned and not listed so, or are listed and not to be pruned`,
      );
    return {
      path,
      bytes: statSync(path).size,
      schema: version === 0 ? null : version,
      runs: count("SELECT COUNT(*) AS n FROM tessera_runs"),
      turns: count("SELECT COUNT(*) AS n FROM tessera_journal"),
      openItems: count("SELECT COUNT(*) AS n FROM tessera_items"),
      outbox: count("SELECT COUNT(*) AS n FROM tessera_outbox"),
      startTimers:
        version < TIMED_SINCE || version > SCHEMA_VERSION
          ? []
          : ask(() => listStartTimers(makeSession(db), { limit: TIMERS_MAX }), []),
      problems: [...new Set(problems)],
    };
  });
}

/** Runs whose journal does not have as many turns as they took since those that are pruned. */
const tornOf = (
  pruned: string,
): string => `SELECT COUNT(*) AS n FROM tessera_runs r WHERE r.sequence - ${pruned} <> (
  SELECT COUNT(*) FROM tessera_journal j WHERE j.tenant = r.tenant AND j.run = r.id)`;

/** The version of the tables that has counts and prunings. */
const COUNTED_SINCE = 5;
/** The version of the tables that has timers that start workflows. */
const TIMED_SINCE = 6;

/** The version of the tables that lists what is to be pruned. */
const LISTED_SINCE = 7;

/** Runs that are not listed as to be pruned by what they are. */
const MISPLACED = `SELECT COUNT(*) AS n FROM tessera_runs WHERE prunable_at IS NOT ${PRUNABLE_AT}`;

/** Counts that are kept and are not what there is, and what there is and is not counted. */
const MISCOUNTED = {
  runs: differing(RECOUNT.runs, "SELECT tenant, workflow, definition, status, count FROM tessera_run_counts"),
  items: differing(RECOUNT.items, "SELECT tenant, kind, count FROM tessera_item_counts"),
} as const;

function differing(one: string, other: string): string {
  return `SELECT (SELECT COUNT(*) FROM (${one} EXCEPT ${other})) + (SELECT COUNT(*) FROM (${other} EXCEPT ${one})) AS n`;
}

/** What SQLite finds wrong with pages, indexes and foreign keys. */
function pageProblems(db: Database.Database): readonly string[] {
  const found = db.pragma(`integrity_check(${LISTED_MAX})`) as readonly { integrity_check: string }[];
  const lines = found.map((row) => row.integrity_check).filter((line) => line !== "ok");
  if (lines.length > 0) return lines;
  const rows = db.pragma("foreign_key_check") as readonly { table: string }[];
  return rows.slice(0, LISTED_MAX).map(({ table }) => `a row of ${table} refers to a row that is not there`);
}

/**
 * Copies the database at `from` to the new file `to` by SQLite's own backup, a consistent state of it, while others go on
 * using it; then checks the copy. To restore is to copy a backup to where the database is to be. `to` appears only when
 * the copy is whole. Throws StoreError: misuse (`to` is there already), corrupt (the copy has problems), io, full.
 */
export async function backupDatabase(from: string, to: string): Promise<DatabaseCheck> {
  if (existsSync(to)) throw new StoreError("misuse", `${to} is there already.`);
  const partial = `${to}.partial`;
  try {
    const source = openReader(from);
    try {
      await source.backup(partial);
    } finally {
      source.close();
    }
    const check = checkDatabase(partial);
    if (check.problems.length > 0)
      throw new StoreError("corrupt", `The copy of ${from} is not whole: ${check.problems.join("; ")}.`);
    renameSync(partial, to);
    return { ...check, path: to };
  } catch (fault) {
    throw storeFault(fault);
  } finally {
    for (const rest of [partial, `${partial}-wal`, `${partial}-shm`]) rmSync(rest, { force: true });
  }
}

function withReader<T>(path: string, work: (db: Database.Database) => T): T {
  const db = openReader(path);
  try {
    return work(db);
  } catch (fault) {
    throw storeFault(fault);
  } finally {
    db.close();
  }
}

function openReader(path: string): Database.Database {
  if (!existsSync(path)) throw new StoreError("io", `There is no file ${path}.`);
  try {
    return new Database(path, { fileMustExist: true });
  } catch (fault) {
    throw storeFault(fault);
  }
}
