/** @module The checkers of invariants, and of what changes, on nets small enough to be judged by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  checkChanges,
  checkDrift,
  checkEnables,
  checkFiringInvariant,
  checkGain,
  checkPlaceInvariant,
  checkStablePlace,
  type StablePlace,
} from "../../src/certificate/structure.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

describe("invariants", () => {
  const doubling = net("t: a -> 2b; u: 2b -> a", { initial: { a: 1 }, ends: [] });

  it("[T24.8] positive weights whose sum nothing changes", () => {
    const kept = (...weights: readonly number[]) => said(checkPlaceInvariant(doubling, weights));
    expect(kept(2, 1)).toBe("valid");
    expect(kept(1, 1)).toBe("a sum changes");
    expect(kept(3, 1)).toBe("a sum changes");
    expect(kept(2)).toBe("not positive");
    expect(kept(2, 1, 1)).toBe("not positive");
    expect(kept(0, 0)).toBe("not positive");
    const beside = net("t: a -> 2b; u: 2b -> a", { initial: {}, ends: ["k"] });
    expect(said(checkPlaceInvariant(beside, [2, 1, 0]))).toBe("not positive");
    expect(said(checkPlaceInvariant(beside, [2, 1, 1]))).toBe("valid");
    expect(said(checkPlaceInvariant(net("t: a -> b; u: b -> 2a", { initial: {}, ends: [] }), [1, 1]))).toBe(
      "a sum changes",
    );
  });

  it("[T24.8] positive firings that change nothing", () => {
    const kept = (...firings: readonly number[]) =>
      said(checkFiringInvariant(net("t: a -> b; u: 2b -> 2a", { initial: {}, ends: [] }), firings));
    expect(kept(2, 1)).toBe("valid");
    expect(kept(1, 1)).toBe("a place changes");
    expect(kept(3, 1)).toBe("a place changes");
    expect(kept(2)).toBe("not positive");
    expect(kept(2, 1, 1)).toBe("not positive");
    expect(kept(0, 0)).toBe("not positive");
    const looped = net("t: a -> b; u: 2b -> 2a; v: c -> c", { initial: {}, ends: [] });
    expect(said(checkFiringInvariant(looped, [2, 1, 0]))).toBe("not positive");
    expect(said(checkFiringInvariant(looped, [2, 1, 1]))).toBe("valid");
    expect(said(checkFiringInvariant(net("t: a -> a + b", { initial: {}, ends: [] }), [1]))).toBe(
      "a place changes",
    );
  });

  it("[T24.8] firings that gain, backwards too where they need not be real", () => {
    const growing = net("t: a -> 2b; u: b -> a", { initial: {}, ends: [] });
    const gain = (n: Net, isReal: boolean, ...firings: readonly number[]) =>
      said(checkGain(n, firings, isReal));
    for (const isReal of [true, false]) {
      expect(gain(growing, isReal, 1, 1)).toBe("valid");
      expect(gain(growing, isReal, 1, 2)).toBe("valid");
      expect(gain(growing, isReal, 1, 3)).toBe("the firings leave nothing over");
      expect(gain(growing, isReal, 1, 0)).toBe("the firings leave nothing over");
      expect(gain(growing, isReal, 0, 0)).toBe("the firings leave nothing over");
      expect(gain(growing, isReal, 1)).toBe("not one number for each transition");
      expect(gain(growing, isReal, 1, 1, 0)).toBe("not one number for each transition");
    }
    const back = net("t: 2b -> a; u: b -> a", { initial: {}, ends: [] });
    expect(gain(back, false, -1, 1)).toBe("valid");
    expect(gain(back, true, -1, 1)).toBe("firings below zero");
    expect(gain(back, false, 1, -1)).toBe("the firings leave nothing over");
  });

  it("[T24.8] a weighted sum that only rises", () => {
    const drift = (...weights: readonly number[]) =>
      said(checkDrift(net("t: a -> 2b; u: b -> c", { initial: {}, ends: [] }), weights));
    expect(drift(1, 1, 1)).toBe("valid");
    expect(drift(2, 1, 2)).toBe("valid");
    expect(drift(2, 1, 1)).toBe("no weighted sum that only rises");
    expect(drift(1, 1, 0)).toBe("no weighted sum that only rises");
    expect(drift(3, 1, 2)).toBe("no weighted sum that only rises");
    expect(drift(-2, -1, 0)).toBe("valid");
    expect(drift(1, 1)).toBe("not one weight for each place");
    expect(drift(1, 1, 1, 1)).toBe("not one weight for each place");
  });
});

describe("places that never change", () => {
  // Places i, k, a; k keeps its token.
  const kept = net("t: i + k -> a + k", { initial: { i: 1, k: 1 }, ends: [] });
  const end = { kind: "farkas", constraints: [0], factors: [1], places: [1] } as const;
  const either = { kind: "either", clause: 0 } as const;
  const equation = {
    kind: "state-equation",
    proofs: [[either, { ...end, weights: [-1] }, { ...end, weights: [1] }]],
  } as const;
  const stable = (at: number, by: StablePlace["by"], statesMax = 9) =>
    said(checkStablePlace(kept, { kind: "stable-place", place: at, by }, statesMax));
  const set = { kind: "closed-set", size: 2, markings: null } as const;

  it("[T24.8] neither more nor fewer tokens, by the equation or by the markings", () => {
    expect(stable(1, equation)).toBe("valid");
    expect(stable(1, { ...equation, proofs: [equation.proofs[0]!.slice(0, 2)] })).toBe("1 cases are left");
    expect(stable(0, equation)).not.toBe("valid");
    const swapped = [either, { ...end, weights: [1] }, { ...end, weights: [-1] }] as const;
    expect(stable(1, { ...equation, proofs: [swapped] })).toMatch(/step 1/);
    expect(stable(1, set)).toBe("valid");
    expect(stable(0, set)).toBe("the place changes");
    expect(stable(2, set)).toBe("the place changes");
    expect(stable(1, { ...set, size: 3 })).toBe("2 markings, not 3");
    expect(stable(1, set, 1)).toBe("closed set of 2 markings");
    expect(stable(3, set)).toBe("no such place");
    expect(stable(3, equation)).toBe("no such place");
    expect(
      said(
        checkStablePlace(
          { ...kept, initial: [0, 1, 0] },
          { kind: "stable-place", place: 0, by: { ...set, size: 1 } },
          9,
        ),
      ),
    ).toBe("valid");
  });

  it("[D22.2] firings on the way of which each transition is enabled", () => {
    const enables = (n: Net, ...sequences: readonly (readonly number[])[]) =>
      said(checkEnables(n, sequences));
    const short = net("t: i -> a; u: a -> o");
    expect(enables(short, [0])).toBe("valid");
    expect(enables(short)).not.toBe("valid");
    expect(enables(short, [])).not.toBe("valid");
    expect(enables(short, [1])).toBe("sequence 0 is not enabled");
    expect(enables(short, [0], [0, 0])).toBe("sequence 1 is not enabled");
    const two = net("t: i -> a; v: a + i -> o; w: 2a -> o");
    expect(enables(two, [0])).not.toBe("valid");
    expect(enables({ ...two, initial: [2, 0, 0] }, [0])).not.toBe("valid");
    expect(enables({ ...two, initial: [2, 0, 0] }, [0, 0])).toBe("valid");
    // In two sequences, each from the start.
    const choice = net("t: i -> a; u: i -> b; v: a -> o; w: b -> o; x: -> o");
    expect(enables(choice, [0])).not.toBe("valid");
    expect(enables(choice, [0], [1])).toBe("valid");
  });

  it("[T24.8] firings after which each place was different once", () => {
    const line = net("t: i -> a; u: a -> o");
    const changes = (n: Net, ...sequences: readonly (readonly number[])[]) =>
      said(checkChanges(n, sequences));
    expect(changes(line, [0, 1])).toBe("valid");
    expect(changes(line, [0], [0, 1])).toBe("valid");
    expect(changes(line, [0])).toBe("a place does not change");
    expect(changes(line)).toBe("a place does not change");
    expect(changes(line, [1])).toBe("sequence 0 is not enabled");
    expect(changes(line, [0, 1], [1])).toBe("sequence 1 is not enabled");
    expect(changes(net("t: i -> a; u: a -> i", { ends: [] }), [0, 1])).toBe("valid");
    // The second starts anew, and together they change all.
    expect(changes(net("t: i -> a; u: i -> o"), [0], [1])).toBe("valid");
    expect(changes(kept, [0])).toBe("a place does not change");
  });
});
