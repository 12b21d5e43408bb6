/** @module Large values in PostgreSQL: stored once for each tenant, gone with the last row that refers to them. */
import type { Hash } from "@tessera/core";
import type { Blob, BlobSource, OwnerKind } from "../blob.ts";
import { hashBlob, hashOf } from "../hash-bytes.ts";
import { many, type Session } from "./driver.ts";

/** Keeps `blobs` and records that a row refers to them. */
export function ownBlobs(
  session: Session,
  tenant: number,
  kind: OwnerKind,
  owner: number,
  blobs: readonly Blob[],
): void {
  // A value that is there already is locked by being written again: nobody can take it away before this is committed.
  const own = `WITH kept AS (
      INSERT INTO tessera_blobs (id, tenant, hash, bytes) VALUES (nextval('tessera_number'), $1, $4, $5)
      ON CONFLICT (tenant, hash) DO UPDATE SET hash = EXCLUDED.hash RETURNING id)
    INSERT INTO tessera_blob_owners (tenant, kind, owner, blob) SELECT $1, $2, $3, id FROM kept ON CONFLICT DO NOTHING`;
  for (const { hash, bytes } of blobs) session.post(own, [tenant, kind, owner, hashBlob(hash), bytes]);
}

/** Forgets that a row refers to large values; those that no row refers to go. */
export function disownBlobs(session: Session, tenant: number, kind: OwnerKind, owner: number): void {
  // The parts of one statement see the same state, in which the owners that go are still there.
  const disown = `WITH gone AS (
      DELETE FROM tessera_blob_owners WHERE tenant = $1 AND kind = $2 AND owner = $3 RETURNING blob)
    DELETE FROM tessera_blobs b USING gone WHERE b.id = gone.blob AND NOT EXISTS (
      SELECT 1 FROM tessera_blob_owners o WHERE o.blob = b.id AND NOT (o.tenant = $1 AND o.kind = $2 AND o.owner = $3))`;
  session.post(disown, [tenant, kind, owner]);
}

/** What `decode` makes of rows of a tenant, with the large values that it asks for. `decode` may be called again. */
export async function withBlobs<T>(
  session: Session,
  tenant: number,
  decode: (blobs: BlobSource) => T,
): Promise<T> {
  const known = new Map<Hash, Uint8Array | null>();
  for (;;) {
    const missing = new Set<Hash>();
    const value = decode((hash) => {
      const bytes = known.get(hash);
      if (bytes === undefined) missing.add(hash);
      return bytes ?? null;
    });
    if (missing.size === 0) return value;
    const text = "SELECT hash, bytes FROM tessera_blobs WHERE tenant = $1 AND hash = ANY($2::bytea[])";
    const rows = await many<{ hash: Uint8Array; bytes: Uint8Array }>(
      session,
      text,
      tenant,
      [...missing].map(hashBlob),
    );
    for (const hash of missing) known.set(hash, null);
    for (const { hash, bytes } of rows) known.set(hashOf(hash), bytes);
  }
}
