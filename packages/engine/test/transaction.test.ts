/** @module The application's own writes and turns in one transaction: both or neither. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { answers, scriptedPort, testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The application's database with a table of its own, and a store on the same handle. */
function application() {
  const folder = mkdtempSync(path.join(tmpdir(), "tessera-"));
  folders.push(folder);
  const database = new Database(path.join(folder, "app.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE orders (id TEXT PRIMARY KEY, state TEXT)");
  const orders = () => database.prepare("SELECT id, state FROM orders ORDER BY id").all();
  return { database, orders, store: sqliteStore({ database }) };
}

const plain = single("w", ["h", "human"], ["done"]);

describe("on the application's own database", () => {
  it("[D9.14] its writes and a start are committed together", async () => {
    const { database, orders, store } = application();
    const port = scriptedPort([answers()]);
    const { engine, settle } = testEngine({ store, ports: { t: port.port } });
    accepted(await engine.deploy(single("w", ["t", "tool"])));
    const run = engine.transaction((tx) => {
      database.prepare("INSERT INTO orders VALUES (?, ?)").run("o-1", "new");
      return accepted(tx.start({ workflow: "w", id: "r", data: { order: "o-1" } })).run;
    });
    expect(orders()).toEqual([{ id: "o-1", state: "new" }]);
    await settle();
    expect(port.calls).toHaveLength(1);
    expect(await engine.run(run).result()).toMatchObject({ status: "completed" });
    expect(await engine.audit()).toMatchObject({ isSound: true });
    await engine.close();
    await store.close();
    database.close();
  });

  it("[D9.14] a throw undoes both, whichever came first", async () => {
    const { database, orders, store } = application();
    const { engine, settle } = testEngine({ store });
    accepted(await engine.deploy(plain));
    const attempt = (isFirst: boolean) =>
      engine.transaction((tx) => {
        const insert = () => database.prepare("INSERT INTO orders VALUES (?, ?)").run("o-1", "new");
        if (isFirst) insert();
        accepted(tx.start({ workflow: "w", id: "r" }));
        if (!isFirst) insert();
        throw new Error("changed my mind");
      });
    for (const isFirst of [true, false]) expect(() => attempt(isFirst)).toThrow("changed my mind");
    await settle();
    expect(orders()).toEqual([]);
    expect(await engine.run("r").state()).toMatchObject({ code: "not-found" });
    expect((await engine.workItems.list()).rows).toEqual([]);
    database.close();
  });

  it("[D9.14] a completion and the application's write are one", async () => {
    const { database, orders, store } = application();
    const { engine } = testEngine({ store });
    accepted(await engine.deploy(plain));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const waiting = run.result();
    engine.transaction((tx) => {
      database.prepare("INSERT INTO orders VALUES (?, ?)").run("o-1", "approved");
      accepted(tx.complete({ task: "r/h.1", by: { id: "ann" }, data: { ok: true } }));
    });
    expect(orders()).toHaveLength(1);
    expect(await waiting).toMatchObject({ status: "completed", data: { ok: true } });
    expect(() =>
      engine.transaction((tx) => {
        database.prepare("INSERT INTO orders VALUES (?, ?)").run("o-2", "approved");
        accepted(tx.complete({ task: "r/h.1", by: { id: "ann" } }));
      }),
    ).toThrow("not-open");
    expect(orders()).toHaveLength(1);
    database.close();
  });
});

describe.each<readonly [string, () => RunStore]>([
  ["memory", () => memoryStore()],
  ["SQLite", () => application().store],
])("transactions of the %s store", (_, open) => {
  it("[D9.14] see what they did themselves", async () => {
    const { engine } = testEngine({ store: open() });
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["h", "human"],
            ["k", "human"],
            ["z", "end"],
          ],
          [
            ["h", "k"],
            ["k", "z"],
          ],
        ),
      ),
    );
    engine.transaction((tx) => {
      accepted(tx.start({ workflow: "w", id: "r" }));
      expect(accepted(tx.start({ workflow: "w", id: "r" })).isNew).toBe(false);
      expect(tx.start({ workflow: "w", id: "r", data: { other: 1 } })).toMatchObject({ code: "exists" });
      expect(accepted(tx.complete({ task: "r/h.1", by: { id: "ann" }, commandId: "c" })).sequence).toBe(2);
      expect(tx.complete({ task: "r/h.1", by: { id: "ann" } })).toMatchObject({ code: "not-open" });
      accepted(tx.complete({ task: "r/k.1", by: { id: "ann" } }));
    });
    expect(await engine.run("r").result()).toMatchObject({ status: "completed" });
    expect(await engine.audit()).toMatchObject({ isSound: true });
  });

  it("[D9.14] [D20.9] a completion whose id was given before is done once and answered again, in this transaction and in later ones", async () => {
    const { engine } = testEngine({ store: open() });
    accepted(await engine.deploy(plain));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    const command = { task: "r/h.1", by: { id: "ann" }, commandId: "c" };
    const answers = engine.transaction((tx) => [tx.complete(command), tx.complete(command)]);
    answers.push(...engine.transaction((tx) => [tx.complete(command)]));
    expect(answers).toEqual([
      { kind: "done", run: "r", sequence: 2, isRepeated: false },
      { kind: "done", run: "r", sequence: 2, isRepeated: true },
      { kind: "done", run: "r", sequence: 2, isRepeated: true },
    ]);
    engine.transaction((tx) => {
      expect(tx.complete({ ...command, commandId: "d" })).toMatchObject({ code: "not-open" });
      expect(tx.complete({ ...command, commandId: "\udfff" })).toMatchObject({ code: "invalid" });
      expect(tx.start({} as never)).toMatchObject({ code: "invalid" });
    });
    expect(accepted(await engine.history("r")).events.filter(({ kind }) => kind === "input")).toHaveLength(2);
  });

  it("[D9.14] undo nothing by a refusal, and refuse for the same reasons", async () => {
    const { engine } = testEngine({ store: open() });
    accepted(await engine.deploy(single("w", ["h", "human", { assignees: ["ann"] }], ["done"])));
    engine.transaction((tx) => {
      expect(tx.start({ workflow: "nowhere" })).toMatchObject({ code: "not-found" });
      expect(tx.start({ workflow: "w", id: "" })).toMatchObject({ code: "invalid" });
      accepted(tx.start({ workflow: { name: "w" }, id: "r" }));
      expect(tx.complete({ task: "r/h.1", by: { id: "bob" } })).toMatchObject({ code: "unauthorized" });
      expect(tx.complete({ task: "nowhere/h.1", by: { id: "bob" } })).toMatchObject({ code: "not-found" });
    });
    expect(accepted(await engine.run("r").state()).status).toBe("waiting");
    await engine.close();
    engine.transaction((tx) => {
      expect(tx.start({ workflow: "w" })).toMatchObject({ code: "closed" });
      expect(tx.complete({ task: "r/h.1", by: { id: "ann" } })).toMatchObject({ code: "closed" });
    });
  });

  it("[D9.14] turns that were being computed meanwhile are computed again", async () => {
    const { engine } = testEngine({ store: open() });
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["s", "gateway", undefined, { split: "all" }],
            ["h", "human"],
            ["k", "human"],
            ["j", "gateway", undefined, { join: "all" }],
            ["z", "end"],
          ],
          [
            ["s", "h"],
            ["s", "k"],
            ["h", "j"],
            ["k", "j"],
            ["j", "z"],
          ],
        ),
      ),
    );
    accepted(await engine.start({ workflow: "w", id: "r" }));
    const slow = engine.workItems.complete({ task: "r/h.1", by: { id: "ann" }, data: { h: 1 } });
    await Promise.resolve();
    engine.transaction((tx) => accepted(tx.complete({ task: "r/k.1", by: { id: "bob" }, data: { k: 1 } })));
    accepted(await slow);
    expect(await engine.run("r").result()).toMatchObject({ status: "completed", data: { h: 1, k: 1 } });
  });
});

it("[D9.14] a store without transactions says so", () => {
  const { transaction: _, ...store } = memoryStore();
  const { engine } = testEngine({ store });
  expect(() => engine.transaction(() => 1)).toThrow(expect.objectContaining({ code: "misuse" }));
});
