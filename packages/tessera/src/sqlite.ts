/** @module tessera/sqlite: the SQLite store. */
export {
  type BusyOptions,
  backupDatabase,
  checkDatabase,
  type DatabaseCheck,
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteStatement,
  type SqliteStore,
  type SqliteTarget,
  sqliteStore,
} from "@tessera/persist/sqlite";
