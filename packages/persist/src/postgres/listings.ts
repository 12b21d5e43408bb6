/** @module Lists of runs and open items in PostgreSQL, page by page; every filter is served by an index. */
import type { ItemKind, OpenItem } from "@tessera/core";
import { readText } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { hashBlob } from "../hash-bytes.ts";
import { ITEM_KINDS, type Principal, principalQuery } from "../item-query.ts";
import { cursorOf, pageOf, timedCursorOf, timedPageOf } from "../page.ts";
import type { ItemQuery, Page, RunQuery } from "../query.ts";
import { ITEM } from "../record-shape.ts";
import { RUN_COLUMNS, runRow, type StoredRun } from "../run-rows.ts";
import { valueKey } from "../run-values.ts";
import type { ItemRow, RunRow } from "../store.ts";
import { withBlobs } from "./blobs.ts";
import { many, one, type Session } from "./driver.ts";
import type { Host } from "./host.ts";
import { storedRun } from "./runs.ts";
import { textOf } from "./text-bytes.ts";
import { tenantId } from "./writing.ts";

/** Runs, newest first. */
export async function listRuns(host: Host, session: Session, query: RunQuery): Promise<Page<RunRow>> {
  const tenant = await tenantId(host, session, query.tenant);
  const before = cursorOf(query.after) ?? Number.MAX_SAFE_INTEGER;
  if (tenant === null) return { rows: [], next: null };
  const { text, values } = runSearch(tenant, before, query);
  const rows = await many<StoredRun>(session, text, ...values);
  return pageOf(
    rows.map((stored) => ({ id: stored.id, row: runRow(query.tenant, stored) })),
    query.limit,
  );
}

/** The statement that finds runs, and its values. By data the index of values is walked, in the order of the runs. */
function runSearch(
  tenant: number,
  before: number,
  query: RunQuery,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [tenant, before, query.limit + 1];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const filters = [
    ["r.status", query.status],
    ["r.workflow", query.workflow],
    ["r.definition", query.definition === undefined ? undefined : hashBlob(query.definition)],
    ["r.business_key", query.businessKey],
    ["r.parent_run", query.parent],
  ] as const;
  const given = filters.filter(([, value]) => value !== undefined);
  const columns = given.map(([column, value]) => `AND ${column} = ${place(value)}`).join(" ");
  const [first, ...others] = query.data ?? [];
  const also = others.map(
    ({ path, value }) => `AND EXISTS (SELECT 1 FROM tessera_run_values o
      WHERE (o.tenant, o.path, o.value, o.run) = ($1, ${place(path)}, ${place(valueKey(value))}, r.id))`,
  );
  const text =
    first === undefined
      ? `SELECT ${RUN_COLUMNS} FROM tessera_runs r WHERE r.tenant = $1 AND r.id < $2 ${columns} ORDER BY r.id DESC LIMIT $3`
      : `SELECT ${RUN_COLUMNS} FROM tessera_run_values v JOIN tessera_runs r ON r.id = v.run
         WHERE v.tenant = $1 AND v.path = ${place(first.path)} AND v.value = ${place(valueKey(first.value))} AND v.run < $2
           ${columns} ${also.join(" ")} ORDER BY v.run DESC LIMIT $3`;
  return { text, values };
}

/**
 * Open items, oldest first, or the earliest due first. Requires: one read transaction.
 *
 * @refines D10.13
 */
export async function listItems(host: Host, session: Session, query: ItemQuery): Promise<Page<ItemRow>> {
  const tenant = await tenantId(host, session, query.tenant);
  if (query.dueBy !== undefined) return listDueBy(session, tenant, query, query.dueBy);
  const after = cursorOf(query.after) ?? 0;
  if (tenant === null) return { rows: [], next: null };
  const run = query.run === undefined ? null : ((await storedRun(session, tenant, query.run))?.id ?? NO_RUN);
  const { required, workList } = principalQuery(query);
  const find = { session, tenant, after, run, kind: query.kind ?? null, required, limit: query.limit + 1 };
  const sources =
    workList === null
      ? plainSources(find)
      : [
          byPrincipal(find, workList.claimed, false),
          ...workList.offered.map((principal) => byPrincipal(find, principal, true)),
        ];
  const rows = new Map((await Promise.all(sources)).flat().map((row) => [row.id, row]));
  const oldest = [...rows.values()].sort((a, b) => a.id - b.id).slice(0, query.limit + 1);
  const shown = await itemRows(session, oldest);
  return pageOf(
    shown.map((row, index) => ({ id: oldest[index]?.id ?? 0, row })),
    query.limit,
  );
}

/** Items that are due by a time, the earliest first: the index of due times is walked, and the other filters asked of each. */
async function listDueBy(
  session: Session,
  tenant: number | null,
  query: ItemQuery,
  dueBy: number,
): Promise<Page<ItemRow>> {
  const [at, id] = timedCursorOf(query.after);
  if (tenant === null) return { rows: [], next: null };
  const { required, workList } = principalQuery(query);
  const offeredTo = (principals: string) =>
    `EXISTS (SELECT 1 FROM tessera_offers p WHERE p.tenant = i.tenant AND p.item = i.id AND p.principal = ${principals})`;
  const text = `SELECT ${ITEM_COLUMNS} WHERE i.tenant = $1 AND i.due_at <= $2 AND (i.due_at, i.id) > ($3, $4)
      AND ($5::text IS NULL OR r.run = $5) AND ($6::text IS NULL OR i.kind = $6)
      AND NOT EXISTS (SELECT 1 FROM unnest($7::text[]) AS q (principal) WHERE NOT ${offeredTo("q.principal")})
      AND ($8::text IS NULL OR ${offeredTo("$8")} OR (NOT i.is_claimed AND ${offeredTo("ANY ($9::text[])")}))
    ORDER BY i.due_at, i.id LIMIT $10`;
  const filters = [
    query.run ?? null,
    query.kind ?? null,
    required,
    workList?.claimed ?? null,
    workList?.offered ?? [],
  ];
  const found = await many<ListedItem>(session, text, tenant, dueBy, at, id, ...filters, query.limit + 1);
  const rows = await itemRows(session, found);
  return timedPageOf(
    rows.map((row, index) => ({ at: found[index]?.due_at ?? 0, id: found[index]?.id ?? 0, row })),
    query.limit,
  );
}

/** Items that are due, oldest first, of all tenants. */
export async function listDueItems(
  session: Session,
  now: number,
  limit: number,
): Promise<readonly ItemRow[]> {
  const text = `SELECT ${ITEM_COLUMNS} WHERE i.due_at <= $1 ORDER BY i.due_at, i.id LIMIT $2`;
  return itemRows(session, await many<ListedItem>(session, text, now, limit));
}

/** The earliest due time. */
export async function nextDue(session: Session): Promise<number | null> {
  const text = "SELECT MIN(due_at) AS at FROM tessera_items WHERE due_at IS NOT NULL";
  return (await one<{ at: number | null }>(session, text))?.at ?? null;
}

/** What no run has as its id. */
const NO_RUN = -1;

const ITEM_COLUMNS = `i.id, i.tenant, i.due_at, i.body, r.run, r.workflow, r.business_key, t.name
  FROM tessera_items i JOIN tessera_runs r ON r.id = i.run JOIN tessera_tenants t ON t.id = i.tenant`;

interface ListedItem {
  readonly id: number;
  readonly tenant: number;
  readonly due_at: number | null;
  readonly body: Uint8Array;
  readonly run: string;
  readonly workflow: string;
  readonly business_key: string | null;
  readonly name: string;
}

interface Find {
  readonly session: Session;
  readonly tenant: number;
  readonly after: number;
  readonly run: number | null;
  readonly kind: ItemKind | null;
  readonly required: readonly Principal[];
  readonly limit: number;
}

/** Each source yields its items oldest first and at most `limit`, so their union has the oldest of all. */
function plainSources(find: Find): readonly Promise<readonly ListedItem[]>[] {
  const { session, tenant, after, run, kind, required, limit } = find;
  const [first, ...others] = required;
  if (first !== undefined) return [byPrincipal({ ...find, required: others }, first, false)];
  const kinds = kind === null ? ITEM_KINDS : [kind];
  if (run !== null) {
    // A run has few open items: all of them are read and cut.
    const text = `SELECT ${ITEM_COLUMNS} WHERE i.tenant = $1 AND i.run = $2 AND i.id > $3 AND i.kind = ANY($4::text[])`;
    return [many<ListedItem>(session, text, tenant, run, after, kinds)];
  }
  const text = `SELECT ${ITEM_COLUMNS} WHERE i.tenant = $1 AND i.kind = $2 AND i.id > $3 ORDER BY i.id LIMIT $4`;
  return kinds.map((each) => many<ListedItem>(session, text, tenant, each, after, limit));
}

function byPrincipal(find: Find, principal: Principal, isUnclaimed: boolean): Promise<readonly ListedItem[]> {
  const { session, tenant, after, run, kind, required, limit } = find;
  const text = `SELECT ${ITEM_COLUMNS} JOIN tessera_offers o ON o.item = i.id
    WHERE o.tenant = $1 AND o.principal = $2 AND o.item > $3 AND ($4::bigint IS NULL OR i.run = $4)
      AND ($5::text IS NULL OR i.kind = $5) AND (NOT $6::boolean OR NOT i.is_claimed)
      AND NOT EXISTS (SELECT 1 FROM unnest($7::text[]) AS q (principal) WHERE NOT EXISTS (
        SELECT 1 FROM tessera_offers p WHERE p.tenant = o.tenant AND p.principal = q.principal AND p.item = o.item))
    ORDER BY o.item LIMIT $8`;
  return many(session, text, tenant, principal, after, run, kind, isUnclaimed, required, limit);
}

async function itemRows(session: Session, rows: readonly ListedItem[]): Promise<readonly ItemRow[]> {
  const items = new Map<number, OpenItem>();
  for (const tenant of new Set(rows.map((row) => row.tenant))) {
    const own = rows.filter((row) => row.tenant === tenant);
    const read = await withBlobs(session, tenant, (blobs) =>
      own.map(({ body }) => readText(ITEM, textOf(body), blobs)),
    );
    for (const [index, { id }] of own.entries())
      items.set(id, valueOrCorrupt(read[index] as (typeof read)[number]));
  }
  return rows.map(({ id, name: tenant, run, workflow, business_key: businessKey }) => ({
    tenant,
    run,
    workflow,
    businessKey,
    item: items.get(id) as OpenItem,
  }));
}
