/** @module The checker of what is claimed by way of a reduced net, and the form of stubborn sets in a file, judged by hand. */
import { NO_RULES } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkDeadInReduced, checkReduction } from "../../src/certificate/reduced-net.ts";
import { conforms } from "../../src/certificate/shape.ts";
import { stubbornSets } from "../../src/certificate/stubborn-format.ts";
import type { ReductionStep } from "../../src/reduction/step.ts";
import type { ReducedStates, ReductionCertificate, StubbornCertificate } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;
const nothingDone = (statesMax = 10) => ({
  rules: NO_RULES,
  statesMax,
  replays: new Map(),
  enumerations: new Map(),
  graphs: new Map(),
});

describe("a certificate by way of the reduced net", () => {
  // Without q it is one transition from i to o, and has two reachable markings.
  const line = net("t: i -> q; u: q -> o");
  const steps: readonly ReductionStep[] = [{ kind: "post", place: 1 }];
  const ends: ReducedStates = {
    goal: null,
    states: [
      { marking: [1, 0], set: [0] },
      { marking: [0, 1], set: [] },
    ],
  };

  function checked(
    id: Parameters<typeof checkReduction>[1],
    states: number,
    certificate: Partial<ReductionCertificate> = {},
  ) {
    const whole = { kind: "reduction", steps, ...certificate } as const;
    return said(checkReduction(line, id, whole, { class: "enumerated", method: "", states }, nothingDone()));
  }

  it("[T13.1] is checked by enumeration, unless it has something else", () => {
    expect(checked("sound", 2)).toBe("valid");
    expect(checked("sound", 3)).toBe("not 3 reachable markings");
    expect(checked("sound", 11)).toBe("11 markings");
    expect(checked("sound", 2, { steps: [{ kind: "post", place: 2 }] })).toMatch(/^step 0, post/);
  });

  it("[T13.1] or by the rank theorem", () => {
    const rank = { kind: "rank", weights: [1, 1], firings: [1, 1], kernel: [[1, 1]], order: [0] } as const;
    expect(checked("sound", 0, { rank })).toBe("valid");
    expect(checked("sound", 2, { rank: { ...rank, weights: [1, 2] } })).toMatch(/no S-invariant/);
    expect(checked("sound", 2, { rank, steps: [{ kind: "pre", place: 0 }] })).toMatch(/^step 0, pre/);
  });

  it("[T13.1] or by stubborn sets", () => {
    const stubborn: StubbornCertificate = { kind: "stubborn", graphs: [ends] };
    expect(checked("O1", 0, { stubborn })).toBe("valid");
    expect(checked("O2", 2, { stubborn })).toBe("no graph for improper");
  });

  it("[T13.1] or by the state equation", () => {
    const equation = { kind: "weights", weights: [1, 1] } as const;
    expect(checked("bounded", 0, { equation })).toBe("valid");
    expect(checked("bounded", 2, { equation: { ...equation, weights: [1, 1, 1] } })).toMatch(/not positive/);
    expect(checked("O1", 2, { equation })).toMatch(/show nothing of O1/);
  });

  it("[D13.9] the same steps mean another thing in another net", () => {
    const options = nothingDone();
    const support = { class: "enumerated", method: "", states: 2 } as const;
    const other = net("t: i -> q; u: q + q2 -> o");
    const check = (given: typeof line) =>
      said(checkReduction(given, "O1", { kind: "reduction", steps }, support, options));
    expect(check(line)).toBe("valid");
    expect(check(other)).toMatch(/a consumer is not simple/);
    expect(check(line)).toBe("valid");
    expect(check(other)).toMatch(/a consumer is not simple/);
  });
});

describe("dead transitions by way of the reduced net", () => {
  // Reduced: from i to o (t and u), and from a, which stays empty, to o (v and w).
  const given = net("t: i -> q; u: q -> o; v: a -> b; w: b -> o");
  const at = (id: string) => given.places.findIndex((place) => place.id === id);
  const steps: readonly ReductionStep[] = [
    { kind: "post", place: at("q") },
    { kind: "post", place: at("b") },
  ];

  function never(dead: readonly number[], size: number, more: object = {}, statesMax = 10) {
    const certificate = { kind: "reduced", size, steps, ...more } as const;
    return said(checkDeadInReduced(given, new Set(dead), certificate, nothingDone(statesMax)));
  }

  it("[T13.2] are those that only what is never enabled carries", () => {
    expect(never([2, 3], 2)).toBe("valid");
    expect(never([3], 2)).toBe("valid");
    expect(never([1], 2)).toBe("transition 1 is enabled");
    expect(never([0, 1], 2)).toBe("transition 0 is enabled");
    expect(never([3, 0], 2)).toBe("transition 0 is enabled");
    expect(never([3], 3)).toBe("not 3 reachable markings");
    expect(never([3], 1)).toBe("not 1 reachable markings");
    expect(never([3], 2, {}, 2)).toBe("valid");
    expect(never([3], 2, {}, 1)).toBe("2 markings");
    expect(never([3], 2, { steps: [{ kind: "post", place: at("o") }] })).toMatch(/^step 0, post/);
  });

  it("[T13.2] are none of which the reduced net says nothing", () => {
    const pre = { steps: [{ kind: "pre", place: at("b") }] };
    expect(never([3], 3, pre)).toBe("valid");
    expect(never([2], 3, pre)).toBe("the reduced net says nothing of transition 2");
    expect(never([3, 2], 3, pre)).toBe("the reduced net says nothing of transition 2");
  });

  it("[T13.2] [T25.2] or those for which reduced graphs show it", () => {
    // In the numbers of the reduced net: places i, o and a.
    const silent: ReducedStates = {
      goal: { kind: "enabled", transition: 1 },
      states: [{ marking: [1, 0, 0], set: [1] }],
    };
    const stubborn = (...graphs: ReducedStates[]) => ({ stubborn: { kind: "stubborn", graphs } });
    expect(never([2, 3], 0, stubborn(silent))).toBe("valid");
    expect(never([3], 0, stubborn(silent))).toBe("valid");
    expect(never([1], 0, stubborn(silent))).toBe("no graph for enabled");
    expect(never([2, 0], 0, stubborn(silent))).toBe("no graph for enabled");
    expect(never([3], 2, stubborn())).toBe("no graph for enabled");
  });
});

describe("stubborn sets in a file", () => {
  const fits = (value: object) => conforms(stubbornSets, value as never, { places: 2, transitions: 1 });
  const state = { marking: [1, 0], set: [0] };
  const ofGoal = (goal: unknown, ...states: object[]) => ({ graphs: [{ goal, states }] });

  it("[D25.3] have a goal or none, and a marking with a set for each state", () => {
    for (const goal of [
      null,
      { kind: "improper" },
      { kind: "crowded", place: 1 },
      { kind: "enabled", transition: 0 },
    ])
      expect(fits(ofGoal(goal, state, state)), JSON.stringify(goal)).toBe(true);
    for (const goal of [
      undefined,
      1,
      {},
      { kind: "other" },
      { kind: "crowded" },
      { kind: "enabled" },
      { kind: "crowded", transition: 1 },
      { kind: "enabled", place: 1 },
      { kind: "improper", place: 1 },
      { kind: "crowded", place: -1 },
      { kind: "enabled", transition: 0.5 },
    ])
      expect(fits(ofGoal(goal, state)), JSON.stringify(goal)).toBe(false);
    for (const other of [
      { marking: [1] },
      { set: [0] },
      { ...state, set: [-1] },
      { ...state, marking: [0.5] },
      { ...state, set: 0 },
      { ...state, more: 1 },
    ])
      expect(fits(ofGoal(null, state, other)), JSON.stringify(other)).toBe(false);
  });

  it("[D25.3] may have runs", () => {
    expect(fits({ graphs: [] })).toBe(true);
    expect(fits({ graphs: [], runs: [] })).toBe(true);
    expect(fits({ graphs: [], runs: [[0, 1], []] })).toBe(true);
    expect(fits({ graphs: [], runs: [0] })).toBe(false);
    expect(fits({ graphs: [], runs: [[-1]] })).toBe(false);
    expect(fits({ runs: [] })).toBe(false);
    expect(fits({ graphs: {} })).toBe(false);
    expect(fits({ graphs: [], more: [] })).toBe(false);
    expect(fits({ graphs: [{ goal: null }] })).toBe(false);
    expect(fits({ graphs: [{ goal: null, states: [], more: 1 }] })).toBe(false);
  });
});
