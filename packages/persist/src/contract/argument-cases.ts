/** @module The contract about arguments of other types: they are refused by name, and nothing is done. */
import assert from "node:assert/strict";
import type { RunStore } from "../store.ts";
import { type Case, commit, turn } from "./sample.ts";

type Call = (store: Loose) => unknown;

/** The store as a program sees it that no compiler checks. */
type Loose = Readonly<
  Record<Exclude<keyof RunStore, "transaction">, (...args: readonly unknown[]) => unknown>
>;

const WRONG: readonly (readonly [argument: string, call: Call])[] = [
  ["turns", (store) => store.commit(5)],
  ["turns", (store) => store.commit([{}])],
  ["turns", (store) => store.commit([{ ...turn({ run: "b", expect: 0 }), tenant: 5 }])],
  ["tenant", (store) => store.load(5, "a")],
  ["run", (store) => store.load("default", 5)],
  ["run", (store) => store.load("default", {})],
  ["atSequence", (store) => store.load("default", "a", "1")],
  ["run", (store) => store.journal("default", null, 0, 9)],
  ["limit", (store) => store.journal("default", "a", 0, Number.NaN)],
  ["hash", (store) => store.definition(5)],
  ["name", (store) => store.newestDefinition("default", undefined)],
  ["name", (store) => store.definitionVersions("default", 5)],
  ["row", (store) => store.putDefinition("default", "order")],
  ["query", (store) => store.runs()],
  ["query", (store) => store.items({ tenant: 5, limit: 9 })],
  ["tenant", (store) => store.counts(5)],
  ["values", (store) => store.reindex("default", "a", 1, {})],
  ["now", (store) => store.dueItems("now", 9)],
  ["owner", (store) => store.claimEffects(5, 1, 1, 1)],
  ["kinds", (store) => store.claimEffects("w", 1, 1, 1, "job")],
  ["effect", (store) => store.renewLease(5, "default", 1, 1)],
  ["tenant", (store) => store.releaseEffect("a/1", 5, 1, 1)],
  ["wasBegun", (store) => store.releaseEffect("a/1", "default", 1, 1, 0)],
  ["token", (store) => store.dropEffect("a/1", "default", "1")],
  ["kinds", (store) => store.nextEffect("job")],
  ["message", (store) => store.publish("default", "paid", 1)],
  ["signal", (store) => store.broadcast("default", null)],
  ["limit", (store) => store.deliveries(1)],
  ["query", (store) => store.startTimers()],
  ["row", (store) => store.moveStartTimer(5, null)],
  ["graph", (store) => store.graph("default", 5)],
  ["after", (store) => store.graphJournal("default", "g", "0", 9)],
  ["by", (store) => store.erase("default", "a", 1, 5, "r", 1)],
  ["pruning", (store) => store.prune("default", "a", 2)],
  ["query", (store) => store.prunable({ before: 5, limit: 9 })],
];

/** Cases of arguments. */
export const ARGUMENT_CASES: readonly Case[] = [
  {
    name: "refuses an argument of another type as misuse, by its name, and does nothing",
    show: async (store) => {
      await commit(store, { run: "a", expect: 0 });
      for (const [argument, call] of WRONG) {
        const asked = async () => call(store as unknown as Loose);
        await assert.rejects(asked, (fault: Error & { readonly code?: string }) => {
          assert.deepEqual([fault.name, fault.code], ["StoreError", "misuse"]);
          assert.match(fault.message, new RegExp(`\\b${argument} must be`));
          return true;
        });
      }
      assert.equal((await store.journal("default", "a", 0, 9)).length, 1);
      assert.equal(await store.load("default", "b"), null);
    },
  },
];
