/** @module The contract of what is read back: runs, their states and turns, definitions, large values. */
import assert from "node:assert/strict";
import type { Definition, Hash, JsonObject } from "@tessera/core";
import { verifyChain } from "../chain.ts";
import type { DefinitionRow } from "../store.ts";
import { type Case, commit, DEFINITION, history, stateAt, turn } from "./sample.ts";

/** Cases of runs, journals and definitions. */
export const RUN_CASES: readonly Case[] = [
  {
    name: "shows a run as its turns left it",
    show: async (store) => {
      const parts = { workflow: "order", businessKey: "B-7", graph: "shared" };
      await history(store, [
        { run: "a", expect: 0, at: 10, created: parts, modes: ["waiting_human", "waiting_timer"] },
        { run: "a", expect: 1, at: 20, status: "running", modes: [] },
      ]);
      const row = (await store.load("default", "a"))?.row;
      const { head, ...rest } = row ?? { head: null };
      assert.match(head ?? "", /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(rest, {
        tenant: "default",
        run: "a",
        ...parts,
        definition: DEFINITION,
        parent: null,
        status: "running",
        modes: [],
        sequence: 2,
        startedAt: 10,
        updatedAt: 20,
        prunedTo: 0,
      });
    },
  },
  {
    name: "knows nothing of a run that is not there",
    show: async (store) => {
      assert.equal(await store.load("default", "a"), null);
      assert.deepEqual(await store.journal("default", "a", 0, 9), []);
    },
  },
  {
    name: "loads the newest snapshot and the turns behind it, at any sequence",
    show: async (store) => {
      const turns = [0, 1, 2, 3, 4, 5].map((expect) => ({
        run: "a",
        expect,
        data: { n: expect },
        hasSnapshot: expect === 1 || expect === 3,
      }));
      await history(store, turns);
      const expected: readonly (readonly [
        at: number | undefined,
        snapshot: number | null,
        tail: readonly number[],
      ])[] = [
        [undefined, 4, [5, 6]],
        [99, 4, [5, 6]],
        [5, 4, [5]],
        [4, 4, []],
        [3, 2, [3]],
        [1, null, [1]],
        [0, null, []],
      ];
      for (const [at, snapshot, tail] of expected) {
        const loaded = await store.load("default", "a", at);
        assert.equal(loaded?.snapshot?.sequence ?? null, snapshot, `at ${at}`);
        assert.deepEqual(
          loaded?.tail.map(({ sequence }) => sequence),
          tail,
          `at ${at}`,
        );
        assert.equal(loaded?.row.sequence, 6);
        assert.equal(loaded?.erasedAt, null);
      }
      assert.deepEqual((await store.load("default", "a", 4))?.snapshot, stateAt(4, { n: 3 }));
    },
  },
  {
    name: "knows in which definition a run was at any sequence",
    show: async (store) => {
      const other = `sha256:${"e".repeat(64)}` as Hash;
      await commit(store, { run: "a", expect: 0 });
      await commit(store, { run: "a", expect: 1 });
      await commit(store, { run: "a", expect: 2, definition: other });
      await commit(store, { run: "a", expect: 3, definition: other });
      const at = async (sequence?: number) => (await store.load("default", "a", sequence))?.definition;
      assert.deepEqual(
        [await at(0), await at(1), await at(2), await at(3), await at()],
        [DEFINITION, DEFINITION, DEFINITION, other, other],
      );
      assert.equal((await store.load("default", "a", 1))?.row.definition, other);
    },
  },
  {
    name: "gives back every record as it was committed, page by page, and a chain that verifies",
    show: async (store) => {
      const turns = [0, 1, 2, 3].map((expect) =>
        turn({ run: "a", expect, data: { n: 1, list: [null, "x"] } }),
      );
      await store.commit(turns);
      const rows = [
        ...(await store.journal("default", "a", 0, 2)),
        ...(await store.journal("default", "a", 2, 1)),
        ...(await store.journal("default", "a", 3, 9)),
      ];
      assert.deepEqual(
        rows.map(({ record }) => record),
        turns.map(({ record }) => record),
      );
      const verdict = verifyChain({ tenant: "default", run: "a" }, rows);
      const head = (await store.load("default", "a"))?.row.head;
      assert.deepEqual(verdict, { kind: "ok", sequence: 4, head, erased: [] });
      const other = await store.journal("default", "a", 2, 1);
      const anchor = { sequence: 2, head: rows[1]?.head as Hash };
      assert.equal(verifyChain({ tenant: "default", run: "a" }, other, anchor).kind, "ok");
    },
  },
  {
    name: "lists runs newest first, by every filter and all of them together",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, created: { workflow: "order", businessKey: "k1" } },
        {
          run: "b",
          expect: 0,
          created: { workflow: "order", businessKey: "k2" },
          status: "running",
          modes: [],
        },
        { run: "c", expect: 0, created: { workflow: "claim", businessKey: "k1" } },
        { run: "a", expect: 1, status: "completed", modes: [] },
      ]);
      const found = async (query: object) =>
        (await store.runs({ tenant: "default", limit: 9, ...query })).rows.map(({ run }) => run).join("");
      assert.equal(await found({}), "cba");
      assert.equal(await found({ status: "completed" }), "a");
      assert.equal(await found({ status: "waiting" }), "c");
      assert.equal(await found({ workflow: "order" }), "ba");
      assert.equal(await found({ businessKey: "k1" }), "ca");
      assert.equal(await found({ workflow: "order", businessKey: "k1", status: "completed" }), "a");
      assert.equal(await found({ workflow: "order", businessKey: "k1", status: "running" }), "");
    },
  },
  {
    name: "pages are stable: runs that come in between are on none of the later ones",
    show: async (store) => {
      const start = (run: string) => ({ run, expect: 0 });
      await history(store, ["a", "b", "c", "d", "e"].map(start));
      const seen: string[] = [];
      let after: string | undefined;
      for (let page = 0; page < 3; page += 1) {
        const { rows, next } = await store.runs({
          tenant: "default",
          limit: 2,
          ...(after === undefined ? {} : { after }),
        });
        seen.push(...rows.map(({ run }) => run));
        await history(store, [start(`new${page}`), { run: rows[0]?.run ?? "", expect: 1 }]);
        assert.equal(next === null, page === 2);
        after = next ?? undefined;
      }
      assert.equal(seen.join(""), "edcba");
    },
  },
  {
    name: "refuses a cursor that no page returned",
    show: async (store) => {
      await assert.rejects(store.runs({ tenant: "default", limit: 1, after: "x" }), { code: "misuse" });
      await assert.rejects(store.items({ tenant: "default", limit: 1, after: "1.5" }), { code: "misuse" });
    },
  },
  {
    name: "keeps tenants apart in every question about runs",
    show: async (store) => {
      await history(store, [
        { tenant: "t1", run: "a", expect: 0, data: { of: "t1" }, created: { businessKey: "k" } },
        { tenant: "t2", run: "a", expect: 0, data: { of: "t2" }, created: { businessKey: "k" } },
        { tenant: "t2", run: "a", expect: 1, hasSnapshot: true },
      ]);
      assert.equal((await store.load("t1", "a"))?.row.sequence, 1);
      assert.equal((await store.load("t2", "a"))?.row.sequence, 2);
      assert.equal(await store.load("t3", "a"), null);
      assert.equal((await store.journal("t1", "a", 0, 9)).length, 1);
      for (const query of [{}, { businessKey: "k" }, { workflow: "order" }, { status: "waiting" as const }]) {
        assert.deepEqual(
          (await store.runs({ tenant: "t1", limit: 9, ...query })).rows.map(({ tenant }) => tenant),
          ["t1"],
        );
        assert.deepEqual((await store.runs({ tenant: "t3", limit: 9, ...query })).rows, []);
      }
      const rows = await store.journal("t1", "a", 0, 9);
      assert.equal(verifyChain({ tenant: "t2", run: "a" }, rows).kind, "broken");
    },
  },
  {
    name: "stores a definition once by hash, and points its name to what was deployed last",
    show: async (store) => {
      const [v1, v2] = [version("1", 10), version("2", 20)];
      assert.equal(await store.putDefinition("t1", v1), "stored");
      assert.equal(await store.putDefinition("t1", v2), "stored");
      assert.deepEqual(await store.newestDefinition("t1", "order"), v2);
      assert.deepEqual(
        (await store.definitionVersions("t1", "order")).map(({ hash }) => hash),
        [v2.hash, v1.hash],
      );
      assert.deepEqual(await store.definition(v1.hash), v1);
      assert.equal(await store.putDefinition("t1", { ...v1, deployedAt: 30 }), "known");
      assert.deepEqual(await store.newestDefinition("t1", "order"), { ...v1, deployedAt: 30 });
      assert.deepEqual(
        (await store.definitionVersions("t1", "order")).map(({ hash }) => hash),
        [v1.hash, v2.hash],
      );
    },
  },
  {
    name: "keeps the names of definitions of tenants apart",
    show: async (store) => {
      const v1 = version("1", 10);
      await store.putDefinition("t1", v1);
      assert.equal(await store.newestDefinition("t2", "order"), null);
      assert.deepEqual(await store.definitionVersions("t2", "order"), []);
      assert.equal(await store.putDefinition("t2", v1), "stored");
      assert.equal(await store.definition(version("9", 1).hash), null);
    },
  },
  {
    name: "gives large values back, wherever they stood",
    show: async (store) => {
      const large = "x".repeat(100_000);
      const data: JsonObject = { large, small: 1, nested: { list: [large] } };
      await commit(store, { run: "a", expect: 0, data, hasSnapshot: true });
      await commit(store, { run: "a", expect: 1, data });
      const rows = await store.journal("default", "a", 0, 9);
      assert.deepEqual(rows[0]?.record?.input, { kind: "start", data });
      assert.ok((rows[0]?.payload?.length ?? 0) < 1_000, "a large value stands beside its record");
      assert.deepEqual((await store.load("default", "a"))?.snapshot?.data, data);
    },
  },
];

/** A version of the workflow "order". */
function version(label: string, deployedAt: number): DefinitionRow {
  const hash = `sha256:${label.repeat(64)}` as Hash;
  const definition: Definition = {
    format: 1,
    kind: "workflow",
    id: "order",
    label,
    entry: "s",
    nodes: [],
    arcs: [],
  };
  return { hash, name: "order", definition, manifest: { kinds: ["start@1"] }, deployedAt };
}
