/** @module Counts of runs and open items in SQLite, kept up by the transactions that change them. */
import type { CountChanges } from "../count-changes.ts";
import { hashOf } from "../hash-bytes.ts";
import type { ItemCount, RunCount, StoreCounts } from "../query.ts";
import type { TenantId } from "../store.ts";
import { change, many, one, type Session } from "./driver.ts";

/** Writes down what a transaction has changed. */
export function writeCounts(session: Session, counts: CountChanges): void {
  const { runs, items } = counts.changed();
  for (const { key, by } of runs) writeCount(session, RUN_COUNT, key, by);
  for (const { key, by } of items) writeCount(session, ITEM_COUNT, key, by);
}

/** What is counted, of one tenant or of all. */
export function readCounts(session: Session, tenant?: TenantId): StoreCounts {
  const of = tenant === undefined ? "" : "WHERE t.name = ?";
  const given = tenant === undefined ? [] : [tenant];
  const runs = many<StoredRunCount>(
    session,
    `SELECT t.name AS tenant, c.workflow, c.definition, c.status, c.count
     FROM tessera_tenants t JOIN tessera_run_counts c ON c.tenant = t.id ${of}`,
    ...given,
  );
  const items = many<ItemCount>(
    session,
    `SELECT t.name AS tenant, c.kind, c.count FROM tessera_tenants t JOIN tessera_item_counts c ON c.tenant = t.id ${of}`,
    ...given,
  );
  return { runs: runs.map((row) => ({ ...row, definition: hashOf(row.definition) })), items };
}

/** Counts everything again: what a migration begins with, and what a check compares. */
export const RECOUNT = {
  runs: "SELECT tenant, workflow, definition, status, COUNT(*) AS count FROM tessera_runs GROUP BY 1, 2, 3, 4",
  items: "SELECT tenant, kind, COUNT(*) AS count FROM tessera_items GROUP BY 1, 2",
} as const;

interface StoredRunCount extends Omit<RunCount, "definition"> {
  readonly definition: Uint8Array;
}

interface CountTexts {
  readonly update: string;
  readonly insert: string;
  readonly remove: string;
}

const RUN_COUNT = texts("tessera_run_counts", ["tenant", "workflow", "definition", "status"]);
const ITEM_COUNT = texts("tessera_item_counts", ["tenant", "kind"]);

function texts(table: string, columns: readonly string[]): CountTexts {
  const where = columns.map((column) => `${column} = ?`).join(" AND ");
  return {
    update: `UPDATE ${table} SET count = count + ? WHERE ${where} RETURNING count`,
    insert: `INSERT INTO ${table} (count, ${columns.join(", ")}) VALUES (?, ${columns.map(() => "?").join(", ")})`,
    remove: `DELETE FROM ${table} WHERE ${where}`,
  };
}

function writeCount(
  session: Session,
  { update, insert, remove }: CountTexts,
  key: readonly unknown[],
  by: number,
): void {
  const after = one<{ count: number }>(session, update, by, ...key);
  if (after === null) change(session, insert, by, ...key);
  else if (after.count === 0) change(session, remove, ...key);
}
