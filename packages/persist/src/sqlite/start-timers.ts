/** @module Timers that start workflows in SQLite. */
import { hashBlob, hashOf } from "../hash-bytes.ts";
import type { StartTimer, StartTimerQuery, StartTimerRow } from "../start-timer.ts";
import type { DefinitionRow } from "../store.ts";
import { change, many, type Session } from "./driver.ts";
import { tenantId } from "./writing.ts";

/** Makes the timers of a version those of its name. Requires: a write transaction; it is not the newest version yet. */
export function putStartTimers(
  session: Session,
  tenant: number,
  { name, hash, timers = [] }: DefinitionRow,
): void {
  change(session, "DELETE FROM tessera_start_timers WHERE tenant = ? AND workflow = ?", tenant, name);
  const insert = `INSERT INTO tessera_start_timers (tenant, workflow, event, definition, due_at, remaining, repeat)
    VALUES (?, ?, ?, ?, ?, ?, ?)`;
  for (const { event, dueAt, remaining, repeat } of timers)
    change(session, insert, tenant, name, event, hashBlob(hash), dueAt, remaining, repeat);
}

/** Timers, the one that is due first before the others. */
export function listStartTimers(session: Session, query: StartTimerQuery): readonly StartTimerRow[] {
  const { tenant: tenantName, dueBy = Number.MAX_SAFE_INTEGER, limit } = query;
  if (tenantName === undefined) {
    const text = `${SELECT} WHERE s.due_at <= ? ORDER BY s.due_at LIMIT ?`;
    return many<StoredStartTimer>(session, text, dueBy, limit).map(rowOf);
  }
  const tenant = tenantId(session, tenantName);
  if (tenant === null) return [];
  const text = `${SELECT} WHERE s.tenant = ? AND s.due_at <= ? ORDER BY s.due_at LIMIT ?`;
  return many<StoredStartTimer>(session, text, tenant, dueBy, limit).map(rowOf);
}

/** Moves a timer on, or ends it; false when it is not where `row` says. Requires: a write transaction. */
export function moveStartTimer(
  session: Session,
  tenant: number,
  { workflow, event, definition, dueAt }: StartTimerRow,
  next: StartTimer | null,
): boolean {
  const key = [tenant, workflow, event, hashBlob(definition), dueAt];
  if (next === null) return change(session, `DELETE FROM tessera_start_timers ${MEANT}`, ...key) > 0;
  const update = `UPDATE tessera_start_timers SET due_at = ?, remaining = ?, repeat = ? ${MEANT}`;
  return change(session, update, next.dueAt, next.remaining, next.repeat, ...key) > 0;
}

const MEANT = "WHERE tenant = ? AND workflow = ? AND event = ? AND definition = ? AND due_at = ?";
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
