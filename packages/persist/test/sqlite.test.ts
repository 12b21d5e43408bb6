import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { objectsOf } from "@tessera/core";
import { StoreError } from "@tessera/persist";
import { type SqliteDatabase, sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { commit, effect, history, item, kinds, mutation, object, turn } from "../src/contract/sample.ts";
import { applicationDatabase, temporaryFile } from "./temporary.ts";

const coded = (code: string) => expect.objectContaining({ name: "StoreError", code });

describe("opening", () => {
  it("[D10.9] refuses a handle whose commits could be lost, names what is wrong, and changes nothing", () => {
    const wrong: readonly (readonly [setting: string, trouble: RegExp])[] = [
      ["synchronous = NORMAL", /synchronous is NORMAL: use FULL/],
      ["synchronous = OFF", /synchronous is OFF: use FULL/],
      ["journal_mode = DELETE", /journal_mode is delete: use WAL/],
      ["journal_mode = MEMORY", /journal_mode is memory: use WAL/],
      ["query_only = ON", /query_only is on/],
    ];
    for (const [setting, trouble] of wrong) {
      const database = applicationDatabase();
      database.pragma(setting);
      const name = setting.split(" ")[0] ?? "";
      const before = database.pragma(name, { simple: true });
      const open = () => sqliteStore({ database });
      expect(open).toThrow(coded("settings"));
      expect(open).toThrow(trouble);
      expect(database.pragma(name, { simple: true })).toBe(before);
      expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([]);
    }
  });

  it("[D10.9] refuses a handle that says FULL only until it is used", () => {
    const database = new Database(temporaryFile());
    database.pragma("journal_mode = WAL");
    expect(() => sqliteStore({ database })).toThrow(/synchronous is NORMAL: use FULL/);
    database.close();
  });

  it("[D10.9] accepts EXTRA", () => {
    const database = applicationDatabase();
    database.pragma("synchronous = EXTRA");
    sqliteStore({ database });
  });

  it("[D10.9] refuses read-only and in-memory databases and open transactions", () => {
    const file = temporaryFile();
    const writer = applicationDatabase(file);
    sqliteStore({ database: writer });
    const reader = new Database(file, { readonly: true });
    reader.pragma("synchronous = FULL");
    expect(() => sqliteStore({ database: reader })).toThrow(/read-only/);
    reader.close();
    expect(() => sqliteStore({ path: ":memory:" })).toThrow(/memoryStore/);
    writer.exec("BEGIN");
    expect(() => sqliteStore({ database: writer })).toThrow(/a transaction is open/);
    writer.exec("ROLLBACK");
  });

  it("[D10.9] a file that is no database is corrupt, one that cannot be opened a fault of input and output", () => {
    const file = temporaryFile();
    writeFileSync(
      file,
      "this is a text, and a long one, so that nobody takes it for an empty file".repeat(40),
    );
    expect(() => sqliteStore({ path: file })).toThrow(coded("corrupt"));
    expect(readFileSync(file, "utf8")).toMatch(/^this is a text/);
    expect(() => sqliteStore({ path: path.join(path.dirname(file), "none", "runs.sqlite") })).toThrow(
      coded("io"),
    );
    expect(() => sqliteStore({ path: path.dirname(file) })).toThrow(coded("io"));
  });

  it("[D10.9] a file of its own is in WAL mode", async () => {
    const file = temporaryFile();
    const store = sqliteStore({ path: file });
    await history(store, [{ run: "a", expect: 0 }]);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await store.close();
  });
});

describe("settings that change later", () => {
  it("[D10.9] a commit on a handle that was lowered to NORMAL is refused and undone", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    await history(store, [{ run: "a", expect: 0 }]);
    database.pragma("synchronous = NORMAL");
    await expect(commit(store, { run: "a", expect: 1 })).rejects.toThrow(coded("settings"));
    expect(() => store.transaction((tx) => tx.commit([turn({ run: "a", expect: 1 })]))).toThrow(
      coded("settings"),
    );
    database.pragma("synchronous = FULL");
    expect((await store.load("default", "a"))?.row.sequence).toBe(1);
    expect(kinds([await commit(store, { run: "a", expect: 1 })])).toBe("ok");
  });
});

describe("the application's handle", () => {
  it("[D10.8] its writes and ours are committed together or not at all", () => {
    const database = applicationDatabase();
    database.exec("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    const store = sqliteStore({ database });
    const insert = database.prepare("INSERT INTO customer (name) VALUES (?)");
    store.transaction((tx) => {
      insert.run("Ann");
      expect(kinds(tx.commit([turn({ run: "a", expect: 0 })]))).toBe("ok");
    });
    const twice = () =>
      store.transaction((tx) => {
        tx.commit([turn({ run: "a", expect: 1 }), turn({ run: "b", expect: 0 })]);
        insert.run("Bob");
        insert.run("Ann");
      });
    // What the application's own statement throws arrives as it is.
    expect(twice).toThrow(expect.objectContaining({ code: "SQLITE_CONSTRAINT_UNIQUE" }));
    expect(twice).not.toThrow(coded("io"));
    expect(database.prepare("SELECT name FROM customer").all()).toEqual([{ name: "Ann" }]);
    expect(database.prepare("SELECT run, sequence FROM tessera_runs").all()).toEqual([
      { run: "a", sequence: 1 },
    ]);
  });

  it("[D10.8] a transaction that the application ends itself is refused", () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    const ended = () =>
      store.transaction((tx) => {
        tx.commit([turn({ run: "a", expect: 0 })]);
        database.exec("ROLLBACK");
      });
    expect(ended).toThrow(coded("misuse"));
    database.transaction(() => expect(() => store.transaction(() => 1)).toThrow(coded("misuse")))();
  });

  it("[D10.8] stays open when the store is closed, and closes the store when it is closed", async () => {
    const database = applicationDatabase();
    await sqliteStore({ database }).close();
    expect(database.open).toBe(true);
    const store = sqliteStore({ database });
    database.close();
    await expect(store.load("default", "a")).rejects.toThrow(coded("closed"));
    await expect(commit(store, { run: "a", expect: 0 })).rejects.toThrow(coded("closed"));
    await store.close();
  });

  it("[D10.8] a commit waits while the application has a transaction or a query under way", async () => {
    const database = applicationDatabase();
    const waits: (() => void)[] = [];
    const sleep = () => new Promise<void>((resolve) => waits.push(resolve));
    const store = sqliteStore({ database }, { busy: { sleep } });
    database.exec("CREATE TABLE customer (id INTEGER); INSERT INTO customer VALUES (1), (2)");
    database.exec("BEGIN");
    const first = commit(store, { run: "a", expect: 0 });
    await Promise.resolve();
    expect(waits).toHaveLength(1);
    database.exec("COMMIT");
    waits.shift()?.();
    expect(kinds([await first])).toBe("ok");
    const query = database.prepare("SELECT id FROM customer").iterate();
    query.next();
    const second = commit(store, { run: "a", expect: 1 });
    await Promise.resolve();
    expect(waits).toHaveLength(1);
    query.return?.();
    waits.shift()?.();
    expect(kinds([await second])).toBe("ok");
  });
});

describe("several writers", () => {
  it("[D10.8] waits for another connection to finish, without blocking, and for so long only", async () => {
    const file = temporaryFile();
    const waited: number[] = [];
    const other = applicationDatabase(file);
    const sleep = async (ms: number) => {
      waited.push(ms);
      if (waited.length === 4) other.exec("COMMIT");
    };
    const store = sqliteStore({ path: file }, { busy: { sleep, random: () => 0.5, retriesMax: 4 } });
    other.exec("BEGIN IMMEDIATE");
    expect(kinds([await commit(store, { run: "a", expect: 0 })])).toBe("ok");
    expect(waited).toEqual([1.5, 3, 6, 12]);
    other.exec("BEGIN IMMEDIATE");
    await expect(commit(store, { run: "a", expect: 1 })).rejects.toThrow(coded("busy"));
    expect(() => store.transaction(() => 1)).toThrow(coded("busy"));
    other.exec("ROLLBACK");
    await store.close();
  });

  it("[D10.8] two stores on one file fence each other, and see each other's graphs", async () => {
    const file = temporaryFile();
    const [one, two] = [sqliteStore({ path: file }), sqliteStore({ path: file })];
    const create = (id: string, expect: number) => ({
      id: "g",
      expect,
      mutations: [mutation({ create: [object(id)] })],
    });
    await history(one, [{ run: "a", expect: 0, graph: create("x", 0) }]);
    expect((await two.graph("default", "g")).sequence).toBe(1);
    await history(one, [{ run: "a", expect: 1, graph: create("y", 1) }]);
    expect(kinds([await commit(two, { run: "a", expect: 1 })])).toBe("conflict:run");
    expect(kinds([await commit(two, { run: "b", expect: 0, graph: create("z", 1) })])).toBe("conflict:graph");
    await history(two, [{ run: "b", expect: 0, graph: create("z", 2) }]);
    for (const store of [one, two]) {
      const { sequence, graph } = await store.graph("default", "g");
      expect([sequence, objectsOf(graph).map(({ id }) => id)]).toEqual([3, ["x", "y", "z"]]);
      await store.close();
    }
  });

  it("[D10.11] two stores never give the same fencing token", async () => {
    const file = temporaryFile();
    const [one, two] = [sqliteStore({ path: file }), sqliteStore({ path: file })];
    const add = ["1", "2", "3", "4"].map((id) => effect(`a/${id}`));
    await history(one, [{ run: "a", expect: 0, effects: { add, done: [] } }]);
    const claims = [
      ...(await one.claimEffects("w1", 1_000, 10, 1)),
      ...(await two.claimEffects("w2", 1_000, 10, 2)),
      ...(await one.claimEffects("w1", 1_000, 10, 9)),
    ];
    expect(claims.map((claim) => claim.effect.id)).toEqual(["a/1", "a/2", "a/3", "a/4"]);
    const tokens = claims.map(({ token }) => token);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    for (const store of [one, two]) await store.close();
  });
});

describe("a transaction that is rolled back", () => {
  it("[D10.8] leaves the graph as it was, whoever asked within", async () => {
    const store = sqliteStore({ path: temporaryFile() });
    const graph = (id: string) => ({ id: "g", expect: 0, mutations: [mutation({ create: [object(id)] })] });
    const fail = () =>
      store.transaction((tx) => {
        tx.commit([turn({ run: "a", expect: 0, graph: graph("x") })]);
        expect(tx.graph("default", "g").sequence).toBe(1);
        throw new Error("no");
      });
    expect(fail).toThrow("no");
    await history(store, [{ run: "b", expect: 0, graph: graph("y") }]);
    expect(objectsOf((await store.graph("default", "g")).graph).map(({ id }) => id)).toEqual(["y"]);
    await store.close();
  });
});

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
    await expect(store.journal("default", "a", 0, 1)).rejects.toThrow(coded("corrupt"));
    await history(store, [{ run: "b", expect: 0 }]);
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

describe("cost", () => {
  it("[D10.8] no statement reads a whole table, whatever the length of histories and the number of runs", async () => {
    const database = applicationDatabase();
    const texts = new Set<string>();
    const noting: SqliteDatabase = new Proxy(database, {
      get: (target, name) => {
        if (name === "prepare") {
          return (sql: string) => {
            texts.add(sql);
            return target.prepare(sql);
          };
        }
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const store = sqliteStore({ database: noting });
    const graph = (expect: number) => ({
      id: "g",
      expect,
      mutations: [mutation({ create: [object(`x${expect}`, {}, ["y"])], delete: ["y"] })],
    });
    const text = "x".repeat(70_000);
    const set = [item("1.0", { dueAt: 5, assignee: "ann", candidateGroups: ["g"] })];
    const effects = { add: [effect("a/1", { payload: { text } })], done: ["a/0"] };
    await history(store, [
      { run: "a", expect: 0, dedupe: "s", data: { text }, set, effects, graph: graph(0), hasSnapshot: true },
      { run: "a", expect: 1, dedupe: "t", set, effects, graph: graph(1), hasSnapshot: true },
      { run: "c", expect: 0, created: { parent: { run: "a", item: "1.0" } } },
    ]);
    const [claim] = await store.claimEffects("w", 9_999, 10, 9);
    await store.renewLease("a/1", "default", claim?.token ?? 0, 99);
    await store.releaseEffect("a/1", "default", claim?.token ?? 0, 99);
    await store.dropEffect("a/1", "default", claim?.token ?? 0);
    await history(store, [{ run: "a", expect: 2, closed: ["1.0"], status: "completed", modes: [] }]);
    await store.load("default", "a");
    await store.journal("default", "a", 1, 9);
    await store.erase("default", "a", 1, "dpo", "r", 1);
    await store.graph("default", "g");
    await store.graphJournal("default", "g", 0, 9);
    await store.dueItems(9, 9);
    await store.nextDue();
    const tenant = "default";
    for (const filter of [
      {},
      { status: "waiting" as const },
      { workflow: "w" },
      { businessKey: "k" },
      { parent: "a" },
    ]) {
      await store.runs({ tenant, limit: 9, ...filter });
    }
    for (const filter of [
      {},
      { run: "a" },
      { kind: "job" as const },
      { assignee: "ann" },
      { actor: "ann", groups: ["g"] },
    ]) {
      await store.items({ tenant, limit: 9, ...filter });
    }
    await store.newestDefinition(tenant, "order");
    const planned = [...texts].filter(
      (sql) => /^\s*(?:SELECT|UPDATE|DELETE|INSERT)/.test(sql) && !sql.includes("sqlite_master"),
    );
    expect(planned.length).toBeGreaterThan(40);
    const scans = planned.flatMap((sql) => {
      const parameters = Array.from({ length: (sql.match(/\?/g) ?? []).length }, () => 1);
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
      return plan.filter(({ detail }) => /\bSCAN\b/.test(detail)).map(({ detail }) => [detail, sql]);
    });
    expect(scans).toEqual([]);
  });
});

describe("a fault that is not SQLite's", () => {
  it("[D10.6] of a turn is thrown as it is, and the store goes on", async () => {
    const store = sqliteStore({ path: temporaryFile() });
    const broken = {
      ...turn({ run: "a", expect: 0 }),
      effects: { add: [effect("a/1", { payload: { n: Number.NaN } })], done: [] },
    };
    await expect(store.commit([turn({ run: "b", expect: 0 }), broken])).rejects.toMatchObject({
      code: "INVARIANT",
    });
    expect(await store.load("default", "b")).toBe(null);
    expect(kinds([await commit(store, { run: "b", expect: 0 })])).toBe("ok");
    await store.close();
    expect(new StoreError("io", "x", { cause: 1 })).toMatchObject({
      name: "StoreError",
      code: "io",
      cause: 1,
    });
  });
});
