/** @module The product graph G: typed objects with payloads and links, immutable and shared between versions. */

import { invariant } from "./invariant.ts";
import type { JsonObject } from "./json.ts";
import { countOf, entriesOf, insert, keysOf, lookup, remove, type SortedMap } from "./sorted-map.ts";

/** An edge from the object that has it to the object `to`; `rel` names the relation, absent means the unnamed one. */
export interface Link {
  readonly rel?: string;
  readonly to: string;
}

/**
 * An object of G: its id, the label of its schema, its payload and its outbound links, in the order of its author.
 *
 * @definition D18.4
 */
export interface ProductObject {
  readonly id: string;
  readonly type: string;
  readonly payload: JsonObject;
  readonly links: readonly Link[];
}

/**
 * G: the objects by id, and for every id the objects that link to it (with the number of their links), which is
 * derived from the objects and kept current with them. Both in code-unit order of the ids. Made by `productGraph`,
 * changed by the gate only.
 *
 * @definition D18.3
 */
export interface ProductGraph {
  readonly objects: SortedMap<ProductObject>;
  readonly inbound: SortedMap<SortedMap<number>>;
}

/** The graph without objects. */
export const EMPTY_GRAPH: ProductGraph = { objects: undefined, inbound: undefined };

/** The graph of `objects`. Requires: no two have one id. Cost: n log n. */
export function productGraph(objects: Iterable<ProductObject>): ProductGraph {
  let graph = EMPTY_GRAPH;
  for (const object of objects) {
    invariant(!hasObject(graph, object.id), "D18.3", () => ({ id: object.id }));
    graph = putObject(graph, object);
  }
  return graph;
}

/** The object with this id, if there is one. Cost: logarithmic. */
export function objectOf(graph: ProductGraph, id: string): ProductObject | undefined {
  return lookup(graph.objects, id);
}

/** Is there an object with this id? */
export function hasObject(graph: ProductGraph, id: string): boolean {
  return objectOf(graph, id) !== undefined;
}

/** All objects in code-unit order of their ids. */
export function objectsOf(graph: ProductGraph): readonly ProductObject[] {
  return Array.from(entriesOf(graph.objects), ([, object]) => object);
}

/** The number of objects. Cost: constant. */
export function objectCount(graph: ProductGraph): number {
  return countOf(graph.objects);
}

/** The ids of the objects that link to `id`, which need not be an object itself, in code-unit order. */
export function sourcesOf(graph: ProductGraph, id: string): readonly string[] {
  return keysOf(lookup(graph.inbound, id));
}

/**
 * The graph as JSON, objects in code-unit order of their ids: equal graphs give equal values, and so equal hashes.
 * Read back by `parseProductGraph`. Cost: linear.
 */
export function graphJson(graph: ProductGraph): JsonObject {
  return { objects: objectsOf(graph).map(objectJson) };
}

/** An object as JSON. */
export function objectJson(object: ProductObject): JsonObject {
  const { id, type, payload, links } = object;
  return { id, type, payload, links: links.map((link) => ({ ...link })) };
}

/**
 * The graph with `object` in place of the one with its id, if there was one.
 * For `mutation.ts` only: G has no writer but the gate. Cost: logarithmic for each link.
 */
export function putObject(graph: ProductGraph, object: ProductObject): ProductGraph {
  const { objects, inbound } = removeObject(graph, object.id);
  return {
    objects: insert(objects, object.id, object),
    inbound: object.links.reduce((index, link) => countLink(index, link.to, object.id, 1), inbound),
  };
}

/** The graph without the object, if it had it, and without its outbound links. For `mutation.ts` only. */
export function removeObject(graph: ProductGraph, id: string): ProductGraph {
  const links = objectOf(graph, id)?.links ?? [];
  return {
    objects: remove(graph.objects, id),
    inbound: links.reduce((index, link) => countLink(index, link.to, id, -1), graph.inbound),
  };
}

/** The index with `by` more links from `source` to `target`; an entry without links is no entry. */
function countLink(
  index: SortedMap<SortedMap<number>>,
  target: string,
  source: string,
  by: number,
): SortedMap<SortedMap<number>> {
  const sources = lookup(index, target);
  const count = (lookup(sources, source) ?? 0) + by;
  const changed = count === 0 ? remove(sources, source) : insert(sources, source, count);
  return changed === undefined ? remove(index, target) : insert(index, target, changed);
}
