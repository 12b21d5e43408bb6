/** @module Turns in a transaction of the application's own on PostgreSQL: with its rows, or not at all. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { accepted, createEngine, type Engine, type EngineOptions } from "@tessera/engine";
import { memoryStore } from "@tessera/persist";
import { type PostgresStore, postgresStore } from "@tessera/persist/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PLACED } from "./enlisted-victim.mjs";
import { hasPostgres, startPostgres } from "./postgres-server.mjs";

const VICTIM = fileURLToPath(new URL("./enlisted-victim.mjs", import.meta.url));
const ANN = { id: "ann" };

it("[D9.28] a store without such connections says so", () => {
  const engine = createEngine({ store: memoryStore() });
  expect(() => engine.enlist({})).toThrow(expect.objectContaining({ code: "misuse" }));
});

describe.skipIf(!hasPostgres("turns in a transaction of the application"))("on PostgreSQL", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let pool: pg.Pool;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ ...server.connection, max: 6 });
    pool.on("error", () => {});
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 120_000);

  /** An application with orders of its own and an engine beside them, in a schema of their own. */
  async function application(options: Partial<EngineOptions> = {}) {
    schemas += 1;
    const schema = `shop_${schemas}`;
    const store: PostgresStore = await postgresStore({ connection: server.connection }, { schema });
    const engine = createEngine({ store, ...options });
    accepted(await engine.deploy(PLACED));
    const orders = `"${schema}".orders`;
    await pool.query(`CREATE TABLE ${orders} (id TEXT PRIMARY KEY)`);
    const client = await pool.connect();
    onTestFinished(async () => {
      client.release(true);
      await engine.close();
      await store.close();
    });
    const ids = async () =>
      (await pool.query<{ id: string }>(`SELECT id FROM ${orders} ORDER BY id`)).rows.map(({ id }) => id);
    const insert = (id: string) => client.query(`INSERT INTO ${orders} VALUES ($1)`, [id]);
    return { engine, store, client, schema, insert, ids };
  }
  /** All rows of the store but those that say who listens and which version a name means. */
  async function everything(schema: string): Promise<string> {
    const { rows } = await pool.query<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename <> 'tessera_writers' ORDER BY 1",
      [schema],
    );
    const texts = [];
    for (const { tablename } of rows) {
      const all = await pool.query(`SELECT t::text FROM "${schema}".${tablename} t ORDER BY 1`);
      texts.push(`${tablename} ${JSON.stringify(all.rows)}`);
    }
    return texts.join("\n");
  }
  const runsOf = async (engine: Engine) =>
    (await engine.runs({ limit: 99 })).rows.map(({ run }) => run).sort();

  it("[D9.28] [D10.26] its rows and a start are there with COMMIT, and not before", async () => {
    const { engine, client, insert, ids } = await application();
    await client.query("BEGIN");
    const tx = engine.enlist(client);
    await insert("o-1");
    expect(accepted(await tx.start({ workflow: "order", id: "o-1" }))).toMatchObject({ isNew: true });
    expect(accepted(await tx.start({ workflow: "order", id: "o-1" }))).toMatchObject({ isNew: false });
    expect(await tx.start({ workflow: "order", id: "o-1", data: { other: 1 } })).toMatchObject({
      code: "exists",
    });
    expect(await runsOf(engine)).toEqual([]);
    expect((await engine.counts()).runs).toEqual([]);
    await client.query("COMMIT");
    expect(await ids()).toEqual(["o-1"]);
    expect(await runsOf(engine)).toEqual(["o-1"]);
    expect((await engine.counts()).runs).toEqual([expect.objectContaining({ status: "waiting", count: 1 })]);
    expect((await engine.audit()).isSound).toBe(true);
  }, 60_000);

  it("[D9.28] what it starts and completes goes on after COMMIT, by the engine that was told of it", async () => {
    // Nobody polls before the test is over; whether somebody was told is looked at every three seconds.
    const { engine, client, insert } = await application({ pollMs: 60_000 });
    await client.query("BEGIN");
    const tx = engine.enlist(client);
    await insert("o-1");
    accepted(await tx.start({ workflow: "order", id: "o-1" }));
    const done = accepted(await tx.complete({ task: "o-1/pick.1", by: ANN, commandId: "c", data: { n: 1 } }));
    expect(done).toMatchObject({ sequence: 2, isRepeated: false });
    expect(await tx.complete({ task: "o-1/pick.1", by: ANN })).toMatchObject({ code: "not-open" });
    // A command that comes again is done once, and the transaction can go on whatever it is asked for.
    const again = await tx.complete({ task: "o-1/pick.1", by: ANN, commandId: "c", data: { n: 1 } });
    expect(accepted(again)).toMatchObject({ sequence: 2, isRepeated: true });
    const command = { task: "o-1/pick.1", by: ANN, commandId: "\0" };
    await expect(tx.complete(command)).rejects.toMatchObject({ code: "limit" });
    expect(await tx.start({} as never)).toMatchObject({ code: "invalid" });
    await client.query("COMMIT");
    for (
      let waited = 0;
      waited < 600 && accepted(await engine.run("o-1").state()).status !== "completed";
      waited += 1
    )
      await sleep(50);
    expect(accepted(await engine.run("o-1").state())).toMatchObject({ status: "completed" });
    expect((await engine.audit()).isSound).toBe(true);
  }, 60_000);

  it("[D9.28] a run whose first turn has used up its firings goes on after COMMIT, not when a lease would have ended", async () => {
    const limits = { firingsMax: 2, leaseMs: 600_000 };
    const { engine, client } = await application({ limits });
    const path = ["begin", "a", "b", "c", "d", "z"];
    const kindOf = (id: string) => (id === "begin" ? "start" : id === "z" ? "end" : "gateway");
    const nodes = path.map((id) => ({ id, kind: kindOf(id) }));
    const arcs = path.slice(1).map((to, at) => ({ from: path[at] ?? "", to }));
    const line = { format: 1, kind: "workflow", id: "line", entry: "begin", nodes, arcs } as const;
    accepted(await engine.deploy(line));
    await client.query("BEGIN");
    accepted(await engine.enlist(client).start({ workflow: "line", id: "l" }));
    await client.query("COMMIT");
    expect(await engine.run("l").result({ timeoutMs: 40_000 })).toMatchObject({ status: "completed" });
  }, 60_000);

  it.each([
    [
      "ROLLBACK",
      async (client: pg.PoolClient): Promise<void> => {
        await client.query("ROLLBACK");
      },
    ],
    [
      "a failure of its own",
      async (client: pg.PoolClient): Promise<void> => {
        await client.query("SELECT 1 / 0").catch(() => undefined);
        await client.query("COMMIT");
      },
    ],
    [
      "the loss of its connection",
      async (client: pg.PoolClient): Promise<void> => {
        const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        client.on("error", () => {});
        await pool.query("SELECT pg_terminate_backend($1, 10000)", [rows[0]?.pid]);
      },
    ],
  ] as const)(
    "[D9.28] [D10.26] %s leaves neither its rows nor a turn, in the database or in memory",
    async (_, undo) => {
      const { engine, client, schema, insert, ids } = await application();
      accepted(await engine.start({ workflow: "order", id: "there" }));
      const before = await everything(schema);
      await client.query("BEGIN");
      const tx = engine.enlist(client);
      await insert("o-1");
      // Another tenant is new in this transaction: its number must not be remembered.
      const other = { tenant: "other" };
      expect(await tx.start({ workflow: "order", id: "o-1", ...other })).toMatchObject({ code: "not-found" });
      accepted(await tx.start({ workflow: "order", id: "o-1" }));
      accepted(await tx.complete({ task: "there/pick.1", by: ANN, commandId: "c" }));
      await undo(client);
      expect(await ids()).toEqual([]);
      expect(await everything(schema)).toBe(before);
      expect(await engine.run("o-1").state()).toMatchObject({ code: "not-found" });
      // The engine knows nothing of the completion: the same command is new, and its turn is the second one.
      expect(accepted(await engine.run("there").state()).status).toBe("waiting");
      const again = await engine.workItems.complete({ task: "there/pick.1", by: ANN, commandId: "c" });
      expect(accepted(again)).toMatchObject({ sequence: 2, isRepeated: false });
      accepted(await engine.start({ workflow: "order", id: "o-1", data: { other: 1 } }));
      expect((await engine.audit()).isSound).toBe(true);
    },
    60_000,
  );

  it("[D10.26] a tenant and a graph that only the transaction has seen are forgotten with it", async () => {
    const { store, client, engine } = await application();
    const row = await store.newestDefinition("default", "order");
    await client.query("BEGIN");
    const enlisted = store.enlist(client);
    const { turn } = await startTurn(engine, store);
    const other = { ...turn, tenant: "new", definition: row?.hash ?? turn.definition };
    expect(await enlisted.commit([other])).toMatchObject([{ kind: "ok" }]);
    expect(await enlisted.load("new", other.run)).not.toBeNull();
    await client.query("ROLLBACK");
    expect(await store.load("new", other.run)).toBeNull();
    expect(await store.commit([other])).toMatchObject([{ kind: "ok" }]);
    expect(await store.load("new", other.run)).not.toBeNull();
  }, 60_000);

  it("[D9.28] a failed turn is undone by itself: what was done before it is committed", async () => {
    const { engine, store, client, insert, ids } = await application();
    await client.query("BEGIN");
    const tx = engine.enlist(client);
    await insert("o-1");
    accepted(await tx.start({ workflow: "order", id: "o-1" }));
    await expect(tx.start({ workflow: "order", id: "zero\0" })).rejects.toMatchObject({ code: "limit" });
    expect(await tx.start({ workflow: "nowhere" })).toMatchObject({ code: "not-found" });
    expect(await tx.complete({ task: "nowhere/pick.1", by: ANN })).toMatchObject({ code: "not-found" });
    await client.query("COMMIT");
    expect(await ids()).toEqual(["o-1"]);
    expect(await store.load("default", "o-1")).not.toBeNull();
  }, 60_000);

  it("[D10.26] two transactions that start one run make it once, and both have it", async () => {
    const { engine, client, insert } = await application();
    const second = await pool.connect();
    onTestFinished(() => second.release(true));
    await client.query("BEGIN");
    await second.query("BEGIN");
    await insert("o-1");
    const first = accepted(await engine.enlist(client).start({ workflow: "order", id: "o-1" }));
    // It waits for the first one, whose row it would make again.
    const waiting = engine.enlist(second).start({ workflow: "order", id: "o-1" });
    await sleep(200);
    await client.query("COMMIT");
    expect([first.isNew, accepted(await waiting).isNew]).toEqual([true, false]);
    await second.query("COMMIT");
    expect((await engine.audit()).isSound).toBe(true);
  }, 60_000);

  it("[D10.26] one of two that complete an item wins, in a transaction or not", async () => {
    const { engine, client } = await application();
    accepted(await engine.start({ workflow: "order", id: "r" }));
    await client.query("BEGIN");
    accepted(await engine.enlist(client).complete({ task: "r/pick.1", by: ANN }));
    const beside = engine.workItems.complete({ task: "r/pick.1", by: { id: "bob" } });
    await sleep(200);
    await client.query("COMMIT");
    expect(await beside).toMatchObject({ kind: "refused", code: "not-open" });
    expect((await engine.audit()).isSound).toBe(true);
  }, 60_000);

  it("[D10.26] transactions that are open at the same time do not wait for each other's counts, however many they are", async () => {
    const { engine } = await application({ concurrency: 0 });
    const clients = Array.from({ length: 40 }, () => new pg.Client(server.connection));
    onTestFinished(async () => void (await Promise.allSettled(clients.map((client) => client.end()))));
    for (const [n, client] of clients.entries()) {
      await client.connect();
      // Who waits for one that is still open says so, instead of waiting for ever.
      await client.query("BEGIN; SET LOCAL lock_timeout = 5000");
      accepted(await engine.enlist(client).start({ workflow: "order", id: `o-${n}` }));
    }
    // The first one goes on while the others are open, and so do two that touch what the other has touched.
    const [first, second] = clients.map((client) => engine.enlist(client));
    accepted((await first?.complete({ task: "o-0/pick.1", by: ANN })) ?? (undefined as never));
    accepted((await second?.complete({ task: "o-1/pick.1", by: ANN })) ?? (undefined as never));
    await Promise.all(clients.map((client) => client.query("COMMIT")));
    expect((await engine.counts()).runs).toEqual([expect.objectContaining({ status: "waiting", count: 40 })]);
    expect((await engine.audit()).isSound).toBe(true);
  }, 120_000);

  it("[D10.26] a connection without a transaction, with another isolation, or that could lose a commit is refused", async () => {
    const { engine, client, store } = await application();
    const tx = engine.enlist(client);
    const start = () => tx.start({ workflow: "order", id: "r" });
    await expect(start()).rejects.toMatchObject({
      code: "misuse",
      message: expect.stringContaining("BEGIN"),
    });
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await expect(start()).rejects.toMatchObject({
      code: "misuse",
      message: expect.stringContaining("READ COMMITTED"),
    });
    await client.query("ROLLBACK; BEGIN; SET LOCAL synchronous_commit = off");
    await expect(start()).rejects.toMatchObject({ code: "settings" });
    await client.query("ROLLBACK; BEGIN");
    await client.query("SELECT 1 / 0").catch(() => undefined);
    await expect(start()).rejects.toMatchObject({
      code: "misuse",
      message: expect.stringContaining("rolled back"),
    });
    await client.query("ROLLBACK; BEGIN");
    accepted(await start());
    await client.query("COMMIT");
    expect(() => store.enlist({})).toThrow(expect.objectContaining({ code: "misuse" }));
    await engine.close();
    await client.query("BEGIN");
    expect(await start()).toMatchObject({ code: "closed" });
    await client.query("ROLLBACK");
  }, 60_000);

  describe("under SIGKILL", () => {
    /** Kills the victim at different moments; the orders and the runs that are left. */
    async function killed(kills: number, how: "plain" | "planted") {
      schemas += 1;
      const schema = `kill_${schemas}`;
      for (let kill = 0; kill < kills; kill += 1) {
        const child = spawn(process.execPath, [VICTIM, JSON.stringify(server.connection), schema, how], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        await once(child.stdout, "data");
        await sleep(150 + kill * 41);
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      const ids = async (text: string) =>
        (await pool.query<{ id: string }>(text)).rows.map(({ id }) => id).sort();
      return {
        orders: await ids(`SELECT id FROM "${schema}".orders`),
        runs: await ids(`SELECT run AS id FROM "${schema}".tessera_runs`),
      };
    }

    it("[D9.28] there are as many runs as orders, the same ones", async () => {
      const { orders, runs } = await killed(8, "plain");
      expect(orders.length).toBeGreaterThan(8);
      expect(runs).toEqual(orders);
    }, 180_000);

    it("[D9.28] one sees it where the application commits before it starts the run (planted)", async () => {
      const { orders, runs } = await killed(10, "planted");
      expect(orders.length).toBeGreaterThan(runs.length);
    }, 180_000);
  });
});

/** The first turn of a run as an engine commits it, taken from a store beside. */
async function startTurn(engine: Engine, store: PostgresStore) {
  const taken: Parameters<PostgresStore["commit"]>[0][number][] = [];
  const watched = createEngine({
    store: {
      ...store,
      commit: async (turns) => {
        taken.push(...turns);
        return store.commit(turns);
      },
    },
    concurrency: 0,
  });
  accepted(
    await watched.start({
      workflow: "order",
      id: `copied-${(await engine.runs({ limit: 99 })).rows.length}`,
    }),
  );
  const [turn] = taken;
  if (turn === undefined) throw new Error("nothing was committed");
  return { turn };
}
