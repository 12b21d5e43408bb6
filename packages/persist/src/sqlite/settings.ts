/** @module The settings without which a commit may be lost: set on our own connections, demanded of others. */
import { StoreError } from "../store.ts";
import type { SqliteDatabase } from "./driver.ts";

/** FULL. In WAL mode the log is flushed with every commit from here on; EXTRA is 3. */
const SYNCHRONOUS_MIN = 2;

/** How long SQLite itself waits for a lock, in ms: it blocks the event loop, so longer waits are ours. */
const BUSY_TIMEOUT_MS = 5;

/** And while the file is opened, when nothing else runs yet. */
const OPENING_TIMEOUT_MS = 5_000;

/** Sets a connection of ours up: WAL, synchronous FULL, foreign keys, deleted content overwritten where that is free. */
export function setUp(db: SqliteDatabase): void {
  db.pragma(`busy_timeout = ${OPENING_TIMEOUT_MS}`);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  db.pragma("secure_delete = FAST");
  db.pragma("trusted_schema = OFF");
}

/** The end of opening: from here on SQLite itself waits only a moment. */
export function opened(db: SqliteDatabase): void {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/**
 * Refuses a connection on which a committed turn could be lost or nothing can be committed. Nothing is changed.
 * Throws StoreError "settings" that names each wrong setting and the one to use.
 *
 * @definition D10.9
 */
export function demandSettings(db: SqliteDatabase): void {
  const wrong = [
    ...(db.readonly ? ["the handle is read-only"] : []),
    ...(db.memory ? ["the database is in memory: use memoryStore()"] : []),
    ...(db.inTransaction ? ["a transaction is open"] : []),
    ...(pragma(db, "query_only") === "0" ? [] : ["query_only is on"]),
    ...(pragma(db, "journal_mode") === "wal"
      ? []
      : [`journal_mode is ${pragma(db, "journal_mode")}: use WAL`]),
    ...synchronousTrouble(db),
  ];
  if (wrong.length > 0)
    throw new StoreError("settings", `This database handle may lose commits: ${wrong.join("; ")}.`);
}

/**
 * Reads `synchronous` back. In WAL mode the driver's build lowers it to NORMAL with the first use of the database
 * unless it was set explicitly, and an application may set its handle as it likes: so every commit asks again.
 */
export function demandSynchronous(db: SqliteDatabase): void {
  const wrong = synchronousTrouble(db);
  if (wrong.length > 0) throw new StoreError("settings", `A commit could be lost: ${wrong.join()}.`);
}

function synchronousTrouble(db: SqliteDatabase): readonly string[] {
  const level = Number(pragma(db, "synchronous"));
  return level >= SYNCHRONOUS_MIN ? [] : [`synchronous is ${["OFF", "NORMAL"][level] ?? level}: use FULL`];
}

function pragma(db: SqliteDatabase, name: string): string {
  return String(db.pragma(name, { simple: true }));
}
