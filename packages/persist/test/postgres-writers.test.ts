/** PostgreSQL under several writers and broken connections: nothing twice, nothing lost, nothing that is not durable. */
import { groupCommitter, StoreError, verifyChain } from "@tessera/persist";
import { type PostgresPool, type PostgresStore, postgresStore } from "@tessera/persist/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { commit, effect, history, item, kinds, turn } from "../src/contract/sample.ts";
import { makeSession, textsOf } from "../src/postgres/driver.ts";
import { bringSchema, SCHEMA_VERSION } from "../src/postgres/schema.ts";
import { postgresForTests } from "./postgres-stores.ts";

const postgres = postgresForTests("writers on PostgreSQL");

/** Another store on the same tables, as another process would have it. */
async function another(
  target: Parameters<typeof postgresStore>[0] = own(),
  options = {},
): Promise<PostgresStore> {
  const store = await postgresStore(target, options);
  onTestFinished(() => store.close());
  return store;
}

const own = () => ({ connection: postgres.server().connection });

async function first(options = {}): Promise<PostgresStore> {
  const store = await postgres.emptyStore(options);
  onTestFinished(() => store.close());
  return store;
}

/** A pool of an application with such settings. */
function poolWith(settings: string): pg.Pool {
  const pool = new pg.Pool({ ...postgres.server().connection, max: 3, options: settings });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** Waits until something holds. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let count = 0; !(await holds()); count += 1) {
    if (count > 600) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.skipIf(!postgres.isHere)("settings", () => {
  it("[D10.21] a pool on which a commit could be lost or changed is refused, every wrong setting named", async () => {
    await first();
    const pool = poolWith("-c synchronous_commit=off -c bytea_output=escape -c extra_float_digits=0");
    const refused = postgresStore({ pool });
    await expect(refused).rejects.toMatchObject({ name: "StoreError", code: "settings" });
    await expect(refused).rejects.toThrow(
      /extra_float_digits is 0.*bytea_output is escape.*synchronous_commit is off/,
    );
    // Nothing was changed, and the pool is the application's still.
    expect((await pool.query("SHOW synchronous_commit")).rows).toEqual([{ synchronous_commit: "off" }]);
  });

  it("[D10.21] a connection of the store's own is made good", async () => {
    await postgres.pool().query("ALTER ROLE tessera SET synchronous_commit = off");
    onTestFinished(
      async () => void (await postgres.pool().query("ALTER ROLE tessera RESET synchronous_commit")),
    );
    const store = await another();
    expect(kinds([await commit(store, { run: "good", expect: 0 })])).toBe("ok");
  });

  it("[D10.21] is read back in every commit: what became dangerous meanwhile is undone", async () => {
    const store = await first();
    const set = async (value: string): Promise<void> => {
      await postgres.pool().query(`ALTER SYSTEM SET fsync = ${value}`);
      await postgres.pool().query("SELECT pg_reload_conf()");
      await eventually(async () => (await postgres.pool().query("SHOW fsync")).rows[0]?.fsync === value);
    };
    await set("off");
    try {
      const lost = commit(store, { run: "a", expect: 0 });
      await expect(lost).rejects.toMatchObject({ code: "settings" });
      await expect(lost).rejects.toThrow(/fsync is off/);
    } finally {
      await set("on");
    }
    expect(await store.load("default", "a")).toBeNull();
    expect(kinds([await commit(store, { run: "a", expect: 0 })])).toBe("ok");
  });

  it("[D10.21] refuses a schema that has no such name", async () => {
    await expect(postgresStore(own(), { schema: 'x"; DROP' })).rejects.toMatchObject({ code: "misuse" });
  });
});

describe.skipIf(!postgres.isHere)("the schema", () => {
  it("[D10.10] is made once by stores that open at the same time", async () => {
    const stores = await Promise.all([1, 2, 3].map(() => another(own(), { schema: "at_once" })));
    const results = await Promise.all(stores.map((store, n) => commit(store, { run: `r${n}`, expect: 0 })));
    expect(kinds(results)).toBe("ok ok ok");
    expect((await stores[0]?.runs({ tenant: "default", limit: 9 }))?.rows).toHaveLength(3);
  });

  it("[D10.10] of a newer version is refused, and of one that never was", async () => {
    await (await another(own(), { schema: "strange" })).close();
    const version = (value: number) =>
      postgres.pool().query("UPDATE strange.tessera_meta SET value = $1 WHERE key = 'schema'", [value]);
    await version(SCHEMA_VERSION + 1);
    await expect(postgresStore(own(), { schema: "strange" })).rejects.toMatchObject({ code: "schema" });
    await version(-3);
    await expect(postgresStore(own(), { schema: "strange" })).rejects.toMatchObject({ code: "corrupt" });
  });

  it("[D10.10] is brought up step by step in one transaction, or not at all", async () => {
    await (await another(own(), { schema: "older" })).close();
    const client = await postgres.pool().connect();
    onTestFinished(() => client.release());
    const session = makeSession(client as never, textsOf("older"));
    const columns = async (): Promise<unknown[]> => {
      const text = `SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema = 'older' AND table_name = 'tessera_meta' ORDER BY 1`;
      return (await client.query(text)).rows.map(({ name }) => name);
    };
    const bring = async (steps: ReadonlyMap<number, string>): Promise<void> => {
      await client.query("BEGIN");
      await bringSchema(session, "older", SCHEMA_VERSION + 2, steps).catch(async (fault) => {
        await client.query("ROLLBACK");
        throw fault;
      });
      await client.query("COMMIT");
    };
    const one = [SCHEMA_VERSION, "ALTER TABLE tessera_meta ADD COLUMN note TEXT"] as const;
    await expect(bring(new Map([one]))).rejects.toMatchObject({ code: "corrupt" });
    expect(await columns()).toEqual(["key", "value"]);
    await bring(new Map([one, [SCHEMA_VERSION + 1, "ALTER TABLE tessera_meta ADD COLUMN other TEXT"]]));
    expect(await columns()).toEqual(["key", "note", "other", "value"]);
    expect((await client.query("SELECT value FROM older.tessera_meta")).rows).toEqual([
      { value: String(SCHEMA_VERSION + 2) },
    ]);
  });
});

describe.skipIf(!postgres.isHere)("several writers", () => {
  it("[D10.23] of two that expect the same sequence one is taken, whatever the order of their groups", async () => {
    const stores = [await first(), await another(), await another()];
    const runs = ["a", "b", "c", "d"];
    for (let expect_ = 0; expect_ < 6; expect_ += 1) {
      const groups = await Promise.all(
        stores.map((store, n) => {
          // Each in another order: who locks what first differs.
          const order = n === 1 ? [...runs].reverse() : [...runs.slice(n), ...runs.slice(0, n)];
          return store
            .commit(order.map((run) => turn({ run, expect: expect_, data: { n } })))
            .then((results) => order.map((run, at) => [run, results[at]?.kind] as const));
        }),
      );
      for (const run of runs) {
        const answers = groups.flat().filter(([name]) => name === run);
        expect(answers.map(([, kind]) => kind).sort()).toEqual(["conflict", "conflict", "ok"]);
      }
    }
    for (const run of runs) {
      const rows = (await stores[0]?.journal("default", run, 0, 99)) ?? [];
      expect(rows).toHaveLength(6);
      expect(verifyChain({ tenant: "default", run }, rows)).toMatchObject({ kind: "ok" });
    }
  });

  it("[D10.23] one dedupe id, one message, one graph sequence: one is taken", async () => {
    const stores = [await first(), await another(), await another()];
    const all = (sketch: (n: number) => Parameters<typeof turn>[0]) =>
      Promise.all(stores.map((store, n) => commit(store, sketch(n))));
    const counted = (results: Awaited<ReturnType<typeof all>>) =>
      results.filter(({ kind }) => kind === "ok").length;
    expect(counted(await all(() => ({ run: "a", expect: 0, dedupe: "start" })))).toBe(1);
    const data = { n: 1 };
    await stores[0]?.publish("default", { name: "m", data, expiresAt: 9_000 }, 0);
    const waits = item("1.0", { kind: "event", subscriptions: [{ event: "e", on: "message", name: "m" }] });
    for (const [n, store] of stores.entries())
      await history(store, [{ run: `w${n}`, expect: 0, set: [waits] }]);
    const [offer] = (await stores[1]?.deliveries(1, 9)) ?? [];
    const number = offer?.message.number ?? -1;
    const taken = await all((n) => ({ run: `w${n}`, expect: 1, takes: number }));
    expect(kinds(taken).split(" ").sort().join(" ")).toBe("conflict:message conflict:message ok");
    const change = { create: [{ id: "x", type: "t", payload: {}, links: [] }], update: [], delete: [] };
    const written = await all((n) => ({
      run: `g${n}`,
      expect: 0,
      created: { graph: "shared" },
      graph: { id: "shared", expect: 0, mutations: [change] },
    }));
    expect(kinds(written).split(" ").sort().join(" ")).toBe("conflict:graph conflict:graph ok");
    expect((await stores[2]?.graph("default", "shared"))?.sequence).toBe(1);
  });

  it("[D10.11] an effect is claimed by one of those who claim at the same time, under a token of its own", async () => {
    const stores = [await first(), await another(), await another(), await another()];
    const ids = Array.from({ length: 60 }, (_, n) => `a/${n}`);
    await history(stores[0] as PostgresStore, [
      { run: "a", expect: 0, effects: { add: ids.map((id) => effect(id)), done: [] } },
    ]);
    const claims: { readonly id: string; readonly token: number }[] = [];
    await Promise.all(
      stores.map(async (store, n) => {
        for (;;) {
          const found = await store.claimEffects(`w${n}`, 2_000, 60_000, 3);
          claims.push(...found.map(({ effect: { id }, token }) => ({ id, token })));
          // Others may hold rows for a moment: nothing is claimable only when nothing is left.
          if (found.length === 0 && (await store.nextEffect()) !== 1_000) return;
        }
      }),
    );
    expect(claims.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(new Set(claims.map(({ token }) => token)).size).toBe(ids.length);
  });

  it("[D10.11] a claim passes over rows that another transaction holds, and does not wait for it", async () => {
    const store = await first();
    await history(store, [
      { run: "a", expect: 0, effects: { add: ["a/1", "a/2", "a/3"].map((id) => effect(id)), done: [] } },
    ]);
    const other = await postgres.pool().connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM tessera.tessera_outbox WHERE effect = 'a/1' FOR UPDATE");
    const found = await store.claimEffects("w", 2_000, 50, 9);
    expect(found.map(({ effect: { id } }) => id)).toEqual(["a/2", "a/3"]);
    await other.query("ROLLBACK");
    other.release();
  });

  it("[D10.22] a name that PostgreSQL cannot hold is refused, and its neighbours in the group are not", async () => {
    const store = await first();
    const committer = groupCommitter(store);
    const runs = ["a", "b\0", "c\ud800", "d"];
    const results = await Promise.allSettled(runs.map((run) => committer.commit(turn({ run, expect: 0 }))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "limit" });
    const data = { text: "a\0b", big: 1e300 };
    await history(store, [{ run: "e", expect: 0, data }]);
    const [record] = (await store.load("default", "e"))?.tail ?? [];
    expect(record?.input).toEqual({ kind: "start", data });
  });
});

describe.skipIf(!postgres.isHere)("notices", () => {
  it("[D10.23] a store hears of what others commit and not of itself, also after its connection broke", async () => {
    const [here, there] = [await first(), await another()];
    const version = () => here.foreignVersion?.() ?? -1;
    let known = version();
    await commit(here, { run: "a", expect: 0 });
    await commit(there, { run: "b", expect: 0 });
    await eventually(() => version() > known);
    expect(version()).toBe(known + 1);
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity 
      WHERE pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')`;
    known = version();
    await postgres.pool().query(text);
    // It may have missed something: so it says.
    await eventually(() => version() > known);
    known = version();
    await eventually(async () => {
      await commit(there, { run: `c${version()}-${Math.random()}`, expect: 0 });
      return version() > known;
    });
  });

  it("[D10.23] without listening there are none, and the store says so", async () => {
    const store = await another(own(), { listen: false });
    expect(store.foreignVersion).toBeUndefined();
  });
});

/** Where a connection is cut: before the server hears of COMMIT, or before its answer is heard. */
type Cut = "before COMMIT" | "after COMMIT";

/** The pool of the tests, on which every `every`th COMMIT loses its connection. `lies`: the server says that nothing was done. */
function breakingPool(cut: Cut, every: number, lies = false): { readonly pool: PostgresPool; cuts: number } {
  const result = { cuts: 0, pool: null as unknown as PostgresPool };
  let commits = 0;
  const pool = poolWith("");
  result.pool = {
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      return new Proxy(client, {
        get(target, member) {
          if (member !== "query") {
            const value = Reflect.get(target, member);
            return typeof value === "function" ? value.bind(target) : value;
          }
          return async (query: { readonly text: string }) => {
            if (lies && query.text.includes("SELECT mark")) return { rows: [{ mark: 0 }] };
            if (query.text !== "COMMIT" || ++commits % every !== 0) return target.query(query);
            if (cut === "after COMMIT") await target.query(query);
            result.cuts += 1;
            const { stream } = (target as unknown as { connection: { stream: { destroy: () => void } } })
              .connection;
            stream.destroy();
            throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
          };
        },
      }) as never;
    },
  };
  return result;
}

/** Law: whatever is cut, each of ten turns is answered as taken, once, and is in the journal, once, as it was answered. */
async function lawOfCuts(cut: Cut, lies = false): Promise<number> {
  await first();
  const broken = breakingPool(cut, 3, lies);
  const store = await another({ pool: broken.pool }, { listen: false });
  const heads: unknown[] = [];
  for (let expected = 0; expected < 10; expected += 1) {
    const result = await commit(store, { run: "a", expect: expected });
    expect(result.kind).toBe("ok");
    heads.push(result.kind === "ok" && result.head);
  }
  const rows = await store.journal("default", "a", 0, 99);
  expect(rows.map(({ head }) => head)).toEqual(heads);
  expect(verifyChain({ tenant: "default", run: "a" }, rows)).toMatchObject({ kind: "ok" });
  return broken.cuts;
}

describe.skipIf(!postgres.isHere)("broken connections", () => {
  it.each(["before COMMIT", "after COMMIT"] as const)(
    "[D10.22] cut %s: no turn is lost or doubled",
    async (cut) => {
      expect(await lawOfCuts(cut)).toBeGreaterThan(2);
    },
  );

  it("[D10.22] the law notices a store that takes every lost answer for an abort", async () => {
    await expect(lawOfCuts("after COMMIT", true)).rejects.toThrow();
  });

  it("[D10.22] a server that is killed and started again loses no turn and doubles none", async () => {
    const store = await first({ retry: { retriesMax: 400 } });
    const done = { count: 0, isOver: false };
    const writer = async (run: string): Promise<number> => {
      for (let expected = 0; ; expected += 1) {
        if (done.isOver) return expected;
        const result = await commit(store, { run, expect: expected, data: { n: expected } });
        expect(result.kind).toBe("ok");
        done.count += 1;
      }
    };
    const writers = Promise.all(["a", "b", "c"].map(writer));
    const killed = async (): Promise<void> => {
      for (let kill = 0; kill < 3; kill += 1) {
        const before = done.count;
        if (kill > 0) {
          await postgres.server().kill();
          await postgres.server().restart();
        }
        await eventually(() => done.count > before + 5);
      }
    };
    // Whoever fails first ends the other.
    const over = () => {
      done.isOver = true;
    };
    const [lengths] = await Promise.all([writers.finally(over), killed().finally(over)]);
    for (const [n, run] of ["a", "b", "c"].entries()) {
      const rows = await store.journal("default", run, 0, 10_000);
      expect(rows).toHaveLength(lengths[n] as number);
      expect(verifyChain({ tenant: "default", run }, rows)).toMatchObject({ kind: "ok" });
    }
  }, 180_000);

  it("[D10.22] without a server within the time of its patience a store says so", async () => {
    const nowhere = { connection: { host: "/nowhere", user: "x", database: "x" } };
    const opening = postgresStore(nowhere, { retry: { retriesMax: 2 } });
    await expect(opening).rejects.toBeInstanceOf(StoreError);
    await expect(opening).rejects.toMatchObject({ code: "io" });
  });
});
