/** The contract on PostgreSQL, and its law: it answers as the memory store does. */
import { memoryStore } from "@tessera/persist";
import { storeContract } from "@tessera/persist/contract";
import { type PostgresStore, postgresStore } from "@tessera/persist/postgres";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askAll, commands, driven, give } from "./model.ts";
import { postgresForTests } from "./postgres-stores.ts";

const postgres = postgresForTests("the contract on PostgreSQL");

describe.skipIf(!postgres.isHere)("on a server", () => {
  storeContract(
    "[D10.7] [D10.8] [D10.11] [D10.12] [D10.13] [D10.14] [D10.18] [D10.19] [D10.20] [D10.23] the PostgreSQL store",
    async () => ({ store: await postgres.emptyStore() }),
    { describe, it },
  );

  storeContract(
    "[D10.8] the PostgreSQL store in the application's pool, whose connections take one query at a time",
    async () => {
      await (await postgres.emptyStore()).close();
      return { store: await postgresStore({ pool: postgres.pool() }) };
    },
    { describe, it },
  );

  /** The salts of the memory store, so that hashes can be compared as well. */
  function counted(): () => Uint8Array {
    let count = 0;
    return () => Buffer.from((count++).toString(16).padStart(32, "0"), "hex");
  }

  /**
   * Law: two stores that are given the same commands give the same answers, and answer the same to every question
   * afterwards, journals byte by byte. Oracle: the memory store.
   */
  async function agree(broken: (store: PostgresStore) => PostgresStore): Promise<void> {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const one = driven(memoryStore());
        const other = driven(broken(await postgres.emptyStore({ salt: counted() })));
        try {
          for (const command of list) expect(await give(other, command)).toEqual(await give(one, command));
          expect(await askAll(other.store)).toEqual(await askAll(one.store));
        } finally {
          await other.store.close();
        }
      }),
      { numRuns: 25, endOnFailure: true },
    );
  }

  it("[D10.8] [D10.11] [D10.12] [D10.13] [D10.14] [D10.18] [D10.19] [D10.20] [D10.25] [D10.27] [D10.28] [D19.2] answers as the memory store does", async () => {
    await agree((store) => store);
  }, 120_000);

  it("[D10.8] the law notices a store that leaves effects that are done", async () => {
    const forgetful = (store: PostgresStore): PostgresStore => ({
      ...store,
      commit: (turns) =>
        store.commit(turns.map((turn) => ({ ...turn, effects: { ...turn.effects, done: [] } }))),
    });
    await expect(agree(forgetful)).rejects.toThrow();
  }, 120_000);
});
