/** @module The memory store: the whole contract without a disk, for tests, simulation and engines that need no durability. */
import { EMPTY_GRAPH, type Hash } from "@tessera/core";
import { withCheckedArguments } from "./checked.ts";
import { synchronousBody } from "./fault.ts";
import { commitTurn, dropSnapshots } from "./memory/commit.ts";
import { claimableIndex, nextNumber, writeEffect } from "./memory/effects.ts";
import { listDeliveries, putMessage, putSignal } from "./memory/messages.ts";
import { firstEntries } from "./memory/ordered-index.ts";
import { listPrunable, pruneRun } from "./memory/prune.ts";
import { countAll, countItems, itemRow, listItems, listRuns, putValues } from "./memory/queries.ts";
import { loadRun, readGraphJournal, readJournal } from "./memory/runs.ts";
import { listStartTimers, moveStartTimer, putStartTimers } from "./memory/start-timers.ts";
import {
  assign,
  atomically,
  disownBlobs,
  emptyTables,
  type StoredEffect,
  type StoredRun,
  setAt,
  setIn,
  type Tables,
  type TenantTables,
  tenantTables,
} from "./memory/tables.ts";
import {
  type ClaimedEffect,
  type DefinitionRow,
  EFFECT_KINDS,
  type EffectKind,
  type EraseResult,
  type RunStore,
  StoreError,
  type SyncStore,
  type Turn,
} from "./store.ts";
import { checkPruning, checkTurn, hasEnded } from "./turn-check.ts";

/** Settings of a memory store. */
export interface MemoryOptions {
  /** A salt (32 hexadecimal digits) for each turn. Default: a counter, which protects nothing and makes runs repeatable. */
  readonly salt?: () => string;
}

/** A memory store has transactions, and can be asked without waiting. */
export type MemoryStore = RunStore & Required<Pick<RunStore, "transaction">>;

/** An empty store. Nothing outlives it. Two stores that are given the same turns are equal byte by byte. */
export function memoryStore(options: MemoryOptions = {}): MemoryStore {
  const tables = emptyTables();
  let saltCount = 0;
  const salt = options.salt ?? (() => (saltCount++).toString(16).padStart(32, "0"));
  const sync = syncStore(tables, salt);
  let isClosed = false;
  const open = (): void => {
    if (isClosed) throw new StoreError("closed", "The store is closed.");
  };
  /** Every method but close, as a promise that rejects when the store is closed. */
  const later: Later =
    (method) =>
    async (...args) => {
      open();
      return method(...args);
    };
  return withCheckedArguments({
    commit: later(sync.commit),
    load: later(sync.load),
    graph: later(sync.graph),
    definition: later(sync.definition),
    newestDefinition: later(sync.newestDefinition),
    definitionVersions: later((tenant, name) => tenantTables(tables, tenant).names.get(name) ?? []),
    putDefinition: later((tenant, row) => atomically(tables, () => putDefinition(tables, tenant, row))),
    journal: later((tenant, run, after, limit) =>
      readJournal(tenantTables(tables, tenant), run, after, limit),
    ),
    runs: later((query) => listRuns(tables, query)),
    items: later((query) => listItems(tables, query)),
    countItems: later((query) => countItems(tables, query)),
    counts: later((tenant) => countAll(tables, tenant)),
    reindex: later((tenant, id, sequence, values) => {
      const run = tenantTables(tables, tenant).runs.get(id);
      if (run === undefined || run.row.sequence !== sequence) return false;
      atomically(tables, () => {
        assign(tables, run, "values", new Map());
        putValues(tables, run, values);
      });
      return true;
    }),
    dueItems: later((now, limit) =>
      firstEntries(tables.due, now, limit).map(({ value }) => itemRow(tables, value)),
    ),
    nextDue: later(() => tables.due[0]?.key ?? null),
    ...outbox(tables, later),
    publish: later((tenant, message, now) =>
      atomically(tables, () => putMessage(tables, tenant, message, now)),
    ),
    broadcast: later((tenant, signal) => atomically(tables, () => putSignal(tables, tenant, signal))),
    deliveries: later((now, limit) => listDeliveries(tables, now, limit)),
    startTimers: later((query) => listStartTimers(tables, query)),
    moveStartTimer: later((row, next) => atomically(tables, () => moveStartTimer(tables, row, next))),
    graphJournal: later((tenant, graph, after, limit) =>
      readGraphJournal(tenantTables(tables, tenant), graph, after, limit),
    ),
    erase: later((tenant, run, sequence, by, reason, at) =>
      atomically(tables, () =>
        erase(tables, tenantTables(tables, tenant), run, sequence, { by, reason, at }),
      ),
    ),
    prune: later((tenant, run, pruning) => {
      checkPruning(pruning);
      return atomically(tables, () => pruneRun(tables, tenantTables(tables, tenant), run, pruning));
    }),
    prunable: later((query) => listPrunable(tenantTables(tables, query.tenant), query)),
    transaction: (work) => {
      open();
      if (tables.undo !== null) throw new StoreError("misuse", "A transaction inside a transaction.");
      let isOver = false;
      try {
        return atomically(tables, () => synchronousBody(work(whileOpen(sync, () => isOver))));
      } finally {
        isOver = true;
      }
    },
    close: async () => {
      isClosed = true;
    },
  });
}

/** Makes a promise of a method. */
type Later = <A extends readonly unknown[], R>(method: (...args: A) => R) => (...args: A) => Promise<R>;

type Outbox = "claimEffects" | "renewLease" | "releaseEffect" | "dropEffect" | "nextEffect";

function outbox(tables: Tables, later: Later): Pick<RunStore, Outbox> {
  return {
    claimEffects: later((_owner, now, leaseMs, limit, kinds) =>
      atomically(tables, () => claimEffects(tables, now, leaseMs, limit, kinds ?? EFFECT_KINDS)),
    ),
    renewLease: later((effect, tenant, token, until) =>
      changeLeased(tables, tenant, effect, token, (held) => ({
        ...held,
        leaseUntil: until,
        claimableAt: until,
      })),
    ),
    releaseEffect: later((effect, tenant, token, at, wasBegun = true) => {
      changeLeased(tables, tenant, effect, token, (held) => ({
        ...held,
        token: 0,
        leaseUntil: 0,
        claimableAt: at,
        claimCount: held.claimCount - (wasBegun ? 0 : 1),
      }));
    }),
    dropEffect: later((effect, tenant, token) => changeLeased(tables, tenant, effect, token, () => null)),
    nextEffect: later((kinds) => {
      const firsts = (kinds ?? EFFECT_KINDS).flatMap((kind) => claimableIndex(tables, kind)[0]?.key ?? []);
      return firsts.length === 0 ? null : Math.min(...firsts);
    }),
  };
}

function syncStore(tables: Tables, salt: () => string): SyncStore {
  return {
    commit: (turns: readonly Turn[]) => {
      for (const turn of turns) checkTurn(turn);
      return atomically(tables, () => turns.map((turn) => commitTurn(tables, turn, salt())));
    },
    load: (tenant, run, atSequence) => loadRun(tenantTables(tables, tenant), run, atSequence),
    graph: (tenant, id) => {
      const found = tenantTables(tables, tenant).graphs.get(id);
      return { sequence: found?.journal.length ?? 0, graph: found?.graph ?? EMPTY_GRAPH };
    },
    definition: (hash) => tables.definitions.get(hash) ?? null,
    newestDefinition: (tenant, name) => tenantTables(tables, tenant).names.get(name)?.[0] ?? null,
  };
}

/** The same store, until the transaction is over. */
function whileOpen(sync: SyncStore, isOver: () => boolean): SyncStore {
  const guard =
    <A extends readonly unknown[], R>(method: (...args: A) => R) =>
    (...args: A): R => {
      if (isOver()) throw new StoreError("misuse", "The transaction is over.");
      return method(...args);
    };
  return {
    commit: guard(sync.commit),
    load: guard(sync.load),
    graph: guard(sync.graph),
    definition: guard(sync.definition),
    newestDefinition: guard(sync.newestDefinition),
  };
}

function putDefinition(tables: Tables, tenant: string, row: DefinitionRow): "stored" | "known" {
  const { names, starts } = tenantTables(tables, tenant);
  setIn(tables, starts, row.name, row.starts ?? []);
  const before = names.get(row.name) ?? [];
  if (before[0]?.hash !== row.hash) putStartTimers(tables, tenant, row);
  const others = before.filter(({ hash }) => hash !== row.hash);
  if (!tables.definitions.has(row.hash))
    setIn<Hash, DefinitionRow>(tables, tables.definitions, row.hash, row);
  setIn(tables, names, row.name, [row, ...others]);
  return others.length < before.length ? "known" : "stored";
}

/**
 * Claims the effects of these kinds that can be claimed.
 *
 * @definition D10.11
 */
function claimEffects(
  tables: Tables,
  now: number,
  leaseMs: number,
  limit: number,
  kinds: readonly EffectKind[],
): readonly ClaimedEffect[] {
  const leaseUntil = now + leaseMs;
  const found = kinds.flatMap((kind) => firstEntries(claimableIndex(tables, kind), now, limit));
  const oldest = found.sort((a, b) => a.key - b.key || a.id - b.id).slice(0, limit);
  return oldest.map(({ value: before }) => {
    const token = nextNumber(tables);
    const claimed = {
      ...before,
      token,
      leaseUntil,
      claimableAt: leaseUntil,
      claimCount: before.claimCount + 1,
    };
    const { tenant, run, command: effect, claimCount } = claimed;
    writeEffect(tables, tenantTables(tables, tenant), effect.id, claimed);
    return { tenant, run, effect, token, leaseUntil, claimCount };
  });
}

/** Puts `change` of an effect in its place (null: takes it out), if `token` still holds it. */
function changeLeased(
  tables: Tables,
  tenant: string,
  id: string,
  token: number,
  change: (held: StoredEffect) => StoredEffect | null,
): boolean {
  const owner = tenantTables(tables, tenant);
  const effect = owner.effects.get(id);
  if (effect === undefined || effect.token !== token || token === 0) return false;
  atomically(tables, () => writeEffect(tables, owner, id, change(effect)));
  return true;
}

/**
 * Erases the payload of a turn.
 *
 * @definition D10.12
 */
function erase(
  tables: Tables,
  tenant: TenantTables,
  id: string,
  sequence: number,
  erased: { readonly by: string; readonly reason: string; readonly at: number },
): EraseResult {
  const run: StoredRun | undefined = tenant.runs.get(id);
  const index = sequence - 1 - (run?.row.prunedTo ?? 0);
  const row = run?.journal[index];
  if (run === undefined || row === undefined) return "absent";
  if (row.erased !== null) return "already";
  const newest = run.snapshots.at(-1)?.sequence ?? 0;
  if (!hasEnded(run.row.status) && newest < sequence) return "needed";
  disownBlobs(tables, tenant, row.blobs);
  setAt(tables, run.journal, index, { ...row, payload: null, salt: null, blobs: [], erased });
  dropSnapshots(tables, tenant, run, (at) => at >= sequence && (hasEnded(run.row.status) || at < newest));
  assign(tables, run, "erasedFrom", Math.min(sequence, run.erasedFrom ?? sequence));
  return "erased";
}
