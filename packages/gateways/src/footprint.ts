/** @module Footprints: what a step reads and writes of D and G, and where two of them meet. */
import {
  type Constraint,
  type ConstraintScope,
  type Link,
  type Mutation,
  objectOf,
  type ProductGraph,
  touchedBy,
  unreachable,
} from "@tessera/core";
import { templatesMeet } from "./id-template.ts";

/**
 * A part of D or G. `key`: a key of D; `data`: all of D. `object`: the objects that a template of ids can name;
 * `type`: all objects of a type; `relation`: all links of a relation (absent: of every one); `graph`: all of G.
 */
export type Region =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "data" }
  | { readonly kind: "object"; readonly id: string }
  | { readonly kind: "type"; readonly type: string }
  | { readonly kind: "relation"; readonly rel?: string }
  | { readonly kind: "graph" };

/**
 * dom(n): what a step reads and what it writes.
 *
 * @definition D16.4
 */
export interface Footprint {
  readonly reads: readonly Region[];
  readonly writes: readonly Region[];
}

/** The footprint of a step that declares nothing: everything. */
export const EVERYTHING: Footprint = {
  reads: [{ kind: "data" }, { kind: "graph" }],
  writes: [{ kind: "data" }, { kind: "graph" }],
};

/** The regions of keys of D. */
export function regionsOfData(keys: readonly string[]): readonly Region[] {
  return keys.map((key): Region => ({ kind: "key", key }));
}

/** Two regions with something in common, the writer's first. */
export interface Overlap {
  readonly left: Region;
  readonly right: Region;
}

/**
 * Where two footprints meet: regions that one writes and the other reads or writes. Empty: they are disjoint.
 * Cost: the product of their sizes.
 *
 * @definition D16.5
 */
export function overlaps(left: Footprint, right: Footprint): readonly Overlap[] {
  const meeting = (some: readonly Region[], others: readonly Region[]) =>
    some.flatMap((region) =>
      others
        .filter((other) => regionsMeet(region, other))
        .map((other): Overlap => ({ left: region, right: other })),
    );
  return [
    ...meeting(left.writes, right.writes),
    ...meeting(left.writes, right.reads),
    ...meeting(left.reads, right.writes),
  ];
}

/**
 * Can the two regions have something in common? An object whose type is not known may be of any type; links belong to
 * a relation apart from the objects that have them, since whoever changes links touches the relation (D16.6).
 */
export function regionsMeet(left: Region, right: Region): boolean {
  const isData = ({ kind }: Region) => kind === "key" || kind === "data";
  if (isData(left) !== isData(right)) return false;
  if (left.kind === "data" || right.kind === "data" || left.kind === "graph" || right.kind === "graph")
    return true;
  if (left.kind === "key") return right.kind === "key" && left.key === right.key;
  if (left.kind === "relation" || right.kind === "relation") {
    if (left.kind !== "relation" || right.kind !== "relation") return false;
    return left.rel === undefined || right.rel === undefined || left.rel === right.rel;
  }
  if (left.kind === "object" && right.kind === "object") return templatesMeet(left.id, right.id);
  return left.kind !== "type" || right.kind !== "type" || left.type === right.type;
}

/**
 * dom*(n) of a fixed mutation on `G`: it writes C, U, D and the sources of the links into D; it reads what its links
 * lead to; and it reads and writes the scope of every constraint that it touches: a relation or all types, as soon as
 * it creates, deletes or sets links (a payload alone changes neither); types, as soon as it writes an object of one.
 * What a written object links to in `G` is read as well if some constraint looks along links.
 * An id with braces is taken for a template, which is on the safe side. Cost: the mutation, and the constraints.
 *
 * @definition D16.6
 */
export function mutationFootprint(
  G: ProductGraph,
  delta: Mutation,
  constraints: readonly Constraint[],
): Footprint {
  const { written, deleted } = touchedBy(G, delta);
  const own = new Set([...written, ...deleted, ...[...delta.create, ...delta.update].map(({ id }) => id)]);
  const isAlongLinks = constraints.some(({ scope }) => scope.kind === "links");
  const targets = [...delta.create, ...delta.update].flatMap(({ id, links }): readonly Link[] => [
    ...(links ?? []),
    ...(isAlongLinks ? (objectOf(G, id)?.links ?? []) : []),
  ]);
  const scopes = own.size === 0 ? [] : constraints.flatMap(({ scope }) => touchedScope(G, delta, own, scope));
  const objects = (ids: Iterable<string>) => [...ids].sort().map((id): Region => ({ kind: "object", id }));
  return { reads: objects(new Set(targets.map(({ to }) => to))), writes: [...objects(own), ...scopes] };
}

function touchedScope(
  G: ProductGraph,
  delta: Mutation,
  own: ReadonlySet<string>,
  scope: ConstraintScope,
): readonly Region[] {
  switch (scope.kind) {
    case "object":
    case "links":
      return [];
    case "relation": {
      const changesLinks =
        delta.create.length + delta.delete.length > 0 ||
        delta.update.some(({ links }) => links !== undefined);
      return changesLinks
        ? [{ kind: "relation", ...(scope.rel === undefined ? {} : { rel: scope.rel }) }]
        : [];
    }
    case "types": {
      const created = new Map(delta.create.map(({ id, type }) => [id, type]));
      const types = new Set([...own].flatMap((id) => created.get(id) ?? objectOf(G, id)?.type ?? []));
      const isTouched = scope.types.some((type) => types.has(type));
      return isTouched ? scope.types.map((type): Region => ({ kind: "type", type })) : [];
    }
    case "graph":
      return [{ kind: "graph" }];
    default:
      return unreachable(scope);
  }
}
