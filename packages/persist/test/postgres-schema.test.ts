/** PostgreSQL: tables of an older version, and deployments at the same time. */
import { readFileSync } from "node:fs";
import type { Hash } from "@tessera/core";
import { type PostgresStore, postgresStore } from "@tessera/persist/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { commit, DEFINITION } from "../src/contract/sample.ts";
import { postgresForTests } from "./postgres-stores.ts";

const postgres = postgresForTests("the schema on PostgreSQL");

async function open(schema: string): Promise<PostgresStore> {
  const store = await postgresStore({ connection: postgres.server().connection }, { schema });
  onTestFinished(() => store.close());
  return store;
}

/** Makes a schema with the tables of an older version. */
async function freeze(version: number, schema: string): Promise<void> {
  const text = readFileSync(new URL(`fixtures/postgres-schema-v${version}.sql`, import.meta.url), "utf8");
  await postgres
    .pool()
    .query(`BEGIN; CREATE SCHEMA ${schema}; SET LOCAL search_path TO ${schema}; ${text} COMMIT;`);
}

/** Columns and indexes of a schema, in no order of their making. */
async function shape(schema: string): Promise<unknown[]> {
  const asked = `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
    WHERE table_schema = $1 UNION ALL SELECT tablename, indexname, replace(indexdef, $1 || '.', ''), '', ''
    FROM pg_indexes WHERE schemaname = $1 ORDER BY 1, 2`;
  return (await postgres.pool().query(asked, [schema])).rows;
}

describe.skipIf(!postgres.isHere)("the schema", () => {
  it("[D10.10] [D10.24] of version 1 is migrated: it has the tables and indexes of a new one, and keeps what is in it", async () => {
    await freeze(1, "frozen");
    await (await open("fresh")).close();
    expect(await shape("frozen")).not.toEqual(await shape("fresh"));
    const store = await open("frozen");
    expect(await shape("frozen")).toEqual(await shape("fresh"));
    const row = await store.newestDefinition("acme", "order");
    expect(row).toMatchObject({ deployedAt: 500, definition: { id: "order" } });
    expect(await store.startTimers({ limit: 9 })).toEqual([]);
    const timers = [{ event: "e", dueAt: 5, remaining: 0, repeat: null }];
    const newer = row?.hash.replaceAll("d", "e") as Hash;
    if (row !== null) await store.putDefinition("acme", { ...row, hash: newer, timers });
    expect(await store.startTimers({ dueBy: 5, limit: 9 })).toMatchObject([{ definition: newer, dueAt: 5 }]);
  });

  it("[D10.10] [D10.28] of version 2 is migrated, and what is to be pruned in it is listed", async () => {
    await freeze(2, "frozen_2");
    await (await open("fresh_3")).close();
    expect(await shape("frozen_2")).not.toEqual(await shape("fresh_3"));
    const store = await open("frozen_2");
    expect(await shape("frozen_2")).toEqual(await shape("fresh_3"));
    const query = { tenant: "acme", before: 9e3, limit: 9 };
    const listed = async () => (await store.prunable(query)).rows.map(({ run, prunedTo }) => [run, prunedTo]);
    const old = [
      ["cancelled", 0],
      ["partly", 1],
      ["done", 0],
    ];
    expect(await listed()).toEqual(old);
    await commit(store, { tenant: "acme", run: "new", expect: 0, at: 7e3, status: "completed", modes: [] });
    expect(await listed()).toEqual([...old, ["new", 0]]);
  });

  it("[D10.24] of deployments of one version at the same time one counts its times", async () => {
    const stores = await Promise.all([1, 2, 3].map(() => open("at_once")));
    const row = { hash: DEFINITION, name: "w", definition: {} as never, manifest: {}, deployedAt: 0 };
    const due = (dueAt: number) => [{ event: "e", dueAt, remaining: 0, repeat: null }];
    const put = stores.map((store, n) => store.putDefinition("default", { ...row, timers: due(n + 1) }));
    expect((await Promise.all(put)).filter((kind) => kind === "stored")).toHaveLength(1);
    const [timer, ...others] = (await stores[0]?.startTimers({ limit: 9 })) ?? [];
    expect([timer?.workflow, others]).toEqual(["w", []]);
    const moved = stores.map((store) => (timer === undefined ? false : store.moveStartTimer(timer, null)));
    expect((await Promise.all(moved)).filter((isMoved) => isMoved)).toHaveLength(1);
  });
});
