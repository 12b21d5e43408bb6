/** @module Runs in SQLite as they are read: rows, the way back to a state, the journal. */
import type { Hash, TurnRecord } from "@tessera/core";
import { type ChainIdentity, chainHead, GENESIS } from "../chain.ts";
import { decodeRecord } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { hashOf } from "../hash-bytes.ts";
import type { GraphRow, JournalRow } from "../journal-row.ts";
import {
  journalRow,
  RUN_COLUMNS,
  recordedMutations,
  runRow,
  type StoredRun,
  type StoredTurn,
} from "../run-rows.ts";
import type { LoadedRun } from "../store.ts";
import { anchorAt } from "./anchors.ts";
import { blobSource } from "./blobs.ts";
import { many, one, type Session } from "./driver.ts";
import { graphHead } from "./graphs.ts";
import { newestSnapshot, readSnapshot } from "./snapshots.ts";
import { tenantId } from "./writing.ts";

/**
 * The run, the newest snapshot not after `atSequence`, and the turns behind it. Requires: one read transaction.
 *
 * @refines D10.14
 */
export function loadRun(
  session: Session,
  tenantName: string,
  id: string,
  atSequence: number = Number.MAX_SAFE_INTEGER,
): LoadedRun | null {
  const tenant = tenantId(session, tenantName);
  const stored = tenant === null ? null : storedRun(session, tenant, id);
  if (tenant === null || stored === null) return null;
  const prunedTo = stored.pruned_to ?? 0;
  const from = newestSnapshot(session, tenant, stored.id, atSequence);
  const isCut = from < prunedTo;
  const text = `SELECT sequence, payload FROM tessera_journal
    WHERE tenant = ? AND run = ? AND sequence > ? AND sequence <= ? ORDER BY sequence`;
  const rows = isCut
    ? []
    : many<{ sequence: number; payload: Uint8Array | null }>(
        session,
        text,
        tenant,
        stored.id,
        from,
        atSequence,
      );
  const tail: TurnRecord[] = [];
  // The state at the anchor is gone although the turns behind it are asked for: only an erasure takes it.
  let erasedAt: number | null = isCut && atSequence >= prunedTo ? prunedTo : null;
  for (const { sequence, payload } of rows) {
    if (payload === null) erasedAt ??= sequence;
    if (payload === null || erasedAt !== null) break;
    tail.push(valueOrCorrupt(decodeRecord(payload, blobSource(session, tenant))));
  }
  const row = runRow(tenantName, stored);
  const isNow = atSequence >= stored.sequence;
  return {
    row,
    definition: (isNow ? null : definitionAt(session, tenant, stored.id, atSequence)) ?? row.definition,
    snapshot: readSnapshot(session, tenant, stored.id, from),
    tail,
    erasedAt,
    anchor: stored.pruned_to === null ? null : anchorAt(session, tenant, stored.id, stored.pruned_to),
  };
}

/** The definition that a run left after `sequence`, null if it is in the same one still. */
function definitionAt(session: Session, tenant: number, run: number, sequence: number): Hash | null {
  const text = `SELECT before FROM tessera_moves WHERE tenant = ? AND run = ? AND sequence > ? ORDER BY sequence LIMIT 1`;
  const row = one<{ before: Uint8Array }>(session, text, tenant, run, sequence);
  return row === null ? null : hashOf(row.before);
}

/** Rows of the journal of a run behind `after`, with the head of the row before each. */
export function readJournal(
  session: Session,
  tenantName: string,
  id: string,
  after: number,
  limit: number,
): readonly JournalRow[] {
  const tenant = tenantId(session, tenantName);
  const run = tenant === null ? null : storedRun(session, tenant, id);
  if (tenant === null || run === null) return [];
  const text = `SELECT sequence, head, salt, payload, payload_hash, erased_by, erased_reason, erased_at
    FROM tessera_journal WHERE tenant = ? AND run = ? AND sequence > ? ORDER BY sequence LIMIT ?`;
  const behind = Math.max(after, run.pruned_to ?? 0);
  let previous = headBefore(session, tenant, run, behind);
  return many<StoredTurn>(session, text, tenant, run.id, behind, limit).map((stored) => {
    const row = journalRow(stored, previous);
    previous = row.head;
    return { ...row, record: recordOf(session, tenant, { tenant: tenantName, run: id }, row) };
  });
}

/** Turns that changed a graph behind `after`, with the mutations that their records hold. */
export function readGraphJournal(
  session: Session,
  tenantName: string,
  name: string,
  after: number,
  limit: number,
): readonly GraphRow[] {
  const tenant = tenantId(session, tenantName);
  const graph = tenant === null ? null : graphHead(session, tenant, name);
  if (tenant === null || graph === null) return [];
  const text = `SELECT g.sequence, r.run, g.run_sequence AS runSequence, j.payload
    FROM tessera_graph_journal g
    JOIN tessera_runs r ON r.id = g.run
    LEFT JOIN tessera_journal j ON j.tenant = g.tenant AND j.run = g.run AND j.sequence = g.run_sequence
    WHERE g.tenant = ? AND g.graph = ? AND g.sequence > ? ORDER BY g.sequence LIMIT ?`;
  const rows = many<Omit<GraphRow, "mutations"> & { payload: Uint8Array | null }>(
    session,
    text,
    tenant,
    graph.id,
    after,
    limit,
  );
  return rows.map(({ payload, ...row }) => {
    const record =
      payload === null ? null : valueOrCorrupt(decodeRecord(payload, blobSource(session, tenant)));
    return { ...row, mutations: record === null ? null : recordedMutations(record) };
  });
}

/** The row of a run. */
export function storedRun(session: Session, tenant: number, run: string): StoredRun | null {
  return one(
    session,
    `SELECT ${RUN_COLUMNS} FROM tessera_runs r WHERE r.tenant = ? AND r.run = ?`,
    tenant,
    run,
  );
}

/** Who changed a payload must not keep an audit from saying where: such a row is shown, without a record. */
function recordOf(
  session: Session,
  tenant: number,
  identity: ChainIdentity,
  { sequence, previous, payloadHash: hash, head, payload }: Omit<JournalRow, "record">,
): TurnRecord | null {
  if (payload === null) return null;
  const decoded = decodeRecord(payload, blobSource(session, tenant));
  const isChanged = !decoded.ok && chainHead(identity, sequence, previous, hash) !== head;
  return isChanged ? null : valueOrCorrupt(decoded);
}

function headBefore(
  session: Session,
  tenant: number,
  { id: run, pruned_to }: StoredRun,
  sequence: number,
): Hash {
  if (sequence === 0) return GENESIS;
  if (sequence === pruned_to) return anchorAt(session, tenant, run, sequence)?.head ?? GENESIS;
  const text = "SELECT head FROM tessera_journal WHERE tenant = ? AND run = ? AND sequence = ?";
  const row = one<{ head: Uint8Array }>(session, text, tenant, run, sequence);
  return row === null ? GENESIS : hashOf(row.head);
}
