import { arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLasso } from "../../src/questions/ask-formula.ts";
import { statesSatisfying } from "../../src/questions/ctl.ts";
import { type Formula, formulaClass } from "../../src/questions/formula.ts";
import { type StateGraph, stateGraph } from "../../src/questions/graph.ts";
import { counterexample, type Fairness, UNFAIR } from "../../src/questions/ltl.ts";
import { net as parse } from "../net-text.ts";
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

const STATES_MAX = 12;
const graphs = fc
  .nat({ max: 4 })
  .chain((last) =>
    fc
      .array(fc.tuple(fc.nat({ max: last }), fc.nat({ max: last })), { minLength: 1, maxLength: 8 })
      .map((edges) => drawnGraph(last + 1, edges)),
  );
const nets = fc.oneof({ arbitrary: graphs, weight: 2 }, arbitraryNet({ placesMax: 3, transitionsMax: 4 }));

const atom: fc.Arbitrary<Formula> = fc.oneof(
  fc.constantFrom<Formula>({ kind: "deadlock" }, { kind: "true" }, { kind: "false" }),
  fc.record({ place: fc.nat({ max: 2 }), tokens: fc.nat({ max: 1 }) }).map(
    ({ place, tokens }): Formula => ({
      kind: "compare",
      left: { terms: [[`p${place}`, 1]], constant: 0 },
      comparison: ">",
      right: { terms: [], constant: tokens },
    }),
  ),
);

function formulas(path: fc.Arbitrary<"A" | "E" | null>, depth: number): fc.Arbitrary<Formula> {
  return fc.letrec<{ f: Formula }>((tie) => ({
    f: fc.oneof(
      { maxDepth: depth, depthSize: "small" },
      atom,
      fc.record({ kind: fc.constant("not" as const), of: tie("f") }),
      fc.record({
        kind: fc.constantFrom("and" as const, "or" as const, "implies" as const),
        left: tie("f"),
        right: tie("f"),
      }),
      fc.record({ kind: fc.constantFrom("X" as const, "F" as const, "G" as const), path, of: tie("f") }),
      fc.record({ kind: fc.constant("U" as const), path, left: tie("f"), right: tie("f") }),
    ),
  })).f;
}

type Label = (graph: StateGraph, f: Formula) => Uint8Array;

/** Law: labelling gives each reachable marking what the clauses give it. */
function labelsAreRight(label: Label): void {
  fc.assert(
    fc.property(nets, formulas(fc.constantFrom("A", "E"), 3), (net, f) => {
      const graph = graphOf(net, net.initial, STATES_MAX);
      if (graph === null || formulaClass(f) === "mixed") return;
      const found = stateGraph(net);
      const labels = label(found, f);
      const truth = satisfyingKeys(graph, f);
      for (let state = 0; state < found.count; state += 1) {
        const key = JSON.stringify(found.space.store.cells.length > 0 ? markings(found, state) : []);
        expect({ key, is: labels[state] === 1 }).toEqual({ key, is: truth.has(key) });
      }
    }),
    { numRuns: 600 },
  );
}

type Find = (graph: StateGraph, f: Formula, fairness: Fairness) => ReturnType<typeof counterexample>;

/** Law: a lasso that is found fires, is fair and breaks the formula; where none is found, no small one does. */
function findsCounterexamples(find: Find, numRuns = 400): { found: number; none: number } {
  const counts = { found: 0, none: 0 };
  fc.assert(
    fc.property(
      nets,
      formulas(fc.constant(null), 2),
      fc.constantFrom<Fairness>(
        UNFAIR,
        { weak: [0], strong: [] },
        { weak: [], strong: [0] },
        { weak: [1], strong: [0] },
      ),
      (net, f, fairness) => {
        if (graphOf(net, net.initial, STATES_MAX) === null) return;
        if ([...fairness.weak, ...fairness.strong].some((t) => t >= net.transitions.length)) return;
        const lasso = find(stateGraph(net), f, fairness);
        if (lasso !== null && "kind" in lasso) throw new Error("a formula of this size has an automaton");
        if (lasso !== null) {
          counts.found += 1;
          expect(isLasso(net, lasso)).toBe(true);
          const { path, back } = wordOf(net, lasso);
          expect(isTrueOf(letters(net, path), back, f)).toBe(false);
          expect(isFair(net, path, back, fairness)).toBe(true);
          return;
        }
        counts.none += 1;
        for (const { path, back } of lassos(net, 5)) {
          if (!isFair(net, path, back, fairness)) continue;
          expect({ fired: path.fired, isTrue: isTrueOf(letters(net, path), back, f) }).toEqual({
            fired: path.fired,
            isTrue: true,
          });
        }
      },
    ),
    { numRuns },
  );
  return counts;
}

describe("branching time", () => {
  it("[D22.3] [D22.2] labelling agrees with the clauses", () => {
    labelsAreRight(statesSatisfying);
  });

  it("[D22.3] the law refuses a labelling that takes E for A", () => {
    const swapped: Label = (graph, f) =>
      statesSatisfying(
        graph,
        "path" in f && f.path !== null ? ({ ...f, path: f.path === "A" ? "E" : "A" } as Formula) : f,
      );
    expect(() => labelsAreRight(swapped)).toThrow();
  });
});

describe("linear time", () => {
  it("[D22.4] [D22.5] counterexamples are runs that break the formula; none is missed among small ones", () => {
    const counts = findsCounterexamples(counterexample);
    expect(counts.found).toBeGreaterThan(60);
    expect(counts.none).toBeGreaterThan(60);
  });

  it("[D22.5] the law refuses searches that find nothing, or forget fairness", () => {
    expect(() => findsCounterexamples(() => null)).toThrow();
    expect(() => findsCounterexamples((graph, f) => counterexample(graph, f, UNFAIR), 3000)).toThrow();
  });

  it("[D22.5] fairness: a loop that may be left is left only if leaving is fair", () => {
    const net = parse("go: i -> i; leave: i -> o; stay: o -> o");
    const done: Formula = {
      kind: "F",
      path: null,
      of: {
        kind: "compare",
        left: { terms: [["o", 1]], constant: 0 },
        comparison: "=",
        right: { terms: [], constant: 1 },
      },
    };
    const graph = stateGraph(net);
    expect(counterexample(graph, done)).toEqual({ stem: [], loop: [0] });
    expect(counterexample(graph, done, { weak: [1], strong: [] })).toBeNull();
    const round = parse("a: i -> x; b: x -> i; leave: x -> o; stay: o -> o");
    const found = counterexample(stateGraph(round), done, { weak: [2], strong: [] });
    expect(found).toEqual({ stem: [], loop: [0, 1] });
    expect(counterexample(stateGraph(round), done, { weak: [], strong: [2] })).toBeNull();
  });
});
