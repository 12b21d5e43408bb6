/** @module The checkers of stubborn sets and reduced graphs on nets small enough to be judged by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkedGraph, completes, hasNoDeadlock } from "../../src/certificate/reduced-graph.ts";
import { checkNeverEnabled, checkStubborn } from "../../src/certificate/stubborn.ts";
import { arcsOf, isDirected, isReached, stubbornFault } from "../../src/certificate/stubborn-set.ts";
import type { Goal, ReducedStates, StubbornCertificate } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const block = net("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o");
const [T, U, V, W] = [0, 1, 2, 3];
const step = net("t: i -> o");

/** The marking with a token on each of these places: "a b b". */
function marking(given: Net, text: string): number[] {
  const M = given.places.map(() => 0);
  for (const id of text.split(" ").filter((name) => name !== ""))
    M[given.places.findIndex((place) => place.id === id)]! += 1;
  return M;
}

type Listed = readonly [marking: string, ...set: number[]];

function graph(given: Net, goal: Goal | null, ...states: Listed[]): ReducedStates {
  return { goal, states: states.map(([text, ...set]) => ({ marking: marking(given, text), set })) };
}

const crowded = (given: Net, id: string): Goal => ({
  kind: "crowded",
  place: given.places.findIndex((place) => place.id === id),
});
const improper: Goal = { kind: "improper" };
const enabled = (transition: number): Goal => ({ kind: "enabled", transition });
const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

describe("a stubborn set", () => {
  const fault = (given: Net, text: string, ...set: number[]) =>
    stubbornFault(arcsOf(given), marking(given, text), new Set(set));

  it("[D25.2] has, of what is enabled, what is in conflict with it", () => {
    const choice = net("t: i -> a; u: i -> b; v: c -> o");
    expect(fault(choice, "i")).toBeNull();
    expect(fault(choice, "i", 0)).toBe("transition 1 is in conflict with 0");
    expect(fault(choice, "i", 1)).toBe("transition 0 is in conflict with 1");
    expect(fault(choice, "i c", 0, 1)).toBeNull();
    expect(fault(choice, "i c", 2)).toBeNull();
    expect(fault(choice, "i", 9)).toBe("no transition 9");
  });

  it("[D25.1] what only reads a place, or adds to it, is in no conflict there", () => {
    const readers = net("t: i + r -> a + r; u: b + r -> c + r");
    expect(fault(readers, "i b r", 0)).toBeNull();
    const adders = net("t: r -> 2r; u: r -> 2r");
    expect(fault(adders, "r", 0)).toBeNull();
    const taker = net("t: i + r -> a + r; u: b + r -> c");
    expect(fault(taker, "i b r", 0)).toBe("transition 1 is in conflict with 0");
    expect(fault(taker, "i b r", 1)).toBe("transition 0 is in conflict with 1");
    const heavy = net("t: 2r -> r; u: r -> r");
    expect(fault(heavy, "r r", 1)).toBe("transition 0 is in conflict with 1");
    expect(fault(heavy, "r r", 0)).toBe("transition 1 is in conflict with 0");
  });

  it("[D25.2] has, of what is not enabled, all that adds to a place that it lacks", () => {
    expect(fault(block, "a b", W)).toBe("transition 3 has no scapegoat");
    expect(fault(block, "a b", W, U)).toBeNull();
    expect(fault(block, "a b", W, V)).toBeNull();
    expect(fault(block, "c b", W, V)).toBeNull();
    expect(fault(block, "c b", W, U)).toBe("transition 3 has no scapegoat");
    expect(fault(block, "c d", W)).toBeNull();
    const two = net("t: i -> a; u: j -> a; v: a -> o");
    expect(fault(two, "i j", 2, 0)).toBe("transition 2 has no scapegoat");
    expect(fault(two, "i j", 2, 1)).toBe("transition 2 has no scapegoat");
    expect(fault(two, "i j", 2, 1, 0)).toBeNull();
  });

  it("[D25.2] what gives back as much as it takes adds nothing", () => {
    expect(fault(net("t: e -> e; u: e -> o"), "", 1)).toBeNull();
    expect(fault(net("t: 2e -> e; u: e -> o"), "", 1)).toBeNull();
    expect(fault(net("t: e -> 2e; u: e -> o"), "", 1)).toBe("transition 1 has no scapegoat");
  });

  it("[D25.2] weights count", () => {
    const pair = net("t: 2i -> o; u: i -> a; v: a -> i");
    expect(fault(pair, "i", 0)).toBe("transition 0 has no scapegoat");
    expect(fault(pair, "i", 0, 1, 2)).toBeNull();
    expect(fault(pair, "i i", 0, 2)).toBe("transition 1 is in conflict with 0");
  });
});

describe("a directed set", () => {
  it("[D25.4] markings with a goal", () => {
    const has = (goal: Goal, text: string) => isReached(block, goal, marking(block, text));
    expect([has(improper, "o"), has(improper, "o o"), has(improper, "a a")]).toEqual([false, true, false]);
    const c = crowded(block, "c");
    expect([has(c, "c"), has(c, "c c"), has(c, "d d"), has(c, "c c c")]).toEqual([false, true, false, true]);
    expect(has({ kind: "crowded", place: 99 }, "c c")).toBe(false);
    expect([has(enabled(W), "c"), has(enabled(W), "c d"), has(enabled(U), "c d")]).toEqual([
      false,
      true,
      false,
    ]);
  });

  const directed = (given: Net, goal: Goal, text: string, ...set: number[]) =>
    isDirected(given, arcsOf(given), goal, marking(given, text), new Set(set));

  it("[D25.4] has the transition, what adds to the place, or to the end places", () => {
    expect(directed(block, enabled(W), "i", W)).toBe(true);
    expect(directed(block, enabled(W), "i", U)).toBe(false);
    const two = net("t: i -> a; u: j -> a; v: a -> o", { ends: ["o", "a"] });
    expect(directed(two, crowded(two, "a"), "i", 0)).toBe(false);
    expect(directed(two, crowded(two, "a"), "i", 0, 1)).toBe(true);
    expect(directed(two, crowded(two, "i"), "i")).toBe(true);
    expect(directed(two, { kind: "crowded", place: 99 }, "i", 0, 1, 2)).toBe(false);
    expect(directed(two, improper, "i", 0, 1)).toBe(false);
    expect(directed(two, improper, "i", 2)).toBe(false);
    expect(directed(two, improper, "i", 0, 1, 2)).toBe(true);
  });

  it("[D25.4] with listed final markings: what is enabled at one, else what adds to a place that each lacks", () => {
    const given = net("t: i -> a; u: a -> b; v: i -> b; w: a -> a", {
      finals: [{ a: 1 }, { b: 2 }],
    });
    expect(directed(given, improper, "a", 1)).toBe(false);
    expect(directed(given, improper, "a", 3)).toBe(false);
    expect(directed(given, improper, "a", 1, 3)).toBe(true);
    // At i: of the first t adds to what it lacks, of the second u and v.
    expect(directed(given, improper, "i", 0)).toBe(false);
    expect(directed(given, improper, "i", 1, 2)).toBe(false);
    expect(directed(given, improper, "i", 0, 1, 2)).toBe(true);
    // What a final marking does not lack is no way to direct to it.
    const both = net("t: i -> a; u: i -> b", { finals: [{ a: 1, b: 1 }] });
    expect(directed(both, improper, "i", 1)).toBe(true);
    expect(directed(both, improper, "b", 1)).toBe(false);
    expect(directed(both, improper, "b", 0)).toBe(true);
  });
});

describe("a reduced graph", () => {
  const why = (given: Net, listed: ReducedStates) => {
    const checked = checkedGraph(given, listed);
    return typeof checked === "string" ? checked : "a graph";
  };
  const terminal = (...states: Listed[]) => graph(block, null, ...states);

  it("[D25.5] of a block needs one order of its branches", () => {
    const listed = terminal(["i", T], ["a b", U], ["c b", V], ["c d", W], ["o"]);
    const checked = checkedGraph(block, listed);
    expect(checked).toEqual({
      markings: ["i", "a b", "c b", "c d", "o"].map((text) => marking(block, text)),
      edges: [[1], [2], [3], [4], []],
      enabled: [[T], [U, V], [V], [W], []],
      sets: [[T], [U], [V], [W], []].map((set) => new Set(set)),
    });
  });

  it("[D25.3] [D25.5] each of its conditions is needed", () => {
    const states: Listed[] = [["i", T], ["a b", U], ["c b", V], ["c d", W], ["o"]];
    const but = (index: number, ...state: Listed[]) =>
      why(block, terminal(...states.with(index, ["o"]), ...state));
    expect(but(0)).toBe("the start is missing");
    expect(but(2)).toBe("state 1: what transition 1 leads to is missing");
    expect(but(4, ["i"])).toBe("state 5: nothing of the set is enabled");
    expect(but(1, ["a b"])).toBe("state 5: nothing of the set is enabled");
    expect(but(1, ["a b", W])).toBe("state 5: transition 3 has no scapegoat");
    expect(but(1, ["a b", U, V])).toBe("state 5: what transition 2 leads to is missing");
    expect(but(1, ["a b", U], ["a d", U])).toBe("a graph");
    const short = [...terminal(...states).states, { marking: [1, 0], set: [] }];
    expect(why(block, { goal: null, states: short })).toBe("no marking of the net");
    expect(why(net("t: i -> 2o"), graph(step, null, ["i", 0], ["o"]))).toMatch(/missing/);
    expect(why(net("t: i -> 2o"), graph(step, null, ["i", 0], ["o o"]))).toBe("a graph");
  });

  it.each([
    ["reset", net("t: i -> o reset i")],
    ["non-local", { ...step, transitions: step.transitions.map((t) => ({ ...t, rule: "r" as never })) }],
  ])("[D25.3] is not stated for %s nets", (kind, given) => {
    expect(why(given, graph(step, null, ["i", 0], ["o"]))).toBe(
      `stubborn sets are not stated for ${kind} nets`,
    );
  });

  it("[T25.1] with a goal every set is directed to it and no marking has it", () => {
    const c = crowded(block, "c");
    expect(why(block, graph(block, c, ["i", U, T], ["a b", U], ["c b", U, T]))).toBe("a graph");
    expect(why(block, graph(block, c, ["i", T], ["a b", U], ["c b", U, T]))).toBe(
      "state 0: not directed to the goal",
    );
    expect(why(block, graph(block, c, ["i", U, T], ["a b", U], ["c b", U, T], ["c c"]))).toBe(
      "state 3 has the goal",
    );
    // Nothing that is enabled need be in the set.
    expect(why(block, graph(block, crowded(block, "i"), ["i"]))).toBe("a graph");
    expect(why(block, graph(block, null, ["i"]))).toBe("state 0: nothing of the set is enabled");
  });

  const checkedOf = (given: Net, listed: ReducedStates) => {
    const checked = checkedGraph(given, listed);
    if (typeof checked === "string") throw new Error(checked);
    return checked;
  };

  it("[T25.4] completes where each state leads to a final one", () => {
    const whole = terminal(["i", T], ["a b", U], ["c b", V], ["c d", W], ["o"]);
    expect(completes(block, checkedOf(block, whole))).toBe(true);
    const stuck = net("t: i -> o; u: i -> a");
    const states = graph(stuck, null, ["i", 0, 1], ["o"], ["a"]);
    expect(completes(stuck, checkedOf(stuck, states))).toBe(false);
    const alone = graph(step, null, ["i", 0], ["o"], [""]);
    expect(completes(step, checkedOf(step, alone))).toBe(false);
  });

  it("[D25.6] completes not where something is put off for ever", () => {
    // Round and round between i and a, while v could leave the only final marking for good.
    const text = "t: i -> a; u: a -> i; v: b -> c";
    const given = net(text, { initial: { i: 1, b: 1 }, finals: [{ i: 1, b: 1 }] });
    const lazy = graph(given, null, ["i b", 0], ["a b", 1]);
    expect(completes(given, checkedOf(given, lazy))).toBe(false);
    // With what goes on after v there is no way to a final marking at all.
    const fair = graph(given, null, ["i b", 0, 2], ["a b", 1], ["i c", 0], ["a c", 1]);
    expect(completes(given, checkedOf(given, fair))).toBe(false);
    // A final marking that enables nothing, elsewhere, is no excuse.
    const elsewhere = net(text, { initial: { i: 1, b: 1 }, finals: [{ i: 1, b: 1 }, {}] });
    const apart = graph(elsewhere, null, ["i b", 0], ["a b", 1], [""]);
    expect(completes(elsewhere, checkedOf(elsewhere, apart))).toBe(false);
    const good = net(text, {
      initial: { i: 1, b: 1 },
      finals: [
        { i: 1, b: 1 },
        { i: 1, c: 1 },
      ],
    });
    expect(completes(good, checkedOf(good, lazy))).toBe(false);
    expect(completes(good, checkedOf(good, fair))).toBe(true);
    // Put off at first, but not for ever: the set of the marking that the edge leads to has v.
    const later = graph(good, null, ["i b", 0], ["a b", 1, 2], ["a c", 1], ["i c", 0]);
    expect(completes(good, checkedOf(good, later))).toBe(true);
  });

  it("[T25.3] has no deadlock where what enables nothing is final", () => {
    const whole = terminal(["i", T], ["a b", U], ["c b", V], ["c d", W], ["o"]);
    expect(hasNoDeadlock(block, checkedOf(block, whole))).toBe(true);
    const stuck = net("t: i -> o; u: i -> a");
    const states = graph(stuck, null, ["i", 0, 1], ["o"], ["a"]);
    expect(hasNoDeadlock(stuck, checkedOf(stuck, states))).toBe(false);
  });
});

describe("a certificate of reduced graphs", () => {
  const ends = graph(step, null, ["i", 0], ["o"]);
  const once = graph(step, improper, ["i", 0], ["o", 0]);
  const atI = graph(step, crowded(step, "i"), ["i"]);
  const atO = graph(step, crowded(step, "o"), ["i", 0], ["o", 0]);
  const certificate = (graphs: readonly ReducedStates[], runs?: readonly (readonly number[])[]) =>
    ({ kind: "stubborn", graphs, ...(runs === undefined ? {} : { runs }) }) satisfies StubbornCertificate;
  const checked = (
    id: Parameters<typeof checkStubborn>[1],
    graphs: readonly ReducedStates[],
    runs?: readonly (readonly number[])[],
    { given = step, statesMax = 100 }: { given?: Net; statesMax?: number } = {},
  ) => said(checkStubborn(given, id, certificate(graphs, runs), { statesMax, graphs: new Map() }));

  it("[T25.2] [T25.4] shows an obligation with the graphs that it needs, and not without", () => {
    expect(checked("O1", [ends])).toBe("valid");
    expect(checked("O1", [once])).toBe("no graph for what ends");
    expect(checked("deadlock", [ends])).toBe("valid");
    expect(checked("deadlock", [])).toBe("no graph for what ends");
    expect(checked("O2", [once])).toBe("valid");
    expect(checked("O2", [ends, atO])).toBe("no graph for improper");
    expect(checked("O3", [], [[0]])).toBe("valid");
    expect(checked("O3", [ends, once])).toBe("no runs");
    expect(checked("O4", [atI, atO])).toBe("valid");
    expect(checked("O4", [atI])).toBe("no graph for crowded");
    expect(checked("O4", [atO])).toBe("no graph for crowded");
    expect(checked("bounded", [atI, atO])).toBe("valid");
    expect(checked("bounded", [atO])).toBe("no graph for crowded");
    expect(checked("sound", [ends, once], [[0]])).toBe("valid");
    expect(checked("sound", [ends, once])).toBe("no runs");
    expect(checked("sound", [ends], [[0]])).toBe("no graph for improper");
    expect(checked("sound", [once], [[0]])).toBe("no graph for what ends");
  });

  it("[T25.2] counters may be crowded, but then the net is not shown to be bounded", () => {
    const given: Net = {
      ...step,
      places: step.places.map((place, n) => (n === 0 ? { ...place, role: "counter" } : place)),
    };
    expect(checked("O4", [atO], undefined, { given })).toBe("valid");
    expect(checked("O4", [atI], undefined, { given })).toBe("no graph for crowded");
    expect(checked("bounded", [atI, atO], undefined, { given })).toBe("a counter place");
  });

  it("[T25.3] [T25.4] shows not what is not so", () => {
    const given = net("t: i -> o; u: i -> a");
    const all = graph(given, null, ["i", 0, 1], ["o"], ["a"]);
    expect(checked("O1", [all], undefined, { given })).toBe("it is not so");
    expect(checked("deadlock", [all], undefined, { given })).toBe("it is not so");
    expect(checked("sound", [all], undefined, { given })).not.toBe("valid");
  });

  it("[D25.3] everything that is listed must be right", () => {
    const bad = graph(step, crowded(step, "o"), ["i"]);
    expect(checked("O1", [ends, bad])).toBe("state 0: not directed to the goal");
    expect(checked("O1", [ends], [[0, 0]])).toMatch(/run 0/);
    expect(checked("O1", [ends], [])).toMatch(/not one run/);
    expect(checked("O1", [ends], [[1]])).toBe("no transition");
    expect(checked("O1", [ends], [[0]])).toBe("valid");
    expect(checked("O1", [ends, once], undefined, { statesMax: 3 })).toBe("4 markings");
    expect(checked("O1", [ends, once], undefined, { statesMax: 4 })).toBe("valid");
    const tooMany = checkStubborn(step, "O1", certificate([ends]), { statesMax: 1, graphs: new Map() });
    expect(tooMany.kind).toBe("unchecked");
  });

  it("[D25.4] one graph for each goal", () => {
    const twice = (...graphs: ReducedStates[]) =>
      checked("O1", [ends, ...graphs]) === "two graphs for one goal";
    const other = (goal: Goal | null) => graph(step, goal, ["i", 0], ["o", 0]);
    expect(twice(graph(step, null, ["i", 0], ["o", 0]))).toBe(true);
    expect(twice(once, other(improper))).toBe(true);
    expect(twice(atO, other(crowded(step, "o")))).toBe(true);
    expect(twice(once, atO, atI)).toBe(false);
    const dead = net("t: i -> o; u: a -> o; v: a -> o");
    const never = (...transitions: number[]) =>
      checked(
        "O1",
        [
          graph(dead, null, ["i", 0], ["o"]),
          graph(dead, crowded(dead, "a"), ["i"]),
          ...transitions.map((t) => graph(dead, enabled(t), ["i", t])),
        ],
        undefined,
        { given: dead },
      );
    expect(never(1, 2)).toBe("valid");
    expect(never(1, 1)).toBe("two graphs for one goal");
  });

  it("[T25.1] shows transitions dead, each by a graph of its own", () => {
    const given = net("t: i -> o; u: a -> o; v: a -> o");
    const never = (dead: readonly number[], graphs: readonly ReducedStates[], runs?: readonly number[][]) =>
      said(checkNeverEnabled(given, dead, certificate(graphs, runs), { statesMax: 3, graphs: new Map() }));
    const [u, v] = [graph(given, enabled(1), ["i", 1]), graph(given, enabled(2), ["i", 2])];
    expect(never([1], [u])).toBe("valid");
    expect(never([1, 2], [u, v])).toBe("valid");
    expect(never([1, 2], [u])).toBe("no graph for enabled");
    expect(never([2, 1], [u])).toBe("no graph for enabled");
    expect(never([0], [u])).toBe("no graph for enabled");
    expect(never([0], [graph(given, enabled(0), ["i", 0], ["o", 0])])).toBe("state 0 has the goal");
    expect(never([1], [u, u])).toBe("two graphs for one goal");
    expect(never([1], [u], [[0]])).toMatch(/not one run/);
    expect(never([1], [u, v, graph(given, null, ["i", 0], ["o"])])).toBe("4 markings");
  });

  it("[D25.3] a graph that was checked for one net is not for another", () => {
    const options = { statesMax: 9, graphs: new Map() };
    const other = net("t: i -> o; u: i -> o");
    expect(said(checkStubborn(step, "O1", certificate([ends]), options))).toBe("valid");
    expect(said(checkStubborn(other, "O1", certificate([ends]), options))).toMatch(/in conflict/);
    expect(said(checkStubborn(step, "O1", certificate([ends]), options))).toBe("valid");
    expect(said(checkStubborn(other, "O1", certificate([ends]), options))).toMatch(/in conflict/);
  });
});
