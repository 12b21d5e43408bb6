/** @module The schema of the PostgreSQL store, its version, and the steps from each version to the next. */
import { StoreError } from "../store.ts";
import { one, quoted, type Session } from "./driver.ts";

/** The version that this code reads and writes. */
export const SCHEMA_VERSION = 3;

/** Timers that start workflows, since version 2: of each the time that comes next. */
const START_TIMER_TABLES = `
CREATE TABLE tessera_start_timers (
  tenant BIGINT NOT NULL,
  workflow TEXT COLLATE "C" NOT NULL,
  event TEXT COLLATE "C" NOT NULL,
  definition BYTEA NOT NULL,
  due_at DOUBLE PRECISION NOT NULL,
  remaining BIGINT NOT NULL,
  repeat TEXT COLLATE "C",
  PRIMARY KEY (tenant, workflow, event)
);
CREATE INDEX tessera_start_timers_by_due ON tessera_start_timers (due_at, tenant);
CREATE INDEX tessera_start_timers_by_tenant_due ON tessera_start_timers (tenant, due_at);
`;

/** Runs that are to be pruned, by the times of their last turns, since version 3. */
const PRUNABLE_INDEX = `
CREATE INDEX tessera_runs_by_prunable ON tessera_runs (tenant, prunable_at, id) WHERE prunable_at IS NOT NULL;
`;

/**
 * The tables: those of the SQLite store, each count in parts, and the marks of `marks.ts`. Ids come from one sequence; `tenant` is in every key and every index but those
 * that find what is due, which serve all tenants at once. Hashes are 32 bytes; payloads, items, objects and definitions are
 * bytes, which no encoding touches. Times are ms since the epoch, as JavaScript has them. Names compare byte by byte.
 */
const TABLES = `
CREATE SEQUENCE tessera_number;
CREATE TABLE tessera_meta (key TEXT PRIMARY KEY, value BIGINT NOT NULL);
CREATE TABLE tessera_tenants (id BIGINT PRIMARY KEY, name TEXT COLLATE "C" NOT NULL UNIQUE);
CREATE TABLE tessera_definitions (
  id BIGINT PRIMARY KEY,
  hash BYTEA NOT NULL UNIQUE,
  name TEXT COLLATE "C" NOT NULL,
  definition BYTEA NOT NULL,
  manifest BYTEA NOT NULL,
  deployed_at DOUBLE PRECISION NOT NULL
);
CREATE TABLE tessera_names (
  tenant BIGINT NOT NULL REFERENCES tessera_tenants (id),
  name TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  definition BIGINT NOT NULL REFERENCES tessera_definitions (id),
  deployed_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (tenant, name, position),
  UNIQUE (tenant, name, definition)
);
CREATE TABLE tessera_runs (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tessera_tenants (id),
  run TEXT COLLATE "C" NOT NULL,
  workflow TEXT COLLATE "C" NOT NULL,
  definition BYTEA NOT NULL,
  business_key TEXT COLLATE "C",
  parent_run TEXT COLLATE "C",
  parent_item TEXT COLLATE "C",
  graph TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  modes TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  head BYTEA NOT NULL,
  started_at DOUBLE PRECISION NOT NULL,
  updated_at DOUBLE PRECISION NOT NULL,
  erased_from BIGINT,
  pruned_to BIGINT,
  prunable_at DOUBLE PRECISION,
  UNIQUE (tenant, run)
);
CREATE INDEX tessera_runs_by_tenant ON tessera_runs (tenant, id);
CREATE INDEX tessera_runs_by_status ON tessera_runs (tenant, status, id);
CREATE INDEX tessera_runs_by_workflow ON tessera_runs (tenant, workflow, id);
CREATE INDEX tessera_runs_by_business_key ON tessera_runs (tenant, business_key, id) WHERE business_key IS NOT NULL;
CREATE INDEX tessera_runs_by_parent ON tessera_runs (tenant, parent_run, id) WHERE parent_run IS NOT NULL;
CREATE TABLE tessera_journal (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  sequence BIGINT NOT NULL,
  head BYTEA NOT NULL,
  salt BYTEA,
  payload BYTEA,
  payload_hash BYTEA,
  dedupe TEXT COLLATE "C",
  erased_by TEXT,
  erased_reason TEXT,
  erased_at DOUBLE PRECISION
);
CREATE UNIQUE INDEX tessera_journal_by_sequence ON tessera_journal (tenant, run, sequence);
CREATE UNIQUE INDEX tessera_journal_by_dedupe ON tessera_journal (tenant, run, dedupe) WHERE dedupe IS NOT NULL;
CREATE TABLE tessera_moves (
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  sequence BIGINT NOT NULL,
  before BYTEA NOT NULL,
  PRIMARY KEY (tenant, run, sequence)
);
CREATE TABLE tessera_snapshots (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  sequence BIGINT NOT NULL,
  payload BYTEA NOT NULL
);
CREATE UNIQUE INDEX tessera_snapshots_by_sequence ON tessera_snapshots (tenant, run, sequence);
CREATE TABLE tessera_items (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  item TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  due_at DOUBLE PRECISION,
  blobs INTEGER NOT NULL,
  body BYTEA NOT NULL,
  is_claimed BOOLEAN NOT NULL,
  has_offers BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX tessera_items_by_run ON tessera_items (tenant, run, item);
CREATE INDEX tessera_items_by_kind ON tessera_items (tenant, kind, id);
CREATE INDEX tessera_items_by_due ON tessera_items (due_at, id) WHERE due_at IS NOT NULL;
CREATE TABLE tessera_offers (
  tenant BIGINT NOT NULL,
  principal TEXT COLLATE "C" NOT NULL,
  item BIGINT NOT NULL,
  PRIMARY KEY (tenant, principal, item)
);
CREATE INDEX tessera_offers_by_item ON tessera_offers (tenant, item);
CREATE TABLE tessera_outbox (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  effect TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  item TEXT COLLATE "C" NOT NULL,
  available_at DOUBLE PRECISION NOT NULL,
  claimable_at DOUBLE PRECISION NOT NULL,
  token BIGINT NOT NULL,
  owner TEXT,
  lease_until DOUBLE PRECISION NOT NULL,
  claim_count BIGINT NOT NULL,
  blobs INTEGER NOT NULL,
  payload BYTEA NOT NULL
);
CREATE UNIQUE INDEX tessera_outbox_by_effect ON tessera_outbox (tenant, effect);
CREATE INDEX tessera_outbox_by_kind ON tessera_outbox (kind, claimable_at, id);
CREATE TABLE tessera_graphs (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tessera_tenants (id),
  graph TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  UNIQUE (tenant, graph)
);
CREATE TABLE tessera_graph_journal (
  tenant BIGINT NOT NULL,
  graph BIGINT NOT NULL REFERENCES tessera_graphs (id),
  sequence BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  run_sequence BIGINT NOT NULL,
  PRIMARY KEY (tenant, graph, sequence)
);
CREATE TABLE tessera_objects (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  graph BIGINT NOT NULL REFERENCES tessera_graphs (id),
  object TEXT COLLATE "C" NOT NULL,
  blobs INTEGER NOT NULL,
  body BYTEA NOT NULL,
  UNIQUE (tenant, graph, object)
);
CREATE TABLE tessera_links (
  tenant BIGINT NOT NULL,
  graph BIGINT NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, graph, target, source)
);
CREATE TABLE tessera_blobs (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tessera_tenants (id),
  hash BYTEA NOT NULL,
  bytes BYTEA NOT NULL,
  UNIQUE (tenant, hash)
);
CREATE TABLE tessera_blob_owners (
  tenant BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  owner BIGINT NOT NULL,
  blob BIGINT NOT NULL REFERENCES tessera_blobs (id),
  PRIMARY KEY (tenant, kind, owner, blob)
);
CREATE INDEX tessera_blob_owners_by_blob ON tessera_blob_owners (blob);
CREATE TABLE tessera_subscriptions (
  tenant BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  item BIGINT NOT NULL,
  event TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, kind, name, key, item, event)
);
CREATE INDEX tessera_subscriptions_by_item ON tessera_subscriptions (tenant, item);
CREATE TABLE tessera_starts (
  tenant BIGINT NOT NULL,
  workflow TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  event TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, workflow, kind, name, event)
);
CREATE INDEX tessera_starts_by_name ON tessera_starts (tenant, kind, name);
CREATE TABLE tessera_messages (
  id BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tessera_tenants (id),
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  message TEXT COLLATE "C",
  target TEXT COLLATE "C",
  is_open BOOLEAN NOT NULL,
  expires_at DOUBLE PRECISION NOT NULL,
  blobs INTEGER NOT NULL,
  payload BYTEA NOT NULL
);
CREATE INDEX tessera_messages_by_name ON tessera_messages (tenant, name, key) WHERE is_open;
CREATE INDEX tessera_messages_by_expiry ON tessera_messages (expires_at, tenant) WHERE is_open;
CREATE UNIQUE INDEX tessera_messages_by_id ON tessera_messages (tenant, kind, name, message) WHERE message IS NOT NULL;
CREATE TABLE tessera_run_counts (
  tenant BIGINT NOT NULL,
  workflow TEXT COLLATE "C" NOT NULL,
  definition BYTEA NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  part INTEGER NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (tenant, workflow, definition, status, part)
) WITH (fillfactor = 50);
CREATE TABLE tessera_item_counts (
  tenant BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  part INTEGER NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (tenant, kind, part)
) WITH (fillfactor = 50);
CREATE TABLE tessera_run_values (
  tenant BIGINT NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  run BIGINT NOT NULL,
  PRIMARY KEY (tenant, path, value, run)
);
CREATE UNIQUE INDEX tessera_run_values_by_run ON tessera_run_values (tenant, run, path);
CREATE TABLE tessera_anchors (
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL REFERENCES tessera_runs (id),
  sequence BIGINT NOT NULL,
  head BYTEA NOT NULL,
  state BYTEA NOT NULL,
  pruned_by TEXT NOT NULL,
  pruned_reason TEXT NOT NULL,
  pruned_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (tenant, run, sequence)
);
CREATE TABLE tessera_spent (
  tenant BIGINT NOT NULL,
  run BIGINT NOT NULL,
  dedupe TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  PRIMARY KEY (tenant, run, dedupe)
);
CREATE INDEX tessera_runs_by_definition ON tessera_runs (tenant, definition, id);
CREATE INDEX tessera_items_by_tenant_due ON tessera_items (tenant, due_at, id) WHERE due_at IS NOT NULL;
CREATE TABLE tessera_writers (
  writer TEXT COLLATE "C" NOT NULL,
  slot INTEGER NOT NULL,
  mark BIGINT NOT NULL,
  marked_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (writer, slot)
);
${START_TIMER_TABLES}${PRUNABLE_INDEX}INSERT INTO tessera_meta (key, value) VALUES ('schema', ${SCHEMA_VERSION});
`;

/** From 2 to 3. The index comes first: one that is made after rows were changed in its transaction is not used at once. */
const FROM_VERSION_2 = `
ALTER TABLE tessera_runs ADD COLUMN prunable_at DOUBLE PRECISION;
${PRUNABLE_INDEX}
UPDATE tessera_runs SET prunable_at = updated_at
  WHERE status IN ('completed', 'failed', 'cancelled') AND COALESCE(pruned_to, 0) < sequence;
`;

/**
 * By version, the statements that lead to the next. Once released, an entry is never edited. 1 to 2: timers that start
 * workflows. 2 to 3: runs that are to be pruned.
 */
export type Migrations = ReadonlyMap<number, string>;
const MIGRATIONS: Migrations = new Map([
  [1, START_TIMER_TABLES],
  [2, FROM_VERSION_2],
]);

/**
 * Brings the tables in a schema to `SCHEMA_VERSION` (D10.10), one process at a time; the schema is made if it is not there.
 * Requires: a write transaction. Throws StoreError "schema" for a newer version, "corrupt" for one that never was.
 */
export async function bringSchema(
  session: Session,
  schema: string,
  target: number = SCHEMA_VERSION,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  session.post("SELECT pg_advisory_xact_lock(hashtextextended('tessera schema', 0))", []);
  const version = await schemaVersion(session, schema);
  if (version === target) return;
  if (version > target) {
    const message = `The tables have version ${version}; this release knows ${target}. Use a newer release.`;
    throw new StoreError("schema", message);
  }
  if (version === 0) await createTables(session, schema);
  for (let from = version === 0 ? SCHEMA_VERSION : version; from < target; from += 1) {
    const steps = migrations.get(from);
    if (steps === undefined)
      throw new StoreError("corrupt", `There never was a version ${from} of the tables.`);
    await session.plain(within(schema) + steps);
  }
  const mark = "UPDATE tessera_meta SET value = $1 WHERE key = 'schema'";
  await session.send(mark, [target]);
}

/** The version of the tables in a schema, 0 when it has none of ours. */
export async function schemaVersion(session: Session, schema: string): Promise<number> {
  const text = "SELECT to_regclass($1) IS NOT NULL AS there";
  const found = await one<{ there: boolean }>(session, text, `${quoted(schema)}.${quoted("tessera_meta")}`);
  if (found?.there !== true) return 0;
  const row = await one<{ value: number }>(session, "SELECT value FROM tessera_meta WHERE key = 'schema'");
  return row?.value ?? -1;
}

async function createTables(session: Session, schema: string): Promise<void> {
  const name = quoted(schema);
  const there = await one(session, "SELECT 1 FROM pg_namespace WHERE nspname = $1", schema);
  // Who may not make schemas can still be given one.
  if (there === null) await session.plain(`CREATE SCHEMA ${name}`);
  await session.plain(within(schema) + TABLES);
}

/** Names without a schema mean this one, until the transaction ends. */
function within(schema: string): string {
  return `SET LOCAL search_path TO ${quoted(schema)};\n`;
}

/** The tables and indexes of the present version, but those indexes that a key of a table has by itself. */
export function namesOfTables(): { readonly tables: readonly string[]; readonly indexes: readonly string[] } {
  const made = [...TABLES.matchAll(/^CREATE (?:UNIQUE )?(TABLE|INDEX|SEQUENCE) (\w+)/gmu)];
  const of = (kind: string) => made.flatMap(([, what, name]) => (what === kind ? [name!] : []));
  return { tables: of("TABLE"), indexes: of("INDEX") };
}
