/** @module The checkers of the rank theorem, of pumps and of vectors, on nets small enough to be judged by hand. */
import { describe, expect, it } from "vitest";
import { closedMatrix, isOnPaths } from "../../src/certificate/closed-matrix.ts";
import {
  dot,
  isAnnihilated,
  isPositive,
  isSemiPositive,
  rankModulo,
} from "../../src/certificate/integer-vectors.ts";
import { checkPump, checkPumpTheorem } from "../../src/certificate/pump.ts";
import { checkIllFormed, checkRank } from "../../src/certificate/rank.ts";
import type { IllFormed, RankCertificate } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const block = net("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o");
// The loop at i puts a token on o each time.
const gaining = net("t: i -> i + o");
const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

describe("vectors", () => {
  it("[D13.12] positive are safe integers above zero", () => {
    expect([1, 0, -1, 0.5, 2 ** 53, Number.NaN].map(isPositive)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("[D13.12] products are exact beyond what a number holds", () => {
    expect(dot([2 ** 52, 1], [2 ** 52, 1])).toBe(2n ** 104n + 1n);
    expect(dot([1, 2], [3])).toBe(3n);
  });

  it("[T13.5] semi-positive have something above zero and nothing below", () => {
    expect(isSemiPositive([0n, 1n])).toBe(true);
    expect(isSemiPositive([0n, 0n])).toBe(false);
    expect(isSemiPositive([-1n, 2n])).toBe(false);
    expect(isSemiPositive([])).toBe(false);
  });

  it("[D13.12] what a matrix takes to nothing has its length, is whole and is so in every row", () => {
    const columns = [
      [-1, 1],
      [1, -1],
    ];
    expect(isAnnihilated(columns, [2, 2])).toBe(true);
    expect(isAnnihilated(columns, [2, 1])).toBe(false);
    expect(isAnnihilated(columns, [2])).toBe(false);
    expect(isAnnihilated(columns, [2, 2, 0])).toBe(false);
    expect(isAnnihilated(columns, [0.5, 0.5])).toBe(false);
    expect(isAnnihilated([[0, 1]], [1])).toBe(false);
    expect(isAnnihilated([[0, 0]], [1])).toBe(true);
  });

  it("[D13.12] the rank of small matrices", () => {
    expect(rankModulo([])).toBe(0);
    expect(rankModulo([[0, 0]])).toBe(0);
    expect(
      rankModulo([
        [0, 3, 1],
        [0, 6, 2],
        [0, 0, 0],
      ]),
    ).toBe(1);
    expect(
      rankModulo([
        [0, 3, 1],
        [2, 0, 0],
        [2, 3, 2],
      ]),
    ).toBe(3);
    expect(
      rankModulo([
        [0, 3, 1],
        [2, 0, 0],
        [2, 3, 1],
      ]),
    ).toBe(2);
    expect(
      rankModulo([
        [-1, 1],
        [1, -1],
      ]),
    ).toBe(1);
    expect(
      rankModulo([
        [67_108_859, 0],
        [0, -67_108_860],
      ]),
    ).toBe(1);
  });
});

describe("the short-circuited net", () => {
  it("[D13.12] has a column for each transition and one that leads back, and the clusters of a free-choice net", () => {
    expect(closedMatrix(block)).toEqual({
      columns: [
        [-1, 1, 1, 0, 0, 0],
        [0, -1, 0, 1, 0, 0],
        [0, 0, -1, 0, 1, 0],
        [0, 0, 0, -1, -1, 1],
        [1, 0, 0, 0, 0, -1],
      ],
      clusters: 5,
      sink: 5,
    });
    expect(closedMatrix(net("t: i -> a; u: i -> b; v: a -> o; w: b -> o"))).toMatchObject({ clusters: 4 });
    expect(closedMatrix(net("t: i -> a + o; u: -> a; v: b -> o"))).toMatchObject({ clusters: 5 });
    // A loop on a place changes nothing.
    expect(closedMatrix(gaining)).toMatchObject({
      columns: [
        [0, 1],
        [1, -1],
      ],
    });
  });

  it.each([
    ["not plain", net("t: i any a -> o; u: i -> a")],
    ["not plain", net("t: i -> o reset a; u: i -> a")],
    [
      "not plain",
      { ...gaining, transitions: gaining.transitions.map((t) => ({ ...t, rule: "r" as never })) },
    ],
    ["not plain", net("t: i -> 2a; u: a -> o")],
    ["not plain", net("t: 2i -> a; u: a -> o")],
    ["a place starts with several tokens", net("t: i -> o", { initial: { i: 2 } })],
    ["no sink", net("t: i -> o; u: i -> e", { ends: ["o", "e"] })],
    ["no sink", net("t: i -> o", { ends: [] })],
    ["no sink", net("t: i -> o", { finals: [{ o: 1 }] })],
    ["no sink", net("t: i -> a + o; u: a + o -> o")],
    ["not free-choice", net("t: i -> a + b; u: a -> o; v: a + b -> o")],
    ["not free-choice", net("t: i -> a + b; u: a + b -> o; v: b -> o")],
    ["not connected", net("t: i -> o; u: a -> b")],
    ["not connected", net("t: i -> o; u: -> ")],
    ["not connected", net("t: i -> o", { initial: { i: 1, a: 1 } })],
  ])("[D13.12] the theorem says nothing: %s", (why, other) => {
    expect(closedMatrix(other)).toBe(why);
    const certificate: RankCertificate = { kind: "rank", weights: [], firings: [], kernel: [], order: [] };
    expect(said(checkRank(other, certificate))).toBe(why);
    expect(said(checkIllFormed(other, { kind: "rank-large" }))).toBe(why);
  });

  it("[T13.5] every node is on a path from the start to the sink, or not", () => {
    expect(isOnPaths(block, 5)).toBe(true);
    const off = [
      "t: i -> a + o; u: a -> a",
      "t: i -> o; u: a -> o",
      "t: i -> o; u: i -> ",
      "t: i -> o; u: -> o",
    ];
    for (const text of off) {
      const other = net(text);
      expect(
        isOnPaths(
          other,
          other.places.findIndex(({ id }) => id === "o"),
        ),
        text,
      ).toBe(false);
    }
    expect(said(checkIllFormed(net(off[0] ?? ""), { kind: "rank-large" }))).toMatch(/on no path/);
  });
});

describe("the rank theorem", () => {
  const certificate: RankCertificate = {
    kind: "rank",
    weights: [2, 1, 1, 1, 1, 2],
    firings: [1, 1, 1, 1, 1],
    kernel: [[2, 2, 2, 2, 2]],
    order: [0, 1, 2, 3],
  };
  const changed = (change: Partial<RankCertificate>) => said(checkRank(block, { ...certificate, ...change }));

  it("[D13.12] a certificate is right, and each of its parts is needed", () => {
    expect(changed({})).toBe("valid");
    expect(changed({ weights: [2, 1, 1, 1, 1] })).toMatch(/weights are not positive/);
    expect(changed({ weights: [2, 1, 1, 1, 1, 2, 1] })).toMatch(/weights are not positive/);
    expect(changed({ weights: [2, 2, 0, 2, 0, 2] })).toMatch(/weights are not positive/);
    expect(changed({ weights: [1, 1, 1, 1, 1, 1] })).toMatch(/no S-invariant/);
    expect(changed({ firings: [1, 1, 1, 1] })).toMatch(/firings are not positive/);
    expect(changed({ firings: [0, 0, 0, 0, 0] })).toMatch(/firings are not positive/);
    expect(changed({ firings: [1, 1, 1, 1, 2] })).toMatch(/no T-invariant/);
    expect(changed({ kernel: [] })).toMatch(/another dimension/);
    expect(
      changed({
        kernel: [
          [1, 1, 1, 1, 1],
          [1, 1, 1, 1, 1],
        ],
      }),
    ).toMatch(/another dimension/);
    expect(changed({ kernel: [[1, 1, 1, 1, 0]] })).toMatch(/not in the kernel/);
    expect(changed({ kernel: [[0, 0, 0, 0, 0]] })).toMatch(/dependent/);
    for (const order of [
      [0, 1, 2],
      [1, 0, 2, 3],
      [0, 1, 2, 4],
      [0, 2, 1],
    ])
      expect(changed({ order }), String(order)).toMatch(/siphon/);
    expect(changed({ order: [0, 2, 1, 3, 0] })).toBe("valid");
  });

  it("[D13.12] a net whose rank is another one is not certified", () => {
    // An exclusive choice that is joined: what each transition keeps is there, and the rank is too large.
    const joined = net("t: i -> a; u: i -> b; v: a + b -> o");
    const forged: RankCertificate = {
      kind: "rank",
      weights: [1, 1, 1, 1],
      firings: [1, 1, 1, 1],
      kernel: [],
      order: [],
    };
    expect(said(checkRank(joined, forged))).not.toBe("valid");
    expect(said(checkIllFormed(joined, { kind: "rank-large" }))).toBe("valid");
    expect(said(checkIllFormed(block, { kind: "rank-large" }))).toMatch(/rank-large is not shown/);
  });

  it("[T13.5] an empty siphon refutes, a set that is none or that is marked does not", () => {
    const starved = net("t: i -> a; u: a + b -> o + b");
    expect(said(checkIllFormed(starved, { kind: "siphon", places: [2] }))).toBe("valid");
    // On the short-circuited block only sets with the start are siphons.
    const empty = net("t: i -> a; u: a + c -> b + d; v: d -> c + o; w: b -> o");
    const at = (id: string) => empty.places.findIndex((place) => place.id === id);
    const siphon = (...ids: string[]) => said(checkIllFormed(empty, { kind: "siphon", places: ids.map(at) }));
    expect(siphon("c", "d")).toBe("valid");
    expect(siphon("c")).toMatch(/siphon is not shown/);
    expect(siphon()).toMatch(/siphon is not shown/);
    expect(siphon("i")).toMatch(/siphon is not shown/);
    expect(siphon("a", "b")).toMatch(/siphon is not shown/);
  });

  it("[T13.5] firings that gain and weights that only grow refute", () => {
    const ill = (reason: IllFormed) => said(checkIllFormed(gaining, reason));
    expect(ill({ kind: "rank-large" })).toBe("valid");
    expect(ill({ kind: "gain", firings: [1, 0] })).toBe("valid");
    expect(ill({ kind: "gain", firings: [1, 1] })).toBe("valid");
    expect(ill({ kind: "gain", firings: [0, 0] })).toMatch(/gain is not shown/);
    expect(ill({ kind: "gain", firings: [0, 1] })).toMatch(/gain is not shown/);
    expect(ill({ kind: "gain", firings: [1] })).toMatch(/gain is not shown/);
    expect(ill({ kind: "gain", firings: [1, 0, 0] })).toMatch(/gain is not shown/);
    expect(ill({ kind: "gain", firings: [0.5, 0.5] })).toMatch(/gain is not shown/);
    expect(ill({ kind: "drift", weights: [1, 1] })).toBe("valid");
    expect(ill({ kind: "drift", weights: [0, 1] })).toMatch(/drift is not shown/);
    expect(ill({ kind: "drift", weights: [0, 0] })).toMatch(/drift is not shown/);
    expect(ill({ kind: "drift", weights: [1] })).toMatch(/drift is not shown/);
    expect(ill({ kind: "drift", weights: [1, 1, 0] })).toMatch(/drift is not shown/);
    expect(ill({ kind: "drift", weights: [0.5, 0.5] })).toMatch(/drift is not shown/);
    const sound = (reason: IllFormed) => said(checkIllFormed(block, reason));
    expect(sound({ kind: "gain", firings: [1, 1, 1, 1, 1] })).toMatch(/gain is not shown/);
    expect(sound({ kind: "drift", weights: [2, 1, 1, 1, 1, 2] })).toMatch(/drift is not shown/);
  });

  it("[T13.5] a kernel that is too large refutes: its vectors are in it, independent and more than the clusters allow", () => {
    const small = (kernel: readonly (readonly number[])[]) =>
      said(checkIllFormed(block, { kind: "rank-small", kernel }));
    // It has one dimension, which is what the theorem asks for.
    expect(small([])).toMatch(/rank-small is not shown/);
    expect(small([[1, 1, 1, 1, 1]])).toMatch(/rank-small is not shown/);
    expect(
      small([
        [1, 1, 1, 1, 1],
        [2, 2, 2, 2, 2],
      ]),
    ).toMatch(/rank-small is not shown/);
    expect(
      small([
        [1, 1, 1, 1, 1],
        [1, 0, 0, 0, 0],
      ]),
    ).toMatch(/rank-small is not shown/);
    expect(
      small([
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
      ]),
    ).toMatch(/rank-small is not shown/);
  });
});

describe("pumps", () => {
  const pumping = net("t: i -> p; u: p -> p + q; v: p -> o");
  const run = { sequence: [0, 1], marking: [0, 1, 1, 0] };

  it("[D8.6] a run that comes back to more than it left; of monotone nets only", () => {
    expect(said(checkPump(pumping, run, 1))).toBe("valid");
    expect(said(checkPump(pumping, run, 2))).toMatch(/does not gain/);
    expect(said(checkPump(pumping, run, 0))).toMatch(/does not gain/);
    expect(said(checkPump(pumping, { sequence: [1, 0], marking: [0, 1, 1, 0] }, 1))).toMatch(
      /stuck at firing 0/,
    );
    for (const other of [
      "t: i -> p reset q; u: p -> p + q; v: p -> o",
      "t: i any q -> p; u: p -> p + q; v: p -> o",
    ])
      expect(said(checkPump(net(other), run, 1)), other).toMatch(/not monotone/);
    const ruled = { ...pumping, transitions: pumping.transitions.map((t) => ({ ...t, rule: "r" as never })) };
    expect(said(checkPump(ruled, run, 1))).toMatch(/not monotone/);
  });

  it("[T8.1] [T8.2] what a pump refutes depends on the final markings", () => {
    const theorem = (other: Parameters<typeof checkPumpTheorem>[0], against: "O1" | "sound") =>
      said(checkPumpTheorem(other, against));
    expect(theorem(pumping, "O1")).toBe("valid");
    expect(theorem(pumping, "sound")).toBe("valid");
    expect(theorem(net("t: i -> p; u: p -> "), "sound")).toMatch(/produces nothing/);
    const two = net("t: i -> o; u: i -> e", { ends: ["o", "e"] });
    expect(theorem(two, "O1")).toMatch(/more than one final marking/);
    expect(theorem(two, "sound")).toBe("valid");
    expect(theorem(net("t: i -> i", { ends: [] }), "O1")).toMatch(/more than one final marking/);
    expect(theorem(net("t: i -> i", { ends: [] }), "sound")).toMatch(/no end place/);
    expect(theorem(net("t: i -> o; u: o -> i"), "O1")).toMatch(/takes from a final marking/);
    const listed = (...finals: Record<string, number>[]) => net("t: i -> o + a; u: a -> a", { finals });
    expect(theorem(listed({ o: 1 }), "O1")).toBe("valid");
    // Nothing takes from the places that the final marking marks; those that it leaves empty do not matter.
    expect(theorem(listed({ o: 1, i: 0 }), "O1")).toBe("valid");
    expect(theorem(listed({ o: 1, a: 1 }), "O1")).toMatch(/takes from a final marking/);
    expect(theorem(listed({}), "O1")).toBe("valid");
    expect(theorem(listed({ o: 1 }, { o: 2 }), "O1")).toMatch(/more than one final marking/);
    expect(theorem(listed({ o: 1 }, { o: 2 }), "sound")).toMatch(/list of several/);
  });
});
