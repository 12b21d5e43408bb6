/** @module Runs of the memory store as they are read: the way back to a state, journals of runs and graphs. */
import { hashBytes } from "../blob.ts";
import { GENESIS } from "../chain.ts";
import { decodeRecord, decodeState } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import type { GraphRow, JournalRow } from "../journal-row.ts";
import type { Anchor } from "../pruning.ts";
import type { LoadedRun } from "../store.ts";
import { blobSource, type StoredRun, type StoredTurn, type TenantTables } from "./tables.ts";

/**
 * The run with what its state at a sequence is folded from.
 *
 * @definition D10.14
 */
export function loadRun(
  tenant: TenantTables,
  id: string,
  atSequence: number = Number.POSITIVE_INFINITY,
): LoadedRun | null {
  const run = tenant.runs.get(id);
  if (run === undefined) return null;
  const source = blobSource(tenant);
  const { prunedTo } = run.row;
  const snapshot = run.snapshots.findLast(({ sequence }) => sequence <= atSequence);
  const from = snapshot?.sequence ?? 0;
  const rows = run.journal.filter(
    ({ sequence }) => from >= prunedTo && sequence > from && sequence <= atSequence,
  );
  const erased = rows.findIndex(({ payload }) => payload === null);
  const readable = erased === -1 ? rows : rows.slice(0, erased);
  const isStateGone = from < prunedTo && atSequence >= prunedTo;
  return {
    row: run.row,
    definition: run.moves.find(({ sequence }) => sequence > atSequence)?.before ?? run.row.definition,
    snapshot: snapshot === undefined ? null : valueOrCorrupt(decodeState(snapshot.bytes, source)),
    tail: readable.map(({ payload }) => valueOrCorrupt(decodeRecord(payload ?? new Uint8Array(), source))),
    erasedAt: isStateGone ? prunedTo : (rows[erased]?.sequence ?? null),
    anchor: anchorOf(run),
  };
}

/** The anchor of a run with the hash of the state that is kept there now. */
function anchorOf({ anchor, snapshots }: StoredRun): Anchor | null {
  if (anchor === null) return null;
  const kept = snapshots.find(({ sequence }) => sequence === anchor.sequence);
  return { ...anchor, kept: kept === undefined ? null : hashBytes(kept.bytes) };
}

/** Rows of the journal of a run behind `after`. */
export function readJournal(
  tenant: TenantTables,
  id: string,
  after: number,
  limit: number,
): readonly JournalRow[] {
  const run = tenant.runs.get(id);
  if (run === undefined) return [];
  const source = blobSource(tenant);
  const first = Math.max(0, after - run.row.prunedTo);
  return run.journal.slice(first, first + limit).map(({ blobs: _, ...row }: StoredTurn, index) => ({
    ...row,
    previous: run.journal[first + index - 1]?.head ?? run.anchor?.head ?? GENESIS,
    record: row.payload === null ? null : valueOrCorrupt(decodeRecord(row.payload, source)),
  }));
}

/** Turns that changed a graph, with the mutations that their records hold. */
export function readGraphJournal(
  tenant: TenantTables,
  id: string,
  after: number,
  limit: number,
): readonly GraphRow[] {
  const turns = tenant.graphs.get(id)?.journal.slice(after, after + limit) ?? [];
  return turns.map(({ run, runSequence }, index) => {
    const [row] = readJournal(tenant, run, runSequence - 1, 1);
    const record = row?.sequence === runSequence ? row.record : null;
    const mutations =
      record?.steps.flatMap((step) => (step.mutation === undefined ? [] : [step.mutation])) ?? null;
    return { sequence: after + index + 1, run, runSequence, mutations };
  });
}
