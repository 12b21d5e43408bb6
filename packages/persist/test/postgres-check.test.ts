/** The check of a PostgreSQL store: what is whole, and each thing that can be wrong, named. */
import { checkPostgres } from "@tessera/persist/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { history, item } from "../src/contract/sample.ts";
import { SCHEMA_VERSION } from "../src/postgres/schema.ts";
import { postgresForTests } from "./postgres-stores.ts";

const postgres = postgresForTests("the check of PostgreSQL");

describe.skipIf(!postgres.isHere)("checkPostgres", () => {
  let client: pg.Client;
  beforeAll(async () => {
    const store = await postgres.emptyStore({ schema: "checked" });
    await history(store, [
      { run: "a", expect: 0, set: [item("1.0")] },
      { run: "a", expect: 1 },
      { run: "b", expect: 0 },
    ]);
    await store.close();
    client = new pg.Client(postgres.server().connection);
    await client.connect();
  }, 120_000);
  afterAll(() => client.end());

  const check = () => checkPostgres(client, { schema: "checked" });

  /** What is said while something is changed: the change is undone. */
  async function problemsAfter(damage: string, repair: string): Promise<readonly string[]> {
    await client.query(`SET search_path TO checked; ${damage}`);
    try {
      return (await check()).problems;
    } finally {
      await client.query(repair);
      await client.query("RESET search_path");
    }
  }

  it("[D10.21] says what a store holds, and that it is whole, while others use it", async () => {
    const found = await check();
    expect(found).toMatchObject({
      schema: "checked",
      version: SCHEMA_VERSION,
      runs: 2,
      turns: 3,
      openItems: 1,
      outbox: 0,
      startTimers: [],
      problems: [],
    });
    expect(found.bytes).toBeGreaterThan(8_192);
    // The connection is as it was.
    expect((await client.query("SHOW transaction_read_only")).rows).toEqual([
      { transaction_read_only: "off" },
    ]);
  });

  it.each<readonly [what: string, damage: string, repair: string, problem: string]>([
    [
      "a turn that is gone",
      "CREATE TEMP TABLE kept AS SELECT * FROM tessera_journal WHERE sequence = 2; DELETE FROM tessera_journal WHERE sequence = 2",
      "INSERT INTO tessera_journal SELECT * FROM kept; DROP TABLE kept",
      "1 runs have more or fewer turns in the journal than they took",
    ],
    [
      "a count that is too high",
      "UPDATE tessera_item_counts SET count = count + 1",
      "UPDATE tessera_item_counts SET count = count - 1",
      "2 counts of runs or open items are not what there is",
    ],
    [
      "a count that is gone",
      "CREATE TEMP TABLE kept AS SELECT * FROM tessera_item_counts; DELETE FROM tessera_item_counts",
      "INSERT INTO tessera_item_counts SELECT * FROM kept; DROP TABLE kept",
      "1 counts of runs or open items are not what there is",
    ],
    [
      "a run that is listed as to be pruned",
      "UPDATE tessera_runs SET prunable_at = 1 WHERE run = 'b'",
      "UPDATE tessera_runs SET prunable_at = NULL",
      "1 runs are to be pruned and not listed so, or are listed and not to be pruned",
    ],
    [
      "an index that keeps a command from being done twice, gone",
      "ALTER INDEX tessera_journal_by_dedupe RENAME TO gone",
      "ALTER INDEX gone RENAME TO tessera_journal_by_dedupe",
      "the index tessera_journal_by_dedupe is missing",
    ],
    [
      "a table that is gone",
      "ALTER TABLE tessera_spent RENAME TO gone",
      "ALTER TABLE gone RENAME TO tessera_spent",
      "the table tessera_spent is missing",
    ],
    [
      "foreign keys that are switched off",
      "ALTER TABLE tessera_journal DISABLE TRIGGER ALL",
      "ALTER TABLE tessera_journal ENABLE TRIGGER ALL",
      "foreign keys of tessera_journal are not watched over",
    ],
    [
      "an index that was not made to its end",
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'tessera_runs_by_status'::regclass",
      "UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'tessera_runs_by_status'::regclass",
      "the index tessera_runs_by_status is not valid: REINDEX it",
    ],
    [
      "tables of a newer release",
      "UPDATE tessera_meta SET value = value + 1 WHERE key = 'schema'",
      "UPDATE tessera_meta SET value = value - 1 WHERE key = 'schema'",
      `its tables have version ${SCHEMA_VERSION + 1}; this release knows ${SCHEMA_VERSION}`,
    ],
    [
      "a connection whose commits could be lost",
      "SET synchronous_commit TO off",
      "RESET synchronous_commit",
      "synchronous_commit is off: use on",
    ],
  ])("[D10.21] names %s, and nothing else", async (_, damage, repair, problem) => {
    expect(await problemsAfter(damage, repair)).toEqual([problem]);
    expect((await check()).problems).toEqual([]);
  });

  it("[D10.21] names a schema without tables, and a server that is not there", async () => {
    expect(await checkPostgres(client, { schema: "nowhere" })).toMatchObject({
      version: null,
      runs: 0,
      problems: ["it has no tables of tessera"],
    });
    const ended = new pg.Client(postgres.server().connection);
    await ended.connect();
    await ended.end();
    await expect(checkPostgres(ended)).rejects.toMatchObject({ name: "StoreError", code: "io" });
  });
});
