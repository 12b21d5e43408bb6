/** @module The store port: one contract for every place that keeps runs. `contract.ts` is its suite. */
import type {
  Definition,
  Hash,
  ItemId,
  JsonObject,
  Mutation,
  OpenItem,
  ProductGraph,
  RunState,
  RunStatus,
  TurnRecord,
  WaitingMode,
} from "@tessera/core";
import type { CommitTurns } from "./commit-turns.ts";
import type { EffectClaim } from "./effect-claim.ts";
import type { GraphRow, JournalRow } from "./journal-row.ts";
import type { Delivery, NewMessage, NewSignal, Published, Sent, StartEvent } from "./message.ts";
import type { Anchor, PrunableQuery, PruneResult, Pruning } from "./pruning.ts";
import type { IndexedValue, ItemCountQuery, ItemQuery, Page, RunQuery, StoreCounts } from "./query.ts";
import type { StartTimer, StartTimerQuery, StartTimerRow } from "./start-timer.ts";

/** Tenant, run, business key, graph: names that the application chooses; every key and query carries the tenant. */
export type TenantId = string;
export type RunId = string;
export type GraphId = string;

/** The tenant of an application that has none. */
export const DEFAULT_TENANT: TenantId = "default";

/** Where a run came from: the item of the parent run that called it. */
export interface ParentLink {
  readonly run: RunId;
  readonly item: ItemId;
}

/** What a run's first turn creates. */
export interface NewRun {
  readonly workflow: string;
  readonly businessKey?: string;
  readonly parent?: ParentLink;
  /** The named graph that the run reads and writes; a child run shares its parent's. */
  readonly graph: GraphId;
}

/** What a command asks for; see `EffectCommand`. */
export type EffectKind =
  | "job"
  | "start-child"
  | "cancel-child"
  | "child-done"
  | "child-status"
  | "continue"
  | "signal";

/** All of them. */
export const EFFECT_KINDS: readonly EffectKind[] = [
  "job",
  "start-child",
  "cancel-child",
  "child-done",
  "child-status",
  "continue",
  "signal",
];

/**
 * A command for the world or for another run, with a stable id `${run}/${item}` (or a suffix of it). It is a row of
 * the outbox, committed with the turn that issued it and done when its result has been committed.
 *
 * job: call a port. start-child, cancel-child: to a called run. child-done, child-status: to the parent.
 * continue: the turn used up its firings; the run goes on with the next one. signal: to an item that waits for it.
 */
export interface EffectCommand {
  readonly id: string;
  readonly kind: EffectKind;
  /** The item that it speaks of; empty where it speaks of none. */
  readonly item: ItemId;
  /** Not to be claimed before (ms since the epoch). */
  readonly availableAt: number;
  readonly payload: JsonObject;
}

/**
 * One atomic turn: a journal row and everything that must be true with it. All or nothing; alone in its group, so a
 * Conflict or Duplicate leaves its neighbours untouched.
 */
export interface Turn {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly definition: Hash;
  /** The sequence the run has now; 0 for a new run. A fence: a stale writer is refused. */
  readonly expect: number;
  readonly record: TurnRecord;
  /** Derived status after the turn, for queries. */
  readonly status: RunStatus;
  readonly modes: readonly WaitingMode[];
  readonly created?: NewRun;
  /** Id of the command or message that opened the turn: at most one turn of a run has it. */
  readonly dedupe?: string;
  /**
   * Mutations of the run's graph in order, with the graph's sequence that they were validated against; the graph's
   * sequence grows by one. Without mutations the sequence is compared all the same and stays: the turn has read G.
   */
  readonly graph?: { readonly id: GraphId; readonly expect: number; readonly mutations: readonly Mutation[] };
  /** State after this turn, when it is worth a snapshot. */
  readonly snapshot?: RunState;
  /**
   * Items opened or changed by the turn, as they are after it, and items closed by it. `isPaused`: those that it sets do
   * not come due (the run is suspended) until they are set again.
   */
  readonly items: {
    readonly set: readonly OpenItem[];
    readonly closed: readonly ItemId[];
    readonly isPaused?: boolean;
  };
  /** Values of D that the turn changed and by which the run is to be found; other paths stay as they are. */
  readonly indexed?: readonly IndexedValue[];
  /**
   * Outbox rows: added, and ids that this turn completes (deleted in the same transaction). `claim`: those of the added
   * that whoever commits the turn claims with it, as by `claimEffects` right after.
   */
  readonly effects: {
    readonly add: readonly EffectCommand[];
    readonly done: readonly string[];
    readonly claim?: EffectClaim;
  };
  /** The buffered message that the turn takes: gone with it, and refused as a conflict when somebody else has it. */
  readonly takes?: number;
  /** What the turn sends: there, and handed out, with it. What has expired by `now` (default: the turn's time) may go. */
  readonly sends?: Sent;
  /** Lease token of the effect whose result this is; refused as a conflict when another worker holds it now. */
  readonly fence?: { readonly effect: string; readonly token: number };
}

/**
 * What became of a turn. `duplicate` names the sequence that already carries the dedupe id. `tokens`: the fencing tokens of
 * the effects that were claimed with the turn, in the order of its claim; absent when it claims none.
 */
export type CommitResult =
  | {
      readonly kind: "ok";
      readonly sequence: number;
      readonly head: Hash;
      readonly tokens?: readonly number[];
    }
  | {
      readonly kind: "conflict";
      readonly on: "run" | "graph" | "fence" | "parent" | "message";
      readonly expected: number;
      readonly found: number;
    }
  | { readonly kind: "duplicate"; readonly sequence: number };

/** A run as queries see it. `head` is the hash of its newest journal row. */
export interface RunRow {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly workflow: string;
  readonly definition: Hash;
  readonly businessKey: string | null;
  readonly parent: ParentLink | null;
  readonly graph: GraphId;
  readonly status: RunStatus;
  readonly modes: readonly WaitingMode[];
  readonly sequence: number;
  readonly head: Hash;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The last turn that is pruned, 0 when none is. */
  readonly prunedTo: number;
}

/**
 * A run with what its state is folded from: the newest snapshot not after `atSequence`, and the turns behind it up to
 * `atSequence`. `row` is always the present one.
 */
export interface LoadedRun {
  readonly row: RunRow;
  /** The definition in which the run was at `atSequence`; another one than that of the row if it has been migrated since. */
  readonly definition: Hash;
  readonly snapshot: RunState | null;
  readonly tail: readonly TurnRecord[];
  /**
   * The sequence at which the tail ends because the payload is erased: there is no way past it. Null otherwise. It is that
   * of the anchor where an erasure has taken its state.
   */
  readonly erasedAt: number | null;
  /** What stands for the pruned turns; the run can be loaded from its sequence on and not before. Null: none is pruned. */
  readonly anchor: Anchor | null;
}

/**
 * What became of an erasure. needed: the run has not ended and no later snapshot lets it go on without the payload.
 * already: erased before, by whoever is recorded. absent: no such row.
 */
export type EraseResult = "erased" | "already" | "absent" | "needed";

/** An open item with its run, as a work list shows it. */
export interface ItemRow {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly workflow: string;
  readonly businessKey: string | null;
  readonly item: OpenItem;
}

/** A claimed effect. `token` fences its result; the lease ends at `leaseUntil`. */
export interface ClaimedEffect {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly effect: EffectCommand;
  readonly token: number;
  readonly leaseUntil: number;
  /** Times that it has been claimed, this one included; a claim that was given back as not begun does not count. */
  readonly claimCount: number;
}

/** A stored definition version. */
export interface DefinitionRow {
  readonly hash: Hash;
  readonly name: string;
  readonly definition: Definition;
  /** What the hash covers besides: kinds with versions, called workflows, accepted failures. */
  readonly manifest: JsonObject;
  readonly deployedAt: number;
  /** What starts the newest version under its name; kept with the name, and not read back. */
  readonly starts?: readonly StartEvent[];
  /** Times that start it, the first of each, counted from this deployment; they are kept if it makes the version the newest. */
  readonly timers?: readonly StartTimer[];
}

/** The part of the contract that is synchronous where the host's storage is: what a shared transaction may use. */
export interface SyncStore {
  readonly commit: (turns: readonly Turn[]) => readonly CommitResult[];
  readonly load: (tenant: TenantId, run: RunId, atSequence?: number) => LoadedRun | null;
  readonly graph: (
    tenant: TenantId,
    graph: GraphId,
  ) => { readonly sequence: number; readonly graph: ProductGraph };
  readonly definition: (hash: Hash) => DefinitionRow | null;
  readonly newestDefinition: (tenant: TenantId, name: string) => DefinitionRow | null;
}

/**
 * The store. Every promise rejects only with StoreError (environment faults); a semantic refusal is a value.
 * `commit` takes an array: group commit is the contract, one transaction and one flush for the group.
 */
export interface RunStore {
  readonly commit: CommitTurns;
  readonly load: (tenant: TenantId, run: RunId, atSequence?: number) => Promise<LoadedRun | null>;
  /** Rows of the journal with sequence > `after`, ascending, at most `limit`. */
  readonly journal: (
    tenant: TenantId,
    run: RunId,
    after: number,
    limit: number,
  ) => Promise<readonly JournalRow[]>;
  readonly putDefinition: (tenant: TenantId, row: DefinitionRow) => Promise<"stored" | "known">;
  readonly definition: (hash: Hash) => Promise<DefinitionRow | null>;
  /** The newest version under a name, and all of them newest first. */
  readonly newestDefinition: (tenant: TenantId, name: string) => Promise<DefinitionRow | null>;
  readonly definitionVersions: (tenant: TenantId, name: string) => Promise<readonly DefinitionRow[]>;
  readonly runs: (query: RunQuery) => Promise<Page<RunRow>>;
  readonly items: (query: ItemQuery) => Promise<Page<ItemRow>>;
  /** How many rows `items` has for these filters, at most `max`: the cost grows with what is counted. */
  readonly countItems: (query: ItemCountQuery) => Promise<number>;
  /** How many runs and open items there are, of one tenant or of all. Kept up by every commit: the cost is that of the answer. */
  readonly counts: (tenant?: TenantId) => Promise<StoreCounts>;
  /**
   * Indexes a run anew: `values` replace all that it is found by. False, and nothing is done, when the run is not at
   * `sequence`. For runs whose turns were committed before their paths were to be indexed.
   */
  readonly reindex: (
    tenant: TenantId,
    run: RunId,
    sequence: number,
    values: readonly IndexedValue[],
  ) => Promise<boolean>;
  /** Items with `dueAt` <= now, oldest due first. */
  readonly dueItems: (now: number, limit: number) => Promise<readonly ItemRow[]>;
  /** The earliest `dueAt` of any open item, null when there is none. */
  readonly nextDue: () => Promise<number | null>;
  /**
   * Claims effects that are available and not leased, oldest first, for `leaseMs`; each gets a new fencing token.
   * `kinds`: only these (absent: all), so that commands between runs never wait behind jobs that find no worker.
   */
  readonly claimEffects: (
    owner: string,
    now: number,
    leaseMs: number,
    limit: number,
    kinds?: readonly EffectKind[],
  ) => Promise<readonly ClaimedEffect[]>;
  /** Extends a lease; false when another owner has it now. */
  readonly renewLease: (effect: string, tenant: TenantId, token: number, until: number) => Promise<boolean>;
  /** Gives an effect back, to be claimed again at `availableAt`. `wasBegun` false (default true): this claim does not count. */
  readonly releaseEffect: (
    effect: string,
    tenant: TenantId,
    token: number,
    availableAt: number,
    wasBegun?: boolean,
  ) => Promise<void>;
  /** Deletes a claimed effect that no turn will complete: its addressee is closed. False when another owner has it now. */
  readonly dropEffect: (effect: string, tenant: TenantId, token: number) => Promise<boolean>;
  /** The earliest time at which an effect (of one of `kinds`) can be claimed, null when the outbox has none. */
  readonly nextEffect: (kinds?: readonly EffectKind[]) => Promise<number | null>;
  /** Buffers a message; once, if it has an id. `now`: what has expired may go. */
  readonly publish: (tenant: TenantId, message: NewMessage, now: number) => Promise<Published>;
  /** Hands a signal to every open item of the tenant that waits for it, and to the workflows that it starts. */
  readonly broadcast: (tenant: TenantId, signal: NewSignal) => Promise<Published>;
  /**
   * Buffered messages that have not expired with those who could take them, the oldest message first, for each the item
   * that was opened first; a start only where no item waits. At most `limit` pairs. A suspended run takes none.
   */
  readonly deliveries: (now: number, limit: number) => Promise<readonly Delivery[]>;
  /** Timers that start workflows, the one that is due first before the others. */
  readonly startTimers: (query: StartTimerQuery) => Promise<readonly StartTimerRow[]>;
  /** Moves a timer from the time of `row` to `next`, or ends it (null). False when it is elsewhere, or of another version, by now. */
  readonly moveStartTimer: (row: StartTimerRow, next: StartTimer | null) => Promise<boolean>;
  readonly graph: (
    tenant: TenantId,
    graph: GraphId,
  ) => Promise<{ readonly sequence: number; readonly graph: ProductGraph }>;
  /** Turns that changed a graph, with sequence > `after`, ascending, at most `limit`: G is the fold of their mutations. */
  readonly graphJournal: (
    tenant: TenantId,
    graph: GraphId,
    after: number,
    limit: number,
  ) => Promise<readonly GraphRow[]>;
  /**
   * Erases the payload of one journal row with its salt, the large values that nothing else refers to, and the snapshots
   * that were folded from it: all of an ended run, all but the newest of one that goes on, and that one too as soon as
   * there is a newer one or the run ends. Recorded in the row; the chain still verifies.
   */
  readonly erase: (
    tenant: TenantId,
    run: RunId,
    sequence: number,
    by: string,
    reason: string,
    at: number,
  ) => Promise<EraseResult>;
  /**
   * Takes the turns of a run up to a sequence out of the journal, with their large values and the snapshots before it, and
   * keeps the state after them and an anchor instead. Their dedupe ids stay spent. The chain verifies from the anchor. In
   * the journal of a graph they are without mutations. Cost: the turns that go.
   */
  readonly prune: (tenant: TenantId, run: RunId, pruning: Pruning) => Promise<PruneResult>;
  /**
   * Runs that have ended before a time and whose last turn is not pruned, the first to end first. Cost: the runs of the
   * page, whatever else there is, and whatever was pruned before.
   */
  readonly prunable: (query: PrunableQuery) => Promise<Page<RunRow>>;
  /**
   * Runs `work` in one IMMEDIATE transaction together with the application's own writes; absent where the storage
   * cannot. A throw rolls everything back and is rethrown.
   */
  readonly transaction?: <T>(work: (tx: SyncStore) => T) => T;
  /**
   * The store within the transaction that is open on `connection`, one of the application's own to the same database: what
   * is committed takes effect with it. Absent where the storage has no such connections. Rejects with StoreError `misuse`
   * where no transaction is open, or not one that is READ COMMITTED.
   */
  readonly enlist?: (connection: object) => Pick<RunStore, keyof SyncStore>;
  /** A number that changes when another process has committed here: cheap, without a lock. Absent where nobody else can write. */
  readonly foreignVersion?: () => number;
  readonly close: () => Promise<void>;
}

/** An environment fault: the disk is full, the file is locked or damaged, the schema is newer. Callers test `code`. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}

/**
 * busy: locked by another writer for longer than we wait; try again. full: no space. corrupt: not a database, or damaged.
 * schema: written by a newer version. settings: a handle or file with settings that lose data; the message names the
 * pragma. closed: used after close. limit: a row or turn over a size limit. misuse: a call that the contract forbids (a
 * transaction inside another, an asynchronous one, a cursor that no page returned, an argument of another type). io:
 * anything else.
 */
export type StoreErrorCode =
  | "busy"
  | "full"
  | "corrupt"
  | "schema"
  | "settings"
  | "closed"
  | "limit"
  | "misuse"
  | "io";
