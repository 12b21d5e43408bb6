/** @module Definitions in PostgreSQL: content by hash, shared by all tenants; names of each tenant, newest first. */
import { canonicalJson, type Hash, type Json } from "@tessera/core";
import { definitionRow, type StoredDefinition } from "../definition-rows.ts";
import { hashBlob } from "../hash-bytes.ts";
import type { DefinitionRow } from "../store.ts";
import { change, many, one, type Session } from "./driver.ts";
import type { Host } from "./host.ts";
import { putStarts } from "./messages.ts";
import { putStartTimers } from "./start-timers.ts";
import { bytesOf, textOf } from "./text-bytes.ts";
import { tenantId, type Writing } from "./writing.ts";

/** Stores a version and makes its name point to it. Requires: a write transaction. */
export async function putDefinition(
  into: Writing,
  tenantName: string,
  row: DefinitionRow,
): Promise<"stored" | "known"> {
  const { session } = into;
  const { hash, name, definition, manifest, deployedAt } = row;
  const tenant = await into.tenant(tenantName);
  // One deployment of a tenant after the other: which version is the newest decides about the timers.
  session.post("SELECT 1 FROM tessera_tenants WHERE id = $1 FOR NO KEY UPDATE", [tenant]);
  const content = [canonicalJson(definition as unknown as Json), canonicalJson(manifest)].map(bytesOf);
  session.post(
    `INSERT INTO tessera_definitions (id, hash, name, definition, manifest, deployed_at)
     VALUES (nextval('tessera_number'), $1, $2, $3, $4, $5) ON CONFLICT (hash) DO NOTHING`,
    [hashBlob(hash), name, ...content, deployedAt],
  );
  const text = "SELECT id FROM tessera_definitions WHERE hash = $1";
  const { id } = (await one<{ id: number }>(session, text, hashBlob(hash))) as { id: number };
  const newest =
    "SELECT definition FROM tessera_names WHERE tenant = $1 AND name = $2 ORDER BY position DESC LIMIT 1";
  const before = await one<{ definition: number }>(session, newest, tenant, name);
  if (before?.definition !== id) putStartTimers(session, tenant, row);
  const remove = "DELETE FROM tessera_names WHERE tenant = $1 AND name = $2 AND definition = $3";
  const isKnown = (await change(session, remove, tenant, name, id)) > 0;
  const point = `INSERT INTO tessera_names (tenant, name, position, definition, deployed_at)
    SELECT $1, $2, COALESCE(MAX(position), 0) + 1, $3, $4 FROM tessera_names WHERE tenant = $1 AND name = $2`;
  session.post(point, [tenant, name, id, deployedAt]);
  putStarts(session, tenant, name, row.starts ?? []);
  return isKnown ? "known" : "stored";
}

/** The version with a hash, as it was stored first. */
export async function definitionByHash(session: Session, hash: Hash): Promise<DefinitionRow | null> {
  const text =
    "SELECT hash, name, definition, manifest, deployed_at FROM tessera_definitions WHERE hash = $1";
  const row = await one<StoredBytes>(session, text, hashBlob(hash));
  return row === null ? null : definitionRow(withTexts(row));
}

/** The newest `limit` versions under a name, newest first; all of them where it is null. */
export async function versionsOf(
  host: Host,
  session: Session,
  tenantName: string,
  name: string,
  limit: number | null,
): Promise<readonly DefinitionRow[]> {
  const tenant = await tenantId(host, session, tenantName);
  if (tenant === null) return [];
  const text = `SELECT d.hash, n.name, d.definition, d.manifest, n.deployed_at
    FROM tessera_names n JOIN tessera_definitions d ON d.id = n.definition
    WHERE n.tenant = $1 AND n.name = $2 ORDER BY n.position DESC LIMIT $3`;
  const rows = await many<StoredBytes>(session, text, tenant, name, limit);
  return rows.map((row) => definitionRow(withTexts(row)));
}

type StoredBytes = Omit<StoredDefinition, "definition" | "manifest"> & {
  readonly definition: Uint8Array;
  readonly manifest: Uint8Array;
};

function withTexts(row: StoredBytes): StoredDefinition {
  return { ...row, definition: textOf(row.definition), manifest: textOf(row.manifest) };
}
