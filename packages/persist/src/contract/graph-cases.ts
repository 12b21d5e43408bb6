/** @module The contract of product graphs, erasure, transactions and closing. */
import assert from "node:assert/strict";
import { applyMutation, EMPTY_GRAPH, objectsOf, sourcesOf } from "@tessera/core";
import { verifyChain } from "../chain.ts";
import { type Case, commit, effect, history, item, kinds, mutation, object, turn } from "./sample.ts";

/** Cases of graphs. */
export const GRAPH_CASES: readonly Case[] = [
  {
    name: "applies the mutations of a turn in order; the graph's sequence grows by one",
    show: async (store) => {
      assert.deepEqual(await store.graph("default", "g"), { sequence: 0, graph: EMPTY_GRAPH });
      const first = [
        mutation({ create: [object("x", { n: 1 }, ["y"]), object("y"), object("z", {}, ["y", "x"])] }),
        mutation({ update: [{ id: "x", payload: { n: 2 } }] }),
      ];
      await history(store, [{ run: "a", expect: 0, graph: { id: "g", expect: 0, mutations: first } }]);
      const second = [
        mutation({ delete: ["y"], update: [{ id: "z", links: [{ to: "x", rel: "r" }, { to: "y" }] }] }),
      ];
      await history(store, [{ run: "a", expect: 1, graph: { id: "g", expect: 1, mutations: second } }]);
      const { sequence, graph } = await store.graph("default", "g");
      assert.equal(sequence, 2);
      assert.deepEqual(objectsOf(graph), [
        object("x", { n: 2 }),
        { ...object("z"), links: [{ to: "x", rel: "r" }] },
      ]);
      const folded = [...first, ...second].reduce(applyMutation, EMPTY_GRAPH);
      assert.deepEqual(objectsOf(graph), objectsOf(folded));
      assert.deepEqual([sourcesOf(graph, "x"), sourcesOf(graph, "y")], [["z"], []]);
    },
  },
  {
    name: "refuses a turn whose graph another run has changed, and leaves its neighbours alone",
    show: async (store) => {
      const write = (run: string, expect: number, id: string) =>
        turn({
          run,
          expect: 0,
          graph: { id: "shared", expect, mutations: [mutation({ create: [object(id)] })] },
        });
      const results = await store.commit([write("a", 0, "x"), write("b", 0, "y"), write("c", 1, "z")]);
      assert.equal(kinds(results), "ok conflict:graph ok");
      assert.deepEqual(results[1], { kind: "conflict", on: "graph", expected: 0, found: 1 });
      assert.deepEqual(
        objectsOf((await store.graph("default", "shared")).graph).map(({ id }) => id),
        ["x", "z"],
      );
    },
  },
  {
    name: "compares the sequence of a graph that a turn has read, and leaves it as it is",
    show: async (store) => {
      const create = { id: "g", expect: 0, mutations: [mutation({ create: [object("x")] })] };
      await history(store, [{ run: "a", expect: 0, graph: create }]);
      const read = (run: string, expect: number) =>
        turn({ run, expect: 0, graph: { id: "g", expect, mutations: [] } });
      const results = await store.commit([read("b", 1), read("c", 0), read("d", 1)]);
      assert.equal(kinds(results), "ok conflict:graph ok");
      assert.equal((await store.graph("default", "g")).sequence, 1);
      assert.equal((await store.graphJournal("default", "g", 0, 9)).length, 1);
    },
  },
  {
    name: "names every turn that changed a graph, with its mutations: their fold is the graph",
    show: async (store) => {
      const write = (run: string, expect: number, at: number, ids: readonly string[]) => ({
        run,
        expect,
        graph: { id: "g", expect: at, mutations: ids.map((id) => mutation({ create: [object(id)] })) },
      });
      await history(store, [write("a", 0, 0, ["x"]), write("b", 0, 1, ["y", "z"]), write("a", 1, 2, ["u"])]);
      const rows = await store.graphJournal("default", "g", 0, 9);
      assert.deepEqual(
        rows.map(({ sequence, run, runSequence }) => [sequence, run, runSequence]),
        [
          [1, "a", 1],
          [2, "b", 1],
          [3, "a", 2],
        ],
      );
      const folded = rows.flatMap(({ mutations }) => mutations ?? []).reduce(applyMutation, EMPTY_GRAPH);
      assert.deepEqual(objectsOf(folded), objectsOf((await store.graph("default", "g")).graph));
      assert.deepEqual(await store.graphJournal("default", "g", 1, 1), rows.slice(1, 2));
    },
  },
  {
    name: "keeps graphs of one name in two tenants apart",
    show: async (store) => {
      const graph = { id: "g", expect: 0, mutations: [mutation({ create: [object("x")] })] };
      await history(store, [
        { tenant: "t1", run: "a", expect: 0, graph },
        { tenant: "t2", run: "a", expect: 0, graph },
        {
          tenant: "t2",
          run: "a",
          expect: 1,
          graph: { id: "g", expect: 1, mutations: [mutation({ delete: ["x"] })] },
        },
      ]);
      assert.equal((await store.graph("t1", "g")).sequence, 1);
      assert.equal(objectsOf((await store.graph("t1", "g")).graph).length, 1);
      assert.equal((await store.graphJournal("t1", "g", 0, 9)).length, 1);
      assert.deepEqual(await store.graphJournal("t3", "g", 0, 9), []);
    },
  },
];

/** Cases of erasure. */
export const ERASE_CASES: readonly Case[] = [
  {
    name: "erases the payload of an ended run's turn; the chain verifies and says so",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, data: { name: "Ann" }, hasSnapshot: true },
        { run: "a", expect: 1 },
        { run: "a", expect: 2, status: "completed", modes: [] },
      ]);
      const before = await store.journal("default", "a", 0, 9);
      assert.equal(await store.erase("default", "a", 1, "dpo", "request 7", 5_000), "erased");
      const rows = await store.journal("default", "a", 0, 9);
      assert.deepEqual(rows[0], {
        ...before[0],
        salt: null,
        payload: null,
        record: null,
        erased: { by: "dpo", reason: "request 7", at: 5_000 },
      });
      assert.deepEqual(rows.slice(1), before.slice(1));
      const { head } = (await store.load("default", "a"))?.row ?? {};
      const verdict = verifyChain({ tenant: "default", run: "a" }, rows);
      assert.deepEqual(verdict, { kind: "ok", sequence: 3, head, erased: [1] });
      const loaded = await store.load("default", "a");
      assert.deepEqual([loaded?.snapshot, loaded?.tail, loaded?.erasedAt], [null, [], 1]);
    },
  },
  {
    name: "says what it did not erase: again, elsewhere, what a live run still needs",
    show: async (store) => {
      await history(
        store,
        [0, 1].map((expect) => ({ run: "a", expect })),
      );
      const erase = (run: string, sequence: number, tenant = "default") =>
        store.erase(tenant, run, sequence, "dpo", "r", 1);
      assert.equal(await erase("a", 2), "needed");
      assert.equal(await erase("a", 3), "absent");
      assert.equal(await erase("b", 1), "absent");
      assert.equal(await erase("a", 1, "other"), "absent");
      await history(store, [{ run: "a", expect: 2, status: "failed", modes: [] }]);
      assert.equal(await erase("a", 2), "erased");
      assert.equal(await store.erase("default", "a", 2, "eve", "again", 9), "already");
      assert.equal((await store.journal("default", "a", 1, 1))[0]?.erased?.by, "dpo");
    },
  },
  {
    name: "lets a live run go on from its newest snapshot and drops that with the next one, the last when it ends",
    show: async (store) => {
      await history(
        store,
        [0, 1, 2].map((expect) => ({ run: "a", expect, hasSnapshot: expect !== 2 })),
      );
      assert.equal(await store.erase("default", "a", 1, "dpo", "r", 1), "erased");
      const shape = async (at?: number) => {
        const loaded = await store.load("default", "a", at);
        return [loaded?.snapshot?.sequence ?? null, loaded?.tail.length, loaded?.erasedAt];
      };
      assert.deepEqual(await shape(), [2, 1, null]);
      assert.deepEqual(await shape(1), [null, 0, 1]);
      await history(store, [{ run: "a", expect: 3, hasSnapshot: true }]);
      assert.deepEqual(await shape(), [4, 0, null]);
      assert.deepEqual(await shape(3), [null, 0, 1]);
      await history(store, [{ run: "a", expect: 4, status: "completed", modes: [], hasSnapshot: true }]);
      assert.deepEqual(await shape(), [null, 0, 1]);
    },
  },
  {
    name: "shows an erased turn in the journal of its graph, without its mutations",
    show: async (store) => {
      const graph = { id: "g", expect: 0, mutations: [mutation({ create: [object("x")] })] };
      await history(store, [{ run: "a", expect: 0, status: "completed", modes: [], graph }]);
      await store.erase("default", "a", 1, "dpo", "r", 1);
      const rows = await store.graphJournal("default", "g", 0, 9);
      assert.deepEqual(rows, [{ sequence: 1, run: "a", runSequence: 1, mutations: null }]);
    },
  },
];

/** Cases of transactions (where the store has them) and of closing. */
export const END_CASES: readonly Case[] = [
  {
    name: "a transaction, where there is one, commits all of its turns or none",
    show: async (store) => {
      const { transaction } = store;
      if (transaction === undefined) return;
      const answered = transaction((tx) => {
        const results = tx.commit([
          turn({ run: "a", expect: 0, set: [item("1.0")] }),
          turn({ run: "a", expect: 4 }),
        ]);
        assert.equal(kinds(results), "ok conflict:run");
        assert.equal(tx.load("default", "a")?.row.sequence, 1);
        return tx.commit([turn({ run: "a", expect: 1 })]);
      });
      assert.equal(kinds(answered), "ok");
      const boom = new Error("boom");
      const thrown = () =>
        transaction((tx) => {
          const graph = { id: "g", expect: 0, mutations: [mutation({ create: [object("x")] })] };
          const effects = { add: [effect("a/1")], done: [] };
          tx.commit([
            turn({ run: "a", expect: 2, graph, effects, closed: ["1.0"], dedupe: "d" }),
            turn({ run: "b", expect: 0 }),
          ]);
          assert.equal(tx.graph("default", "g").sequence, 1);
          throw boom;
        });
      assert.throws(thrown, boom);
      assert.equal((await store.load("default", "a"))?.row.sequence, 2);
      assert.equal(await store.load("default", "b"), null);
      assert.equal((await store.graph("default", "g")).sequence, 0);
      assert.equal(await store.nextEffect(), null);
      assert.equal((await store.items({ tenant: "default", limit: 9 })).rows.length, 1);
      assert.equal(kinds([await commit(store, { run: "a", expect: 2, dedupe: "d" })]), "ok");
    },
  },
  {
    name: "a transaction is synchronous, not nested, and over when it is over",
    show: async (store) => {
      const { transaction } = store;
      if (transaction === undefined) return;
      const later = () =>
        transaction(async (tx) => {
          tx.commit([turn({ run: "a", expect: 0 })]);
        });
      assert.throws(later, { code: "misuse" });
      assert.throws(() => transaction(() => transaction(() => 1)), { code: "misuse" });
      const kept = transaction((tx) => tx);
      assert.throws(() => kept.commit([turn({ run: "a", expect: 0 })]), { code: "misuse" });
      assert.equal(await store.load("default", "a"), null);
    },
  },
  {
    name: "closes once or twice, and then answers nothing",
    show: async (store) => {
      await history(store, [{ run: "a", expect: 0 }]);
      await store.close();
      await store.close();
      const closed = { code: "closed" };
      await assert.rejects(store.commit([turn({ run: "a", expect: 1 })]), closed);
      await assert.rejects(store.load("default", "a"), closed);
      await assert.rejects(store.runs({ tenant: "default", limit: 1 }), closed);
      await assert.rejects(store.items({ tenant: "default", limit: 1 }), closed);
      await assert.rejects(store.nextDue(), closed);
      await assert.rejects(store.claimEffects("w", 1, 1, 1), closed);
      await assert.rejects(store.erase("default", "a", 1, "dpo", "r", 1), closed);
      const { transaction } = store;
      if (transaction !== undefined) assert.throws(() => transaction(() => 1), closed);
    },
  },
];
