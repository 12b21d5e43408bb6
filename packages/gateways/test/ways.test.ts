import { describe, expect, it } from "vitest";
import {
  type CoMarking,
  coMarking,
  conflictBetween,
  isInstance,
  parallelConflicts,
  templatesMeet,
  waysOf,
} from "../src/index.ts";
import { arcs, compiledOf, node, workflow } from "./workflow-text.ts";

const COMPILED = compiledOf(
  workflow(
    [
      node("p", "gateway", { split: "all" }),
      node("a", "tool", {
        meta: { port: "x" },
        reads: ["k"],
        writes: ["l"],
        graph: { reads: {}, writes: {} },
      }),
      node("s", "subprocess", { meta: { entry: "i" } }),
      node("i", "tool", {
        scope: "s",
        meta: { port: "x" },
        reads: [],
        writes: ["k"],
        graph: { reads: {}, writes: {} },
      }),
      node("se", "end", { scope: "s" }),
      node("j", "transform", {
        join: "all",
        meta: { function: "f" },
        reads: ["l"],
        writes: ["m"],
        graph: { reads: {}, writes: {} },
      }),
      node("e", "end"),
      node("x", "end", { scope: "s", meta: { terminate: true } }),
      node("y", "end", { meta: { terminate: true } }),
    ],
    arcs("p -> a, p -> s, i -> se, a -> j, s -> j, j -> e, i:error -> x, a:error -> y, j:error -> y"),
  ),
);
const { net, definition } = COMPILED;
const nameOf = (place: number) => net.places[place]?.id;
const named = (ways: readonly (readonly number[])[]) => ways.map((way) => way.map(nameOf).join(" + "));

describe("[D16.8] the ways in which nodes are under way", () => {
  it("[D16.8] an input each, or all inputs of an AND join together, and the place at rest", () => {
    const ways = waysOf(COMPILED).map(
      (own, index) => `${definition.nodes[index]?.id}: ${named(own).join(", ")}`,
    );
    expect(ways).toEqual([
      "p: source",
      "a: p->a, a.active",
      "s: p->s",
      "i: s.source, i.active",
      "se: i->se",
      "j: a->j + s->j",
      "e: j->e",
      "x: i:error->x",
      "y: a:error->y, j:error->y",
    ]);
  });

  it("[D16.8] two nodes are in conflict in the ways whose places can all be marked together", () => {
    const conflicts = (relation: CoMarking) =>
      parallelConflicts(COMPILED, relation).map((conflict) => ({ ...conflict, ways: named(conflict.ways) }));
    const key = { kind: "key", key: "k" };
    expect(conflicts(coMarking(net))).toEqual([
      {
        nodes: ["a", "i"],
        ways: ["p->a + s.source", "p->a + i.active", "a.active + s.source", "a.active + i.active"],
        overlaps: [{ left: key, right: key }],
      },
    ]);
    const never: CoMarking = { method: "fixed point", isMarkable: () => true, areCoMarked: () => false };
    expect(conflicts(never)).toEqual([]);
    const rests = ["a.active", "i.active"];
    const resting: CoMarking = {
      ...never,
      areCoMarked: (p, q) => p !== q && [p, q].every((place) => rests.includes(nameOf(place) ?? "")),
    };
    expect(conflicts(resting).map(({ ways }) => ways)).toEqual([["a.active + i.active"]]);
  });

  it("[D16.8] what is found for a pair is what is found for it among all", () => {
    const anywhere: CoMarking = { method: "fixed point", isMarkable: () => true, areCoMarked: () => true };
    for (const relation of [anywhere, coMarking(net)]) {
      const all = parallelConflicts(COMPILED, relation);
      expect(all.length).toBeGreaterThan(0);
      const pairs = definition.nodes.flatMap((_, right) =>
        definition.nodes.slice(0, right + 1).map((_, left) => [left, right] as const),
      );
      const found = pairs.flatMap((pair) => conflictBetween(COMPILED, pair, relation) ?? []);
      const inOrder = found.sort(
        (a, b) =>
          all.findIndex(({ nodes }) => nodes.join() === a.nodes.join()) -
          all.findIndex(({ nodes }) => nodes.join() === b.nodes.join()),
      );
      expect(inOrder).toEqual(all);
    }
  });

  it("[D16.8] a node meets itself where two tokens of it can be there", () => {
    const twice: CoMarking = {
      method: "fixed point",
      isMarkable: () => true,
      areCoMarked: (p, q) => p === q && nameOf(p) === "a.active",
    };
    expect(parallelConflicts(COMPILED, twice).map(({ nodes, ways }) => [...nodes, ...named(ways)])).toEqual([
      ["a", "a", "a.active + a.active"],
    ]);
  });
});

describe("[D16.3] templates of ids", () => {
  it("[D16.3] an instance begins, goes on in order and ends as the template does", () => {
    for (const id of ["", "a", "ab", "b"]) expect(isInstance("ab", id), id).toBe(id === "ab");
    expect(isInstance("a{x}b", "ab")).toBe(true);
    expect(isInstance("a{x}a", "a")).toBe(false);
    expect(isInstance("{x}m{y}n{z}", "m-n")).toBe(true);
    expect(isInstance("{x}m{y}n{z}", "n-m")).toBe(false);
    expect(isInstance("{x}m{y}m{z}", "m")).toBe(false);
    expect(isInstance("{x}", "")).toBe(true);
    expect(isInstance("a{", "a{")).toBe(true);
  });

  it("[D16.3] two templates meet where one's beginning continues the other's, and the ends so", () => {
    expect(templatesMeet("a/{x}", "a/b/{y}")).toBe(true);
    expect(templatesMeet("a/b/{x}", "a/{y}")).toBe(true);
    expect(templatesMeet("a/{x}", "b/{y}")).toBe(false);
    expect(templatesMeet("{x}/a", "{y}/b/a")).toBe(true);
    expect(templatesMeet("{x}/b/a", "{y}/a")).toBe(true);
    expect(templatesMeet("{x}/a", "{y}/b")).toBe(false);
    expect(templatesMeet("{x}", "q{y}")).toBe(true);
    expect(templatesMeet("q{x}", "{y}")).toBe(true);
    expect(templatesMeet("a{x}c{y}e", "a{z}e")).toBe(true);
    expect(templatesMeet("a{x}", "ab")).toBe(true);
    expect(templatesMeet("ab", "a{x}c")).toBe(false);
    expect(templatesMeet("ab", "ab")).toBe(true);
    expect(templatesMeet("ab", "ba")).toBe(false);
  });
});
