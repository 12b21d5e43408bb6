/** @module A folder for the files of one test, gone when the test is over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";

/** The path of a file in a new folder. */
export function temporaryFile(name = "runs.sqlite"): string {
  const root = mkdtempSync(path.join(tmpdir(), "tessera-persist-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return path.join(root, name);
}

/** An application's handle on a new file, with the settings that the store demands. */
export function applicationDatabase(file: string = temporaryFile()): Database.Database {
  const database = new Database(file);
  onTestFinished(() => void database.close());
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return database;
}
