/** @module The tables of the memory store, and the log that undoes what a failed transaction changed. */
import type { Hash, ItemId, OpenItem, ProductGraph } from "@tessera/core";
import type { Blob, BlobSource } from "../blob.ts";
import type { JournalRow } from "../journal-row.ts";
import type { BufferedMessage, StartEvent } from "../message.ts";
import { type Anchor, prunableAt } from "../pruning.ts";
import type { StartTimerRow } from "../start-timer.ts";
import type { DefinitionRow, EffectCommand, EffectKind, RunId, RunRow, TenantId } from "../store.ts";
import { insertEntry, type OrderedIndex, removeEntry } from "./ordered-index.ts";

/** A journal row as kept: what `JournalRow` adds is derived. */
export interface StoredTurn extends Omit<JournalRow, "record" | "previous"> {
  readonly blobs: readonly Hash[];
}

interface StoredSnapshot {
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly blobs: readonly Hash[];
}

export interface StoredItem {
  readonly id: number;
  readonly run: RunId;
  readonly tenant: TenantId;
  readonly item: OpenItem;
  /** It does not come due. */
  readonly isPaused: boolean;
}

export interface StoredRun {
  readonly id: number;
  row: RunRow;
  /** The turns behind the anchor. */
  journal: StoredTurn[];
  /** What stands for those that are pruned. */
  anchor: Omit<Anchor, "kept"> | null;
  snapshots: readonly StoredSnapshot[];
  readonly dedupe: Map<string, number>;
  readonly items: Map<ItemId, StoredItem>;
  /** The definitions that it left, with the turns that moved it. */
  moves: readonly { readonly sequence: number; readonly before: Hash }[];
  /** Keys of the values by which it is found, by path. */
  values: Map<string, string>;
  /** The lowest sequence whose payload is erased. */
  erasedFrom: number | null;
}

export interface StoredEffect {
  readonly id: number;
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly command: EffectCommand;
  readonly token: number;
  readonly leaseUntil: number;
  readonly claimableAt: number;
  readonly claimCount: number;
}

/** A buffered message; `target`: the workflow that a signal starts. */
export interface StoredMessage extends BufferedMessage {
  readonly target: string | null;
}

interface StoredGraph {
  readonly graph: ProductGraph;
  /** Who made each sequence, from 1 on. */
  readonly journal: { readonly run: RunId; readonly runSequence: number }[];
}

/** A run under the time of its last turn; null: it is not to be pruned. */
interface Ended {
  readonly id: number;
  readonly at: number | null;
  readonly run: StoredRun;
}

/** Everything of one tenant: no query of another tenant can reach it. */
export interface TenantTables {
  readonly runs: Map<RunId, StoredRun>;
  /** The runs that are to be pruned, the first to end first. */
  readonly prunable: OrderedIndex<Ended>;
  readonly items: Map<number, StoredItem>;
  readonly effects: Map<string, StoredEffect>;
  readonly graphs: Map<string, StoredGraph>;
  /** Messages by number, and the names that are given to ids. */
  readonly messages: Map<number, StoredMessage>;
  readonly messageIds: Map<string, true>;
  readonly starts: Map<string, readonly StartEvent[]>;
  readonly startTimers: Map<string, readonly StartTimerRow[]>;
  readonly names: Map<string, readonly DefinitionRow[]>;
  readonly blobs: Map<Hash, { readonly bytes: Uint8Array; readonly owners: number }>;
}

export interface Tables {
  readonly tenants: Map<TenantId, TenantTables>;
  readonly definitions: Map<Hash, DefinitionRow>;
  readonly due: OrderedIndex<StoredItem>;
  readonly claimable: Map<EffectKind, OrderedIndex<StoredEffect>>;
  /** The last id and the last fencing token given. Never taken back: a number is not given twice. */
  counter: number;
  undo: (() => void)[] | null;
}

export function emptyTables(): Tables {
  return {
    tenants: new Map(),
    definitions: new Map(),
    due: [],
    claimable: new Map(),
    counter: 0,
    undo: null,
  };
}

/** The tables of a tenant; they come to be with the first question about it. */
export function tenantTables(tables: Tables, tenant: TenantId): TenantTables {
  const found = tables.tenants.get(tenant);
  if (found !== undefined) return found;
  const made: TenantTables = {
    runs: new Map(),
    prunable: [],
    items: new Map(),
    effects: new Map(),
    graphs: new Map(),
    messages: new Map(),
    messageIds: new Map(),
    starts: new Map(),
    startTimers: new Map(),
    names: new Map(),
    blobs: new Map(),
  };
  tables.tenants.set(tenant, made);
  return made;
}

/** Runs `work`; if it throws, undoes what it changed through the functions below, and throws on. */
export function atomically<T>(tables: Tables, work: () => T): T {
  if (tables.undo !== null) return work();
  const undo: (() => void)[] = [];
  tables.undo = undo;
  try {
    return work();
  } catch (fault) {
    for (const step of undo.reverse()) step();
    throw fault;
  } finally {
    tables.undo = null;
  }
}

/** Sets an entry of a map; undefined deletes it. */
export function setIn<K, V>(tables: Tables, map: Map<K, V>, key: K, value: V | undefined): void {
  const before = map.get(key);
  const put = (to: V | undefined): void => void (to === undefined ? map.delete(key) : map.set(key, to));
  tables.undo?.push(() => put(before));
  put(value);
}

/** Sets a member of a record. */
export function assign<T extends object, K extends keyof T>(
  tables: Tables,
  record: T,
  key: K,
  value: T[K],
): void {
  const before = record[key];
  tables.undo?.push(() => {
    record[key] = before;
  });
  record[key] = value;
}

/** Sets what queries see of a run, and its place among those that are to be pruned. `isNew`: it has none yet. */
export function setRow(
  tables: Tables,
  { prunable }: TenantTables,
  run: StoredRun,
  row: RunRow,
  isNew = false,
): void {
  const ended = (of: RunRow): Ended => ({ id: run.id, at: prunableAt(of), run });
  reindex(tables, prunable, isNew ? null : ended(run.row), ended(row), ({ at }) => at ?? undefined);
  assign(tables, run, "row", row);
}

/** Sets an element of a list, or appends one. */
export function setAt<T>(tables: Tables, array: T[], index: number, value: T): void {
  const isNew = index === array.length;
  const before = array[index] as T;
  tables.undo?.push(() => {
    if (isNew) array.pop();
    else array[index] = before;
  });
  array[index] = value;
}

/** Replaces what `index` has of `before` by what it has of `after`; either may be null. */
export function reindex<T extends { readonly id: number }>(
  tables: Tables,
  index: OrderedIndex<T>,
  before: T | null,
  after: T | null,
  keyOf: (value: T) => number | undefined,
): void {
  const move = (from: T | null, to: T | null): void => {
    const fromKey = from === null ? undefined : keyOf(from);
    if (from !== null && fromKey !== undefined) removeEntry(index, fromKey, from.id);
    const toKey = to === null ? undefined : keyOf(to);
    if (to !== null && toKey !== undefined) insertEntry(index, { key: toKey, id: to.id, value: to });
  };
  tables.undo?.push(() => move(after, before));
  move(before, after);
}

/** Keeps large values, one more owner each. */
export function ownBlobs(tables: Tables, { blobs }: TenantTables, owned: readonly Blob[]): readonly Hash[] {
  for (const { hash, bytes } of owned) {
    setIn(tables, blobs, hash, { bytes, owners: (blobs.get(hash)?.owners ?? 0) + 1 });
  }
  return owned.map(({ hash }) => hash);
}

/** Takes an owner from each; a value without owners goes. */
export function disownBlobs(tables: Tables, { blobs }: TenantTables, hashes: readonly Hash[]): void {
  for (const hash of hashes) {
    const found = blobs.get(hash);
    if (found === undefined) continue;
    const owners = found.owners - 1;
    setIn(tables, blobs, hash, owners === 0 ? undefined : { ...found, owners });
  }
}

export function blobSource({ blobs }: TenantTables): BlobSource {
  return (hash) => blobs.get(hash)?.bytes ?? null;
}
