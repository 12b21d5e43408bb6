/** @module Snapshots in SQLite: the state after a turn, so that a run is loaded without its whole history. */
import type { RunState } from "@tessera/core";
import { decodeState, encodeState } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { blobSource, disownBlobs, ownBlobs } from "./blobs.ts";
import { change, insert, many, one, type Session } from "./driver.ts";

/** Keeps the state of a run after a turn. */
export function putSnapshot(
  session: Session,
  tenant: number,
  run: number,
  sequence: number,
  state: RunState,
): void {
  const { bytes, blobs } = encodeState(state);
  const put = "INSERT INTO tessera_snapshots (tenant, run, sequence, payload) VALUES (?, ?, ?, ?)";
  const id = insert(session, put, tenant, run, sequence, bytes);
  if (blobs.length > 0) ownBlobs(session, tenant, "snapshot", id, blobs);
}

/** Drops the snapshots of a run from one sequence to another, both included. */
export function dropSnapshots(session: Session, tenant: number, run: number, from: number, to: number): void {
  const text = "SELECT id FROM tessera_snapshots WHERE tenant = ? AND run = ? AND sequence BETWEEN ? AND ?";
  for (const { id } of many<{ id: number }>(session, text, tenant, run, from, to)) {
    disownBlobs(session, tenant, "snapshot", id);
    change(session, "DELETE FROM tessera_snapshots WHERE id = ?", id);
  }
}

/** The sequence of the newest snapshot of a run not after `atSequence`, 0 when there is none. */
export function newestSnapshot(session: Session, tenant: number, run: number, atSequence: number): number {
  const text =
    "SELECT MAX(sequence) AS sequence FROM tessera_snapshots WHERE tenant = ? AND run = ? AND sequence <= ?";
  return one<{ sequence: number | null }>(session, text, tenant, run, atSequence)?.sequence ?? 0;
}

/** The state that a snapshot holds. */
export function readSnapshot(
  session: Session,
  tenant: number,
  run: number,
  sequence: number,
): RunState | null {
  const text = "SELECT payload FROM tessera_snapshots WHERE tenant = ? AND run = ? AND sequence = ?";
  const row = one<{ payload: Uint8Array }>(session, text, tenant, run, sequence);
  return row === null ? null : valueOrCorrupt(decodeState(row.payload, blobSource(session, tenant)));
}
