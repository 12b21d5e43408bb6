/** @module Product graphs in PostgreSQL: objects as rows, so that a mutation costs its own size; who made each sequence. */
import {
  applyMutation,
  EMPTY_GRAPH,
  type Mutation,
  objectOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
} from "@tessera/core";
import { readText, writeText } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { type GraphChange, keepGraph } from "../graph-cache.ts";
import { OBJECT } from "../record-shape.ts";
import { disownBlobs, ownBlobs, withBlobs } from "./blobs.ts";
import { many, one, type Session } from "./driver.ts";
import { asking, type Host, reading } from "./host.ts";
import { bytesOf, textOf } from "./text-bytes.ts";
import { tenantId, type Writing } from "./writing.ts";

/** The id and sequence of a graph; null when nobody has written it. */
export interface GraphHead {
  readonly id: number;
  readonly sequence: number;
}

/** The head of a named graph. */
export function graphHead(session: Session, tenant: number, graph: string): Promise<GraphHead | null> {
  const text = "SELECT id, sequence FROM tessera_graphs WHERE tenant = $1 AND graph = $2";
  return one(session, text, tenant, graph);
}

/** A graph with its sequence. Cost: one query when this store read or wrote it last, else linear in the graph. */
export async function cachedGraph(
  host: Host,
  tenantName: string,
  name: string,
): Promise<{ readonly sequence: number; readonly graph: ProductGraph }> {
  const tenant = await asking(host, (session) => tenantId(host, session, tenantName));
  const head = tenant === null ? null : await asking(host, (session) => graphHead(session, tenant, name));
  if (tenant === null || head === null || head.sequence === 0) return { sequence: 0, graph: EMPTY_GRAPH };
  const cached = host.cache.get(head.id);
  if (cached !== undefined && cached.sequence === head.sequence) return cached;
  const found = await reading(host, async (session) => {
    const { id, sequence } = (await graphHead(session, tenant, name)) ?? head;
    return { sequence, graph: await readGraph(session, tenant, id) };
  });
  keepGraph(host.cache, head.id, found);
  return found;
}

/** A graph with its sequence, as a transaction sees it; not kept. */
export async function readGraphOn(
  host: Host,
  session: Session,
  tenantName: string,
  name: string,
): Promise<{ readonly sequence: number; readonly graph: ProductGraph }> {
  const tenant = await tenantId(host, session, tenantName);
  const head = tenant === null ? null : await graphHead(session, tenant, name);
  if (tenant === null || head === null || head.sequence === 0) return { sequence: 0, graph: EMPTY_GRAPH };
  return { sequence: head.sequence, graph: await readGraph(session, tenant, head.id) };
}

async function readGraph(session: Session, tenant: number, graph: number): Promise<ProductGraph> {
  const text = "SELECT body FROM tessera_objects WHERE tenant = $1 AND graph = $2";
  return graphOf(session, tenant, await many(session, text, tenant, graph));
}

async function graphOf(
  session: Session,
  tenant: number,
  rows: readonly { readonly body: Uint8Array }[],
): Promise<ProductGraph> {
  if (rows.length === 0) return EMPTY_GRAPH;
  const objects = await withBlobs(session, tenant, (blobs) =>
    rows.map(({ body }) => readText(OBJECT, textOf(body), blobs)),
  );
  return productGraph(objects.map(valueOrCorrupt));
}

/**
 * Applies the mutations of a turn, whose sequence in its run is `runSequence`; the graph's sequence grows by one.
 * Reads and writes only the objects that they name and those with links to deleted ones. Requires: its row is locked.
 *
 * @refines D19.2
 */
export async function mutateGraph(
  into: Writing,
  tenant: number,
  head: GraphHead,
  mutations: readonly Mutation[],
  by: { readonly run: number; readonly runSequence: number },
): Promise<GraphChange> {
  const { session } = into;
  const { id } = head;
  const sequence = head.sequence + 1;
  session.post("UPDATE tessera_graphs SET sequence = $1 WHERE id = $2", [sequence, id]);
  const log =
    "INSERT INTO tessera_graph_journal (tenant, graph, sequence, run, run_sequence) VALUES ($1, $2, $3, $4, $5)";
  session.post(log, [tenant, id, sequence, by.run, by.runSequence]);
  const ids = await concerned(session, tenant, id, mutations);
  const among =
    "SELECT body FROM tessera_objects WHERE tenant = $1 AND graph = $2 AND object = ANY($3::text[])";
  const before = await graphOf(session, tenant, await many(session, among, tenant, id, ids));
  const after = mutations.reduce(applyMutation, before);
  await into.reserve(ids.length);
  for (const object of ids) {
    const was = objectOf(before, object);
    const is = objectOf(after, object);
    if (was !== is) await replaceObject(into, tenant, id, was, is);
  }
  return { id, sequence, mutations };
}

/** The ids that mutations name, and those of the objects that link to what they delete. */
async function concerned(
  session: Session,
  tenant: number,
  graph: number,
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const named = mutations.flatMap(({ create, update }) => [...create, ...update].map(({ id }) => id));
  const deleted = mutations.flatMap((mutation) => mutation.delete);
  if (deleted.length === 0) return [...new Set(named)];
  const inbound =
    "SELECT DISTINCT source FROM tessera_links WHERE tenant = $1 AND graph = $2 AND target = ANY($3::text[])";
  const sources = await many<{ source: string }>(session, inbound, tenant, graph, deleted);
  return [...new Set([...named, ...deleted, ...sources.map(({ source }) => source)])];
}

async function replaceObject(
  into: Writing,
  tenant: number,
  graph: number,
  was: ProductObject | undefined,
  is: ProductObject | undefined,
): Promise<void> {
  const { session } = into;
  if (was !== undefined) {
    const gone =
      "DELETE FROM tessera_objects WHERE tenant = $1 AND graph = $2 AND object = $3 RETURNING id, blobs";
    const unlink =
      "DELETE FROM tessera_links WHERE tenant = $1 AND graph = $2 AND source = $3 AND target = ANY($4::text[])";
    session.post(unlink, [tenant, graph, was.id, targets(was)]);
    const row = await one<{ id: number; blobs: number }>(session, gone, tenant, graph, was.id);
    if (row !== null && row.blobs !== 0) disownBlobs(session, tenant, "object", row.id);
  }
  if (is !== undefined) {
    const { text, blobs } = writeText(OBJECT, is);
    const id = into.number();
    session.post(
      "INSERT INTO tessera_objects (id, tenant, graph, object, blobs, body) VALUES ($1, $2, $3, $4, $5, $6)",
      [id, tenant, graph, is.id, blobs.length, bytesOf(text)],
    );
    ownBlobs(session, tenant, "object", id, blobs);
    const link = `INSERT INTO tessera_links (tenant, graph, target, source)
      SELECT $1, $2, target, $3 FROM unnest($4::text[]) AS t (target)`;
    session.post(link, [tenant, graph, is.id, targets(is)]);
  }
}

function targets({ links }: ProductObject): readonly string[] {
  return [...new Set(links.map(({ to }) => to))];
}
