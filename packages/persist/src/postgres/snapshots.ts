/** @module Snapshots in PostgreSQL: the state after a turn, so that a run is loaded without its whole history. */
import type { RunState } from "@tessera/core";
import { decodeState, encodeState } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { disownBlobs, ownBlobs, withBlobs } from "./blobs.ts";
import { many, one, type Session } from "./driver.ts";
import type { Writing } from "./writing.ts";

/** Keeps the state of a run after a turn. Uses one number. */
export function putSnapshot(
  into: Writing,
  tenant: number,
  run: number,
  sequence: number,
  state: RunState,
): void {
  const { bytes, blobs } = encodeState(state);
  const id = into.number();
  const put =
    "INSERT INTO tessera_snapshots (id, tenant, run, sequence, payload) VALUES ($1, $2, $3, $4, $5)";
  into.session.post(put, [id, tenant, run, sequence, bytes]);
  ownBlobs(into.session, tenant, "snapshot", id, blobs);
}

/** Drops the snapshots of a run from one sequence to another, both included. */
export async function dropSnapshots(
  session: Session,
  tenant: number,
  run: number,
  from: number,
  to: number,
): Promise<void> {
  const text = `DELETE FROM tessera_snapshots WHERE tenant = $1 AND run = $2 AND sequence BETWEEN $3 AND $4 RETURNING id`;
  for (const { id } of await many<{ id: number }>(session, text, tenant, run, from, to))
    disownBlobs(session, tenant, "snapshot", id);
}

/** The sequence of the newest snapshot of a run not after `atSequence`, 0 when there is none. */
export async function newestSnapshot(
  session: Session,
  tenant: number,
  run: number,
  atSequence: number,
): Promise<number> {
  const text =
    "SELECT MAX(sequence) AS sequence FROM tessera_snapshots WHERE tenant = $1 AND run = $2 AND sequence <= $3";
  return (await one<{ sequence: number | null }>(session, text, tenant, run, atSequence))?.sequence ?? 0;
}

/** The state that a snapshot holds. */
export async function readSnapshot(
  session: Session,
  tenant: number,
  run: number,
  sequence: number,
): Promise<RunState | null> {
  const text = "SELECT payload FROM tessera_snapshots WHERE tenant = $1 AND run = $2 AND sequence = $3";
  const row = await one<{ payload: Uint8Array }>(session, text, tenant, run, sequence);
  if (row === null) return null;
  return valueOrCorrupt(await withBlobs(session, tenant, (blobs) => decodeState(row.payload, blobs)));
}
