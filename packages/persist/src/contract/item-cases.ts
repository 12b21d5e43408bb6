/** @module The contract of open items: work lists, due times, tenants. */
import assert from "node:assert/strict";
import type { ItemQuery } from "../query.ts";
import type { RunStore } from "../store.ts";
import { type Case, history, item } from "./sample.ts";

/** Cases of open items. */
export const ITEM_CASES: readonly Case[] = [
  {
    name: "lists open items oldest first, as they are now, with the run's workflow and business key",
    show: async (store) => {
      await history(store, [
        {
          run: "a",
          expect: 0,
          created: { businessKey: "k" },
          set: [item("1.0"), item("1.1", { kind: "timer", dueAt: 9 })],
        },
        {
          run: "b",
          expect: 0,
          set: [item("1.0", { reason: { code: "X", message: "why", facts: { n: 1 } } })],
        },
        { run: "a", expect: 1, set: [item("1.0", { assignee: "ann" })], closed: ["1.1"] },
      ]);
      const { rows } = await store.items({ tenant: "default", limit: 9 });
      assert.deepEqual(rows, [
        {
          tenant: "default",
          run: "a",
          workflow: "order",
          businessKey: "k",
          item: item("1.0", { assignee: "ann" }),
        },
        {
          tenant: "default",
          run: "b",
          workflow: "order",
          businessKey: null,
          item: item("1.0", { reason: { code: "X", message: "why", facts: { n: 1 } } }),
        },
      ]);
    },
  },
  {
    name: "filters items by run, kind, who claimed them and the group they are offered to",
    show: async (store) => {
      await history(store, [
        {
          run: "a",
          expect: 0,
          set: [
            item("1.0", { candidateGroups: ["sales"] }),
            item("1.1", { candidateGroups: ["sales", "legal"], assignee: "ann" }),
            item("1.2", { kind: "job" }),
          ],
        },
        { run: "b", expect: 0, set: [item("1.3", { assignee: "ann" })] },
      ]);
      assert.equal(await ids(store, {}), "1.0 1.1 1.2 1.3");
      assert.equal(await ids(store, { run: "a" }), "1.0 1.1 1.2");
      assert.equal(await ids(store, { run: "z" }), "");
      assert.equal(await ids(store, { kind: "job" }), "1.2");
      assert.equal(await ids(store, { run: "b", kind: "job" }), "");
      assert.equal(await ids(store, { assignee: "ann" }), "1.1 1.3");
      assert.equal(await ids(store, { candidateGroup: "sales" }), "1.0 1.1");
      assert.equal(await ids(store, { candidateGroup: "legal", assignee: "ann" }), "1.1");
      assert.equal(await ids(store, { candidateGroup: "legal", assignee: "bob" }), "");
      assert.equal(await ids(store, { candidateGroup: "sales", run: "b" }), "");
      await history(store, [
        { run: "a", expect: 1, set: [item("1.1", { candidateGroups: ["legal"] })], closed: ["1.0"] },
      ]);
      assert.equal(await ids(store, { candidateGroup: "sales" }), "");
      assert.equal(await ids(store, { assignee: "ann" }), "1.3");
    },
  },
  {
    name: "lists for a person what they claimed, and what nobody claimed and is offered to them or to all",
    show: async (store) => {
      await history(store, [
        {
          run: "a",
          expect: 0,
          set: [
            item("1.0", { assignee: "ann", candidateGroups: ["sales"] }),
            item("1.1", { assignee: "bob", candidateGroups: ["sales"] }),
            item("1.2", { candidateGroups: ["sales"] }),
            item("1.3", { candidateGroups: ["legal"] }),
            item("1.4", { assignees: ["ann"] }),
            item("1.5"),
            item("1.6", { kind: "job" }),
            item("1.7", { kind: "intervention" }),
          ],
        },
      ]);
      assert.equal(await ids(store, { actor: "ann", groups: ["sales"] }), "1.0 1.2 1.4 1.5");
      assert.equal(await ids(store, { actor: "bob", groups: ["sales", "legal"] }), "1.1 1.2 1.3 1.5");
      assert.equal(await ids(store, { actor: "eve" }), "1.5");
      assert.equal(await ids(store, { groups: ["legal"] }), "1.3 1.5");
      assert.equal(await ids(store, { actor: "ann", groups: ["sales"], candidateGroup: "sales" }), "1.0 1.2");
    },
  },
  {
    name: "pages of items are stable while items come and go",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, set: ["1.0", "1.1", "1.2", "1.3"].map((id) => item(id)) },
      ]);
      const first = await store.items({ tenant: "default", limit: 2 });
      await history(store, [{ run: "a", expect: 1, set: [item("2.0")], closed: ["1.0", "1.3"] }]);
      const second = await store.items({ tenant: "default", limit: 2, after: first.next ?? "" });
      const shown = [...first.rows, ...second.rows].map((row) => row.item.id).join(" ");
      assert.equal(shown, "1.0 1.1 1.2 2.0");
      assert.equal(second.next, null);
    },
  },
  {
    name: "does not give the number of a closed item to a new one, which a later page would miss",
    show: async (store) => {
      await history(store, [{ run: "a", expect: 0, set: [item("1.0"), item("1.1")] }]);
      const first = await store.items({ tenant: "default", limit: 1 });
      await history(store, [
        { run: "a", expect: 1, closed: ["1.0", "1.1"] },
        { run: "a", expect: 2, set: [item("3.0")] },
      ]);
      const second = await store.items({ tenant: "default", limit: 1, after: first.next ?? "" });
      assert.deepEqual(
        second.rows.map((row) => row.item.id),
        ["3.0"],
      );
    },
  },
  {
    name: "finds what is due, oldest due first, of all tenants, and when the next will be",
    show: async (store) => {
      const timer = (id: string, dueAt: number) => item(id, { kind: "timer", dueAt });
      assert.equal(await store.nextDue(), null);
      await history(store, [
        { run: "a", expect: 0, set: [timer("1.0", 300), timer("1.1", 100), item("1.2")] },
        { tenant: "t2", run: "b", expect: 0, set: [timer("1.3", 200), item("1.4", { dueAt: 100 })] },
      ]);
      const due = async (now: number, limit: number) =>
        (await store.dueItems(now, limit)).map((row) => `${row.tenant}:${row.item.id}`).join(" ");
      assert.equal(await store.nextDue(), 100);
      assert.equal(await due(99, 9), "");
      assert.equal(await due(100, 9), "default:1.1 t2:1.4");
      assert.equal(await due(999, 9), "default:1.1 t2:1.4 t2:1.3 default:1.0");
      assert.equal(await due(999, 3), "default:1.1 t2:1.4 t2:1.3");
      await history(store, [{ run: "a", expect: 1, closed: ["1.1"], set: [timer("1.0", 50)] }]);
      assert.equal(await store.nextDue(), 50);
      assert.equal(await due(100, 9), "default:1.0 t2:1.4");
    },
  },
  {
    name: "does not find paused items due until they are set again, and shows them as they are",
    show: async (store) => {
      const timer = item("1.0", { kind: "timer", dueAt: 100 });
      await history(store, [
        { run: "a", expect: 0, set: [timer] },
        { run: "a", expect: 1, set: [timer], isPaused: true },
      ]);
      assert.deepEqual(await store.dueItems(999, 9), []);
      assert.equal(await store.nextDue(), null);
      assert.deepEqual((await store.items({ tenant: "default", limit: 9 })).rows[0]?.item, timer);
      await history(store, [{ run: "a", expect: 2, set: [timer] }]);
      assert.equal((await store.dueItems(999, 9)).length, 1);
      assert.equal(await store.nextDue(), 100);
    },
  },
  {
    name: "keeps the items of tenants apart",
    show: async (store) => {
      const mine = item("1.0", { assignee: "ann", candidateGroups: ["sales"], assignees: ["ann"] });
      await history(store, [
        { tenant: "t1", run: "a", expect: 0, set: [mine] },
        { tenant: "t2", run: "a", expect: 0, set: [{ ...mine, node: "other" }] },
        { tenant: "t2", run: "a", expect: 1, closed: ["1.0"] },
      ]);
      const queries: Partial<ItemQuery>[] = [
        {},
        { run: "a" },
        { kind: "work-item" },
        { assignee: "ann" },
        { candidateGroup: "sales" },
        { actor: "ann", groups: ["sales"] },
      ];
      for (const query of queries) {
        const found = await store.items({ tenant: "t1", limit: 9, ...query });
        assert.deepEqual(
          found.rows.map(({ tenant, item: { node } }) => [tenant, node]),
          [["t1", "approve"]],
        );
        assert.deepEqual((await store.items({ tenant: "t2", limit: 9, ...query })).rows, []);
        assert.deepEqual((await store.items({ tenant: "t3", limit: 9, ...query })).rows, []);
      }
    },
  },
];

async function ids(store: RunStore, query: Partial<ItemQuery>): Promise<string> {
  const { rows } = await store.items({ tenant: "default", limit: 99, ...query });
  return rows.map((row) => row.item.id).join(" ");
}
