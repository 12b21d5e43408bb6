/** @module The graphs that a store read last, kept current by its own commits and checked against the sequence. */
import { applyMutation, type Mutation, type ProductGraph } from "@tessera/core";

/** A graph that a transaction changed, for the cache once it is committed. */
export interface GraphChange {
  readonly id: number;
  readonly sequence: number;
  readonly mutations: readonly Mutation[];
}

/** Graphs by id, the least recently used first. Only what is committed is in it. */
export type GraphCache = Map<number, { readonly sequence: number; readonly graph: ProductGraph }>;

const GRAPHS_MAX = 64;

/** Takes the changes of a committed transaction over. */
export function updateCache(cache: GraphCache, changes: readonly GraphChange[]): void {
  for (const { id, sequence, mutations } of changes) {
    const cached = cache.get(id);
    if (cached === undefined || cached.sequence !== sequence - 1) continue;
    keepGraph(cache, id, { sequence, graph: mutations.reduce(applyMutation, cached.graph) });
  }
}

/** Keeps a graph as the one that was used last. */
export function keepGraph(
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
