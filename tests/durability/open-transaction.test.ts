/** What an open transaction of the application's on PostgreSQL keeps waiting: its own runs, for a while, and nothing else. */
import { accepted, createEngine, type EngineOptions } from "@tessera/engine";
import { type PostgresStore, postgresStore } from "@tessera/persist/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PLACED } from "./enlisted-victim.mjs";
import { hasPostgres, startPostgres } from "./postgres-server.mjs";

/** Waits for half a second. */
const PAUSED = {
  format: 1,
  kind: "workflow",
  id: "paused",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "rest", kind: "timer", meta: { duration: "PT0.5S" } },
    { id: "end", kind: "end" },
  ],
  arcs: [
    { from: "begin", to: "rest" },
    { from: "rest", to: "end" },
  ],
} as const;

/** Waits for a message with its name. */
const CALLED = {
  format: 1,
  kind: "workflow",
  id: "called",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "rest", kind: "catch", meta: { events: [{ id: "go", on: "message", name: "go", key: "name" }] } },
    { id: "end", kind: "end" },
    { id: "bad", kind: "end", meta: { outcome: "error" } },
  ],
  arcs: [
    { from: "begin", to: "rest" },
    { from: "rest", to: "end", outcome: "go" },
    { from: "rest", to: "bad", outcome: "error" },
  ],
} as const;

const ANN = { id: "ann" };
const BOB = { id: "bob" };

describe.skipIf(!hasPostgres("open transactions of the application"))("on PostgreSQL", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
  }, 120_000);

  /** An engine, and a client of the application's with a transaction that is open. */
  async function application(options: Partial<EngineOptions> = {}) {
    schemas += 1;
    const schema = `open_${schemas}`;
    const store: PostgresStore = await postgresStore({ connection: server.connection }, { schema });
    const engine = createEngine({ store, ...options });
    accepted(await engine.deploy(PLACED));
    const client = new pg.Client(server.connection);
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await engine.close();
      await store.close();
    });
    await client.query("BEGIN");
    const start = async (id: string) => accepted(await engine.start({ workflow: "order", id }));
    const complete = (id: string, by = BOB) => engine.workItems.complete({ task: `${id}/pick.1`, by });
    return { engine, store, client, start, complete, tx: engine.enlist(client) };
  }
  const others = Array.from({ length: 12 }, (_, n) => `other-${n}`);

  it("[D10.26] a run that it has changed waits for its end, and the turns of the same group do not", async () => {
    const { engine, client, start, complete, tx } = await application({ concurrency: 0 });
    await Promise.all(["held", ...others].map(start));
    accepted(await tx.complete({ task: "held/pick.1", by: ANN }));
    const held = complete("held");
    const done = await Promise.all(others.map((id) => complete(id)));
    expect(done.map(({ kind }) => kind)).toEqual(others.map(() => "done"));
    await client.query("COMMIT");
    expect(await held).toMatchObject({ kind: "refused", code: "not-open" });
    expect((await engine.audit()).isSound).toBe(true);
  }, 40_000);

  it("[D10.26] what it keeps waiting is done when it is rolled back", async () => {
    const { engine, client, start, complete, tx } = await application({ concurrency: 0 });
    await Promise.all(["held", ...others].map(start));
    accepted(await tx.complete({ task: "held/pick.1", by: ANN }));
    const held = complete("held");
    await Promise.all(others.map((id) => complete(id)));
    await client.query("ROLLBACK");
    expect(await held).toMatchObject({ kind: "done", sequence: 2, isRepeated: false });
    expect((await engine.audit()).isSound).toBe(true);
  }, 40_000);

  it("[D10.26] to await in it what waits for it ends with a fault that says why", async () => {
    const { engine, client, start, complete, tx } = await application({ concurrency: 0 });
    await start("held");
    accepted(await tx.complete({ task: "held/pick.1", by: ANN }));
    await expect(complete("held")).rejects.toMatchObject({
      name: "StoreError",
      code: "busy",
      message: expect.stringMatching(/run "held".*another transaction.*open/),
    });
    await client.query("COMMIT");
    expect(await complete("held")).toMatchObject({ code: "not-open" });
    expect((await engine.audit()).isSound).toBe(true);
  }, 60_000);

  it("[D10.26] another such transaction waits for it for a bounded time, and can go on then", async () => {
    const { engine, client, start, tx } = await application({ concurrency: 0 });
    await Promise.all(["held", "other"].map(start));
    accepted(await tx.complete({ task: "held/pick.1", by: ANN }));
    const second = new pg.Client(server.connection);
    await second.connect();
    onTestFinished(() => second.end());
    const setting = async () => (await second.query("SHOW lock_timeout")).rows[0]?.lock_timeout;
    await second.query("BEGIN");
    const beside = engine.enlist(second);
    const complete = (id: string) => beside.complete({ task: `${id}/pick.1`, by: BOB });
    const why = { code: "busy", message: expect.stringContaining("another transaction is open") };
    await expect(complete("held")).rejects.toMatchObject(why);
    accepted(await complete("other"));
    expect(await setting()).toBe("0");
    // What the application has set itself is heeded, and stays.
    await second.query("SET LOCAL lock_timeout = 50");
    await expect(complete("held")).rejects.toMatchObject(why);
    expect(await setting()).toBe("50ms");
    await second.query("COMMIT");
    await client.query("ROLLBACK");
    expect(accepted(await engine.run("other").state()).sequence).toBe(2);
    expect(accepted(await engine.run("held").state()).sequence).toBe(1);
    expect((await engine.audit()).isSound).toBe(true);
  }, 60_000);

  it("[D10.26] a run that it has started waits for its end, and the turns of the same group do not", async () => {
    const { engine, client, start, tx } = await application({ concurrency: 0 });
    accepted(await tx.start({ workflow: "order", id: "held" }));
    const held = engine.start({ workflow: "order", id: "held" });
    await Promise.all(others.map(start));
    await client.query("COMMIT");
    expect(accepted(await held)).toMatchObject({ isNew: false });
    expect((await engine.audit()).isSound).toBe(true);
  }, 40_000);

  it.each([
    ["timers", PAUSED],
    ["messages", CALLED],
  ] as const)(
    "[D9.28] %s of other runs do not wait for one of a run that it holds",
    async (what, workflow) => {
      const faults: string[] = [];
      const note = (message: string) => void faults.push(message);
      const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
      const { engine, store, client } = await application({ logger, pollMs: 100 });
      accepted(await engine.deploy(workflow));
      const start = async (id: string) =>
        accepted(await engine.start({ workflow: workflow.id, id, data: { name: id } }));
      const go = async (key: string) => void accepted(await engine.publish({ name: "go", key }));
      await start("held");
      await store.enlist(client).load("default", "held");
      await go("held");
      // One for which something is due already comes first: the others are there when it is looked for.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      for (const id of others) await start(id);
      for (const id of others) if (what === "messages") await go(id);
      for (const id of others)
        expect(await engine.run(id).result({ timeoutMs: 30_000 })).toMatchObject({ status: "completed" });
      // It is under way still: nobody had to wait until it was given up.
      expect(faults).toEqual([]);
      expect(accepted(await engine.run("held").state()).status).toBe("waiting");
      await client.query("COMMIT");
      expect(await engine.run("held").result({ timeoutMs: 30_000 })).toMatchObject({ status: "completed" });
      expect((await engine.audit()).isSound).toBe(true);
    },
    90_000,
  );
});
