import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { objectOf } from "@tessera/core";
import { sqliteStore } from "@tessera/persist/sqlite";

// What the simulation runs: parallel jobs, a governed loop, a person, a deadline, timers, a called workflow, a graph, OR blocks.
const fail = (from) => ({ from, to: "failed", outcome: "error" });

const CHILD = {
  format: 1,
  kind: "workflow",
  id: "child",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "work", kind: "tool", meta: { retry: { attempts: 3, backoffMs: 1000, jitter: 1 } } },
    { id: "ask", kind: "human", meta: { outcomes: ["ok"], deadline: "PT2H" } },
    { id: "made", kind: "end", meta: { outcome: "made" } },
    { id: "broken", kind: "end", meta: { outcome: "broken" } },
  ],
  arcs: [
    { from: "begin", to: "work" },
    { from: "work", to: "ask" },
    { from: "work", to: "broken", outcome: "error" },
    { from: "ask", to: "made", outcome: "ok" },
    { from: "ask", to: "broken", outcome: "expired" },
  ],
};

const ORDER = {
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "split", kind: "gateway", split: "all" },
    { id: "left", kind: "tool", meta: { retry: { attempts: 2, backoffMs: 500, deadLetter: true } } },
    { id: "note", kind: "transform" },
    { id: "pause", kind: "timer", meta: { duration: "PT1M" } },
    { id: "join", kind: "gateway", join: "all" },
    { id: "attempt", kind: "agent" },
    { id: "judge", kind: "verifier", meta: { passKey: "good" } },
    {
      id: "decide",
      kind: "decision",
      meta: {
        loop: {
          id: "loop",
          budget: 2,
          passKey: "good",
          proves: "enough rounds",
          body: ["attempt", "judge", "again"],
        },
      },
    },
    { id: "again", kind: "transform" },
    { id: "approve", kind: "human", meta: { outcomes: ["yes", "no"], candidateGroups: ["managers"] } },
    {
      id: "call",
      kind: "subprocess",
      meta: { workflow: "child", outcomes: ["made", "broken"], inputs: { given: "total" } },
    },
    { id: "done", kind: "end" },
    { id: "refused", kind: "end", meta: { outcome: "refused" } },
    { id: "failed", kind: "end", meta: { outcome: "failed", terminate: true } },
  ],
  arcs: [
    { from: "begin", to: "split" },
    { from: "split", to: "left" },
    { from: "split", to: "note" },
    { from: "left", to: "join" },
    fail("left"),
    { from: "note", to: "pause" },
    fail("note"),
    { from: "pause", to: "join" },
    { from: "join", to: "attempt" },
    { from: "attempt", to: "judge" },
    fail("attempt"),
    { from: "judge", to: "decide" },
    fail("judge"),
    { from: "decide", to: "approve", outcome: "pass" },
    { from: "decide", to: "again", outcome: "fail" },
    { from: "decide", to: "approve", outcome: "exhausted" },
    fail("decide"),
    { from: "again", to: "attempt" },
    fail("again"),
    { from: "approve", to: "call", outcome: "yes" },
    { from: "approve", to: "refused", outcome: "no" },
    { from: "call", to: "done", outcome: "made" },
    { from: "call", to: "refused", outcome: "broken" },
    fail("call"),
    { from: "call", to: "failed", outcome: "cancelled" },
  ],
};

/** The scenario: two orders that share a graph. */
export const SCENARIO = {
  definitions: [CHILD, ORDER],
  functions: {
    note: ({ graph }) => {
      const tally = {
        id: "tally",
        type: "tally",
        payload: { count: (objectOf(graph, "tally")?.payload.count ?? 0) + 1 },
        links: [],
      };
      const isThere = objectOf(graph, "tally") !== undefined;
      const { id, payload } = tally;
      const mutation = {
        create: isThere ? [] : [tally],
        update: isThere ? [{ id, payload }] : [],
        delete: [],
      };
      return { patch: { total: 1, rounds: 0 }, mutation };
    },
    judge: ({ data }) => data.rounds >= 1,
    again: ({ data }) => ({ patch: { rounds: data.rounds + 1 } }),
  },
  starts: [
    { workflow: "order", id: "o1", graph: "shared", data: { name: "a" } },
    { workflow: "order", id: "o2", graph: "shared", data: { name: "b" } },
  ],
};

/** A smaller one: two orders and the called workflow alone. */
export const SMALL = {
  ...SCENARIO,
  starts: [
    { workflow: "order", id: "o1", graph: "shared", data: { name: "a" } },
    { workflow: "order", id: "o2", graph: "shared", data: { name: "b" } },
    { workflow: "child", id: "c1" },
  ],
};

/** A scenario over SQLite: each simulation has a file of its own, which goes when its store is closed. */
export function onSqlite(scenario) {
  const store = () => {
    const dir = mkdtempSync(join(tmpdir(), "tessera-simulation-"));
    const file = sqliteStore({ path: join(dir, "runs.db") });
    const close = async () => {
      await file.close();
      rmSync(dir, { recursive: true, force: true });
    };
    return { ...file, close };
  };
  return { ...scenario, store };
}
