// The store of the kill test and of its victims: SQLite in the folder, or PostgreSQL where the folder says so.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@tessera/persist/sqlite";
import { plantedStore } from "./planted-store.mjs";

const SAYS = "postgres.json";

/** Says in a folder that its runs are in a schema of a database. */
export function chooseStore(dir, postgres) {
  if (postgres !== undefined) writeFileSync(join(dir, SAYS), JSON.stringify(postgres));
}

/**
 * The store of a folder.
 *
 * @param {string} dir
 */
export async function openStore(dir, isPlanted = false) {
  if (existsSync(join(dir, SAYS))) {
    // Only here: the test on SQLite needs no driver of PostgreSQL.
    const { postgresStore } = await import("@tessera/persist/postgres");
    const { connection, schema } = JSON.parse(readFileSync(join(dir, SAYS), "utf8"));
    return postgresStore({ connection }, { schema });
  }
  const path = join(dir, "runs.db");
  const file = sqliteStore({ path });
  return isPlanted ? plantedStore(file, path) : file;
}
