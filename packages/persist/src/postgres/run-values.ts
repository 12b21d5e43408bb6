/** @module Values of D in PostgreSQL by which runs are found. */
import type { IndexedValue } from "../query.ts";
import { valueKey } from "../run-values.ts";
import type { Session } from "./driver.ts";
import type { Host } from "./host.ts";
import { lockedRun } from "./runs.ts";
import type { Writing } from "./writing.ts";

/**
 * Sets what a run is found by under the paths of `values`; the other paths stay. Requires: the run is locked.
 *
 * @refines D10.18
 */
export function putValues(
  session: Session,
  tenant: number,
  run: number,
  values: readonly IndexedValue[],
): void {
  const remove = "DELETE FROM tessera_run_values WHERE tenant = $1 AND run = $2 AND path = $3";
  const insert = "INSERT INTO tessera_run_values (tenant, path, value, run) VALUES ($1, $2, $3, $4)";
  for (const { path, value } of values) {
    session.post(remove, [tenant, run, path]);
    if (value !== undefined) session.post(insert, [tenant, path, valueKey(value), run]);
  }
}

/** Replaces all that a run is found by, if it is at `sequence`. Requires: a write transaction. */
export async function replaceValues(
  host: Host,
  { session }: Writing,
  tenantName: string,
  id: string,
  sequence: number,
  values: readonly IndexedValue[],
): Promise<boolean> {
  const found = await lockedRun(host, session, tenantName, id);
  if (found === null || found.run.sequence !== sequence) return false;
  const { tenant, run } = found;
  session.post("DELETE FROM tessera_run_values WHERE tenant = $1 AND run = $2", [tenant, run.id]);
  putValues(session, tenant, run.id, values);
  return true;
}
