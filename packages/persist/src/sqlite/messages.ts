/** @module Messages and signals in SQLite: buffered rows, who waits for them, and the rows that hand a signal out. */
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
import { blobSource, disownBlobs, ownBlobs } from "./blobs.ts";
import { change, many, one, type Session } from "./driver.ts";
import { FREE, putEffect } from "./outbox.ts";

/** Expired messages that go with one that comes. */
const PURGED_MAX = 100;

/** Buffers a message. Requires: a write transaction. */
export function putMessage(
  session: Session,
  tenant: number,
  message: NewMessage,
  now: number,
  number: () => number,
): Published {
  purge(session, now);
  const { name, key = "", id, expiresAt } = message;
  const row = {
    kind: "message",
    name,
    key,
    id,
    target: null,
    isOpen: true,
    expiresAt,
    payload: message.data,
  };
  return insertRow(session, tenant, row, number()) ? { kind: "stored", receivers: 0 } : { kind: "known" };
}

/** Hands a signal to everybody who waits for it now. Requires: a write transaction. */
export function putSignal(
  session: Session,
  tenant: number,
  { name, data, id, at }: NewSignal,
  number: () => number,
): Published {
  const own = number();
  if (id !== undefined) {
    const row = {
      kind: "signal",
      name,
      key: "",
      id,
      target: null,
      isOpen: false,
      expiresAt: at,
      payload: {},
    };
    if (!insertRow(session, tenant, row, own)) return { kind: "known" };
  }
  const waiting = `SELECT s.event, i.item, r.id, r.run FROM tessera_subscriptions s
    JOIN tessera_items i ON i.id = s.item JOIN tessera_runs r ON r.id = i.run
    WHERE s.tenant = ? AND s.kind = 'signal' AND s.name = ? ORDER BY i.id`;
  const receivers = many<{ event: string; item: string; id: number; run: string }>(
    session,
    waiting,
    tenant,
    name,
  );
  for (const { event, item, id: run, run: runId } of receivers) {
    const payload = { name, event, data };
    const effect = {
      id: signalEffectId(runId, item, own),
      kind: "signal",
      item,
      availableAt: at,
      payload,
    } as const;
    putEffect(session, tenant, run, effect, number(), FREE);
  }
  const starts =
    "SELECT DISTINCT workflow FROM tessera_starts WHERE tenant = ? AND kind = 'signal' AND name = ?";
  for (const { workflow } of many<{ workflow: string }>(session, starts, tenant, name)) {
    const row = {
      kind: "signal",
      name,
      key: "",
      target: workflow,
      isOpen: true,
      expiresAt: FOREVER,
      payload: data,
    };
    insertRow(session, tenant, row, number());
  }
  return { kind: "stored", receivers: receivers.length };
}

/** No signal that starts a workflow expires. */
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Is the message there for somebody to take? */
export function isBuffered(session: Session, tenant: number, number: number): boolean {
  const text = "SELECT 1 FROM tessera_messages WHERE id = ? AND tenant = ? AND is_open = 1";
  return one(session, text, number, tenant) !== null;
}

/** Takes a message: its content goes, its id stays so that it is not taken again. Requires: it is buffered. */
export function takeMessage(session: Session, tenant: number, number: number): void {
  const text = "SELECT id, tenant, blobs FROM tessera_messages WHERE id = ? AND tenant = ?";
  const row = one<{ id: number; tenant: number; blobs: number }>(session, text, number, tenant);
  if (row !== null) close(session, row);
}

/** Makes what starts the newest version under a name known. Requires: a write transaction. */
export function putStarts(
  session: Session,
  tenant: number,
  workflow: string,
  starts: readonly StartEvent[],
): void {
  change(session, "DELETE FROM tessera_starts WHERE tenant = ? AND workflow = ?", tenant, workflow);
  const insert =
    "INSERT INTO tessera_starts (tenant, workflow, kind, name, event) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
  for (const { on, name, event } of starts) change(session, insert, tenant, workflow, on, name, event);
}

/** Messages with those who could take them. */
export function listDeliveries(session: Session, now: number, limit: number): readonly Delivery[] {
  const items = `SELECT ${COLUMNS}, s.event, r.run, i.item, NULL AS workflow FROM tessera_messages m
    JOIN tessera_subscriptions s ON s.tenant = m.tenant AND s.kind = 'message' AND s.name = m.name AND s.key = m.key
    JOIN tessera_items i ON i.id = s.item JOIN tessera_runs r ON r.id = i.run
    JOIN tessera_tenants t ON t.id = m.tenant
    WHERE m.is_open = 1 AND m.expires_at > ? AND m.kind = 'message' ORDER BY m.id, i.id, s.event LIMIT ?`;
  const starts = `SELECT ${COLUMNS}, s.event, NULL AS run, NULL AS item, s.workflow FROM tessera_messages m
    JOIN tessera_starts s ON s.tenant = m.tenant AND s.kind = m.kind AND s.name = m.name
      AND (m.target IS NULL OR m.target = s.workflow)
    JOIN tessera_tenants t ON t.id = m.tenant
    WHERE m.is_open = 1 AND m.expires_at > ? AND NOT EXISTS (SELECT 1 FROM tessera_subscriptions o
      WHERE o.tenant = m.tenant AND m.kind = 'message' AND o.kind = 'message' AND o.name = m.name AND o.key = m.key)
    ORDER BY m.id, s.workflow, s.event LIMIT ?`;
  return [items, starts]
    .flatMap((text) => many<StoredDelivery>(session, text, now, limit))
    .sort((a, b) => a.id - b.id)
    .slice(0, limit)
    .map((row) => deliveryOf(session, row));
}

const COLUMNS =
  "m.id, m.tenant, t.name AS tenant_name, m.kind, m.name, m.key, m.message, m.expires_at, m.blobs, m.payload";

interface StoredDelivery {
  readonly id: number;
  readonly tenant: number;
  readonly tenant_name: string;
  readonly kind: "message" | "signal";
  readonly name: string;
  readonly key: string;
  readonly message: string | null;
  readonly expires_at: number;
  readonly payload: string;
  readonly event: string;
  readonly run: string | null;
  readonly item: string | null;
  readonly workflow: string | null;
}

function deliveryOf(session: Session, row: StoredDelivery): Delivery {
  const { payload } = valueOrCorrupt(readText(PAYLOAD, row.payload, blobSource(session, row.tenant)));
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
  readonly kind: "message" | "signal" | string;
  readonly name: string;
  readonly key: string;
  readonly id?: string | undefined;
  readonly target: string | null;
  readonly isOpen: boolean;
  readonly expiresAt: number;
  readonly payload: NewMessage["data"];
}

/** False when a row with its id is there already. */
function insertRow(session: Session, tenant: number, row: NewRow, number: number): boolean {
  const { kind, name, key, id = null, target, isOpen, expiresAt, payload } = row;
  const { text, blobs } = writeText(PAYLOAD, { payload });
  const insert = `INSERT INTO tessera_messages
    (id, tenant, kind, name, key, message, target, is_open, expires_at, blobs, payload)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  const values = [number, tenant, kind, name, key, id, target, isOpen ? 1 : 0, expiresAt, blobs.length, text];
  if (change(session, insert, ...values) === 0) return false;
  if (blobs.length > 0) ownBlobs(session, tenant, "message", number, blobs);
  return true;
}

function purge(session: Session, now: number): void {
  const text = "SELECT id, tenant, blobs FROM tessera_messages WHERE is_open = 1 AND expires_at <= ? LIMIT ?";
  for (const row of many<{ id: number; tenant: number; blobs: number }>(session, text, now, PURGED_MAX))
    close(session, row);
}

function close(session: Session, { id, tenant, blobs }: { id: number; tenant: number; blobs: number }): void {
  if (blobs !== 0) disownBlobs(session, tenant, "message", id);
  change(session, "DELETE FROM tessera_messages WHERE id = ? AND message IS NULL", id);
  change(session, "UPDATE tessera_messages SET is_open = 0, blobs = 0, payload = '' WHERE id = ?", id);
}
