/** @module The checker of the rank theorem refuses what is right in part only: one entry, one vector, one input. */
import { describe, expect, it } from "vitest";
import { closedMatrix } from "../../src/certificate/closed-matrix.ts";
import { isAnnihilated } from "../../src/certificate/integer-vectors.ts";
import { checkIllFormed, checkRank } from "../../src/certificate/rank.ts";
import { rankTheorem } from "../../src/rank.ts";
import type { IllFormed, RankCertificate } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

/** Sound, with a kernel of two dimensions: by `v` or by `w`. */
const choice = net("t: i -> a; v: a -> o; w: a -> o");
const GOOD: RankCertificate = {
  kind: "rank",
  weights: [1, 1, 1],
  firings: [2, 1, 1, 2],
  kernel: [
    [1, 1, 0, 1],
    [1, 0, 1, 1],
  ],
  order: [0, 1],
};
/** Sound: both branches come to the join. */
const block = net("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o");
/**
 * Each place of a ring of six is filled by both its neighbours: x(k) = x(k - 1) + x(k + 1), which two numbers determine. One
 * transition is cut for `i` and `o`.
 */
const ring = net(
  "out: p0 -> o; in: i -> p1 + p5; t1: p1 -> p0 + p2; t2: p2 -> p1 + p3; t3: p3 -> p2 + p4; t4: p4 -> p3 + p5; t5: p5 -> p4 + p0",
);
const [AROUND, OTHER] = [
  [1, 1, 1, 0, -1, -1, 0, 1],
  [0, 0, 1, 1, 0, -1, -1, 0],
] as const;

describe("a vector of the kernel", () => {
  it("[D13.12] is whole in each entry, and of no columns there is the empty one", () => {
    expect(isAnnihilated([[0], [0]], [2, 0.5])).toBe(false);
    expect(isAnnihilated([], [])).toBe(true);
  });
});

describe("a rank certificate", () => {
  const check = (more: Partial<RankCertificate>) => said(checkRank(choice, { ...GOOD, ...more }));

  it("[D13.12] has positive firings, each of them", () => {
    expect(check({})).toBe("valid");
    // A T-invariant, but `w` never fires in it.
    expect(check({ firings: [1, 1, 0, 1] })).toBe("firings are not positive");
    expect(check({ firings: [2, 1, 1] })).toBe("firings are not positive");
  });

  it("[D13.12] has a kernel of which each vector is in the kernel, and none depends on the others", () => {
    const [first, second] = GOOD.kernel;
    expect(check({ kernel: [first!, [1, 0, 0, 0]] })).toBe("not in the kernel");
    expect(check({ kernel: [first!, first!.map((x) => 2 * x)] })).toBe("the kernel is dependent");
    expect(check({ kernel: [first!, second!, first!] })).toBe("the kernel has another dimension");
    expect(check({ kernel: [first!] })).toBe("the kernel has another dimension");
  });

  it("[D13.12] has an order in which each transition finds all its inputs emptied, not one of them", () => {
    const certificate: RankCertificate = {
      kind: "rank",
      weights: [2, 1, 1, 1, 1, 2],
      firings: [1, 1, 1, 1, 1],
      kernel: [[1, 1, 1, 1, 1]],
      order: [0, 1, 2, 3],
    };
    expect(said(checkRank(block, certificate))).toBe("valid");
    expect(said(checkRank(block, { ...certificate, order: [0, 1, 3, 2] }))).toBe("the order leaves a siphon");
    expect(said(checkRank(block, { ...certificate, order: [0, 1, 2] }))).toBe("the order leaves a siphon");
  });
});

describe("the short-circuited net", () => {
  it("[D13.12] is free-choice whatever the order of the inputs, and the sink may be the first place", () => {
    const joined = net("t: i -> a + b; v: a + b -> o; w: b + a -> o");
    expect(closedMatrix(joined)).toMatchObject({ clusters: 3, sink: 3 });
    const backwards = (side: readonly (readonly [number, number])[]) =>
      side.map(([place, weight]) => [choice.places.length - 1 - place, weight] as const);
    const turned = {
      ...choice,
      places: choice.places.toReversed(),
      initial: choice.initial.toReversed(),
      transitions: choice.transitions.map((t) => ({ ...t, pre: backwards(t.pre), post: backwards(t.post) })),
      finals: { kind: "ends", ends: [0] },
    } as const;
    expect(closedMatrix(turned)).toMatchObject({ clusters: 3, sink: 0 });
    expect(said(checkRank(turned, GOOD))).toBe("valid");
    expect(rankTheorem(turned).kind).toBe("sound");
    expect(closedMatrix({ ...choice, finals: { kind: "ends", ends: [] } })).toBe("no sink");
  });
});

describe("a reason that a net is ill-formed", () => {
  const check = (of: typeof ring, reason: IllFormed) => said(checkIllFormed(of, reason));

  it("[T13.5] a siphon without a token: none of its places is marked", () => {
    const siphon = (places: readonly number[]): IllFormed => ({ kind: "siphon", places });
    // The start with what it fills is a siphon, and marked.
    expect(check(block, siphon([0, 1]))).toBe("siphon is not shown");
    expect(check(block, siphon([1, 0]))).toBe("siphon is not shown");
    expect(check(block, siphon([1]))).toBe("siphon is not shown");
    expect(check(block, siphon([]))).toBe("siphon is not shown");
  });

  it("[T13.5] independent vectors of the kernel, more than there may be", () => {
    const kernel = (...vectors: readonly (readonly number[])[]): IllFormed => ({
      kind: "rank-small",
      kernel: vectors,
    });
    expect(check(ring, kernel(AROUND, OTHER))).toBe("valid");
    const no = "rank-small is not shown";
    expect(check(ring, kernel(AROUND))).toBe(no);
    expect(check(ring, kernel(AROUND, AROUND))).toBe(no);
    expect(check(ring, kernel(AROUND, [1, 0, 0, 0, 0, 0, 0, 0]))).toBe(no);
    expect(check(ring, kernel(AROUND, OTHER.slice(1)))).toBe(no);
    // The same said of sound nets.
    const once = [1, 1, 1, 1, 1];
    expect(check(block, kernel(once))).toBe(no);
    expect(check(block, kernel(once, once))).toBe(no);
    expect(check(choice, kernel(...GOOD.kernel))).toBe(no);
    expect(check(choice, kernel(...GOOD.kernel, GOOD.kernel[0]!))).toBe(no);
  });

  it("[T13.5] firings and weights are whole numbers, each of them", () => {
    // Once around by `t1` and `t2`: `p0` and `p3` have one token more.
    const firings = [0, 0, 1, 1, 0, 0, 0, 0];
    expect(check(ring, { kind: "gain", firings })).toBe("valid");
    for (const wrong of [0.5, 2 ** 53, Number.NaN])
      expect(check(ring, { kind: "gain", firings: [...firings.slice(0, -1), wrong] })).toBe(
        "gain is not shown",
      );
    // Each token on the ring becomes two.
    const weights = ring.places.map(() => 1);
    expect(check(ring, { kind: "drift", weights })).toBe("valid");
    for (const wrong of [0.5, 2 ** 53, Number.NaN])
      expect(check(ring, { kind: "drift", weights: [...weights.slice(0, -1), wrong] })).toBe(
        "drift is not shown",
      );
  });
});
