import type { Net } from "@tessera/core";
import { arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Coverability, coverability, isCoverable, UNBOUNDED } from "../src/coverability.ts";
import { net as parse } from "./net-text.ts";
import { graphOf, successorsOf } from "./oracle.ts";

const nets = fc.oneof(
  arbitraryNet({ placesMax: 4, transitionsMax: 4 }),
  arbitraryNet({ placesMax: 3, transitionsMax: 4, weightMax: 2 }),
);

/** All markings reachable in at most `steps` firings, by hand. */
function near(net: Net, steps: number): number[][] {
  const seen = new Map([[JSON.stringify(net.initial), 0]]);
  for (const [key, depth] of seen) {
    if (depth === steps || seen.size > 400) break;
    for (const { next } of successorsOf(net, JSON.parse(key) as number[]))
      if (!seen.has(JSON.stringify(next))) seen.set(JSON.stringify(next), depth + 1);
  }
  return [...seen.keys()].map((key) => JSON.parse(key) as number[]);
}

type Cover = (net: Net) => Coverability | null;
const cover: Cover = (net) => coverability(net, 3000);

/** Law: the set covers what is reachable; of a bounded net it is the maximal markings, and names the dead transitions. */
function coversExactly(implementation: Cover): { bounded: number; unbounded: number } {
  const counts = { bounded: 0, unbounded: 0 };
  fc.assert(
    fc.property(nets, (net) => {
      const found = implementation(net);
      if (found === null) return;
      const graph = graphOf(net, net.initial, 300);
      const reached =
        graph === null ? near(net, 12) : [...graph.keys()].map((key) => JSON.parse(key) as number[]);
      for (const M of reached)
        expect(found.limits.some((limit) => M.every((tokens, p) => tokens <= limit[p]!))).toBe(true);
      const isBounded = found.limits.every((limit) => !limit.includes(UNBOUNDED));
      counts[isBounded ? "bounded" : "unbounded"] += 1;
      if (graph === null) return;
      expect(isBounded).toBe(true);
      for (const limit of found.limits) expect(graph.has(JSON.stringify(limit))).toBe(true);
      const fired = new Set([...graph.values()].flat().map(({ t }) => t));
      expect(found.dead).toEqual(net.transitions.flatMap((_, t) => (fired.has(t) ? [] : [t])));
    }),
    { numRuns: 400 },
  );
  return counts;
}

const resets = fc.tuple(
  fc.oneof(arbitraryNet({ placesMax: 3, transitionsMax: 4, weightMax: 2, hasResets: true }), nets),
  fc.array(fc.nat({ max: 2 }), { minLength: 4, maxLength: 4 }),
);

type Asks = (net: Net, target: readonly number[]) => boolean | null;

/** Law: backwards and forwards agree on what can be covered. */
function backwardsAgrees(implementation: Asks): void {
  fc.assert(
    fc.property(resets, ([net, wanted]) => {
      const target = net.places.map((_, p) => wanted[p]!);
      const found = implementation(net, target);
      const graph = graphOf(net, net.initial, 300);
      const covers = (M: readonly number[]) => target.every((tokens, p) => M[p]! >= tokens);
      if (graph !== null)
        expect(found).toBe([...graph.keys()].some((key) => covers(JSON.parse(key) as number[])));
      else if (near(net, 8).some(covers)) expect(found).toBe(true);
    }),
    { numRuns: 500 },
  );
}

describe("coverability", () => {
  it("[D22.7] covers what is reachable, and nothing else where the net is bounded", () => {
    const counts = coversExactly(cover);
    expect(counts.bounded).toBeGreaterThan(100);
    expect(counts.unbounded).toBeGreaterThan(20);
  });

  it("[D22.7] the law refuses sets that miss a marking or take all for unbounded", () => {
    expect(() => coversExactly((net) => ({ limits: [net.initial], dead: [] }))).toThrow();
    expect(() => coversExactly((net) => ({ limits: [net.places.map(() => UNBOUNDED)], dead: [] }))).toThrow();
  });

  it("[D22.7] names the places that grow; other classes and limits are refused", () => {
    expect(coverability(parse("t: i -> i + a; u: a -> b; v: c -> b"), 100)).toEqual({
      limits: [[1, UNBOUNDED, UNBOUNDED, 0, 0]],
      dead: [2],
    });
    expect(coverability(parse("t: i -> a; u: a -> o"), 2)).toBeNull();
    expect(coverability(parse("t: i -> a; u: a -> o"), 3)?.limits.length).toBe(3);
    expect(() => coverability(parse("t: i -> a reset b; u: b -> a"), 10)).toThrow(/D22.7/);
  });

  it("[D22.8] backwards agrees with forwards, with resets and weights", () => {
    backwardsAgrees((net, target) => isCoverable(net, target, 2000));
  });

  it("[D22.8] the law refuses an answer that forgets resets", () => {
    expect(() =>
      backwardsAgrees((net, target) =>
        isCoverable({ ...net, transitions: net.transitions.map((t) => ({ ...t, reset: [] })) }, target, 2000),
      ),
    ).toThrow();
  });

  it("[D22.8] the third trap: a marking that covers an ancestor is no pump where the place is reset", () => {
    const trap = parse("t1: i -> p; t2: p -> p + q reset q; t3: p -> o reset q");
    expect(isCoverable(trap, [0, 1, 1, 0], 100)).toBe(true);
    expect(isCoverable(trap, [0, 1, 2, 0], 100)).toBe(false);
    expect(isCoverable(parse("t: i -> i + a; u: 3a -> o"), [0, 0, 1], 1)).toBeNull();
    expect(() => isCoverable(parse("t: i any a -> o; u: i -> a"), [0, 0, 1], 10)).toThrow(/D22.8/);
  });
});
