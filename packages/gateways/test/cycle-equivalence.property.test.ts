import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cycleClasses, type UndirectedGraph } from "../src/cycle-equivalence.ts";

type Classify = (graph: UndirectedGraph, root: number) => { readonly classOf: Int32Array };

const graphs: fc.Arbitrary<UndirectedGraph> = fc
  .tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 14 }),
    // A path through all vertices, so that most of the graph hangs together.
    fc.boolean(),
  )
  .map(([vertexCount, drawn, isJoined]) => {
    const path = Array.from({ length: isJoined ? vertexCount - 1 : 0 }, (_, i): [number, number] => [
      i,
      i + 1,
    ]);
    const pairs = [...path, ...drawn.map(([a, b]) => [a % vertexCount, b % vertexCount] as const)];
    const ends = pairs.filter(([a, b]) => a !== b);
    return { vertexCount, from: ends.map(([a]) => a), to: ends.map(([, b]) => b) };
  });

/** Is there still a way from one end of the edge to the other without it and without `other`? */
function onCycleWithout({ from, to }: UndirectedGraph, edge: number, other: number): boolean {
  const seen = new Set([from[edge]!]);
  for (const vertex of seen) {
    from.forEach((a, index) => {
      const b = to[index]!;
      if (index === edge || index === other) return;
      if (a === vertex) seen.add(b);
      if (b === vertex) seen.add(a);
    });
  }
  return seen.has(to[edge]!);
}

/** Law: two edges are in one class iff neither is on a cycle without the other. Oracle: the edges taken away. */
function classLaw(classify: Classify, endOnFailure = false) {
  const seen = { same: 0, apart: 0, bridges: 0 };
  fc.assert(
    fc.property(graphs, (graph) => {
      const { classOf } = classify(graph, 0);
      const reached = new Set([0]);
      for (const vertex of reached)
        graph.from.forEach((a, index) => {
          if (a === vertex) reached.add(graph.to[index]!);
          if (graph.to[index] === vertex) reached.add(a);
        });
      graph.from.forEach((a, edge) => {
        const isBridge = !reached.has(a) || !onCycleWithout(graph, edge, edge);
        expect(classOf[edge] === -1).toBe(isBridge);
        if (isBridge) seen.bridges += 1;
        for (let other = 0; other < edge; other += 1) {
          if (isBridge || classOf[other] === -1) continue;
          const isSame = !onCycleWithout(graph, edge, other) && !onCycleWithout(graph, other, edge);
          expect(classOf[edge] === classOf[other]).toBe(isSame);
          seen[isSame ? "same" : "apart"] += 1;
        }
      });
    }),
    { numRuns: 3000, endOnFailure },
  );
  return seen;
}

describe("[D6.10] edges on the same cycles", () => {
  it("[D6.10] are in one class, others are not, and an edge on no cycle is in none", () => {
    const seen = classLaw(cycleClasses);
    expect(Math.min(seen.same, seen.apart, seen.bridges)).toBeGreaterThan(1000);
  });

  it("[D6.10] the law catches classes by the number of brackets alone, one class for all, and one for each", () => {
    const mapped =
      (change: (old: number, edge: number) => number): Classify =>
      (graph, root) => ({ classOf: cycleClasses(graph, root).classOf.map(change) });
    const broken = [
      mapped((old) => Math.min(old, 0)),
      mapped((old, edge) => (old < 0 ? old : edge)),
      mapped((old) => (old < 0 ? old : old >> 1)),
    ];
    for (const classify of broken) expect(() => classLaw(classify, true)).toThrow();
  });

  it("[D6.10] a path of a hundred thousand vertices closed to a ring is one class", () => {
    const count = 100_000;
    const from = Array.from({ length: count }, (_, i) => i);
    const { classOf } = cycleClasses({ vertexCount: count, from, to: from.map((i) => (i + 1) % count) }, 0);
    expect(new Set(classOf).size).toBe(1);
    expect(classOf[0]).not.toBe(-1);
  });
});
