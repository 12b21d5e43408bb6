/** Commands against the model, on the real engine: it passes, and what is wrong with it is found. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ModelAction, type ModelOptions, workflowModel } from "../src/fast-check.ts";

/** Parallel work of a person, a job and the clock; a second look; a message that ends the wait. */
const CLAIM = {
  format: 1,
  kind: "workflow",
  id: "claim",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "fork", kind: "gateway", split: "all" },
    {
      id: "assess",
      kind: "human",
      meta: { form: { sum: "integer", fair: "boolean" }, outcomes: ["pay", "refuse"] },
    },
    { id: "assessed", kind: "gateway" },
    { id: "file", kind: "tool", meta: { retry: { attempts: 2, backoffMs: 500 } } },
    { id: "filed", kind: "gateway" },
    { id: "cool", kind: "timer", meta: { duration: "PT1H" } },
    { id: "all", kind: "gateway", join: "all" },
    {
      id: "word",
      kind: "catch",
      meta: {
        events: [
          { id: "heard", on: "message", name: "word", key: "who" },
          { id: "late", on: "timer", duration: "P1D" },
        ],
      },
    },
    { id: "look", kind: "human", meta: { outcomes: ["again", "good"], candidateGroups: ["chiefs"] } },
    { id: "end", kind: "end" },
    { id: "lost", kind: "end", meta: { outcome: "lost", terminate: true } },
  ],
  arcs: [
    { from: "begin", to: "fork" },
    { from: "fork", to: "assess" },
    { from: "fork", to: "file" },
    { from: "fork", to: "cool" },
    { from: "assess", to: "assessed", outcome: "pay" },
    { from: "assess", to: "assessed", outcome: "refuse" },
    { from: "assessed", to: "all" },
    { from: "file", to: "filed" },
    { from: "file", to: "filed", outcome: "error" },
    { from: "filed", to: "all" },
    { from: "cool", to: "all" },
    { from: "all", to: "word" },
    { from: "word", to: "look", outcome: "heard" },
    { from: "word", to: "lost", outcome: "late" },
    { from: "word", to: "lost", outcome: "error" },
    { from: "look", to: "word", outcome: "again" },
    { from: "look", to: "end", outcome: "good" },
  ],
};
const OPTIONS: ModelOptions = { definitions: [CLAIM], startData: () => ({ who: "x" }) };

/** One person, then a message or an hour: so short that every run comes to its end. */
const NOTE: ModelOptions = {
  definitions: [
    {
      format: 1,
      kind: "workflow",
      id: "note",
      entry: "begin",
      nodes: [
        { id: "begin", kind: "start" },
        { id: "write", kind: "human" },
        { id: "word", kind: "catch", meta: CLAIM.nodes.find(({ id }) => id === "word")?.meta },
        { id: "end", kind: "end" },
      ],
      arcs: [
        { from: "begin", to: "write" },
        { from: "write", to: "word" },
        { from: "word", to: "end", outcome: "heard" },
        { from: "word", to: "end", outcome: "late" },
        { from: "word", to: "end", outcome: "error" },
      ],
    },
  ],
  startData: () => ({ who: "x" }),
};

const sqlite = (): RunStore => {
  const dir = mkdtempSync(join(tmpdir(), "tessera-model-"));
  const file = sqliteStore({ path: join(dir, "runs.db") });
  const close = async (): Promise<void> => {
    await file.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...file, close };
};

/** The first failure under `options`; null if all goes well. */
async function failureOf(options: ModelOptions, numRuns: number, isSmall = false): Promise<string | null> {
  const model = workflowModel(options);
  const property = fc.asyncProperty(model.commands(), (commands) => model.run(commands));
  const { errorInstance, failed } = await fc.check(property, { numRuns, seed: 1, endOnFailure: !isSmall });
  return failed ? String((errorInstance as Error | null)?.message) : null;
}

/** What a message says, and the script in it. */
const scriptIn = (message: string): readonly ModelAction[] =>
  JSON.parse(
    /model\.play\((\[[\s\S]*\])\);/u.exec(message)![1]!.replace(/,\s*\]$/u, "]"),
  ) as readonly ModelAction[];

describe("[D26.2] commands against the model", () => {
  it.each([
    ["in memory", OPTIONS, 40],
    ["over SQLite", { ...OPTIONS, store: sqlite }, 6],
    ["with one process", { ...OPTIONS, processes: 1 }, 12],
  ] as const)(
    "[D26.2] the engine keeps the laws %s",
    async (_, options, numRuns) => {
      expect(await failureOf(options, numRuns)).toBeNull();
    },
    120_000,
  );

  it("[D26.2] a script goes through answers, times and faults to the end", async () => {
    const task = (item: string) => `r1/${item}`;
    const person = { by: "ann", data: {} };
    await workflowModel(OPTIONS).play([
      { do: "start", workflow: "claim", run: "r1", data: { who: "x" } },
      { do: "crash", on: 0, calls: 1, point: "after" },
      { do: "claim", task: task("assess.1"), by: "ann" },
      {
        do: "complete",
        task: task("assess.1"),
        by: "ann",
        outcome: "pay",
        data: { sum: 4, fair: true },
        command: "c1",
      },
      { do: "again", command: "c1", on: 1 },
      { do: "advance", ms: 60_000 },
      { do: "throw", job: task("file.1") },
      { do: "advance", ms: 1_000 },
      { do: "answer", job: task("file.1"), outcome: "done", data: {} },
      { do: "advance", ms: 3_600_000 },
      { do: "publish", what: "message", name: "word", key: "x", data: {}, id: "m1" },
      { do: "complete", task: task("look.1"), ...person, outcome: "again", command: "c2", rival: "good" },
      { do: "crash" },
    ]);
  });
});

/** A store with one fault: of commits, of lists, of wake-ups. */
const PLANTED: Readonly<Record<string, (store: RunStore) => RunStore>> = {
  "a write is answered and dropped": (store) => {
    let count = 0;
    return {
      ...store,
      commit: async (turns) => {
        count += 1;
        if (count % 3 !== 0) return store.commit(turns);
        return turns.map(({ expect: before }) => ({
          kind: "ok",
          sequence: before + 1,
          head: "sha256:0" as never,
        }));
      },
    };
  },
  "the id of a command is not kept": (store) => ({
    ...store,
    commit: (turns) => store.commit(turns.map(({ dedupe: _, ...turn }) => turn)),
  }),
  "a conflict is answered as if the turn had been taken": (store) => ({
    ...store,
    commit: async (turns) =>
      (await store.commit(turns)).map((result, at) =>
        result.kind === "conflict" && result.on === "run"
          ? { kind: "ok", sequence: turns[at]!.expect + 1, head: "sha256:0" as never }
          : result,
      ),
  }),
  "closed items stay in the lists": (store) => ({
    ...store,
    commit: (turns) => store.commit(turns.map((turn) => ({ ...turn, items: { ...turn.items, closed: [] } }))),
  }),
  "nobody is told when the next item is due": (store) => ({
    ...store,
    nextDue: async () => null,
    dueItems: async () => [],
  }),
  "jobs are lost with the turn that opens them": (store) => ({
    ...store,
    commit: (turns) =>
      store.commit(turns.map((turn) => ({ ...turn, effects: { ...turn.effects, add: [] } }))),
  }),
  "the row says that a run goes on when it is over": (store) => ({
    ...store,
    commit: (turns) =>
      store.commit(
        turns.map((turn) => (turn.status === "completed" ? { ...turn, status: "running" } : turn)),
      ),
  }),
  "a claim is not stored": (store) => ({
    ...store,
    commit: async (turns) => {
      const kept = turns.filter(({ record }) => record.input.kind !== "claim");
      const results = await store.commit(kept);
      return turns.map(
        (turn) =>
          results[kept.indexOf(turn)] ?? { kind: "ok", sequence: turn.expect + 1, head: "sha256:0" as never },
      );
    },
  }),
  "keys of messages are not compared": (store) => ({
    ...store,
    publish: (tenant, { key: _, ...message }, now) => store.publish(tenant, message, now),
  }),
};

describe("[D26.2] what is wrong is found, and can be played again", () => {
  it.each(Object.keys(PLANTED))(
    "[D26.2] %s",
    async (name) => {
      const base = /due|over|keys/u.test(name) ? NOTE : OPTIONS;
      const options = { ...base, store: () => PLANTED[name]!(memoryStore()) };
      const message = await failureOf(options, 60);
      expect(message).toContain("await model.play([");
      const script = scriptIn(message!);
      const [violation = ""] = message!.split("\n");
      await expect(workflowModel(options).play(script)).rejects.toThrow(violation);
    },
    120_000,
  );

  it("[D26.2] and is made small", async () => {
    const options = { ...OPTIONS, store: () => PLANTED["a write is answered and dropped"]!(memoryStore()) };
    const whole = scriptIn((await failureOf(options, 60))!);
    const small = scriptIn((await failureOf(options, 60, true))!);
    expect(small.length).toBeLessThan(whole.length);
    expect(small.length).toBeLessThan(8);
  }, 120_000);

  it("[D26.2] a definition that cannot be deployed is refused before anything is played", async () => {
    const wrong = {
      ...CLAIM,
      nodes: CLAIM.nodes.map((node) => (node.id === "filed" ? { ...node, kind: "transform" } : node)),
    };
    await expect(workflowModel({ definitions: [wrong] }).play([])).rejects.toThrow(
      /refused|unproved|invalid/u,
    );
  });
});
