/** @module Pruning in SQLite: old turns go, an anchor and the state after them stay. */
import { hashBytes } from "../blob.ts";
import { encodeState } from "../codec.ts";
import { hashBlob } from "../hash-bytes.ts";
import type { PruneResult, Pruning } from "../pruning.ts";
import { hasEnded } from "../turn-check.ts";
import { disownBlobs } from "./blobs.ts";
import { change, many, one, type Session } from "./driver.ts";
import { storedRun } from "./runs.ts";
import { dropSnapshots, putSnapshot } from "./snapshots.ts";
import { tenantId } from "./writing.ts";

/**
 * Prunes a run. Requires: a write transaction.
 *
 * @refines D10.20
 */
export function pruneRun(session: Session, tenantName: string, id: string, pruning: Pruning): PruneResult {
  const { sequence, state, by, reason, at } = pruning;
  const tenant = tenantId(session, tenantName);
  const run = tenant === null ? null : storedRun(session, tenant, id);
  if (tenant === null || run === null || sequence < 1 || sequence > run.sequence) return "absent";
  if (sequence <= (run.pruned_to ?? 0)) return "already";
  const erasedText = "SELECT erased_from AS at FROM tessera_runs WHERE id = ? AND erased_from <= ?";
  if (hasEnded(run.status) && one(session, erasedText, run.id, sequence) !== null) return "erased";
  const headText = "SELECT head FROM tessera_journal WHERE tenant = ? AND run = ? AND sequence = ?";
  const last = one<{ head: Uint8Array }>(session, headText, tenant, run.id, sequence);
  if (last === null) return "absent";
  dropSnapshots(session, tenant, run.id, 0, sequence);
  putSnapshot(session, tenant, run.id, sequence, state);
  const anchor = `INSERT INTO tessera_anchors (tenant, run, sequence, head, state, pruned_by, pruned_reason, pruned_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
  const hash = hashBlob(hashBytes(encodeState(state).bytes));
  change(session, anchor, tenant, run.id, sequence, last.head, hash, by, reason, at);
  dropTurns(session, tenant, run.id, sequence);
  change(session, "UPDATE tessera_runs SET pruned_to = ? WHERE id = ?", sequence, run.id);
  return "pruned";
}

/** Takes turns out with their large values. What they did once stays done once: their dedupe ids are spent. */
function dropTurns(session: Session, tenant: number, run: number, sequence: number): void {
  const owners = `SELECT DISTINCT o.owner FROM tessera_journal j
    CROSS JOIN tessera_blob_owners o ON o.tenant = j.tenant AND o.kind = 'turn' AND o.owner = j.id
    WHERE j.tenant = ? AND j.run = ? AND j.sequence <= ?`;
  for (const { owner } of many<{ owner: number }>(session, owners, tenant, run, sequence))
    disownBlobs(session, tenant, "turn", owner);
  const spent = `INSERT INTO tessera_spent (tenant, run, dedupe, sequence)
    SELECT tenant, run, dedupe, sequence FROM tessera_journal
    WHERE tenant = ? AND run = ? AND sequence <= ? AND dedupe IS NOT NULL`;
  change(session, spent, tenant, run, sequence);
  change(
    session,
    "DELETE FROM tessera_journal WHERE tenant = ? AND run = ? AND sequence <= ?",
    tenant,
    run,
    sequence,
  );
}
