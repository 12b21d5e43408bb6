import type { Net } from "@tessera/core";
import { arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLasso } from "../../src/questions/ask-formula.ts";
import { statesSatisfying } from "../../src/questions/ctl.ts";
import { type Formula, formulaClass } from "../../src/questions/formula.ts";
import { type StateGraph, stateGraph } from "../../src/questions/graph.ts";
import { counterexample, type Fairness, type Lasso, UNFAIR } from "../../src/questions/ltl.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, successorsOf } from "../oracle.ts";

const STATES_MAX = 12;
const nets = arbitraryNet({ placesMax: 3, transitionsMax: 4 });

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

const holdsAt = (M: readonly number[], isDead: boolean, f: Formula): boolean => {
  if (f.kind === "deadlock") return isDead;
  if (f.kind === "compare") return (M[Number(f.left.terms[0]![0].slice(1))] ?? 0) > f.right.constant;
  return f.kind === "true";
};

/** CTL by the fixed points of its clauses, over sets of keys: nothing shared with labelling. */
function satisfyingKeys(graph: ReadonlyMap<string, readonly { next: string }[]>, f: Formula): Set<string> {
  const keys = [...graph.keys()];
  const all = new Set(keys);
  const next = (key: string) => graph.get(key)!.map((edge) => edge.next);
  const pick = (test: (key: string) => boolean) => new Set(keys.filter(test));
  const fix = (from: Set<string>, step: (now: Set<string>) => Set<string>): Set<string> => {
    const after = step(from);
    return after.size === from.size ? from : fix(after, step);
  };
  const of = (part: Formula) => satisfyingKeys(graph, part);
  switch (f.kind) {
    case "not": {
      const p = of(f.of);
      return pick((key) => !p.has(key));
    }
    case "and":
    case "or":
    case "implies": {
      const [p, q] = [of(f.left), of(f.right)];
      return pick((key) =>
        f.kind === "and"
          ? p.has(key) && q.has(key)
          : f.kind === "or"
            ? p.has(key) || q.has(key)
            : !p.has(key) || q.has(key),
      );
    }
    case "X": {
      const p = of(f.of);
      return pick((key) =>
        f.path === "E" ? next(key).some((to) => p.has(to)) : next(key).every((to) => p.has(to)),
      );
    }
    case "F":
    case "U": {
      const [p, q] = f.kind === "U" ? [of(f.left), of(f.right)] : [all, of(f.of)];
      return fix(q, (now) =>
        pick((key) => {
          if (now.has(key)) return true;
          const after = next(key);
          if (!p.has(key) || after.length === 0) return false;
          return f.path === "E" ? after.some((to) => now.has(to)) : after.every((to) => now.has(to));
        }),
      );
    }
    case "G": {
      const p = of(f.of);
      return fix(p, (now) =>
        pick((key) => {
          if (!now.has(key)) return false;
          const after = next(key);
          if (after.length === 0) return true;
          return f.path === "E" ? after.some((to) => now.has(to)) : after.every((to) => now.has(to));
        }),
      );
    }
    default:
      return pick((key) => holdsAt(JSON.parse(key) as number[], next(key).length === 0, f));
  }
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

function markings({ space }: StateGraph, state: number): number[] {
  return Array.from(
    { length: space.store.placeCount },
    (_, p) => space.store.cells[state * space.store.stride + p]!,
  );
}

/** Is a linear formula true of the word whose letters 0 .. n - 1 are followed by `back` again? By fixed points over positions. */
function isTrueOf(
  word: readonly { M: readonly number[]; isDead: boolean }[],
  back: number,
  f: Formula,
): boolean {
  const after = (at: number) => (at + 1 < word.length ? at + 1 : back);
  const positions = word.map((_, at) => at);
  const value = (g: Formula): boolean[] => {
    switch (g.kind) {
      case "not":
        return value(g.of).map((is) => !is);
      case "and":
      case "or":
      case "implies": {
        const [p, q] = [value(g.left), value(g.right)];
        return positions.map((at) =>
          g.kind === "and" ? p[at]! && q[at]! : g.kind === "or" ? p[at]! || q[at]! : !p[at]! || q[at]!,
        );
      }
      case "X": {
        const p = value(g.of);
        return positions.map((at) => p[after(at)]!);
      }
      case "F":
      case "G":
      case "U": {
        const p = g.kind === "U" ? value(g.left) : positions.map(() => true);
        const q = g.kind === "U" ? value(g.right) : value(g.of).map((is) => (g.kind === "G" ? !is : is));
        const eventually = positions.map((start) => {
          let at = start;
          for (let step = 0; step <= 2 * word.length; step += 1) {
            if (q[at]!) return true;
            if (!p[at]!) return false;
            at = after(at);
          }
          return false;
        });
        return g.kind === "G" ? eventually.map((is) => !is) : eventually;
      }
      default:
        return word.map(({ M, isDead }) => holdsAt(M, isDead, g));
    }
  };
  return value(f)[0]!;
}

interface Path {
  readonly markings: readonly (readonly number[])[];
  readonly fired: readonly number[];
}

/** All lassos of at most `length` firings, as words; runs that end repeat their last letter. */
function* lassos(net: Net, length: number): Generator<{ path: Path; back: number }> {
  const stack: Path[] = [{ markings: [net.initial], fired: [] }];
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    const last = path.markings.at(-1)!;
    const steps = successorsOf(net, last);
    if (steps.length === 0) yield { path, back: path.markings.length - 1 };
    for (const { t, next } of steps) {
      const at = path.markings.findIndex((M) => JSON.stringify(M) === JSON.stringify(next));
      const fired = [...path.fired, t];
      if (at >= 0) yield { path: { markings: path.markings, fired }, back: at };
      if (path.markings.length < length) stack.push({ markings: [...path.markings, next], fired });
    }
  }
}

const letters = (net: Net, path: Path) =>
  path.markings.map((M) => ({ M, isDead: successorsOf(net, M).length === 0 }));

/** Is the run of the lasso fair? Only the loop matters. */
function isFair(net: Net, path: Path, back: number, { weak, strong }: Fairness): boolean {
  const loop = path.markings.slice(back);
  const fired = path.fired.slice(back);
  const isOn = (M: readonly number[], t: number) => successorsOf(net, M).some((step) => step.t === t);
  return (
    weak.every((t) => fired.includes(t) || loop.some((M) => !isOn(M, t))) &&
    strong.every((t) => fired.includes(t) || loop.every((M) => !isOn(M, t)))
  );
}

function wordOf(net: Net, { stem, loop }: Lasso): { path: Path; back: number } {
  const markings: (readonly number[])[] = [net.initial];
  for (const t of [...stem, ...loop])
    markings.push(successorsOf(net, markings.at(-1)!).find((step) => step.t === t)!.next);
  return {
    path: { markings: loop.length === 0 ? markings : markings.slice(0, -1), fired: [...stem, ...loop] },
    back: stem.length,
  };
}

type Find = (graph: StateGraph, f: Formula, fairness: Fairness) => Lasso | null | "limit";

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
        expect(lasso).not.toBe("limit");
        if (lasso !== null && lasso !== "limit") {
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
