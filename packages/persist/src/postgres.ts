/** @module The PostgreSQL store: runs in a schema of a database that any number of processes share. */
import pg from "pg";
import { withCheckedArguments } from "./checked.ts";
import { commitGroup } from "./postgres/commit.ts";
import { readCounts } from "./postgres/counts.ts";
import { definitionByHash, putDefinition, versionsOf } from "./postgres/definitions.ts";
import {
  type PostgresClient,
  type PostgresConnection,
  type PostgresPool,
  type PostgresQuery,
  type PostgresResult,
  textsOf,
} from "./postgres/driver.ts";
import { enlistedStore } from "./postgres/enlisted.ts";
import { eraseTurn } from "./postgres/erase.ts";
import { passes } from "./postgres/faults.ts";
import { committingFree } from "./postgres/free-commit.ts";
import { cachedGraph } from "./postgres/graphs.ts";
import { asking, committing, type Host, once, reading } from "./postgres/host.ts";
import { countItems } from "./postgres/item-count.ts";
import { type Ear, listen } from "./postgres/listen.ts";
import { listDueItems, listItems, listRuns, nextDue } from "./postgres/listings.ts";
import { clearMarks, newMarks } from "./postgres/marks.ts";
import { listDeliveries, purge, putMessage, putSignal } from "./postgres/messages.ts";
import { claimEffects, dropHeldEffect, nextEffect, releaseEffect, renewLease } from "./postgres/outbox.ts";
import { patience, type RetryOptions } from "./postgres/patience.ts";
import { listPrunable, pruneRun } from "./postgres/prune.ts";
import { replaceValues } from "./postgres/run-values.ts";
import { loadRun, readGraphJournal, readJournal } from "./postgres/runs.ts";
import { bringSchema } from "./postgres/schema.ts";
import { demandSettings } from "./postgres/settings.ts";
import { listStartTimers, moveStartTimer } from "./postgres/start-timers.ts";
import { randomSalts } from "./salts.ts";
import { EFFECT_KINDS, type RunStore, StoreError } from "./store.ts";
import { checkPruning, checkTurn } from "./turn-check.ts";

export { checkPostgres, type PostgresCheck } from "./postgres-check.ts";
export type { PostgresClient, PostgresConnection, PostgresPool, PostgresQuery, PostgresResult, RetryOptions };

/**
 * Where the runs are kept. `connection`: a URL, or what else a `Client` of `pg` takes; the store has a pool of its own.
 * `pool`: the application's `Pool` of `pg`, whose settings are looked at and never changed, and which `close` leaves open;
 * one of its connections is kept for LISTEN (see `listen`).
 */
export type PostgresTarget =
  | { readonly connection: string | Readonly<Record<string, unknown>> }
  | { readonly pool: PostgresPool };

/** Settings of a PostgreSQL store. */
export interface PostgresOptions {
  /** The schema of the tables (default "tessera"), made if it is not there: letters, digits and `_`, at most 48. */
  readonly schema?: string;
  /** Connections of the store's own pool, at most, besides the one that listens (default 8). */
  readonly connectionsMax?: number;
  /** Hear of other processes' commits by LISTEN, and tell of one's own by NOTIFY (default true); else they are found by polling. */
  readonly listen?: boolean;
  /** How long to wait for other writers, and for a server that is not there. */
  readonly retry?: RetryOptions;
  /** 16 random bytes for each turn (default: of node:crypto). */
  readonly salt?: () => Uint8Array;
}

/**
 * A PostgreSQL store. It has no `transaction`: that is synchronous, and no connection to a server is. Turns join in a
 * transaction that the application has begun on a `Client` of `pg` by `enlist`.
 */
export type PostgresStore = Omit<RunStore, "transaction" | "enlist"> & Required<Pick<RunStore, "enlist">>;

/**
 * Opens the store, and creates or migrates its tables. A commit that resolved survives the loss of power: it is flushed
 * (`synchronous_commit`, `fsync`, `full_page_writes`), which is read back in every commit. Any number of processes may
 * share a schema; each commit locks only the rows that it concerns.
 *
 * Rejects with StoreError: schema (written by a newer release), settings (commits could be lost, or not allowed), misuse
 * (a schema that has no such name), io (no way to the server within the time of `retry`).
 */
export async function postgresStore(
  target: PostgresTarget,
  options: PostgresOptions = {},
): Promise<PostgresStore> {
  const { schema = "tessera", connectionsMax = 8, listen: isListening = true } = options;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(schema))
    throw new StoreError("misuse", `"${schema}" cannot be the schema of a store.`);
  const isOwn = "connection" in target;
  const pool = isOwn ? ownPool(target.connection, connectionsMax + 1) : target.pool;
  const host: Host = {
    pool,
    texts: textsOf(schema),
    cache: new Map(),
    tenants: new Map(),
    patience: patience(options.retry ?? {}),
    marks: newMarks(),
    salt: options.salt ?? randomSalts(),
    announce: () => {},
    isClosed: false,
  };
  try {
    await asking(host, demandSettings);
    // Another process may be at it, for as long as it takes.
    await committing(host, ({ session }) => bringSchema(session, schema), { lockMs: 0 });
    const ear = isListening ? await openEar(host, schema) : null;
    host.announce = ear?.announce ?? (() => {});
    return methods(host, ear, channelOf(schema), async () => {
      // Without a server they stay until another store takes them away.
      await once(host, (session) => clearMarks(session, host.marks)).catch(() => undefined);
      host.isClosed = true;
      await ear?.close();
      if (isOwn) await pool.end();
    });
  } catch (fault) {
    host.isClosed = true;
    if (isOwn) await pool.end();
    throw fault;
  }
}

function methods(host: Host, ear: Ear | null, channel: string, end: () => Promise<void>): PostgresStore {
  let ended: Promise<void> | null = null;
  return withCheckedArguments({
    ...queries(host),
    ...outbox(host),
    ...messages(host),
    commit: async (turns, onBlocked) => {
      for (const turn of turns) checkTurn(turn);
      const salts = turns.map(() => host.salt());
      if (turns.length === 0) return [];
      if (onBlocked !== undefined) return committingFree(host, turns, salts, onBlocked);
      return committing(host, (into) => commitGroup(into, turns, salts));
    },
    putDefinition: (tenant, row) => committing(host, (into) => putDefinition(into, tenant, row)),
    reindex: (...args) => committing(host, (into) => replaceValues(host, into, ...args)),
    prune: async (tenant, run, pruning) => {
      checkPruning(pruning);
      return committing(host, (into) => pruneRun(host, into, tenant, run, pruning));
    },
    erase: (tenant, run, sequence, by, reason, at) =>
      committing(host, (into) => eraseTurn(host, into, tenant, run, sequence, { by, reason, at })),
    enlist: (connection) => {
      if (typeof (connection as Partial<PostgresConnection>).query !== "function")
        throw new StoreError("misuse", "Turns join in a transaction of a Client of pg.");
      return enlistedStore(host, connection as PostgresConnection, ear === null ? null : channel);
    },
    ...(ear === null ? {} : { foreignVersion: ear.count }),
    close: () => {
      ended ??= end();
      return ended;
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
  return {
    load: (...args) => reading(host, (session) => loadRun(host, session, ...args)),
    journal: (...args) => reading(host, (session) => readJournal(host, session, ...args)),
    definition: (hash) => asking(host, (session) => definitionByHash(session, hash)),
    newestDefinition: async (tenant, name) =>
      (await asking(host, (session) => versionsOf(host, session, tenant, name, 1)))[0] ?? null,
    definitionVersions: (tenant, name) =>
      asking(host, (session) => versionsOf(host, session, tenant, name, null)),
    runs: (query) => asking(host, (session) => listRuns(host, session, query)),
    items: (query) => reading(host, (session) => listItems(host, session, query)),
    countItems: (query) => reading(host, (session) => countItems(host, session, query)),
    counts: (tenant) => reading(host, (session) => readCounts(session, tenant)),
    prunable: (query) => asking(host, (session) => listPrunable(host, session, query)),
    dueItems: (now, limit) => reading(host, (session) => listDueItems(session, now, limit)),
    nextDue: () => asking(host, nextDue),
    graph: (tenant, graph) => cachedGraph(host, tenant, graph),
    graphJournal: (...args) => reading(host, (session) => readGraphJournal(host, session, ...args)),
  };
}

type Outbox = "claimEffects" | "renewLease" | "releaseEffect" | "dropEffect" | "nextEffect";

function outbox(host: Host): Pick<RunStore, Outbox> {
  return {
    claimEffects: (owner, now, leaseMs, limit, kinds = EFFECT_KINDS) => {
      const claim = { owner, now, leaseUntil: now + leaseMs, limit, kinds };
      return committing(host, ({ session }) => claimEffects(session, claim));
    },
    renewLease: (effect, tenant, token, until) =>
      committing(host, async ({ session, tenant: idOf }) =>
        renewLease(session, await idOf(tenant), effect, token, until),
      ),
    releaseEffect: (effect, tenant, token, availableAt, wasBegun = true) =>
      committing(host, async ({ session, tenant: idOf }) =>
        releaseEffect(session, await idOf(tenant), effect, token, availableAt, wasBegun),
      ),
    dropEffect: (effect, tenant, token) =>
      committing(host, async ({ session, tenant: idOf }) =>
        dropHeldEffect(session, await idOf(tenant), effect, token),
      ),
    nextEffect: (kinds) => asking(host, (session) => nextEffect(session, kinds)),
  };
}

type Messages = "publish" | "broadcast" | "deliveries" | "startTimers" | "moveStartTimer";

function messages(host: Host): Pick<RunStore, Messages> {
  return {
    publish: (tenant, message, now) =>
      committing(host, async (into) => {
        await purge(into.session, now);
        return putMessage(into, await into.tenant(tenant), message);
      }),
    broadcast: (tenant, signal) =>
      committing(host, async (into) => putSignal(into, await into.tenant(tenant), signal)),
    deliveries: (now, limit) => reading(host, (session) => listDeliveries(session, now, limit)),
    startTimers: (query) => asking(host, (session) => listStartTimers(host, session, query)),
    moveStartTimer: (row, next) =>
      committing(host, async (into) =>
        moveStartTimer(into.session, await into.tenant(row.tenant), row, next),
      ),
  };
}

/** Connections of ours are made good; what the URL itself says against it is refused later. */
function ownPool(connection: string | Readonly<Record<string, unknown>>, max: number): PostgresPool {
  const given = typeof connection === "string" ? { connectionString: connection } : connection;
  const pool = new pg.Pool({
    application_name: "tessera",
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    options: "-c synchronous_commit=on -c extra_float_digits=1 -c bytea_output=hex",
    ...given,
    max,
    pipeline: true,
  } as pg.PoolConfig);
  // An idle connection that breaks is replaced when it is needed.
  pool.on("error", () => {});
  return pool as unknown as PostgresPool;
}

/** On which those who share a schema tell each other that something was written. */
function channelOf(schema: string): string {
  return `tessera ${schema}`;
}

function openEar(host: Host, schema: string): Promise<Ear> {
  return host.patience(passes, () =>
    listen(
      channelOf(schema),
      () => host.pool.connect(),
      async (client) => client.release(true),
    ),
  );
}
