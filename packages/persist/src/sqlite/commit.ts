/** @module A turn in the SQLite store: refused with nothing written, or everything that it says is written. */
import type { Hash, RunStatus } from "@tessera/core";
import { chainHead, GENESIS, payloadHash } from "../chain.ts";
import { encodeRecord } from "../codec.ts";
import { definitionBlob, hashBlob, hashOf } from "../hash-bytes.ts";
import type { CommitResult, Turn } from "../store.ts";
import { hasEnded, refusal } from "../turn-check.ts";
import { ownBlobs } from "./blobs.ts";
import { change, insert, one, type Session } from "./driver.ts";
import { graphHead, mutateGraph } from "./graphs.ts";
import { closeItem, closeItems, putItem } from "./items.ts";
import { isBuffered, putMessage, putSignal, takeMessage } from "./messages.ts";
import { dropEffect, fencingToken, putEffect } from "./outbox.ts";
import { putValues } from "./run-values.ts";
import { dropSnapshots, putSnapshot } from "./snapshots.ts";
import type { Writing } from "./writing.ts";

interface RunHead {
  readonly id: number;
  readonly sequence: number;
  readonly head: Uint8Array;
  readonly status: RunStatus;
  readonly erased_from: number | null;
  readonly pruned_to: number | null;
  readonly definition: Uint8Array;
  readonly workflow: string;
}

/**
 * Commits one turn within an open write transaction. All questions are asked before the first write, so a refused turn
 * leaves no trace and its neighbours in the group need no savepoint.
 *
 * @refines D10.8
 */
export function commitTurn(writing: Writing, turn: Turn, salt: Uint8Array): CommitResult {
  const { session } = writing;
  const tenant = writing.tenant(turn.tenant);
  const found = one<RunHead>(
    session,
    "SELECT id, sequence, head, status, erased_from, pruned_to, definition, workflow FROM tessera_runs WHERE tenant = ? AND run = ?",
    tenant,
    turn.run,
  );
  const refused = refusal(turn, {
    runSequence: () => found?.sequence ?? 0,
    duplicateOf: (dedupe) => (found === null ? null : sequenceOf(writing, tenant, found, dedupe)),
    fencingToken: (effect) => fencingToken(session, tenant, effect),
    isBuffered: (message) => isBuffered(session, tenant, message),
    isOpen: (run, item) => isOpen(writing, tenant, run, item),
    graphSequence: (graph) => graphHead(session, tenant, graph)?.sequence ?? 0,
  });
  if (refused !== null) return refused;
  const { bytes, blobs } = encodeRecord(turn.record);
  const sequence = turn.expect + 1;
  const previous = found === null ? GENESIS : hashOf(found.head);
  const head = chainHead(turn, sequence, previous, payloadHash(salt, bytes));
  const run =
    found === null ? insertRun(writing, tenant, turn, head) : updateRun(writing, tenant, found, turn, head);
  const row = insert(
    session,
    "INSERT INTO tessera_journal (tenant, run, sequence, head, salt, payload, dedupe) VALUES (?, ?, ?, ?, ?, ?, ?)",
    tenant,
    run,
    sequence,
    hashBlob(head),
    salt,
    bytes,
    turn.dedupe ?? null,
  );
  if (blobs.length > 0) ownBlobs(session, tenant, "turn", row, blobs);
  writeGraph(writing, tenant, run, turn);
  writeSnapshot(writing, tenant, run, turn, found?.erased_from ?? null);
  writeItems(writing, tenant, run, turn);
  if (turn.indexed !== undefined) putValues(session, tenant, run, turn.indexed);
  for (const effect of turn.effects.done) dropEffect(session, tenant, effect);
  for (const effect of turn.effects.add) putEffect(session, tenant, run, effect, writing.number());
  writeMessages(writing, tenant, turn);
  return { kind: "ok", sequence, head };
}

/** The message that the turn takes goes; what it sends is there. */
function writeMessages({ session, number }: Writing, tenant: number, { takes, sends, record }: Turn): void {
  if (takes !== undefined) takeMessage(session, tenant, takes);
  for (const message of sends?.messages ?? []) putMessage(session, tenant, message, record.at, number);
  for (const signal of sends?.signals ?? []) putSignal(session, tenant, signal, number);
}

function sequenceOf(
  { session }: Writing,
  tenant: number,
  { id, pruned_to }: RunHead,
  dedupe: string,
): number | null {
  const text = "SELECT sequence FROM tessera_journal WHERE tenant = ? AND run = ? AND dedupe = ?";
  const found = one<{ sequence: number }>(session, text, tenant, id, dedupe);
  if (found !== null || pruned_to === null) return found?.sequence ?? null;
  const spent = "SELECT sequence FROM tessera_spent WHERE tenant = ? AND run = ? AND dedupe = ?";
  return one<{ sequence: number }>(session, spent, tenant, id, dedupe)?.sequence ?? null;
}

function isOpen({ session }: Writing, tenant: number, run: string, item: string): boolean {
  const text = `SELECT 1 FROM tessera_runs r JOIN tessera_items i ON i.tenant = r.tenant AND i.run = r.id
    WHERE r.tenant = ? AND r.run = ? AND i.item = ?`;
  return one(session, text, tenant, run, item) !== null;
}

function insertRun({ session, counts }: Writing, tenant: number, turn: Turn, head: Hash): number {
  const { run, created, definition, status, modes, record } = turn;
  counts.run(
    tenant,
    { workflow: created?.workflow ?? "", definition: definitionBlob(definition), status },
    1,
  );
  return insert(
    session,
    `INSERT INTO tessera_runs (tenant, run, workflow, definition, business_key, parent_run, parent_item, graph, status,
       modes, sequence, head, started_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    tenant,
    run,
    created?.workflow,
    definitionBlob(definition),
    created?.businessKey ?? null,
    created?.parent?.run ?? null,
    created?.parent?.item ?? null,
    created?.graph,
    status,
    modes.join(","),
    record.sequence,
    hashBlob(head),
    record.at,
    record.at,
  );
}

/** An index is touched by an UPDATE that names its columns, so status and definition are named only where they change. */
function updateRun(
  { session, counts }: Writing,
  tenant: number,
  found: RunHead,
  turn: Turn,
  head: Hash,
): number {
  const { id, status: before, workflow } = found;
  const { definition, status, modes, record } = turn;
  const hash = definitionBlob(definition);
  const isMoved = Buffer.compare(found.definition, hash) !== 0;
  const isOther = status !== before;
  if (isMoved) noteMove(session, id, found.definition, record.sequence);
  if (isMoved || isOther) {
    counts.run(tenant, { workflow, definition: found.definition, status: before }, -1);
    counts.run(tenant, { workflow, definition: hash, status }, 1);
  }
  const columns = `modes = ?, sequence = ?, head = ?, updated_at = ?${isOther ? ", status = ?" : ""}${isMoved ? ", definition = ?" : ""}`;
  change(
    session,
    `UPDATE tessera_runs SET ${columns} WHERE id = ?`,
    modes.join(","),
    record.sequence,
    hashBlob(head),
    record.at,
    ...(isOther ? [status] : []),
    ...(isMoved ? [hash] : []),
    id,
  );
  return id;
}

function noteMove(session: Session, run: number, before: Uint8Array, sequence: number): void {
  change(
    session,
    "INSERT INTO tessera_moves (tenant, run, sequence, before) SELECT tenant, id, ?, ? FROM tessera_runs WHERE id = ?",
    sequence,
    before,
    run,
  );
}

function writeGraph(writing: Writing, tenant: number, run: number, { graph, record }: Turn): void {
  if (graph === undefined || graph.mutations.length === 0) return;
  const by = { run, runSequence: record.sequence };
  writing.graphs.push(mutateGraph(writing.session, tenant, graph.id, graph.mutations, by));
}

/** The new snapshot, and what an erasure left to be dropped until there is one or the run has ended. */
function writeSnapshot(
  writing: Writing,
  tenant: number,
  run: number,
  turn: Turn,
  erasedFrom: number | null,
): void {
  const { session } = writing;
  const { sequence } = turn.record;
  if (turn.snapshot !== undefined) putSnapshot(session, tenant, run, sequence, turn.snapshot);
  if (erasedFrom === null || (turn.snapshot === undefined && !hasEnded(turn.status))) return;
  dropSnapshots(session, tenant, run, erasedFrom, hasEnded(turn.status) ? sequence : sequence - 1);
}

function writeItems(writing: Writing, tenant: number, run: number, { items, status }: Turn): void {
  for (const item of items.closed) closeItem(writing, tenant, run, item);
  const isPaused = items.isPaused === true;
  for (const item of items.set) putItem(writing, tenant, run, item, isPaused);
  if (hasEnded(status)) closeItems(writing, tenant, run);
}
