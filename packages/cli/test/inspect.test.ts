/** `tessera runs`, `tasks` and `prune`: each filter asks for what it says, and pages go on where the one before ended. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createEngine } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import { folder, jsonLines, tessera } from "./capture.ts";

const CLAIM = {
  format: 1,
  kind: "workflow",
  id: "claim",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "look", kind: "human", meta: { candidateGroups: ["adjusters"] } },
    { id: "done", kind: "end" },
  ],
  arcs: [
    { from: "begin", to: "look" },
    { from: "look", to: "done" },
  ],
} as const;

async function database(): Promise<string> {
  const db = join(folder(), "runs.db");
  const store = sqliteStore({ path: db });
  const engine = createEngine({ store, concurrency: 0, indexedData: { claim: ["customer.city", "sum"] } });
  const deployed = await engine.deploy(CLAIM);
  expect(deployed).toMatchObject({ kind: "deployed" });
  for (const [id, city, sum] of [
    ["a", "Rome", 1],
    ["b", "Oslo", 2],
    ["c", "Rome", 3],
  ] as const) {
    await engine.start({ workflow: "claim", id, businessKey: `k-${id}`, data: { customer: { city }, sum } });
  }
  await engine.workItems.complete({ task: "c/look.1", by: { id: "kim", groups: ["adjusters"] } });
  await engine.close();
  await store.close();
  return db;
}

describe("tessera runs and tasks", () => {
  it("[D9.17] [D10.19] [OH-63] show what is asked for", async () => {
    const db = await database();
    const runs = async (...flags: readonly string[]) => {
      const { code, out } = await tessera("runs", "--db", db, "--json", ...flags);
      expect(code).toBe(0);
      return jsonLines(out).map((row) => row["run"]);
    };
    expect(await runs()).toEqual(["c", "b", "a"]);
    expect(await runs("--status", "waiting")).toEqual(["b", "a"]);
    expect(await runs("--key", "k-b")).toEqual(["b"]);
    expect(await runs("--data", "customer.city=Rome")).toEqual(["c", "a"]);
    expect(await runs("--data", "customer.city=Rome", "sum=1")).toEqual(["a"]);
    expect(await runs("--data", 'sum="1"')).toEqual([]);
    expect(await runs("--tenant", "other")).toEqual([]);
    const [first] = jsonLines((await tessera("runs", "--db", db, "--json", "--limit", "1")).out);
    expect(await runs("--definition", String(first?.["definition"]))).toEqual(["c", "b", "a"]);
    expect(await runs("--definition", `sha256:${"0".repeat(64)}`)).toEqual([]);
    const page = await tessera("runs", "--db", db, "--limit", "2");
    const cursor = /--after (\S+)/.exec(page.out)?.[1] ?? "";
    expect(await runs("--after", cursor)).toEqual(["a"]);
    const counts = jsonLines((await tessera("runs", "--db", db, "--count", "--json")).out);
    expect(counts.map((row) => `${row["status"]} ${row["count"]}`).sort()).toEqual([
      "completed 1",
      "waiting 2",
    ]);
  });

  it("[D10.13] show whose work it is, and until when", async () => {
    const db = await database();
    const tasks = async (...flags: readonly string[]) => {
      const { code, out } = await tessera("tasks", "--db", db, "--json", ...flags);
      expect(code).toBe(0);
      return jsonLines(out).map((row) => row["run"]);
    };
    expect(await tasks()).toEqual(["a", "b"]);
    expect(await tasks("--run", "b")).toEqual(["b"]);
    expect(await tasks("--group", "adjusters")).toEqual(["a", "b"]);
    expect(await tasks("--group", "others")).toEqual([]);
    expect(await tasks("--for", "kim", "--groups", "adjusters")).toEqual(["a", "b"]);
    expect(await tasks("--for", "kim")).toEqual([]);
    expect(await tasks("--kind", "timer")).toEqual([]);
    expect(await tasks("--due-by", "2020-01-01T00:00:00Z")).toEqual([]);
    const page = await tessera("tasks", "--db", db, "--limit", "1");
    const cursor = /--after (\S+)/.exec(page.out)?.[1] ?? "";
    expect(await tasks("--after", cursor)).toEqual(["b"]);
  });

  it.each([
    ["runs", "--data", "sum"],
    ["runs", "--data", "sum=[1]"],
    ["runs", "--definition", "x"],
    ["runs", "--after", "x"],
    ["tasks", "--due-by", "soon"],
    ["tasks", "--due-by", "5", "--after", "7"],
  ])("answer wrong flags with a line, exit 3: %s %s %s", async (...argv) => {
    const db = await database();
    const { code, err } = await tessera(...argv, "--db", db);
    expect([code, err.split("\n").length <= 2]).toEqual([3, true]);
  });
});

describe("tessera prune", () => {
  it("[D9.18] takes turns out, once, and the audit says up to where", async () => {
    const db = await database();
    const who = ["--as", "ops", "--reason", "a year old", "--db", db];
    expect((await tessera("prune", "a", ...who)).out).toContain("a  pruned up to turn 1");
    const ended = await tessera("prune", "--before", "2999-01-01T00:00:00Z", "--json", ...who);
    expect(jsonLines(ended.out)[0]).toMatchObject({ runs: [{ run: "c", sequence: 2 }], refused: [] });
    expect((await tessera("prune", "a", ...who)).out).toContain("nothing to prune");
    const audit = await tessera("audit", "--db", db);
    expect([audit.code, audit.out.includes("2 pruned")]).toEqual([0, true]);
    const [one] = jsonLines((await tessera("audit", "c", "--db", db, "--json")).out);
    expect(one).toMatchObject({ run: "c", verdict: "ok", prunedTo: 2 });
    expect((await tessera("audit", "c", "--db", db)).out).toContain("c  pruned up to turn 2");
    expect((await tessera("history", "c", "--db", db)).out).toContain("pruned by ops: a year old");
    expect((await tessera("replay", "c", "--db", db)).code).toBe(0);
    expect((await tessera("replay", "c", "--at", "1", "--db", db)).code).toBe(3);
    expect((await tessera("doctor", db)).code).toBe(0);
  });

  it.each([
    [[]],
    [["a", "--before", "5"]],
    [["--before", "5", "--at", "1"]],
    [["nowhere"]],
    [["--before", "soon"]],
  ])("answers wrong flags with a line, exit 3: %s", async (flags) => {
    const db = await database();
    const { code, err } = await tessera("prune", ...flags, "--as", "ops", "--reason", "r", "--db", db);
    expect([code, err.split("\n").length <= 2]).toEqual([3, true]);
  });
});

describe("a database that is not there", () => {
  it("is said so by every command that asks one, and none makes it: no audit of a mistyped name passes", async () => {
    const dir = folder();
    for (const argv of [
      ["runs"],
      ["tasks"],
      ["show", "a"],
      ["history", "a"],
      ["replay", "a"],
      ["audit"],
      ["audit", "a"],
      ["complete", "a/look.1", "--as", "kim"],
      ["cancel", "a", "--as", "kim"],
      ["message", "m"],
      ["signal", "m"],
      ["prune", "a", "--as", "kim", "--reason", "old"],
    ]) {
      const db = join(dir, "mistyped.db");
      const { code, out, err } = await tessera(...argv, "--db", db);
      expect([argv[0], code, out]).toEqual([argv[0], 3, ""]);
      expect(err).toContain(`there is no file ${db}`);
      expect([argv[0], existsSync(db)]).toEqual([argv[0], false]);
    }
  });
});
