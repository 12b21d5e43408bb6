/** @module Timers that start workflows in PostgreSQL. */
import { hashBlob, hashOf } from "../hash-bytes.ts";
import type { StartTimer, StartTimerQuery, StartTimerRow } from "../start-timer.ts";
import type { DefinitionRow } from "../store.ts";
import { change, many, type Session } from "./driver.ts";
import type { Host } from "./host.ts";
import { tenantId } from "./writing.ts";

/** Makes the timers of a version those of its name. Requires: a write transaction; it is not the newest version yet. */
export function putStartTimers(
  session: Session,
  tenant: number,
  { name, hash, timers = [] }: DefinitionRow,
): void {
  session.post("DELETE FROM tessera_start_timers WHERE tenant = $1 AND workflow = $2", [tenant, name]);
  const insert = `INSERT INTO tessera_start_timers (tenant, workflow, event, definition, due_at, remaining, repeat)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`;
  for (const { event, dueAt, remaining, repeat } of timers)
    session.post(insert, [tenant, name, event, hashBlob(hash), dueAt, remaining, repeat]);
}

/** Timers, the one that is due first before the others. */
export async function listStartTimers(
  host: Host,
  session: Session,
  { tenant: tenantName, dueBy = Number.MAX_SAFE_INTEGER, limit }: StartTimerQuery,
): Promise<readonly StartTimerRow[]> {
  if (tenantName === undefined) return allStartTimers(session, dueBy, limit);
  const tenant = await tenantId(host, session, tenantName);
  if (tenant === null) return [];
  const text = `${SELECT} WHERE s.tenant = $1 AND s.due_at <= $2 ORDER BY s.due_at LIMIT $3`;
  return (await many<StoredStartTimer>(session, text, tenant, dueBy, limit)).map(rowOf);
}

/** Those of all tenants. */
export async function allStartTimers(
  session: Session,
  dueBy: number,
  limit: number,
): Promise<readonly StartTimerRow[]> {
  const text = `${SELECT} WHERE s.due_at <= $1 ORDER BY s.due_at LIMIT $2`;
  return (await many<StoredStartTimer>(session, text, dueBy, limit)).map(rowOf);
}

/** Moves a timer on, or ends it; false when it is not where `row` says. Requires: a write transaction. */
export async function moveStartTimer(
  session: Session,
  tenant: number,
  { workflow, event, definition, dueAt }: StartTimerRow,
  next: StartTimer | null,
): Promise<boolean> {
  const key = [tenant, workflow, event, hashBlob(definition), dueAt];
  if (next === null) return (await change(session, `DELETE FROM tessera_start_timers ${MEANT}`, ...key)) > 0;
  const update = `UPDATE tessera_start_timers SET due_at = $6, remaining = $7, repeat = $8 ${MEANT}`;
  return (await change(session, update, ...key, next.dueAt, next.remaining, next.repeat)) > 0;
}

const MEANT = "WHERE tenant = $1 AND workflow = $2 AND event = $3 AND definition = $4 AND due_at = $5";
const SELECT = `SELECT t.name AS tenant, s.workflow, s.event, s.definition, s.due_at, s.remaining, s.repeat
  FROM tessera_start_timers s JOIN tessera_tenants t ON t.id = s.tenant`;

interface StoredStartTimer {
  readonly tenant: string;
  readonly workflow: string;
  readonly event: string;
  readonly definition: Uint8Array;
  readonly due_at: number;
  readonly remaining: number;
  readonly repeat: string | null;
}

function rowOf({ definition, due_at: dueAt, ...row }: StoredStartTimer): StartTimerRow {
  return { ...row, definition: hashOf(definition), dueAt };
}
