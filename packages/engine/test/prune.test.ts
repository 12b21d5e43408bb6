/** Pruning: what is left verifies, replays and goes on as if nothing had gone. Oracle: the same run, never pruned. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";
import { lived } from "./lived-run.ts";

const OPS = { by: { id: "ops" }, reason: "old" };
const TURNS = 7;

describe("a pruned run", () => {
  for (let at = 1; at <= TURNS; at += 1) {
    it(`[D9.18] [D10.20] up to turn ${at} replays as before from there, and the audit passes from the anchor`, async () => {
      const { engine: whole } = await lived();
      const { engine, store } = await lived();
      expect(await engine.prune({ run: "r", at, ...OPS })).toEqual({
        kind: "pruned",
        runs: [{ run: "r", sequence: at }],
        refused: [],
      });
      expect(await store.journal("default", "r", 0, 99)).toHaveLength(TURNS - at);
      const { engine: fresh } = testEngine({ store });
      expect(accepted(await fresh.run("r").state())).toEqual(accepted(await whole.run("r").state()));
      expect(accepted(await engine.replay("r"))).toEqual(accepted(await whole.replay("r")));
      for (let turn = 0; turn <= TURNS; turn += 1) {
        const replayed = await engine.replay("r", { at: turn });
        if (turn < at) expect(replayed).toMatchObject({ code: "pruned", facts: { sequence: at } });
        else expect(replayed).toEqual(await whole.replay("r", { at: turn }));
      }
      expect(await engine.audit()).toMatchObject({
        isSound: true,
        runs: [{ verdict: "ok", turns: TURNS, prunedTo: at, findings: [] }],
      });
      const { events } = accepted(await engine.history("r"));
      const all = accepted(await whole.history("r")).events;
      const head = all.find(({ sequence }) => sequence === at)?.head;
      expect(events[0]).toMatchObject({ kind: "pruned", sequence: at, by: "ops", reason: "old", head });
      expect(events.slice(1)).toEqual(all.filter(({ sequence }) => sequence > at));
    });
  }

  it("[D10.20] keeps nothing that is erased while it is pruned: the state was read before", async () => {
    const store = memoryStore();
    // Whoever erases comes between the reading of the state and the pruning.
    const raced: typeof store = {
      ...store,
      prune: async (tenant, run, pruning) => {
        await store.erase(tenant, run, 1, "ann", "asked", 5);
        return store.prune(tenant, run, pruning);
      },
    };
    const { engine } = testEngine({ store: raced });
    const one = flow("w", [["z", "end"]], []);
    accepted(await engine.deploy(one));
    accepted(await engine.start({ workflow: "w", id: "r", data: { secret: "to be forgotten" } }));
    expect(await engine.prune({ run: "r", ...OPS })).toMatchObject({ kind: "refused", code: "erased" });
    const { snapshot, anchor } = (await store.load("default", "r")) ?? {};
    expect([snapshot, anchor]).toEqual([null, null]);
    expect(JSON.stringify(await store.journal("default", "r", 0, 9))).not.toContain("forgotten");
  });

  it("[D9.18] goes on as if it had not been pruned, and knows what it has done", async () => {
    const ends = [];
    for (const isPruned of [false, true]) {
      const { engine } = testEngine();
      const two = flow(
        "w",
        [
          ["a", "human"],
          ["b", "human"],
          ["z", "end"],
        ],
        [
          ["a", "b"],
          ["b", "z"],
        ],
      );
      accepted(await engine.deploy(two));
      accepted(await engine.start({ workflow: "w", id: "r", data: { x: 1 } }));
      const first = { task: "r/a.1", by: { id: "ann" }, data: { y: 2 }, commandId: "c-1" };
      accepted(await engine.workItems.complete(first));
      if (isPruned) accepted(await engine.prune({ run: "r", ...OPS }));
      expect(await engine.workItems.complete(first)).toMatchObject({
        kind: "done",
        isRepeated: true,
        sequence: 2,
      });
      expect(await engine.start({ workflow: "w", id: "r", data: { x: 1 } })).toMatchObject({ isNew: false });
      accepted(await engine.workItems.complete({ task: "r/b.1", by: { id: "ann" }, data: { z: 3 } }));
      if (isPruned) expect(await engine.replay("r", { at: 3 })).toMatchObject({ data: { x: 1, y: 2, z: 3 } });
      expect(await engine.audit()).toMatchObject({ isSound: true, runs: [{ prunedTo: isPruned ? 2 : 0 }] });
      ends.push(accepted(await engine.run("r").state()));
    }
    expect(ends[1]).toEqual(ends[0]);
  });

  it("[D9.18] [D9.21] can be forked at its anchor and after it, not before", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    accepted(await engine.workItems.claim({ task: "r/h.1", by: { id: "ann" } }));
    accepted(await engine.operations.edit({ run: "r", data: { n: 1 }, ...OPS }));
    const heads = accepted(await engine.history("r")).events.map(
      ({ sequence, head }) => [sequence, head] as const,
    );
    accepted(await engine.prune({ run: "r", at: 2, ...OPS }));
    expect(await engine.operations.fork({ run: "r", at: 1, id: "f1", ...OPS })).toMatchObject({
      code: "pruned",
    });
    for (const at of [2, 3]) {
      accepted(await engine.operations.fork({ run: "r", at, id: `f${at}`, ...OPS }));
      const [first] = accepted(await engine.history(`f${at}`)).events;
      expect(first).toMatchObject({
        kind: "input",
        input: { kind: "fork", at, head: new Map(heads).get(at) },
      });
    }
    expect((await engine.audit()).isSound).toBe(true);
  });
});

describe("pruning", () => {
  it("[D9.18] of all that ended before a time leaves the others, and is done once", async () => {
    const { engine, clock } = testEngine();
    accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    for (const id of ["a", "b", "c"]) accepted(await engine.start({ workflow: "w", id }));
    const finish = async (run: string) =>
      accepted(await engine.run(run).complete({ node: "h", by: { id: "ann" } }));
    await finish("a");
    await clock.advance(1_000);
    const before = clock.now();
    await finish("b");
    const done = { kind: "pruned", runs: [{ run: "a", sequence: 2 }], refused: [] };
    expect(await engine.prune({ before, ...OPS })).toEqual(done);
    expect(await engine.prune({ before, ...OPS })).toEqual({ ...done, runs: [] });
    const pruned = (await engine.runs({ limit: 9 })).rows.map(({ run, prunedTo }) => [run, prunedTo]);
    expect(pruned).toEqual([
      ["c", 0],
      ["b", 0],
      ["a", 2],
    ]);
  });

  it("[D9.18] [D9.6] needs a reason, an actor who may, and turns that are there", async () => {
    const { engine, store } = await lived();
    const asked = { run: "r", ...OPS };
    expect(await engine.prune({ ...asked, reason: " " })).toMatchObject({ code: "invalid" });
    const never = { by: asked.by, reason: asked.reason, before: Number.NaN };
    expect(await engine.prune(never)).toMatchObject({ code: "invalid", facts: { name: "before" } });
    expect(await engine.prune({ ...asked, run: "nowhere" })).toMatchObject({ code: "not-found" });
    for (const at of [0, 8, 1.5])
      expect(await engine.prune({ ...asked, at })).toMatchObject({ code: "not-found" });
    const strict = testEngine({ store, authorize: ({ action }) => action !== "prune" }).engine;
    expect(await strict.prune(asked)).toMatchObject({ code: "unauthorized" });
    await store.erase("default", "r", 2, "officer", "asked", 5);
    expect(await engine.prune(asked)).toMatchObject({ code: "erased" });
    expect(await store.journal("default", "r", 0, 99)).toHaveLength(TURNS);
    const before = Number.MAX_SAFE_INTEGER;
    expect(await engine.prune({ before, ...OPS })).toMatchObject({
      runs: [],
      refused: [{ run: "r", refusal: { code: "erased" } }],
    });
  });

  it("[D9.18] is refused when the engine is closed", async () => {
    const { engine } = testEngine({ store: memoryStore() });
    await engine.close();
    expect(await engine.prune({ run: "r", ...OPS })).toMatchObject({ code: "closed" });
  });
});

describe("the audit of a pruned run", () => {
  it.each([
    { damage: "UPDATE tessera_anchors SET head = zeroblob(32)", check: "chain" },
    { damage: "UPDATE tessera_anchors SET state = zeroblob(32)", check: "anchor" },
    { damage: "UPDATE tessera_journal SET salt = zeroblob(16) WHERE sequence = 4", check: "chain" },
    { damage: "DELETE FROM tessera_journal WHERE sequence = 3", check: "chain" },
    { damage: "UPDATE tessera_runs SET pruned_to = 3", check: "chain" },
    {
      damage:
        "UPDATE tessera_snapshots SET payload = CAST(replace(CAST(payload AS TEXT), '\"a\":1', '\"a\":2') AS BLOB)",
      check: "anchor",
    },
  ])("[D9.18] [D9.13] finds $check: $damage", async ({ damage, check }) => {
    const dir = mkdtempSync(path.join(tmpdir(), "tessera-prune-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = path.join(dir, "runs.db");
    const store = sqliteStore({ path: file });
    const { engine } = await lived(store);
    accepted(await engine.prune({ run: "r", at: 2, ...OPS }));
    expect((await engine.audit()).isSound).toBe(true);
    const db = new Database(file);
    expect(db.prepare(damage).run().changes).toBeGreaterThan(0);
    db.close();
    const audit = await testEngine({ store }).engine.audit();
    expect(audit.isSound).toBe(false);
    expect(audit.runs[0]?.findings.map((finding) => finding.check)).toContain(check);
    await engine.close();
    await store.close();
  });
});
