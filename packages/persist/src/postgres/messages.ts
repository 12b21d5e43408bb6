/** @module Messages and signals in PostgreSQL: buffered rows, who waits for them, and the rows that hand a signal out. */
import { readText, writeText } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import {
  type BufferedMessage,
  type Delivery,
  type NewMessage,
  type NewSignal,
  type Published,
  type StartEvent,
  signalEffectId,
} from "../message.ts";
import { PAYLOAD } from "../record-shape.ts";
import { disownBlobs, ownBlobs, withBlobs } from "./blobs.ts";
import { change, many, type Session } from "./driver.ts";
import { putEffect } from "./outbox.ts";
import { bytesOf, textOf } from "./text-bytes.ts";
import type { Writing } from "./writing.ts";

/** Expired messages that go with one that comes. */
const PURGED_MAX = 100;

/** Buffers a message. Requires: a write transaction. */
export async function putMessage(into: Writing, tenant: number, message: NewMessage): Promise<Published> {
  const { name, key = "", id, expiresAt, data: payload } = message;
  const row = { kind: "message", name, key, id, target: null, isOpen: true, expiresAt, payload } as const;
  return (await insertRow(into, tenant, row)) ? { kind: "stored", receivers: 0 } : { kind: "known" };
}

/** Hands a signal to everybody who waits for it now. Requires: a write transaction. */
export async function putSignal(
  into: Writing,
  tenant: number,
  { name, data, id, at }: NewSignal,
): Promise<Published> {
  const { session } = into;
  await into.reserve(1);
  const own = into.number();
  const base = { kind: "signal", name, key: "" } as const;
  if (id !== undefined) {
    const row = { ...base, id, target: null, isOpen: false, expiresAt: at, payload: {} };
    if (!(await insertRow(into, tenant, row))) return { kind: "known" };
  }
  const waiting = `SELECT s.event, i.item, r.id, r.run FROM tessera_subscriptions s
    JOIN tessera_items i ON i.id = s.item JOIN tessera_runs r ON r.id = i.run
    WHERE s.tenant = $1 AND s.kind = 'signal' AND s.name = $2 ORDER BY i.id`;
  type Receiver = { event: string; item: string; id: number; run: string };
  const receivers = await many<Receiver>(session, waiting, tenant, name);
  await into.reserve(receivers.length);
  for (const { event, item, id: run, run: runId } of receivers) {
    const effect = {
      id: signalEffectId(runId, item, own),
      kind: "signal",
      item,
      availableAt: at,
      payload: { name, event, data },
    } as const;
    putEffect(into, tenant, run, effect, null);
  }
  const starts = `SELECT DISTINCT workflow FROM tessera_starts WHERE tenant = $1 AND kind = 'signal' AND name = $2
    ORDER BY workflow`;
  for (const { workflow } of await many<{ workflow: string }>(session, starts, tenant, name)) {
    const row = { ...base, target: workflow, isOpen: true, expiresAt: FOREVER, payload: data };
    await insertRow(into, tenant, row);
  }
  return { kind: "stored", receivers: receivers.length };
}

/** No signal that starts a workflow expires. */
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Takes a message: its content goes, its id stays so that it is not taken again. Requires: it is buffered. */
export function takeMessage(session: Session, tenant: number, number: number): void {
  close(session, tenant, number);
}

/** Makes what starts the newest version under a name known. Requires: a write transaction. */
export function putStarts(
  session: Session,
  tenant: number,
  workflow: string,
  starts: readonly StartEvent[],
): void {
  session.post("DELETE FROM tessera_starts WHERE tenant = $1 AND workflow = $2", [tenant, workflow]);
  const insert = `INSERT INTO tessera_starts (tenant, workflow, kind, name, event) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING`;
  for (const { on, name, event } of starts) session.post(insert, [tenant, workflow, on, name, event]);
}

/** Messages with those who could take them. Requires: one read transaction. */
export async function listDeliveries(
  session: Session,
  now: number,
  limit: number,
): Promise<readonly Delivery[]> {
  const items = `SELECT ${COLUMNS}, s.event, r.run, i.item, NULL AS workflow FROM tessera_messages m
    JOIN tessera_subscriptions s ON s.tenant = m.tenant AND s.kind = 'message' AND s.name = m.name AND s.key = m.key
    JOIN tessera_items i ON i.id = s.item JOIN tessera_runs r ON r.id = i.run
    JOIN tessera_tenants t ON t.id = m.tenant
    WHERE m.is_open AND m.expires_at > $1 AND m.kind = 'message' ORDER BY m.id, i.id, s.event LIMIT $2`;
  const starts = `SELECT ${COLUMNS}, s.event, NULL AS run, NULL AS item, s.workflow FROM tessera_messages m
    JOIN tessera_starts s ON s.tenant = m.tenant AND s.kind = m.kind AND s.name = m.name
      AND (m.target IS NULL OR m.target = s.workflow)
    JOIN tessera_tenants t ON t.id = m.tenant
    WHERE m.is_open AND m.expires_at > $1 AND NOT EXISTS (SELECT 1 FROM tessera_subscriptions o
      WHERE o.tenant = m.tenant AND m.kind = 'message' AND o.kind = 'message' AND o.name = m.name AND o.key = m.key)
    ORDER BY m.id, s.workflow, s.event LIMIT $2`;
  const both = await Promise.all(
    [items, starts].map((text) => many<StoredDelivery>(session, text, now, limit)),
  );
  const oldest = both
    .flat()
    .sort((a, b) => a.id - b.id)
    .slice(0, limit);
  const deliveries: Delivery[] = [];
  for (const row of oldest) deliveries.push(await deliveryOf(session, row));
  return deliveries;
}

const COLUMNS =
  "m.id, m.tenant, t.name AS tenant_name, m.kind, m.name, m.key, m.message, m.expires_at, m.payload";

interface StoredDelivery {
  readonly id: number;
  readonly tenant: number;
  readonly tenant_name: string;
  readonly kind: "message" | "signal";
  readonly name: string;
  readonly key: string;
  readonly message: string | null;
  readonly expires_at: number;
  readonly payload: Uint8Array;
  readonly event: string;
  readonly run: string | null;
  readonly item: string | null;
  readonly workflow: string | null;
}

async function deliveryOf(session: Session, row: StoredDelivery): Promise<Delivery> {
  const read = await withBlobs(session, row.tenant, (blobs) => readText(PAYLOAD, textOf(row.payload), blobs));
  const { payload } = valueOrCorrupt(read);
  const message: BufferedMessage = {
    number: row.id,
    tenant: row.tenant_name,
    on: row.kind,
    name: row.name,
    key: row.key === "" ? null : row.key,
    id: row.message,
    data: payload,
    expiresAt: row.expires_at,
  };
  const { event, run, item, workflow } = row;
  return run !== null && item !== null
    ? { message, to: { kind: "item", run, item, event } }
    : { message, to: { kind: "start", workflow: workflow ?? "", event } };
}

interface NewRow {
  readonly kind: "message" | "signal";
  readonly name: string;
  readonly key: string;
  readonly id?: string | undefined;
  readonly target: string | null;
  readonly isOpen: boolean;
  readonly expiresAt: number;
  readonly payload: NewMessage["data"];
}

/** False when a row with its id is there already. */
async function insertRow(into: Writing, tenant: number, row: NewRow): Promise<boolean> {
  await into.reserve(1);
  const { kind, name, key, id = null, target, isOpen, expiresAt, payload } = row;
  const number = into.number();
  const { text, blobs } = writeText(PAYLOAD, { payload });
  const insert = `INSERT INTO tessera_messages
    (id, tenant, kind, name, key, message, target, is_open, expires_at, blobs, payload)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`;
  const values = [
    number,
    tenant,
    kind,
    name,
    key,
    id,
    target,
    isOpen,
    expiresAt,
    blobs.length,
    bytesOf(text),
  ];
  if ((await change(into.session, insert, ...values)) === 0) return false;
  ownBlobs(into.session, tenant, "message", number, blobs);
  return true;
}

/** Lets expired messages go, but those that somebody is taking at this moment. */
export async function purge(session: Session, now: number): Promise<void> {
  const text = `SELECT id, tenant FROM tessera_messages WHERE is_open AND expires_at <= $1
    ORDER BY expires_at, tenant LIMIT ${PURGED_MAX} FOR UPDATE SKIP LOCKED`;
  for (const { id, tenant } of await many<{ id: number; tenant: number }>(session, text, now))
    close(session, tenant, id);
}

function close(session: Session, tenant: number, id: number): void {
  disownBlobs(session, tenant, "message", id);
  session.post("DELETE FROM tessera_messages WHERE id = $1 AND message IS NULL", [id]);
  session.post("UPDATE tessera_messages SET is_open = FALSE, blobs = 0, payload = '' WHERE id = $1", [id]);
}
