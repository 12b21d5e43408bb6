import {
  type ConstraintScope,
  EMPTY_MUTATION,
  type Mutation,
  type ProductObject,
  productGraph,
} from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  EVERYTHING,
  mutationFootprint,
  overlaps,
  type Region,
  regionsMeet,
  regionsOfData,
} from "../src/index.ts";

const object = (id: string, type: string, ...links: readonly string[]): ProductObject => ({
  id,
  type,
  payload: {},
  links: links.map((to) => ({ to })),
});
const G = productGraph([object("a", "A", "b"), object("b", "B"), object("c", "C", "a")]);
const created: Mutation = { ...EMPTY_MUTATION, create: [object("n", "N", "c")] };
const deleted: Mutation = { ...EMPTY_MUTATION, delete: ["b"] };
const linked: Mutation = { ...EMPTY_MUTATION, update: [{ id: "c", links: [{ to: "b" }] }] };
const filled: Mutation = { ...EMPTY_MUTATION, update: [{ id: "a", payload: { x: 1 } }] };
const on = (id: string): Region => ({ kind: "object", id });
const under = (delta: Mutation, scope: ConstraintScope) =>
  mutationFootprint(G, delta, [{ name: "c", scope } as never]);

describe("[D16.6] the footprint of a mutation under each scope of a constraint", () => {
  it("[D16.6] objects that it writes, the sources of links into what it deletes, what its links lead to", () => {
    expect(mutationFootprint(G, created, [])).toEqual({ reads: [on("c")], writes: [on("n")] });
    expect(mutationFootprint(G, deleted, [])).toEqual({ reads: [], writes: [on("a"), on("b")] });
    expect(mutationFootprint(G, linked, [])).toEqual({ reads: [on("b")], writes: [on("c")] });
    expect(mutationFootprint(G, filled, [])).toEqual({ reads: [], writes: [on("a")] });
  });

  it("[D16.6] an object's own scope adds nothing; one along links reads what is linked in G", () => {
    expect(under(filled, { kind: "object" })).toEqual({ reads: [], writes: [on("a")] });
    expect(under(filled, { kind: "links" })).toEqual({ reads: [on("b")], writes: [on("a")] });
    expect(under(linked, { kind: "links" })).toEqual({ reads: [on("a"), on("b")], writes: [on("c")] });
    expect(under(created, { kind: "links" })).toEqual({ reads: [on("c")], writes: [on("n")] });
  });

  it("[D16.6] a relation is touched by what creates, deletes or links, named or not", () => {
    const every: ConstraintScope = { kind: "relation" };
    const one: ConstraintScope = { kind: "relation", rel: "part" };
    for (const delta of [created, deleted, linked]) {
      const { writes } = mutationFootprint(G, delta, []);
      expect(under(delta, every).writes).toEqual([...writes, { kind: "relation" }]);
      expect(under(delta, one).writes).toEqual([...writes, { kind: "relation", rel: "part" }]);
    }
    expect(under(filled, every).writes).toEqual([on("a")]);
    const both = { ...created, delete: ["b"] };
    expect(under(both, one).writes).toEqual([on("a"), on("b"), on("n"), { kind: "relation", rel: "part" }]);
  });

  it("[D16.6] types are touched by an object of one of them, made or there, and then all of them", () => {
    const types: ConstraintScope = { kind: "types", types: ["N", "B"] };
    const all = [
      { kind: "type", type: "N" },
      { kind: "type", type: "B" },
    ];
    expect(under(created, types).writes).toEqual([on("n"), ...all]);
    expect(under(deleted, types).writes).toEqual([on("a"), on("b"), ...all]);
    expect(under(linked, types).writes).toEqual([on("c")]);
    expect(under(filled, { kind: "types", types: ["A"] }).writes).toEqual([
      on("a"),
      { kind: "type", type: "A" },
    ]);
    const unknown: Mutation = { ...EMPTY_MUTATION, update: [{ id: "z", payload: {} }] };
    expect(under(unknown, types).writes).toEqual([on("z")]);
  });

  it("[D16.6] all of G by whatever writes, and by nothing that does not", () => {
    expect(under(filled, { kind: "graph" }).writes).toEqual([on("a"), { kind: "graph" }]);
    expect(under(EMPTY_MUTATION, { kind: "graph" })).toEqual({ reads: [], writes: [] });
    expect(under(EMPTY_MUTATION, { kind: "relation" })).toEqual({ reads: [], writes: [] });
  });
});

describe("[D16.5] where regions meet", () => {
  it("[D16.4] everything is all of D and all of G, both ways", () => {
    const all = [{ kind: "data" }, { kind: "graph" }];
    expect(EVERYTHING).toEqual({ reads: all, writes: all });
    expect(regionsOfData(["a", "b"])).toEqual([
      { kind: "key", key: "a" },
      { kind: "key", key: "b" },
    ]);
  });

  it("[D16.5] each kind of region with each other, either way round", () => {
    const data: readonly Region[] = [{ kind: "key", key: "a" }, { kind: "key", key: "b" }, { kind: "data" }];
    const graph: readonly Region[] = [
      on("x/{k}"),
      on("y"),
      { kind: "type", type: "A" },
      { kind: "type", type: "B" },
      { kind: "relation", rel: "r" },
      { kind: "relation", rel: "s" },
      { kind: "relation" },
      { kind: "graph" },
    ];
    const matrix = (list: readonly Region[], others: readonly Region[]) =>
      list.map((left) => others.map((right) => (regionsMeet(left, right) ? "+" : ".")).join(""));
    expect(matrix(data, data)).toEqual(["+.+", ".++", "+++"]);
    expect(matrix(graph, graph)).toEqual([
      "+.++...+",
      ".+++...+",
      "+++....+",
      "++.+...+",
      "....+.++",
      ".....+++",
      "....++++",
      "++++++++",
    ]);
    expect(matrix(data, graph)).toEqual(["........", "........", "........"]);
    expect(matrix(graph, data)).toEqual(graph.map(() => "..."));
  });

  it("[D16.5] what one writes and the other reads or writes, writes first; reading alone is nothing", () => {
    const [a, b] = regionsOfData(["a", "b"]) as [Region, Region];
    expect(overlaps({ reads: [b], writes: [a] }, { reads: [a], writes: [a, b] })).toEqual([
      { left: a, right: a },
      { left: a, right: a },
      { left: b, right: b },
    ]);
    expect(overlaps({ reads: [a], writes: [] }, { reads: [a], writes: [] })).toEqual([]);
  });
});
