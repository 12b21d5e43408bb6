/** @module Anchors in SQLite: what stands for the turns of a run that are pruned. */
import type { Hash } from "@tessera/core";
import { hashBytes } from "../blob.ts";
import { hashOf } from "../hash-bytes.ts";
import type { Anchor } from "../pruning.ts";
import { one, type Session } from "./driver.ts";

/** The anchor of a run at a sequence, with the hash of the state that is kept there now. */
export function anchorAt(session: Session, tenant: number, run: number, sequence: number): Anchor | null {
  const text = `SELECT head, state, pruned_by, pruned_reason, pruned_at FROM tessera_anchors
    WHERE tenant = ? AND run = ? AND sequence = ?`;
  const row = one<StoredAnchor>(session, text, tenant, run, sequence);
  if (row === null) return null;
  const { head, state, pruned_by: by, pruned_reason: reason, pruned_at: at } = row;
  const kept = keptState(session, tenant, run, sequence);
  return { sequence, head: hashOf(head), state: hashOf(state), kept, by, reason, at };
}

/** The hash of the state that is kept as a snapshot, null when there is none. */
function keptState(session: Session, tenant: number, run: number, sequence: number): Hash | null {
  const text = "SELECT payload FROM tessera_snapshots WHERE tenant = ? AND run = ? AND sequence = ?";
  const row = one<{ payload: Uint8Array }>(session, text, tenant, run, sequence);
  return row === null ? null : hashBytes(row.payload);
}

interface StoredAnchor {
  readonly head: Uint8Array;
  readonly state: Uint8Array;
  readonly pruned_by: string;
  readonly pruned_reason: string;
  readonly pruned_at: number;
}
