/** @module Graphs of SQLite through the cache. */
import { EMPTY_GRAPH, type ProductGraph } from "@tessera/core";
import { type GraphCache, keepGraph } from "../graph-cache.ts";
import type { Session } from "./driver.ts";
import { graphHead, readGraph } from "./graphs.ts";
import { tenantId } from "./writing.ts";

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
  if (isCommitted) keepGraph(cache, head.id, found);
  return found;
}
