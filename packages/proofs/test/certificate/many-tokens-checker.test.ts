/** @module The checker of why a net is not sound for many tokens, on nets small enough to be judged by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { isInGoal } from "../../src/certificate/goal.ts";
import {
  checkManyTokens,
  everFireable,
  isOpenEnded,
  type ManyTokensQuestion,
  onlyOn,
} from "../../src/certificate/many-tokens.ts";
import type { EquationStep, ManyTokens } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

function at(n: Net, id: string): number {
  return n.places.findIndex((place) => place.id === id);
}

function refuted(n: Net, reason: ManyTokens, question: ManyTokensQuestion = "generalised-sound"): string {
  const checked = checkManyTokens(n, { source: at(n, "i"), sink: at(n, "o") }, question, reason);
  return checked.kind === "valid" ? "valid" : checked.reason;
}

const NOT_OPEN = "not one source that is never filled, one sink, and tokens that never vanish";
const left = net("t: i -> a + o; u: a -> a");
const gained = (firings: readonly number[], tokens: number): ManyTokens => ({
  kind: "gain",
  firings,
  tokens,
});
const drifting = (...weights: number[]): ManyTokens => ({ kind: "drift", weights });

describe("nets for many tokens", () => {
  it("[D24.6] the source is never filled, nothing takes from the sink, and every transition leaves a token", () => {
    const ends = (n: Net) => isOpenEnded(n, { source: at(n, "i"), sink: at(n, "o") });
    expect(ends(left)).toBe(true);
    expect(ends(net("t: i -> a + o; u: a -> "))).toBe(false);
    expect(ends(net("t: i -> a + o; u: a -> i"))).toBe(false);
    expect(ends(net("t: i -> a + o; u: o -> a"))).toBe(false);
    expect(ends(net("t: i -> a + o; u: a -> i + a"))).toBe(false);
    expect(ends(net("t: i -> a + o; u: o + a -> a"))).toBe(false);
    expect(isOpenEnded(net("t: a -> b"), { source: 2, sink: 2 })).toBe(false);
    expect(isOpenEnded(net("t: a -> b"), { source: 2, sink: 3 })).toBe(true);
    expect(refuted(net("t: i -> a + o; u: a -> i"), drifting(1, 1, 1))).toBe(NOT_OPEN);
  });

  it("[D24.6] only plain and weighted nets are asked", () => {
    expect(refuted(left, drifting(1, 1, 1))).toBe("valid");
    expect(refuted(net("t: i -> 2a + o; u: a -> a"), drifting(1, 1, 1))).toBe("valid");
    expect(refuted(net("t: i -> a + o reset a; u: a -> a"), drifting(1, 1, 1))).toBe(NOT_OPEN);
    expect(refuted(net("t: i -> a + o; u: a any i -> a"), drifting(1, 1, 1))).toBe(NOT_OPEN);
  });

  it("[D24.6] what holds of large numbers says nothing of a single one", () => {
    for (const reason of [
      drifting(1, 1, 1),
      gained([1, 0], 1),
      { kind: "lasting-trap", places: [1] },
    ] as const) {
      expect(refuted(left, reason)).toBe("valid");
      expect(refuted(left, reason, "structurally-sound")).toBe(
        `${reason.kind} says nothing of a single number of tokens`,
      );
    }
  });

  it("[D24.6] what fires once there are tokens enough", () => {
    const chained = net("w: b + c -> o; v: a -> b; u: i -> a; x: d -> c; y: -> e");
    expect([...everFireable(chained, at(chained, "i"))].sort()).toEqual([1, 2, 4]);
    expect([...everFireable(net("v: a + b -> o; t: i -> a; u: i -> b"), 3)].sort()).toEqual([0, 1, 2]);
    // Numbers of tokens do not matter.
    expect(everFireable(net("t: 3i -> a"), 0).size).toBe(1);
  });

  it("[D24.6] only on a place: one token there and no other", () => {
    const goal = onlyOn(left, 2);
    const inside = [
      [0, 0, 1],
      [0, 0, 0],
      [0, 0, 2],
      [1, 0, 1],
      [0, 1, 1],
      [1, 0, 0],
    ].map((M) => isInGoal(goal, M));
    expect(inside).toEqual([true, false, false, false, false, false]);
  });
});

describe("why a net is not sound for many tokens", () => {
  it("[D24.6] a trap that is marked and has no sink", () => {
    const room = net("t: i -> a; u: i -> o; v: a -> b; w: b -> a; x: c -> d; y: d -> c");
    const trap = (n: Net, ...ids: string[]) =>
      refuted(n, { kind: "lasting-trap", places: ids.map((id) => at(n, id)) });
    const NO_TRAP = "no trap that is marked for ever";
    expect(trap(room, "a", "b")).toBe("valid");
    expect(trap(room, "a")).toBe(NO_TRAP);
    expect(trap(room, "a", "b", "o")).toBe(NO_TRAP);
    expect(trap(room, "c", "d")).toBe(NO_TRAP);
    expect(trap(room)).toBe(NO_TRAP);
    expect(trap(room, "i", "a", "b")).toBe(NO_TRAP);
    // One place of several is enough: to be taken from, to be put back, to be marked.
    const paired = net("t: i -> b + c; v: b + c -> a + d; w: a + d -> b + c; x: i -> o");
    expect(trap(paired, "b", "a")).toBe("valid");
    expect(trap(paired, "b")).toBe(NO_TRAP);
    // Nothing takes from the source.
    const still = net("w: x -> o");
    expect(trap({ ...still, places: [...still.places, { id: "i", role: "control" }] }, "i")).toBe("valid");
  });

  it("[D24.6] a sum that never falls, can rise, and is no greater at the end", () => {
    expect(refuted(left, drifting(1, 1, 1))).toBe("valid");
    expect(refuted(left, drifting(2, 0, 2))).toBe("the weights do not drift");
    expect(refuted(left, drifting(2, 1, 2))).toBe("valid");
    expect(refuted(left, drifting(1, 1, 2))).toBe("the weights do not drift");
    expect(refuted(left, drifting(0, 0, 0))).toBe("the weights do not drift");
    expect(refuted(left, drifting(1, 1))).toMatch(/not one weight/);
    expect(refuted(left, drifting(1, 1, 1, 1))).toMatch(/not one weight/);
    const falling = net("t: i -> 2a; v: a -> o");
    expect(refuted(falling, drifting(1, 2, 1))).toBe("the weights do not drift");
    expect(refuted(falling, drifting(2, 1, 1))).toBe("the weights do not drift");
    expect(refuted(falling, drifting(1, 1, 1))).toBe("valid");
    expect(refuted(net("t: 2i -> a; v: a -> o"), drifting(1, 1, 1))).toBe("the weights do not drift");
    // Of two tokens one is left: what weighs twice as much stays the same.
    expect(refuted(net("t: 2i -> a; v: a -> 2o + b"), drifting(1, 2, 1, 1))).toBe("valid");
    // What never fires may lower the sum, and its rise is none.
    const idle = net("t: i -> a; v: a -> o; x: c -> d");
    expect(refuted(idle, drifting(1, 1, 1, 0, 5))).toBe("the weights do not drift");
    expect(refuted(net("t: i -> a + o; x: c -> d"), drifting(1, 1, 1, 5, 0))).toBe("valid");
  });

  it("[D24.6] firings that leave more than they must", () => {
    expect(refuted(left, gained([1, 0], 1))).toBe("valid");
    expect(refuted(left, gained([2, 7], 2))).toBe("valid");
    expect(refuted(left, gained([1, 0], 0))).toBe("nothing is gained");
    expect(refuted(left, gained([1, 0], 2))).toBe("nothing is gained");
    expect(refuted(left, gained([0, 0], 0))).toBe("nothing is gained");
    expect(refuted(left, gained([1], 1))).toMatch(/not one count/);
    expect(refuted(left, gained([1, 0, 0], 1))).toMatch(/not one count/);
    expect(refuted(left, gained([1, -1], 1))).toBe("counts of what never fires");
    expect(refuted(left, gained([1, 0.5], 1))).toBe("counts of what never fires");
    expect(refuted(left, gained([1, 0], -1))).toBe("counts of what never fires");
    expect(refuted(left, gained([1, 0], 0.5))).toBe("counts of what never fires");
    const sound = net("t: i -> a; v: a -> o");
    expect(refuted(sound, gained([1, 1], 1))).toBe("nothing is gained");
    const weighted = net("t: 2i -> a + 2o; u: a -> a");
    expect(refuted(weighted, gained([1, 0], 2))).toBe("valid");
    expect(refuted(weighted, gained([1, 0], 1))).toBe("nothing is gained");
    // The loop at c would gain, if anything ever put a token there.
    const idle = net("t: i -> o; x: c -> c + d");
    expect(refuted(idle, gained([0, 1], 0))).toBe("counts of what never fires");
    expect(refuted(net("t: i -> o; u: i -> c; x: c -> c + d"), gained([0, 0, 1], 0))).toBe("valid");
    // Without a token more on the source, the loop alone gains.
    expect(refuted(net("t: i -> a; x: a -> a + o"), gained([0, 1], 0))).toBe("valid");
  });

  it("[D24.6] a run from one token after which the sink alone is out of reach, of any multiple", () => {
    const room = net("t: i -> a; u: i -> o; v: a -> b; w: b -> a", { initial: { i: 7 } });
    // Places i, a, o, b; two bounds of each, then what the trap adds.
    const close: EquationStep = {
      kind: "farkas",
      constraints: [3, 7, 8],
      factors: [1, 1, 1],
      places: [],
      weights: [],
    };
    const run = { sequence: [0], marking: [0, 1, 0, 0] };
    const stuck = (steps: readonly EquationStep[], made = run): ManyTokens => ({
      kind: "stuck",
      run: made,
      steps,
    });
    const trap: EquationStep = { kind: "trap", places: [1, 3] };
    expect(refuted(room, stuck([trap, close]))).toBe("valid");
    expect(refuted(room, stuck([trap, close]), "structurally-sound")).toBe("valid");
    expect(refuted(room, stuck([trap, close], { ...run, sequence: [1] }))).toMatch(/another marking/);
    expect(refuted(room, stuck([trap, close], { ...run, sequence: [0, 0] }))).toMatch(
      /firing 1 is not enabled/,
    );
    expect(refuted(room, stuck([trap]))).toBe("1 cases are left");
    const OF_ONE = "the argument is of one number of tokens only";
    expect(refuted(room, stuck([{ kind: "trap", places: [1, 3, 2] }, trap, close]))).toBe(OF_ONE);
    expect(refuted(room, stuck([{ kind: "value", place: 0, at: 0 }, trap, close, trap, close]))).toBe(OF_ONE);
    expect(refuted(room, stuck([{ kind: "either", clause: 0 }, trap, close]))).toBe(OF_ONE);
  });

  it("[D24.6] the state equation and empty siphons exclude every multiple", () => {
    const single = net("t: 2i -> o");
    const sum: EquationStep = {
      kind: "farkas",
      constraints: [2],
      factors: [2],
      places: [0, 1],
      weights: [-1, -2],
    };
    const none = { sequence: [], marking: [1, 0] };
    expect(refuted(single, { kind: "stuck", run: none, steps: [sum] })).toBe("valid");
    const starved = net("t: i -> a; u: a + x -> o + x");
    const dead: EquationStep = {
      kind: "farkas",
      constraints: [6],
      factors: [1],
      places: [3],
      weights: [-1],
    };
    const waits = { sequence: [0], marking: [0, 1, 0, 0] };
    expect(starved.places.map(({ id }) => id)).toEqual(["i", "a", "x", "o"]);
    expect(
      refuted(starved, { kind: "stuck", run: waits, steps: [{ kind: "siphon", places: [2] }, dead] }),
    ).toBe("valid");
    expect(refuted(starved, { kind: "stuck", run: waits, steps: [dead] })).toMatch(/transition 1 lowers/);
  });
});
