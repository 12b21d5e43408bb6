/** @module The check that the tables of a PostgreSQL store are whole, and that its server keeps what is committed. */
import { makeSession, many, one, type PostgresConnection, type Session, textsOf } from "./postgres/driver.ts";
import { storeFault } from "./postgres/faults.ts";
import { namesOfTables, SCHEMA_VERSION, schemaVersion } from "./postgres/schema.ts";
import { settingsTrouble } from "./postgres/settings.ts";
import { allStartTimers } from "./postgres/start-timers.ts";
import type { StartTimerRow } from "./start-timer.ts";

/** What the tables of a store hold, and what is wrong with them or their server; `problems` is empty when nothing is. */
export interface PostgresCheck {
  /** The schema in which the tables are. */
  readonly schema: string;
  /** The version of the tables; null when there are none. */
  readonly version: number | null;
  /** What tables and indexes take on disk. */
  readonly bytes: number;
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

/**
 * Looks at the tables of a store without writing, in one snapshot, while others go on: settings under which commits could be
 * lost, the version, tables and indexes that are missing or not valid, foreign keys that are not watched over, whether each
 * run's journal has as many turns as the run, whether the counts are what there is, and whether the runs that are listed as to
 * be pruned are those that are. What a run says of itself is the engine's `auditDatabase` to check.
 * `connection`: a Client of `pg` without an open transaction; `schema`: where the tables are (default "tessera").
 * Rejects with StoreError io (no way to the server). Cost: journal, runs and items are read once.
 */
export async function checkPostgres(
  connection: PostgresConnection,
  { schema = "tessera" }: { readonly schema?: string } = {},
): Promise<PostgresCheck> {
  const session = makeSession(connection, textsOf(schema));
  try {
    await session.plain("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    try {
      return await checked(session, schema);
    } finally {
      await session.plain("ROLLBACK");
    }
  } catch (fault) {
    throw storeFault(fault);
  }
}

async function checked(session: Session, schema: string): Promise<PostgresCheck> {
  const version = await schemaVersion(session, schema);
  const settings = await settingsTrouble(session);
  const none = { runs: 0, turns: 0, openItems: 0, outbox: 0, startTimers: [] };
  const nothing = { schema, version: version === 0 ? null : version, bytes: 0, ...none };
  if (version === 0) return { ...nothing, problems: [...settings, "it has no tables of tessera"] };
  if (version !== SCHEMA_VERSION) {
    const other = `its tables have version ${version}; this release knows ${SCHEMA_VERSION}`;
    return { ...nothing, problems: [...settings, other] };
  }
  const { missing, problems } = await structure(session, schema);
  const bytes = await count(session, BYTES, schema);
  // A table that is not there would end the transaction, and with it all that follows.
  if (missing.length > 0) return { ...nothing, bytes, problems: [...settings, ...missing, ...problems] };
  return {
    ...nothing,
    bytes,
    runs: await count(session, "SELECT COUNT(*) AS n FROM tessera_runs"),
    turns: await count(session, "SELECT COUNT(*) AS n FROM tessera_journal"),
    openItems: await count(session, "SELECT COUNT(*) AS n FROM tessera_items"),
    outbox: await count(session, "SELECT COUNT(*) AS n FROM tessera_outbox"),
    startTimers: await allStartTimers(session, Number.MAX_SAFE_INTEGER, TIMERS_MAX),
    problems: [...settings, ...problems, ...(await contents(session))],
  };
}

async function count(session: Session, text: string, ...values: unknown[]): Promise<number> {
  return Number((await one<{ n: number | string }>(session, text, ...values))?.n ?? 0);
}

/** Tables that are missing, and what else is wrong with how the tables are made. */
async function structure(
  session: Session,
  schema: string,
): Promise<{ readonly missing: readonly string[]; readonly problems: readonly string[] }> {
  const names = async (text: string) =>
    new Set((await many<{ name: string }>(session, text, schema)).map(({ name }) => name));
  const there = await names(THERE);
  const invalid = await names(INVALID);
  const unwatched = await names(UNWATCHED);
  const { tables, indexes } = namesOfTables();
  const isMissing = (name: string) => !there.has(name);
  return {
    missing: tables.filter(isMissing).map((name) => `the table ${name} is missing`),
    problems: [
      ...indexes.filter(isMissing).map((name) => `the index ${name} is missing`),
      ...[...invalid].map((name) => `the index ${name} is not valid: REINDEX it`),
      ...[...unwatched].map((name) => `foreign keys of ${name} are not watched over`),
    ],
  };
}

const OURS = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace`;
const BYTES = `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS n ${OURS}
  WHERE n.nspname = $1 AND c.relkind = 'r' AND starts_with(c.relname, 'tessera' || '_')`;
const THERE = `SELECT c.relname::text AS name ${OURS} WHERE n.nspname = $1`;
const INVALID = `SELECT c.relname::text AS name ${OURS} JOIN pg_index i ON i.indexrelid = c.oid
  WHERE n.nspname = $1 AND NOT (i.indisvalid AND i.indisready) ORDER BY 1`;
/** Tables of which a foreign key was never validated, or the triggers that watch over them are off. */
const UNWATCHED = `SELECT DISTINCT c.relname::text AS name ${OURS} WHERE n.nspname = $1 AND (
    EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND NOT k.convalidated)
    OR EXISTS (SELECT 1 FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgisinternal AND g.tgenabled NOT IN ('O', 'A')))
  ORDER BY 1`;

/** What is wrong with what the tables hold. */
async function contents(session: Session): Promise<readonly string[]> {
  const torn = await count(session, TORN);
  const miscounted = (await count(session, MISCOUNTED_RUNS)) + (await count(session, MISCOUNTED_ITEMS));
  const misplaced = await count(session, MISPLACED);
  return [
    ...(torn > 0 ? [`${torn} runs have more or fewer turns in the journal than they took`] : []),
    ...(miscounted > 0 ? [`${miscounted} counts of runs or open items are not what there is`] : []),
    ...(misplaced > 0
      ? [`${misplaced} runs are to be pruned and not listed so, or are listed and not to be pruned`]
      : []),
  ];
}

/** Runs whose journal does not have as many turns as they took since those that are pruned. */
const TORN = `SELECT COUNT(*) AS n FROM tessera_runs r LEFT JOIN (
    SELECT tenant, run, COUNT(*) AS turns FROM tessera_journal GROUP BY tenant, run
  ) j ON j.tenant = r.tenant AND j.run = r.id
  WHERE r.sequence - COALESCE(r.pruned_to, 0) <> COALESCE(j.turns, 0)`;

/** Runs that are not listed as to be pruned by what they are. */
const MISPLACED = `SELECT COUNT(*) AS n FROM tessera_runs WHERE prunable_at IS DISTINCT FROM
  CASE WHEN status IN ('completed', 'failed', 'cancelled') AND COALESCE(pruned_to, 0) < sequence THEN updated_at END`;

/** Counts that are kept and are not what there is, and what there is and is not counted. */
const MISCOUNTED_RUNS = differing(
  "tenant, workflow, definition, status",
  "SELECT tenant, workflow, definition, status, COUNT(*) AS count FROM tessera_runs GROUP BY 1, 2, 3, 4",
  "tessera_run_counts",
);
const MISCOUNTED_ITEMS = differing(
  "tenant, kind",
  "SELECT tenant, kind, COUNT(*) AS count FROM tessera_items GROUP BY 1, 2",
  "tessera_item_counts",
);

/** How many keys have another sum of their parts in `table` than `counted` says; a sum of nothing needs no row. */
function differing(key: string, counted: string, table: string): string {
  const kept = `SELECT ${key}, SUM(count)::bigint AS count FROM ${table} GROUP BY ${key} HAVING SUM(count) <> 0`;
  const only = (one: string, other: string) => `(SELECT COUNT(*) FROM (${one} EXCEPT ${other}) d)`;
  return `SELECT ${only(counted, kept)} + ${only(kept, counted)} AS n`;
}
