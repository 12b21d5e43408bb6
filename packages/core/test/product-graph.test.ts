import { describe, expect, it } from "vitest";
import { acyclicConstraint } from "../src/constraints.ts";
import { commitMutation } from "../src/gate.ts";
import { contentHash } from "../src/hash.ts";
import { InvariantViolation } from "../src/invariant.ts";
import {
  applyMutation,
  EMPTY_MUTATION,
  type Mutation,
  mergeMutations,
  normaliseMutation,
  touchedBy,
} from "../src/mutation.ts";
import {
  EMPTY_GRAPH,
  graphJson,
  hasObject,
  objectCount,
  objectJson,
  objectOf,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  sourcesOf,
} from "../src/product-graph.ts";
import { creates, deletes, inOrder, links, merged, node } from "./product-graph-text.ts";

describe("[L5.1] parallel safety: the five cases that any implementation must reproduce", () => {
  const acyclic = [acyclicConstraint()];

  it("[L5.1] [C20-40] (i) each passes alone, the union closes a cycle", () => {
    const G = productGraph([node("x"), node("y")]);
    const [a, b] = [links("x", "y"), links("y", "x")];
    expect([inOrder(G, acyclic, a), inOrder(G, acyclic, b)]).toEqual(["passes", "passes"]);
    expect([inOrder(G, acyclic, a, b), inOrder(G, acyclic, b, a)]).toEqual(["fails", "fails"]);
    expect(inOrder(G, acyclic, merged(a, b))).toBe("fails");
  });

  it("[L5.1] [C20-40] (ii) a links to what b creates: a first fails, b first and the union pass", () => {
    const G = productGraph([node("x")]);
    const [a, b] = [links("x", "y"), creates(node("y"))];
    expect(inOrder(G, acyclic, a, b)).toBe("fails");
    expect(inOrder(G, acyclic, b, a)).toBe("passes");
    expect(inOrder(G, acyclic, merged(a, b))).toBe("passes");
  });

  it("[L5.1] (iii) a deletes what b links to: a first fails, b first passes", () => {
    const G = productGraph([node("u"), node("v")]);
    const [a, b] = [deletes("u"), links("v", "u")];
    expect(inOrder(G, acyclic, a, b)).toBe("fails");
    expect(inOrder(G, acyclic, b, a)).toBe("passes");
    const both = commitMutation(G, merged(a, b), acyclic);
    expect(objectsOf(both.graph)).toEqual([node("v")]);
  });

  it("[L5.1] (iv) disjoint ids, but the union closes a cycle through what was there", () => {
    const G = productGraph([node("w", "x"), node("x"), node("y", "z"), node("z")]);
    const [a, b] = [links("x", "y"), links("z", "w")];
    expect([inOrder(G, acyclic, a), inOrder(G, acyclic, b)]).toEqual(["passes", "passes"]);
    expect([inOrder(G, acyclic, a, b), inOrder(G, acyclic, b, a)]).toEqual(["fails", "fails"]);
    expect(inOrder(G, acyclic, merged(a, b))).toBe("fails");
  });

  it("[L5.1] (v) every pair passes, the three do not", () => {
    const G = productGraph([node("x"), node("y"), node("z")]);
    const [a, b, c] = [links("x", "y"), links("y", "z"), links("z", "x")];
    for (const [first, second] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      expect(inOrder(G, acyclic, first, second)).toBe("passes");
      expect(inOrder(G, acyclic, merged(first, second))).toBe("passes");
    }
    expect(inOrder(G, acyclic, a, b, c)).toBe("fails");
    expect(inOrder(G, acyclic, merged(a, b, c))).toBe("fails");
  });

  it("[L5.1] [C20-41] a refused union leaves the graph as it was", () => {
    const G = productGraph([node("x"), node("y")]);
    const before = contentHash(graphJson(G));
    const result = commitMutation(G, merged(links("x", "y"), links("y", "x")), acyclic);
    expect(result.graph).toBe(G);
    expect(contentHash(graphJson(result.graph))).toBe(before);
  });
});

describe("[D18.3] product graph", () => {
  it("[D18.3] [D18.4] holds objects by id", () => {
    const graph = productGraph([node("b", "a", "c"), node("a", "c", "c")]);
    expect(objectCount(graph)).toBe(2);
    expect(objectOf(graph, "b")).toEqual(node("b", "a", "c"));
    expect(objectOf(graph, "c")).toBeUndefined();
    expect([hasObject(graph, "a"), hasObject(graph, "c"), hasObject(EMPTY_GRAPH, "a")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(sourcesOf(graph, "c")).toEqual(["a", "b"]);
    expect(sourcesOf(graph, "b")).toEqual([]);
    expect(objectsOf(graph).map(({ id }) => id)).toEqual(["a", "b"]);
    const twice = (): ProductGraph => productGraph([node("a"), node("b"), node("a")]);
    expect(twice).toThrow(InvariantViolation);
    expect(twice).toThrow(expect.objectContaining({ id: "D18.3", facts: { id: "a" } }));
  });

  it("[D18.4] an object as JSON is its four members", () => {
    const object: ProductObject = {
      id: "a",
      type: "doc",
      payload: { n: 1 },
      links: [{ rel: "r", to: "b" }, { to: "c" }],
    };
    expect(objectJson(object)).toEqual({
      id: "a",
      type: "doc",
      payload: { n: 1 },
      links: [{ rel: "r", to: "b" }, { to: "c" }],
    });
    expect(graphJson(productGraph([object]))).toEqual({ objects: [objectJson(object)] });
    expect(graphJson(EMPTY_GRAPH)).toEqual({ objects: [] });
  });
});

describe("[D19.2] raw application", () => {
  it("[D19.2] an update replaces what it gives and keeps the rest", () => {
    const object: ProductObject = { id: "a", type: "doc", payload: { n: 1 }, links: [{ to: "a" }] };
    const G = productGraph([object]);
    const after = (update: object): ProductObject | undefined =>
      objectOf(applyMutation(G, { ...EMPTY_MUTATION, update: [{ id: "a", ...update }] }), "a");
    expect(after({})).toEqual(object);
    expect(after({ payload: {} })).toEqual({ ...object, payload: {} });
    expect(after({ links: [] })).toEqual({ ...object, links: [] });
    expect(applyMutation(G, { ...EMPTY_MUTATION, update: [{ id: "b", payload: {} }] })).toBe(G);
  });

  it("[D19.2] a deletion takes every link to the object along, also of what the mutation writes", () => {
    const G = productGraph([node("a", "b"), node("b", "a", "c"), node("c", "b", "b")]);
    const after = applyMutation(G, {
      create: [node("d", "b", "a")],
      update: [{ id: "a", links: [{ to: "b" }] }],
      delete: ["b"],
    });
    expect(objectsOf(after)).toEqual([node("a"), node("c"), node("d", "a")]);
    expect(sourcesOf(after, "b")).toEqual([]);
    expect(sourcesOf(after, "c")).toEqual([]);
    expect(sourcesOf(after, "a")).toEqual(["d"]);
  });

  it("[D19.2] shares the objects that it does not write", () => {
    const G = productGraph([node("a"), node("b", "a"), node("c")]);
    const after = applyMutation(G, deletes("a"));
    expect(objectOf(after, "c")).toBe(objectOf(G, "c"));
    expect(applyMutation(G, EMPTY_MUTATION)).toBe(G);
  });
});

describe("[D5.3] [D5.4] forms of mutations", () => {
  it("[D5.3] folds, sorts and drops", () => {
    const delta: Mutation = {
      create: [node("b", "x"), node("a"), node("gone")],
      update: [
        { id: "b", payload: { n: 1 } },
        { id: "d", links: [{ to: "x" }, { to: "y" }] },
        { id: "c", payload: {} },
        { id: "c", links: [] },
        { id: "x" },
      ],
      delete: ["x", "w", "x", "gone"],
    };
    expect(normaliseMutation(delta)).toEqual({
      create: [node("a"), { ...node("b"), payload: { n: 1 } }],
      update: [
        { id: "c", payload: {}, links: [] },
        { id: "d", links: [{ to: "y" }] },
      ],
      delete: ["w", "x"],
    });
    expect(normaliseMutation(EMPTY_MUTATION)).toEqual(EMPTY_MUTATION);
  });

  it("[D5.4] [C20-74] equal objects are glued, different contents for one id are a conflict", () => {
    const gluing = mergeMutations([creates(node("a", "b")), creates(node("a", "b"), node("b"))]);
    expect(gluing).toEqual({ kind: "merged", mutation: creates(node("a", "b"), node("b")) });
    expect(
      mergeMutations([
        creates(node("b"), node("a")),
        creates(node("b", "a"), { ...node("a"), payload: { n: 1 } }),
      ]),
    ).toEqual({
      kind: "conflict",
      ids: ["a", "b"],
    });
    const other = (id: string): Mutation => ({ ...EMPTY_MUTATION, update: [{ id, payload: { n: 2 } }] });
    const one = (id: string): Mutation => ({ ...EMPTY_MUTATION, update: [{ id, payload: { n: 1 } }] });
    expect(mergeMutations([creates(node("b")), creates(node("b", "a")), one("a"), other("a")])).toEqual({
      kind: "conflict",
      ids: ["a", "b"],
    });
    expect(mergeMutations([creates(node("a")), creates({ ...node("a"), type: "task" })]).kind).toBe(
      "conflict",
    );
  });

  it("[D5.4] updates of different members of one object are joined, of the same member must agree", () => {
    const payload = (n: number): Mutation => ({ ...EMPTY_MUTATION, update: [{ id: "a", payload: { n } }] });
    expect(mergeMutations([payload(1), links("a", "b")])).toEqual({
      kind: "merged",
      mutation: { ...EMPTY_MUTATION, update: [{ id: "a", payload: { n: 1 }, links: [{ to: "b" }] }] },
    });
    expect(mergeMutations([payload(1), payload(1)]).kind).toBe("merged");
    expect(mergeMutations([payload(1), payload(2)])).toEqual({ kind: "conflict", ids: ["a"] });
    expect(mergeMutations([links("a", "b"), links("a", "c")])).toEqual({ kind: "conflict", ids: ["a"] });
    expect(mergeMutations([payload(1), links("a", "b"), payload(2)])).toEqual({
      kind: "conflict",
      ids: ["a"],
    });
    expect(mergeMutations([links("a"), links("a", "c")])).toEqual({ kind: "conflict", ids: ["a"] });
  });

  it("[D5.4] the union of nothing is nothing, and deletions come once", () => {
    expect(mergeMutations([])).toEqual({ kind: "merged", mutation: EMPTY_MUTATION });
    expect(mergeMutations([deletes("b", "a"), deletes("a")])).toEqual({
      kind: "merged",
      mutation: deletes("a", "b"),
    });
  });
});

describe("[D5.2] touched", () => {
  it("[D5.2] written, deleted, released", () => {
    const G = productGraph([node("a", "b"), node("b", "c"), node("c"), node("d", "e"), node("e")]);
    expect(
      touchedBy(G, { create: [node("n", "b")], update: [{ id: "d", links: [] }], delete: ["b"] }),
    ).toEqual({
      written: ["a", "d", "n"],
      deleted: ["b"],
      released: ["c", "e"],
    });
    expect(touchedBy(G, EMPTY_MUTATION)).toEqual({ written: [], deleted: [], released: [] });
    expect(touchedBy(G, { create: [], update: [{ id: "unknown" }], delete: ["unknown2"] })).toEqual({
      written: [],
      deleted: ["unknown2"],
      released: [],
    });
  });
});
