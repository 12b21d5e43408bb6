/** @module The rank theorem on nets of which kernel and rank are known by hand: what it names, and when it is silent. */
import { describe, expect, it } from "vitest";
import { checkIllFormed, checkRank } from "../src/certificate/rank.ts";
import { rankTheorem, shortCircuit } from "../src/rank.ts";
import { net as parse } from "./net-text.ts";
import { judge } from "./oracle.ts";

/** The greatest prime below 2^26: ranks are taken modulo it. */
const PRIME = 67_108_859;

/**
 * Places in a ring, each filled by the transitions of both its neighbours, so that x(k) = x(k - 1) + x(k + 1). All sequences
 * of this kind have the period six: with six places the kernel has two dimensions. One transition is cut for `i` and `o`.
 */
const RING = [
  "out: p0 -> o",
  "in: i -> p1 + p5",
  ...[1, 2, 3, 4, 5].map((k) => `t${k}: p${k} -> p${k - 1} + p${(k + 1) % 6}`),
];

/** The same along a line of five places: (1, 1, 0, -1, -1) alone is in the kernel. */
const LINE =
  "in: i -> p2 + p4; out: p3 -> o; t1: p1 -> p2; t2: p2 -> p1 + p3; t4: p4 -> p3 + p5; t5: p5 -> p4";

/**
 * From one token on `from`, 1, 1, 2, 4, 8, ... firings of as many transitions: each place is filled by all before it. Those
 * that `feeds` names, and the last, fill `to` as well.
 */
function doubling(id: string, from: string, to: string, count: number, feeds: (k: number) => boolean) {
  return Array.from({ length: count }, (_, k) => {
    const later = Array.from({ length: count - k - 1 }, (_, n) => `${id}${k + n + 1}`);
    const posts = k === count - 1 || feeds(k) ? [...later, to] : later;
    return `${id}t${k}: ${k === 0 ? from : `${id}${k}`} -> ${posts.join(" + ")}`;
  });
}

/** PRIME + 1 tokens on `to` for one on `from`, by its binary digits. */
const primeAndOne = (id: string, from: string, to: string) =>
  doubling(id, from, to, 27, (k) => k > 0 && Math.floor((PRIME + 1 - 2 ** 25) / 2 ** (k - 1)) % 2 === 1);

/** A line of places from `i` to `o`, with some of the transitions several times. */
function rails(places: number, transitions: number) {
  const rail = (k: number) => `${k === 0 ? "i" : `p${k}`} -> ${k === places - 2 ? "o" : `p${k + 1}`}`;
  return parse(Array.from({ length: transitions }, (_, t) => `t${t}: ${rail(t % (places - 1))}`).join("; "));
}

describe("the rank theorem on nets that are known by hand", () => {
  it("[D13.12] a certificate in full: weights, firings, kernel and order", () => {
    const net = parse("t: i -> a + b; u: a + b -> c; v: c -> o; w: c -> o");
    const answer = rankTheorem(net);
    expect(answer).toEqual({
      kind: "sound",
      certificate: {
        kind: "rank",
        weights: [2, 1, 1, 2, 2],
        firings: [2, 2, 1, 1, 2],
        kernel: [
          [0, 0, -1, 1, 0],
          [1, 1, 1, 0, 1],
        ],
        order: [0, 1, 2],
      },
    });
    if (answer.kind === "sound") expect(checkRank(net, answer.certificate)).toEqual({ kind: "valid" });
  });

  it("[D13.12] the transition that leads back takes from the sink, fills what is marked, and does nothing else", () => {
    const net = parse("t: i + j -> a; u: a -> o", { initial: { i: 1, j: 1 } });
    expect(shortCircuit(net, 3).transitions).toEqual([
      ...net.transitions,
      {
        id: "*",
        pre: [[3, 1]],
        any: [],
        post: [
          [0, 1],
          [1, 1],
        ],
        reset: [],
      },
    ]);
    expect(rankTheorem(net).kind).toBe("sound");
  });

  it("[T13.5] a ring of six has a kernel of two dimensions, one more than there may be", () => {
    const net = parse(RING.join("; "));
    const answer = rankTheorem(net);
    // a, b, b - a, -a, -b, a - b around the ring.
    const around = (a: number, b: number) => [a, a, b, b - a, 0 - a, 0 - b, a - b, a];
    expect(answer).toEqual({
      kind: "unsound",
      reason: { kind: "rank-small", kernel: [around(0, -1), around(1, 1)] },
    });
    if (answer.kind === "unsound") expect(checkIllFormed(net, answer.reason)).toEqual({ kind: "valid" });
  });

  it("[T13.5] a line of five has the right rank, and gains", () => {
    const net = parse(LINE);
    const answer = rankTheorem(net);
    // Once around by the first two places: one token more on the third, and one to the end.
    expect(answer).toMatchObject({ kind: "unsound", reason: { kind: "gain" } });
    if (answer.kind === "unsound") expect(checkIllFormed(net, answer.reason)).toEqual({ kind: "valid" });
    expect(checkIllFormed(net, { kind: "rank-large" }).kind).toBe("invalid");
    expect(judge(net, 1000)).toBeNull();
  });

  it("[D13.12] where the prime divides a minor nothing is said: the rank is the number of clusters, modulo the prime one less", () => {
    const net = parse(primeAndOne("p", "i", "o").join("; "));
    expect(rankTheorem(net)).toEqual({ kind: "skipped" });
    // With one token more at the end the determinant is another one.
    const next = parse(`${primeAndOne("p", "i", "o").join("; ")} + x; y: x -> o`);
    expect(rankTheorem(next)).toEqual({ kind: "unsound", reason: { kind: "rank-large" } });
  });

  it("[D13.12] nor where the kernel is as large as it should be, and the rank modulo the prime smaller", () => {
    // Of the ring a token may also take a way on which it becomes as many as the prime and one.
    const net = parse([...RING, ...primeAndOne("q", "p2", "p2")].join("; "));
    expect(rankTheorem(net)).toEqual({ kind: "skipped" });
  });

  it("[D13.12] nor where the kernel has numbers that are not exact", () => {
    // From opposite places of the ring, of which the numbers come to nothing together.
    const grown = (count: number) => {
      const ring = RING.map((line) =>
        line.startsWith("in:") ? `${line} + u0` : line.startsWith("t3:") ? `${line} + v0` : line,
      );
      const ways = ["u", "v"].flatMap((id) => doubling(id, `${id}0`, "p1", count, () => false));
      return rankTheorem(parse([...ring, ...ways].join("; ")));
    };
    expect(grown(20)).toMatchObject({ kind: "unsound", reason: { kind: "rank-small" } });
    expect(grown(54)).toMatchObject({ kind: "unsound", reason: { kind: "rank-small" } });
    // Up to 2^53.
    expect(grown(55)).toEqual({ kind: "skipped" });
  });

  it("[T13.4] the limit is 20 000 cells, the transition that leads back and one row more counted", () => {
    const kinds = [rails(124, 159), rails(127, 156)].map((net) => rankTheorem(net).kind);
    expect(kinds).toEqual(["sound", "skipped"]);
  });
});
