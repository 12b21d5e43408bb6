import type { Net } from "@tessera/core";
import { arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundsOnWalks } from "../../src/explicit/bounds-on-walks.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, successorsOf } from "../oracle.ts";

const nets = fc.oneof(arbitraryNet(), arbitraryNet({ weightMax: 3 }));

type Bounds = (net: Net) => ArrayLike<number>;

/** The walks in whole numbers: x := 1664525 x + 1013904223 modulo 2^32, of which the upper 24 bits choose where to look first. */
function byHand(net: Net): number[] {
  const most = [...net.initial];
  const count = net.transitions.length;
  let x = 0x2545f491n;
  for (let walk = 0; walk < 16; walk += 1) {
    let M: readonly number[] = net.initial;
    for (let step = 0; step < 1024; step += 1) {
      x = (x * 1_664_525n + 1_013_904_223n) % 2n ** 32n;
      const from = Number(x / 256n) % Math.max(1, count);
      const enabled = successorsOf(net, M);
      const next = [...enabled.filter(({ t }) => t >= from), ...enabled][0];
      if (next === undefined) break;
      M = next.next;
      M.forEach((tokens, place) => {
        most[place] = Math.max(most[place]!, tokens);
      });
    }
  }
  return most;
}

/** Law: the walks are those of the fixed sequence, and no place is met with more tokens than it can have. */
function isOnWalks(implementation: Bounds): void {
  fc.assert(
    fc.property(nets, (net) => {
      const found = [...Array.from(implementation(net))];
      expect(found).toEqual(byHand(net));
      const graph = graphOf(net, net.initial, 300);
      if (graph === null) return;
      const markings = [...graph.keys()].map((key) => JSON.parse(key) as number[]);
      found.forEach((tokens, place) => {
        expect(tokens).toBeLessThanOrEqual(Math.max(...markings.map((M) => M[place]!)));
      });
    }),
    { numRuns: 40 },
  );
}

describe("bounds on walks", () => {
  it("[D8.1] are the most tokens along the fixed walks (oracle: the walks in whole numbers, markings by hand)", () => {
    isOnWalks(boundsOnWalks);
    expect(() => isOnWalks((net) => boundsOnWalks(net).map((tokens) => tokens + 1))).toThrow();
    expect(() => isOnWalks((net) => net.initial)).toThrow();
  });

  it("[D8.1] sixteen walks of 1,024 steps, each from the start", () => {
    const found = (text: string, initial?: Record<string, number>) => [
      ...boundsOnWalks(parse(text, initial === undefined ? {} : { initial })),
    ];
    // What is added is never taken: were it one walk, there would be more.
    expect(found("t: i -> i + a")).toEqual([1, 1024, 0]);
    expect(found("t: i -> 5a; u: 2a -> b")).toEqual([1, 5, 2, 0]);
    // Both ways are met, and so is the marking before a firing that takes away.
    expect(found("l: i -> 5a; r: i -> 7b")).toEqual([1, 5, 7, 0]);
    expect(found("t: i -> o", { i: 3 })).toEqual([3, 3]);
    expect(found("t: a -> o", { i: 2 })).toEqual([0, 0, 2]);
    const still = parse("t: i -> o");
    expect([...boundsOnWalks({ ...still, transitions: [] })]).toEqual([1, 0]);
  });
});
