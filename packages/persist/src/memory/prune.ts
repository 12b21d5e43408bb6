/** @module Pruning in the memory store: what is to go, and how it goes. */
import { hashBytes } from "../blob.ts";
import { encodeState } from "../codec.ts";
import { timedCursorOf, timedPageOf } from "../page.ts";
import type { PrunableQuery, PruneResult, Pruning } from "../pruning.ts";
import type { Page } from "../query.ts";
import type { RunRow } from "../store.ts";
import { hasEnded } from "../turn-check.ts";
import { dropSnapshots } from "./commit.ts";
import { entriesBehind } from "./ordered-index.ts";
import { assign, disownBlobs, ownBlobs, setRow, type Tables, type TenantTables } from "./tables.ts";

/**
 * Takes the turns up to a sequence out; the state after them and an anchor stay.
 *
 * @definition D10.20
 */
export function pruneRun(tables: Tables, tenant: TenantTables, id: string, pruning: Pruning): PruneResult {
  const { sequence, state, by, reason, at } = pruning;
  const run = tenant.runs.get(id);
  if (run === undefined || sequence < 1 || sequence > run.row.sequence) return "absent";
  if (sequence <= run.row.prunedTo) return "already";
  if (hasEnded(run.row.status) && run.erasedFrom !== null && run.erasedFrom <= sequence) return "erased";
  const count = sequence - run.row.prunedTo;
  const last = run.journal[count - 1];
  if (last === undefined) return "absent";
  const { bytes, blobs } = encodeState(state);
  dropSnapshots(tables, tenant, run, (each) => each <= sequence);
  const snapshot = { sequence, bytes, blobs: ownBlobs(tables, tenant, blobs) };
  assign(tables, run, "snapshots", [snapshot, ...run.snapshots]);
  for (const turn of run.journal.slice(0, count)) disownBlobs(tables, tenant, turn.blobs);
  assign(tables, run, "journal", run.journal.slice(count));
  assign(tables, run, "anchor", { sequence, head: last.head, state: hashBytes(bytes), by, reason, at });
  setRow(tables, tenant, run, { ...run.row, prunedTo: sequence });
  return "pruned";
}

/**
 * A page of the runs that are to be pruned before a time.
 *
 * @definition D10.28
 */
export function listPrunable(tenant: TenantTables, { before, after, limit }: PrunableQuery): Page<RunRow> {
  const found = entriesBehind(tenant.prunable, timedCursorOf(after), before, limit + 1);
  return timedPageOf(
    found.map(({ key: at, id, value: { run } }) => ({ at, id, row: run.row })),
    limit,
  );
}
