import type { Net } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countParallel } from "../src/block-net.ts";
import { enumerateNets } from "../src/enumerate.ts";
import { checkEvidence, checkNet, type NetReport, type Verdict } from "../src/index.ts";
import { graphOf, isFinalByHand, judge, successorsOf } from "./oracle.ts";

const ORACLE_STATES = 300;
const LIMITS = { statesMax: 3000, statesAfterFailureMax: 3000, timeoutMs: 60_000 };

/** `TESSERA_DEEP=1` takes all of them. */
const STRIDE = process.env["TESSERA_DEEP"] === "1" ? 1 : 17;

type Check = (net: Net) => NetReport;
const check: Check = (net) => checkNet(net, { limits: LIMITS });

const IDS = ["O1", "O2", "O3", "O4", "deadlock"] as const;

function verdictOf(report: NetReport, id: string): Verdict<unknown> {
  return report.obligations.find((obligation) => obligation.id === id)!.verdict;
}

/** Law: where the naive judge can see the whole graph, every verdict is the truth and none is open. */
function agreesWithJudge(implementation: Check, net: Net, statesMax: number = ORACLE_STATES): void {
  const truth = judge(net, statesMax);
  const report = implementation(net);
  if (truth === null) {
    // Too large or unbounded for the judge: nothing may be claimed of the whole graph that a part of it refutes.
    refutedByHand(net, report, statesMax);
    return;
  }
  for (const id of IDS) {
    const verdict = verdictOf(report, id);
    expect({ id, kind: verdict.kind }).toEqual({ id, kind: truth[id] ? "holds" : "fails" });
  }
  expect(verdictOf(report, "bounded").kind).toBe("holds");
  expect(report.sound).toBe(truth.O1 && truth.O2 && truth.O3);
  expect({ states: report.states, complete: report.complete }).toEqual({
    states: truth.states,
    complete: true,
  });
}

/** What can be said by hand of a net with very many markings. */
function refutedByHand(net: Net, report: NetReport, statesMax: number): void {
  const o1 = report.obligations.find(({ id }) => id === "O1")!.verdict;
  if (o1.kind === "fails" && o1.evidence.kind === "E2") {
    const graph = graphOf(net, o1.evidence.run.marking, statesMax);
    // From a stuck marking not even a bounded search may meet a final one.
    const reached =
      graph === null ? firstMarkings(net, o1.evidence.run.marking, statesMax) : [...graph.keys()];
    expect(reached.some((key) => isFinalByHand(net, JSON.parse(key) as number[]))).toBe(false);
  }
  const seen = firstMarkings(net, net.initial, statesMax).map((key) => JSON.parse(key) as number[]);
  const isUnsafe = seen.some((M) => M.some((tokens) => tokens > 1));
  if (isUnsafe) expect(verdictOf(report, "O4").kind).not.toBe("holds");
  const enabled = new Set(seen.flatMap((M) => successorsOf(net, M).map(({ t }) => t)));
  const o3 = report.obligations.find(({ id }) => id === "O3")!.verdict;
  if (o3.kind === "fails" && o3.evidence.kind === "E3") {
    for (const { transitions } of o3.evidence.dead)
      for (const t of transitions) expect(enabled.has(t)).toBe(false);
  }
}

function firstMarkings(net: Net, from: readonly number[], statesMax: number): string[] {
  const seen = new Set([JSON.stringify(from)]);
  for (const key of seen) {
    if (seen.size > statesMax) break;
    for (const { next } of successorsOf(net, JSON.parse(key) as number[])) seen.add(JSON.stringify(next));
  }
  return [...seen];
}

/** Law: every verdict is accepted by the checker. */
function everyVerdictChecks(implementation: Check, net: Net): void {
  const report = implementation(net);
  for (const { id, verdict } of report.obligations) {
    expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
  }
  expect(checkEvidence(net, "sound", report.soundness)).toEqual({ kind: "valid" });
}

const everyNet = fc.oneof(
  arbitraryNet(),
  arbitraryNet({ weightMax: 3 }),
  arbitraryNet({ weightMax: 2, hasResets: true }),
  arbitraryNet({ weightMax: 2, hasResets: true, hasOptional: true }),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

function holdsForAll(
  law: (implementation: Check, net: Net) => void,
  implementation: Check,
  nets = everyNet,
): void {
  fc.assert(
    fc.property(nets, (net) => {
      law(implementation, net);
    }),
    { numRuns: 600 },
  );
}

describe("the soundness checker", () => {
  it("[D8.2] [D8.3] [D8.4] [D8.5] [D8.6] [D8.8] [HZ-46] agrees with a naive judge on random nets", () => {
    holdsForAll(agreesWithJudge, check);
  });

  it("[D8.9] every verdict on random nets passes the checker", () => {
    holdsForAll(everyVerdictChecks, check);
  });

  it("[D8.8] agrees with a naive judge on all nets up to 2 x 3 and a share of 3 x 3 (TESSERA_DEEP=1: all)", () => {
    // Bounded nets of this size have far fewer than 100 markings.
    const small: Check = (net) => checkNet(net, { limits: { statesMax: 200, statesAfterFailureMax: 100 } });
    let count = 0;
    for (const net of enumerateNets({ placesMax: 3, transitionsMax: 3 })) {
      count += 1;
      if (net.places.length === 3 && net.transitions.length === 3 && count % STRIDE !== 0) continue;
      agreesWithJudge(small, net, 100);
      if (count % 5 === 0) everyVerdictChecks(small, net);
    }
    // 35 + 969 + 47,905: the multisets of up to three of the 4^places transitions.
    expect(count).toBe(48_909);
  }, 300_000);

  it("[D8.8] [C20-80] block-structured nets are sound and safe, whatever the nesting", () => {
    fc.assert(
      fc.property(arbitraryWorkflowNet(), (net) => {
        const report = check(net);
        if (!report.complete) return;
        expect(report.sound).toBe(true);
        expect(verdictOf(report, "O4").kind).toBe("holds");
      }),
    );
  });

  it("[D8.8] [C20-80] a mistake in a parallel block is reported: nothing unsound is called sound", () => {
    let unsound = 0;
    fc.assert(
      fc.property(arbitraryMistakenWorkflowNet(), ({ net, block, mistake }) => {
        const truth = judge(net, ORACLE_STATES);
        fc.pre(truth !== null && countParallel(block) > 0);
        const { sound } = check(net);
        expect({ mistake, sound }).toEqual({ mistake, sound: truth!.O1 && truth!.O2 && truth!.O3 });
        if (sound === false) unsound += 1;
      }),
      { numRuns: 200 },
    );
    expect(unsound).toBeGreaterThan(150);
  });

  it("[D8.9] the laws refuse broken checkers", () => {
    const without =
      (change: (net: Net) => Net): Check =>
      (net) =>
        check(change(net));
    const noResets = without((net) => ({
      ...net,
      transitions: net.transitions.map((t) => ({ ...t, reset: [] })),
    }));
    const weightOne = without((net) => ({
      ...net,
      transitions: net.transitions.map((t) => ({ ...t, pre: t.pre.map(([p]) => [p, 1] as const) })),
    }));
    const altered =
      (id: string, verdict: (old: Verdict<never>) => Verdict<never>): Check =>
      (net) => {
        const report = check(net);
        return {
          ...report,
          obligations: report.obligations.map((o) =>
            o.id === id ? { ...o, verdict: verdict(o.verdict as Verdict<never>) } : o,
          ),
        };
      };
    const always = altered("O1", () => ({
      kind: "holds",
      evidence: { class: "enumerated", method: "none", states: 1 },
    }));
    const timid = altered("O2", () => ({ kind: "unknown", limit: { kind: "states", at: 1 } }));
    for (const broken of [noResets, weightOne, always, timid]) {
      expect(() => holdsForAll(agreesWithJudge, broken)).toThrow();
    }
    expect(() => holdsForAll(everyVerdictChecks, always)).toThrow();
    expect(() => holdsForAll(everyVerdictChecks, weightOne)).toThrow();
  });
});

describe("classical soundness", () => {
  it("[T8.3] with one end that nothing takes from, O1 and O2 are the two classical conditions", () => {
    let sound = 0;
    const nets = fc.oneof(
      arbitraryWorkflowNet(),
      arbitraryMistakenWorkflowNet().map(({ net }) => net),
    );
    fc.assert(
      fc.property(nets, (net) => {
        const graph = graphOf(net, net.initial, ORACLE_STATES);
        fc.pre(graph !== null);
        const [end] = net.finals.kind === "ends" ? net.finals.ends : [];
        const marked = [...graph!.keys()]
          .map((key) => JSON.parse(key) as number[])
          .filter((M) => M[end!]! > 0);
        const isClean = marked.every((M) => M.every((tokens, place) => tokens === (place === end ? 1 : 0)));
        const classical = judge(net, ORACLE_STATES)!.O1 && isClean;
        const report = check(net);
        const both = ["O1", "O2"].every((id) => verdictOf(report, id).kind === "holds");
        expect(both).toBe(classical);
        if (both) sound += 1;
      }),
    );
    expect(sound).toBeGreaterThan(20);
  });
});

describe("metamorphic laws", () => {
  const kinds = (report: NetReport) => ({
    sound: report.sound,
    kinds: report.obligations.map(({ id, verdict }) => [id, verdict.kind]),
  });

  it("[D8.8] renaming places and transitions changes no verdict", () => {
    fc.assert(
      fc.property(everyNet, (net) => {
        const renamed: Net = {
          ...net,
          places: net.places.map((place, p) => ({ ...place, id: `x${net.places.length - p}` })),
          transitions: net.transitions.map((t, index) => ({ ...t, id: `y${index * 7}` })),
        };
        expect(kinds(check(renamed))).toEqual(kinds(check(net)));
      }),
    );
  });

  it("[D8.8] permuting places and transitions changes no verdict where the space is complete", () => {
    fc.assert(
      fc.property(everyNet, fc.nat(), (net, seed) => {
        const report = check(net);
        if (!report.complete) return;
        const order = permutation(net.places.length, seed);
        const permuted = permutePlaces({ ...net, transitions: [...net.transitions].reverse() }, order);
        expect(kinds(check(permuted))).toEqual(kinds(report));
      }),
    );
  });

  it("[D8.8] an unreachable part changes O3 only", () => {
    fc.assert(
      fc.property(everyNet, (net) => {
        const at = net.places.length;
        const pad = (M: readonly number[]) => [...M, 0, 0];
        const larger: Net = {
          places: [...net.places, { id: "island", role: "control" }, { id: "shore", role: "control" }],
          transitions: [
            ...net.transitions,
            {
              id: "ferry",
              pre: [[at, 1]],
              any: [],
              post: [
                [at + 1, 1],
                [0, 1],
              ],
              reset: [],
            },
          ],
          initial: pad(net.initial),
          finals:
            net.finals.kind === "ends"
              ? net.finals
              : { kind: "markings", markings: net.finals.markings.map(pad) },
        };
        const before = check(net);
        const after = check(larger);
        for (const id of ["O1", "O2", "O4", "deadlock", "bounded"]) {
          if (before.complete)
            expect([id, verdictOf(after, id).kind]).toEqual([id, verdictOf(before, id).kind]);
        }
        expect(verdictOf(after, "O3").kind).toBe("fails");
        expect(after.sound).not.toBe(true);
      }),
    );
  });
});

function permutation(length: number, seed: number): number[] {
  const order = Array.from({ length }, (_, index) => index);
  let state = seed + 1;
  for (let at = length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = state % (at + 1);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}

/** Place `p` moves to `order[p]`. */
function permutePlaces(net: Net, order: readonly number[]): Net {
  const vector = (M: readonly number[]) => {
    const moved = new Array<number>(M.length).fill(0);
    M.forEach((tokens, p) => {
      moved[order[p]!] = tokens;
    });
    return moved;
  };
  const places = [...net.places];
  net.places.forEach((place, p) => {
    places[order[p]!] = place;
  });
  return {
    places,
    transitions: net.transitions.map((t) => ({
      ...t,
      pre: t.pre.map(([p, w]) => [order[p]!, w] as const),
      any: t.any.map((p) => order[p]!),
      post: t.post.map(([p, w]) => [order[p]!, w] as const),
      reset: t.reset.map((p) => order[p]!),
    })),
    initial: vector(net.initial),
    finals:
      net.finals.kind === "ends"
        ? { kind: "ends", ends: net.finals.ends.map((p) => order[p]!) }
        : { kind: "markings", markings: net.finals.markings.map(vector) },
  };
}
