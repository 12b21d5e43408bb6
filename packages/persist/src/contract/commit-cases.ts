/** @module The contract of commit: a turn is atomic, alone in its group, fenced, at most once. */
import assert from "node:assert/strict";
import { verifyChain } from "../chain.ts";
import { type Case, commit, effect, history, item, kinds, mutation, object, turn } from "./sample.ts";

/** Cases of commit. */
export const COMMIT_CASES: readonly Case[] = [
  {
    name: "commits a new run and its next turn, and returns sequence and head",
    show: async (store) => {
      const first = await commit(store, { run: "a", expect: 0 });
      const second = await commit(store, { run: "a", expect: 1 });
      assert.equal(first.kind === "ok" && first.sequence, 1);
      assert.equal(second.kind === "ok" && second.sequence, 2);
      const row = (await store.load("default", "a"))?.row;
      assert.equal(row?.sequence, 2);
      assert.equal(row?.head, second.kind === "ok" && second.head);
    },
  },
  {
    name: "answers an empty group with nothing",
    show: async (store) => {
      assert.deepEqual(await store.commit([]), []);
    },
  },
  {
    name: "answers each turn of a mixed group by itself and in order",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, dedupe: "start" },
        { run: "b", expect: 0 },
      ]);
      const results = await store.commit([
        turn({ run: "c", expect: 0 }),
        turn({ run: "a", expect: 5 }),
        turn({ run: "b", expect: 1 }),
        turn({ run: "a", expect: 0, dedupe: "start" }),
        turn({ run: "a", expect: 1, dedupe: "next" }),
        turn({ run: "b", expect: 1 }),
      ]);
      assert.equal(kinds(results), "ok conflict:run ok duplicate ok conflict:run");
      assert.deepEqual(results[1], { kind: "conflict", on: "run", expected: 5, found: 1 });
      assert.deepEqual(results[3], { kind: "duplicate", sequence: 1 });
      for (const [run, sequence] of [
        ["a", 2],
        ["b", 2],
        ["c", 1],
      ] as const) {
        assert.equal((await store.load("default", run))?.row.sequence, sequence, run);
      }
    },
  },
  {
    name: "lets two turns of one run follow each other in one group, and their hashes too",
    show: async (store) => {
      const group = [0, 1, 2].map((expect) => turn({ run: "a", expect, data: { n: 1 } }));
      const results = await store.commit(group);
      assert.equal(kinds(results), "ok ok ok");
      const rows = await store.journal("default", "a", 0, 10);
      const verdict = verifyChain({ tenant: "default", run: "a" }, rows);
      assert.equal(verdict.kind, "ok");
      assert.deepEqual(
        rows.map(({ head }) => head),
        results.map((result) => result.kind === "ok" && result.head),
      );
    },
  },
  {
    name: "refuses the creation of a run that exists, and a turn of one that does not",
    show: async (store) => {
      await history(store, [{ run: "a", expect: 0 }]);
      assert.deepEqual(await commit(store, { run: "a", expect: 0 }), {
        kind: "conflict",
        on: "run",
        expected: 0,
        found: 1,
      });
      assert.deepEqual(await commit(store, { run: "b", expect: 3 }), {
        kind: "conflict",
        on: "run",
        expected: 3,
        found: 0,
      });
    },
  },
  {
    name: "knows a dedupe id only for its run and tenant, and before it looks at the sequence",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, dedupe: "m1" },
        { run: "a", expect: 1, dedupe: "m2" },
      ]);
      assert.deepEqual(await commit(store, { run: "a", expect: 7, dedupe: "m2" }), {
        kind: "duplicate",
        sequence: 2,
      });
      assert.equal(kinds([await commit(store, { run: "b", expect: 0, dedupe: "m1" })]), "ok");
      assert.equal(
        kinds([await commit(store, { tenant: "other", run: "a", expect: 0, dedupe: "m1" })]),
        "ok",
      );
      assert.equal(kinds([await commit(store, { run: "a", expect: 2, dedupe: "m3" })]), "ok");
    },
  },
  {
    name: "finds a duplicate among the turns of the same group",
    show: async (store) => {
      const group = [turn({ run: "a", expect: 0, dedupe: "x" }), turn({ run: "a", expect: 1, dedupe: "x" })];
      assert.equal(kinds(await store.commit(group)), "ok duplicate");
    },
  },
  {
    name: "leaves no trace of a refused turn",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, set: [item("1.0")], effects: { add: [effect("a/1.0")], done: [] } },
      ]);
      const graph = { id: "g-a", expect: 4, mutations: [mutation({ create: [object("x")] })] };
      const refused = turn({
        run: "a",
        expect: 1,
        graph,
        set: [item("2.0", { dueAt: 5 })],
        closed: ["1.0"],
        effects: { add: [effect("a/2.0")], done: ["a/1.0"] },
        hasSnapshot: true,
      });
      const results = await store.commit([refused, turn({ run: "b", expect: 0 })]);
      assert.equal(kinds(results), "conflict:graph ok");
      const loaded = await store.load("default", "a");
      assert.equal(loaded?.row.sequence, 1);
      assert.equal(loaded?.snapshot, null);
      assert.deepEqual(
        (await store.items({ tenant: "default", limit: 9 })).rows.map((row) => row.item.id),
        ["1.0"],
      );
      assert.equal(await store.nextDue(), null);
      const claimed = await store.claimEffects("w", 9_999, 10, 9);
      assert.deepEqual(
        claimed.map((one) => one.effect.id),
        ["a/1.0"],
      );
      assert.equal((await store.graph("default", "g-a")).sequence, 0);
    },
  },
  {
    name: "creates a child only while the item that called it is open",
    show: async (store) => {
      await history(store, [{ run: "p", expect: 0, set: [item("1.0", { kind: "child" })] }]);
      const child = (run: string, of: string, at: string) =>
        turn({ run, expect: 0, created: { parent: { run: of, item: at } } });
      const before = await store.commit([
        child("c1", "p", "1.0"),
        child("c2", "p", "9.9"),
        child("c3", "q", "1.0"),
      ]);
      assert.equal(kinds(before), "ok conflict:parent conflict:parent");
      assert.equal(
        kinds(await store.commit([{ ...child("c4", "p", "1.0"), tenant: "other" }])),
        "conflict:parent",
      );
      await history(store, [{ run: "p", expect: 1, closed: ["1.0"] }]);
      assert.equal(kinds(await store.commit([child("c5", "p", "1.0")])), "conflict:parent");
      assert.deepEqual((await store.load("default", "c1"))?.row.parent, { run: "p", item: "1.0" });
    },
  },
  {
    name: "closes what is still open when a run ends",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, set: [item("1.0", { dueAt: 50 }), item("1.1")] },
        { run: "a", expect: 1, status: "cancelled", modes: [], closed: ["1.0"] },
      ]);
      assert.deepEqual((await store.items({ tenant: "default", limit: 9 })).rows, []);
      assert.equal(await store.nextDue(), null);
    },
  },
  {
    name: "takes a turn that does not agree with itself for a bug of its maker",
    show: async (store) => {
      const good = turn({ run: "a", expect: 0 });
      const { created: _, ...without } = good;
      const bad = [
        without,
        { ...good, record: { ...good.record, sequence: 2 } },
        { ...good, graph: { id: "g-a", expect: 0, mutations: [mutation({ create: [object("x")] })] } },
      ];
      for (const wrong of bad) await assert.rejects(store.commit([wrong]), { code: "INVARIANT" });
      assert.equal(await store.load("default", "a"), null);
    },
  },
];
