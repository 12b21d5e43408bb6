/** @module What can be asked of the memory store: lists and counts, each by looking at everything. */
import { isListed, principalQuery } from "../item-query.ts";
import { cursorOf, pageOf, timedCursorOf, timedPageOf } from "../page.ts";
import type {
  IndexedValue,
  ItemCountQuery,
  ItemFilter,
  ItemQuery,
  Page,
  RunQuery,
  StoreCounts,
} from "../query.ts";
import { valueKey } from "../run-values.ts";
import type { ItemRow, RunRow, TenantId } from "../store.ts";
import { type StoredItem, type StoredRun, setIn, type Tables, tenantTables } from "./tables.ts";

/** Runs, newest first. */
export function listRuns(tables: Tables, query: RunQuery): Page<RunRow> {
  const after = cursorOf(query.after) ?? Number.POSITIVE_INFINITY;
  const rows: { id: number; row: RunRow }[] = [];
  for (const run of [...tenantTables(tables, query.tenant).runs.values()].reverse()) {
    if (rows.length > query.limit) break;
    if (run.id < after && isFound(run, query)) rows.push({ id: run.id, row: run.row });
  }
  return pageOf(rows, query.limit);
}

function isFound({ row, values }: StoredRun, query: RunQuery): boolean {
  const { status, workflow, definition, businessKey, parent, data = [] } = query;
  if (status !== undefined && row.status !== status) return false;
  if (workflow !== undefined && row.workflow !== workflow) return false;
  if (definition !== undefined && row.definition !== definition) return false;
  if (businessKey !== undefined && row.businessKey !== businessKey) return false;
  if (parent !== undefined && row.parent?.run !== parent) return false;
  return data.every(({ path, value }) => values.get(path) === valueKey(value));
}

/**
 * Sets what a run is found by under the paths of `values`; the other paths stay.
 *
 * @refines D10.18
 */
export function putValues(tables: Tables, run: StoredRun, values: readonly IndexedValue[]): void {
  for (const { path, value } of values) {
    setIn(tables, run.values, path, value === undefined ? undefined : valueKey(value));
  }
}

/** Open items, oldest first, or the earliest due first. */
export function listItems(tables: Tables, query: ItemQuery): Page<ItemRow> {
  const asked = itemsAsked(tables, query);
  const { dueBy, limit } = query;
  if (dueBy === undefined) {
    const after = cursorOf(query.after) ?? 0;
    const rows = asked.filter(({ id }) => id > after).sort((a, b) => a.id - b.id);
    return pageOf(
      rows.slice(0, limit + 1).map((stored) => ({ id: stored.id, row: itemRow(tables, stored) })),
      limit,
    );
  }
  const [after, afterId] = timedCursorOf(query.after);
  const due = asked.flatMap((stored) => {
    const at = stored.isPaused ? undefined : stored.item.dueAt;
    return at === undefined || at > dueBy ? [] : [{ at, id: stored.id, stored }];
  });
  const rows = due
    .filter(({ at, id }) => at > after || (at === after && id > afterId))
    .sort((a, b) => a.at - b.at || a.id - b.id);
  return timedPageOf(
    rows.slice(0, limit + 1).map(({ at, id, stored }) => ({ at, id, row: itemRow(tables, stored) })),
    limit,
  );
}

/**
 * How many open items there are of those that are asked for, at most `max`.
 *
 * @definition D10.27
 */
export function countItems(tables: Tables, query: ItemCountQuery): number {
  const { dueBy, max } = query;
  const counted = itemsAsked(tables, query).filter(
    ({ isPaused, item: { dueAt } }) =>
      dueBy === undefined || (!isPaused && dueAt !== undefined && dueAt <= dueBy),
  );
  return Math.min(counted.length, max);
}

/** All that is asked for, but for the due time. */
function itemsAsked(tables: Tables, query: ItemFilter): readonly StoredItem[] {
  const tenant = tenantTables(tables, query.tenant);
  const wanted = principalQuery(query);
  const all =
    query.run === undefined ? tenant.items.values() : (tenant.runs.get(query.run)?.items.values() ?? []);
  return [...all].filter(
    ({ item }) => (query.kind === undefined || item.kind === query.kind) && isListed(item, wanted),
  );
}

/** An item with its run. */
export function itemRow(tables: Tables, { tenant, run, item }: StoredItem): ItemRow {
  const row = tenantTables(tables, tenant).runs.get(run)?.row;
  return { tenant, run, workflow: row?.workflow ?? "", businessKey: row?.businessKey ?? null, item };
}

/**
 * The counts, of one tenant or of all.
 *
 * @definition D10.19
 */
export function countAll(tables: Tables, tenant?: TenantId): StoreCounts {
  const runs = new Map<string, StoreCounts["runs"][number]>();
  const items = new Map<string, StoreCounts["items"][number]>();
  for (const [name, { runs: all, items: open }] of tables.tenants) {
    if (tenant !== undefined && name !== tenant) continue;
    for (const { row } of all.values()) {
      const { workflow, definition, status } = row;
      const key = JSON.stringify([name, workflow, definition, status]);
      runs.set(key, { tenant: name, workflow, definition, status, count: (runs.get(key)?.count ?? 0) + 1 });
    }
    for (const { item } of open.values()) {
      const key = JSON.stringify([name, item.kind]);
      items.set(key, { tenant: name, kind: item.kind, count: (items.get(key)?.count ?? 0) + 1 });
    }
  }
  return { runs: [...runs.values()], items: [...items.values()] };
}
