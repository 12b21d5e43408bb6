/** @module Runs in PostgreSQL as they are read: rows, the way back to a state, the journal. */
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
import { withBlobs } from "./blobs.ts";
import { many, one, type Session } from "./driver.ts";
import { graphHead } from "./graphs.ts";
import type { Host } from "./host.ts";
import { newestSnapshot, readSnapshot } from "./snapshots.ts";
import { tenantId } from "./writing.ts";

/**
 * The run, the newest snapshot not after `atSequence`, and the turns behind it. Requires: one read transaction.
 *
 * @refines D10.14
 */
export async function loadRun(
  host: Host,
  session: Session,
  tenantName: string,
  id: string,
  atSequence: number = Number.MAX_SAFE_INTEGER,
): Promise<LoadedRun | null> {
  const tenant = await tenantId(host, session, tenantName);
  const stored = tenant === null ? null : await storedRun(session, tenant, id);
  if (tenant === null || stored === null) return null;
  const from = await newestSnapshot(session, tenant, stored.id, atSequence);
  const text = `SELECT sequence, payload FROM tessera_journal
    WHERE tenant = $1 AND run = $2 AND sequence > $3 AND sequence <= $4 ORDER BY sequence`;
  const { pruned_to: prunedTo } = stored;
  const isCut = from < (prunedTo ?? 0);
  const [found, snapshot, anchor, left] = await Promise.all([
    many<Pick<StoredTurn, "sequence" | "payload">>(session, text, tenant, stored.id, from, atSequence),
    readSnapshot(session, tenant, stored.id, from),
    prunedTo === null ? null : anchorAt(session, tenant, stored.id, prunedTo),
    atSequence >= stored.sequence ? null : definitionAt(session, tenant, stored.id, atSequence),
  ]);
  const rows = isCut ? [] : found;
  const end = rows.findIndex(({ payload }) => payload === null);
  const payloads = rows.slice(0, end < 0 ? rows.length : end).map(({ payload }) => payload as Uint8Array);
  const tail = await withBlobs(session, tenant, (blobs) => payloads.map((each) => decodeRecord(each, blobs)));
  const row = runRow(tenantName, stored);
  return {
    row,
    definition: left ?? row.definition,
    snapshot,
    tail: tail.map(valueOrCorrupt),
    // The state at the anchor is gone although the turns behind it are asked for: only an erasure takes it.
    erasedAt: isCut && prunedTo !== null && atSequence >= prunedTo ? prunedTo : (rows[end]?.sequence ?? null),
    anchor,
  };
}

/** The definition that a run left after `sequence`, null if it is in the same one still. */
async function definitionAt(
  session: Session,
  tenant: number,
  run: number,
  sequence: number,
): Promise<Hash | null> {
  const text =
    "SELECT before FROM tessera_moves WHERE tenant = $1 AND run = $2 AND sequence > $3 ORDER BY sequence LIMIT 1";
  const row = await one<{ before: Uint8Array }>(session, text, tenant, run, sequence);
  return row === null ? null : hashOf(row.before);
}

/** Rows of the journal of a run behind `after`, with the head of the row before each. */
export async function readJournal(
  host: Host,
  session: Session,
  tenantName: string,
  id: string,
  after: number,
  limit: number,
): Promise<readonly JournalRow[]> {
  const tenant = await tenantId(host, session, tenantName);
  const run = tenant === null ? null : await storedRun(session, tenant, id);
  if (tenant === null || run === null) return [];
  const text = `SELECT sequence, head, salt, payload, payload_hash, erased_by, erased_reason, erased_at
    FROM tessera_journal WHERE tenant = $1 AND run = $2 AND sequence > $3 ORDER BY sequence LIMIT $4`;
  const behind = Math.max(after, run.pruned_to ?? 0);
  let previous = await headBefore(session, tenant, run, behind);
  const stored = await many<StoredTurn>(session, text, tenant, run.id, behind, limit);
  const rows = stored.map((each) => {
    const row = journalRow(each, previous);
    previous = row.head;
    return row;
  });
  const identity = { tenant: tenantName, run: id };
  const decoded = await withBlobs(session, tenant, (blobs) =>
    rows.map(({ payload }) => (payload === null ? null : decodeRecord(payload, blobs))),
  );
  return rows.map((row, index) => ({ ...row, record: recordOf(identity, row, decoded[index] ?? null) }));
}

/** Who changed a payload must not keep an audit from saying where: such a row is shown, without a record. */
function recordOf(
  identity: ChainIdentity,
  { sequence, previous, payloadHash: hash, head }: Omit<JournalRow, "record">,
  decoded: ReturnType<typeof decodeRecord> | null,
): TurnRecord | null {
  if (decoded === null) return null;
  const isChanged = !decoded.ok && chainHead(identity, sequence, previous, hash) !== head;
  return isChanged ? null : valueOrCorrupt(decoded);
}

/** Turns that changed a graph behind `after`, with the mutations that their records hold. */
export async function readGraphJournal(
  host: Host,
  session: Session,
  tenantName: string,
  name: string,
  after: number,
  limit: number,
): Promise<readonly GraphRow[]> {
  const tenant = await tenantId(host, session, tenantName);
  const graph = tenant === null ? null : await graphHead(session, tenant, name);
  if (tenant === null || graph === null) return [];
  const text = `SELECT g.sequence, r.run, g.run_sequence, j.payload
    FROM tessera_graph_journal g
    JOIN tessera_runs r ON r.id = g.run
    LEFT JOIN tessera_journal j ON j.tenant = g.tenant AND j.run = g.run AND j.sequence = g.run_sequence
    WHERE g.tenant = $1 AND g.graph = $2 AND g.sequence > $3 ORDER BY g.sequence LIMIT $4`;
  type Row = { sequence: number; run: string; run_sequence: number; payload: Uint8Array | null };
  const rows = await many<Row>(session, text, tenant, graph.id, after, limit);
  const records = await withBlobs(session, tenant, (blobs) =>
    rows.map(({ payload }) => (payload === null ? null : decodeRecord(payload, blobs))),
  );
  return rows.map(({ sequence, run, run_sequence: runSequence }, index) => {
    const record = records[index] ?? null;
    const mutations = record === null ? null : recordedMutations(valueOrCorrupt(record));
    return { sequence, run, runSequence, mutations };
  });
}

/** The row of a run. */
export function storedRun(session: Session, tenant: number, run: string): Promise<StoredRun | null> {
  const text = `SELECT ${RUN_COLUMNS} FROM tessera_runs r WHERE r.tenant = $1 AND r.run = $2`;
  return one(session, text, tenant, run);
}

/** The row of a run with its tenant, locked so that no turn moves it, null when there is none. Requires: a write transaction. */
export async function lockedRun(
  host: Host,
  session: Session,
  tenantName: string,
  id: string,
): Promise<{ readonly tenant: number; readonly run: StoredRun } | null> {
  const tenant = await tenantId(host, session, tenantName);
  if (tenant === null) return null;
  session.post("SELECT id FROM tessera_runs WHERE tenant = $1 AND run = $2 FOR NO KEY UPDATE", [tenant, id]);
  const run = await storedRun(session, tenant, id);
  return run === null ? null : { tenant, run };
}

async function headBefore(
  session: Session,
  tenant: number,
  { id: run, pruned_to }: StoredRun,
  sequence: number,
): Promise<Hash> {
  if (sequence === 0) return GENESIS;
  if (sequence === pruned_to) return (await anchorAt(session, tenant, run, sequence))?.head ?? GENESIS;
  const text = "SELECT head FROM tessera_journal WHERE tenant = $1 AND run = $2 AND sequence = $3";
  const row = await one<{ head: Uint8Array }>(session, text, tenant, run, sequence);
  return row === null ? GENESIS : hashOf(row.head);
}
