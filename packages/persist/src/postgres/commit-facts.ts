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
  /** The turns, by their places, that cannot be judged: another transaction holds a row on which they depend. */
  readonly blocked: ReadonlySet<number>;
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
 * the transaction ends; what is not there yet is watched over by the unique indexes. `waits`: for rows that other
 * transactions hold; else they are passed over, and the turns that depend on them are blocked.
 *
 * @definition D10.23
 */
export async function lockedFacts(into: Writing, turns: readonly Turn[], waits: boolean): Promise<Facts> {
  const named: Named[] = [];
  for (const [place, turn] of turns.entries()) {
    // Somebody else may be making the tenant.
    into.session.about(() => placesOf(turns, (other) => other.tenant === turn.tenant));
    named.push({ tenant: await into.tenant(turn.tenant), turn, place });
  }
  into.session.about(null);
  // Sent together and carried out in this order: what is read after the runs are locked is read under the lock.
  const [runs, dedupes, items, effects, graphs, messages] = await Promise.all([
    lockedRuns(into, named, waits),
    dedupesOf(into, named),
    lockedItems(into, named, waits),
    lockedEffects(into, named, waits),
    lockedGraphs(into, named, waits),
    lockedMessages(into, named, waits),
  ]);
  const held = { runs, items, effects, graphs, messages };
  return {
    blocked: waits ? new Set() : blockedTurns(named, held),
    runs: new Map(runs.rows.map(({ tenant, run, ...head }) => [keyOf(tenant, run), head])),
    dedupes,
    items: new Map(items.rows.map(({ tenant, run, item, ...rest }) => [keyOf(tenant, run, item), rest])),
    effects: new Map(effects.rows.map(({ tenant, effect, ...rest }) => [keyOf(tenant, effect), rest])),
    graphs: new Map(graphs.rows.map(({ tenant, graph, ...head }) => [keyOf(tenant, graph), head])),
    messages: new Set(messages.rows.map(({ tenant, id }) => keyOf(tenant, String(id)))),
  };
}

interface Named {
  readonly tenant: number;
  readonly turn: Turn;
  readonly place: number;
}

/** The places of some turns. */
export function placesOf(turns: readonly Turn[], isMeant: (turn: Turn) => boolean): readonly number[] {
  return turns.flatMap((turn, place) => (isMeant(turn) ? [place] : []));
}

/** Rows that were locked, and the keys of those that are there and were not. */
interface Locked<Row> {
  readonly rows: readonly Row[];
  readonly held: ReadonlySet<string>;
}

/** What of a kind is locked: columns, with those of the key; a source with its condition; the lock. */
interface Kind<Row> {
  readonly columns: string;
  readonly key: string;
  readonly from: string;
  readonly order: string;
  readonly lock: string;
  readonly keyOf: (row: Row) => string;
}

/** A turn whose run, items, effects, graph or message is held, and those of its run behind it. */
function blockedTurns(
  named: readonly Named[],
  held: { readonly [K in "runs" | "items" | "effects" | "graphs" | "messages"]: Pick<Locked<never>, "held"> },
): ReadonlySet<number> {
  const behind = new Set<string>();
  const blocked = new Set<number>();
  for (const { tenant, turn, place } of named) {
    const run = keyOf(tenant, turn.run);
    const isHeld =
      behind.has(run) ||
      held.runs.held.has(run) ||
      itemsOf(turn).some(([of, item]) => held.items.held.has(keyOf(tenant, of, item))) ||
      effectsOf(turn).some((effect) => held.effects.held.has(keyOf(tenant, effect))) ||
      (turn.graph !== undefined && held.graphs.held.has(keyOf(tenant, turn.graph.id))) ||
      (turn.takes !== undefined && held.messages.held.has(keyOf(tenant, String(turn.takes))));
    if (!isHeld) continue;
    behind.add(run);
    blocked.add(place);
  }
  return blocked;
}

/** Locks the rows of a kind, in the order of their numbers. */
async function locked<Row>(
  { session }: Writing,
  { columns: selected, key, from, order, lock, keyOf: keyOfRow }: Kind<Row>,
  keys: readonly (readonly unknown[])[],
  waits: boolean,
): Promise<Locked<Row>> {
  const values = columns(keys, key.split(",").length);
  const text = `SELECT ${selected} FROM ${from} ORDER BY ${order} ${lock}`;
  if (waits) return { rows: await many<Row>(session, text, ...values), held: new Set() };
  // Asked afterwards: what is there and was not locked is held by somebody, or it has come meanwhile. It never looks absent.
  const [rows, there] = await Promise.all([
    many<Row>(session, `${text} SKIP LOCKED`, ...values),
    many<Row>(session, `SELECT ${key} FROM ${from}`, ...values),
  ]);
  const held = new Set(there.map(keyOfRow));
  for (const row of rows) held.delete(keyOfRow(row));
  return { rows, held };
}

/** A list of rows as a list of columns. */
function columns(rows: readonly (readonly unknown[])[], width: number): readonly (readonly unknown[])[] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}

const NONE: Locked<never> = { rows: [], held: new Set() };

interface OfRun {
  readonly tenant: number;
  readonly run: string;
}

/** Not for deletion: a row of another run may come to refer to this one meanwhile. */
const RUNS: Kind<RunHead & OfRun> = {
  columns: "r.id, r.tenant, r.run, r.sequence, r.head, r.status, r.workflow, r.erased_from, r.definition",
  key: "r.tenant, r.run",
  from: `tessera_runs r
    WHERE (r.tenant, r.run) IN (SELECT * FROM unnest($1::bigint[], $2::text[]))`,
  order: "r.id",
  lock: "FOR NO KEY UPDATE",
  keyOf: ({ tenant, run }) => keyOf(tenant, run),
};

function lockedRuns(
  into: Writing,
  named: readonly Named[],
  waits: boolean,
): Promise<Locked<RunHead & OfRun>> {
  const keys = named.map(({ tenant, turn }) => [tenant, turn.run]);
  return locked(into, RUNS, keys, waits);
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

/** Items that the turn closes or sets, and the one of another run that calls the run that it creates: that must stay open. */
function itemsOf({ run, items, created }: Turn): readonly (readonly [run: string, item: string])[] {
  return [
    ...[...items.closed, ...items.set.map(({ id }) => id)].map((item) => [run, item] as const),
    ...(created?.parent === undefined ? [] : [[created.parent.run, created.parent.item] as const]),
  ];
}

type ItemRow = HeldItem & OfRun & { readonly item: string };

const ITEMS: Kind<ItemRow> = {
  columns: "r.tenant, r.run, i.item, i.id, i.kind, i.blobs, i.has_offers",
  key: "r.tenant, r.run, i.item",
  from: `tessera_items i JOIN tessera_runs r ON r.id = i.run
    WHERE (r.tenant, r.run, i.item) IN (SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]))`,
  order: "i.id",
  lock: "FOR SHARE OF i",
  keyOf: ({ tenant, run, item }) => keyOf(tenant, run, item),
};

async function lockedItems(into: Writing, named: readonly Named[], waits: boolean): Promise<Locked<ItemRow>> {
  const keys = named.flatMap(({ tenant, turn }) => itemsOf(turn).map((item) => [tenant, ...item]));
  return keys.length === 0 ? NONE : locked(into, ITEMS, keys, waits);
}

/** Effects that the turn completes, replaces, or is fenced by. */
function effectsOf({ effects, fence }: Turn): readonly string[] {
  return [
    ...effects.done,
    ...effects.add.map(({ id }) => id),
    ...(fence === undefined ? [] : [fence.effect]),
  ];
}

type EffectRow = HeldEffect & { readonly tenant: number; readonly effect: string };

const EFFECTS: Kind<EffectRow> = {
  columns: "o.id, o.tenant, o.effect, o.token, o.blobs",
  key: "o.tenant, o.effect",
  from: `tessera_outbox o
    WHERE (o.tenant, o.effect) IN (SELECT * FROM unnest($1::bigint[], $2::text[]))`,
  order: "o.id",
  lock: "FOR UPDATE",
  keyOf: ({ tenant, effect }) => keyOf(tenant, effect),
};

async function lockedEffects(
  into: Writing,
  named: readonly Named[],
  waits: boolean,
): Promise<Locked<EffectRow>> {
  const keys = named.flatMap(({ tenant, turn }) => effectsOf(turn).map((effect) => [tenant, effect]));
  return keys.length === 0 ? NONE : locked(into, EFFECTS, keys, waits);
}

/** The rows of graphs that are written for the first time are made, with sequence 0, so that there is something to lock. */
function makeGraphs({ session }: Writing, named: readonly Named[]): void {
  const make = `INSERT INTO tessera_graphs (id, tenant, graph, sequence)
    VALUES (nextval('tessera_number'), $1, $2, 0) ON CONFLICT (tenant, graph) DO NOTHING`;
  const made = new Map<string, readonly [tenant: number, graph: string]>();
  for (const { tenant, turn } of named) {
    const { graph } = turn;
    if (graph?.expect === 0 && graph.mutations.length > 0)
      made.set(keyOf(tenant, graph.id), [tenant, graph.id]);
  }
  for (const [, [tenant, graph]] of [...made].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Somebody else may be making it.
    session.about(() =>
      named.flatMap((each) => (each.tenant === tenant && each.turn.graph?.id === graph ? [each.place] : [])),
    );
    session.post(make, [tenant, graph]);
  }
  session.about(null);
}

type GraphRow = GraphHead & { readonly tenant: number; readonly graph: string };

const GRAPHS: Kind<GraphRow> = {
  columns: "g.id, g.tenant, g.graph, g.sequence",
  key: "g.tenant, g.graph",
  from: `tessera_graphs g
    WHERE (g.tenant, g.graph) IN (SELECT * FROM unnest($1::bigint[], $2::text[]))`,
  order: "g.id",
  lock: "FOR NO KEY UPDATE",
  keyOf: ({ tenant, graph }) => keyOf(tenant, graph),
};

async function lockedGraphs(
  into: Writing,
  named: readonly Named[],
  waits: boolean,
): Promise<Locked<GraphRow>> {
  const keys = named.flatMap(({ tenant, turn }) =>
    turn.graph === undefined ? [] : [[tenant, turn.graph.id]],
  );
  makeGraphs(into, named);
  return keys.length === 0 ? NONE : locked(into, GRAPHS, keys, waits);
}

interface MessageRow {
  readonly tenant: number;
  readonly id: number;
}

const MESSAGES: Kind<MessageRow> = {
  columns: "m.tenant, m.id",
  key: "m.tenant, m.id",
  from: `tessera_messages m
    WHERE (m.tenant, m.id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[])) AND m.is_open`,
  order: "m.id",
  lock: "FOR UPDATE",
  keyOf: ({ tenant, id }) => keyOf(tenant, String(id)),
};

async function lockedMessages(
  into: Writing,
  named: readonly Named[],
  waits: boolean,
): Promise<Locked<MessageRow>> {
  const keys = named.flatMap(({ tenant, turn: { takes } }) => (takes === undefined ? [] : [[tenant, takes]]));
  return keys.length === 0 ? NONE : locked(into, MESSAGES, keys, waits);
}
