/** @module Generators of product graphs and mutations over few ids, and a naive graph as oracle. */
import fc from "fast-check";
import type { Mutation, ObjectUpdate } from "../src/mutation.ts";
import type { Link, ProductObject } from "../src/product-graph.ts";

const id = fc.constantFrom("a", "b", "c", "d", "e", "\u{1f600}", "__proto__");
const link: fc.Arbitrary<Link> = fc.record(
  { rel: fc.constantFrom("r", "s"), to: id },
  { requiredKeys: ["to"] },
);
const links = fc.uniqueArray(link, { maxLength: 3, selector: (link) => JSON.stringify([link.rel, link.to]) });
const payload = fc.record({ n: fc.nat({ max: 3 }), t: fc.constantFrom("x", "y") }, { requiredKeys: [] });

export const object: fc.Arbitrary<ProductObject> = fc.record({
  id,
  type: fc.constantFrom("doc", "task"),
  payload,
  links,
});
const update: fc.Arbitrary<ObjectUpdate> = fc.record({ id, payload, links }, { requiredKeys: ["id"] });

/** Any mutation, well-made or not, with repeated and unknown ids. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  create: fc.array(object, { maxLength: 2 }),
  update: fc.array(update, { maxLength: 2 }),
  delete: fc.array(id, { maxLength: 2 }),
});

/** Objects of a graph: ids are unique; links may lead nowhere. */
export const objects: fc.Arbitrary<readonly ProductObject[]> = fc.uniqueArray(object, {
  maxLength: 6,
  selector: (object) => object.id,
});

/** Objects whose links all lead to objects. */
export const closedObjects: fc.Arbitrary<readonly ProductObject[]> = objects.map((list) => {
  const ids = new Set(list.map((object) => object.id));
  return list.map((object) => ({ ...object, links: object.links.filter((link) => ids.has(link.to)) }));
});

/**
 * A closed graph, and mutations that write different objects of it: every id has one owner, who alone writes it, and
 * nobody links to what another deletes or deletes what another's object links to.
 */
export const disjointMutations: fc.Arbitrary<{
  readonly list: readonly ProductObject[];
  readonly deltas: readonly Mutation[];
}> = fc
  .record({
    list: closedObjects,
    wishes: fc.uniqueArray(
      fc.record({
        object,
        owner: fc.nat({ max: 2 }),
        kind: fc.constantFrom("write", "payload", "links", "delete"),
      }),
      { selector: (wish) => wish.object.id, maxLength: 7 },
    ),
  })
  .map(({ list, wishes }) => {
    const exists = (id: string): boolean => list.some((other) => other.id === id);
    const ownerOf = (id: string): number | undefined => wishes.find((wish) => wish.object.id === id)?.owner;
    const deleted = new Map<string, number>();
    for (const { object, owner, kind } of wishes) {
      const sources = list.filter(({ links }) => links.some(({ to }) => to === object.id));
      if (kind === "delete" && exists(object.id) && sources.every(({ id }) => ownerOf(id) === owner)) {
        deleted.set(object.id, owner);
      }
    }
    const deltas = [0, 1, 2].map((owner): Mutation => {
      const mine = wishes
        .filter((wish) => wish.owner === owner && !deleted.has(wish.object.id))
        .map(({ object, kind }) => {
          const links = object.links.filter(({ to }) => (deleted.get(to) ?? owner) === owner);
          return { kind, object: { ...object, links } };
        });
      const updates = mine.filter(({ object }) => exists(object.id));
      return {
        create: mine.filter(({ object }) => !exists(object.id)).map(({ object }) => object),
        update: updates.map(({ kind, object: { id, payload, links } }) =>
          kind === "payload" ? { id, payload } : kind === "links" ? { id, links } : { id, payload, links },
        ),
        delete: [...deleted].filter(([, by]) => by === owner).map(([id]) => id),
      };
    });
    return { list, deltas };
  });

/** Raw application, read from its definition: three loops over a list of objects. */
export function naiveApply(before: readonly ProductObject[], delta: Mutation): readonly ProductObject[] {
  let list = [...before];
  for (const created of delta.create) {
    list = [...list.filter((object) => object.id !== created.id), created];
  }
  for (const { id, payload, links } of delta.update) {
    list = list.map((object) =>
      object.id === id
        ? { ...object, payload: payload ?? object.payload, links: links ?? object.links }
        : object,
    );
  }
  for (const gone of delta.delete) {
    list = list
      .filter((object) => object.id !== gone)
      .map((object) => ({ ...object, links: object.links.filter((link) => link.to !== gone) }));
  }
  return list.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The number of links from one object to another, counted from the objects. */
export function naiveInbound(list: readonly ProductObject[]): Record<string, Record<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  for (const { id, links } of list) {
    for (const { to } of links) {
      const sources = counts.get(to) ?? new Map<string, number>();
      sources.set(id, (sources.get(id) ?? 0) + 1);
      counts.set(to, sources);
    }
  }
  return Object.fromEntries([...counts].map(([to, sources]) => [to, Object.fromEntries(sources)]));
}

/** The axioms, from the objects alone: ids once, payloads by type, links to objects. */
export function naiveAxioms(list: readonly ProductObject[]): boolean {
  const ids = list.map((object) => object.id);
  const isUnique = new Set(ids).size === ids.length;
  const isTyped = list.every(({ type, payload }) => type !== "task" || typeof payload["n"] === "number");
  return isUnique && isTyped && list.every(({ links }) => links.every(({ to }) => ids.includes(to)));
}

/** Is there a cycle of links of the relation (undefined: any)? Found by following every path. */
export function naiveCycle(list: readonly ProductObject[], rel?: string): boolean {
  const targets = (id: string): readonly string[] =>
    (list.find((object) => object.id === id)?.links ?? [])
      .filter((link) => rel === undefined || link.rel === rel)
      .map((link) => link.to);
  const isOnCycle = (start: string): boolean => {
    let reached = new Set(targets(start));
    for (let i = 0; i < list.length; i += 1)
      reached = new Set([...reached, ...[...reached].flatMap(targets)]);
    return reached.has(start);
  };
  return list.some(({ id }) => isOnCycle(id));
}
