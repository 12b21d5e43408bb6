/** @module What decides about the turns of a group, locked and read for all of them at once, and kept current. */
import type { RunStatus } from "@tessera/core";
import type { Turn } from "../store.ts";
import { many } from "./driver.ts";
import type { GraphHead } from "./graphs.ts";
import type { HeldItem } from "./items.ts";
import type { HeldEffect } from "./outbox.ts";
import type { Writing } from "./writing.ts";

/** A run as the next turn finds it. */
export interface RunHead {
  readonly id: number;
  readonly sequence: number;
  readonly head: Uint8Array;
  readonly status: RunStatus;
  readonly workflow: string;
  readonly erased_from: number | null;
  readonly definition: Uint8Array;
}

/** By `keyOf`, what is there. Each turn of the group that is taken changes it. */
export interface Facts {
  readonly runs: Map<string, RunHead>;
  /** Dedupe ids of runs, with their sequences. */
  readonly dedupes: Map<string, number>;
  /** Open items of runs, as far as the group names them. */
  readonly items: Map<string, HeldItem>;
  readonly effects: Map<string, HeldEffect>;
  readonly graphs: Map<string, GraphHead>;
  /** Buffered messages that the group takes. */
  readonly messages: Set<string>;
}

/** The key of something of a tenant. */
export function keyOf(tenant: number, ...names: readonly string[]): string {
  return JSON.stringify([tenant, ...names]);
}

/**
 * Locks what the turns may change or rely on, in one order for all processes, and reads it. Nobody else can change it until
 * the transaction ends; what is not there yet is watched over by the unique indexes.
 *
 * @definition D10.23
 */
export async function lockedFacts(into: Writing, turns: readonly Turn[]): Promise<Facts> {
  const named: Named[] = [];
  for (const turn of turns) named.push({ tenant: await into.tenant(turn.tenant), turn });
  // Sent together and carried out in this order: what is read after the runs are locked is read under the lock.
  const [runs, dedupes, items, effects, graphs, messages] = await Promise.all([
    lockedRuns(into, named),
    dedupesOf(into, named),
    lockedItems(into, named),
    lockedEffects(into, named),
    lockedGraphs(into, named),
    lockedMessages(into, named),
  ]);
  return { runs, dedupes, items, effects, graphs, messages };
}

interface Named {
  readonly tenant: number;
  readonly turn: Turn;
}

/** A list of rows as a list of columns. */
function columns(rows: readonly (readonly unknown[])[], width: number): readonly (readonly unknown[])[] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}

/** Not for deletion: a row of another run may come to refer to this one meanwhile. */
async function lockedRuns({ session }: Writing, named: readonly Named[]): Promise<Facts["runs"]> {
  const text = `SELECT r.id, r.tenant, r.run, r.sequence, r.head, r.status, r.workflow, r.erased_from,
      r.definition FROM tessera_runs r
    WHERE (r.tenant, r.run) IN (SELECT * FROM unnest($1::bigint[], $2::text[])) ORDER BY r.id FOR NO KEY UPDATE`;
  const keys = named.map(({ tenant, turn }) => [tenant, turn.run]);
  type Row = RunHead & { readonly tenant: number; readonly run: string };
  const rows = await many<Row>(session, text, ...columns(keys, 2));
  return new Map(rows.map(({ tenant, run, ...head }) => [keyOf(tenant, run), head]));
}

/** Requires: the runs are locked, so that none of them gets a further dedupe id. */
async function dedupesOf({ session }: Writing, named: readonly Named[]): Promise<Facts["dedupes"]> {
  const keys = named.flatMap(({ tenant, turn: { run, dedupe } }) =>
    dedupe === undefined ? [] : [[tenant, run, dedupe]],
  );
  if (keys.length === 0) return new Map();
  const text = `SELECT k.tenant, k.run, k.dedupe, j.sequence
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS k (tenant, run, dedupe)
    JOIN tessera_runs r ON r.tenant = k.tenant AND r.run = k.run
    JOIN LATERAL (
      SELECT sequence FROM tessera_journal WHERE tenant = r.tenant AND run = r.id AND dedupe = k.dedupe
      UNION ALL SELECT sequence FROM tessera_spent WHERE tenant = r.tenant AND run = r.id AND dedupe = k.dedupe
    ) j ON TRUE`;
  type Row = { tenant: number; run: string; dedupe: string; sequence: number };
  const rows = await many<Row>(session, text, ...columns(keys, 3));
  return new Map(rows.map(({ tenant, run, dedupe, sequence }) => [keyOf(tenant, run, dedupe), sequence]));
}

/** Items that the turns close or set, and items of other runs that call a new one: those must stay open. */
async function lockedItems({ session }: Writing, named: readonly Named[]): Promise<Facts["items"]> {
  const keys = named.flatMap(({ tenant, turn: { run, items, created } }) => [
    ...[...items.closed, ...items.set.map(({ id }) => id)].map((item) => [tenant, run, item]),
    ...(created?.parent === undefined ? [] : [[tenant, created.parent.run, created.parent.item]]),
  ]);
  if (keys.length === 0) return new Map();
  const text = `SELECT r.tenant, r.run, i.item, i.id, i.kind, i.blobs, i.has_offers FROM tessera_items i
    JOIN tessera_runs r ON r.id = i.run
    WHERE (r.tenant, r.run, i.item) IN (SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]))
    ORDER BY i.id FOR SHARE OF i`;
  type Row = HeldItem & { readonly tenant: number; readonly run: string; readonly item: string };
  const rows = await many<Row>(session, text, ...columns(keys, 3));
  return new Map(rows.map(({ tenant, run, item, ...held }) => [keyOf(tenant, run, item), held]));
}

/** Effects that the turns complete, replace, or are fenced by. */
async function lockedEffects({ session }: Writing, named: readonly Named[]): Promise<Facts["effects"]> {
  const keys = named.flatMap(({ tenant, turn: { effects, fence } }) =>
    [...effects.done, ...effects.add.map(({ id }) => id), ...(fence === undefined ? [] : [fence.effect])].map(
      (effect) => [tenant, effect],
    ),
  );
  if (keys.length === 0) return new Map();
  const text = `SELECT o.id, o.tenant, o.effect, o.token, o.blobs FROM tessera_outbox o
    WHERE (o.tenant, o.effect) IN (SELECT * FROM unnest($1::bigint[], $2::text[])) ORDER BY o.id FOR UPDATE`;
  type Row = HeldEffect & { readonly tenant: number; readonly effect: string };
  const rows = await many<Row>(session, text, ...columns(keys, 2));
  return new Map(rows.map(({ tenant, effect, ...held }) => [keyOf(tenant, effect), held]));
}

/** The rows of graphs that are written for the first time are made, with sequence 0, so that there is something to lock. */
async function lockedGraphs({ session }: Writing, named: readonly Named[]): Promise<Facts["graphs"]> {
  const used = named.filter(({ turn }) => turn.graph !== undefined);
  if (used.length === 0) return new Map();
  const keysOf = (list: readonly Named[]) => list.map(({ tenant, turn }) => [tenant, turn.graph?.id]);
  const written = used.filter(({ turn: { graph } }) => graph?.expect === 0 && graph.mutations.length > 0);
  const make = `INSERT INTO tessera_graphs (id, tenant, graph, sequence)
    SELECT nextval('tessera_number'), k.tenant, k.graph, 0
    FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::text[]) AS u (tenant, graph) ORDER BY 1, 2) k
    ON CONFLICT (tenant, graph) DO NOTHING`;
  if (written.length > 0) session.post(make, columns(keysOf(written), 2));
  const text = `SELECT g.id, g.tenant, g.graph, g.sequence FROM tessera_graphs g
    WHERE (g.tenant, g.graph) IN (SELECT * FROM unnest($1::bigint[], $2::text[])) ORDER BY g.id FOR NO KEY UPDATE`;
  type Row = GraphHead & { readonly tenant: number; readonly graph: string };
  const rows = await many<Row>(session, text, ...columns(keysOf(used), 2));
  return new Map(rows.map(({ tenant, graph, ...head }) => [keyOf(tenant, graph), head]));
}

async function lockedMessages({ session }: Writing, named: readonly Named[]): Promise<Facts["messages"]> {
  const keys = named.flatMap(({ tenant, turn: { takes } }) => (takes === undefined ? [] : [[tenant, takes]]));
  if (keys.length === 0) return new Set();
  const text = `SELECT m.tenant, m.id FROM tessera_messages m
    WHERE (m.tenant, m.id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[])) AND m.is_open
    ORDER BY m.id FOR UPDATE`;
  const rows = await many<{ tenant: number; id: number }>(session, text, ...columns(keys, 2));
  return new Set(rows.map(({ tenant, id }) => keyOf(tenant, String(id))));
}
