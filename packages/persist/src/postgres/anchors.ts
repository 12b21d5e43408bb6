/** @module Anchors in PostgreSQL: what stands for the turns of a run that are pruned. */
import { hashBytes } from "../blob.ts";
import { hashOf } from "../hash-bytes.ts";
import type { Anchor } from "../pruning.ts";
import { one, type Session } from "./driver.ts";

/** The anchor of a run at a sequence, with the hash of the state that is kept there now. */
export async function anchorAt(
  session: Session,
  tenant: number,
  run: number,
  sequence: number,
): Promise<Anchor | null> {
  const text = `SELECT a.head, a.state, a.pruned_by, a.pruned_reason, a.pruned_at, s.payload FROM tessera_anchors a
    LEFT JOIN tessera_snapshots s ON s.tenant = a.tenant AND s.run = a.run AND s.sequence = a.sequence
    WHERE a.tenant = $1 AND a.run = $2 AND a.sequence = $3`;
  const row = await one<StoredAnchor>(session, text, tenant, run, sequence);
  if (row === null) return null;
  const { head, state, pruned_by: by, pruned_reason: reason, pruned_at: at, payload } = row;
  const kept = payload === null ? null : hashBytes(payload);
  return { sequence, head: hashOf(head), state: hashOf(state), kept, by, reason, at };
}

interface StoredAnchor {
  readonly head: Uint8Array;
  readonly state: Uint8Array;
  readonly pruned_by: string;
  readonly pruned_reason: string;
  readonly pruned_at: number;
  /** The state that is kept as a snapshot. */
  readonly payload: Uint8Array | null;
}
