/** @module Definitions in SQLite: content by hash, shared by all tenants; names of each tenant, newest version first. */
import { canonicalJson, type Hash, type Json } from "@tessera/core";
import { definitionRow, type StoredDefinition } from "../definition-rows.ts";
import { hashBlob } from "../hash-bytes.ts";
import type { DefinitionRow } from "../store.ts";
import { change, many, one, type Session } from "./driver.ts";
import { putStarts } from "./messages.ts";
import { putStartTimers } from "./start-timers.ts";
import { tenantId } from "./writing.ts";

/** Stores a version and makes its name point to it. Requires: a write transaction. */
export function putDefinition(session: Session, tenant: number, row: DefinitionRow): "stored" | "known" {
  const { hash, name, definition, manifest, deployedAt } = row;
  const content = [canonicalJson(definition as unknown as Json), canonicalJson(manifest)];
  const insert = `INSERT INTO tessera_definitions (hash, name, definition, manifest, deployed_at)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  change(session, insert, hashBlob(hash), name, ...content, deployedAt);
  const found = one<{ id: number }>(
    session,
    "SELECT id FROM tessera_definitions WHERE hash = ?",
    hashBlob(hash),
  );
  const { id } = found as { id: number };
  const newest =
    "SELECT definition FROM tessera_names WHERE tenant = ? AND name = ? ORDER BY position DESC LIMIT 1";
  const before = one<{ definition: number }>(session, newest, tenant, name);
  if (before?.definition !== id) putStartTimers(session, tenant, row);
  const remove = "DELETE FROM tessera_names WHERE tenant = ? AND name = ? AND definition = ?";
  const isKnown = change(session, remove, tenant, name, id) > 0;
  const point = `INSERT INTO tessera_names (tenant, name, position, definition, deployed_at)
    SELECT ?, ?, COALESCE(MAX(position), 0) + 1, ?, ? FROM tessera_names WHERE tenant = ? AND name = ?`;
  change(session, point, tenant, name, id, deployedAt, tenant, name);
  putStarts(session, tenant, name, row.starts ?? []);
  return isKnown ? "known" : "stored";
}

/** The version with a hash, as it was stored first. */
export function definitionByHash(session: Session, hash: Hash): DefinitionRow | null {
  const text = "SELECT hash, name, definition, manifest, deployed_at FROM tessera_definitions WHERE hash = ?";
  const row = one<StoredDefinition>(session, text, hashBlob(hash));
  return row === null ? null : definitionRow(row);
}

/** The newest `limit` versions under a name, newest first. */
export function versionsOf(
  session: Session,
  tenantName: string,
  name: string,
  limit: number,
): readonly DefinitionRow[] {
  const tenant = tenantId(session, tenantName);
  const text = `SELECT d.hash, n.name, d.definition, d.manifest, n.deployed_at
    FROM tessera_names n JOIN tessera_definitions d ON d.id = n.definition
    WHERE n.tenant = ? AND n.name = ? ORDER BY n.position DESC LIMIT ?`;
  return tenant === null ? [] : many<StoredDefinition>(session, text, tenant, name, limit).map(definitionRow);
}
