import { existsSync, readFileSync } from "node:fs";
import { verifyChain } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import { effect, history, item, mutation, object } from "../src/contract/sample.ts";
import { applicationDatabase, temporaryFile } from "./temporary.ts";

const coded = (code: string) => expect.objectContaining({ name: "StoreError", code });

describe("large values", () => {
  it("[D10.15] are stored once for each tenant and go with the last row that refers to them", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    const text = "z".repeat(100_000);
    const reason = { code: "X", message: "m", facts: { text } };
    const graph = { id: "g", expect: 0, mutations: [mutation({ create: [object("x", { text })] })] };
    const effects = { add: [effect("a/1", { payload: { text } })], done: [] };
    const set = [item("1.0", { reason })];
    await history(store, [
      { run: "a", expect: 0, data: { text, again: text }, hasSnapshot: true, set, effects, graph },
      { tenant: "other", run: "a", expect: 0, data: { text } },
    ]);
    const count = () =>
      (database.prepare("SELECT COUNT(*) AS n FROM tessera_blobs").get() as { n: number }).n;
    expect(count()).toBe(2);
    const gone = mutation({ delete: ["x"] });
    await history(store, [
      {
        run: "a",
        expect: 1,
        status: "completed",
        modes: [],
        graph: { id: "g", expect: 1, mutations: [gone] },
        effects: { add: [], done: ["a/1"] },
      },
    ]);
    expect(count()).toBe(2);
    expect(await store.erase("default", "a", 1, "dpo", "r", 1)).toBe("erased");
    expect(count()).toBe(1);
    expect(database.prepare("SELECT COUNT(*) AS n FROM tessera_blob_owners").get()).toEqual({ n: 1 });
    expect((await store.load("other", "a"))?.tail[0]?.input).toMatchObject({ data: { text } });
  });

  it("[D10.15] are verified when they are read", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    await history(store, [{ run: "a", expect: 0, data: { text: "z".repeat(100_000) } }]);
    database.exec(
      "UPDATE tessera_blobs SET bytes = CAST(REPLACE(CAST(bytes AS TEXT), 'zzzz', 'zzza') AS BLOB)",
    );
    await expect(store.load("default", "a")).rejects.toThrow(coded("corrupt"));
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM tessera_blobs");
    await expect(store.load("default", "a")).rejects.toMatchObject({
      code: "corrupt",
      cause: [{ code: "JOURNAL003" }],
    });
  });
});

describe("damage", () => {
  it("[D10.1] a payload, an item or an effect that cannot be read is corrupt; one of a newer version says so", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    await history(store, [
      { run: "a", expect: 0, set: [item("1.0")], effects: { add: [effect("a/1")], done: [] } },
    ]);
    database.exec("UPDATE tessera_items SET body = '['; UPDATE tessera_outbox SET payload = '{}'");
    await expect(store.items({ tenant: "default", limit: 1 })).rejects.toThrow(coded("corrupt"));
    await expect(store.claimEffects("w", 9_999, 1, 1)).rejects.toThrow(coded("corrupt"));
    database.exec("UPDATE tessera_journal SET payload = x'09'");
    await expect(store.load("default", "a")).rejects.toThrow(coded("schema"));
    database.exec("UPDATE tessera_journal SET payload = x'02'");
    await expect(store.load("default", "a")).rejects.toThrow(coded("corrupt"));
    await history(store, [{ run: "b", expect: 0 }]);
  });

  it("[D10.4] a payload that was changed is found by the chain, whether it can still be read or not", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    await history(
      store,
      [0, 1, 2].map((expect) => ({ run: "a", expect, data: { amount: 100 } })),
    );
    const identity = { tenant: "default", run: "a" };
    const changes = ["x'02'", "CAST(REPLACE(CAST(payload AS TEXT), '100', '999') AS BLOB)"];
    for (const [index, change] of changes.entries()) {
      database.exec("SAVEPOINT before");
      database.exec(`UPDATE tessera_journal SET payload = ${change} WHERE sequence = 1`);
      const rows = await store.journal("default", "a", 0, 9);
      expect(verifyChain(identity, rows)).toEqual({ kind: "broken", sequence: 1, reason: "head" });
      expect(rows[0]?.record === null).toBe(index === 0);
      database.exec("ROLLBACK TO before; RELEASE before");
    }
    expect(verifyChain(identity, await store.journal("default", "a", 0, 9)).kind).toBe("ok");
  });
});

describe("erasure", () => {
  it("[D10.12] removes the payload from the files, not only from the tables", async () => {
    const file = temporaryFile();
    const store = sqliteStore({ path: file });
    const secret = "Ann-Marie-Example-4711";
    await history(store, [
      { run: "a", expect: 0, data: { name: secret, long: secret.repeat(5_000) }, hasSnapshot: true },
      { run: "a", expect: 1, status: "completed", modes: [] },
    ]);
    const holds = () =>
      [file, `${file}-wal`].some((each) => existsSync(each) && readFileSync(each).includes(secret));
    expect(holds()).toBe(true);
    expect(await store.erase("default", "a", 1, "dpo", "r", 1)).toBe("erased");
    expect(holds()).toBe(false);
    await store.close();
  });

  it("[D10.12] leaves the settings of an application's handle as they were", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    await history(store, [{ run: "a", expect: 0, status: "completed", modes: [] }]);
    for (const [setting, value] of [
      ["OFF", 0],
      ["ON", 1],
      ["FAST", 2],
    ] as const) {
      database.pragma(`secure_delete = ${setting}`);
      await store.erase("default", "a", 1, "dpo", "r", 1);
      expect(database.pragma("secure_delete", { simple: true })).toBe(value);
    }
  });
});
