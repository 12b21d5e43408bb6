/** @module Product graphs in SQLite: objects as rows, so that a mutation costs its own size; and who made each sequence. */
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
import type { GraphChange } from "../graph-cache.ts";
import { OBJECT } from "../record-shape.ts";
import { blobSource, disownBlobs, ownBlobs } from "./blobs.ts";
import { change, insert, many, one, type Session } from "./driver.ts";

/** The id and sequence of a graph; null when nobody has written it. */
export interface GraphHead {
  readonly id: number;
  readonly sequence: number;
}

/** The head of a named graph. */
export function graphHead(session: Session, tenant: number, graph: string): GraphHead | null {
  return one(
    session,
    "SELECT id, sequence FROM tessera_graphs WHERE tenant = ? AND graph = ?",
    tenant,
    graph,
  );
}

/** All objects of a graph. Cost: linear. */
export function readGraph(session: Session, tenant: number, graph: number): ProductGraph {
  const rows = many<{ body: string }>(
    session,
    "SELECT body FROM tessera_objects WHERE tenant = ? AND graph = ?",
    tenant,
    graph,
  );
  return productGraph(rows.map(({ body }) => readObject(session, tenant, body)));
}

/**
 * Applies the mutations of a turn, whose sequence in its run is `runSequence`; the graph's sequence grows by one.
 * Reads and writes only the objects that they name and those with links to deleted ones.
 *
 * @refines D19.2
 */
export function mutateGraph(
  session: Session,
  tenant: number,
  name: string,
  mutations: readonly Mutation[],
  by: { readonly run: number; readonly runSequence: number },
): GraphChange {
  const put = "INSERT INTO tessera_graphs (tenant, graph, sequence) VALUES (?, ?, 0) ON CONFLICT DO NOTHING";
  if (graphHead(session, tenant, name) === null) change(session, put, tenant, name);
  const raise =
    "UPDATE tessera_graphs SET sequence = sequence + 1 WHERE tenant = ? AND graph = ? RETURNING id, sequence";
  const { id, sequence } = one<GraphHead>(session, raise, tenant, name) as GraphHead;
  const log =
    "INSERT INTO tessera_graph_journal (tenant, graph, sequence, run, run_sequence) VALUES (?, ?, ?, ?, ?)";
  change(session, log, tenant, id, sequence, by.run, by.runSequence);
  const ids = concerned(session, tenant, id, mutations);
  const before = objectsAmong(session, tenant, id, ids);
  const after = mutations.reduce(applyMutation, before);
  for (const object of ids) {
    const was = objectOf(before, object);
    const is = objectOf(after, object);
    if (was !== is) replaceObject(session, tenant, id, was, is);
  }
  return { id, sequence, mutations };
}

/** The ids that mutations name, and those of the objects that link to what they delete; in code-unit order. */
function concerned(
  session: Session,
  tenant: number,
  graph: number,
  mutations: readonly Mutation[],
): readonly string[] {
  const ids = new Set<string>();
  for (const { create, update, delete: deleted } of mutations) {
    for (const { id } of [...create, ...update]) ids.add(id);
    for (const id of deleted) {
      ids.add(id);
      const inbound = "SELECT source FROM tessera_links WHERE tenant = ? AND graph = ? AND target = ?";
      for (const { source } of many<{ source: string }>(session, inbound, tenant, graph, id)) ids.add(source);
    }
  }
  return [...ids].sort();
}

/** The part of a graph that consists of these objects. */
function objectsAmong(session: Session, tenant: number, graph: number, ids: readonly string[]): ProductGraph {
  const text = "SELECT body FROM tessera_objects WHERE tenant = ? AND graph = ? AND object = ?";
  const rows = ids.flatMap((id) => many<{ body: string }>(session, text, tenant, graph, id));
  return rows.length === 0
    ? EMPTY_GRAPH
    : productGraph(rows.map(({ body }) => readObject(session, tenant, body)));
}

function readObject(session: Session, tenant: number, body: string): ProductObject {
  return valueOrCorrupt(readText(OBJECT, body, blobSource(session, tenant)));
}

function replaceObject(
  session: Session,
  tenant: number,
  graph: number,
  was: ProductObject | undefined,
  is: ProductObject | undefined,
): void {
  if (was !== undefined) {
    const gone =
      "DELETE FROM tessera_objects WHERE tenant = ? AND graph = ? AND object = ? RETURNING id, blobs";
    const row = one<{ id: number; blobs: number }>(session, gone, tenant, graph, was.id);
    if (row !== null && row.blobs !== 0) disownBlobs(session, tenant, "object", row.id);
    for (const target of targets(was)) {
      const unlink = "DELETE FROM tessera_links WHERE tenant = ? AND graph = ? AND target = ? AND source = ?";
      change(session, unlink, tenant, graph, target, was.id);
    }
  }
  if (is !== undefined) {
    const { text, blobs } = writeText(OBJECT, is);
    const put = "INSERT INTO tessera_objects (tenant, graph, object, blobs, body) VALUES (?, ?, ?, ?, ?)";
    const id = insert(session, put, tenant, graph, is.id, blobs.length, text);
    if (blobs.length > 0) ownBlobs(session, tenant, "object", id, blobs);
    for (const target of targets(is)) {
      const link = "INSERT INTO tessera_links (tenant, graph, target, source) VALUES (?, ?, ?, ?)";
      change(session, link, tenant, graph, target, is.id);
    }
  }
}

function targets({ links }: ProductObject): ReadonlySet<string> {
  return new Set(links.map(({ to }) => to));
}
