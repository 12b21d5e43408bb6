/** @module The contract of pruning: turns go, and chain, fold and dedupe ids go on from the anchor. */
import assert from "node:assert/strict";
import { verifyChain } from "../chain.ts";
import type { Pruning } from "../pruning.ts";
import type { RunRow, RunStore } from "../store.ts";
import { type Case, commit, history, mutation, object, stateAt, type TurnSketch } from "./sample.ts";

const LARGE = "x".repeat(100_000);

/** Cases of pruning. */
export const PRUNE_CASES: readonly Case[] = [
  {
    name: "takes turns out of the journal; the chain verifies from the anchor and goes on",
    show: async (store) => {
      await history(
        store,
        [0, 1, 2, 3].map((expect) => ({ run: "a", expect })),
      );
      const before = await store.journal("default", "a", 0, 9);
      assert.equal(await prune(store, 2), "pruned");
      assert.deepEqual(await store.journal("default", "a", 0, 9), before.slice(2));
      assert.deepEqual(await store.journal("default", "a", 3, 9), before.slice(3));
      assert.deepEqual(await store.journal("default", "a", 1, 1), before.slice(2, 3));
      await history(store, [{ run: "a", expect: 4 }]);
      const loaded = await store.load("default", "a");
      const { anchor } = loaded ?? {};
      assert.ok(anchor !== null && anchor !== undefined);
      const { state, kept, ...rest } = anchor;
      assert.deepEqual(rest, { sequence: 2, head: before[1]?.head, by: "ops", reason: "old", at: 7 });
      assert.match(state, /^sha256:[0-9a-f]{64}$/);
      assert.equal(kept, state);
      assert.equal(loaded?.row.prunedTo, 2);
      const rows = await store.journal("default", "a", 0, 9);
      const verdict = verifyChain({ tenant: "default", run: "a" }, rows, anchor);
      assert.deepEqual(verdict, { kind: "ok", sequence: 5, head: loaded?.row.head, erased: [] });
    },
  },
  {
    name: "loads a pruned run from its anchor on and not before",
    show: async (store) => {
      await history(
        store,
        [0, 1, 2, 3].map((expect) => ({ run: "a", expect, hasSnapshot: expect === 0 || expect === 2 })),
      );
      await prune(store, 2);
      const shape = async (at?: number) => {
        const loaded = await store.load("default", "a", at);
        return [
          loaded?.snapshot?.sequence ?? null,
          loaded?.tail.map(({ sequence }) => sequence),
          loaded?.erasedAt,
        ];
      };
      assert.deepEqual(await shape(), [3, [4], null]);
      assert.deepEqual(await shape(2), [2, [], null]);
      assert.deepEqual((await store.load("default", "a", 2))?.snapshot, stateAt(2, { kept: true }));
      assert.deepEqual(await shape(1), [null, [], null]);
      assert.equal((await store.load("default", "a", 1))?.anchor?.sequence, 2);
    },
  },
  {
    name: "[D10.20] keeps no state of a run that has ended from before an erasure: one that came while it was pruned",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0 },
        { run: "a", expect: 1 },
        { run: "a", expect: 2, status: "completed", modes: [] },
        { run: "b", expect: 0, hasSnapshot: true },
        { run: "b", expect: 1, hasSnapshot: true },
      ]);
      assert.equal(await store.erase("default", "a", 2, "ann", "asked", 5), "erased");
      const before = await store.journal("default", "a", 0, 9);
      // The state that it brings was read before.
      assert.equal(await prune(store, 3), "erased");
      assert.equal(await prune(store, 2), "erased");
      assert.deepEqual(await store.journal("default", "a", 0, 9), before);
      assert.equal((await store.load("default", "a"))?.anchor, null);
      assert.equal(await prune(store, 1), "pruned");
      assert.equal(await prune(store, 3), "erased");
      // What a run still works with is kept until it ends.
      assert.equal(await store.erase("default", "b", 1, "ann", "asked", 5), "erased");
      assert.equal(await prune(store, 2, "b"), "pruned");
    },
  },
  {
    name: "prunes to the end of a run, and further when it has gone on; says what it did not prune",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0 },
        { run: "a", expect: 1, status: "completed", modes: [] },
        { run: "b", expect: 0 },
      ]);
      assert.equal(await prune(store, 2), "pruned");
      assert.deepEqual(await store.journal("default", "a", 0, 9), []);
      const loaded = await store.load("default", "a");
      assert.equal(loaded?.anchor?.head, loaded?.row.head);
      assert.equal(await prune(store, 2), "already");
      assert.equal(await prune(store, 1), "already");
      assert.equal(await prune(store, 3), "absent");
      assert.equal(await prune(store, 1, "c"), "absent");
      assert.equal(await store.prune("t2", "a", pruningAt(1)), "absent");
      assert.equal(await prune(store, 1, "b"), "pruned");
      await history(store, [{ run: "b", expect: 1 }]);
      assert.equal(await prune(store, 2, "b"), "pruned");
      const again = await store.load("default", "b");
      assert.deepEqual([again?.anchor?.sequence, again?.anchor?.head === again?.row.head], [2, true]);
    },
  },
  {
    name: "keeps the dedupe ids of pruned turns spent",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, dedupe: "start" },
        { run: "a", expect: 1, dedupe: "one" },
        { run: "a", expect: 2, dedupe: "two" },
      ]);
      await prune(store, 2);
      const again = async (dedupe: string) => commit(store, { run: "a", expect: 3, dedupe });
      assert.deepEqual(await again("start"), { kind: "duplicate", sequence: 1 });
      assert.deepEqual(await again("one"), { kind: "duplicate", sequence: 2 });
      assert.deepEqual(await again("two"), { kind: "duplicate", sequence: 3 });
      assert.equal((await again("three")).kind, "ok");
    },
  },
  {
    name: "shows pruned turns in the journal of their graph, without mutations; the graph stays",
    show: async (store) => {
      const write = (expect: number, id: string) => ({
        id: "g",
        expect,
        mutations: [mutation({ create: [object(id)] })],
      });
      await history(store, [
        { run: "a", expect: 0, graph: write(0, "x") },
        { run: "a", expect: 1, graph: write(1, "y") },
      ]);
      const before = await store.graph("default", "g");
      await prune(store, 1);
      const rows = await store.graphJournal("default", "g", 0, 9);
      assert.deepEqual(
        rows.map(({ runSequence, mutations }) => [runSequence, mutations?.length ?? null]),
        [
          [1, null],
          [2, 1],
        ],
      );
      assert.equal((await store.graph("default", "g")).sequence, before.sequence);
    },
  },
  {
    name: "lets go of the large values of pruned turns and keeps those that are still there",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, data: { gone: `${LARGE}1`, kept: `${LARGE}2` }, hasSnapshot: true },
        { run: "b", expect: 0, data: { kept: `${LARGE}2` } },
      ]);
      const pruning = { ...pruningAt(1), state: stateAt(1, { kept: `${LARGE}2` }) };
      assert.equal(await store.prune("default", "a", pruning), "pruned");
      assert.deepEqual((await store.load("default", "a"))?.snapshot?.data, { kept: `${LARGE}2` });
      const [row] = await store.journal("default", "b", 0, 1);
      assert.deepEqual(row?.record?.input, { kind: "start", data: { kept: `${LARGE}2` } });
    },
  },
  {
    name: "erases behind the anchor as before, and not what is pruned; an erasure may take the state of the anchor",
    show: async (store) => {
      await history(
        store,
        [0, 1, 2].map((expect) => ({ run: "a", expect, hasSnapshot: expect === 1 })),
      );
      const erase = (sequence: number) => store.erase("default", "a", sequence, "dpo", "r", 1);
      assert.equal(await erase(1), "erased");
      assert.equal(await prune(store, 2), "pruned");
      assert.equal(await erase(1), "absent");
      assert.equal(await erase(3), "needed");
      await history(store, [{ run: "a", expect: 3, status: "completed", modes: [] }]);
      const loaded = await store.load("default", "a");
      assert.deepEqual([loaded?.snapshot, loaded?.tail, loaded?.erasedAt], [null, [], 2]);
      assert.equal(loaded?.anchor?.kept, null);
      assert.equal(await erase(3), "erased");
      assert.equal((await store.journal("default", "a", 0, 9))[0]?.erased?.by, "dpo");
    },
  },
];

/** Runs in the order in which they were made, and the times of their last turns; the last one still goes on. */
const LIVES: readonly TurnSketch[] = [
  { run: "a", expect: 0, at: 10 },
  { run: "b", expect: 0, at: 10, status: "failed", modes: [] },
  { run: "c", expect: 0, at: 10 },
  { run: "a", expect: 1, at: 30, status: "completed", modes: [] },
  { run: "c", expect: 1, at: 30, status: "cancelled", modes: [] },
  { run: "d", expect: 0, at: 20, status: "completed", modes: [] },
  { run: "e", expect: 0, at: 20, tenant: "t2", status: "completed", modes: [] },
  { run: "f", expect: 0, at: 5 },
  { run: "g", expect: 0, at: 50, status: "completed", modes: [] },
];

/** Cases of the list of what is to be pruned. */
export const PRUNABLE_CASES: readonly Case[] = [
  {
    name: "[D10.28] lists what ended before a time by that time, then by age, page by page, of one tenant",
    show: async (store) => {
      await history(store, LIVES);
      assert.equal(await prunable(store, 60), "b d a c g");
      assert.equal(await prunable(store, 50), "b d a c");
      assert.equal(await prunable(store, 30), "b d");
      assert.equal(await prunable(store, 10), "");
      assert.equal(await prunable(store, 60, "t2"), "e");
      assert.equal(await prunable(store, 60, "t3"), "");
      for (const limit of [1, 2, 3, 4, 5]) assert.equal(await paged(store, limit), "b d a c g");
      const { rows } = await store.prunable({ tenant: "default", before: 60, limit: 9 });
      const all = await store.runs({ tenant: "default", limit: 9 });
      assert.deepEqual(
        rows[2],
        all.rows.find(({ run }) => run === "a"),
      );
      await assert.rejects(
        async () => store.prunable({ tenant: "default", before: 60, limit: 9, after: "x" }),
        (fault: { readonly code?: string }) => fault.code === "misuse",
      );
    },
  },
  {
    name: "[D10.28] lists no run that is pruned to its end, one that is pruned in part, and one that has gone on",
    show: async (store) => {
      await history(store, LIVES);
      assert.equal(await prune(store, 1, "a"), "pruned");
      assert.equal(await prune(store, 2, "c"), "pruned");
      assert.equal(await prune(store, 1, "d"), "pruned");
      assert.equal(await prune(store, 1, "f"), "pruned");
      assert.equal(await prunable(store, 60), "b a g");
      assert.equal(await prune(store, 2, "a"), "pruned");
      assert.equal(await prunable(store, 60), "b g");
      // A store takes turns of runs that have ended.
      await history(store, [
        { run: "d", expect: 1, at: 40, status: "completed", modes: [] },
        { run: "b", expect: 1, at: 40 },
        { run: "g", expect: 1, at: 55, status: "failed", modes: [] },
      ]);
      assert.equal(await prunable(store, 60), "d g");
      assert.equal(await prunable(store, 55), "d");
      await history(store, [{ run: "b", expect: 2, at: 41, status: "completed", modes: [] }]);
      assert.equal(await prunable(store, 60), "d b g");
      assert.equal((await commit(store, { run: "d", expect: 1, at: 1, status: "waiting" })).kind, "conflict");
      assert.equal(await prunable(store, 60), "d b g");
    },
  },
  {
    name: "[D10.28] goes on behind a page, whatever was pruned, refuses, or has ended since",
    show: async (store) => {
      await history(store, LIVES);
      assert.equal(await store.erase("default", "d", 1, "dpo", "asked", 5), "erased");
      const query = { tenant: "default", before: 60, limit: 2 };
      const first = await store.prunable(query);
      assert.equal(names(first.rows), "b d");
      assert.equal(await prune(store, 1, "b"), "pruned");
      assert.equal(await prune(store, 1, "d"), "erased");
      assert.equal(await prune(store, 2, "a"), "pruned");
      await history(store, [
        { run: "h", expect: 0, at: 15, status: "completed", modes: [] },
        { run: "f", expect: 1, at: 45, status: "completed", modes: [] },
      ]);
      const second = await store.prunable({ ...query, after: first.next ?? "" });
      assert.equal(names(second.rows), "c f");
      const third = await store.prunable({ ...query, after: second.next ?? "" });
      assert.deepEqual([names(third.rows), third.next], ["g", null]);
      assert.equal(await prunable(store, 60), "h d c f g");
    },
  },
];

const names = (rows: readonly RunRow[]): string => rows.map(({ run }) => run).join(" ");

async function prunable(store: RunStore, before: number, tenant = "default"): Promise<string> {
  const { rows, next } = await store.prunable({ tenant, before, limit: 9 });
  assert.equal(next, null);
  return names(rows);
}

/** The runs of all pages of a size, none of which is empty. */
async function paged(store: RunStore, limit: number): Promise<string> {
  const rows: RunRow[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const query = { tenant: "default", before: 60, limit, ...(after === undefined ? {} : { after }) };
    const page = await store.prunable(query);
    assert.ok(page.rows.length > 0 && page.rows.length <= limit && rows.length < 9);
    rows.push(...page.rows);
    after = page.next;
  }
  return names(rows);
}

function pruningAt(sequence: number): Pruning {
  return { sequence, state: stateAt(sequence, { kept: true }), by: "ops", reason: "old", at: 7 };
}

function prune(store: RunStore, sequence: number, run = "a"): ReturnType<RunStore["prune"]> {
  return store.prune("default", run, pruningAt(sequence));
}
