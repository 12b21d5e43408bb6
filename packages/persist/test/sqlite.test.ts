import { objectsOf } from "@tessera/core";
import { groupCommitter, StoreError } from "@tessera/persist";
import { type SqliteDatabase, sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import {
  commit,
  DEFINITION,
  effect,
  history,
  item,
  kinds,
  mutation,
  object,
  stateAt,
  turn,
} from "../src/contract/sample.ts";
import { applicationDatabase, temporaryFile } from "./temporary.ts";

const coded = (code: string) => expect.objectContaining({ name: "StoreError", code });

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

describe("a transaction of the application's that stays open", () => {
  it("[D10.8] keeps all turns waiting, for so long only: then they are busy, and say why", async () => {
    const file = temporaryFile();
    const database = applicationDatabase(file);
    const busy = { sleep: async () => {}, retriesMax: 60 };
    const [own, other] = [sqliteStore({ database }, { busy }), sqliteStore({ path: file }, { busy })];
    await history(own, [{ run: "a", expect: 0 }]);
    // Of the handle itself, as where it is awaited in the transaction; and of another connection, as of another process.
    database.exec("BEGIN IMMEDIATE");
    const [within, beside] = [own, other].map((store) => groupCommitter(store));
    const answers = await Promise.allSettled(
      [within, beside].flatMap((committer) =>
        ["a", "b"].map((run) => committer?.commit(turn({ run, expect: run === "a" ? 1 : 0 }))),
      ),
    );
    expect(answers.map((answer) => answer.status === "rejected" && String(answer.reason))).toEqual([
      ...Array(2).fill("StoreError: A transaction is open on the database handle."),
      ...Array(2).fill("StoreError: SQLITE_BUSY: database is locked"),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ reason: { code: "busy" } });
    database.exec("ROLLBACK");
    expect(kinds([await commit(other, { run: "a", expect: 1 })])).toBe("ok");
    expect(kinds([await commit(own, { run: "a", expect: 2 })])).toBe("ok");
    await other.close();
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

describe("the newest version under a name", () => {
  it("[D10.8] is what the name means now, whoever moved it and however often it was read", async () => {
    const path = temporaryFile();
    const [store, other] = [sqliteStore({ path }), sqliteStore({ path })];
    const version = (n: number) => ({
      hash: `sha256:${String(n).repeat(64)}` as typeof DEFINITION,
      name: "order",
      definition: { format: 1, kind: "workflow", id: "order", entry: "a", nodes: [], arcs: [] } as const,
      manifest: { n },
      deployedAt: n,
    });
    const isNewest = async (n: number) => {
      for (const reader of [store, other, store])
        expect(await reader.newestDefinition("default", "order")).toEqual(version(n));
      expect((await store.definitionVersions("default", "order"))[0]).toEqual(version(n));
    };
    expect(await store.newestDefinition("default", "order")).toBe(null);
    for (const [n, writer] of [
      [1, store],
      [2, other],
      [3, store],
      [1, other],
      [2, store],
    ] as const) {
      await writer.putDefinition("default", version(n));
      await isNewest(n);
      expect(await store.newestDefinition("other", "order")).toBe(null);
    }
    for (const each of [store, other]) await each.close();
  });
});

describe("what an item has elsewhere", () => {
  it("[D10.8] goes with it, whether its row says that it is for all, for some, or what earlier releases said", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    const message = { event: "m", on: "message", name: "paid", key: "7" } as const;
    const set = [
      item("all.1"),
      item("old.1"),
      item("some.1", { assignees: ["ann"], candidateGroups: ["g"] }),
      item("claimed.1", { assignee: "bob" }),
      item("awaits.1", { subscriptions: [message] }),
      item("job.1", { kind: "job" }),
    ];
    await history(store, [{ run: "a", expect: 0, set }]);
    const said = database.prepare("SELECT item, has_offers FROM tessera_items ORDER BY id").raw();
    expect(said.all()).toEqual([
      ["all.1", 2],
      ["old.1", 2],
      ["some.1", 1],
      ["claimed.1", 1],
      ["awaits.1", 1],
      ["job.1", 0],
    ]);
    database.exec("UPDATE tessera_items SET has_offers = 1 WHERE item = 'old.1'");
    const left = database.prepare(
      "SELECT (SELECT COUNT(*) FROM tessera_offers), (SELECT COUNT(*) FROM tessera_subscriptions)",
    );
    expect(left.raw().get()).toEqual([7, 1]);
    // One that is set anew is listed as it is now, and as nothing else.
    await history(store, [{ run: "a", expect: 1, set: [item("all.1", { assignee: "eve" })] }]);
    expect(left.raw().get()).toEqual([8, 1]);
    await history(store, [{ run: "a", expect: 2, closed: set.map(({ id }) => id) }]);
    expect(left.raw().get()).toEqual([0, 0]);
    await store.close();
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
    await store.prune("default", "a", { sequence: 2, state: stateAt(2, {}), by: "o", reason: "r", at: 1 });
    await commit(store, { run: "a", expect: 3, dedupe: "spent" });
    await store.journal("default", "a", 0, 9);
    await store.graph("default", "g");
    await store.graphJournal("default", "g", 0, 9);
    await store.dueItems(9, 9);
    await store.nextDue();
    const tenant = "default";
    const timer = { event: "e", dueAt: 1, remaining: 0, repeat: null };
    const timed = { hash: DEFINITION, name: "t", definition: {} as never, manifest: {}, deployedAt: 0 };
    await store.putDefinition(tenant, { ...timed, timers: [timer] });
    await store.startTimers({ limit: 9 });
    const [starting] = await store.startTimers({ tenant, dueBy: 9, limit: 9 });
    if (starting !== undefined) await store.moveStartTimer(starting, { ...timer, dueAt: 2 });
    if (starting !== undefined) await store.moveStartTimer({ ...starting, dueAt: 2 }, null);
    for (const filter of [
      {},
      { status: "waiting" as const },
      { workflow: "w" },
      { businessKey: "k" },
      { parent: "a" },
      { definition: DEFINITION },
      { status: "waiting" as const, workflow: "w", definition: DEFINITION },
      { data: [{ path: "p", value: 1 }] },
      {
        data: [
          { path: "p", value: 1 },
          { path: "q", value: 1 },
        ],
        status: "waiting" as const,
      },
    ]) {
      await store.runs({ tenant, limit: 9, ...filter });
    }
    for (const filter of [
      {},
      { run: "a" },
      { kind: "job" as const },
      { assignee: "ann" },
      { actor: "ann", groups: ["g"] },
      { dueBy: 9 },
      { dueBy: 9, run: "a", kind: "job" as const, assignee: "ann", actor: "ann", groups: ["g"] },
    ]) {
      await store.items({ tenant, limit: 9, ...filter });
    }
    await store.newestDefinition(tenant, "order");
    await store.counts(tenant);
    await store.reindex(tenant, "b", 1, [{ path: "p", value: 2 }]);
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
    const sorted = planned.flatMap((sql) => {
      if (!/tessera_(?:runs|run_values|items|start_timers)\b[\s\S]*LIMIT/.test(sql)) return [];
      const parameters = Array.from({ length: (sql.match(/\?/g) ?? []).length }, () => 1);
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
      return plan.filter(({ detail }) => detail.includes("TEMP B-TREE")).map(() => sql);
    });
    expect(sorted).toEqual([]);
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
