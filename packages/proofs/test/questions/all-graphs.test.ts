import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { statesSatisfying } from "../../src/questions/ctl.ts";
import type { Formula } from "../../src/questions/formula.ts";
import { type StateGraph, stateGraph } from "../../src/questions/graph.ts";
import { counterexample, type Fairness, UNFAIR } from "../../src/questions/ltl.ts";
import { graphOf } from "../oracle.ts";
import {
  drawnGraph,
  isFair,
  isTrueOf,
  lassos,
  letters,
  markings,
  satisfyingKeys,
  wordOf,
} from "./temporal-oracle.ts";

const at = (place: string): Formula => ({
  kind: "compare",
  left: { terms: [[place, 1]], constant: 0 },
  comparison: ">",
  right: { terms: [], constant: 0 },
});
const [p0, p1] = [at("p0"), at("p1")];
const not = (of: Formula): Formula => ({ kind: "not", of });
const join = (kind: "and" | "or" | "implies", left: Formula, right: Formula): Formula => ({
  kind,
  left,
  right,
});
const one = (kind: "X" | "F" | "G", path: "A" | "E" | null, of: Formula): Formula => ({ kind, path, of });
const until = (path: "A" | "E" | null, left: Formula, right: Formula): Formula => ({
  kind: "U",
  path,
  left,
  right,
});

/** Each graph on so many states: every set of edges. */
function* graphs(states: number): Generator<Net> {
  const edges = Array.from(
    { length: states * states },
    (_, e) => [Math.floor(e / states), e % states] as const,
  );
  for (let set = 1; set < 2 ** edges.length; set += 1)
    yield drawnGraph(
      states,
      edges.filter((_, e) => ((set >> e) & 1) === 1),
    );
}

const branching: readonly Formula[] = (["A", "E"] as const).flatMap((path) => [
  ...(["X", "F", "G"] as const).flatMap((kind) => [
    one(kind, path, p1),
    one(kind, path, not(p0)),
    one(kind, path, { kind: "deadlock" }),
    one(kind, path, one("X", "E", p1)),
    one(kind, path, one("F", "A", p0)),
    one(kind, path, one("G", "E", not(p1))),
  ]),
  until(path, p0, p1),
  until(path, not(p1), at("p2")),
  until(path, one("X", path, p0), not(p0)),
  until(path, { kind: "true" }, { kind: "deadlock" }),
  until(path, { kind: "false" }, p0),
  join("and", one("F", path, p1), not(p1)),
  join("or", one("G", path, p0), one("X", path, p1)),
  join("implies", one("X", path, p0), one("F", path, p1)),
]);

const linear: readonly Formula[] = [
  one("X", null, p1),
  one("F", null, p1),
  one("G", null, p0),
  one("G", null, one("F", null, p0)),
  one("F", null, one("G", null, not(p1))),
  one("X", null, one("X", null, { kind: "deadlock" })),
  until(null, p0, p1),
  not(until(null, p0, p1)),
  until(null, until(null, p0, p1), { kind: "deadlock" }),
  join("implies", one("G", null, one("F", null, p0)), one("G", null, one("F", null, p1))),
  join("and", one("F", null, p1), one("F", null, p0)),
  join("or", one("G", null, not(p1)), one("F", null, { kind: "false" })),
  not(join("implies", one("X", null, p0), one("G", null, { kind: "true" }))),
];

type Label = (graph: StateGraph, f: Formula) => Uint8Array;

/** Law: on each graph each formula is labelled as its clauses say. */
function labelsAllGraphs(label: Label): number {
  let judged = 0;
  for (const net of graphs(3)) {
    const truths = graphOf(net, net.initial, 3)!;
    const found = stateGraph(net);
    for (const f of branching) {
      const [labels, truth] = [label(found, f), satisfyingKeys(truths, f)];
      for (let state = 0; state < found.count; state += 1) {
        const key = JSON.stringify(markings(found, state));
        if ((labels[state] === 1) !== truth.has(key))
          expect({ f, net: net.transitions, key, is: labels[state] === 1 }).toEqual({
            f,
            is: truth.has(key),
          });
        judged += 1;
      }
    }
  }
  return judged;
}

type Find = typeof counterexample;

/** Law: on each graph what is found is a fair run that breaks the formula, and where nothing is found no lasso of it is one. */
function findsInAllGraphs(find: Find): { found: number; none: number } {
  const counts = { found: 0, none: 0 };
  const fairness: readonly Fairness[] = [UNFAIR, { weak: [0], strong: [] }, { weak: [1], strong: [0] }];
  for (const net of graphs(3))
    for (const fair of fairness) {
      if ([...fair.weak, ...fair.strong].some((t) => t >= net.transitions.length)) continue;
      const graph = stateGraph(net);
      const all = [...lassos(net, 4)].filter(({ path, back }) => isFair(net, path, back, fair));
      for (const f of linear) {
        const lasso = find(graph, f, fair);
        if (lasso !== null && "kind" in lasso) throw new Error("a formula of this size has an automaton");
        if (lasso === null) {
          counts.none += 1;
          const broken = all.filter(({ path, back }) => !isTrueOf(letters(net, path), back, f));
          expect(broken).toEqual([]);
          continue;
        }
        counts.found += 1;
        const { path, back } = wordOf(net, lasso);
        expect(isTrueOf(letters(net, path), back, f)).toBe(false);
        expect(isFair(net, path, back, fair)).toBe(true);
      }
    }
  return counts;
}

describe("every graph of a few states", () => {
  it("[D22.3] [D22.2] each operator of branching time holds in the states in which its clause does", () => {
    expect(labelsAllGraphs(statesSatisfying)).toBeGreaterThan(50_000);
  });

  it("[D22.3] the law refuses a labelling by which X holds where nothing follows", () => {
    const wrong: Label = (graph, f) =>
      f.kind === "X" && f.path === "E"
        ? statesSatisfying(graph, join("or", f, { kind: "deadlock" }))
        : statesSatisfying(graph, f);
    expect(() => labelsAllGraphs(wrong)).toThrow();
  });

  it("[D22.4] [D22.5] each formula of linear time has a counterexample where a lasso breaks it, and nowhere else", () => {
    const counts = findsInAllGraphs(counterexample);
    expect(counts.found).toBeGreaterThan(100);
    expect(counts.none).toBeGreaterThan(100);
  });

  it("[D22.5] the law refuses a search that forgets fairness", () => {
    expect(() => findsInAllGraphs((graph, f) => counterexample(graph, f, UNFAIR))).toThrow();
  });
});
