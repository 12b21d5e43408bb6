/** @module Counts of runs and open items in PostgreSQL, kept up by the transactions that change them. */
import type { CountChange, CountChanges } from "../count-changes.ts";
import { hashOf } from "../hash-bytes.ts";
import type { ItemCount, RunCount, StoreCounts } from "../query.ts";
import type { TenantId } from "../store.ts";
import { many, one, type Session } from "./driver.ts";

/**
 * A count is the sum of parts: this many for the store's own transactions, which end soon, and behind them one for each of the
 * application's that are open at the same time (`ownPart`). Transactions of different parts do not wait for each other.
 */
export const COUNT_PARTS = 32;

/**
 * A part that is this transaction's alone until it ends, or until the savepoint in which it was given is undone: so no
 * transaction waits for the counts of one that stays open, and no two wait for each other's. There are as many of these parts
 * as transactions were ever open at once.
 */
export async function ownPart(session: Session): Promise<number> {
  // The list is read no further than to the first part that is free.
  const text = `SELECT part FROM (SELECT generate_series(${COUNT_PARTS}, 1000000) AS part) p
    WHERE pg_try_advisory_xact_lock('tessera_item_counts'::regclass::oid::int, part) LIMIT 1`;
  const found = await one<{ part: number }>(session, text);
  if (found === null) throw new RangeError("every part of the counts is taken");
  return found.part;
}

const RUN_COUNT = `INSERT INTO tessera_run_counts (part, count, tenant, workflow, definition, status)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, workflow, definition, status, part)
  DO UPDATE SET count = tessera_run_counts.count + EXCLUDED.count`;
const ITEM_COUNT = `INSERT INTO tessera_item_counts (part, count, tenant, kind) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant, kind, part) DO UPDATE SET count = tessera_item_counts.count + EXCLUDED.count`;

/** Writes down what a transaction has changed, in one order for all, so that no two wait for each other in a circle. */
export function postCounts(session: Session, part: number, counts: CountChanges): void {
  const { runs, items } = counts.changed();
  for (const { key, by } of inOrder(runs)) session.post(RUN_COUNT, [part, by, ...key]);
  for (const { key, by } of inOrder(items)) session.post(ITEM_COUNT, [part, by, ...key]);
}

function inOrder(changes: readonly CountChange[]): readonly CountChange[] {
  const named = changes.map((each) => ({ name: JSON.stringify(each.key), each }));
  return named.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ each }) => each);
}

/** What is counted, of one tenant or of all. Requires: one read transaction. */
export async function readCounts(session: Session, tenant?: TenantId): Promise<StoreCounts> {
  const of = tenant === undefined ? "" : "WHERE t.name = $1";
  const given = tenant === undefined ? [] : [tenant];
  const runs = await many<Omit<RunCount, "definition"> & { readonly definition: Uint8Array }>(
    session,
    `SELECT t.name AS tenant, c.workflow, c.definition, c.status, SUM(c.count)::bigint AS count
     FROM tessera_tenants t JOIN tessera_run_counts c ON c.tenant = t.id ${of}
     GROUP BY t.name, c.workflow, c.definition, c.status HAVING SUM(c.count) <> 0`,
    ...given,
  );
  const items = await many<ItemCount>(
    session,
    `SELECT t.name AS tenant, c.kind, SUM(c.count)::bigint AS count
     FROM tessera_tenants t JOIN tessera_item_counts c ON c.tenant = t.id ${of}
     GROUP BY t.name, c.kind HAVING SUM(c.count) <> 0`,
    ...given,
  );
  return { runs: runs.map((row) => ({ ...row, definition: hashOf(row.definition) })), items };
}
