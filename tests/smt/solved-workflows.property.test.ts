/** @module What the proofs say with z3 of workflows that compute, against every run of the real step. */
import type { CompiledWorkflow, Data } from "@tessera/core";
import { proveWorkflowWithSolver, type Solver, z3Solver } from "@tessera/proofs/smt";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { falsehoods } from "../../packages/engine/test/data-falsehoods.ts";
import { playRun } from "../../packages/engine/test/play-run.ts";
import type { Values } from "../../packages/engine/test/step-inputs.ts";
import { type Seen, seenByStep } from "../../packages/engine/test/step-oracle.ts";
import { questionsOf } from "../../packages/proofs/src/data-level/conditions-read.ts";
import {
  type DataReport,
  dataReportOf,
  exploreDataSteps,
} from "../../packages/proofs/src/data-level/data-proof.ts";
import { domainOf } from "../../packages/proofs/src/data-level/domain.ts";
import { type AnswerGroup, leafAnswer, withTold } from "../../packages/proofs/src/data-level/told-answers.ts";
import { combinationsOf } from "../../packages/proofs/src/smt/combinations-of-group.ts";
import { groupsOf, type LeafGroup } from "../../packages/proofs/src/smt/groups.ts";
import { clockOf } from "../../packages/proofs/src/smt/solver-clock.ts";
import { finish } from "../../packages/proofs/src/soundness.ts";
import { computingOf, computingWorkflow, KEYS, VALUES } from "./computing-workflow.ts";
import { environment, feel, read } from "./expressions.ts";

const SEED = 23_120;
const GAP = /^(NO_ARC|NO_TRUE_ARC|COND10\d|invalid-data)$/;
const evaluate = environment.evaluate!;

/** A key of which some guard asks whether it is assigned may have no value; the others always have one. */
function valuesFor(compiled: CompiledWorkflow): Values {
  const isAsked = JSON.stringify(compiled.definition.arcs).includes("isAssigned");
  return isAsked ? VALUES : { ...VALUES, m: [0] };
}

const seenOf = (compiled: CompiledWorkflow, statesMax: number): Seen | null =>
  seenByStep(compiled, valuesFor(compiled), statesMax, { evaluate, isErrorWriting: true, isErrorGap: true });

/** What the leaves of a group answer together on all the values of its keys. */
function bruteCombinations({ keys, leaves }: LeafGroup): readonly string[] {
  const all = [...keys].reduce<readonly Data[]>(
    (some, key) => some.flatMap((data) => KEYS[key]!.values!.map((value) => ({ ...data, [key]: value }))),
    [{}],
  );
  return [...new Set(all.map((data) => leaves.map((leaf) => leafAnswer(leaf, data, environment)).join("")))];
}

function groupsIn(compiled: CompiledWorkflow, isSeen: (kind: string) => boolean = () => true) {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const { questions } = found.domain;
  const leaves = questions.leaves.filter(({ kind }) => isSeen(kind));
  const blind = { ...found.domain, questions: { ...questions, leaves } };
  return { domain: found.domain, groups: groupsOf(compiled, blind, read).groups };
}

/** The report of a prover with these groups, whose runs are not played out. */
function reportWith(
  compiled: CompiledWorkflow,
  change: (group: AnswerGroup) => AnswerGroup = (same) => same,
  isSeen?: (kind: string) => boolean,
): Pick<DataReport, "obligations"> {
  const { domain, groups } = groupsIn(compiled, isSeen);
  const told = groups.map((group) => change({ ...group, combinations: bruteCombinations(group) }));
  const explored = finish(exploreDataSteps(compiled, withTold(domain, told), {}), {});
  return explored.kind === "undecided" ? { obligations: [] } : dataReportOf(compiled, explored, {});
}

/**
 * What is said and refuted by the runs. A person who is asked again and again, with the same answers each time, is no deadlock,
 * though the oracle, which looks at markings and data, cannot tell: of loops its word on that is not taken.
 */
function refuted(compiled: CompiledWorkflow, report: Pick<DataReport, "obligations">, seen: Seen) {
  const isLooping = compiled.definition.nodes.some(({ kind }) => kind === "decision");
  return falsehoods(compiled, report, seen).filter((line) => !isLooping || line !== "deadlock holds");
}

/** What holds and does not, and dead elements that are not: these need no values. */
function wrong(compiled: CompiledWorkflow, { obligations }: Pick<DataReport, "obligations">, seen: Seen) {
  const universal = obligations.filter(
    ({ id, verdict }) =>
      (verdict.kind === "holds" && id !== "O3") || (verdict.kind === "fails" && id === "O3"),
  );
  return refuted(compiled, { obligations: universal }, seen);
}

describe("[D23.12] cases that tell answers", () => {
  it("[D23.12] [L23.2] what holds on them holds in every run of the real step (oracle: all inputs on all values)", () => {
    const said = new Map<string, number>();
    fc.assert(
      fc.property(computingWorkflow, (parts) => {
        const compiled = computingOf(parts);
        const seen = seenOf(compiled, 1000);
        if (seen === null) return;
        const report = reportWith(compiled);
        for (const { id, verdict } of report.obligations)
          said.set(`${id} ${verdict.kind}`, (said.get(`${id} ${verdict.kind}`) ?? 0) + 1);
        expect(wrong(compiled, report, seen)).toEqual([]);
      }),
      { seed: SEED, numRuns: 80 },
    );
    for (const line of ["O1 holds", "O3 fails", "O5 holds", "deadlock holds"])
      expect(said.get(line) ?? 0, line).toBeGreaterThan(4);
  }, 300_000);

  interface Broken {
    readonly name: string;
    readonly change: (group: AnswerGroup) => AnswerGroup;
  }

  it.each<Broken>([
    {
      name: "takes for all combinations what are not all",
      change: (group) => ({ ...group, combinations: group.combinations.slice(0, -1) }),
    },
    {
      name: "overlooks that a key is written",
      change: (group) => ({ ...group, reads: group.reads.map(() => new Set<string>()) }),
    },
    {
      name: "takes every answer for free",
      change: (group) => ({ ...group, isWhole: true, keys: new Set([...group.keys].slice(0, 1)) }),
    },
  ])(
    "[L23.2] the law catches a prover that $name",
    ({ change }) => {
      let caught = 0;
      for (const parts of fc.sample(computingWorkflow, { seed: SEED + 1, numRuns: 300 })) {
        const compiled = computingOf(parts);
        const seen = seenOf(compiled, 300);
        if (seen === null) continue;
        if (wrong(compiled, reportWith(compiled, change), seen).length > 0) caught += 1;
        if (caught > 1) break;
      }
      expect(caught).toBeGreaterThan(1);
    },
    300_000,
  );
});

describe("[L23.2] keys that may have no value", () => {
  it("[L23.2] the law catches a prover that takes what is missing for a value", () => {
    const compiled = computingOf({
      nodes: [
        { id: "start", kind: "start" },
        { id: "fork", kind: "gateway" },
        { id: "end", kind: "end" },
      ],
      arcs: [
        { from: "start", to: "fork" },
        { from: "fork", to: "end", guard: { all: [{ key: "m", op: "isAssigned" }, feel("m + a > 2")] } },
        { from: "fork", to: "end", guard: feel("m + a < 2") },
        { from: "fork", to: "end", guard: feel("m + a > 1") },
      ],
    });
    const seen = seenOf(compiled, 300)!;
    expect(seen.hasGap).toBe(true);
    expect(wrong(compiled, reportWith(compiled), seen)).toEqual([]);
    const blind = reportWith(compiled, undefined, (kind) => kind !== "isAssigned");
    expect(wrong(compiled, blind, seen)).toEqual(["O5 holds"]);
  });
});

describe("[D23.13] workflows that compute, proved with z3", () => {
  let z3: Solver;
  beforeAll(async () => {
    z3 = await z3Solver();
  }, 120_000);
  afterAll(() => z3.close());

  it("[D23.12] the combinations of groups are those that all values give (oracle: the evaluator on each)", async () => {
    const clock = clockOf(z3, read, { questionMs: 60_000, allMs: 600_000 }, () => 0, null);
    const drafts = fc
      .sample(computingWorkflow, { seed: SEED + 2, numRuns: 40 })
      .flatMap((parts) => groupsIn(computingOf(parts)).groups)
      .filter(({ leaves }) => leaves.length < 5)
      .slice(0, 8);
    for (const draft of drafts) {
      const found = await combinationsOf(draft, KEYS, environment, clock);
      if (found.kind !== "combined") throw new Error(JSON.stringify(found));
      expect([...found.group.combinations].sort()).toEqual([...bruteCombinations(draft)].sort());
    }
    expect(drafts).toHaveLength(8);
  }, 300_000);

  it("[D23.13] what is said is what every run of the real step shows, and failures are its runs, firing by firing", async () => {
    const said = new Map<string, number>();
    let played = 0;
    for (const parts of fc.sample(computingWorkflow, { seed: SEED, numRuns: 8 })) {
      const compiled = computingOf(parts);
      const seen = seenOf(compiled, 1500);
      if (seen === null) continue;
      const settings = { read, environment, solver: z3, timeoutMs: 60_000, limits: { timeoutMs: 300_000 } };
      const { data } = await proveWorkflowWithSolver(compiled, settings);
      expect(refuted(compiled, data, seen)).toEqual([]);
      for (const { verdict, solver } of data.obligations) {
        const share = solver === undefined ? "alone" : solver.isTrusted ? "by its word" : "shown";
        said.set(`${verdict.kind} ${share}`, (said.get(`${verdict.kind} ${share}`) ?? 0) + 1);
        if (solver === undefined || verdict.kind !== "fails" || verdict.evidence.kind !== "data-run")
          continue;
        const { run, finding } = verdict.evidence;
        const { steps, refused } = playRun(compiled, verdict.evidence, { evaluate });
        const shown = run.steps.flatMap((one) => one.fired);
        expect(steps.flatMap((one) => one.fired ?? []).slice(0, shown.length)).toEqual(shown);
        const troubles = steps.flatMap(({ trouble }) => trouble?.code ?? []);
        if (finding.kind === "gap") expect([...troubles, refused]).toContainEqual(expect.stringMatching(GAP));
        played += 1;
      }
    }
    expect(played).toBeGreaterThan(5);
    for (const line of ["holds by its word", "fails by its word", "fails shown"])
      expect(said.get(line) ?? 0, line).toBeGreaterThan(3);
  }, 600_000);
});
