/** @module Erasing a payload in PostgreSQL: the row keeps its place in the chain, its content goes. */
import { payloadHash } from "../chain.ts";
import { hashBlob } from "../hash-bytes.ts";
import type { Erasure } from "../run-rows.ts";
import type { EraseResult } from "../store.ts";
import { hasEnded } from "../turn-check.ts";
import { disownBlobs } from "./blobs.ts";
import { one } from "./driver.ts";
import type { Host } from "./host.ts";
import { lockedRun } from "./runs.ts";
import { dropSnapshots, newestSnapshot } from "./snapshots.ts";
import type { Writing } from "./writing.ts";

/**
 * Erases the payload of a row. Requires: a write transaction. PostgreSQL keeps the old version of the row in its files until
 * it is vacuumed, and in its write-ahead log.
 *
 * @refines D10.12
 */
export async function eraseTurn(
  host: Host,
  { session }: Writing,
  tenantName: string,
  id: string,
  sequence: number,
  erasure: Erasure,
): Promise<EraseResult> {
  const found = await lockedRun(host, session, tenantName, id);
  if (found === null) return "absent";
  const { tenant, run } = found;
  const text =
    "SELECT id, salt, payload FROM tessera_journal WHERE tenant = $1 AND run = $2 AND sequence = $3";
  const row = await one<StoredPayload>(session, text, tenant, run.id, sequence);
  if (row === null) return "absent";
  if (row.salt === null || row.payload === null) return "already";
  const newest = await newestSnapshot(session, tenant, run.id, Number.MAX_SAFE_INTEGER);
  const isEnded = hasEnded(run.status);
  if (!isEnded && newest < sequence) return "needed";
  const erase = `UPDATE tessera_journal SET salt = NULL, payload = NULL, payload_hash = $1, erased_by = $2,
    erased_reason = $3, erased_at = $4 WHERE id = $5`;
  const { by, reason, at } = erasure;
  session.post(erase, [hashBlob(payloadHash(row.salt, row.payload)), by, reason, at, row.id]);
  disownBlobs(session, tenant, "turn", row.id);
  await dropSnapshots(session, tenant, run.id, sequence, isEnded ? Number.MAX_SAFE_INTEGER : newest - 1);
  const mark =
    "UPDATE tessera_runs SET erased_from = LEAST($1::bigint, COALESCE(erased_from, $1::bigint)) WHERE id = $2";
  session.post(mark, [sequence, run.id]);
  return "erased";
}

interface StoredPayload {
  readonly id: number;
  readonly salt: Uint8Array | null;
  readonly payload: Uint8Array | null;
}
