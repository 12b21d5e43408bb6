/** @module The graphs that were read last, kept current by the commits of this store and checked against the sequence. */
import { applyMutation, EMPTY_GRAPH, type ProductGraph } from "@tessera/core";
import type { Session } from "./driver.ts";
import { graphHead, readGraph } from "./graphs.ts";
import { type GraphChange, tenantId } from "./writing.ts";

/** Graphs by id, the least recently used first. Only what is committed is in it. */
export type GraphCache = Map<number, { readonly sequence: number; readonly graph: ProductGraph }>;

const GRAPHS_MAX = 64;

/**
 * A graph with its sequence. Cost: constant when this store read or wrote it last, else linear in the graph.
 * `isCommitted`: what is read now stands in no open write transaction, and may be kept.
 */
export function cachedGraph(
  session: Session,
  cache: GraphCache,
  tenantName: string,
  name: string,
  isCommitted: boolean,
): { readonly sequence: number; readonly graph: ProductGraph } {
  const tenant = tenantId(session, tenantName);
  const head = tenant === null ? null : graphHead(session, tenant, name);
  if (tenant === null || head === null) return { sequence: 0, graph: EMPTY_GRAPH };
  const cached = cache.get(head.id);
  const isCurrent = cached !== undefined && cached.sequence === head.sequence;
  const found = isCurrent ? cached : { sequence: head.sequence, graph: readGraph(session, tenant, head.id) };
  if (isCommitted) keep(cache, head.id, found);
  return found;
}

/** Takes the changes of a committed transaction over. */
export function updateCache(cache: GraphCache, changes: readonly GraphChange[]): void {
  for (const { id, sequence, mutations } of changes) {
    const cached = cache.get(id);
    if (cached === undefined || cached.sequence !== sequence - 1) continue;
    keep(cache, id, { sequence, graph: mutations.reduce(applyMutation, cached.graph) });
  }
}

function keep(
  cache: GraphCache,
  id: number,
  found: { readonly sequence: number; readonly graph: ProductGraph },
): void {
  cache.delete(id);
  cache.set(id, found);
  for (const oldest of cache.keys()) {
    if (cache.size <= GRAPHS_MAX) return;
    cache.delete(oldest);
  }
}
