/** @module Timers that start workflows in memory. */
import type { StartTimer, StartTimerQuery, StartTimerRow } from "../start-timer.ts";
import type { DefinitionRow, TenantId } from "../store.ts";
import { setIn, type Tables, tenantTables } from "./tables.ts";

/**
 * Makes the timers of a version that becomes the newest under its name those of the name. Requires: it is not the newest
 * already.
 *
 * @definition D10.24
 */
export function putStartTimers(tables: Tables, tenant: TenantId, row: DefinitionRow): void {
  const { startTimers } = tenantTables(tables, tenant);
  const { name: workflow, hash: definition, timers = [] } = row;
  setIn(
    tables,
    startTimers,
    workflow,
    timers.map((timer) => ({ ...timer, tenant, workflow, definition })),
  );
}

/** Timers, the one that is due first before the others. Cost: all of them. */
export function listStartTimers(
  tables: Tables,
  { tenant, dueBy = Number.POSITIVE_INFINITY, limit }: StartTimerQuery,
): readonly StartTimerRow[] {
  const from = tenant === undefined ? [...tables.tenants.values()] : [tenantTables(tables, tenant)];
  return from
    .flatMap(({ startTimers }) => [...startTimers.values()].flat())
    .filter(({ dueAt }) => dueAt <= dueBy)
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, limit);
}

/** Moves a timer on, or ends it; false when it is not where `row` says. */
export function moveStartTimer(tables: Tables, row: StartTimerRow, next: StartTimer | null): boolean {
  const { startTimers } = tenantTables(tables, row.tenant);
  const all = startTimers.get(row.workflow) ?? [];
  const isMeant = ({ event, definition, dueAt }: StartTimerRow): boolean =>
    event === row.event && definition === row.definition && dueAt === row.dueAt;
  if (!all.some(isMeant)) return false;
  const { tenant, workflow, definition } = row;
  const moved = next === null ? [] : [{ ...next, tenant, workflow, definition }];
  setIn(
    tables,
    startTimers,
    workflow,
    all.flatMap((each) => (isMeant(each) ? moved : [each])),
  );
  return true;
}
