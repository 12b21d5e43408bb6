/** @module A group of turns in the PostgreSQL store: each is refused with nothing written, or all that it says is written. */
import type { Hash } from "@tessera/core";
import { chainHead, GENESIS, payloadHash } from "../chain.ts";
import { encodeRecord } from "../codec.ts";
import { claimTokens } from "../effect-claim.ts";
import { hashBlob, hashOf } from "../hash-bytes.ts";
import type { CommitResult, Turn } from "../store.ts";
import { hasEnded, refusal } from "../turn-check.ts";
import { ownBlobs } from "./blobs.ts";
import { type Facts, keyOf, lockedFacts, type RunHead } from "./commit-facts.ts";
import { mutateGraph } from "./graphs.ts";
import { closeItem, closeItems, putItem } from "./items.ts";
import { purge, putMessage, putSignal, takeMessage } from "./messages.ts";
import { dropEffect, putEffect } from "./outbox.ts";
import { putValues } from "./run-values.ts";
import { dropSnapshots, putSnapshot } from "./snapshots.ts";
import type { Writing } from "./writing.ts";

/**
 * Commits turns within an open write transaction: first every row on which a refusal depends is locked and read, for the
 * whole group; then turn after turn is judged by what was read and what those before it have written. Rows that other
 * transactions hold are waited for.
 *
 * @refines D10.8
 */
export async function commitGroup(
  into: Writing,
  turns: readonly Turn[],
  salts: readonly Uint8Array[],
): Promise<readonly CommitResult[]> {
  return (await commitEach(into, turns, salts, true)).filter((result) => result !== null);
}

/** The same for turns for which no other transaction is in the way; null for the others, of which nothing is written. */
export function commitFree(
  into: Writing,
  turns: readonly Turn[],
  salts: readonly Uint8Array[],
): Promise<readonly (CommitResult | null)[]> {
  return commitEach(into, turns, salts, false);
}

async function commitEach(
  into: Writing,
  turns: readonly Turn[],
  salts: readonly Uint8Array[],
  waits: boolean,
): Promise<readonly (CommitResult | null)[]> {
  const { session } = into;
  const numbers = turns.reduce((sum, turn) => sum + numbersOf(turn), 0);
  const [facts] = await Promise.all([lockedFacts(into, turns, waits), into.reserve(numbers)]);
  const results: (CommitResult | null)[] = [];
  for (const [place, turn] of turns.entries()) {
    session.about(() => [place]);
    const salt = salts[place] as Uint8Array;
    results.push(facts.blocked.has(place) ? null : await commitTurn(into, facts, turn, salt));
  }
  const sender = turns.findIndex(({ sends }) => (sends?.messages.length ?? 0) > 0);
  const sent = turns[sender];
  session.about(() => [sender]);
  if (sent !== undefined) await purge(session, sent.sends?.now ?? sent.record.at);
  session.about(null);
  return results;
}

async function commitTurn(into: Writing, facts: Facts, turn: Turn, salt: Uint8Array): Promise<CommitResult> {
  const { session } = into;
  const tenant = await into.tenant(turn.tenant);
  const key = keyOf(tenant, turn.run);
  const found = facts.runs.get(key) ?? null;
  const refused = refusal(turn, {
    runSequence: () => found?.sequence ?? 0,
    duplicateOf: (dedupe) => facts.dedupes.get(keyOf(tenant, turn.run, dedupe)) ?? null,
    fencingToken: (effect) => facts.effects.get(keyOf(tenant, effect))?.token ?? 0,
    isBuffered: (message) => facts.messages.has(keyOf(tenant, String(message))),
    isOpen: (run, item) => facts.items.has(keyOf(tenant, run, item)),
    graphSequence: (graph) => facts.graphs.get(keyOf(tenant, graph))?.sequence ?? 0,
  });
  if (refused !== null) return refused;
  const { bytes, blobs } = encodeRecord(turn.record);
  const sequence = turn.expect + 1;
  const previous = found === null ? GENESIS : hashOf(found.head);
  const head = chainHead(turn, sequence, previous, payloadHash(salt, bytes));
  const run =
    found === null ? insertRun(into, tenant, turn, head) : updateRun(into, tenant, found, turn, head);
  facts.runs.set(key, run);
  const id = into.number();
  session.post(
    `INSERT INTO tessera_journal (id, tenant, run, sequence, head, salt, payload, dedupe)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, tenant, run.id, sequence, hashBlob(head), salt, bytes, turn.dedupe ?? null],
  );
  if (turn.dedupe !== undefined) facts.dedupes.set(keyOf(tenant, turn.run, turn.dedupe), sequence);
  ownBlobs(session, tenant, "turn", id, blobs);
  await writeGraph(into, facts, tenant, run.id, turn);
  await writeSnapshot(into, tenant, run, turn);
  await writeItems(into, facts, tenant, run.id, turn);
  if (turn.indexed !== undefined) putValues(session, tenant, run.id, turn.indexed);
  const tokens = writeEffects(into, facts, tenant, run.id, turn);
  await writeMessages(into, facts, tenant, turn);
  return { kind: "ok", sequence, head, ...tokens };
}

/** At most so many numbers does a turn use, but for what it does to a graph and what it sends. */
function numbersOf({ snapshot, items, effects }: Turn): number {
  const { add, claim } = effects;
  return 2 + (snapshot === undefined ? 0 : 1) + items.set.length + add.length + (claim?.effects.length ?? 0);
}

function insertRun(into: Writing, tenant: number, turn: Turn, head: Hash): RunHead {
  const { run, created, definition, status, modes, record } = turn;
  const id = into.number();
  const hash = hashBlob(definition);
  const workflow = created?.workflow ?? "";
  into.counts.run(tenant, { workflow, definition: hash, status }, 1);
  into.session.post(
    `INSERT INTO tessera_runs (id, tenant, run, workflow, definition, business_key, parent_run, parent_item, graph, status,
       modes, sequence, head, started_at, updated_at, prunable_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15)`,
    [
      id,
      tenant,
      run,
      workflow,
      hash,
      created?.businessKey ?? null,
      created?.parent?.run ?? null,
      created?.parent?.item ?? null,
      created?.graph,
      status,
      modes.join(","),
      record.sequence,
      hashBlob(head),
      record.at,
      hasEnded(status) ? record.at : null,
    ],
  );
  const { sequence } = record;
  return { id, sequence, head: hashBlob(head), status, workflow, erased_from: null, definition: hash };
}

/** The columns of the indexes keep their values while a run goes on, so that its row is replaced in its page (a HOT update). */
function updateRun(into: Writing, tenant: number, found: RunHead, turn: Turn, head: Hash): RunHead {
  const { session } = into;
  const { id } = found;
  const { definition, status, modes, record } = turn;
  const { sequence } = record;
  const hash = hashBlob(definition);
  const isMoved = Buffer.compare(found.definition, hash) !== 0;
  if (isMoved || status !== found.status) {
    const { workflow } = found;
    into.counts.run(tenant, { workflow, definition: found.definition, status: found.status }, -1);
    into.counts.run(tenant, { workflow, definition: hash, status }, 1);
  }
  const note = "INSERT INTO tessera_moves (tenant, run, sequence, before) VALUES ($1, $2, $3, $4)";
  if (isMoved) session.post(note, [tenant, id, sequence, found.definition]);
  session.post(
    `UPDATE tessera_runs SET definition = $1, modes = $2, sequence = $3, head = $4, updated_at = $5, status = $6,
       prunable_at = $7 WHERE id = $8`,
    [
      hash,
      modes.join(","),
      sequence,
      hashBlob(head),
      record.at,
      status,
      hasEnded(status) ? record.at : null,
      id,
    ],
  );
  return { ...found, sequence, head: hashBlob(head), status, definition: hash };
}

async function writeGraph(
  into: Writing,
  facts: Facts,
  tenant: number,
  run: number,
  { graph, record }: Turn,
): Promise<void> {
  if (graph === undefined || graph.mutations.length === 0) return;
  const key = keyOf(tenant, graph.id);
  const head = facts.graphs.get(key);
  if (head === undefined) throw new RangeError("a graph that is written must have been locked");
  const by = { run, runSequence: record.sequence };
  const change = await mutateGraph(into, tenant, head, graph.mutations, by);
  facts.graphs.set(key, change);
  into.graphs.push(change);
}

/** The new snapshot, and what an erasure left to be dropped until there is one or the run has ended. */
async function writeSnapshot(into: Writing, tenant: number, run: RunHead, turn: Turn): Promise<void> {
  const { sequence } = turn.record;
  if (turn.snapshot !== undefined) putSnapshot(into, tenant, run.id, sequence, turn.snapshot);
  if (run.erased_from === null || (turn.snapshot === undefined && !hasEnded(turn.status))) return;
  const last = hasEnded(turn.status) ? sequence : sequence - 1;
  await dropSnapshots(into.session, tenant, run.id, run.erased_from, last);
}

async function writeItems(
  into: Writing,
  facts: Facts,
  tenant: number,
  run: number,
  turn: Turn,
): Promise<void> {
  const { items, status } = turn;
  for (const item of items.closed) {
    const key = keyOf(tenant, turn.run, item);
    const before = facts.items.get(key);
    if (before !== undefined) closeItem(into, tenant, before);
    facts.items.delete(key);
  }
  const isPaused = items.isPaused === true;
  for (const item of items.set) {
    const key = keyOf(tenant, turn.run, item.id);
    facts.items.set(key, putItem(into, tenant, run, item, facts.items.get(key) ?? null, isPaused));
  }
  if (!hasEnded(status)) return;
  await closeItems(into, tenant, run);
  const own = keyOf(tenant, turn.run, "").slice(0, -ITEM_END.length);
  for (const key of [...facts.items.keys()]) if (key.startsWith(own)) facts.items.delete(key);
}

/** How a key ends whose last part is empty. */
const ITEM_END = `""]`;

function writeEffects(
  into: Writing,
  facts: Facts,
  tenant: number,
  run: number,
  turn: Turn,
): ReturnType<typeof claimTokens> {
  const drop = (id: string): void => {
    const key = keyOf(tenant, id);
    const before = facts.effects.get(key);
    if (before !== undefined) dropEffect(into.session, tenant, before);
    facts.effects.delete(key);
  };
  for (const id of turn.effects.done) drop(id);
  return claimTokens(turn, (effect, until) => {
    drop(effect.id);
    const lease = until === null ? null : { owner: turn.effects.claim?.owner ?? "", until };
    const held = putEffect(into, tenant, run, effect, lease);
    facts.effects.set(keyOf(tenant, effect.id), held);
    return held.token;
  });
}

/** The message that the turn takes goes; what it sends is there. */
async function writeMessages(into: Writing, facts: Facts, tenant: number, turn: Turn): Promise<void> {
  const { takes, sends } = turn;
  if (takes !== undefined) {
    takeMessage(into.session, tenant, takes);
    facts.messages.delete(keyOf(tenant, String(takes)));
  }
  for (const message of sends?.messages ?? []) await putMessage(into, tenant, message);
  for (const signal of sends?.signals ?? []) await putSignal(into, tenant, signal);
}
