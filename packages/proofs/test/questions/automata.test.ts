import { describe, expect, it } from "vitest";
import { askNet } from "../../src/questions/ask.ts";
import { type Automaton, automatonOf } from "../../src/questions/buchi.ts";
import type { Formula } from "../../src/questions/formula.ts";
import type { CheckOptions } from "../../src/soundness.ts";
import { drawnGraph } from "./temporal-oracle.ts";

const p: Formula = { kind: "enabled", transition: "t0" };
const q: Formula = { kind: "enabled", transition: "t1" };
const not = (of: Formula): Formula => ({ kind: "not", of });
const join = (kind: "and" | "or", left: Formula, right: Formula): Formula => ({ kind, left, right });
const future = (of: Formula): Formula => ({ kind: "F", path: null, of });
const always = (of: Formula): Formula => ({ kind: "G", path: null, of });

/** What each state asks of a marking, in text, and where it goes. */
const drawn = (automaton: Automaton | null) =>
  automaton?.states.map(({ literals, next }) => ({
    asks: literals.map(
      ({ atom, isNegated }) =>
        `${isNegated ? "not " : ""}${"transition" in atom ? atom.transition : atom.kind}`,
    ),
    next,
  }));

/** GF of so many atoms, each to be waited for on its own: more states than anybody waits for. */
const fairTo = (count: number): Formula =>
  Array.from({ length: count }, (_, t) => always(future({ kind: "enabled", transition: `t${t}` }))).reduce(
    (left, right) => join("and", left, right),
  );

describe("automata of linear formulas", () => {
  it.each([
    ["p and not p", join("and", p, not(p))],
    ["not p and p", join("and", not(p), p)],
    ["q and not p and p", join("and", q, join("and", not(p), p))],
    ["false", { kind: "false" } as const],
    ["not true", not({ kind: "true" })],
    ["p and false", join("and", p, { kind: "false" })],
  ])("[D22.4] no state asks for a contradiction: %s", (_, formula) => {
    expect(automatonOf(formula)).toEqual({ states: [], initial: [], accepting: [] });
  });

  it("[D22.4] the states of G p: one, which asks for p and stays", () => {
    const automaton = automatonOf(always(p));
    // R is written with "false" on its left, which leaves one way.
    expect(drawn(automaton)).toEqual([{ asks: ["t0"], next: [0] }]);
    expect(automaton?.initial).toEqual([0]);
    expect(automaton?.accepting).toEqual([]);
  });

  it("[D22.4] the states of F p: waiting, found, and whatever comes behind; waiting alone is not accepted", () => {
    const automaton = automatonOf(future(p))!;
    expect(automaton.accepting).toHaveLength(1);
    const [accepting] = automaton.accepting;
    const waiting = automaton.states.findIndex((_, at) => accepting![at] === 0);
    expect(automaton.states.filter((_, at) => accepting![at] === 0)).toHaveLength(1);
    expect(automaton.states[waiting]!.next).toContain(waiting);
    expect(automaton.initial).toContain(waiting);
  });

  it("[D22.4] what two orders of a formula ask for together is one state", () => {
    const one = automatonOf(join("and", p, q));
    const both = automatonOf(join("or", join("and", p, q), join("and", q, p)));
    expect(one?.states).toHaveLength(2);
    expect(both?.initial.every((at) => both.states[at]!.literals.length === 2)).toBe(true);
    const twice = automatonOf(join("and", p, join("and", p, p)));
    expect(drawn(twice)?.[0]?.asks).toEqual(["t0"]);
  });

  it("[D22.4] the tableau asks from its beginning whether it should go on, and then is none", () => {
    let asked = 0;
    expect(
      automatonOf(fairTo(6), () => {
        asked += 1;
        return asked > 3;
      }),
    ).toBeNull();
    expect(asked).toBe(4);
    expect(automatonOf(p, () => true)).toBeNull();
  });
});

/** A clock that goes on by 1 ms whenever it is looked at. */
const clock = () => {
  let at = 0;
  return () => (at += 1);
};

/** The question whether a formula holds, of states from which each can be reached. */
function asked(formula: Formula, states: number, options: CheckOptions) {
  const edges = Array.from({ length: states }, (_, at) => [
    [at, (at + 1) % states] as const,
    [at, Math.floor(at / 2)] as const,
  ]).flat();
  const question = { kind: "formula" as const, formula, weak: [], strong: [] };
  return askNet(drawnGraph(states, edges), question, options);
}

describe("limits of a question in time", () => {
  const time = (timeoutMs: number) => ({ limits: { timeoutMs }, now: clock() });
  const stopped = (limit: object) => ({ kind: "unknown", limit });

  it("[D22.5] the tableau of a formula ends with the time of its question", () => {
    expect(asked(not(fairTo(9)), 5, time(50))).toMatchObject(stopped({ kind: "time", at: 50 }));
  });

  it("[D22.5] the product of markings and automaton ends with the time and the bytes of its question", () => {
    const formula = not(fairTo(4));
    expect(asked(formula, 300, { now: clock() })).not.toMatchObject({ kind: "unknown" });
    expect(asked(formula, 300, time(3))).toMatchObject(stopped({ kind: "time", at: 3 }));
    const bytesMax = 50_000;
    expect(asked(future(p), 300, { limits: { bytesMax } })).not.toMatchObject({ kind: "unknown" });
    expect(asked(formula, 300, { limits: { bytesMax } })).toMatchObject(
      stopped({ kind: "bytes", at: bytesMax }),
    );
  });

  it("[D22.3] each operator of branching time is asked within the time of the question", () => {
    const deep = Array.from({ length: 40 }).reduce<Formula>((of) => ({ kind: "X", path: "E", of }), p);
    expect(asked(deep, 3, { now: clock() })).not.toMatchObject({ kind: "unknown" });
    expect(asked(deep, 3, time(20))).toMatchObject(stopped({ kind: "time", at: 20 }));
  });

  it("[D22.5] whoever breaks a question off gets no verdict", () => {
    const signal = { aborted: true };
    expect(asked(future(p), 3, { signal })).toMatchObject(stopped({ kind: "aborted" }));
  });
});
