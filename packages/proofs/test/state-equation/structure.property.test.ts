import type { Net } from "@tessera/core";
import { arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { incidence } from "../../src/linear/incidence.ts";
import { askNet } from "../../src/questions/ask.ts";
import { maximalSiphon, maximalTrap, unmarkableSiphon } from "../../src/state-equation/siphons.ts";
import { placeWeights } from "../../src/state-equation/weights.ts";
import { net as parse } from "../net-text.ts";

const nets = fc.oneof(arbitraryNetOfClass("plain"), arbitraryNetOfClass("weighted"));

describe("siphons and traps", () => {
  const subsets = (count: number): number[][] =>
    Array.from({ length: 2 ** count }, (_, bits) =>
      Array.from({ length: count }, (_, place) => place).filter((place) => (bits >> place) % 2 === 1),
    );
  const isClosed = (net: Net, set: readonly number[], isSiphon: boolean) =>
    net.transitions.every(({ pre, post }) => {
      const [first, second] = isSiphon ? [post, pre] : [pre, post];
      return !first.some(([p]) => set.includes(p)) || second.some(([p]) => set.includes(p));
    });

  type Greatest = (net: Net, isIn: (place: number) => boolean) => readonly number[];
  function isGreatest(greatest: Greatest, isSiphon: boolean): void {
    fc.assert(
      fc.property(nets, fc.nat(), (net, bits) => {
        const isIn = (place: number) => (bits >> place) % 2 === 0;
        const all = subsets(net.places.length).filter(
          (set) => set.every(isIn) && isClosed(net, set, isSiphon),
        );
        const union = [...new Set(all.flat())].sort((a, b) => a - b);
        expect(greatest(net, isIn)).toEqual(union);
      }),
      { numRuns: 300 },
    );
  }

  it("[D24.4] the greatest siphon and trap are the union of all, by enumeration", () => {
    isGreatest(maximalSiphon, true);
    isGreatest(maximalTrap, false);
    expect(() => isGreatest(maximalTrap, true)).toThrow();
    expect(() => isGreatest((net) => net.places.map((_, p) => p), true)).toThrow();
  });

  it("[D24.4] what starts empty for ever, and what needs it", () => {
    const net = parse("t: i -> a; u: b -> c; v: c -> b + o");
    const { places, needing } = unmarkableSiphon(net, net.initial);
    expect([places, [...needing]]).toEqual([
      [2, 3, 4],
      [1, 2],
    ]);
  });
});

describe("weights of places", () => {
  const raises = (net: Net, weights: readonly number[]) =>
    net.transitions.map(({ pre, post }) => {
      const weigh = (side: typeof pre) => side.reduce((sum, [p, w]) => sum + w * weights[p]!, 0);
      return weigh(post) - weigh(pre);
    });

  it.each([false, true])("[D24.5] [T24.2] are right, or firings exclude them (exact: %s)", (isExact) => {
    let none = 0;
    fc.assert(
      fc.property(nets, (net) => {
        const found = placeWeights(net, { isExact });
        if (found.kind === "weights") {
          const { weights } = found.certificate;
          expect(weights.every((weight) => Number.isSafeInteger(weight) && weight > 0)).toBe(true);
          const changes = raises(net, weights);
          expect(changes.every((change) => (isExact ? change === 0 : change <= 0))).toBe(true);
          return;
        }
        if (found.kind === "limit") throw new Error(found.kind);
        none += 1;
        const gains = net.places.map(() => 0);
        incidence(net).forEach((column, t) => {
          for (const [place, value] of column) gains[place]! += value * found.firings[t]!;
        });
        if (!isExact) expect(found.firings.every((count) => count >= 0)).toBe(true);
        expect(gains.every((gain) => gain >= 0)).toBe(true);
        expect(gains.some((gain) => gain > 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(none).toBeGreaterThan(50);
  });

  it("[D24.5] fractions become whole numbers, and the work has a limit", () => {
    const net = parse("t: 2i -> 3a; u: 5a -> 2o");
    expect(placeWeights(net, { isExact: true })).toEqual({
      kind: "weights",
      certificate: { kind: "weights", weights: expect.any(Array) },
    });
    expect(placeWeights(net, { isOver: () => true })).toEqual({ kind: "limit" });
    expect(placeWeights(parse("t: i -> i + a"))).toEqual({ kind: "none", firings: [1] });
  });

  it("[D24.8] a question that is broken off has no answer, and semiflows are shown as far as the time goes", () => {
    const net = parse("t: i -> a + b; u: a + b -> i", { ends: [] });
    const kinds = ["structurally-bounded", "conservative", "consistent"] as const;
    for (const kind of kinds) {
      expect(askNet(net, { kind }).kind).toBe("holds");
      expect(askNet(net, { kind }, { signal: { aborted: true } })).toEqual({
        kind: "unknown",
        limit: { kind: "aborted", at: 0 },
      });
    }
  });
});
