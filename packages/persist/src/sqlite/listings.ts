/** @module Lists of runs and open items in SQLite, page by page; every filter is served by an index. */
import type { ItemKind } from "@tessera/core";
import { hashBlob } from "../hash-bytes.ts";
import { ITEM_KINDS, type Principal, principalQuery } from "../item-query.ts";
import { cursorOf, pageOf, timedCursorOf, timedPageOf } from "../page.ts";
import type { ItemQuery, Page, RunQuery } from "../query.ts";
import { RUN_COLUMNS, runRow, type StoredRun } from "../run-rows.ts";
import { valueKey } from "../run-values.ts";
import type { ItemRow, RunRow } from "../store.ts";
import { many, one, type Session } from "./driver.ts";
import { itemOf, type StoredItem } from "./items.ts";
import { storedRun } from "./runs.ts";
import { tenantId } from "./writing.ts";

/** Runs, newest first. */
export function listRuns(session: Session, query: RunQuery): Page<RunRow> {
  const tenant = tenantId(session, query.tenant);
  const before = cursorOf(query.after) ?? Number.MAX_SAFE_INTEGER;
  if (tenant === null) return { rows: [], next: null };
  const { text, values } = runSearch(tenant, before, query);
  const rows = many<StoredRun>(session, text, ...values, query.limit + 1);
  return pageOf(
    rows.map((stored) => ({ id: stored.id, row: runRow(query.tenant, stored) })),
    query.limit,
  );
}

/**
 * The statement that finds runs and all its values but the limit. By data the index of values is walked, in the order of
 * the runs; else an index of runs that has the tenant and one of the columns.
 */
function runSearch(
  tenant: number,
  before: number,
  query: RunQuery,
): { readonly text: string; readonly values: readonly unknown[] } {
  const filters: readonly (readonly [column: string, value: string | Uint8Array | undefined])[] = [
    ["r.status", query.status],
    ["r.workflow", query.workflow],
    ["r.definition", query.definition === undefined ? undefined : hashBlob(query.definition)],
    ["r.business_key", query.businessKey],
    ["r.parent_run", query.parent],
  ];
  const given = filters.filter(([, value]) => value !== undefined);
  const columns = given.map(([column]) => `AND ${column} = ?`).join(" ");
  const [first, ...others] = query.data ?? [];
  const also = others
    .map(
      () =>
        "AND EXISTS (SELECT 1 FROM tessera_run_values o WHERE (o.tenant, o.path, o.value, o.run) = (?, ?, ?, r.id))",
    )
    .join(" ");
  const rest = [
    ...given.map(([, value]) => value),
    ...others.flatMap(({ path, value }) => [tenant, path, valueKey(value)]),
  ];
  if (first === undefined) {
    const text = `SELECT ${RUN_COLUMNS} FROM tessera_runs r WHERE r.tenant = ? AND r.id < ? ${columns} ORDER BY r.id DESC LIMIT ?`;
    return { text, values: [tenant, before, ...rest] };
  }
  // CROSS JOIN: the index of values first, whatever the planner thinks.
  const text = `SELECT ${RUN_COLUMNS} FROM tessera_run_values v CROSS JOIN tessera_runs r ON r.id = v.run
    WHERE v.tenant = ? AND v.path = ? AND v.value = ? AND v.run < ? ${columns} ${also} ORDER BY v.run DESC LIMIT ?`;
  return { text, values: [tenant, first.path, valueKey(first.value), before, ...rest] };
}

/**
 * Open items, oldest first, or the earliest due first.
 *
 * @refines D10.13
 */
export function listItems(session: Session, query: ItemQuery): Page<ItemRow> {
  const tenant = tenantId(session, query.tenant);
  if (query.dueBy !== undefined) return listDueBy(session, tenant, query, query.dueBy);
  const after = cursorOf(query.after) ?? 0;
  if (tenant === null) return { rows: [], next: null };
  const run = query.run === undefined ? null : (storedRun(session, tenant, query.run)?.id ?? NO_RUN);
  const { required, workList } = principalQuery(query);
  const find = { session, tenant, after, run, kind: query.kind ?? null, required, limit: query.limit + 1 };
  const sources =
    workList === null
      ? plainSources(find)
      : [
          byPrincipal(find, workList.claimed, false),
          ...workList.offered.map((principal) => byPrincipal(find, principal, true)),
        ];
  const rows = new Map(sources.flat().map((row) => [row.id, row]));
  const oldest = [...rows.values()].sort((a, b) => a.id - b.id).slice(0, query.limit + 1);
  return pageOf(
    oldest.map((row) => ({ id: row.id, row: itemRow(session, row) })),
    query.limit,
  );
}

/** Items that are due by a time, the earliest first: the index of due times is walked, and the other filters asked of each. */
function listDueBy(session: Session, tenant: number | null, query: ItemQuery, dueBy: number): Page<ItemRow> {
  const [at, id] = timedCursorOf(query.after);
  if (tenant === null) return { rows: [], next: null };
  const { required, workList } = principalQuery(query);
  const filters: readonly (readonly [text: string, values: readonly unknown[]])[] = [
    ...(query.run === undefined
      ? []
      : [["i.run = ?", [storedRun(session, tenant, query.run)?.id ?? NO_RUN]] as const]),
    ...(query.kind === undefined ? [] : [["i.kind = ?", [query.kind]] as const]),
    ...required.map((principal) => [offeredTo(1), [principal]] as const),
    ...(workList === null
      ? []
      : [
          [
            `(${offeredTo(1)} OR (i.is_claimed = 0 AND ${offeredTo(workList.offered.length)}))`,
            [workList.claimed, ...workList.offered],
          ] as const,
        ]),
  ];
  const text = `SELECT ${ITEM_COLUMNS} WHERE i.tenant = ? AND i.due_at <= ? AND (i.due_at, i.id) > (?, ?)
    ${filters.map(([filter]) => `AND ${filter}`).join(" ")} ORDER BY i.due_at, i.id LIMIT ?`;
  const values = filters.flatMap(([, given]) => given);
  const rows = many<ListedItem>(session, text, tenant, dueBy, at, id, ...values, query.limit + 1);
  return timedPageOf(
    rows.map((row) => ({ at: row.due_at ?? 0, id: row.id, row: itemRow(session, row) })),
    query.limit,
  );
}

/** Is the item listed under one of `count` principals? */
function offeredTo(count: number): string {
  const any = Array.from({ length: count }, () => "?").join(", ");
  return `EXISTS (SELECT 1 FROM tessera_offers p WHERE p.tenant = i.tenant AND p.principal IN (${any}) AND p.item = i.id)`;
}

/** Items that are due, oldest first, of all tenants. */
export function listDueItems(session: Session, now: number, limit: number): readonly ItemRow[] {
  const text = `SELECT ${ITEM_COLUMNS} WHERE i.due_at <= ? ORDER BY i.due_at, i.id LIMIT ?`;
  return many<ListedItem>(session, text, now, limit).map((row) => itemRow(session, row));
}

/** The earliest due time. */
export function nextDue(session: Session): number | null {
  const text = "SELECT MIN(due_at) AS at FROM tessera_items WHERE due_at IS NOT NULL";
  return one<{ at: number | null }>(session, text)?.at ?? null;
}

/** What no run has as its id. */
const NO_RUN = -1;

const ITEM_COLUMNS = `i.id, i.tenant, i.due_at, i.blobs, i.body, r.run, r.workflow, r.business_key, t.name
  FROM tessera_items i JOIN tessera_runs r ON r.id = i.run JOIN tessera_tenants t ON t.id = i.tenant`;

interface ListedItem extends StoredItem {
  readonly due_at: number | null;
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
function plainSources(find: Find): readonly (readonly ListedItem[])[] {
  const { session, tenant, after, run, kind, required, limit } = find;
  const [first, ...others] = required;
  if (first !== undefined) return [byPrincipal({ ...find, required: others }, first, false)];
  if (run !== null) {
    // A run has few open items: all of them are read and cut.
    const text = `SELECT ${ITEM_COLUMNS} WHERE i.tenant = ? AND i.run = ? AND i.id > ? AND (? IS NULL OR i.kind = ?)`;
    return [many<ListedItem>(session, text, tenant, run, after, kind, kind)];
  }
  const text = `SELECT ${ITEM_COLUMNS} WHERE i.tenant = ? AND i.kind = ? AND i.id > ? ORDER BY i.id LIMIT ?`;
  const kinds = kind === null ? ITEM_KINDS : [kind];
  return kinds.map((each) => many<ListedItem>(session, text, tenant, each, after, limit));
}

function byPrincipal(find: Find, principal: Principal, isUnclaimed: boolean): readonly ListedItem[] {
  const { session, tenant, after, run, kind, required, limit } = find;
  const also = required.map(
    () =>
      "AND EXISTS (SELECT 1 FROM tessera_offers p WHERE p.tenant = o.tenant AND p.principal = ? AND p.item = o.item)",
  );
  const text = `SELECT ${ITEM_COLUMNS} JOIN tessera_offers o ON o.item = i.id
    WHERE o.tenant = ? AND o.principal = ? AND o.item > ? AND (? IS NULL OR i.run = ?) AND (? IS NULL OR i.kind = ?)
      ${isUnclaimed ? "AND i.is_claimed = 0" : ""} ${also.join(" ")}
    ORDER BY o.item LIMIT ?`;
  return many(session, text, tenant, principal, after, run, run, kind, kind, ...required, limit);
}

function itemRow(session: Session, row: ListedItem): ItemRow {
  const { name: tenant, run, workflow, business_key: businessKey } = row;
  return { tenant, run, workflow, businessKey, item: itemOf(session, row) };
}
