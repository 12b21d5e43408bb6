/** @module The schema of the SQLite store, its version, and the steps from each version to the next. */
import { invariant } from "@tessera/core";
import { StoreError } from "../store.ts";
import { RECOUNT } from "./counts.ts";
import { makeSession, many, type SqliteDatabase } from "./driver.ts";
import { itemOf, type StoredItem, writeOffers } from "./items.ts";

/** The version that this code reads and writes. */
export const SCHEMA_VERSION = 7;

/** "tess": marks files that the store itself created. */
export const APPLICATION_ID = 0x74657373;

/** Messages and signals, since version 4. `message` is the sender's id, `target` the workflow that a signal starts. */
const MESSAGE_TABLES = `
CREATE TABLE tessera_subscriptions (
  tenant INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  item INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (tenant, kind, name, key, item, event)
) WITHOUT ROWID;
CREATE INDEX tessera_subscriptions_by_item ON tessera_subscriptions (tenant, item);
CREATE TABLE tessera_starts (
  tenant INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (tenant, workflow, kind, name, event)
) WITHOUT ROWID;
CREATE INDEX tessera_starts_by_name ON tessera_starts (tenant, kind, name);
CREATE TABLE tessera_messages (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tessera_tenants (id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  message TEXT,
  target TEXT,
  is_open INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  blobs INTEGER NOT NULL,
  payload TEXT NOT NULL
);
CREATE INDEX tessera_messages_by_name ON tessera_messages (tenant, name, key) WHERE is_open = 1;
CREATE INDEX tessera_messages_by_expiry ON tessera_messages (expires_at, tenant) WHERE is_open = 1;
CREATE UNIQUE INDEX tessera_messages_by_id ON tessera_messages (tenant, kind, name, message) WHERE message IS NOT NULL;
`;

/**
 * Counts, values by which runs are found, and what a pruning leaves, since version 5. `value` is that of `valueKey`.
 * An anchor is what stands for the turns up to its sequence; the dedupe ids of those turns are spent for ever.
 */
const QUERY_TABLES = `
CREATE TABLE tessera_run_counts (
  tenant INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  definition BLOB NOT NULL,
  status TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tenant, workflow, definition, status)
) WITHOUT ROWID;
CREATE TABLE tessera_item_counts (
  tenant INTEGER NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tenant, kind)
) WITHOUT ROWID;
CREATE TABLE tessera_run_values (
  tenant INTEGER NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (tenant, path, value, run)
) WITHOUT ROWID;
CREATE UNIQUE INDEX tessera_run_values_by_run ON tessera_run_values (tenant, run, path);
CREATE TABLE tessera_anchors (
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  sequence INTEGER NOT NULL,
  head BLOB NOT NULL,
  state BLOB NOT NULL,
  pruned_by TEXT NOT NULL,
  pruned_reason TEXT NOT NULL,
  pruned_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, run, sequence)
) WITHOUT ROWID;
CREATE TABLE tessera_spent (
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL,
  dedupe TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (tenant, run, dedupe)
) WITHOUT ROWID;
CREATE INDEX tessera_runs_by_definition ON tessera_runs (tenant, definition);
CREATE INDEX tessera_items_by_tenant_due ON tessera_items (tenant, due_at) WHERE due_at IS NOT NULL;
`;

/** Timers that start workflows, since version 6: of each the time that comes next. */
const START_TIMER_TABLES = `
CREATE TABLE tessera_start_timers (
  tenant INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  event TEXT NOT NULL,
  definition BLOB NOT NULL,
  due_at INTEGER NOT NULL,
  remaining INTEGER NOT NULL,
  repeat TEXT,
  PRIMARY KEY (tenant, workflow, event)
) WITHOUT ROWID;
CREATE INDEX tessera_start_timers_by_due ON tessera_start_timers (due_at, tenant);
CREATE INDEX tessera_start_timers_by_tenant_due ON tessera_start_timers (tenant, due_at);
`;

/** Runs that are to be pruned, by the times of their last turns, since version 7. */
const PRUNABLE_INDEX =
  "CREATE INDEX tessera_runs_by_prunable ON tessera_runs (tenant, prunable_at) WHERE prunable_at IS NOT NULL;";

/**
 * The tables, in the words of the newest version. Ids are integers; `tenant` is in every key and every index but the two
 * that find what is due, which serve all tenants at once. Hashes are 32 bytes, texts of items and objects are those of
 * `shape.ts`. Times are ms since the epoch. New columns go to the end of their table, as ALTER TABLE has it.
 */
const TABLES = `
CREATE TABLE tessera_meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tessera_tenants (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE tessera_definitions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  definition TEXT NOT NULL,
  manifest TEXT NOT NULL,
  deployed_at INTEGER NOT NULL
);
CREATE TABLE tessera_names (
  tenant INTEGER NOT NULL REFERENCES tessera_tenants (id),
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  definition INTEGER NOT NULL REFERENCES tessera_definitions (id),
  deployed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name, position),
  UNIQUE (tenant, name, definition)
) WITHOUT ROWID;
CREATE TABLE tessera_runs (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tessera_tenants (id),
  run TEXT NOT NULL,
  workflow TEXT NOT NULL,
  definition BLOB NOT NULL,
  business_key TEXT,
  parent_run TEXT,
  parent_item TEXT,
  graph TEXT NOT NULL,
  status TEXT NOT NULL,
  modes TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  head BLOB NOT NULL,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  erased_from INTEGER,
  pruned_to INTEGER,
  prunable_at INTEGER,
  UNIQUE (tenant, run)
);
CREATE INDEX tessera_runs_by_tenant ON tessera_runs (tenant);
CREATE INDEX tessera_runs_by_status ON tessera_runs (tenant, status);
CREATE INDEX tessera_runs_by_workflow ON tessera_runs (tenant, workflow);
CREATE INDEX tessera_runs_by_business_key ON tessera_runs (tenant, business_key) WHERE business_key IS NOT NULL;
CREATE INDEX tessera_runs_by_parent ON tessera_runs (tenant, parent_run) WHERE parent_run IS NOT NULL;
CREATE TABLE tessera_journal (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  sequence INTEGER NOT NULL,
  head BLOB NOT NULL,
  salt BLOB,
  payload BLOB,
  payload_hash BLOB,
  dedupe TEXT,
  erased_by TEXT,
  erased_reason TEXT,
  erased_at INTEGER
);
CREATE UNIQUE INDEX tessera_journal_by_sequence ON tessera_journal (tenant, run, sequence);
CREATE UNIQUE INDEX tessera_journal_by_dedupe ON tessera_journal (tenant, run, dedupe) WHERE dedupe IS NOT NULL;
CREATE TABLE tessera_moves (
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  sequence INTEGER NOT NULL,
  before BLOB NOT NULL,
  PRIMARY KEY (tenant, run, sequence)
) WITHOUT ROWID;
CREATE TABLE tessera_snapshots (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  sequence INTEGER NOT NULL,
  payload BLOB NOT NULL
);
CREATE UNIQUE INDEX tessera_snapshots_by_sequence ON tessera_snapshots (tenant, run, sequence);
CREATE TABLE tessera_items (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  item TEXT NOT NULL,
  kind TEXT NOT NULL,
  due_at INTEGER,
  blobs INTEGER NOT NULL,
  body TEXT NOT NULL,
  is_claimed INTEGER NOT NULL DEFAULT 0,
  has_offers INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX tessera_items_by_run ON tessera_items (tenant, run, item);
CREATE INDEX tessera_items_by_kind ON tessera_items (tenant, kind);
CREATE INDEX tessera_items_by_due ON tessera_items (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE tessera_offers (
  tenant INTEGER NOT NULL,
  principal TEXT NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (tenant, principal, item)
) WITHOUT ROWID;
CREATE TABLE tessera_outbox (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  effect TEXT NOT NULL,
  kind TEXT NOT NULL,
  item TEXT NOT NULL,
  available_at INTEGER NOT NULL,
  claimable_at INTEGER NOT NULL,
  token INTEGER NOT NULL,
  owner TEXT,
  lease_until INTEGER NOT NULL,
  claim_count INTEGER NOT NULL,
  blobs INTEGER NOT NULL,
  payload TEXT NOT NULL
);
CREATE UNIQUE INDEX tessera_outbox_by_effect ON tessera_outbox (tenant, effect);
CREATE INDEX tessera_outbox_by_kind ON tessera_outbox (kind, claimable_at);
CREATE TABLE tessera_graphs (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tessera_tenants (id),
  graph TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  UNIQUE (tenant, graph)
);
CREATE TABLE tessera_graph_journal (
  tenant INTEGER NOT NULL,
  graph INTEGER NOT NULL REFERENCES tessera_graphs (id),
  sequence INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES tessera_runs (id),
  run_sequence INTEGER NOT NULL,
  PRIMARY KEY (tenant, graph, sequence)
) WITHOUT ROWID;
CREATE TABLE tessera_objects (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL,
  graph INTEGER NOT NULL REFERENCES tessera_graphs (id),
  object TEXT NOT NULL,
  blobs INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (tenant, graph, object)
);
CREATE TABLE tessera_links (
  tenant INTEGER NOT NULL,
  graph INTEGER NOT NULL,
  target TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (tenant, graph, target, source)
) WITHOUT ROWID;
CREATE TABLE tessera_blobs (
  id INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tessera_tenants (id),
  hash BLOB NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (tenant, hash)
);
CREATE TABLE tessera_blob_owners (
  tenant INTEGER NOT NULL,
  kind TEXT NOT NULL,
  owner INTEGER NOT NULL,
  blob INTEGER NOT NULL REFERENCES tessera_blobs (id),
  PRIMARY KEY (tenant, kind, owner, blob)
) WITHOUT ROWID;
CREATE INDEX tessera_blob_owners_by_blob ON tessera_blob_owners (blob);
${MESSAGE_TABLES}${QUERY_TABLES}${START_TIMER_TABLES}${PRUNABLE_INDEX}
INSERT INTO tessera_meta (key, value) VALUES ('schema', ${SCHEMA_VERSION}), ('number', 0);
`;

/**
 * By version, the step to the next. Once released, an entry is never edited.
 *
 * 1 to 2: work lists of persons (offers), effects claimed by kind, erasures that wait for a snapshot.
 * 2 to 3: runs that move to another definition, with the one that they leave.
 * 3 to 4: messages, who waits for them, and what they start.
 * 4 to 5: counts, values by which runs are found, and prunings.
 * 5 to 6: timers that start workflows.
 * 6 to 7: runs that are to be pruned.
 */
const MIGRATIONS: ReadonlyMap<number, (db: SqliteDatabase) => void> = new Map([
  [1, fromVersion1],
  [2, fromVersion2],
  [3, (db) => void db.exec(MESSAGE_TABLES)],
  [4, fromVersion4],
  [5, (db) => void db.exec(START_TIMER_TABLES)],
  [6, fromVersion6],
]);

/** The version of the schema in a database, 0 when it has none of our tables. */
export function schemaVersion(db: SqliteDatabase): number {
  const table = db
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tessera_meta'")
    .get();
  if (table === undefined) return 0;
  const row = db.prepare("SELECT value FROM tessera_meta WHERE key = 'schema'").get() as
    | { value: unknown }
    | undefined;
  return Number(row?.value ?? Number.NaN);
}

/**
 * Brings the schema of a database to `SCHEMA_VERSION`. Requires: a transaction is open, so that all of it or none of it
 * happens. Throws StoreError "schema" for a newer version, "corrupt" for one that never was.
 *
 * @definition D10.10
 */
export function bringSchema(db: SqliteDatabase): void {
  invariant(db.inTransaction, "D10.10");
  const version = schemaVersion(db);
  if (version === 0) {
    db.exec(TABLES);
    return;
  }
  if (version > SCHEMA_VERSION) {
    const message = `The tables have version ${version}; this release knows ${SCHEMA_VERSION}. Use a newer release.`;
    throw new StoreError("schema", message);
  }
  for (let from = version; from !== SCHEMA_VERSION; from += 1) {
    const migrate = MIGRATIONS.get(from);
    if (migrate === undefined)
      throw new StoreError("corrupt", `There never was a version ${version} of the tables.`);
    migrate(db);
  }
  db.prepare("UPDATE tessera_meta SET value = ? WHERE key = 'schema'").run(SCHEMA_VERSION);
}

function fromVersion1(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE tessera_offers (
      tenant INTEGER NOT NULL,
      principal TEXT NOT NULL,
      item INTEGER NOT NULL,
      PRIMARY KEY (tenant, principal, item)
    ) WITHOUT ROWID;
    ALTER TABLE tessera_items ADD COLUMN is_claimed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tessera_items ADD COLUMN has_offers INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tessera_runs ADD COLUMN erased_from INTEGER;
    DROP INDEX tessera_outbox_by_time;
    CREATE INDEX tessera_outbox_by_kind ON tessera_outbox (kind, claimable_at);
  `);
  const session = makeSession(db);
  for (const row of many<StoredItem>(
    session,
    "SELECT id, tenant, blobs, body FROM tessera_items ORDER BY id",
  )) {
    writeOffers(session, row, itemOf(session, row));
  }
}

function fromVersion2(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE tessera_moves (
      tenant INTEGER NOT NULL,
      run INTEGER NOT NULL REFERENCES tessera_runs (id),
      sequence INTEGER NOT NULL,
      before BLOB NOT NULL,
      PRIMARY KEY (tenant, run, sequence)
    ) WITHOUT ROWID;
  `);
}

function fromVersion4(db: SqliteDatabase): void {
  db.exec(`${QUERY_TABLES}
    ALTER TABLE tessera_runs ADD COLUMN pruned_to INTEGER;
    INSERT INTO tessera_run_counts (tenant, workflow, definition, status, count) ${RECOUNT.runs};
    INSERT INTO tessera_item_counts (tenant, kind, count) ${RECOUNT.items};
  `);
}

function fromVersion6(db: SqliteDatabase): void {
  db.exec(`
    ALTER TABLE tessera_runs ADD COLUMN prunable_at INTEGER;
    UPDATE tessera_runs SET prunable_at = updated_at
      WHERE status IN ('completed', 'failed', 'cancelled') AND COALESCE(pruned_to, 0) < sequence;
    ${PRUNABLE_INDEX}
  `);
}
