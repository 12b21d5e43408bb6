/** @module Transactions of the SQLite store: a consistent read, and a write that is durable or did not happen. */
import { StoreError } from "../store.ts";
import type { Session } from "./driver.ts";
import { storeFault } from "./faults.ts";
import { demandSynchronous } from "./settings.ts";

/** Runs `work` on one state of the database. */
export function reading<T>({ db, sql }: Session, work: () => T): T {
  if (db.inTransaction) return work();
  sql("BEGIN").run();
  try {
    return work();
  } finally {
    sql("COMMIT").run();
  }
}

/**
 * Runs `work` in an IMMEDIATE transaction and commits it, after `synchronous` was read back. A throw of `work` rolls back
 * and is thrown on as it is; a fault of the transaction itself is a StoreError, "busy" also while the application has a
 * transaction of its own open on the handle.
 */
export function committing<T>({ db, sql }: Session, work: () => T): T {
  if (db.inTransaction) throw new StoreError("busy", "A transaction is open on the database handle.");
  run(sql, "BEGIN IMMEDIATE");
  try {
    const value = work();
    if (!db.inTransaction) throw new StoreError("misuse", "The transaction was ended from within.");
    demandSynchronous(db);
    run(sql, "COMMIT");
    return value;
  } catch (fault) {
    if (db.inTransaction) sql("ROLLBACK").run();
    throw fault;
  }
}

function run(sql: Session["sql"], text: string): void {
  try {
    sql(text).run();
  } catch (fault) {
    throw storeFault(fault);
  }
}
