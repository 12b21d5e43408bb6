import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifyChain } from "@tessera/persist";
import { checkDatabase, sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { commit, item } from "../src/contract/sample.ts";
import { SCHEMA_VERSION } from "../src/sqlite/schema.ts";
import { applicationDatabase, temporaryFile } from "./temporary.ts";

const OLD = fileURLToPath(new URL("fixtures/schema-v1.sqlite", import.meta.url));
const VERSION_6 = fileURLToPath(new URL("fixtures/schema-v6.sqlite", import.meta.url));
const VERSION_5 = fileURLToPath(new URL("fixtures/schema-v5.sqlite", import.meta.url));
const VERSION_4 = fileURLToPath(new URL("fixtures/schema-v4.sqlite", import.meta.url));

function oldFile(from: string = OLD): string {
  const file = temporaryFile();
  copyFileSync(from, file);
  return file;
}

interface Column {
  readonly name: string;
}

/** Tables and indexes with their columns, and no text of theirs. */
function shapeOf(db: Database.Database): ReadonlyMap<string, unknown> {
  const names = db.prepare("SELECT type, name FROM sqlite_master ORDER BY type, name").all() as {
    type: string;
    name: string;
  }[];
  return new Map(
    names.map(({ type, name }) => [
      `${type} ${name}`,
      db.pragma(`${type === "index" ? "index_xinfo" : "table_xinfo"}(${name})`),
    ]),
  );
}

describe("the schema", () => {
  it("[D10.10] a file of version 1 is migrated, and nothing in it is lost", async () => {
    const file = oldFile();
    const store = sqliteStore({ path: file });
    const rows = await store.journal("acme", "old", 0, 9);
    const loaded = await store.load("acme", "old");
    expect(verifyChain({ tenant: "acme", run: "old" }, rows)).toMatchObject({
      kind: "ok",
      sequence: 3,
      head: loaded?.row.head,
    });
    expect(rows[1]?.record).toEqual({
      semantics: 1,
      sequence: 2,
      at: 2000,
      input: {
        kind: "attempt-failed",
        item: "1.0",
        attempt: 1,
        trouble: { code: "PORT", message: "down" },
        retryAt: 2500,
      },
      steps: [{ node: "draft", trouble: { code: "PORT", message: "down" } }],
    });
    expect(loaded?.row).toMatchObject({
      workflow: "review",
      businessKey: "K-1",
      status: "waiting",
      sequence: 3,
    });
    expect([loaded?.snapshot?.sequence, loaded?.snapshot?.data]).toEqual([1, { amount: 12 }]);
    expect(loaded?.tail.map(({ sequence }) => sequence)).toEqual([2, 3]);
    const open = item("3.0", {
      node: "review",
      openedAt: 3000,
      dueAt: 86403000,
      assignees: ["ann"],
      candidateGroups: ["legal"],
    });
    const work = await store.items({ tenant: "acme", limit: 9, actor: "ann" });
    expect(work.rows.map((row) => row.item)).toEqual([open]);
    expect(await store.nextDue()).toBe(86403000);
    const [claim] = await store.claimEffects("w", 3000, 10, 9, ["child-status"]);
    expect(claim).toMatchObject({ effect: { id: "old/x", payload: { n: 1 } }, token: 4 });
    expect(await commit(store, { tenant: "acme", run: "old", expect: 0, dedupe: "start" })).toMatchObject({
      kind: "duplicate",
    });
    expect(await commit(store, { tenant: "acme", run: "old", expect: 3, closed: ["3.0"] })).toMatchObject({
      kind: "ok",
    });
    expect((await store.items({ tenant: "acme", limit: 9, candidateGroup: "legal" })).rows).toEqual([]);
    await store.close();
  });

  it("[D10.10] [D10.19] a file of version 4 is migrated, and what is in it is counted", async () => {
    const file = oldFile(VERSION_4);
    const store = sqliteStore({ path: file });
    const { runs, items } = await store.counts("acme");
    const found = runs
      .map((row) => [row.workflow, row.definition[7], row.status, row.count].join(" "))
      .sort();
    expect(found).toEqual(["order d completed 1", "order d waiting 1", "order e waiting 1"]);
    expect(items.map((row) => `${row.kind} ${row.count}`).sort()).toEqual(["timer 1", "work-item 2"]);
    const due = await store.items({ tenant: "acme", limit: 9, dueBy: 99 });
    expect(due.rows.map((row) => [row.run, row.item.dueAt])).toEqual([
      ["b", 20],
      ["a", 50],
    ]);
    expect(await commit(store, { tenant: "acme", run: "a", expect: 1, closed: ["1.1"] })).toMatchObject({
      kind: "ok",
    });
    expect((await store.counts("acme")).items).toEqual([{ tenant: "acme", kind: "work-item", count: 2 }]);
    expect(verifyChain({ tenant: "acme", run: "b" }, await store.journal("acme", "b", 0, 9))).toMatchObject({
      kind: "ok",
      sequence: 2,
    });
    await store.close();
    expect(checkDatabase(file).problems).toEqual([]);
  });

  it("[D10.10] [D10.24] a file of version 5 is migrated: nothing in it is started by time, until it is deployed anew", async () => {
    const file = oldFile(VERSION_5);
    const store = sqliteStore({ path: file });
    expect((await store.definitionVersions("acme", "order")).map(({ hash }) => hash[7])).toEqual(["e", "d"]);
    expect(await store.dueItems(99, 9)).toMatchObject([{ run: "a", item: { id: "1.0", dueAt: 50 } }]);
    const [delivery] = await store.deliveries(0, 9);
    expect(delivery?.to).toEqual({ kind: "start", workflow: "order", event: "came" });
    expect(await store.startTimers({ limit: 9 })).toEqual([]);
    const newest = await store.newestDefinition("acme", "order");
    const older = (await store.definitionVersions("acme", "order"))[1];
    const timers = [{ event: "e", dueAt: 5, remaining: 0, repeat: null }];
    for (const row of [newest, older]) {
      if (row !== null && row !== undefined) await store.putDefinition("acme", { ...row, timers });
    }
    expect(await store.startTimers({ limit: 9 })).toMatchObject([
      { tenant: "acme", workflow: "order", definition: older?.hash, dueAt: 5 },
    ]);
    await store.close();
    expect(checkDatabase(file).problems).toEqual([]);
  });

  it("[D10.10] [D10.28] a file of version 6 is migrated, and what is to be pruned in it is listed", async () => {
    const file = oldFile(VERSION_6);
    const store = sqliteStore({ path: file });
    const query = { tenant: "default", before: Date.UTC(2027, 0), limit: 9 };
    const { rows } = await store.prunable(query);
    expect(rows.map(({ run, prunedTo }) => [run, prunedTo])).toEqual([
      ["partly", 1],
      ["erased", 0],
      ["done", 0],
      ["cancelled", 0],
    ]);
    expect(await commit(store, { run: "open", expect: 1, status: "completed", modes: [] })).toMatchObject({
      kind: "ok",
    });
    expect((await store.prunable(query)).rows.map(({ run }) => run)).toContain("open");
    await store.close();
    expect(checkDatabase(file).problems).toEqual([]);
  });

  it("[D10.28] a check of the database notices runs that are to be pruned and not listed, and the other way round", async () => {
    for (const damage of [
      "UPDATE tessera_runs SET prunable_at = NULL WHERE run = 'done'",
      "UPDATE tessera_runs SET prunable_at = 5 WHERE run = 'done'",
      "UPDATE tessera_runs SET prunable_at = updated_at WHERE run = 'pruned'",
      "UPDATE tessera_runs SET prunable_at = updated_at WHERE run = 'open'",
    ]) {
      const file = oldFile(VERSION_6);
      await sqliteStore({ path: file }).close();
      const db = new Database(file);
      expect(db.prepare(damage).run().changes).toBe(1);
      db.close();
      expect(checkDatabase(file).problems).toEqual([
        expect.stringMatching(/^1 runs are to be pruned and not listed/),
      ]);
    }
  });

  it("[D10.19] a check of the database notices counts that are not what there is", async () => {
    for (const damage of [
      "UPDATE tessera_run_counts SET count = count + 1 WHERE status = 'completed'",
      "DELETE FROM tessera_item_counts",
      "DELETE FROM tessera_items",
    ]) {
      const file = oldFile(VERSION_4);
      await sqliteStore({ path: file }).close();
      const db = new Database(file);
      db.exec(damage);
      db.close();
      expect(checkDatabase(file).problems).toContainEqual(
        expect.stringMatching(/counts of runs or open items/),
      );
    }
  });

  it.each([
    [1, OLD],
    [4, VERSION_4],
    [5, VERSION_5],
    [6, VERSION_6],
  ])(
    "[D10.10] a migrated file of version %i has the tables and indexes of a new one",
    async (_version, from) => {
      const [old, fresh] = [oldFile(from), temporaryFile()];
      for (const path of [old, fresh]) await sqliteStore({ path }).close();
      const shapes = [old, fresh].map((path) => {
        const db = new Database(path);
        const shape = shapeOf(db);
        db.close();
        return shape;
      });
      expect(shapes[0]).toEqual(shapes[1]);
      const untouched = new Database(from, { readonly: true });
      expect(shapeOf(untouched)).not.toEqual(shapes[1]);
      untouched.close();
    },
  );

  it("[D10.10] a migration that fails leaves the old version as it was", () => {
    const file = oldFile();
    const db = new Database(file);
    db.exec("UPDATE tessera_items SET body = 'damaged'");
    const before = db.serialize();
    db.close();
    expect(() => sqliteStore({ path: file })).toThrow(expect.objectContaining({ code: "corrupt" }));
    const after = new Database(file);
    const version = after.prepare("SELECT value FROM tessera_meta WHERE key = 'schema'").get();
    expect(version).toEqual({ value: 1 });
    const original = new Database(before);
    expect(shapeOf(after)).toEqual(shapeOf(original));
    after.close();
  });

  it("[D10.10] a newer version is refused and left alone; one that never was is not ours", () => {
    const database = applicationDatabase();
    sqliteStore({ database });
    for (const [version, code] of [
      [SCHEMA_VERSION + 1, "schema"],
      [-1, "corrupt"],
    ] as const) {
      database.prepare("UPDATE tessera_meta SET value = ? WHERE key = 'schema'").run(version);
      expect(() => sqliteStore({ database })).toThrow(expect.objectContaining({ name: "StoreError", code }));
    }
    database.exec("DELETE FROM tessera_meta");
    expect(() => sqliteStore({ database })).toThrow(expect.objectContaining({ code: "corrupt" }));
  });

  it("[D10.10] has the tenant in every table and every index, and the prefix in every name", () => {
    const database = applicationDatabase();
    sqliteStore({ database });
    const shape = shapeOf(database);
    // Shared by all tenants on purpose: content by hash, what is due, the way from a large value to its owners.
    const shared = new Set([
      "table tessera_meta",
      "table tessera_tenants",
      "table tessera_definitions",
      "index tessera_items_by_due",
      "index tessera_outbox_by_kind",
      "index tessera_blob_owners_by_blob",
    ]);
    for (const [name, columns] of shape) {
      expect(name).toMatch(/^(?:table|index) (?:sqlite_autoindex_)?tessera_/);
      if (shared.has(name) || /autoindex_tessera_(?:meta|tenants|definitions)_/.test(name)) continue;
      expect([name, (columns as Column[]).map((column) => column.name)]).toEqual([
        name,
        expect.arrayContaining(["tenant"]),
      ]);
    }
    expect(shape.size).toBeGreaterThan(30);
  });

  it("[D10.10] a file of its own is marked as such; an application's is not", async () => {
    const file = temporaryFile();
    await sqliteStore({ path: file }).close();
    const own = new Database(file);
    expect(own.pragma("application_id", { simple: true })).toBe(0x74657373);
    own.close();
    const database = applicationDatabase();
    database.exec("CREATE TABLE customer (id INTEGER)");
    sqliteStore({ database });
    expect(database.pragma("application_id", { simple: true })).toBe(0);
  });
});
