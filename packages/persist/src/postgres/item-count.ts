/** @module How many open items a query has in PostgreSQL, counted along the index that lists them, up to a bound. */
import { principalQuery } from "../item-query.ts";
import type { ItemCountQuery } from "../query.ts";
import { one, type Session } from "./driver.ts";
import type { Host } from "./host.ts";
import { storedRun } from "./runs.ts";
import { tenantId } from "./writing.ts";

/**
 * How many items there are of those that are asked for, at most `max`. Requires: one read transaction.
 *
 * @refines D10.27
 */
export async function countItems(host: Host, session: Session, query: ItemCountQuery): Promise<number> {
  const tenant = await tenantId(host, session, query.tenant);
  if (tenant === null) return 0;
  const run = query.run === undefined ? null : await storedRun(session, tenant, query.run);
  if (query.run !== undefined && run === null) return 0;
  const { text, values } = counting(tenant, run?.id ?? null, query);
  return (await one<{ count: number }>(session, text, ...values))?.count ?? 0;
}

/** The statement: along the offers of a principal (or of those of a work list) where one is asked for, else along the items. */
function counting(
  tenant: number,
  run: number | null,
  query: ItemCountQuery,
): { readonly text: string; readonly values: readonly unknown[] } {
  const { required, workList } = principalQuery(query);
  const values: unknown[] = [tenant, query.max];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const has = (principal: string): string =>
    `EXISTS (SELECT 1 FROM tessera_offers p WHERE p.tenant = o.tenant AND p.principal = ${place(principal)} AND p.item = o.item)`;
  const [first, ...others] = required;
  const offers = "FROM tessera_offers o JOIN tessera_items i ON i.id = o.item WHERE o.tenant = $1";
  const parts: string[] = [];
  if (workList !== null) {
    const { claimed, offered } = workList;
    parts.push(
      `SELECT DISTINCT o.item ${offers} AND o.principal = ANY (${place([claimed, ...offered])}::text[])`,
    );
    parts.push(`(o.principal = ${place(claimed)} OR NOT i.is_claimed)`, ...required.map(has));
  } else if (first !== undefined) {
    parts.push(`SELECT 1 ${offers} AND o.principal = ${place(first)}`, ...others.map(has));
  } else parts.push("SELECT 1 FROM tessera_items i WHERE i.tenant = $1");
  if (run !== null) parts.push(`i.run = ${place(run)}`);
  if (query.kind !== undefined) parts.push(`i.kind = ${place(query.kind)}`);
  if (query.dueBy !== undefined) parts.push(`i.due_at <= ${place(query.dueBy)}`);
  return { text: `SELECT COUNT(*)::int AS count FROM (${parts.join(" AND ")} LIMIT $2) AS counted`, values };
}
