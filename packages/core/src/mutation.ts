/** @module Mutations of the product graph: what a step proposes, applied raw, without asking whether it may. */

import { type Json, type JsonObject, jsonEqual } from "./json.ts";
import {
  hasObject,
  type Link,
  objectJson,
  objectOf,
  type ProductGraph,
  type ProductObject,
  putObject,
  removeObject,
  sourcesOf,
} from "./product-graph.ts";

/** A change of one object: a member that is absent stays as it is; `links` replaces all links. The type stays. */
export interface ObjectUpdate {
  readonly id: string;
  readonly payload?: JsonObject;
  readonly links?: readonly Link[];
}

/**
 * A proposed change Delta = (C, U, D) of the graph: objects to create, changes of objects, ids to delete.
 *
 * @definition D19.1
 */
export interface Mutation {
  readonly create: readonly ProductObject[];
  readonly update: readonly ObjectUpdate[];
  readonly delete: readonly string[];
}

/** The mutation that changes nothing. */
export const EMPTY_MUTATION: Mutation = { create: [], update: [], delete: [] };

/**
 * `G` after `delta`, raw: the created objects are put in, then the updates are made, then the objects of `delete` go,
 * and with them every link to them. Total: an update or a deletion of what is not there does nothing more.
 * Whether the result may stand is for the gate to say, which is the only caller that keeps it.
 * Cost: the size of `delta` and of the objects that link to what it deletes, times the logarithm of `G`.
 *
 * @definition D19.2
 */
export function applyMutation(G: ProductGraph, delta: Mutation): ProductGraph {
  let graph = G;
  for (const object of delta.create) {
    graph = putObject(graph, object);
  }
  for (const update of delta.update) {
    const object = objectOf(graph, update.id);
    graph = object === undefined ? graph : putObject(graph, updateObject(object, update));
  }
  for (const id of delta.delete) {
    graph = unlink(removeObject(graph, id), id);
  }
  return graph;
}

/** The ids that a mutation concerns, each list in code-unit order and without repetition. */
export interface Touched {
  /** Objects of the result that it wrote: created, updated, or relieved of a link to a deleted object. */
  readonly written: readonly string[];
  /** Ids that it deletes. */
  readonly deleted: readonly string[];
  /** Objects of the result, written or not, to which a written or deleted object linked before. */
  readonly released: readonly string[];
}

/**
 * What `delta` touches in `G`. `written` and `deleted` together are its writes: C, U, D and the sources of the links
 * into D. A constraint looks at nothing else but what these reach, within its scope.
 * Cost: as `applyMutation`.
 *
 * @definition D5.2
 */
export function touchedBy(G: ProductGraph, delta: Mutation): Touched {
  const deleted = new Set(delta.delete);
  const written = new Set<string>();
  for (const { id } of [...delta.create, ...delta.update]) {
    written.add(id);
  }
  for (const id of deleted) {
    for (const source of sourcesOf(G, id)) {
      written.add(source);
    }
  }
  const released = new Set<string>();
  for (const id of [...written, ...deleted]) {
    for (const link of objectOf(G, id)?.links ?? []) {
      released.add(link.to);
    }
  }
  const isCreated = new Set(delta.create.map((object) => object.id));
  const remains = (id: string): boolean => !deleted.has(id) && (isCreated.has(id) || hasObject(G, id));
  return {
    written: [...written].filter(remains).sort(),
    deleted: [...deleted].sort(),
    released: [...released].filter(remains).sort(),
  };
}

/**
 * The same mutation in its one form: each id once, in code-unit order; updates of created objects are part of them;
 * what is created and deleted is neither; no link leads to a deleted object.
 * Law: on a graph without dangling links to which `delta` is applicable, raw application gives the same graph.
 *
 * @definition D5.3
 */
export function normaliseMutation(delta: Mutation): Mutation {
  const deleted = new Set(delta.delete);
  const created = new Map(delta.create.map((object) => [object.id, object]));
  const updated = new Map<string, ObjectUpdate>();
  for (const update of delta.update) {
    const object = created.get(update.id);
    if (object === undefined) {
      updated.set(update.id, { ...updated.get(update.id), ...update });
    } else {
      created.set(update.id, updateObject(object, update));
    }
  }
  const isKept = ({ id }: { readonly id: string }): boolean => !deleted.has(id);
  return {
    create: [...created.values()]
      .filter(isKept)
      .sort(byId)
      .map((object) => withoutLinksTo(object, deleted)),
    update: [...updated.values()]
      .filter(isKept)
      .sort(byId)
      .map((update) => withoutLinksTo(update, deleted)),
    delete: [...deleted].filter((id) => !created.has(id)).sort(),
  };
}

/** The union of mutations, or the ids for which they say different things. */
export type Merge =
  | { readonly kind: "merged"; readonly mutation: Mutation }
  | { readonly kind: "conflict"; readonly ids: readonly string[] };

/**
 * The union of `deltas`, as parallel branches are joined: component by component, in normal form.
 * Equal objects that several create are one; two updates of one object are joined if no member of it is given twice
 * with different values. Different contents for one id are a conflict.
 * Law: the order of `deltas` does not matter.
 *
 * @definition D5.4
 */
export function mergeMutations(deltas: readonly Mutation[]): Merge {
  // What one mutation says twice of an object is no conflict: the last word counts.
  const parts = deltas.map(normaliseMutation);
  const conflicts = new Set<string>();
  const created = new Map<string, ProductObject>();
  const updated = new Map<string, ObjectUpdate>();
  for (const object of parts.flatMap((delta) => delta.create)) {
    const other = created.get(object.id) ?? object;
    if (!jsonEqual(objectJson(object), objectJson(other))) {
      conflicts.add(object.id);
    }
    created.set(object.id, object);
  }
  for (const update of parts.flatMap((delta) => delta.update)) {
    const other = updated.get(update.id) ?? update;
    if (disagree(update.payload, other.payload) || disagree(linksJson(update), linksJson(other))) {
      conflicts.add(update.id);
    }
    updated.set(update.id, { ...other, ...update });
  }
  if (conflicts.size > 0) {
    return { kind: "conflict", ids: [...conflicts].sort() };
  }
  const union = {
    create: [...created.values()],
    update: [...updated.values()],
    delete: parts.flatMap((delta) => delta.delete),
  };
  return { kind: "merged", mutation: normaliseMutation(union) };
}

function disagree(a: Json | undefined, b: Json | undefined): boolean {
  return a !== undefined && b !== undefined && !jsonEqual(a, b);
}

function linksJson(update: ObjectUpdate): Json | undefined {
  return update.links?.map((link) => ({ ...link }));
}

function updateObject(object: ProductObject, update: ObjectUpdate): ProductObject {
  return { ...object, payload: update.payload ?? object.payload, links: update.links ?? object.links };
}

/** Takes away every link to `id`. */
function unlink(graph: ProductGraph, id: string): ProductGraph {
  return sourcesOf(graph, id)
    .map((source) => objectOf(graph, source))
    .filter((object) => object !== undefined)
    .map((object) => withoutLinksTo(object, new Set([id])))
    .reduce(putObject, graph);
}

function withoutLinksTo<T extends { readonly links?: readonly Link[] }>(
  holder: T,
  ids: ReadonlySet<string>,
): T {
  return holder.links === undefined
    ? holder
    : { ...holder, links: holder.links.filter((link) => !ids.has(link.to)) };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
