import type { Net } from "@tessera/core";
import { arbitraryBlock, arbitraryMistakenWorkflowNet, arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockNet } from "../src/block-net.ts";
import { checkIllFormed, checkRank } from "../src/certificate/rank.ts";
import { enumerateNets } from "../src/enumerate.ts";
import { checkEvidence, checkNet, netShape, proveNet } from "../src/index.ts";
import { clusterCount, type RankAnswer, rankTheorem, shortCircuit } from "../src/rank.ts";
import { net as parse } from "./net-text.ts";
import { judge } from "./oracle.ts";

const STATES_MAX = 500;

/** Free choices after a parallel start, and joins that may not match them: sound and unsound in even parts. */
const crossed = fc
  .tuple(
    fc.integer({ min: 2, max: 4 }),
    fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 4 }),
  )
  .map(([width, moves]): Net => {
    const lines = [`t: i -> ${Array.from({ length: width }, (_, n) => `a${n}`).join(" + ")}`];
    let places = Array.from({ length: width }, (_, n) => `a${n}`);
    moves.forEach(([kind, first, second], n) => {
      const from = places[first % places.length]!;
      const other = places[second % places.length]!;
      if (kind === 0 && from !== other) {
        lines.push(`j${n}: ${from} + ${other} -> x${n} + y${n}`);
        places = [...places.filter((p) => p !== from && p !== other), `x${n}`, `y${n}`];
      } else if (kind === 1) {
        lines.push(`l${n}: ${from} -> z${n}; r${n}: ${from} -> z${n}; b${n}: z${n} -> ${from}`);
        lines[lines.length - 1] = `l${n}: ${from} -> z${n}; r${n}: ${from} -> w${n}; m${n}: w${n} -> z${n}`;
        places = [...places.filter((p) => p !== from), `z${n}`];
      } else if (kind === 2) {
        lines.push(`s${n}: ${from} -> u${n}; k${n}: ${from} -> v${n}`);
        places = [...places.filter((p) => p !== from), `u${n}`, `v${n}`];
      } else if (kind === 3 && from !== other) {
        lines.push(`c${n}: ${from} -> d${n}; e${n}: ${other} -> d${n}`);
        places = [...places.filter((p) => p !== from && p !== other), `d${n}`];
      }
    });
    return parse([...lines, `end: ${places.join(" + ")} -> o`].join("; "));
  });

const nets = fc.oneof(
  arbitraryBlock().map((block) => blockNet(block)),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
  arbitraryNet(),
  crossed,
);

type Rank = (net: Net) => RankAnswer;

/**
 * Law: what the theorem says is what an enumeration by hand says, and the certificate passes its checker; and it has
 * something to say of every free-choice workflow net of this size.
 */
function tellsTheTruth(rank: Rank, net: Net, counts: { sound: number; unsound: number }): void {
  const answer = rank(net);
  const { isFreeChoice, isWorkflowNet } = netShape(net);
  if (isFreeChoice && isWorkflowNet) expect(answer.kind).not.toBe("skipped");
  if (answer.kind === "skipped") return;
  counts[answer.kind] += 1;
  const checked =
    answer.kind === "sound" ? checkRank(net, answer.certificate) : checkIllFormed(net, answer.reason);
  expect(checked).toEqual({ kind: "valid" });
  const truth = judge(net, STATES_MAX);
  if (truth === null) return;
  expect({ kind: answer.kind }).toEqual({ kind: truth.O1 && truth.O2 && truth.O3 ? "sound" : "unsound" });
  if (answer.kind === "sound") expect(truth.O4).toBe(true);
}

function forAll(rank: Rank, numRuns: number) {
  const counts = { sound: 0, unsound: 0 };
  fc.assert(
    fc.property(nets, (net) => tellsTheTruth(rank, net, counts)),
    { numRuns },
  );
  return counts;
}

describe("the rank theorem", () => {
  it("[T13.4] [T13.5] [D13.12] agrees with an enumeration by hand, and its certificates check", () => {
    const counts = forAll(rankTheorem, 600);
    expect(counts.sound).toBeGreaterThan(50);
    expect(counts.unsound).toBeGreaterThan(50);
  });

  it("[T13.4] [T13.5] every small free-choice workflow net", () => {
    const counts = { sound: 0, unsound: 0 };
    let at = 0;
    for (const net of enumerateNets({ placesMax: 3, transitionsMax: 3 })) {
      at += 1;
      if (net.places.length === 3 && net.transitions.length === 3 && at % 7 !== 0) continue;
      tellsTheTruth(rankTheorem, net, counts);
    }
    expect(counts.sound).toBeGreaterThan(5);
    expect(counts.unsound).toBeGreaterThan(5);
  });

  it("[T13.4] the law refuses a theorem that believes everything", () => {
    const credulous: Rank = (net) => {
      const answer = rankTheorem(net);
      return answer.kind === "unsound"
        ? { kind: "sound", certificate: { kind: "rank", weights: [], firings: [], kernel: [], order: [] } }
        : answer;
    };
    expect(() => forAll(credulous, 600)).toThrow();
  });

  it("[T13.4] the fourth trap: rank and invariants as if sound, but a siphon that starts empty", () => {
    const trap = parse("t1: i -> p; t2: p + a -> q + b; t3: q + b -> a + o");
    expect(checkNet(trap).sound).toBe(false);
    expect(rankTheorem(trap)).toEqual({ kind: "unsound", reason: { kind: "siphon", places: [2, 3, 4, 5] } });
    expect(checkIllFormed(trap, { kind: "siphon", places: [2, 4] })).toEqual({ kind: "valid" });
    expect(proveNet(trap).sound).toBe(false);
  });

  it("[D13.12] the class is looked at first", () => {
    const others = [
      "t: i -> 2a; u: 2a -> o",
      "t: i -> a + b; u: a -> o reset b; v: b -> c; w: c -> o",
      "t: i -> a; u: i any b -> o; v: a -> b",
      "t: i -> a; u: a + i -> o; v: a -> o",
      "t: i -> a; u: a -> o; v: b -> o",
      "t: i -> a; u: a -> o; v: o -> a",
    ].map((text) => parse(text));
    for (const net of others) {
      expect(rankTheorem(net)).toEqual({ kind: "skipped" });
      const good = { kind: "rank", weights: [1], firings: [1], kernel: [], order: [] } as const;
      if (net !== others[4]) expect(checkRank(net, good).kind).toBe("invalid");
      expect(checkIllFormed(net, { kind: "rank-large" }).kind).toBe("invalid");
    }
    const twoTokens = parse("t: i -> o", { initial: { i: 2 } });
    const many = parse("t: i -> a; u: i -> b", { ends: ["a", "b"] });
    for (const net of [twoTokens, many]) expect(rankTheorem(net)).toEqual({ kind: "skipped" });
    const long = parse(
      Array.from(
        { length: 150 },
        (_, n) => `t${n}: ${n === 0 ? "i" : `p${n}`} -> ${n === 149 ? "o" : `p${n + 1}`}`,
      ).join("; "),
    );
    expect(rankTheorem(long)).toEqual({ kind: "skipped" });
  });

  it("[D13.12] clusters: places with common consumers are one, a place without consumers is one", () => {
    const net = parse("t: i -> a + b; u: a + b -> o; v: a + b -> c; w: c -> o");
    expect(clusterCount(net)).toBe(4);
    expect(clusterCount(shortCircuit(net, 3))).toBe(4);
    // i, a, o and two transitions without inputs.
    expect(clusterCount(parse("t: -> i; u: -> a"))).toBe(5);
  });
});

/** Branches in each of which a token may go from any of five places to any other: 5^width markings, nothing to reduce. */
function cliques(width: number): Net {
  const branches = Array.from({ length: width }, (_, n) => n);
  const lines = [`fork: i -> ${branches.map((n) => `x${n}_0`).join(" + ")}`];
  for (const n of branches) {
    for (let from = 0; from < 5; from += 1)
      for (let to = 0; to < 5; to += 1)
        if (from !== to) lines.push(`m${n}_${from}_${to}: x${n}_${from} -> x${n}_${to}`);
    lines.push(`leave${n}: x${n}_4 -> y${n}`);
  }
  lines.push(`join: ${branches.map((n) => `y${n}`).join(" + ")} -> o`);
  return parse(lines.join("; "));
}

describe("the rank theorem in the pipeline", () => {
  it("[T13.4] [T13.1] a net with thousands of markings is decided without enumerating them, with evidence", () => {
    const net = cliques(4);
    expect(netShape(net)).toMatchObject({ isFreeChoice: true, isWorkflowNet: true });
    const report = proveNet(net, { limits: { statesMax: 300 } });
    expect({ sound: report.sound, stage: report.stage }).toEqual({ sound: true, stage: "rank theorem" });
    for (const { id, verdict } of report.obligations) {
      expect({ id, kind: verdict.kind }).toEqual({ id, kind: "holds" });
      expect(checkEvidence(net, id, verdict)).toEqual({ kind: "valid" });
    }
    expect(checkNet(cliques(2)).sound).toBe(true);
  });

  it("[T13.5] a limit is no way out for a net that is ill-formed", () => {
    const text = "t: i -> a + b; u: a -> c; v: a -> d; w: b -> e; x: b -> f; y: c + e -> o; z: d + f -> o";
    const net = parse(text);
    const report = proveNet(net, { limits: { statesMax: 2, statesAfterFailureMax: 1 } });
    expect(report.sound).toBe(false);
    const { soundness } = report;
    expect(checkEvidence(net, "sound", soundness)).toEqual({ kind: "valid" });
    if (soundness.kind !== "fails") throw new Error(soundness.kind);
    expect(soundness.evidence.kind).toBe("E3-ill-formed");
    expect(checkEvidence(net, "O1", soundness).kind).toBe("invalid");
    const sound = parse("t: i -> a; u: a -> o");
    expect(checkEvidence(sound, "sound", soundness).kind).toBe("invalid");
  });
});
