import type { Arc, CompiledWorkflow, ConditionData, Json } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWorkflowEvidence, type LoopGrade, proveWorkflow } from "../src/index.ts";
import { loopGrade } from "../src/obligations/loop-bounds.ts";
import { totality } from "../src/obligations/totality.ts";
import { advance, stateSpace } from "../src/state-space.ts";
import { arbitraryPart, definitionOf } from "./random-workflow.ts";
import { end, start, workflow } from "./workflow-text.ts";

const governed = arbitraryPart(2, false).map((part) => {
  const { nodes, arcs } = definitionOf(part);
  return workflow(nodes, arcs);
});
const anyLoops = arbitraryPart(2, true).map((part) => {
  const { nodes, arcs } = definitionOf(part);
  return workflow(nodes, arcs);
});

describe("block-structured workflows", () => {
  it("[D8.8] [D8.10] [D8.11] [D8.13] [D8.14] owe nothing: every obligation holds", () => {
    fc.assert(
      fc.property(governed, (compiled) => {
        const report = proveWorkflow(compiled, { limits: { statesMax: 20_000 } });
        if (!report.complete) return;
        const open = report.obligations.filter(
          ({ verdict, isDiagnosis }) => verdict.kind !== "holds" && isDiagnosis !== true,
        );
        expect(open).toEqual([]);
        expect(report.labels).toEqual(["done"]);
      }),
      { numRuns: 60 },
    );
  });

  it("[D8.9] all lines of all reports pass the checker", () => {
    fc.assert(
      fc.property(anyLoops, fc.nat(), (compiled, seed) => {
        // Damage: one arc is redirected to the end.
        const { nodes, arcs } = compiled.definition;
        const at = seed % arcs.length;
        let damaged: CompiledWorkflow;
        try {
          damaged = workflow(
            nodes,
            arcs.map((arc, index) => (index === at ? { ...arc, to: "end" } : arc)),
          );
        } catch {
          return; // No longer a definition: a node is cut off, or a loop is not one any more.
        }
        for (const found of proveWorkflow(damaged, { limits: { statesMax: 3000 } }).obligations) {
          const { kind } = checkWorkflowEvidence(damaged, found);
          expect({ id: found.id, kind }).not.toEqual({ id: found.id, kind: "invalid" });
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The greatest number of starts, steps and entries of nodes on a path of the acyclic state graph, by hand. */
function longestRun(compiled: CompiledWorkflow): number | null {
  const { net } = compiled;
  const space = stateSpace(net);
  if (advance(space, 5000) !== "complete") return null;
  const begins = (t: number) =>
    ["step", "start", "enter"].includes(net.transitions[t]!.origin!.phase) ? 1 : 0;
  const longest = new Map<number, number>();
  const from = (state: number): number => {
    const known = longest.get(state);
    if (known !== undefined) return known;
    const M = space.store.cells.slice(
      state * space.store.stride,
      state * space.store.stride + net.places.length,
    );
    const enabled = net.transitions.flatMap((t, index) =>
      t.pre.every(([p, w]) => M[p]! >= w) ? [index] : [],
    );
    const targets = space.edgeTarget.slice(space.edgeStart[state], space.edgeStart[state + 1]);
    // Edges carry no label: the firing that leads to a target is found again by its effect.
    const lengths = enabled.map((index) => {
      const next = Int32Array.from(M);
      for (const [p, w] of net.transitions[index]!.pre) next[p]! -= w;
      for (const [p, w] of net.transitions[index]!.post) next[p]! += w;
      const target = targets.find((other) =>
        next.every((tokens, p) => space.store.cells[other * space.store.stride + p] === tokens),
      );
      return begins(index) + from(target!);
    });
    const length = Math.max(0, ...lengths);
    longest.set(state, length);
    return length;
  };
  return from(0);
}

/** Law: no run has more firings of nodes than the grade says. */
function boundIsSafe(grade: (compiled: CompiledWorkflow) => LoopGrade): void {
  fc.assert(
    fc.property(governed, (compiled) => {
      const found = grade(compiled);
      if (found.kind !== "bounded" || found.firingsMax === null) return expect(found.kind).toBe("bounded");
      const longest = longestRun(compiled);
      if (longest !== null) expect(longest).toBeLessThanOrEqual(found.firingsMax);
    }),
    { numRuns: 80 },
  );
}

/** Law: fuse-only iff some cycle of arcs, fail arcs of loops left out, avoids all people. Oracle: transitive closure. */
function gradeIsRight(grade: (compiled: CompiledWorkflow) => LoopGrade): void {
  const seen = new Set<string>();
  fc.assert(
    fc.property(anyLoops, (compiled) => {
      const { nodes, arcs } = compiled.definition;
      const isFail = (arc: Arc) => arc.outcome === "fail";
      const hasCycle = (isAllowed: (id: string) => boolean) => {
        const pairs = new Set(
          arcs
            .filter((a) => !isFail(a) && isAllowed(a.from) && isAllowed(a.to))
            .map((a) => `${a.from} ${a.to}`),
        );
        for (const { id: via } of nodes) {
          for (const { id: a } of nodes) {
            if (!pairs.has(`${a} ${via}`)) continue;
            for (const { id: b } of nodes) if (pairs.has(`${via} ${b}`)) pairs.add(`${a} ${b}`);
          }
        }
        return nodes.some(({ id }) => pairs.has(`${id} ${id}`));
      };
      const isNoPerson = (id: string) => nodes.find((node) => node.id === id)!.kind !== "human";
      const expected = !hasCycle(() => true) ? "bounded" : hasCycle(isNoPerson) ? "fuse-only" : "fair";
      seen.add(expected);
      expect(grade(compiled).kind).toBe(expected);
    }),
    { numRuns: 100 },
  );
  expect([...seen].sort()).toEqual(["bounded", "fair", "fuse-only"]);
}

describe("loops", () => {
  it("[D8.12] [L8.5] the bound on firings is never exceeded", () => {
    boundIsSafe(loopGrade);
  });

  it("[D8.12] the grade is that of the definition read literally", () => {
    gradeIsRight(loopGrade);
  });

  it("[D8.12] the laws refuse a bound that forgets the last round, and a grade that ignores people", () => {
    const tooLow = (compiled: CompiledWorkflow): LoopGrade => {
      const grade = loopGrade(compiled);
      return grade.kind === "bounded" ? { ...grade, firingsMax: (grade.firingsMax ?? 0) - 1 } : grade;
    };
    const harsh = (compiled: CompiledWorkflow): LoopGrade => {
      const grade = loopGrade(compiled);
      return grade.kind === "fair" ? { kind: "fuse-only", cycle: [] } : grade;
    };
    expect(() => boundIsSafe(tooLow)).toThrow();
    expect(() => gradeIsRight(harsh)).toThrow();
  });
});

const NUMBERS = [-1, 0, 1, 2, 3];
const TEXTS = ["", "a", "b", "c"];

/** A guard over n (a number), s (a text from a, b, c) and f (a boolean), and its meaning, written out here. */
interface Guard {
  readonly data: ConditionData;
  readonly holds: (D: { n: number; s: string; f: boolean }) => boolean;
}

const order = {
  lessThan: (a: number, b: number) => a < b,
  atMost: (a: number, b: number) => a <= b,
  greaterThan: (a: number, b: number) => a > b,
  atLeast: (a: number, b: number) => a >= b,
};

const guard: fc.Arbitrary<Guard> = fc.letrec<{ guard: Guard }>((tie) => ({
  guard: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    fc
      .tuple(fc.constantFrom("lessThan", "atMost", "greaterThan", "atLeast"), fc.constantFrom(...NUMBERS))
      .map(
        ([op, value]): Guard => ({
          data: { key: "n", op: op as keyof typeof order, value },
          holds: ({ n }) => order[op as keyof typeof order](n, value),
        }),
      ),
    fc.tuple(fc.boolean(), fc.subarray(TEXTS, { minLength: 1 })).map(
      ([isIn, value]): Guard => ({
        data: { key: "s", op: isIn ? "isOneOf" : "isNoneOf", value },
        holds: ({ s }) => value.includes(s) === isIn,
      }),
    ),
    fc
      .boolean()
      .map((value): Guard => ({ data: { key: "f", op: "is", value }, holds: ({ f }) => f === value })),
    fc.tuple(fc.constantFrom("all", "any"), fc.array(tie("guard"), { minLength: 1, maxLength: 2 })).map(
      ([kind, parts]): Guard => ({
        data: (kind === "all"
          ? { all: parts.map(({ data }) => data) }
          : { any: parts.map(({ data }) => data) }) as ConditionData,
        holds: (D) =>
          kind === "all" ? parts.every(({ holds }) => holds(D)) : parts.some(({ holds }) => holds(D)),
      }),
    ),
    tie("guard").map(({ data, holds }): Guard => ({ data: { not: data }, holds: (D) => !holds(D) })),
  ),
})).guard;

const DECLARED = {
  n: { type: "number" },
  s: { type: "string", values: ["a", "b", "c"] },
  f: { type: "boolean" },
} as const;
/** Every number behaves as one of these: the constants, the gaps, and beyond. */
const GRID = [-5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 7].flatMap((n) =>
  ["a", "b", "c"].flatMap((s) => [true, false].map((f) => ({ n, s, f }))),
);

function guarded(guards: readonly Guard[]): CompiledWorkflow {
  return workflow(
    [start, { id: "n", kind: "transform", meta: { outcomes: ["go"] } }, end],
    [
      "start -> n",
      "n: error -> end",
      ...guards.map(
        ({ data }, at): Arc => ({
          from: "n",
          to: "end",
          outcome: "go",
          guard: { all: [data, { any: [data, { not: { key: `unused${at}`, op: "isAssigned" } }] }] },
        }),
      ),
    ],
    DECLARED,
  );
}

/** Law: O5 holds iff on each point of the grid, which is complete for the constants, some guard holds. */
function totalityIsRight(decide: typeof totality): void {
  let total = 0;
  fc.assert(
    fc.property(fc.array(guard, { minLength: 1, maxLength: 3 }), (guards) => {
      const truth = GRID.every((D) => guards.some(({ holds }) => holds(D)));
      if (truth) total += 1;
      const verdict = decide(guarded(guards));
      expect(verdict.kind).toBe(truth ? "holds" : "fails");
      if (verdict.kind !== "fails") return;
      const [gap] = verdict.evidence.gaps;
      if (gap?.kind !== "no-true-arc") throw new Error(gap?.kind);
      const D = gap.data as { n?: Json; s?: Json; f?: Json };
      const full = { n: Number(D.n ?? 0), s: String(D.s ?? "a"), f: D.f === true };
      expect(guards.some(({ holds }) => holds(full))).toBe(false);
    }),
    { numRuns: 300 },
  );
  expect(total).toBeGreaterThan(20);
}

describe("guards", () => {
  it("[D8.10] totality is that of the grid, and each witness makes every guard false", () => {
    totalityIsRight(totality);
  });

  it("[D8.10] the law refuses a decision that trusts the last guard", () => {
    expect(() =>
      totalityIsRight((compiled) => {
        const verdict = totality(compiled);
        return verdict.kind === "fails" && compiled.definition.arcs.length > 4
          ? { kind: "holds", evidence: { class: "recomputable", method: "", states: 0 } }
          : verdict;
      }),
    ).toThrow();
  });
});
