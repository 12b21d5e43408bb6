/** @module A turn in the memory store: refused with nothing changed, or everything that it says becomes true. */
import { applyMutation, EMPTY_GRAPH, type Hash, type OpenItem } from "@tessera/core";
import { chainHead, GENESIS, payloadHash } from "../chain.ts";
import { encodeRecord, encodeState } from "../codec.ts";
import { claimTokens } from "../effect-claim.ts";
import type { CommitResult, Turn } from "../store.ts";
import { hasEnded, refusal } from "../turn-check.ts";
import { addEffect, nextNumber, writeEffect } from "./effects.ts";
import { putMessage, putSignal, takeMessage } from "./messages.ts";
import { putValues } from "./queries.ts";
import {
  assign,
  disownBlobs,
  ownBlobs,
  reindex,
  type StoredRun,
  setAt,
  setIn,
  setRow,
  type Tables,
  type TenantTables,
  tenantTables,
} from "./tables.ts";

/**
 * Commits one turn, with a salt of its own.
 *
 * @definition D10.8
 */
export function commitTurn(tables: Tables, turn: Turn, salt: string): CommitResult {
  const tenant = tenantTables(tables, turn.tenant);
  const found = tenant.runs.get(turn.run);
  const refused = refusal(turn, {
    runSequence: () => found?.row.sequence ?? 0,
    duplicateOf: (dedupe) => found?.dedupe.get(dedupe) ?? null,
    fencingToken: (effect) => tenant.effects.get(effect)?.token ?? 0,
    isBuffered: (message) => tenant.messages.has(message),
    isOpen: (run, item) => tenant.runs.get(run)?.items.has(item) === true,
    graphSequence: (graph) => tenant.graphs.get(graph)?.journal.length ?? 0,
  });
  if (refused !== null) return refused;
  const { bytes, blobs } = encodeRecord(turn.record);
  const hash = payloadHash(Buffer.from(salt, "hex"), bytes);
  const sequence = turn.expect + 1;
  const head = chainHead(turn, sequence, found?.row.head ?? GENESIS, hash);
  const run = writeRun(tables, tenant, turn, found, head);
  const stored = { sequence, head, payloadHash: hash, salt, payload: bytes, erased: null };
  setAt(tables, run.journal, run.journal.length, { ...stored, blobs: ownBlobs(tables, tenant, blobs) });
  if (turn.dedupe !== undefined) setIn(tables, run.dedupe, turn.dedupe, sequence);
  writeGraph(tables, tenant, turn);
  writeSnapshot(tables, tenant, turn, run);
  for (const item of turn.items.closed) writeItem(tables, tenant, run, item, null);
  const isPaused = turn.items.isPaused === true;
  for (const item of turn.items.set) writeItem(tables, tenant, run, item.id, item, isPaused);
  if (hasEnded(run.row.status))
    for (const id of [...run.items.keys()]) writeItem(tables, tenant, run, id, null);
  for (const id of turn.effects.done) writeEffect(tables, tenant, id, null);
  const tokens = claimTokens(turn, (command, leaseUntil) =>
    addEffect(tables, tenant, turn, command, leaseUntil),
  );
  if (turn.indexed !== undefined) putValues(tables, run, turn.indexed);
  if (turn.takes !== undefined) takeMessage(tables, tenant, turn.takes);
  const now = turn.sends?.now ?? turn.record.at;
  for (const message of turn.sends?.messages ?? []) putMessage(tables, turn.tenant, message, now);
  for (const signal of turn.sends?.signals ?? []) putSignal(tables, turn.tenant, signal);
  return { kind: "ok", sequence, head, ...tokens };
}

/** Drops the snapshots for which `isGone` holds. */
export function dropSnapshots(
  tables: Tables,
  tenant: TenantTables,
  run: StoredRun,
  isGone: (sequence: number) => boolean,
): void {
  const gone = run.snapshots.filter(({ sequence }) => isGone(sequence));
  if (gone.length === 0) return;
  for (const { blobs } of gone) disownBlobs(tables, tenant, blobs);
  assign(
    tables,
    run,
    "snapshots",
    run.snapshots.filter(({ sequence }) => !isGone(sequence)),
  );
}

function writeRun(
  tables: Tables,
  tenant: TenantTables,
  turn: Turn,
  found: StoredRun | undefined,
  head: Hash,
): StoredRun {
  const { created, record, definition, status, modes } = turn;
  const changing = {
    definition,
    status,
    modes: [...modes],
    sequence: record.sequence,
    head,
    updatedAt: record.at,
  };
  if (found !== undefined) {
    const { definition: before } = found.row;
    const move = { sequence: record.sequence, before };
    if (before !== definition) assign(tables, found, "moves", [...found.moves, move]);
    setRow(tables, tenant, found, { ...found.row, ...changing });
    return found;
  }
  const run: StoredRun = {
    id: nextNumber(tables),
    row: {
      tenant: turn.tenant,
      run: turn.run,
      workflow: created?.workflow ?? "",
      businessKey: created?.businessKey ?? null,
      parent: created?.parent ?? null,
      graph: created?.graph ?? "",
      startedAt: record.at,
      prunedTo: 0,
      ...changing,
    },
    journal: [],
    anchor: null,
    snapshots: [],
    dedupe: new Map(),
    items: new Map(),
    moves: [],
    values: new Map(),
    erasedFrom: null,
  };
  setIn(tables, tenant.runs, turn.run, run);
  setRow(tables, tenant, run, run.row, true);
  return run;
}

function writeGraph(tables: Tables, tenant: TenantTables, turn: Turn): void {
  if (turn.graph === undefined || turn.graph.mutations.length === 0) return;
  const { id, mutations } = turn.graph;
  const before = tenant.graphs.get(id) ?? { graph: EMPTY_GRAPH, journal: [] };
  const made = { run: turn.run, runSequence: turn.record.sequence };
  setAt(tables, before.journal, before.journal.length, made);
  setIn(tables, tenant.graphs, id, { ...before, graph: mutations.reduce(applyMutation, before.graph) });
}

/** The new snapshot, and what an erasure left to be dropped until there is one or the run has ended. */
function writeSnapshot(tables: Tables, tenant: TenantTables, turn: Turn, run: StoredRun): void {
  const { sequence } = turn.record;
  if (turn.snapshot !== undefined) {
    const { bytes, blobs } = encodeState(turn.snapshot);
    const snapshot = { sequence, bytes, blobs: ownBlobs(tables, tenant, blobs) };
    assign(tables, run, "snapshots", [...run.snapshots, snapshot]);
  }
  const { erasedFrom } = run;
  if (erasedFrom === null || (turn.snapshot === undefined && !hasEnded(run.row.status))) return;
  const last = hasEnded(run.row.status) ? sequence + 1 : sequence;
  dropSnapshots(tables, tenant, run, (at) => at >= erasedFrom && at < last);
}

function writeItem(
  tables: Tables,
  tenant: TenantTables,
  run: StoredRun,
  id: string,
  item: OpenItem | null,
  isPaused = false,
): void {
  const before = run.items.get(id) ?? null;
  if (before === null && item === null) return;
  const { tenant: tenantId, run: runId } = run.row;
  const after =
    item === null
      ? null
      : { id: before?.id ?? nextNumber(tables), tenant: tenantId, run: runId, item, isPaused };
  setIn(tables, run.items, id, after ?? undefined);
  setIn(tables, tenant.items, (before ?? after)?.id ?? 0, after ?? undefined);
  reindex(tables, tables.due, before, after, ({ item: each, isPaused: isStill }) =>
    isStill ? undefined : each.dueAt,
  );
}
