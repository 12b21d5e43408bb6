/** The contract on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryStore } from "@tessera/persist";
import { storeContract } from "@tessera/persist/contract";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, it } from "vitest";

function folder(): { readonly file: string; readonly end: () => Promise<void> } {
  const root = mkdtempSync(path.join(tmpdir(), "tessera-contract-"));
  return {
    file: path.join(root, "runs.sqlite"),
    end: async () => rmSync(root, { recursive: true, force: true }),
  };
}

storeContract(
  "[D10.7] [D10.8] [D10.11] [D10.12] [D10.13] [D10.14] [L10.2] the memory store",
  async () => ({ store: memoryStore() }),
  { describe, it },
);

storeContract(
  "[D10.7] [D10.8] [D10.11] [D10.12] [D10.13] [D10.14] the SQLite store",
  async () => {
    const { file, end } = folder();
    return { store: sqliteStore({ path: file }), end };
  },
  { describe, it },
);

storeContract(
  "[D10.8] the SQLite store in the application's database, which reads integers as bigint",
  async () => {
    const { file, end } = folder();
    const database = new Database(file);
    database.defaultSafeIntegers(true);
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    return {
      store: sqliteStore({ database }),
      end: async () => {
        database.close();
        await end();
      },
    };
  },
  { describe, it },
);
