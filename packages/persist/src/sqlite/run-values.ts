/** @module Values of D in SQLite by which runs are found. */

import type { IndexedValue } from "../query.ts";
import { valueKey } from "../run-values.ts";
import { change, type Session } from "./driver.ts";
import { storedRun } from "./runs.ts";
import { tenantId } from "./writing.ts";

/**
 * Sets what a run is found by under the paths of `values`; the other paths stay.
 *
 * @refines D10.18
 */
export function putValues(
  session: Session,
  tenant: number,
  run: number,
  values: readonly IndexedValue[],
): void {
  const remove = "DELETE FROM tessera_run_values WHERE tenant = ? AND run = ? AND path = ?";
  const insert = "INSERT INTO tessera_run_values (tenant, path, value, run) VALUES (?, ?, ?, ?)";
  for (const { path, value } of values) {
    change(session, remove, tenant, run, path);
    if (value !== undefined) change(session, insert, tenant, path, valueKey(value), run);
  }
}

/** Replaces all that a run is found by, if it is at `sequence`. Requires: a write transaction. */
export function replaceValues(
  session: Session,
  tenantName: string,
  id: string,
  sequence: number,
  values: readonly IndexedValue[],
): boolean {
  const tenant = tenantId(session, tenantName);
  const run = tenant === null ? null : storedRun(session, tenant, id);
  if (tenant === null || run === null || run.sequence !== sequence) return false;
  change(session, "DELETE FROM tessera_run_values WHERE tenant = ? AND run = ?", tenant, run.id);
  putValues(session, tenant, run.id, values);
  return true;
}
