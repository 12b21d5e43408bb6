/** @module Erasing a payload in SQLite: the row keeps its place in the chain, its content goes. */
import { payloadHash } from "../chain.ts";
import { hashBlob } from "../hash-bytes.ts";
import type { Erasure } from "../run-rows.ts";
import type { EraseResult } from "../store.ts";
import { hasEnded } from "../turn-check.ts";
import { disownBlobs } from "./blobs.ts";
import { change, one, type Session } from "./driver.ts";
import { storedRun } from "./runs.ts";
import { dropSnapshots, newestSnapshot } from "./snapshots.ts";
import { tenantId } from "./writing.ts";

/**
 * Erases the payload of a row. Requires: a write transaction.
 *
 * @refines D10.12
 */
export function eraseTurn(
  session: Session,
  tenantName: string,
  id: string,
  sequence: number,
  erasure: Erasure,
): EraseResult {
  const tenant = tenantId(session, tenantName);
  const run = tenant === null ? null : storedRun(session, tenant, id);
  if (tenant === null || run === null) return "absent";
  const text =
    "SELECT id, salt, payload, erased_at FROM tessera_journal WHERE tenant = ? AND run = ? AND sequence = ?";
  const row = one<StoredPayload>(session, text, tenant, run.id, sequence);
  if (row === null) return "absent";
  if (row.salt === null || row.payload === null) return "already";
  const newest = newestSnapshot(session, tenant, run.id, Number.MAX_SAFE_INTEGER);
  const isEnded = hasEnded(run.status);
  if (!isEnded && newest < sequence) return "needed";
  const erase = `UPDATE tessera_journal SET salt = NULL, payload = NULL, payload_hash = ?, erased_by = ?, erased_reason = ?,
    erased_at = ? WHERE id = ?`;
  const { by, reason, at } = erasure;
  change(session, erase, hashBlob(payloadHash(row.salt, row.payload)), by, reason, at, row.id);
  disownBlobs(session, tenant, "turn", row.id);
  dropSnapshots(session, tenant, run.id, sequence, isEnded ? Number.MAX_SAFE_INTEGER : newest - 1);
  const mark = "UPDATE tessera_runs SET erased_from = MIN(?, COALESCE(erased_from, ?)) WHERE id = ?";
  change(session, mark, sequence, sequence, run.id);
  return "erased";
}

/**
 * Erases with `secure_delete` on, so that SQLite overwrites what it deletes, and empties the write-ahead log afterwards,
 * as far as nobody is reading from it. The setting of the connection is the same again when the promise settles.
 */
export async function erasing<T>({ db }: Session, erase: () => Promise<T>): Promise<T> {
  const before = Number(db.open ? db.pragma("secure_delete", { simple: true }) : 0);
  if (db.open) db.pragma("secure_delete = ON");
  try {
    return await erase();
  } finally {
    if (db.open) {
      db.pragma(`secure_delete = ${["OFF", "ON", "FAST"][before] ?? "OFF"}`);
      if (!db.inTransaction) db.pragma("wal_checkpoint(TRUNCATE)");
    }
  }
}

interface StoredPayload {
  readonly id: number;
  readonly salt: Uint8Array | null;
  readonly payload: Uint8Array | null;
}
