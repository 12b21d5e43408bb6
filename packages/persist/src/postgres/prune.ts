/** @module Pruning in PostgreSQL: which runs are to be pruned; old turns go, an anchor and the state after them stay. */
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
import { many, one, type Session } from "./driver.ts";
import type { Host } from "./host.ts";
import { lockedRun } from "./runs.ts";
import { dropSnapshots, putSnapshot } from "./snapshots.ts";
import { tenantId, type Writing } from "./writing.ts";

/**
 * Prunes a run. Requires: a write transaction.
 *
 * @refines D10.20
 */
export async function pruneRun(
  host: Host,
  into: Writing,
  tenantName: string,
  id: string,
  pruning: Pruning,
): Promise<PruneResult> {
  const { session } = into;
  const { sequence, state, by, reason, at } = pruning;
  const found = await lockedRun(host, session, tenantName, id);
  if (found === null || sequence < 1 || sequence > found.run.sequence) return "absent";
  const { tenant, run } = found;
  if (sequence <= (run.pruned_to ?? 0)) return "already";
  const erasedText = "SELECT erased_from AS at FROM tessera_runs WHERE id = $1 AND erased_from <= $2";
  if (hasEnded(run.status) && (await one(session, erasedText, run.id, sequence)) !== null) return "erased";
  const headText = "SELECT head FROM tessera_journal WHERE tenant = $1 AND run = $2 AND sequence = $3";
  const last = await one<{ head: Uint8Array }>(session, headText, tenant, run.id, sequence);
  if (last === null) return "absent";
  await dropSnapshots(session, tenant, run.id, 0, sequence);
  await into.reserve(1);
  putSnapshot(into, tenant, run.id, sequence, state);
  const anchor = `INSERT INTO tessera_anchors (tenant, run, sequence, head, state, pruned_by, pruned_reason, pruned_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const hash = hashBlob(hashBytes(encodeState(state).bytes));
  session.post(anchor, [tenant, run.id, sequence, last.head, hash, by, reason, at]);
  await dropTurns(session, tenant, run.id, sequence);
  const pruned = sequence < run.sequence ? "pruned_to = $1" : "pruned_to = $1, prunable_at = NULL";
  session.post(`UPDATE tessera_runs SET ${pruned} WHERE id = $2`, [sequence, run.id]);
  return "pruned";
}

/**
 * A page of the runs that are to be pruned before a time, along the index of those that are to be pruned at all.
 *
 * @refines D10.28
 */
export async function listPrunable(
  host: Host,
  session: Session,
  query: PrunableQuery,
): Promise<Page<RunRow>> {
  const { before, limit } = query;
  const [at, id] = timedCursorOf(query.after);
  const tenant = await tenantId(host, session, query.tenant);
  if (tenant === null) return { rows: [], next: null };
  const text = `SELECT ${RUN_COLUMNS}, r.prunable_at FROM tessera_runs r
    WHERE r.tenant = $1 AND r.prunable_at < $2 AND (r.prunable_at, r.id) > ($3, $4)
    ORDER BY r.prunable_at, r.id LIMIT $5`;
  type Found = StoredRun & { readonly prunable_at: number };
  const found = await many<Found>(session, text, tenant, before, at, id, limit + 1);
  return timedPageOf(
    found.map((stored) => ({ at: stored.prunable_at, id: stored.id, row: runRow(query.tenant, stored) })),
    limit,
  );
}

/** Takes turns out with their large values. What they did once stays done once: their dedupe ids are spent. */
async function dropTurns(session: Session, tenant: number, run: number, sequence: number): Promise<void> {
  const owners = `SELECT DISTINCT o.owner FROM tessera_journal j
    JOIN tessera_blob_owners o ON o.tenant = j.tenant AND o.kind = 'turn' AND o.owner = j.id
    WHERE j.tenant = $1 AND j.run = $2 AND j.sequence <= $3`;
  for (const { owner } of await many<{ owner: number }>(session, owners, tenant, run, sequence))
    disownBlobs(session, tenant, "turn", owner);
  const spent = `INSERT INTO tessera_spent (tenant, run, dedupe, sequence)
    SELECT tenant, run, dedupe, sequence FROM tessera_journal
    WHERE tenant = $1 AND run = $2 AND sequence <= $3 AND dedupe IS NOT NULL`;
  session.post(spent, [tenant, run, sequence]);
  const gone = "DELETE FROM tessera_journal WHERE tenant = $1 AND run = $2 AND sequence <= $3";
  session.post(gone, [tenant, run, sequence]);
}
