/** Graphs of markings against a search that is written down anew, and against backward coverability. */

import type { Net } from "@tessera/core";
import { arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCoverable } from "../src/coverability.ts";
import { coverabilityGraph, type MarkingGraph, pathThrough, reachabilityGraph } from "../src/index.ts";
import { net as parse } from "./net-text.ts";
import { graphOf, successorsOf } from "./oracle.ts";

const NODES_MAX = 300;

/** The graph as a set of lines, with markings in place of indices. */
const linesOf = ({ nodes, edges }: MarkingGraph): readonly string[] =>
  edges
    .map(
      ({ from, transition, to }) =>
        `${JSON.stringify(nodes[from])} ${transition} ${JSON.stringify(nodes[to])}`,
    )
    .sort();

/** Law: the graph of a net with few markings has all of them, and every firing. */
function isTheWholeGraph(make: (net: Net) => MarkingGraph, net: Net): boolean {
  const truth = graphOf(net, net.initial, NODES_MAX);
  if (truth === null) return false;
  const found = make(net);
  expect(found.isComplete).toBe(true);
  expect(found.nodes.map((marking) => JSON.stringify(marking)).sort()).toEqual([...truth.keys()].sort());
  const lines = [...truth].flatMap(([from, edges]) => edges.map(({ t, next }) => `${from} ${t} ${next}`));
  expect(linesOf(found)).toEqual(lines.sort());
  return true;
}

const reach = (net: Net): MarkingGraph => reachabilityGraph(net, NODES_MAX);
const cover = (net: Net): MarkingGraph => coverabilityGraph(net, NODES_MAX);

/** Law: every run goes through the graph, and what it reaches is below the node where it is. */
function followsEveryRun(make: (net: Net) => MarkingGraph, net: Net, depth: number): void {
  const graph = make(net);
  if (!graph.isComplete) return;
  const next = new Map(graph.edges.map(({ from, transition, to }) => [`${from} ${transition}`, to]));
  let level: readonly { readonly at: number; readonly M: readonly number[] }[] = [{ at: 0, M: net.initial }];
  for (let step = 0; step < depth; step += 1) {
    level = level
      .flatMap(({ at, M }) =>
        successorsOf(net, M).map(({ t, next: after }) => {
          const to = next.get(`${at} ${t}`);
          expect(to).toBeDefined();
          expect(after.every((tokens, place) => tokens <= graph.nodes[to!]![place]!)).toBe(true);
          return { at: to!, M: after };
        }),
      )
      .slice(0, 60);
  }
}

/** Law: whatever is said to be without bound can be covered, with 5 tokens, backwards from there. */
function approachesEveryNode(make: (net: Net) => MarkingGraph, net: Net): number {
  const unbounded = make(net).nodes.filter((limit) => limit.includes(Number.POSITIVE_INFINITY));
  for (const limit of unbounded.slice(0, 10))
    expect(
      isCoverable(
        net,
        limit.map((tokens) => Math.min(tokens, 5)),
        20_000,
      ),
    ).not.toBe(false);
  return unbounded.length;
}

describe("graphs of markings", () => {
  it.each(["plain", "weighted", "reset", "non-local"] as const)(
    "[D22.11] the reachability graph is that of a search by hand, of %s nets",
    (kind) => {
      let count = 0;
      fc.assert(
        fc.property(arbitraryNetOfClass(kind), (net) => {
          if (isTheWholeGraph(reach, net)) count += 1;
        }),
        { numRuns: 200 },
      );
      expect(count).toBeGreaterThan(50);
    },
  );

  it.each(["plain", "weighted"] as const)(
    "[D22.12] the coverability graph of bounded %s nets is their reachability graph; of others every run goes through it",
    (kind) => {
      let [bounded, unbounded] = [0, 0];
      fc.assert(
        fc.property(arbitraryNetOfClass(kind), (net) => {
          if (isTheWholeGraph(cover, net)) bounded += 1;
          followsEveryRun(cover, net, 8);
          unbounded += approachesEveryNode(cover, net);
        }),
        { numRuns: 200 },
      );
      expect(Math.min(bounded, unbounded)).toBeGreaterThan(50);
    },
  );

  it("[D22.12] the laws refuse graphs that stop growing, or grow without reason", () => {
    const all = (law: (net: Net) => unknown) => () =>
      fc.assert(
        fc.property(arbitraryNetOfClass("plain"), (net) => void law(net)),
        { numRuns: 300 },
      );
    const timid = (net: Net): MarkingGraph => ({ ...reachabilityGraph(net, 3), isComplete: true });
    const rash = (net: Net): MarkingGraph => {
      const graph = reach(net);
      const grown = (limit: readonly number[]) =>
        limit.map((tokens) => (tokens > 0 ? Number.POSITIVE_INFINITY : 0));
      return { ...graph, nodes: graph.nodes.map(grown) };
    };
    expect(all((net) => followsEveryRun(timid, net, 8))).toThrow();
    expect(all((net) => isTheWholeGraph(timid, net))).toThrow();
    expect(all((net) => approachesEveryNode(rash, net))).toThrow();
  });

  it("[D22.12] of a net that grows, by hand", () => {
    const grows = parse("t: i -> i + a; u: i -> o");
    const omega = Number.POSITIVE_INFINITY;
    const graph = coverabilityGraph(grows, 10);
    const named = graph.nodes.map((limit) =>
      Object.fromEntries(grows.places.map(({ id }, at) => [id, limit[at]])),
    );
    expect(named).toEqual([
      { i: 1, a: 0, o: 0 },
      { i: 1, a: omega, o: 0 },
      { i: 0, a: 0, o: 1 },
      { i: 0, a: omega, o: 1 },
    ]);
    expect(graph.edges.map(({ from, transition, to }) => [from, transition, to])).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [1, 0, 1],
      [1, 1, 3],
    ]);
    expect(pathThrough(graph, [0, 0, 1])).toEqual([0, 1, 1, 3]);
    expect(pathThrough(graph, [1, 0])).toBeNull();
    expect(reachabilityGraph(grows, 10)).toMatchObject({ isComplete: false, nodes: { length: 10 } });
    expect(() => coverabilityGraph(parse("t: i -> o reset a; u: i -> a"), 10)).toThrow(/D22.12/);
  });
});
