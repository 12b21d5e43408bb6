/** @module The contract about timers that start workflows: the times of the newest version, each used once. */
import assert from "node:assert/strict";
import type { Hash } from "@tessera/core";
import type { StartTimer, StartTimerRow } from "../start-timer.ts";
import type { DefinitionRow, RunStore } from "../store.ts";
import { type Case, DEFINITION } from "./sample.ts";

const TENANT = "default";
const OTHER = DEFINITION.replaceAll("d", "e") as Hash;
const timer = (event: string, dueAt: number, more: Partial<StartTimer> = {}): StartTimer => ({
  event,
  dueAt,
  remaining: 0,
  repeat: null,
  ...more,
});
const version = (hash: Hash, name: string, ...timers: readonly StartTimer[]): DefinitionRow => ({
  hash,
  name,
  definition: {} as never,
  manifest: {},
  deployedAt: 0,
  timers,
});
/** A timer as text: the name, its event and version, and the time that comes next. */
const text = ({ workflow, event, definition, dueAt }: StartTimerRow): string =>
  `${workflow} ${event} ${definition === OTHER ? "new" : "old"} @${dueAt}`;
const all = async (store: RunStore, tenant = TENANT): Promise<readonly string[]> =>
  (await store.startTimers({ tenant, limit: 9 })).map(text);

/** Timers that start workflows. */
export const START_TIMER_CASES: readonly Case[] = [
  {
    name: "[D10.24] timers are found by when they are due, the first before the others, in one tenant or all",
    show: async (store) => {
      assert.deepEqual(await store.startTimers({ limit: 9 }), []);
      assert.deepEqual(await all(store, "nobody"), []);
      const daily = timer("b", 10, { remaining: -1, repeat: "R/x/P1D" });
      await store.putDefinition(TENANT, version(DEFINITION, "v", timer("a", 30), daily));
      await store.putDefinition(
        TENANT,
        version(OTHER, "w", timer("a", -20, { remaining: 3, repeat: "R/y" })),
      );
      await store.putDefinition("t2", version(DEFINITION, "v", timer("a", 20)));
      assert.deepEqual(await all(store), ["w a new @-20", "v b old @10", "v a old @30"]);
      assert.deepEqual(await all(store, "t2"), ["v a old @20"]);
      const due = await store.startTimers({ dueBy: 20, limit: 9 });
      assert.deepEqual(
        due.map(({ tenant, event, dueAt }) => [tenant, event, dueAt]),
        [
          [TENANT, "a", -20],
          [TENANT, "b", 10],
          ["t2", "a", 20],
        ],
      );
      assert.deepEqual(due[1], { ...daily, tenant: TENANT, workflow: "v", definition: DEFINITION });
      assert.deepEqual((await store.startTimers({ limit: 1 })).map(text), ["w a new @-20"]);
      assert.deepEqual((await store.startTimers({ tenant: TENANT, dueBy: 9, limit: 9 })).map(text), [
        "w a new @-20",
      ]);
    },
  },
  {
    name: "[D10.24] a timer is moved on once from each of its times, and ended after the last",
    show: async (store) => {
      await store.putDefinition(TENANT, version(DEFINITION, "w", timer("a", 10), timer("b", 10)));
      await store.putDefinition("t2", version(DEFINITION, "w", timer("a", 10)));
      const [a] = (await store.startTimers({ tenant: TENANT, limit: 9 })).filter(
        ({ event }) => event === "a",
      );
      assert.ok(a !== undefined);
      const next = timer("a", 25, { remaining: 1, repeat: "R/z" });
      assert.equal(await store.moveStartTimer(a, next), true);
      assert.equal(await store.moveStartTimer(a, next), false);
      assert.equal(await store.moveStartTimer(a, null), false);
      assert.deepEqual(await all(store), ["w b old @10", "w a old @25"]);
      const [, moved] = await store.startTimers({ tenant: TENANT, limit: 9 });
      assert.deepEqual(moved, { ...a, ...next });
      assert.equal(await store.moveStartTimer({ ...a, ...next }, null), true);
      assert.deepEqual(await all(store), ["w b old @10"]);
      assert.deepEqual(await all(store, "t2"), ["w a old @10"]);
    },
  },
  {
    name: "[D10.24] the newest version has the timers; to deploy it again leaves them, to deploy another replaces them",
    show: async (store) => {
      await store.putDefinition(TENANT, version(DEFINITION, "w", timer("a", 10), timer("b", 12)));
      const [a] = await store.startTimers({ limit: 9 });
      assert.ok(a !== undefined);
      await store.moveStartTimer(a, null);
      await store.putDefinition(TENANT, version(DEFINITION, "w", timer("a", 90), timer("b", 92)));
      assert.deepEqual(await all(store), ["w b old @12"]);
      await store.putDefinition(TENANT, version(OTHER, "w", timer("b", 12)));
      assert.deepEqual(await all(store), ["w b new @12"]);
      const stale = { ...a, event: "b", dueAt: 12 };
      assert.equal(await store.moveStartTimer(stale, null), false);
      await store.putDefinition(TENANT, version(DEFINITION, "w", timer("a", 40)));
      assert.deepEqual(await all(store), ["w a old @40"]);
      await store.putDefinition(TENANT, version(OTHER, "w"));
      assert.deepEqual(await all(store), []);
    },
  },
];
