/** @module Pruning in SQLite: which runs are to be pruned; old turns go, an anchor and the state after them stay. */
import { hashBytes } from "../blob.ts";
import { encodeState } from "../codec.ts";
import { hashBlob } from "../hash-bytes.ts";
import { timedCursorOf, timedPageOf } from "../page.ts";
import type { PrunableQuery, PruneResult, Pruning } from "../pruning.ts";
import type { Page } from "../query.ts";
import { RUN_COLUMNS, runRow, type StoredRun } from "../run-rows.ts";
import type { RunRow } from "../store.ts";
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
  const pruned = sequence < run.sequence ? "pruned_to = ?" : "pruned_to = ?, prunable_at = NULL";
  change(session, `UPDATE tessera_runs SET ${pruned} WHERE id = ?`, sequence, run.id);
  return "pruned";
}

/**
 * A page of the runs that are to be pruned before a time, along the index of those that are to be pruned at all.
 *
 * @refines D10.28
 */
export function listPrunable(session: Session, query: PrunableQuery): Page<RunRow> {
  const { before, limit } = query;
  const [at, id] = timedCursorOf(query.after);
  const tenant = tenantId(session, query.tenant);
  if (tenant === null) return { rows: [], next: null };
  const text = `SELECT ${RUN_COLUMNS}, r.prunable_at FROM tessera_runs r
    WHERE r.tenant = ? AND r.prunable_at < ? AND (r.prunable_at, r.id) > (?, ?) ORDER BY r.prunable_at, r.id LIMIT ?`;
  type Found = StoredRun & { readonly prunable_at: number };
  const found = many<Found>(session, text, tenant, before, at, id, limit + 1);
  return timedPageOf(
    found.map((stored) => ({ at: stored.prunable_at, id: stored.id, row: runRow(query.tenant, stored) })),
    limit,
  );
}

/** What a run that is to be pruned has as `prunable_at`; the others have NULL. What a check compares. */
export const PRUNABLE_AT = `CASE WHEN status IN ('completed', 'failed', 'cancelled') AND COALESCE(pruned_to, 0) < sequence
  THEN updated_at END`;

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
