import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noOrphanConstraint, REFERENCES } from "../src/constraints.ts";
import { applicability, commitMutation } from "../src/gate.ts";
import { contentHash } from "../src/hash.ts";
import { allTouched, type Constraint, checkIntegrity } from "../src/integrity.ts";
import {
  applyMutation,
  type Mutation,
  mergeMutations,
  normaliseMutation,
  touchedBy,
} from "../src/mutation.ts";
import { parseMutation, parseProductGraph } from "../src/mutation-parse.ts";
import {
  graphJson,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  sourcesOf,
} from "../src/product-graph.ts";
import { entriesOf } from "../src/sorted-map.ts";
import {
  closedObjects,
  disjointMutations,
  mutation,
  naiveApply,
  naiveAxioms,
  naiveInbound,
  objects,
} from "./graph-arbitrary.ts";
import { KNOWN, noOrphans, schemas } from "./product-graph-constraints.ts";

type Apply = (G: ProductGraph, delta: Mutation) => ProductGraph;
type Gate = typeof commitMutation;

function inboundOf(graph: ProductGraph): unknown {
  return Object.fromEntries(
    Array.from(entriesOf(graph.inbound), ([to, sources]) => [to, Object.fromEntries(entriesOf(sources))]),
  );
}

/** Law: raw application is the three loops of its definition, and the derived index is that of the objects. */
function applyLaw(implementation: Apply): void {
  fc.assert(
    fc.property(objects, mutation, (list, delta) => {
      const before = productGraph(list);
      const shown = JSON.stringify(graphJson(before));
      const after = implementation(before, delta);
      const expected = naiveApply(list, delta);
      expect(objectsOf(after)).toEqual(expected);
      expect(inboundOf(after)).toEqual(naiveInbound(expected));
      expect(JSON.stringify(graphJson(before))).toBe(shown);
    }),
    { numRuns: 1_000 },
  );
}

/** Law (proposition 19.1): the gate leads from a graph with the axioms to a graph with the axioms. */
function axiomsLaw(gate: Gate): void {
  fc.assert(
    fc.property(closedObjects, fc.array(mutation, { maxLength: 5 }), (list, deltas) => {
      fc.pre(naiveAxioms(list));
      let graph = productGraph(list);
      for (const delta of deltas) {
        const result = gate(graph, delta, [schemas]);
        graph = result.graph;
        expect(naiveAxioms(objectsOf(graph))).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
}

/** Law: G + Delta if Delta is applicable and I holds on the result, else the very same G (oracle: the naive graph). */
function gateLaw(gate: Gate): void {
  const constraints = fc.subarray([...KNOWN]);
  fc.assert(
    fc.property(closedObjects, mutation, constraints, (list, delta, chosen) => {
      const holds = (of: readonly ProductObject[]): boolean => chosen.every(([, oracle]) => oracle(of));
      fc.pre(holds(list));
      const before = productGraph(list);
      const expected = naiveApply(list, delta);
      const isApplicable = naiveApplicable(list, delta);
      const isClosed = (KNOWN[0] as (typeof KNOWN)[0])[1](expected);
      const result = gate(
        before,
        delta,
        chosen.map(([constraint]) => constraint),
      );
      expect(result.kind).toBe(isApplicable && isClosed && holds(expected) ? "committed" : "rejected");
      if (result.kind === "committed") expect(objectsOf(result.graph)).toEqual(expected);
      else {
        expect(result.graph).toBe(before);
        expect(result.violations.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 2_000 },
  );
}

function naiveApplicable(list: readonly ProductObject[], delta: Mutation): boolean {
  const ids = list.map(({ id }) => id);
  const created = delta.create.map(({ id }) => id);
  const known = [...ids, ...created];
  return (
    new Set(known).size === known.length &&
    delta.update.every(({ id }) => known.includes(id)) &&
    delta.delete.every((id) => known.includes(id))
  );
}

/** Law: where a constraint held before, it finds something in what was touched iff it does in the whole graph. */
function scopeLaw(constraint: Constraint, holds: (list: readonly ProductObject[]) => boolean): void {
  fc.assert(
    fc.property(closedObjects, mutation, (list, delta) => {
      fc.pre(holds(list));
      const before = productGraph(list);
      const after = applyMutation(before, delta);
      const found = checkIntegrity(after, touchedBy(before, delta), [constraint]);
      expect(found.length > 0).toBe(!holds(objectsOf(after)));
      expect(checkIntegrity(after, allTouched(after), [constraint]).length > 0).toBe(
        !holds(objectsOf(after)),
      );
    }),
    { numRuns: 1_000 },
  );
}

/** Law: the one form of a mutation does the same, and is a form: the form of itself, each id once, in order. */
function normaliseLaw(normalise: typeof normaliseMutation): void {
  fc.assert(
    fc.property(closedObjects, mutation, (list, delta) => {
      const normal = normalise(delta);
      expect(normalise(normal)).toEqual(normal);
      const ids = [
        ...normal.create.map(({ id }) => id),
        ...normal.update.map(({ id }) => id),
        ...normal.delete,
      ];
      expect(new Set(ids).size).toBe(ids.length);
      for (const part of [
        normal.create.map(({ id }) => id),
        normal.update.map(({ id }) => id),
        normal.delete,
      ]) {
        expect(part).toEqual([...part].sort());
      }
      fc.pre(naiveApplicable(list, delta));
      expect(naiveApply(list, normal)).toEqual(naiveApply(list, delta));
    }),
    { numRuns: 2_000 },
  );
}

/**
 * Law: the order does not matter, and the union of mutations that write different objects, none of which another reads
 * through a link, is one after the other, in every order.
 */
function mergeLaw(merge: typeof mergeMutations): void {
  fc.assert(
    fc.property(fc.array(mutation, { maxLength: 3 }), (deltas) => {
      expect(merge([...deltas].reverse())).toEqual(merge(deltas));
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(disjointMutations, ({ list, deltas }) => {
      const [a, b, c] = deltas as [Mutation, Mutation, Mutation];
      const union = merge(deltas);
      expect(union.kind).toBe("merged");
      if (union.kind === "merged") {
        for (const order of [deltas, [c, b, a], [b, c, a], [c, a, b]]) {
          expect(naiveApply(list, union.mutation)).toEqual(order.reduce(naiveApply, list));
        }
      }
    }),
    { numRuns: 1_000 },
  );
}

/** C, U, D and the sources of the links into D. */
function naiveWrites(list: readonly ProductObject[], delta: Mutation): readonly string[] {
  const sources = list
    .filter(({ links }) => links.some(({ to }) => delta.delete.includes(to)))
    .map(({ id }) => id);
  return [
    ...delta.create.map(({ id }) => id),
    ...delta.update.map(({ id }) => id),
    ...delta.delete,
    ...sources,
  ];
}

describe("product graph, laws", () => {
  it("[D19.2] raw application is its definition", () => {
    applyLaw(applyMutation);
  });

  it("[D18.3] the index of sources is that of the objects, and equal graphs have equal hashes", () => {
    fc.assert(
      fc.property(objects, (list) => {
        const graph = productGraph(list);
        expect(inboundOf(graph)).toEqual(naiveInbound(list));
        const reversed = productGraph([...list].reverse());
        expect(contentHash(graphJson(reversed))).toBe(contentHash(graphJson(graph)));
        for (const { id } of list) {
          expect(sourcesOf(graph, id)).toEqual(
            list
              .filter(({ links }) => links.some(({ to }) => to === id))
              .map((object) => object.id)
              .sort(),
          );
        }
      }),
    );
  });

  it("[D18.3] a graph comes back from its JSON", () => {
    fc.assert(
      fc.property(objects, (list) => {
        const graph = productGraph(list);
        const read = parseProductGraph(JSON.parse(JSON.stringify(graphJson(graph))));
        expect(read.ok && objectsOf(read.value)).toEqual(objectsOf(graph));
        expect(read.ok && inboundOf(read.value)).toEqual(inboundOf(graph));
      }),
    );
  });

  it("[D19.1] a normal mutation comes back from its JSON", () => {
    fc.assert(
      fc.property(mutation, (delta) => {
        const normal = normaliseMutation(delta);
        expect(parseMutation(JSON.parse(JSON.stringify(normal)))).toEqual({ ok: true, value: normal });
      }),
    );
  });

  it("[T19.1] the gate keeps the axioms", () => {
    axiomsLaw(commitMutation);
  });

  it("[D19.5] [C20-16] the graph changes by the gate, and only if I holds", () => {
    gateLaw(commitMutation);
  });

  it("[D5.5] applicable is: new ids are new, changed ids are known", () => {
    fc.assert(
      fc.property(objects, mutation, (list, delta) => {
        expect(applicability(productGraph(list), delta).length === 0).toBe(naiveApplicable(list, delta));
      }),
      { numRuns: 500 },
    );
  });

  it("[C20-73] [D19.5] the fold of the committed mutations from the first graph is the last graph", () => {
    fc.assert(
      fc.property(closedObjects, fc.array(mutation, { maxLength: 8 }), (list, deltas) => {
        const first = productGraph(list);
        const committed: Mutation[] = [];
        let graph = first;
        for (const delta of deltas) {
          const result = commitMutation(graph, delta, []);
          if (result.kind === "committed") committed.push(delta);
          graph = result.graph;
        }
        expect(objectsOf(committed.reduce(applyMutation, first))).toEqual(objectsOf(graph));
        expect(objectsOf(graph)).toEqual(
          committed.reduce(naiveApply, naiveApply(list, { create: [], update: [], delete: [] })),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each(KNOWN)("[D5.1] [D19.4] looks no further than it must, and no less: $name", (constraint, holds) => {
    scopeLaw(constraint, holds);
  });

  it("[D5.2] touched is what the definition says", () => {
    fc.assert(
      fc.property(closedObjects, mutation, (list, delta) => {
        const touched = touchedBy(productGraph(list), delta);
        const after = naiveApply(list, delta).map(({ id }) => id);
        const writes = new Set(naiveWrites(list, delta));
        expect(touched.written).toEqual([...writes].filter((id) => after.includes(id)).sort());
        expect(touched.deleted).toEqual([...new Set(delta.delete)].sort());
        const lost = list
          .filter(({ id }) => writes.has(id))
          .flatMap(({ links }) => links.map(({ to }) => to));
        expect(touched.released).toEqual([...new Set(lost)].filter((id) => after.includes(id)).sort());
      }),
      { numRuns: 1_000 },
    );
  });

  it("[D5.3] the normal form does the same", () => {
    normaliseLaw(normaliseMutation);
  });

  it("[D5.4] [L5.2] the union is commutative, and is succession where the writes are disjoint", () => {
    mergeLaw(mergeMutations);
  });

  it("[D19.2] [D19.5] [D5.3] [D5.4] the laws find wrong implementations", () => {
    const keepsLinks: Apply = (G, delta) =>
      productGraph(
        naiveApply(objectsOf(G), { ...delta, delete: [] }).filter(({ id }) => !delta.delete.includes(id)),
      );
    const deletesFirst: Apply = (G, delta) =>
      applyMutation(applyMutation(G, { create: [], update: [], delete: delta.delete }), {
        ...delta,
        delete: [],
      });
    expect(() => applyLaw(keepsLinks)).toThrow();
    expect(() => applyLaw(deletesFirst)).toThrow();
    const open: Gate = (G, delta) => ({
      kind: "committed",
      graph: applyMutation(G, delta),
      touched: touchedBy(G, delta),
    });
    const partial: Gate = (G, delta, constraints) => {
      const result = commitMutation(G, delta, constraints);
      return result.kind === "committed"
        ? result
        : { ...result, graph: applyMutation(G, { ...delta, delete: [] }) };
    };
    const resultOnly: Gate = (G, delta, constraints) => {
      const after = applyMutation(G, delta);
      const violations = checkIntegrity(after, allTouched(after), [REFERENCES, ...constraints]);
      return violations.length > 0
        ? { kind: "rejected", graph: G, violations }
        : { kind: "committed", graph: after, touched: touchedBy(G, delta) };
    };
    expect(() => axiomsLaw(open)).toThrow();
    expect(() => axiomsLaw(partial)).toThrow();
    expect(() => gateLaw(open)).toThrow();
    expect(() => gateLaw(partial)).toThrow();
    expect(() => gateLaw(resultOnly)).toThrow();
    const blind: Constraint = {
      ...noOrphanConstraint(["task"]),
      check: (graph, touched) => noOrphanConstraint(["task"]).check(graph, { ...touched, released: [] }),
    };
    expect(() => scopeLaw(blind, (list) => noOrphans(list, undefined))).toThrow();
    expect(() => normaliseLaw((delta) => delta)).toThrow();
    expect(() => normaliseLaw((delta) => ({ ...normaliseMutation(delta), delete: [] }))).toThrow();
    expect(() =>
      mergeLaw(() => ({ kind: "merged", mutation: { create: [], update: [], delete: [] } })),
    ).toThrow();
    expect(() => mergeLaw((deltas) => mergeMutations(deltas.slice(0, 1)))).toThrow();
  });
});
