/** @module A turn in the SQLite store: refused with nothing written, or everything that it says is written. */
import type { RunStatus } from "@tessera/core";
import { chainHead, GENESIS, payloadHash } from "../chain.ts";
import { encodeRecord } from "../codec.ts";
import type { CountedRun } from "../count-changes.ts";
import { claimTokens } from "../effect-claim.ts";
import { definitionBlob, hashBlob, hashOf } from "../hash-bytes.ts";
import type { CommitResult, Turn } from "../store.ts";
import { hasEnded, refusal } from "../turn-check.ts";
import { ownBlobs } from "./blobs.ts";
import { change, insert, one, row, type Session } from "./driver.ts";
import { graphHead, mutateGraph } from "./graphs.ts";
import { closeItem, closeItems, putItem } from "./items.ts";
import { isBuffered, putMessage, putSignal, takeMessage } from "./messages.ts";
import { dropEffect, FREE, fencingToken, type Lease, putEffect } from "./outbox.ts";
import { putValues } from "./run-values.ts";
import { dropSnapshots, putSnapshot } from "./snapshots.ts";
import type { Writing } from "./writing.ts";

interface RunHead {
  readonly id: number;
  readonly sequence: number;
  readonly head: Uint8Array;
  readonly status: RunStatus;
  readonly erasedFrom: number | null;
  readonly prunedTo: number | null;
  /** Is it in the definition of the turn already? */
  readonly isInPlace: boolean;
}

function runHead(session: Session, tenant: number, { run, definition }: Turn): RunHead | null {
  const found = row<readonly [number, number, Uint8Array, RunStatus, number | null, number | null, 0 | 1]>(
    session,
    `SELECT id, sequence, head, status, erased_from, pruned_to, definition = ?
     FROM tessera_runs WHERE tenant = ? AND run = ?`,
    definitionBlob(definition),
    tenant,
    run,
  );
  if (found === null) return null;
  const [id, sequence, head, status, erasedFrom, prunedTo, isSame] = found;
  return { id, sequence, head, status, erasedFrom, prunedTo, isInPlace: isSame !== 0 };
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
  const found = runHead(session, tenant, turn);
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
  const headBytes = hashBlob(head);
  const run =
    found === null
      ? insertRun(writing, tenant, turn, headBytes)
      : updateRun(writing, tenant, found, turn, headBytes);
  const journalled = insert(
    session,
    "INSERT INTO tessera_journal (tenant, run, sequence, head, salt, payload, dedupe) VALUES (?, ?, ?, ?, ?, ?, ?)",
    tenant,
    run,
    sequence,
    headBytes,
    salt,
    bytes,
    turn.dedupe ?? null,
  );
  if (blobs.length > 0) ownBlobs(session, tenant, "turn", journalled, blobs);
  writeGraph(writing, tenant, run, turn);
  writeSnapshot(writing, tenant, run, turn, found?.erasedFrom ?? null);
  writeItems(writing, tenant, run, turn);
  if (turn.indexed !== undefined) putValues(session, tenant, run, turn.indexed);
  for (const effect of turn.effects.done) dropEffect(session, tenant, effect);
  const { tokens } = claimTokens(turn, (effect, leaseUntil) => {
    const number = writing.number();
    const lease = leaseUntil === null ? FREE : leaseOf(turn, writing.number(), leaseUntil);
    putEffect(session, tenant, run, effect, number, lease);
    return lease.token;
  });
  writeMessages(writing, tenant, turn);
  return tokens === undefined ? { kind: "ok", sequence, head } : { kind: "ok", sequence, head, tokens };
}

function leaseOf({ effects: { claim } }: Turn, token: number, until: number): Lease {
  return { owner: claim?.owner ?? null, token, until };
}

/** The message that the turn takes goes; what it sends is there. */
function writeMessages({ session, number }: Writing, tenant: number, { takes, sends, record }: Turn): void {
  if (takes !== undefined) takeMessage(session, tenant, takes);
  if (sends === undefined) return;
  const { now = record.at } = sends;
  for (const message of sends.messages) putMessage(session, tenant, message, now, number);
  for (const signal of sends.signals) putSignal(session, tenant, signal, number);
}

function sequenceOf(
  { session }: Writing,
  tenant: number,
  { id, prunedTo }: RunHead,
  dedupe: string,
): number | null {
  const text = "SELECT sequence FROM tessera_journal WHERE tenant = ? AND run = ? AND dedupe = ?";
  const found = one<{ sequence: number }>(session, text, tenant, id, dedupe);
  if (found !== null || prunedTo === null) return found?.sequence ?? null;
  const spent = "SELECT sequence FROM tessera_spent WHERE tenant = ? AND run = ? AND dedupe = ?";
  return one<{ sequence: number }>(session, spent, tenant, id, dedupe)?.sequence ?? null;
}

function isOpen({ session }: Writing, tenant: number, run: string, item: string): boolean {
  const text = `SELECT 1 FROM tessera_runs r JOIN tessera_items i ON i.tenant = r.tenant AND i.run = r.id
    WHERE r.tenant = ? AND r.run = ? AND i.item = ?`;
  return one(session, text, tenant, run, item) !== null;
}

function insertRun({ session, counts }: Writing, tenant: number, turn: Turn, head: Uint8Array): number {
  const { run, created, definition, status, modes, record } = turn;
  counts.run(
    tenant,
    { workflow: created?.workflow ?? "", definition: definitionBlob(definition), status },
    1,
  );
  return insert(
    session,
    `INSERT INTO tessera_runs (tenant, run, workflow, definition, business_key, parent_run, parent_item, graph, status,
       modes, sequence, head, started_at, updated_at, prunable_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    head,
    record.at,
    record.at,
    hasEnded(status) ? record.at : null,
  );
}

/**
 * An index is touched by an UPDATE that names its columns, so status and definition are named only where they change, and
 * when a run is to be pruned only where it has ended, or had. All turns of a run that has ended are to be pruned again.
 */
function updateRun(
  { session, counts }: Writing,
  tenant: number,
  found: RunHead,
  turn: Turn,
  head: Uint8Array,
): number {
  const { id, status: before, isInPlace } = found;
  const { status, modes, record } = turn;
  const { sequence, at } = record;
  if (isInPlace && status === before && !hasEnded(status)) {
    change(session, UPDATE_RUN, modes.join(","), sequence, head, at, id);
    return id;
  }
  const hash = definitionBlob(turn.definition);
  const counted = "SELECT workflow, definition FROM tessera_runs WHERE id = ?";
  const { workflow, definition } = one<Omit<CountedRun, "status">>(session, counted, id) as CountedRun;
  counts.run(tenant, { workflow, definition, status: before }, -1);
  counts.run(tenant, { workflow, definition: hash, status }, 1);
  if (!isInPlace) noteMove(session, id, definition, sequence);
  const update = isInPlace ? UPDATE_STATUS : UPDATE_DEFINITION;
  const prunable = hasEnded(status) ? at : null;
  change(
    session,
    update,
    modes.join(","),
    sequence,
    head,
    at,
    status,
    prunable,
    ...(isInPlace ? [] : [hash]),
    id,
  );
  return id;
}

const COLUMNS = "modes = ?, sequence = ?, head = ?, updated_at = ?";
const UPDATE_RUN = `UPDATE tessera_runs SET ${COLUMNS} WHERE id = ?`;
const UPDATE_STATUS = `UPDATE tessera_runs SET ${COLUMNS}, status = ?, prunable_at = ? WHERE id = ?`;
const UPDATE_DEFINITION = `UPDATE tessera_runs SET ${COLUMNS}, status = ?, prunable_at = ?, definition = ? WHERE id = ?`;

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
