/** @module Large values in SQLite: stored once for each tenant, gone with the last row that refers to them. */
import type { Blob, BlobSource, OwnerKind } from "../blob.ts";
import { hashBlob } from "../hash-bytes.ts";
import { change, many, one, type Session } from "./driver.ts";

/** Keeps `blobs` and records that a row refers to them. */
export function ownBlobs(
  session: Session,
  tenant: number,
  kind: OwnerKind,
  owner: number,
  blobs: readonly Blob[],
): void {
  for (const { hash, bytes } of blobs) {
    const key = hashBlob(hash);
    const put = "INSERT INTO tessera_blobs (tenant, hash, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    change(session, put, tenant, key, bytes);
    change(
      session,
      `INSERT INTO tessera_blob_owners (tenant, kind, owner, blob)
       SELECT ?, ?, ?, id FROM tessera_blobs WHERE tenant = ? AND hash = ? ON CONFLICT DO NOTHING`,
      tenant,
      kind,
      owner,
      tenant,
      key,
    );
  }
}

/** Forgets that a row refers to large values; those that no row refers to go. */
export function disownBlobs(session: Session, tenant: number, kind: OwnerKind, owner: number): void {
  const owned = "SELECT blob FROM tessera_blob_owners WHERE tenant = ? AND kind = ? AND owner = ?";
  const blobs = many<{ blob: number }>(session, owned, tenant, kind, owner);
  if (blobs.length === 0) return;
  change(
    session,
    "DELETE FROM tessera_blob_owners WHERE tenant = ? AND kind = ? AND owner = ?",
    tenant,
    kind,
    owner,
  );
  for (const { blob } of blobs) {
    const orphan =
      "DELETE FROM tessera_blobs WHERE id = ? AND NOT EXISTS (SELECT 1 FROM tessera_blob_owners WHERE blob = ?)";
    change(session, orphan, blob, blob);
  }
}

/** The large values of a tenant. */
export function blobSource(session: Session, tenant: number): BlobSource {
  return (hash) => {
    const text = "SELECT bytes FROM tessera_blobs WHERE tenant = ? AND hash = ?";
    return one<{ bytes: Uint8Array }>(session, text, tenant, hashBlob(hash))?.bytes ?? null;
  };
}
