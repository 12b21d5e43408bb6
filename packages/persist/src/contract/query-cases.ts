/** @module The contract of what is asked for often: runs by what they are and what they hold, items by due time, counts. */
import assert from "node:assert/strict";
import type { Hash } from "@tessera/core";
import type { ItemQuery, RunQuery } from "../query.ts";
import type { RunStore } from "../store.ts";
import { type Case, commit, DEFINITION, history, item } from "./sample.ts";

const OTHER = `sha256:${"e".repeat(64)}` as Hash;

/** Cases of queries and counts. */
export const QUERY_CASES: readonly Case[] = [
  {
    name: "finds runs by the definition that they are in now",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0 },
        { run: "b", expect: 0, definition: OTHER },
        { run: "c", expect: 0 },
        { tenant: "t2", run: "d", expect: 0 },
        { run: "c", expect: 1, definition: OTHER },
      ]);
      assert.equal(await runs(store, { definition: DEFINITION }), "a");
      assert.equal(await runs(store, { definition: OTHER }), "c b");
      assert.equal(await runs(store, { definition: OTHER, status: "running" }), "");
    },
  },
  {
    name: "finds runs by indexed values as the turns left them, newest first, page by page",
    show: async (store) => {
      await history(store, [
        {
          run: "a",
          expect: 0,
          indexed: [
            { path: "city", value: "Rome" },
            { path: "paid", value: false },
          ],
        },
        { run: "b", expect: 0, indexed: [{ path: "city", value: "Rome" }] },
        {
          run: "c",
          expect: 0,
          indexed: [
            { path: "city", value: "Oslo" },
            { path: "n", value: 1 },
          ],
        },
        {
          run: "d",
          expect: 0,
          indexed: [
            { path: "n", value: "1" },
            { path: "city", value: null },
          ],
        },
        { tenant: "t2", run: "e", expect: 0, indexed: [{ path: "city", value: "Rome" }] },
      ]);
      const city = (value: string | null) => ({ path: "city", value });
      assert.equal(await runs(store, { data: [city("Rome")] }), "b a");
      assert.equal(await runs(store, { data: [city("Rome"), { path: "paid", value: false }] }), "a");
      assert.equal(await runs(store, { data: [{ path: "n", value: 1 }] }), "c");
      assert.equal(await runs(store, { data: [{ path: "n", value: "1" }] }), "d");
      assert.equal(await runs(store, { data: [city(null)] }), "d");
      assert.equal(await runs(store, { data: [city("Rome")], status: "completed" }), "");
      const page = await store.runs({ tenant: "default", limit: 1, data: [city("Rome")] });
      assert.equal(await runs(store, { data: [city("Rome")], after: page.next ?? "" }), "a");
      await history(store, [
        { run: "a", expect: 1, indexed: [city("Oslo")] },
        { run: "b", expect: 1, indexed: [{ path: "city" }] },
        { run: "c", expect: 1 },
      ]);
      assert.equal(await runs(store, { data: [city("Rome")] }), "");
      assert.equal(await runs(store, { data: [city("Oslo")] }), "c a");
      assert.equal(await runs(store, { data: [{ path: "paid", value: false }] }), "a");
    },
  },
  {
    name: "finds runs by values of any length, and does not take one for another",
    show: async (store) => {
      const long = "x".repeat(5_000);
      await history(store, [
        { run: "a", expect: 0, indexed: [{ path: "text", value: long }] },
        { run: "b", expect: 0, indexed: [{ path: "text", value: `${long}y` }] },
      ]);
      assert.equal(await runs(store, { data: [{ path: "text", value: long }] }), "a");
    },
  },
  {
    name: "indexes a run anew, if it is where it is said to be",
    show: async (store) => {
      await history(store, [
        {
          run: "a",
          expect: 0,
          indexed: [
            { path: "n", value: 1 },
            { path: "m", value: 1 },
          ],
        },
      ]);
      assert.equal(await store.reindex("default", "a", 2, [{ path: "n", value: 2 }]), false);
      assert.equal(await store.reindex("t2", "a", 1, [{ path: "n", value: 2 }]), false);
      assert.equal(await runs(store, { data: [{ path: "n", value: 1 }] }), "a");
      assert.equal(await store.reindex("default", "a", 1, [{ path: "n", value: 2 }]), true);
      assert.equal(await runs(store, { data: [{ path: "n", value: 2 }] }), "a");
      assert.equal(await runs(store, { data: [{ path: "m", value: 1 }] }), "");
    },
  },
  {
    name: "indexes nothing of a turn that is refused",
    show: async (store) => {
      await history(store, [{ run: "a", expect: 0 }]);
      const late = await commit(store, { run: "a", expect: 4, indexed: [{ path: "n", value: 1 }] });
      assert.equal(late.kind, "conflict");
      assert.equal(await runs(store, { data: [{ path: "n", value: 1 }] }), "");
    },
  },
  {
    name: "lists items by due time, the earliest first, page by page, with every other filter",
    show: async (store) => {
      const due = (id: string, dueAt: number, more = {}) => item(id, { dueAt, ...more });
      await history(store, [
        { run: "a", expect: 0, set: [due("1.0", 30), due("1.1", 10, { assignee: "ann" }), item("1.2")] },
        { run: "b", expect: 0, set: [due("1.3", 10, { candidateGroups: ["sales"] }), due("1.4", 20)] },
        { run: "c", expect: 0, set: [due("1.5", 5)] },
        { run: "c", expect: 1, set: [due("1.5", 5)], isPaused: true },
        { tenant: "t2", run: "a", expect: 0, set: [due("1.6", 1)] },
      ]);
      assert.equal(await items(store, { dueBy: 99 }), "1.1 1.3 1.4 1.0");
      assert.equal(await items(store, { dueBy: 20 }), "1.1 1.3 1.4");
      assert.equal(await items(store, { dueBy: 9 }), "");
      assert.equal(await items(store, { dueBy: 99, run: "a" }), "1.1 1.0");
      assert.equal(await items(store, { dueBy: 99, kind: "timer" }), "");
      assert.equal(await items(store, { dueBy: 99, assignee: "ann" }), "1.1");
      assert.equal(await items(store, { dueBy: 99, candidateGroup: "sales" }), "1.3");
      assert.equal(await items(store, { dueBy: 99, actor: "ann", groups: ["sales"] }), "1.1 1.3 1.4 1.0");
      assert.equal(await items(store, { dueBy: 99, actor: "bob" }), "1.4 1.0");
      const pages: string[] = [];
      for (let after: string | null = ""; after !== null; ) {
        const page = await store.items({
          tenant: "default",
          limit: 1,
          dueBy: 99,
          ...(after === "" ? {} : { after }),
        });
        pages.push(...page.rows.map((row) => row.item.id));
        after = page.next;
      }
      assert.deepEqual(pages, ["1.1", "1.3", "1.4", "1.0"]);
    },
  },
  {
    name: "[D10.27] counts the items of a query: as many as its pages have, and no more than asked for",
    show: async (store) => {
      const due = (id: string, dueAt: number, more = {}) => item(id, { dueAt, ...more });
      const both = { assignees: ["ann"], candidateGroups: ["sales", "hq"] };
      await history(store, [
        { run: "a", expect: 0, set: [due("1.0", 30), due("1.1", 10, { assignee: "ann" }), item("1.2")] },
        { run: "b", expect: 0, set: [due("1.3", 10, { candidateGroups: ["sales"] }), item("1.4", both)] },
        {
          run: "b",
          expect: 1,
          set: [item("1.5", { ...both, assignee: "bob" }), due("1.6", 9, { kind: "timer" })],
        },
        { run: "c", expect: 0, set: [due("1.7", 5)] },
        { run: "c", expect: 1, set: [due("1.7", 5)], isPaused: true },
        { tenant: "t2", run: "a", expect: 0, set: [due("1.8", 1)] },
      ]);
      let largest = 0;
      for (const filter of ITEM_FILTERS) {
        const { rows } = await store.items({ tenant: "default", limit: 99, ...filter });
        const asked = JSON.stringify(filter);
        for (const max of [1, 2, 99]) {
          const counted = await store.countItems({ tenant: "default", ...filter, max });
          assert.equal(counted, Math.min(max, rows.length), asked);
        }
        largest = Math.max(largest, rows.length);
      }
      assert.equal(largest, 8);
      assert.equal(await store.countItems({ tenant: "nobody", max: 9 }), 0);
      assert.equal(await store.countItems({ tenant: "default", run: "nothing", max: 9 }), 0);
    },
  },
  {
    name: "counts runs and open items as the turns leave them, of one tenant and of all",
    show: async (store) => {
      assert.deepEqual(await store.counts(), { runs: [], items: [] });
      await history(store, [
        { run: "a", expect: 0, set: [item("1.0"), item("1.1", { kind: "timer", dueAt: 9 })] },
        { run: "b", expect: 0, set: [item("1.0")], created: { workflow: "other" } },
        { tenant: "t2", run: "a", expect: 0, set: [item("1.0")] },
      ]);
      assert.equal(
        await counted(store),
        "default/order/d/waiting=1 default/other/d/waiting=1 t2/order/d/waiting=1 | default/timer=1 default/work-item=2 t2/work-item=1",
      );
      await history(store, [
        { run: "a", expect: 1, status: "running", set: [item("1.1", { kind: "child" })], definition: OTHER },
        { run: "b", expect: 1, status: "completed" },
      ]);
      const late = await commit(store, { run: "a", expect: 1, status: "failed", closed: ["1.0"] });
      assert.equal(late.kind, "conflict");
      assert.equal(
        await counted(store, "default"),
        "default/order/e/running=1 default/other/d/completed=1 | default/child=1 default/work-item=1",
      );
      await history(store, [
        { run: "a", expect: 2, status: "running", closed: ["1.0", "9.9"], definition: OTHER },
      ]);
      assert.equal(
        await counted(store, "default"),
        "default/order/e/running=1 default/other/d/completed=1 | default/child=1",
      );
      assert.deepEqual(await store.counts("nobody"), { runs: [], items: [] });
    },
  },
];

/** Every choice of the filters of items, each with some value. */
const ITEM_FILTERS: readonly Partial<ItemQuery>[] = choices([
  { run: "a" },
  { run: "b" },
  { kind: "work-item" },
  { assignee: "ann" },
  { candidateGroup: "sales" },
  { actor: "ann" },
  { groups: ["sales", "hq"] },
  { dueBy: 10 },
]);

function choices(filters: readonly Partial<ItemQuery>[]): readonly Partial<ItemQuery>[] {
  const chosen: Partial<ItemQuery>[] = [{}];
  for (const filter of filters) chosen.push(...chosen.map((each) => ({ ...each, ...filter })));
  return chosen;
}

async function runs(store: RunStore, query: Partial<RunQuery>): Promise<string> {
  const { rows } = await store.runs({ tenant: "default", limit: 99, ...query });
  return rows.map((row) => row.run).join(" ");
}

async function items(store: RunStore, query: Partial<ItemQuery>): Promise<string> {
  const { rows } = await store.items({ tenant: "default", limit: 99, ...query });
  return rows.map((row) => row.item.id).join(" ");
}

/** The counts as text, in one order; a definition by its first letter. */
async function counted(store: RunStore, tenant?: string): Promise<string> {
  const { runs: ofRuns, items: ofItems } = await store.counts(tenant);
  const lines = [
    ofRuns.map((row) => `${row.tenant}/${row.workflow}/${row.definition[7]}/${row.status}=${row.count}`),
    ofItems.map((row) => `${row.tenant}/${row.kind}=${row.count}`),
  ];
  return lines.map((each) => each.sort().join(" ")).join(" | ");
}
