/** @module PostgreSQL for the tests of one file: a server of its own, and empty stores on it. */
import { type PostgresOptions, type PostgresStore, postgresStore } from "@tessera/persist/postgres";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { hasPostgres, startPostgres } from "../../../tests/durability/postgres-server.mjs";

/** What a test has of it. */
export interface Postgres {
  readonly isHere: boolean;
  readonly server: () => Awaited<ReturnType<typeof startPostgres>>;
  /** The application's own pool. */
  readonly pool: () => pg.Pool;
  /** A store on the tables of `schema`, whose rows are taken away before. */
  readonly emptyStore: (options?: PostgresOptions) => Promise<PostgresStore>;
}

/** Starts the server before the tests of the describe block in which this is called, and stops it after them. */
export function postgresForTests(suite: string): Postgres {
  let server: Awaited<ReturnType<typeof startPostgres>> | undefined;
  let pool: pg.Pool | undefined;
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("the server does not run yet");
    return value;
  };
  const isHere = hasPostgres(suite);
  beforeAll(async () => {
    if (!isHere) return;
    server = await startPostgres();
    pool = new pg.Pool({ ...server.connection, max: 4 });
    pool.on("error", () => {});
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 120_000);
  return {
    isHere,
    server: () => there(server),
    pool: () => there(pool),
    emptyStore: async (options = {}) => {
      // To make some forty tables and indexes takes longer than most cases.
      await emptied(there(pool), options.schema ?? "tessera");
      return postgresStore({ connection: there(server).connection }, options);
    },
  };
}

async function emptied(pool: pg.Pool, schema: string): Promise<void> {
  const text = "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename <> 'tessera_meta'";
  const { rows } = await pool.query<{ tablename: string }>(text, [schema]);
  // What refers goes before what is referred to.
  const isReferredTo = (name: string) =>
    ["tenants", "definitions", "runs", "graphs", "blobs"].indexOf(name.slice(8));
  const names = rows.map(({ tablename }) => tablename).sort((a, b) => order(a) - order(b));
  function order(name: string): number {
    const at = isReferredTo(name);
    return at < 0 ? 0 : 10 - at;
  }
  const deletes = names.map((name) => `DELETE FROM "${schema}".${name};`);
  if (deletes.length > 0) await pool.query(deletes.join("\n"));
}
