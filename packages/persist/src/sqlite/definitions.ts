/** @module Definitions in SQLite: content by hash, shared by all tenants; names of each tenant, newest version first. */
import { canonicalJson, type Hash, type Json } from "@tessera/core";
import { definitionRow, type StoredDefinition } from "../definition-rows.ts";
import { hashBlob, hashOf } from "../hash-bytes.ts";
import type { DefinitionRow } from "../store.ts";
import { change, many, one, row, type Session } from "./driver.ts";
import { putStarts } from "./messages.ts";
import { putStartTimers } from "./start-timers.ts";
import { tenantId } from "./writing.ts";

/** Stores a version and makes its name point to it. Requires: a write transaction. */
export function putDefinition(session: Session, tenant: number, version: DefinitionRow): "stored" | "known" {
  const { hash, name, definition, manifest, deployedAt, starts = [] } = version;
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
  if (before?.definition !== id) putStartTimers(session, tenant, version);
  const remove = "DELETE FROM tessera_names WHERE tenant = ? AND name = ? AND definition = ?";
  const isKnown = change(session, remove, tenant, name, id) > 0;
  const point = `INSERT INTO tessera_names (tenant, name, position, definition, deployed_at)
    SELECT ?, ?, COALESCE(MAX(position), 0) + 1, ?, ? FROM tessera_names WHERE tenant = ? AND name = ?`;
  change(session, point, tenant, name, id, deployedAt, tenant, name);
  putStarts(session, tenant, name, starts);
  return isKnown ? "known" : "stored";
}

/** The version with a hash, as it was stored first. */
export function definitionByHash(session: Session, hash: Hash): DefinitionRow | null {
  const text = "SELECT hash, name, definition, manifest, deployed_at FROM tessera_definitions WHERE hash = ?";
  const found = one<StoredDefinition>(session, text, hashBlob(hash));
  return found === null ? null : definitionRow(found);
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

/**
 * The newest version under a name: what every start asks for. Its content is read and parsed once, for it never changes
 * under its hash; what the name means now is asked each time.
 */
export function newestVersion(session: Session, tenantName: string, name: string): DefinitionRow | null {
  const tenant = tenantId(session, tenantName);
  if (tenant === null) return null;
  const text = `SELECT d.hash, n.deployed_at
    FROM tessera_names n JOIN tessera_definitions d ON d.id = n.definition
    WHERE n.tenant = ? AND n.name = ? ORDER BY n.position DESC LIMIT 1`;
  const found = row<readonly [Uint8Array, number]>(session, text, tenant, name);
  if (found === null) return null;
  const [bytes, deployedAt] = found;
  const hash = hashOf(bytes);
  const { definition, manifest } = contentOf(session, hash);
  return { hash, name, definition, manifest, deployedAt };
}

type Content = Pick<DefinitionRow, "definition" | "manifest">;

/** Contents that are kept for each connection. */
const CONTENTS_MAX = 64;
const contents = new WeakMap<Session, Map<Hash, Content>>();

function contentOf(session: Session, hash: Hash): Content {
  const kept = contents.get(session) ?? new Map<Hash, Content>();
  contents.set(session, kept);
  const known = kept.get(hash);
  if (known !== undefined) return known;
  const content = definitionByHash(session, hash) as DefinitionRow;
  if (kept.size >= CONTENTS_MAX) kept.clear();
  kept.set(hash, content);
  return content;
}
