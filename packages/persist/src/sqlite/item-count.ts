/** @module How many open items a query has in SQLite, counted along the index that lists them, up to a bound. */
import { principalQuery } from "../item-query.ts";
import type { ItemCountQuery } from "../query.ts";
import { one, type Session } from "./driver.ts";
import { storedRun } from "./runs.ts";
import { tenantId } from "./writing.ts";

/** A part of a statement with its values. */
type Part = readonly [text: string, ...values: readonly unknown[]];

/**
 * How many items there are of those that are asked for, at most `max`.
 *
 * @refines D10.27
 */
export function countItems(session: Session, query: ItemCountQuery): number {
  const tenant = tenantId(session, query.tenant);
  const run = query.run === undefined || tenant === null ? null : storedRun(session, tenant, query.run);
  if (tenant === null || (query.run !== undefined && run === null)) return 0;
  const parts: readonly Part[] = [
    ...counted(tenant, query),
    ...(run === null ? [] : [["i.run = ?", run.id] as const]),
    ...(query.kind === undefined ? [] : [["i.kind = ?", query.kind] as const]),
    ...(query.dueBy === undefined ? [] : [["i.due_at <= ?", query.dueBy] as const]),
  ];
  const [from, ...filters] = parts.map(([text]) => text);
  const values = parts.flatMap(([, ...given]) => given);
  const text = `SELECT COUNT(*) AS count FROM (${[from, ...filters].join(" AND ")} LIMIT ?)`;
  return one<{ count: number }>(session, text, ...values, query.max)?.count ?? 0;
}

/** Where the rows come from: the offers of a principal (or of those of a work list) where one is asked for, else the items. */
function counted(tenant: number, query: ItemCountQuery): readonly Part[] {
  const { required, workList } = principalQuery(query);
  const has: Part["0"] =
    "EXISTS (SELECT 1 FROM tessera_offers p WHERE p.tenant = o.tenant AND p.principal = ? AND p.item = o.item)";
  // CROSS JOIN: the offers first, whatever the planner thinks.
  const offers = "FROM tessera_offers o CROSS JOIN tessera_items i ON i.id = o.item WHERE o.tenant = ?";
  const [first, ...others] = required;
  if (workList !== null) {
    const { claimed, offered } = workList;
    const principals = [claimed, ...offered];
    const any = principals.map(() => "?").join(", ");
    return [
      [`SELECT DISTINCT o.item ${offers} AND o.principal IN (${any})`, tenant, ...principals],
      ["(o.principal = ? OR i.is_claimed = 0)", claimed],
      ...required.map((principal) => [has, principal] as const),
    ];
  }
  if (first === undefined) return [["SELECT 1 FROM tessera_items i WHERE i.tenant = ?", tenant]];
  return [
    [`SELECT 1 ${offers} AND o.principal = ?`, tenant, first],
    ...others.map((principal) => [has, principal] as const),
  ];
}
