/** @module What a node may see and write of G: its claims, with their templates filled from D. */
import {
  type Data,
  fillTemplate,
  type Mutation,
  type ObjectsClaim,
  objectOf,
  objectsOf,
  type ProductGraph,
  productGraph,
  type Trouble,
  touchedBy,
} from "@tessera/core";
import type { Plan } from "./plan.ts";

/** Is the object of this id and type among those that a claim names? */
type Named = (id: string, type: string | undefined) => boolean;

/**
 * Why a mutation leaves the footprint of its node, with the facts; null if it does not. What it creates, changes or
 * deletes, and every object that thereby loses a link, is named by what the node claims to write, and what its links
 * lead to by what it claims to read or write, the templates filled from D as it was before the step. With `payloadOnly` nothing is
 * created, deleted or linked. A person and a called run change nothing of G by their answer. Cost: the mutation.
 *
 * @definition D16.13
 */
export function claimTrouble(
  plan: Plan,
  node: number,
  before: { readonly data: Data; readonly graph: ProductGraph },
  delta: Mutation,
): Trouble | null {
  const { graph, id } = plan.nodes[node] ?? {};
  const mayPropose = plan.bodies[node] === "inline" || plan.bodies[node] === "job";
  const writes = mayPropose ? graph?.writes : {};
  const types = new Map(delta.create.map((object) => [object.id, object.type]));
  const typeOf = (name: string) => types.get(name) ?? objectOf(before.graph, name)?.type;
  const outside =
    writes === undefined ? [] : unnamed(writesOf(before.graph, delta), before.data, [writes], typeOf);
  const targets = [...delta.create, ...delta.update].flatMap(({ links = [] }) => links.map(({ to }) => to));
  const unread =
    graph?.reads === undefined || writes === undefined
      ? []
      : unnamed(targets, before.data, [graph.reads, writes], typeOf);
  const isBeyondPayload = writes?.payloadOnly === true && changesStructure(delta);
  if (outside.length === 0 && unread.length === 0 && !isBeyondPayload) return null;
  const facts = {
    ...(outside.length === 0 ? {} : { objects: outside }),
    ...(unread.length === 0 ? {} : { targets: unread }),
    ...(isBeyondPayload ? { payloadOnly: true } : {}),
  };
  return { code: "FOOTPRINT", message: `"${id}" changes more of the graph than it declares`, facts };
}

/**
 * G as a node sees it: all of it, or the objects that its claims name; links of these to others stay.
 * Cost: the objects that are named; all of G where they are named by type.
 */
export function visibleGraph(plan: Plan, node: number, data: Data, G: ProductGraph): ProductGraph {
  const { graph, kind } = plan.nodes[node] ?? {};
  const writes = kind === "verifier" ? {} : graph?.writes;
  if (graph?.reads === undefined || writes === undefined) return G;
  const claims = [graph.reads, writes];
  if (claims.every(({ types = [] }) => types.length === 0)) {
    const ids = new Set(claims.flatMap((claim) => idsOf(claim, data)));
    return productGraph([...ids].flatMap((id) => objectOf(G, id) ?? []));
  }
  const isNamed = naming(claims, data);
  return productGraph(objectsOf(G).filter(({ id, type }) => isNamed(id, type)));
}

/** The ids of C, U and D, and of the objects that link to one of D. */
function writesOf(G: ProductGraph, delta: Mutation): readonly string[] {
  const { written, deleted } = touchedBy(G, delta);
  return [...written, ...deleted, ...[...delta.create, ...delta.update].map(({ id }) => id)];
}

function unnamed(
  ids: readonly string[],
  data: Data,
  claims: readonly ObjectsClaim[],
  typeOf: (id: string) => string | undefined,
): readonly string[] {
  const isNamed = naming(claims, data);
  return [...new Set(ids)].filter((id) => !isNamed(id, typeOf(id))).sort();
}

function naming(claims: readonly ObjectsClaim[], data: Data): Named {
  const ids = new Set(claims.flatMap((claim) => idsOf(claim, data)));
  const types = new Set(claims.flatMap((claim) => claim.types ?? []));
  return (id, type) => ids.has(id) || (type !== undefined && types.has(type));
}

function idsOf({ objects = [] }: ObjectsClaim, data: Data): readonly string[] {
  return objects.flatMap((template) => fillTemplate(template, data) ?? []);
}

function changesStructure({ create, update, delete: deleted }: Mutation): boolean {
  return create.length + deleted.length > 0 || update.some(({ links }) => links !== undefined);
}
