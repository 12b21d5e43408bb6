/** @module Which markings a question asks for, and the checker of answers, on nets small enough to be judged by hand. */
import type { Marking, Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { isInGoal } from "../../src/certificate/goal.ts";
import { checkQuestion, type QuestionEvidence } from "../../src/certificate/question-claims.ts";
import { askedGoals } from "../../src/certificate/question-goals.ts";
import { parseQuestion, QUESTION_NAMES } from "../../src/questions/question.ts";
import { net } from "../net-text.ts";

// Places i, a, o.
const line = net("t: i -> 2a; u: 2a -> o");

function asked(n: Net, text: string) {
  const parsed = parseQuestion(text);
  if (parsed.kind !== "question") throw new Error(text);
  return askedGoals(n, parsed.question);
}

/** All markings of three places with at most two tokens on each. */
const MARKINGS: readonly Marking[] = Array.from({ length: 27 }, (_, n) => [
  Math.floor(n / 9),
  Math.floor(n / 3) % 3,
  n % 3,
]);

describe("[D24.1] the markings that a question asks for", () => {
  const isDead = ([i = 0, a = 0]: Marking) => i === 0 && a < 2;
  const isFinal = ([i, a, o]: Marking) => i === 0 && a === 0 && o === 1;

  it.each<[string, "holds" | "fails", (M: Marking) => boolean]>([
    ["safe", "holds", (M) => M.some((tokens) => tokens > 1)],
    ["1-bounded", "holds", (M) => M.some((tokens) => tokens > 1)],
    ["2-bounded", "holds", () => false],
    ["deadlock-free", "holds", isDead],
    ["easy-sound", "fails", isFinal],
    ["true", "holds", () => false],
    ["false", "holds", () => true],
    ["EF true", "fails", () => true],
    ["EF false", "fails", () => false],
    ["AG a < 2", "holds", ([, a]) => a === 2],
    ["a < 2", "holds", ([, a]) => a === 2],
    ["EF a < 2", "fails", ([, a]) => a! < 2],
    ["a <= 1", "holds", ([, a]) => a === 2],
    ["EF a <= 1", "fails", ([, a]) => a! <= 1],
    ["a = 1", "holds", ([, a]) => a !== 1],
    ["EF a = 1", "fails", ([, a]) => a === 1],
    ["a != 1", "holds", ([, a]) => a === 1],
    ["EF a != 1", "fails", ([, a]) => a !== 1],
    ["a >= 1", "holds", ([, a]) => a === 0],
    ["EF a >= 1", "fails", ([, a]) => a! >= 1],
    ["a > 1", "holds", ([, a]) => a! <= 1],
    ["EF a > 1", "fails", ([, a]) => a! > 1],
    ["EF 2 a + o >= i + 2", "fails", ([i, a, o]) => 2 * a! + o! >= i! + 2],
    ["EF a + 1 <= o", "fails", ([, a, o]) => a! + 1 <= o!],
    ["EF a + a + o >= a + 2", "fails", ([, a, o]) => a! + o! >= 2],
    ["EF a >= a + 1", "fails", () => false],
    ["EF a >= a", "fails", () => true],
    ["!(a = 1)", "holds", ([, a]) => a === 1],
    ["EF !(a = 1)", "fails", ([, a]) => a !== 1],
    ["a = 1 & o = 1", "holds", ([, a, o]) => a !== 1 || o !== 1],
    ["EF (a = 1 & o = 1)", "fails", ([, a, o]) => a === 1 && o === 1],
    ["a = 1 | o = 1", "holds", ([, a, o]) => a !== 1 && o !== 1],
    ["EF (a = 1 | o = 1)", "fails", ([, a, o]) => a === 1 || o === 1],
    ["a = 1 -> o = 1", "holds", ([, a, o]) => a === 1 && o !== 1],
    ["EF (a = 1 -> o = 1)", "fails", ([, a, o]) => a !== 1 || o === 1],
    ["enabled(u)", "holds", ([, a]) => a! < 2],
    ["EF enabled(u)", "fails", ([, a]) => a === 2],
    ["deadlock", "holds", (M) => !isDead(M)],
    ["EF deadlock", "fails", isDead],
    ["!deadlock", "holds", isDead],
    ["final", "holds", (M) => !isFinal(M)],
    ["EF final", "fails", isFinal],
    ["EF (deadlock & !final)", "fails", (M) => isDead(M) && !isFinal(M)],
    ["EF (final | enabled(t))", "fails", (M) => isFinal(M) || M[0]! > 0],
  ])("%s", (text, verdict, isMeant) => {
    const found = asked(line, text);
    expect(found?.verdict).toBe(verdict);
    for (const M of MARKINGS)
      expect([M, found!.goals.some((goal) => isInGoal(goal, M))]).toEqual([M, isMeant(M)]);
  });

  it("several final markings", () => {
    const listed = net("t: i -> a; u: a -> o", { finals: [{ a: 1 }, { o: 2 }] });
    const isListed = ([i, a, o]: Marking) => i === 0 && ((a === 1 && o === 0) || (a === 0 && o === 2));
    for (const text of ["EF final", "easy-sound"]) {
      const found = asked(listed, text)!;
      for (const M of MARKINGS)
        expect([M, found.goals.some((goal) => isInGoal(goal, M))]).toEqual([M, isListed(M)]);
    }
  });

  it("other questions are not asked so", () => {
    const known = ["safe", "deadlock-free", "easy-sound"];
    for (const name of QUESTION_NAMES.filter((other) => !known.includes(other)))
      expect([name, asked(line, name)]).toEqual([name, null]);
    for (const text of ["2-sound", "EG a = 1", "AF a = 1", "EX a = 1", "G a = 1", "F a = 1", "AG EF a = 1"])
      expect([text, asked(line, text)]).toEqual([text, null]);
    for (const text of ["b = 1", "EF (a = 1 & b = 1)", "EF enabled(v)", "a = 1 | enabled(v)"])
      expect([text, asked(line, text)]).toEqual([text, null]);
    expect(asked(line, "home final")).toBeNull();
  });

  it("formulas with more than 500 clauses are left to the search", () => {
    /** Each pair doubles the clauses. */
    const pairs = (count: number) => Array.from({ length: count }, () => "(a = 0 & o >= 1)").join(" | ");
    const single = (count: number) => Array.from({ length: count }, () => "a >= 1").join(" & ");
    const clauses = (text: string) => asked(line, `EF (${text})`)?.goals[0]?.length ?? null;
    // a = 0 has two clauses, so that each pair has three.
    expect(clauses(pairs(5))).toBe(243);
    expect(clauses(pairs(6))).toBeNull();
    expect(asked(line, `EF (${pairs(6)})`)).toBeNull();
    expect(clauses(`(${pairs(5)}) & (${pairs(5)})`)).toBe(486);
    expect(clauses(`(${pairs(5)}) & (${pairs(5)}) & (${single(14)})`)).toBe(500);
    expect(clauses(`(${pairs(5)}) & (${pairs(5)}) & (${single(15)})`)).toBeNull();
    expect(clauses(`(${single(20)}) | (${single(25)})`)).toBe(500);
    expect(clauses(`(${single(3)}) | (${single(167)})`)).toBeNull();
    for (const wide of [
      `(${pairs(6)}) & a = 1`,
      `a = 1 & (${pairs(6)})`,
      `(${pairs(6)}) | a = 1`,
      `a = 1 | (${pairs(6)})`,
    ])
      expect(clauses(wide)).toBeNull();
  });
});

describe("answers to questions", () => {
  const claimed = (
    n: Net,
    question: string,
    verdict: "holds" | "fails",
    evidence: QuestionEvidence,
    statesMax?: number,
  ) => {
    const checked = checkQuestion(n, { question, verdict, evidence }, statesMax);
    return checked.kind === "valid" ? "valid" : checked.reason;
  };
  const sum = {
    kind: "farkas",
    constraints: [0],
    factors: [2],
    places: [0, 1, 2],
    weights: [-2, -1, -2],
  } as const;
  const twice: QuestionEvidence = { kind: "state-equation", proofs: [[sum]] };

  it("[T24.1] no marking is reached in which a formula is true, or false", () => {
    expect(claimed(line, "EF o >= 2", "fails", twice)).toBe("valid");
    expect(claimed(line, "AG o < 2", "holds", twice)).toBe("valid");
    const NOT_SO = "the state equation does not answer this question so";
    expect(claimed(line, "EF o >= 2", "holds", twice)).toBe(NOT_SO);
    expect(claimed(line, "AG o < 2", "fails", twice)).toBe(NOT_SO);
    expect(claimed(line, "live", "holds", twice)).toBe(NOT_SO);
    expect(claimed(line, "EF o >= 1", "fails", twice)).toMatch(/total is not positive/);
    expect(claimed({ ...line, initial: [2, 0, 0] }, "EF o >= 2", "fails", twice)).toMatch(/total/);
  });

  it("[D22.2] a run to a marking of which it is true, or false", () => {
    const run: QuestionEvidence = { kind: "run", run: { sequence: [0, 1], marking: [0, 0, 1] } };
    expect(claimed(line, "EF o >= 1", "holds", run)).toBe("valid");
    expect(claimed(line, "AG o = 0", "fails", run)).toBe("valid");
    expect(claimed(line, "deadlock-free", "fails", run)).toBe("valid");
    expect(claimed(line, "easy-sound", "holds", run)).toBe("valid");
    const NOT_SO = "a run does not answer this question so";
    expect(claimed(line, "EF o >= 1", "fails", run)).toBe(NOT_SO);
    expect(claimed(line, "AG o = 0", "holds", run)).toBe(NOT_SO);
    expect(claimed(line, "quasi-live", "fails", run)).toBe(NOT_SO);
    // Where nothing is enabled nothing fires again; without transitions there is nothing to fire.
    expect(claimed(line, "live", "fails", run)).toBe("valid");
    expect(claimed(line, "live", "holds", run)).toBe(NOT_SO);
    const begun: QuestionEvidence = { kind: "run", run: { sequence: [0], marking: [0, 2, 0] } };
    expect(claimed(line, "live", "fails", begun)).toBe("the run leads to another marking");
    const none: QuestionEvidence = { kind: "run", run: { sequence: [], marking: [1, 0, 0] } };
    expect(claimed({ ...line, transitions: [] }, "live", "fails", none)).toBe(NOT_SO);
    expect(claimed(line, "EF o >= 2", "holds", run)).toBe("the run leads to another marking");
    const other = { sequence: [0, 1], marking: [0, 0, 2] };
    expect(claimed(line, "EF o >= 2", "holds", { kind: "run", run: other })).toBe(
      "the run reaches another marking",
    );
    expect(
      claimed(line, "easy-sound", "holds", { kind: "run", run: { sequence: [0], marking: [0, 2, 0] } }),
    ).toBe("the run leads to another marking");
    const listed = net("t: i -> a; u: a -> o", { finals: [{ a: 2 }, { o: 1 }] });
    expect(claimed(listed, "easy-sound", "holds", run)).toBe("valid");
  });

  it("[D24.1] a transition that never fires", () => {
    const starved = net("t: i -> o; v: c -> o");
    const never = (transition: number): QuestionEvidence => ({
      kind: "never-fires",
      transition,
      proof: [
        { kind: "siphon", places: [2] },
        { kind: "farkas", constraints: [0], factors: [1], places: [2], weights: [-1] },
      ],
    });
    expect(claimed(starved, "quasi-live", "fails", never(1))).not.toBe("");
    expect(claimed(starved, "quasi-live", "fails", never(1))).toBe("valid");
    expect(claimed(starved, "live", "fails", never(1))).toBe("valid");
    expect(claimed(starved, "live", "fails", never(0))).toMatch(/step 1: a place has a positive sum/);
    const NOT_SO = "a dead transition does not answer this question so";
    expect(claimed(starved, "live", "holds", never(1))).toBe(NOT_SO);
    expect(claimed(starved, "quasi-live", "holds", never(1))).toBe(NOT_SO);
    expect(claimed(starved, "deadlock-free", "fails", never(1))).toBe(NOT_SO);
  });

  it("[D24.5] weights bound", () => {
    const weights: QuestionEvidence = { kind: "weights", weights: [2, 1, 2] };
    const NOT_SO = "weights do not answer this question so";
    expect(claimed(line, "bounded", "holds", weights)).toBe("valid");
    expect(claimed(line, "structurally-bounded", "holds", weights)).toBe("valid");
    expect(claimed(line, "bounded", "fails", weights)).toBe(NOT_SO);
    expect(claimed(line, "structurally-bounded", "fails", weights)).toBe(NOT_SO);
    expect(claimed(line, "safe", "holds", weights)).toBe(NOT_SO);
    expect(claimed(line, "bounded", "holds", { kind: "weights", weights: [1, 1, 1] })).toMatch(/raises/);
  });

  it("[D24.6] why it is not sound for many tokens, of one source and one sink", () => {
    const left = (options: Parameters<typeof net>[1] = {}) => net("t: i -> a + o; u: a -> a", options);
    const drift: QuestionEvidence = { kind: "many-tokens", reason: { kind: "drift", weights: [1, 1, 1] } };
    expect(claimed(left(), "generalised-sound", "fails", drift)).toBe("valid");
    const NOT_SO = "it does not answer this question so";
    expect(claimed(left(), "generalised-sound", "holds", drift)).toBe(NOT_SO);
    expect(claimed(left(), "sound", "fails", drift)).toBe(NOT_SO);
    expect(claimed(left(), "structurally-sound", "fails", drift)).toBe(
      "drift says nothing of a single number of tokens",
    );
    const NO_ENDS = "not one source and one sink";
    for (const options of [
      { initial: { i: 2 } },
      { initial: { i: 1, a: 1 } },
      { initial: {} },
      { ends: ["o", "a"] },
      { ends: [] },
      { finals: [{ o: 1 }] },
    ])
      expect(claimed(left(options), "generalised-sound", "fails", drift)).toBe(NO_ENDS);
    // The source is the marked place, wherever it stands.
    const turned = net("u: a -> a; t: i -> a + o");
    expect(claimed(turned, "generalised-sound", "fails", drift)).toBe("valid");
  });

  it("[T24.8] the structure, with the markings that may be built", () => {
    const ring = net("t: a -> b; u: b -> a", { initial: { a: 1 }, ends: ["k"] });
    const set = { kind: "closed-set", size: 2, markings: null } as const;
    const stable: QuestionEvidence = { kind: "stable-place", place: 2, by: set };
    expect(claimed(ring, "stable-place", "holds", stable)).toBe("valid");
    expect(claimed(ring, "stable-place", "holds", stable, 2)).toBe("valid");
    expect(claimed(ring, "stable-place", "holds", stable, 1)).toBe("closed set of 2 markings");
    expect(claimed(ring, "stable-place", "fails", stable)).toBe("it does not answer this question so");
  });

  it("[D8.9] questions that are none, nets that are none or of another class", () => {
    expect(claimed(line, "EF (", "fails", twice)).not.toBe("valid");
    expect(claimed(line, "0-bounded", "holds", twice)).toBe("the number must be 1 or more");
    const OTHER = "the evidence says nothing of this net";
    expect(claimed(net("t: i -> 2a; u: 2a -> o reset i"), "EF o >= 2", "fails", twice)).toBe(OTHER);
    expect(claimed(net("t: i any a -> 2a; u: 2a -> o"), "EF o >= 2", "fails", twice)).toBe(OTHER);
    expect(claimed(net("t: i -> a; u: a -> o"), "EF o >= 2", "fails", twice)).not.toBe(OTHER);
    expect(claimed({ ...line, initial: [2 ** 31, 0, 0] }, "EF o >= 2", "fails", twice)).toBe(
      "numbers beyond 2^31 - 1",
    );
  });
});
