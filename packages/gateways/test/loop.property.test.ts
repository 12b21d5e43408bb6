import { type KindSpec, type KindTable, kindTable, type WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { loopBranch, STANDARD_KINDS } from "../src/index.ts";
import { arcs, enabledMoves, fired, node, type Play, playOf, workflow } from "./workflow-text.ts";

type Branch = "pass" | "fail" | "exhausted";

/** Definition 20.15 read literally: the branches that a word of verdicts leads to, until the loop is left. */
function literalLoop(verdicts: readonly boolean[], b: number): readonly Branch[] {
  const branches: Branch[] = [];
  let c = 0;
  for (const verdict of verdicts) {
    const branch: Branch = verdict ? "pass" : c < b ? "fail" : "exhausted";
    branches.push(branch);
    if (branch !== "fail") return branches;
    c = c + 1;
  }
  return branches;
}

/** All words of verdicts up to `length`. */
function words(length: number): readonly (readonly boolean[])[] {
  if (length === 0) return [[]];
  const shorter = words(length - 1);
  const longest = shorter.filter((word) => word.length === length - 1);
  return [
    ...shorter,
    ...longest.flatMap((word) => [
      [...word, true],
      [...word, false],
    ]),
  ];
}

const loopMeta = (id: string, budget: number, passKey: string, body: readonly string[]) => ({
  loop: { id, budget, passKey, proves: "it is right", body: [...body] },
});

/** m merges, v verifies, d decides; fail leads over the repair r back to m, exhausted to the person h. */
const simple = (b: number): WorkflowDefinition =>
  workflow(
    [
      node("m", "gateway"),
      node("v", "verifier", { meta: { passKey: "ok" } }),
      node("d", "decision", { meta: loopMeta("l", b, "ok", ["m", "v", "r"]) }),
      node("r", "transform"),
      node("h", "human"),
      node("e", "end"),
    ]
      .filter(({ id }) => b > 0 || id !== "r")
      .map((n) => (n.id === "d" && b === 0 ? { ...n, meta: loopMeta("l", b, "ok", ["m", "v"]) } : n)),
    arcs(
      "m -> v, v -> d, d:pass -> e, d:exhausted -> h, h -> e",
      b > 0 ? "d:fail -> r, r -> m" : "d:fail -> m",
    ),
  );

/** An outer loop around an inner one: mo, [mi, vi, di, ri], hi, vo, do. */
const nested = (inner: number, outer: number): WorkflowDefinition =>
  workflow(
    [
      node("mo", "gateway"),
      node("mi", "gateway"),
      node("vi", "verifier", { meta: { passKey: "inner" } }),
      node("di", "decision", { meta: loopMeta("inner", inner, "inner", ["mi", "vi"]) }),
      node("hi", "human"),
      node("vo", "verifier", { meta: { passKey: "outer" } }),
      node("do", "decision", {
        meta: loopMeta("outer", outer, "outer", ["mo", "mi", "vi", "di", "hi", "vo"]),
      }),
      node("h", "human"),
      node("e", "end"),
    ],
    arcs(
      "mo -> mi, mi -> vi, vi -> di, di:fail -> mi, di:pass -> vo, di:exhausted -> hi, hi -> vo",
      "vo -> do, do:fail -> mo, do:pass -> e, do:exhausted -> h, h -> e",
    ),
  );

/** Tokens on a place by id. */
function tokens({ net, marking }: Play, id: string): number {
  const place = net.places.findIndex((candidate) => candidate.id === id);
  return place === -1 ? 0 : (marking[place] ?? 0);
}

/** The one branch that the net offers `decision` for a verdict: pass for true, fail or exhausted for false. */
function offered(play: Play, decision: string, verdict: boolean): Branch {
  const outcomes: readonly Branch[] = verdict ? ["pass"] : ["fail", "exhausted"];
  const possible = outcomes.filter((outcome) => enabledMoves(play, { node: decision, outcome }).length > 0);
  expect(possible).toHaveLength(1);
  return possible[0] as Branch;
}

/** Fires what is enabled of nodes without a choice, until one of the decisions or nothing is. */
function advanced(play: Play, decisions: readonly string[]): Play {
  let current = play;
  for (;;) {
    const { net, compiled } = current;
    const t = net.transitions.find(({ origin }) => {
      const id = compiled.definition.nodes[origin?.node ?? -1]?.id ?? "";
      return !decisions.includes(id) && enabledMoves(current, { node: id }).length > 0;
    });
    const id = compiled.definition.nodes[t?.origin?.node ?? -1]?.id;
    if (id === undefined) return current;
    current = fired(current, id);
  }
}

const WORD_LENGTH = 8;

/**
 * Walks all words of verdicts up to WORD_LENGTH as a tree; a word ends early where `next` says that nothing asks for a
 * verdict any more, since what follows is not read.
 */
function walkWords<S>(
  state: S,
  next: (state: S, verdict: boolean, word: readonly boolean[]) => S | null,
): number {
  let count = 0;
  const visit = (current: S, word: readonly boolean[]) => {
    count += 1;
    if (word.length === WORD_LENGTH) return;
    for (const verdict of [true, false]) {
      const longer = [...word, verdict];
      const after = next(current, verdict, longer);
      if (after === null) count += 1;
      else visit(after, longer);
    }
  };
  visit(state, []);
  return count;
}

interface Walked {
  readonly play: Play;
  readonly branches: readonly string[];
}

/** Law: for every word up to length 8 the net gives the branches of 20.15, and left + spent = b inside, 0 outside. */
function simpleLaw(b: number, kinds: KindTable = STANDARD_KINDS): void {
  const start: Walked = { play: advanced(playOf(simple(b), kinds), ["d"]), branches: [] };
  const count = walkWords(start, ({ play, branches }, verdict, word) => {
    expect(tokens(play, "d.left")).toBe(b - branches.length);
    expect(tokens(play, "d.spent")).toBe(branches.length);
    const branch = offered(play, "d", verdict);
    const taken = [...branches, branch];
    expect(taken).toEqual(literalLoop(word, b));
    const after = fired(play, { node: "d", outcome: branch });
    const settled = advanced(after, ["d"]);
    if (branch === "fail") return { play: settled, branches: taken };
    expect([tokens(after, "d.left"), tokens(after, "d.spent")]).toEqual([0, 0]);
    expect(tokens(settled, "e.end")).toBe(1);
    return null;
  });
  // false^i and false^i true for i up to b, the word of b + 1 times false, and nothing else.
  expect(count).toBe(2 * b + 3);
}

/** The same for two loops: each verdict of the word goes to the decision whose turn it is. */
function literalNested(word: readonly boolean[], inner: number, outer: number): readonly string[] {
  const branches: string[] = [];
  let [innerFails, outerFails, isInner] = [0, 0, true];
  for (const verdict of word) {
    const branch = literalLoop(
      [...Array<boolean>(isInner ? innerFails : outerFails).fill(false), verdict],
      isInner ? inner : outer,
    ).at(-1);
    branches.push(`${isInner ? "di" : "do"} ${branch}`);
    if (isInner && branch === "fail") innerFails += 1;
    else if (isInner) isInner = false;
    else if (branch === "fail") [innerFails, outerFails, isInner] = [0, outerFails + 1, true];
    else break;
  }
  return branches;
}

function nestedLaw(inner: number, outer: number, kinds: KindTable = STANDARD_KINDS): void {
  const start: Walked = { play: advanced(playOf(nested(inner, outer), kinds), ["di", "do"]), branches: [] };
  walkWords(start, ({ play, branches }, verdict, word) => {
    const decision = ["di", "do"].find((id) => enabledMoves(play, { node: id }).length > 0);
    if (decision === undefined) return null;
    const branch = offered(play, decision, verdict);
    const taken = [...branches, `${decision} ${branch}`];
    expect(taken).toEqual(literalNested(word, inner, outer));
    const after = advanced(fired(play, { node: decision, outcome: branch }), ["di", "do"]);
    const isInner = enabledMoves(after, { node: "di" }).length > 0;
    const isInside = isInner || enabledMoves(after, { node: "do" }).length > 0;
    expect(tokens(after, "di.left") + tokens(after, "di.spent")).toBe(isInner ? inner : 0);
    expect(tokens(after, "do.left") + tokens(after, "do.spent")).toBe(isInside ? outer : 0);
    if (!isInside) expect(taken).toEqual(literalNested([...word, true, false], inner, outer));
    return { play: after, branches: taken };
  });
}

/** The standard kinds with another budget for the counters than the one that meta states. */
function withBudget(change: (budget: number) => number): KindTable {
  const decision = STANDARD_KINDS.get("decision") as KindSpec;
  const rewrite: KindSpec["rewrite"] = (of, b) => {
    const loop = of.meta?.loop as { readonly budget: number };
    const changed = { ...of, meta: { ...of.meta, loop: { ...loop, budget: change(loop.budget) } } };
    return decision.rewrite?.(changed, b) ?? ((t) => [t]);
  };
  return kindTable([{ ...decision, rewrite }], STANDARD_KINDS);
}

describe("[D20.15] the governed loop", () => {
  it("[D20.15] [C20-54] [C20-55] [C20-56] [C20-57] [C20-58] loopBranch is the definition for every budget to 6, count to 8 and verdict", () => {
    for (let b = 0; b <= 6; b += 1)
      for (let c = 0; c <= 8; c += 1) {
        expect(loopBranch(true, c, b)).toBe("pass");
        expect(loopBranch(false, c, b)).toBe(c < b ? "fail" : "exhausted");
      }
    for (const word of words(8)) {
      for (let b = 0; b <= 6; b += 1) {
        const branches = word.map((verdict, c) => loopBranch(verdict, c, b));
        const left = branches.findIndex((branch) => branch !== "fail");
        expect(left === -1 ? branches : branches.slice(0, left + 1)).toEqual(literalLoop(word, b));
      }
    }
  });

  it("[D20.15] [C20-59] a verdict that is missing or no boolean is neither pass nor fail", () => {
    for (const verdict of [undefined, null, "true", 1, 0, "", [], {}])
      expect(loopBranch(verdict, 0, 3)).toBe("error");
  });

  it("[D20.15] [C20-57] b fails and b + 1 evaluations at most", () => {
    for (let b = 0; b <= 6; b += 1) {
      const branches = literalLoop(Array<boolean>(20).fill(false), b);
      expect(branches).toHaveLength(b + 1);
      expect(branches.filter((branch) => branch === "fail")).toHaveLength(b);
    }
  });
});

describe("[D7.1] [D20.15] the counters in the net", () => {
  for (let b = 0; b <= 6; b += 1) {
    it(`[D7.1] [D20.15] [C20-63] [C20-80] budget ${b}: every word of verdicts up to length 8 takes the branches of the definition`, () =>
      simpleLaw(b));
  }

  it("[D7.1] [D20.15] [C20-64] two levels, budgets 0 to 3 each, every word up to length 8: a fresh inner budget each round", () => {
    for (let inner = 0; inner <= 3; inner += 1)
      for (let outer = 0; outer <= 3; outer += 1) nestedLaw(inner, outer);
  });

  it("[D7.1] the laws catch a budget that is one too large or one too small, and an inner budget that is not fresh", () => {
    expect(() =>
      simpleLaw(
        2,
        withBudget((budget) => budget + 1),
      ),
    ).toThrow();
    expect(() =>
      simpleLaw(
        2,
        withBudget((budget) => budget - 1),
      ),
    ).toThrow();
    expect(() =>
      nestedLaw(
        1,
        2,
        withBudget((budget) => budget + 1),
      ),
    ).toThrow();
    const decision = STANDARD_KINDS.get("decision") as KindSpec;
    const keeping: KindSpec["rewrite"] = (of, b) => {
      const rewrite = decision.rewrite?.(of, b) ?? ((t) => [t]);
      // The exits do not take the counters with them.
      return (t) =>
        rewrite(t)
          .map((made) => (made.origin.counts === undefined ? made : { ...made, pre: t.pre }))
          .slice(0, 1);
    };
    expect(() => nestedLaw(1, 1, kindTable([{ ...decision, rewrite: keeping }], STANDARD_KINDS))).toThrow();
  });
});
