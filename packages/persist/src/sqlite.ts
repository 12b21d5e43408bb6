/** @module The SQLite store: runs in a file of their own, or in tables of the application's database. */
import Database from "better-sqlite3";
import { withCheckedArguments } from "./checked.ts";
import { synchronousBody } from "./fault.ts";
import { randomSalts } from "./salts.ts";
import { commitTurn } from "./sqlite/commit.ts";
import { readCounts } from "./sqlite/counts.ts";
import { definitionByHash, newestVersion, putDefinition, versionsOf } from "./sqlite/definitions.ts";
import type { SqliteDatabase, SqliteStatement } from "./sqlite/driver.ts";
import { eraseTurn, erasing } from "./sqlite/erase.ts";
import { type BusyOptions, storeFault } from "./sqlite/faults.ts";
import { cachedGraph } from "./sqlite/graph-cache.ts";
import { demandOpen, type Host, readLater, writeLater, writeNow } from "./sqlite/host.ts";
import { countItems } from "./sqlite/item-count.ts";
import { listDueItems, listItems, listRuns, nextDue } from "./sqlite/listings.ts";
import { listDeliveries, putMessage, putSignal } from "./sqlite/messages.ts";
import { openForeign, openOwn } from "./sqlite/open.ts";
import {
  claimEffects,
  dropHeldEffect,
  isClaimable,
  nextEffect,
  releaseEffect,
  renewLease,
} from "./sqlite/outbox.ts";
import { listPrunable, pruneRun } from "./sqlite/prune.ts";
import { replaceValues } from "./sqlite/run-values.ts";
import { loadRun, readGraphJournal, readJournal } from "./sqlite/runs.ts";
import { listStartTimers, moveStartTimer } from "./sqlite/start-timers.ts";
import type { Writing } from "./sqlite/writing.ts";
import {
  type CommitResult,
  EFFECT_KINDS,
  type RunStore,
  StoreError,
  type SyncStore,
  type Turn,
} from "./store.ts";
import { checkPruning, checkTurn } from "./turn-check.ts";

export { backupDatabase, checkDatabase, type DatabaseCheck } from "./sqlite-backup.ts";
export type { BusyOptions, SqliteDatabase, SqliteStatement };

/**
 * Where the runs are kept. `path`: a file of their own. `database`: tables prefixed `tessera_` beside the application's
 * own, through its better-sqlite3 handle. That handle stays the application's: it must have journal_mode WAL and
 * synchronous FULL (refused otherwise, never changed), its own busy timeout blocks as long as it says, and `close`
 * leaves it open. Whether it reads integers as bigint does not matter.
 */
export type SqliteTarget = { readonly path: string } | { readonly database: SqliteDatabase };

/** Settings of a SQLite store. */
export interface SqliteOptions {
  /** How long a commit waits while another process writes. */
  readonly busy?: BusyOptions;
  /** Nothing is ever written through this store, once its tables are of the present version: for those who only look. */
  readonly isReader?: boolean;
  /** 16 random bytes for each turn (default: of node:crypto). */
  readonly salt?: () => Uint8Array;
}

/** A SQLite store has transactions. */
export type SqliteStore = RunStore & Required<Pick<RunStore, "transaction">>;

/**
 * Opens the store, and creates or migrates its tables. A commit that resolved survives the loss of power: WAL with
 * synchronous FULL, read back in every commit. Several processes may share a file.
 *
 * Throws StoreError: corrupt (no database), schema (written by a newer release), settings (commits could be lost), busy
 * (locked for seconds), io (no such directory).
 */
export function sqliteStore(target: SqliteTarget, options: SqliteOptions = {}): SqliteStore {
  const isOwn = "path" in target;
  const host: Host = {
    session: isOwn ? openOwn(openFile(target.path)) : openForeign(target.database),
    cache: new Map(),
    busy: options.busy ?? {},
    salt: options.salt ?? randomSalts(),
    isClosed: false,
  };
  if (options.isReader === true && isOwn) host.session.db.pragma("query_only = ON");
  return withCheckedArguments({
    ...queries(host),
    ...outbox(host),
    commit: async (turns) => {
      for (const turn of turns) checkTurn(turn);
      return turns.length === 0 ? [] : writeLater(host, (into) => commitAll(host, into, turns));
    },
    putDefinition: (tenant, row) =>
      writeLater(host, (into) => putDefinition(into.session, into.tenant(tenant), row)),
    reindex: (...args) => writeLater(host, ({ session }) => replaceValues(session, ...args)),
    erase: (tenant, run, sequence, by, reason, at) =>
      erasing(host.session, () =>
        writeLater(host, ({ session }) => eraseTurn(session, tenant, run, sequence, { by, reason, at })),
      ),
    prune: async (tenant, run, pruning) => {
      checkPruning(pruning);
      return writeLater(host, ({ session }) => pruneRun(session, tenant, run, pruning));
    },
    ...messages(host),
    transaction: (work) => transaction(host, work),
    foreignVersion: () => foreignVersion(host),
    close: async () => {
      if (!host.isClosed && isOwn && host.session.db.open) host.session.db.close();
      host.isClosed = true;
    },
  });
}

type Queries =
  | "load"
  | "journal"
  | "definition"
  | "newestDefinition"
  | "definitionVersions"
  | "runs"
  | "items"
  | "countItems"
  | "counts"
  | "prunable"
  | "dueItems"
  | "nextDue"
  | "graph"
  | "graphJournal";

function queries(host: Host): Pick<RunStore, Queries> {
  const { session } = host;
  return {
    load: (...args) => readLater(host, () => loadRun(session, ...args)),
    journal: (...args) => readLater(host, () => readJournal(session, ...args)),
    definition: (hash) => readLater(host, () => definitionByHash(session, hash)),
    newestDefinition: (tenant, name) => readLater(host, () => newestVersion(session, tenant, name)),
    definitionVersions: (tenant, name) => readLater(host, () => versionsOf(session, tenant, name, ALL)),
    runs: (query) => readLater(host, () => listRuns(session, query)),
    items: (query) => readLater(host, () => listItems(session, query)),
    countItems: (query) => readLater(host, () => countItems(session, query)),
    counts: (tenant) => readLater(host, () => readCounts(session, tenant)),
    prunable: (query) => readLater(host, () => listPrunable(session, query)),
    dueItems: (now, limit) => readLater(host, () => listDueItems(session, now, limit)),
    nextDue: () => readLater(host, () => nextDue(session)),
    graph: (tenant, graph) => {
      // In a transaction of the application one sees what may yet be rolled back.
      const isCommitted = !session.db.inTransaction;
      return readLater(host, () => cachedGraph(session, host.cache, tenant, graph, isCommitted));
    },
    graphJournal: (...args) => readLater(host, () => readGraphJournal(session, ...args)),
  };
}

type Outbox = "claimEffects" | "renewLease" | "releaseEffect" | "dropEffect" | "nextEffect";

function outbox(host: Host): Pick<RunStore, Outbox> {
  const { session } = host;
  return {
    claimEffects: async (owner, now, leaseMs, limit, kinds = EFFECT_KINDS) => {
      const claim = { owner, now, leaseUntil: now + leaseMs, limit, kinds };
      const isIdle = !(await readLater(host, () => isClaimable(session, claim)));
      return isIdle ? [] : writeLater(host, (into) => claimEffects(session, claim, into.number));
    },
    renewLease: (effect, tenant, token, until) =>
      writeLater(host, (into) => renewLease(session, into.tenant(tenant), effect, token, until)),
    releaseEffect: (effect, tenant, token, availableAt, wasBegun = true) =>
      writeLater(host, (into) =>
        releaseEffect(session, into.tenant(tenant), effect, token, availableAt, wasBegun),
      ),
    dropEffect: (effect, tenant, token) =>
      writeLater(host, (into) => dropHeldEffect(session, into.tenant(tenant), effect, token)),
    nextEffect: (kinds) => readLater(host, () => nextEffect(session, kinds)),
  };
}

/** SQLite's own count of commits by other connections, as this one sees it; it stays while the store is closed or busy. */
function foreignVersion({ session, isClosed }: Host): number {
  if (isClosed || !session.db.open || session.db.inTransaction) return -1;
  return Number(session.db.pragma("data_version", { simple: true }));
}

type Messages = "publish" | "broadcast" | "deliveries" | "startTimers" | "moveStartTimer";

function messages(host: Host): Pick<RunStore, Messages> {
  const { session } = host;
  return {
    publish: (tenant, message, now) =>
      writeLater(host, (into) => putMessage(session, into.tenant(tenant), message, now, into.number)),
    broadcast: (tenant, signal) =>
      writeLater(host, (into) => putSignal(session, into.tenant(tenant), signal, into.number)),
    deliveries: (now, limit) => readLater(host, () => listDeliveries(session, now, limit)),
    startTimers: (query) => readLater(host, () => listStartTimers(session, query)),
    moveStartTimer: (row, next) =>
      writeLater(host, (into) => moveStartTimer(session, into.tenant(row.tenant), row, next)),
  };
}

function commitAll(host: Host, into: Writing, turns: readonly Turn[]): readonly CommitResult[] {
  return turns.map((turn) => commitTurn(into, turn, host.salt()));
}

function transaction<T>(host: Host, work: (tx: SyncStore) => T): T {
  demandOpen(host);
  if (host.session.db.inTransaction)
    throw new StoreError("misuse", "A transaction is already open on the database handle.");
  let isOver = false;
  try {
    return writeNow(host, (into) => synchronousBody(work(syncStore(host, into, () => isOver))));
  } finally {
    isOver = true;
  }
}

function syncStore(host: Host, into: Writing, isOver: () => boolean): SyncStore {
  const { session, cache } = host;
  const within = <T>(method: () => T): T => {
    if (isOver() || !session.db.inTransaction) throw new StoreError("misuse", "The transaction is over.");
    try {
      return method();
    } catch (fault) {
      throw storeFault(fault);
    }
  };
  return {
    commit: (turns) =>
      within(() => {
        for (const turn of turns) checkTurn(turn);
        return commitAll(host, into, turns);
      }),
    load: (...args) => within(() => loadRun(session, ...args)),
    graph: (tenant, graph) => within(() => cachedGraph(session, cache, tenant, graph, false)),
    definition: (hash) => within(() => definitionByHash(session, hash)),
    newestDefinition: (tenant, name) => within(() => newestVersion(session, tenant, name)),
  };
}

function openFile(path: string): SqliteDatabase {
  try {
    return new Database(path);
  } catch (fault) {
    const known = storeFault(fault);
    throw known instanceof StoreError
      ? known
      : new StoreError("io", `Cannot open ${path}.`, { cause: fault });
  }
}

const ALL = Number.MAX_SAFE_INTEGER;
