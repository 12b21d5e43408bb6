import type { Net } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  askNet,
  checkQuestion,
  claimOf,
  netHash,
  type QuestionClaim,
  questionCertificateOf,
  verifyCertificate,
} from "../../src/index.ts";
import { deadlockFreeBySets } from "../../src/questions/ask-stubborn.ts";
import { play, restart, type TokenGame, tokenGame } from "../../src/questions/token-game.ts";
import { type WalkGoal, walksFor } from "../../src/questions/walks.ts";
import { mutants } from "../mutants.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, successorsOf } from "../oracle.ts";

const nets = fc.oneof(
  arbitraryNetOfClass("plain"),
  arbitraryNetOfClass("weighted"),
  arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
);
const goals = fc.oneof(
  fc
    .constantFrom("dead" as const, "enabled" as const, "changed" as const)
    .map((kind): WalkGoal => ({ kind })),
  fc.nat({ max: 2 }).map((tokens): WalkGoal => ({ kind: "above", tokens })),
);

/** The markings along a firing sequence, by hand; null where a firing is not enabled. */
function along(net: Net, sequence: readonly number[]): number[][] | null {
  const markings = [[...net.initial]];
  for (const t of sequence) {
    const step = successorsOf(net, markings.at(-1)!).find((one) => one.t === t);
    if (step === undefined) return null;
    markings.push(step.next);
  }
  return markings;
}

/** Is the goal shown by what these markings are? */
function shows(net: Net, goal: WalkGoal, markings: readonly (readonly number[])[]): boolean {
  switch (goal.kind) {
    case "dead":
      return markings.some((M) => successorsOf(net, M).length === 0);
    case "above":
      return markings.some((M) => M.some((tokens) => tokens > goal.tokens));
    case "enabled":
      return net.transitions.every((_, t) =>
        markings.some((M) => successorsOf(net, M).some((one) => one.t === t)),
      );
    case "changed":
      return net.places.every((_, p) => markings.some((M) => M[p] !== net.initial[p]));
  }
}

type Walks = typeof walksFor;

/** Law: runs that are found fire and show the goal; where a small net can show it, they mostly are found. */
function areRight(walks: Walks): readonly [found: number, missed: number] {
  let [found, missed] = [0, 0];
  fc.assert(
    fc.property(nets, goals, fc.array(fc.nat({ max: 3 }), { maxLength: 6 }), (net, goal, counts) => {
      const firings = net.transitions.map((_, t) => counts[t] ?? 1);
      const options = { stepsMax: 2000, isOver: () => false, ...(counts.length > 3 ? { firings } : {}) };
      const runs = walks(net, goal, options);
      const graph = graphOf(net, net.initial, 60);
      const all = graph === null ? null : [...graph.keys()].map((key) => JSON.parse(key) as number[]);
      if (runs === null) {
        if (all !== null && shows(net, goal, all)) missed += 1;
        return;
      }
      found += 1;
      const markings = runs.flatMap(({ sequence, marking }) => {
        const met = along(net, sequence);
        expect(met?.at(-1)).toEqual(marking);
        return met ?? [];
      });
      const last = runs.map(({ marking }) => marking);
      const isOne = goal.kind === "dead" || goal.kind === "above";
      expect({ net, goal, isShown: shows(net, goal, isOne ? last : markings) }).toEqual({
        net,
        goal,
        isShown: true,
      });
      if (all !== null) expect(shows(net, goal, all)).toBe(true);
    }),
    { numRuns: 500 },
  );
  return [found, missed];
}

/** Law: the game enables what the marking enables by hand, after firings and firings taken back. */
function isExact(go: typeof play): void {
  fc.assert(
    fc.property(nets, fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 12 }), (net, moves) => {
      const game = tokenGame(net);
      const agrees = (at: TokenGame) => {
        const can = [...at.enabled.slice(0, at.enabledCount)].sort((a, b) => a - b);
        expect(can).toEqual(successorsOf(net, [...at.marking]).map(({ t }) => t));
      };
      agrees(game);
      for (const [pick, isBack] of moves) {
        if (game.enabledCount === 0) break;
        const t = game.enabled[pick % game.enabledCount]!;
        const before = [...game.marking];
        go(game, t);
        agrees(game);
        if (!isBack) continue;
        go(game, t, -1);
        expect([...game.marking]).toEqual(before);
        agrees(game);
      }
      restart(game);
      expect([...game.marking]).toEqual([...net.initial]);
      agrees(game);
    }),
    { numRuns: 300 },
  );
}

const LIMITS = { statesMax: 500, bytesMax: 1e9, isOver: () => false };

describe("walks", () => {
  it("[T22.3] the game enables what the marking does, by hand, and the law refuses a game that forgets", () => {
    isExact(play);
    const forgetful: typeof play = (game, t, sign = 1) => {
      const known = [...game.enabled.slice(0, game.enabledCount)];
      const isDone = play(game, t, sign);
      game.enabled.set(known);
      game.enabledCount = known.length;
      return isDone;
    };
    expect(() => isExact(forgetful)).toThrow();
  });

  it("[T22.3] runs fire and show what was looked for, and the law refuses others", () => {
    const [found, missed] = areRight(walksFor);
    expect(found).toBeGreaterThan(150);
    expect(missed).toBeLessThan(20);
    const short: Walks = (net, goal, options) =>
      walksFor(net, goal, options)?.map(({ sequence, marking }) => ({
        sequence: sequence.slice(1),
        marking,
      })) ?? null;
    const first: Walks = (net, goal, options) => walksFor(net, goal, options)?.slice(0, 1) ?? null;
    const hasty: Walks = (net) => [{ sequence: [], marking: net.initial }];
    for (const broken of [short, first, hasty]) expect(() => areRight(broken)).toThrow();
  });

  it("[T22.3] a count that would be too large ends a walk", () => {
    const net = parse("t: i -> i + 2000000000a; u: a -> ", { ends: [] });
    expect(
      walksFor(net, { kind: "above", tokens: 2_000_000_000 }, { stepsMax: 50, isOver: () => false }),
    ).toBeNull();
    expect(walksFor(net, { kind: "changed" }, { stepsMax: 50, isOver: () => false })).toBeNull();
    expect(walksFor(net, { kind: "dead" }, { stepsMax: 1e9, isOver: () => true })).toBeNull();
  });
});

type Sets = typeof deadlockFreeBySets;

/** Law: the answer of an enumeration by hand; its claim is accepted, and no mutant of it for what is not true. */
function decidesDeadlocks(sets: Sets): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(nets, nets, (net, other) => {
      const graph = graphOf(net, net.initial, 300);
      const answer = sets(net, LIMITS);
      if (answer === null || answer.kind === "unknown") return;
      counts.set(answer.kind, (counts.get(answer.kind) ?? 0) + 1);
      const truth = (of: Net) => {
        const all = graphOf(of, of.initial, 300);
        return all === null ? null : [...all.values()].every((edges) => edges.length > 0) ? "holds" : "fails";
      };
      if (graph !== null) expect({ net, kind: answer.kind }).toEqual({ net, kind: truth(net) });
      const claim = claimOf(net, "deadlock-free", answer)!;
      expect(checkQuestion(net, claim)).toEqual({ kind: "valid" });
      const file = JSON.parse(JSON.stringify(questionCertificateOf(net, [claim])));
      const isAccepted = (of: Net, given: unknown) => {
        const found = verifyCertificate(of, given as never);
        return found.kind === "verified" && found.claims.some(({ checked }) => checked.kind === "valid");
      };
      const verdictIn = (given: { questions: readonly QuestionClaim[] }) => given.questions[0]?.verdict;
      if (claim.evidence.kind !== "terminal" || claim.evidence.states.length > 12) return;
      for (const mutant of mutants(file))
        if (isAccepted(net, mutant) && truth(net) !== null)
          expect(verdictIn(mutant as never)).toBe(truth(net));
      const moved = { ...file, net: netHash(other) };
      if (isAccepted(other, moved) && truth(other) !== null) expect(verdictIn(moved)).toBe(truth(other));
    }),
    { numRuns: 300 },
  );
  return counts;
}

describe("what ends, by stubborn sets", () => {
  it("[T22.3] [T25.3] deadlocks are those of an enumeration by hand, with claims that are accepted", () => {
    const counts = decidesDeadlocks(deadlockFreeBySets);
    expect(counts.get("holds")).toBeGreaterThan(20);
    expect(counts.get("fails")).toBeGreaterThan(20);
    const looser: Sets = (net, limits) =>
      deadlockFreeBySets({ ...net, initial: net.initial.map((tokens) => tokens + 1) }, limits);
    const always: Sets = (net) => {
      const states = [{ marking: net.initial, set: [] }];
      return { kind: "holds", shown: { kind: "terminal", states: 1, graph: { goal: null, states } } };
    };
    for (const broken of [looser, always]) expect(() => decidesDeadlocks(broken)).toThrow();
  });

  it("[T25.3] limits leave it open", () => {
    const net = parse("t: i -> a; u: a -> b; v: b -> i", { initial: { i: 9 }, ends: [] });
    expect(deadlockFreeBySets(net, { ...LIMITS, statesMax: 2 })).toBeNull();
    expect(deadlockFreeBySets(net, { ...LIMITS, bytesMax: 1 })?.kind ?? null).toBe("holds");
  });
});

describe("answers past a short search", () => {
  const pairs = (count: number, more = "") =>
    parse(
      `${Array.from({ length: count }, (_, k) => `t${k}: a${k} -> b${k}; u${k}: b${k} -> a${k}`).join(";")}${more}`,
      { initial: Object.fromEntries(Array.from({ length: count }, (_, k) => [`a${k}`, 1])), ends: [] },
    );
  const claimsOf = (net: Net, texts: readonly (readonly [string, Answer["kind"], string])[]) => {
    for (const [question, kind, evidence] of texts) {
      const answer = askNet(net, { kind: question as "live" }, { limits: { statesMax: 50 } });
      expect([question, answer.kind]).toEqual([question, kind]);
      const claim = claimOf(net, question, answer);
      expect([question, claim?.evidence.kind]).toEqual([question, evidence]);
      expect(checkQuestion(net, claim!)).toEqual({ kind: "valid" });
    }
  };

  it("[T22.3] [D8.9] are shown by runs and graphs that the checker accepts", () => {
    const stuck = pairs(20, "; d: b0 + b1 + b2 -> ");
    claimsOf(stuck, [
      ["quasi-live", "holds", "enables"],
      ["stable-place", "fails", "changes"],
    ]);
    const trap = parse(
      `s: x -> y; ${Array.from({ length: 12 }, (_, k) => `t${k}: x + a${k} -> x + b${k}; u${k}: x + b${k} -> x + a${k}`).join(";")}`,
      {
        initial: { x: 1, ...Object.fromEntries(Array.from({ length: 12 }, (_, k) => [`a${k}`, 1])) },
        ends: [],
      },
    );
    claimsOf(trap, [
      ["deadlock-free", "fails", "run"],
      ["live", "fails", "run"],
    ]);
  });
});
