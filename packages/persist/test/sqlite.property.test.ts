/** Law of the SQLite store: it answers as the memory store does. Oracle: the memory store, under the same commands. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askAll, commands, driven, give } from "./model.ts";

/** The salts of the memory store, so that hashes can be compared as well. */
function counted(): () => Uint8Array {
  let count = 0;
  return () => Buffer.from((count++).toString(16).padStart(32, "0"), "hex");
}

/**
 * Law: two stores that are given the same commands give the same answers, and answer the same to every question
 * afterwards, journals byte by byte. Generated: groups of turns of two runs in two tenants, claims, leases, erasures.
 */
async function agree(makeStore: (file: string) => RunStore, isBroken = false): Promise<void> {
  const root = mkdtempSync(path.join(tmpdir(), "tessera-model-"));
  let count = 0;
  try {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const one = driven(memoryStore());
        const other = driven(makeStore(path.join(root, `${count++}.sqlite`)));
        try {
          for (const command of list) expect(await give(other, command)).toEqual(await give(one, command));
          expect(await askAll(other.store)).toEqual(await askAll(one.store));
        } finally {
          await other.store.close();
        }
      }),
      // What a broken store answers wrongly need not be the smallest case.
      { numRuns: isBroken ? 400 : 60, endOnFailure: isBroken },
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe("the SQLite store", () => {
  it("[D10.8] [D10.11] [D10.12] [D10.13] [D10.14] [D19.2] [L10.2] [D10.18] [D10.19] [D10.20] [D10.27] [D10.28] answers as the memory store does", async () => {
    await agree((file) => sqliteStore({ path: file }, { salt: counted() }));
  });

  it("[D10.8] the law notices a store that leaves effects that are done", async () => {
    const forgetful = (file: string): RunStore => {
      const store = sqliteStore({ path: file }, { salt: counted() });
      const commit: RunStore["commit"] = (turns) =>
        store.commit(turns.map((turn) => ({ ...turn, effects: { ...turn.effects, done: [] } })));
      return { ...store, commit };
    };
    await expect(agree(forgetful, true)).rejects.toThrow();
  });

  it("[D10.28] the law notices a store that leaves in the list what it has pruned", async () => {
    const lasting = (file: string): RunStore => {
      const store = sqliteStore({ path: file }, { salt: counted() });
      const other = new Database(file);
      const prune: RunStore["prune"] = async (...args) => {
        const result = await store.prune(...args);
        other.exec("UPDATE tessera_runs SET prunable_at = updated_at WHERE status = 'completed'");
        return result;
      };
      const close = async () => {
        other.close();
        await store.close();
      };
      return { ...store, prune, close };
    };
    await expect(agree(lasting, true)).rejects.toThrow();
  });

  it("[D19.2] the law notices a store that forgets the links of its graphs", async () => {
    const linkless = (file: string): RunStore => {
      const store = sqliteStore({ path: file }, { salt: counted() });
      const cut = new Database(file);
      const commit: RunStore["commit"] = async (turns) => {
        const results = await store.commit(turns);
        cut.exec("DELETE FROM tessera_links");
        return results;
      };
      const close = async () => {
        cut.close();
        await store.close();
      };
      return { ...store, commit, close };
    };
    await expect(agree(linkless, true)).rejects.toThrow();
  });
});
