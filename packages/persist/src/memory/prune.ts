/** @module Pruning in the memory store. */
import { hashBytes } from "../blob.ts";
import { encodeState } from "../codec.ts";
import type { PruneResult, Pruning } from "../pruning.ts";
import { hasEnded } from "../turn-check.ts";
import { dropSnapshots } from "./commit.ts";
import { assign, disownBlobs, ownBlobs, type Tables, type TenantTables } from "./tables.ts";

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
  assign(tables, run, "row", { ...run.row, prunedTo: sequence });
  return "pruned";
}
