/** @module The engine: everything that an application calls, over one store. */
import { randomUUID } from "node:crypto";
import type { Implementation, StartData } from "@tessera/core";
import {
  DEFAULT_TENANT,
  type ItemCountQuery,
  type ItemQuery,
  type Page,
  type RunId,
  type RunRow,
  type RunStore,
  type StartTimerRow,
  type StoreCounts,
  type TenantId,
} from "@tessera/persist";
import type { Actor, Authorize } from "./actor.ts";
import { type Audit, auditRuns } from "./audit.ts";
import { type Clock, systemClock } from "./clock.ts";
import { bringNow, makeCourier } from "./courier.ts";
import { type Deployable, type Deployed, type DeployOptions, deploy } from "./deploy.ts";
import { type EnlistedTransaction, enlistIn } from "./enlisted.ts";
import { watchForeign } from "./foreign.ts";
import { type History, type HistoryQuery, historyOf } from "./history.ts";
import { type Host, type LiveRun, makeHost } from "./host.ts";
import { findRuns, type IndexedData, type Reindexed, type RunsQuery, reindexRuns } from "./indexed-data.ts";
import { DEFAULT_ENGINE_LIMITS, type EngineLimits } from "./limits.ts";
import { loadRun } from "./live-run.ts";
import { type Logger, loggerWith, SILENT } from "./logger.ts";
import {
  broadcastSignal,
  type MessageRequest,
  type PublishedMessage,
  publishMessage,
  type SignalRequest,
} from "./messages.ts";
import { type Observer, observedStore, observeHost } from "./observer.ts";
import { makeOperations, type Operations } from "./operations.ts";
import { makeOutbox, signalNow } from "./outbox.ts";
import { pageQuery } from "./paging.ts";
import { type Prover, staticProver } from "./prove.ts";
import { type Pruned, type PruneRequest, pruneRuns } from "./prune.ts";
import { type Refused, refused } from "./refusal.ts";
import { makeRegistry, type Registrations } from "./registry.ts";
import { replayRun } from "./replay.ts";
import { type RunView, viewOfRun } from "./run-view.ts";
import { type StartRequest, startRun } from "./start.ts";
import { makeStartTimers } from "./start-timers.ts";
import { versionOfRun, viewOfItem, type WorkItem } from "./task.ts";
import { makeTimers } from "./timers.ts";
import { type EngineTransaction, inTransaction } from "./transaction.ts";
import { makeWatchers, type ResultOptions, type RunResult } from "./watch.ts";
import {
  cancelRun,
  completeAt,
  type Done,
  makeWorkItems,
  type NodeRequest,
  type WorkItems,
} from "./work-items.ts";

/** What an engine is made of. Only the store must be given. */
export interface EngineOptions extends Registrations {
  readonly store: RunStore;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** New ids of runs and workers. Default: random UUIDs. */
  readonly ids?: () => string;
  /** A number in [0, 1). Default: Math.random. */
  readonly random?: () => number;
  /** Default: silence. */
  readonly logger?: Logger;
  readonly limits?: Partial<EngineLimits>;
  /** Jobs at a time (default 16). 0: this engine does no background work: no jobs, no called runs, no timers, no starts by them. */
  readonly concurrency?: number;
  /** The application's rule of authorization; see `mayByDefault`. */
  readonly authorize?: Authorize;
  /** How often to look for what other processes left in the store, in ms (default 1000; Infinity: never). */
  readonly pollMs?: number;
  /** By which values of D runs can be found (default: none); a run is indexed by its turns from now on, see `reindex`. */
  readonly indexedData?: IndexedData;
  /** Told of turns and commits: what measures the engine. Default: nobody, and nothing is measured. */
  readonly observer?: Observer;
  /** Decides the obligations of definitions. Default: all that are decided statically. */
  readonly prover?: Prover;
}

/** One run. */
export interface RunHandle {
  readonly id: RunId;
  readonly tenant: TenantId;
  /** The end of the run, whenever it comes; earlier only by `signal`, `timeoutMs` or when the engine closes. */
  readonly result: (options?: ResultOptions) => Promise<RunResult>;
  readonly state: () => Promise<({ readonly kind: "run" } & RunView) | Refused>;
  /** Completes what is open at a node: a person's work item, or what an outside system was waited for. */
  readonly complete: (request: NodeRequest) => Promise<Done | Refused>;
  readonly cancel: (options?: { readonly by?: Actor; readonly reason?: string }) => Promise<Done | Refused>;
}

/** A run that is there, with its handle. */
export interface StartedRun extends RunHandle {
  readonly kind: "started";
  /** False when an earlier start with the same id and content made it. */
  readonly isNew: boolean;
}

/** A workflow to start by its built form: the data are typed by its schemas. */
export type TypedStart<W extends Implementation> = Omit<StartRequest<StartData<W>>, "workflow"> & {
  readonly workflow: W;
};

/** The engine. Every operation answers with a value or a refusal; it rejects only with StoreError. */
export interface Engine {
  readonly deploy: (definition: Deployable, options?: DeployOptions) => Promise<Deployed | Refused>;
  readonly start: {
    <W extends Implementation>(request: TypedStart<W>): Promise<StartedRun | Refused>;
    (request: StartRequest): Promise<StartedRun | Refused>;
  };
  /** Timers that start workflows, each with the time that comes next (ms since the epoch), the first one first. */
  readonly startTimers: (query?: { readonly limit?: number } & InTenant) => Promise<readonly StartTimerRow[]>;
  readonly run: (id: RunId, tenant?: TenantId) => RunHandle;
  /** Runs by what they are and what they hold (`indexedData`), newest first, in pages. */
  readonly runs: (query: RunsQuery) => Promise<Page<RunRow>>;
  /** How many runs and open items there are, of one tenant or, without one, of all. Cheap, however many there are. */
  readonly counts: (query?: InTenant) => Promise<StoreCounts>;
  /** Indexes the runs of a workflow anew: those that were there before a path came to `indexedData`. */
  readonly reindex: (query: { readonly workflow: string } & InTenant) => Promise<Reindexed>;
  readonly workItems: WorkItems & {
    readonly list: (query?: Partial<ItemQuery>) => Promise<Page<WorkItem>>;
    /**
     * How many open items `list` has for these filters, but no more than `max` (default: 10,000), which then means "or
     * more": the number beside a work list. What it costs grows with what is counted.
     */
    readonly count: (query?: Partial<ItemCountQuery>) => Promise<number>;
  };
  /** What operators do to running instances. */
  readonly operations: Operations;
  /** What a run did, oldest first, in pages of turns. */
  readonly history: (run: RunId, query?: HistoryQuery & InTenant) => Promise<History | Refused>;
  /** The run after turn `at` (default: the last), folded from its journal alone. */
  readonly replay: (
    run: RunId,
    query?: { readonly at?: number } & InTenant,
  ) => Promise<({ readonly kind: "run" } & RunView) | Refused>;
  /** Checks stored runs (default: all of the tenant) and their graphs against their journals. */
  readonly audit: (query?: { readonly runs?: readonly RunId[] } & InTenant) => Promise<Audit>;
  /** Takes old turns out of the journal; chain, audit and replay go on from an anchor. Authorized, with a reason, recorded. */
  readonly prune: (request: PruneRequest) => Promise<Pruned | Refused>;
  /** Publishes a message: for the one who waits for its name and key, now or until it expires. */
  readonly publish: (message: MessageRequest) => Promise<PublishedMessage | Refused>;
  /** Gives a signal to everybody who waits for its name now. */
  readonly signal: (signal: SignalRequest) => Promise<PublishedMessage | Refused>;
  /**
   * The application's own writes on the store's database handle, and turns: both or neither. `work` is synchronous; a
   * throw undoes everything and is passed on. Only where the store has transactions (else StoreError `misuse`).
   */
  readonly transaction: <T>(work: (tx: EngineTransaction) => T) => T;
  /**
   * Turns in the transaction that the application has begun on `connection`, a `Client` of `pg` to the store's database:
   * they take effect with its COMMIT, and its ROLLBACK leaves nothing of them. Only on PostgreSQL (else StoreError `misuse`).
   * Keep the transaction short: until it ends, turns of this and of every other engine on the runs and graphs that it has
   * touched wait, about ten seconds each, and then reject with StoreError `busy`. So does what is awaited of them in the
   * transaction itself: await in it nothing of the engine but these turns. Turns of other runs do not wait.
   */
  readonly enlist: (connection: object) => EnlistedTransaction;
  /**
   * Begins the background work on what is in the store. The first turn of this engine begins it too, and so does the
   * deployment of a workflow that times start.
   */
  readonly resume: () => void;
  /** Takes nothing new, waits for what is under way (at most `drainMs`, default 5000) and lets go of everything. */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>;
}

/** Which tenant; without one the tenant of an application that has none. */
interface InTenant {
  readonly tenant?: TenantId;
}

const LIST_LIMIT = 100;

/** How far the items of a query are counted when it is not said. */
const COUNT_MAX = 10_000;

/** Makes an engine. Nothing runs before `resume` or its first turn. */
export function createEngine(options: EngineOptions): Engine {
  return engineOver(hostOf(options), options);
}

/** What an engine needs besides its host. */
export type EngineParts = Pick<EngineOptions, "concurrency" | "pollMs" | "authorize" | "prover" | "observer">;

/** An engine over a host. */
export function engineOver(host: Host, options: EngineParts): Engine {
  const { concurrency = 16, pollMs = 1_000, authorize = () => null, prover = staticProver() } = options;
  const watchers = makeWatchers(host, pollMs);
  const work = { concurrency, pollMs };
  const outbox = makeOutbox(host, work);
  const courier = makeCourier(host, work);
  const startTimers = makeStartTimers(host, work);
  const background = [outbox, makeTimers(host, work), startTimers, courier];
  const foreign = watchForeign(host, concurrency === 0 ? Number.POSITIVE_INFINITY : pollMs, () => {
    for (const part of [...background, watchers]) part.look();
  });
  const resume = (): void => {
    for (const part of background) part.begin();
    foreign.begin();
  };
  const unobserve = options.observer === undefined ? null : observeHost(host, options.observer);
  host.listeners.push(resume);
  const handleOf = (tenant: TenantId, id: RunId): RunHandle => ({
    id,
    tenant,
    result: (wait) => watchers.result(tenant, id, wait),
    state: async () => viewed(await loadRun(host, tenant, id)),
    complete: (request) => guarded(host, () => completeAt(host, authorize, { ...request, tenant, run: id })),
    cancel: (by = {}) => guarded(host, () => cancelRun(host, authorize, { tenant, run: id, ...by })),
  });
  const start = async (request: StartRequest | TypedStart<Implementation>): Promise<StartedRun | Refused> => {
    return guarded(host, async () => {
      const started = await startRun(host, plainStart(request));
      if (started.kind === "refused") return started;
      return { ...handleOf(started.tenant, started.run), kind: "started", isNew: started.isNew };
    });
  };
  let closing: Promise<void> | null = null;
  return {
    deploy: (definition, how) =>
      guarded(host, async () => {
        const deployed = await deploy(host, prover, definition, how);
        if (deployed.kind === "deployed" && deployed.isTimed) resume();
        startTimers.look();
        return deployed;
      }),
    startTimers: ({ tenant = DEFAULT_TENANT, limit = LIST_LIMIT } = {}) =>
      host.store.startTimers({ tenant, limit }),
    start,
    run: (id, tenant = DEFAULT_TENANT) => handleOf(tenant, id),
    runs: (query) => findRuns(host, query),
    counts: ({ tenant } = {}) => host.store.counts(tenant),
    reindex: ({ workflow, tenant = DEFAULT_TENANT }) => reindexRuns(host, tenant, workflow),
    workItems: {
      ...guardedAll(host, makeWorkItems(host, authorize)),
      list: (query) => listItems(host, query),
      count: (query) => countItems(host, query),
    },
    operations: guardedAll(host, makeOperations(host, authorize, prover)),
    history: (run, { tenant = DEFAULT_TENANT, ...query } = {}) => historyOf(host, tenant, run, query),
    replay: async (run, { tenant = DEFAULT_TENANT, at } = {}) =>
      viewed(await replayRun(host, tenant, run, at)),
    audit: ({ tenant = DEFAULT_TENANT, runs } = {}) => auditRuns(host, tenant, runs),
    prune: (request) => guarded(host, () => pruneRuns(host, authorize, request)),
    ...sending(host, concurrency, (isSignal) => {
      resume();
      if (isSignal) outbox.look();
      courier.look();
    }),
    transaction: (work) => inTransaction(host, authorize, work),
    enlist: (connection) => {
      const { start: startWithin, complete } = enlistIn(host, authorize, connection, resume);
      return {
        start: (request) => guarded(host, () => startWithin(request)),
        complete: (request) => guarded(host, () => complete(request)),
      };
    },
    resume,
    close: ({ drainMs = 5_000 } = {}) => {
      closing ??= closeHost(host, async () => {
        foreign.stop();
        await Promise.all(background.map((part) => part.stop(drainMs)));
        watchers.close();
        unobserve?.();
      });
      return closing;
    },
  };
}

/** Messages and signals; `wake` has them brought, where this engine works in the background. */
function sending(
  host: Host,
  concurrency: number,
  wake: (isSignal: boolean) => void,
): Pick<Engine, "publish" | "signal"> {
  return {
    publish: (message) =>
      guarded(host, async () => {
        const published = await publishMessage(host, message);
        if (concurrency === 0) await bringNow(host);
        wake(false);
        return published;
      }),
    signal: (signal) =>
      guarded(host, async () => {
        const published = await broadcastSignal(host, signal);
        if (concurrency === 0) await signalNow(host);
        if (concurrency === 0) await bringNow(host);
        wake(true);
        return published;
      }),
  };
}

function viewed(live: LiveRun | Refused): ({ readonly kind: "run" } & RunView) | Refused {
  return live.kind === "refused" ? live : { kind: "run", ...viewOfRun(live) };
}

function hostOf(options: EngineOptions): Host {
  const { observer } = options;
  const logger = loggerWith(options.logger ?? SILENT, {});
  return makeHost({
    store: observer === undefined ? options.store : observedStore(options.store, observer, logger),
    registry: makeRegistry(options),
    clock: options.clock ?? systemClock(),
    ids: options.ids ?? randomUUID,
    random: options.random ?? Math.random,
    logger,
    limits: { ...DEFAULT_ENGINE_LIMITS, ...options.limits },
    indexedData: new Map(Object.entries(options.indexedData ?? {})),
  });
}

function plainStart(request: StartRequest | TypedStart<Implementation>): StartRequest {
  // Programs that no compiler checks may give nothing: what is missing is said by name where it is asked for.
  const given = (request ?? {}) as typeof request;
  const { workflow } = given;
  const isBuilt = typeof workflow === "object" && workflow !== null && "definition" in workflow;
  return isBuilt ? { ...given, workflow: workflow.definition.id } : (given as StartRequest);
}

/** Refuses when the engine is closed. Every refusal is told to the logger, with its facts. Rejects where `work` throws. */
function guarded<T extends { readonly kind: string }>(
  host: Host,
  work: () => Promise<T | Refused>,
): Promise<T | Refused> {
  if (host.isClosed) return Promise.resolve(told(host, refused("closed", "the engine is closed")));
  try {
    return work().then((answer) => told(host, answer));
  } catch (fault) {
    return Promise.reject(fault);
  }
}

function told<T extends { readonly kind: string }>(host: Host, answer: T): T {
  if (answer.kind === "refused") {
    const { code, message, facts } = answer as unknown as Refused;
    host.logger.info("refused", { code, why: message, ...facts });
  }
  return answer;
}

/** Every operation of a table, guarded. */
function guardedAll<T extends object>(host: Host, table: T): T {
  type Operation = (...args: readonly unknown[]) => Promise<{ readonly kind: string }>;
  const entries = Object.entries(table as Readonly<Record<string, Operation>>);
  return Object.fromEntries(
    entries.map(([name, work]) => [
      name,
      (...args: readonly unknown[]) => guarded(host, () => work(...args)),
    ]),
  ) as T;
}

async function listItems(host: Host, query: Partial<ItemQuery> = {}): Promise<Page<WorkItem>> {
  const page = await host.store.items(
    pageQuery<ItemQuery>(query, { tenant: DEFAULT_TENANT, limit: LIST_LIMIT }),
  );
  const rows: WorkItem[] = [];
  for (const row of page.rows) rows.push(viewOfItem(row, await versionOfRun(host, row.tenant, row.run)));
  return { rows, next: page.next };
}

async function countItems(host: Host, query: Partial<ItemCountQuery> = {}): Promise<number> {
  const { max = COUNT_MAX, ...filters } = query;
  const { limit, ...asked } = pageQuery<ItemQuery>({ ...filters, limit: max }, { tenant: DEFAULT_TENANT });
  return host.store.countItems({ ...asked, max: limit });
}

/**
 * Closes a host: it refuses what comes, `stop` ends the background work, then turns that wait are committed.
 *
 * @definition D9.15
 */
async function closeHost(host: Host, stop: () => Promise<void>): Promise<void> {
  host.isClosed = true;
  await stop();
  await host.mailboxes.idle();
  await host.committer.close();
}
