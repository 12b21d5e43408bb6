/** @module What the proofs say of a workflow with its data, against every run of the real step on concrete values. */
import type { Arc, ConditionData, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import { checkDataLines, proveWorkflow } from "@tessera/proofs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calledWorkflow, VALUES } from "./called-workflow.ts";
import { falsehoods } from "./data-falsehoods.ts";
import { compiledOf, doingNothing } from "./data-worlds.ts";
import { flow } from "./definitions.ts";
import { playRun } from "./play-run.ts";
import type { Values } from "./step-inputs.ts";
import { seenByStep } from "./step-oracle.ts";

const SEED = 23_008;
const RUNS = 150;
const GAP = /^(NO_ARC|NO_TRUE_ARC|COND10\d|COLLECTION_INVALID|invalid-data)$/;

/** The keys that something asks of, with their values. */
function askedValues(definition: WorkflowDefinition): Values {
  const text = JSON.stringify(definition);
  return Object.fromEntries(
    Object.entries(VALUES).filter(([key]) => key === "x" || text.includes(`"${key}"`)),
  );
}

describe("[D23.5] verdicts on data and the runs of the engine", () => {
  it("[D23.8] [D23.9] [D23.10] are what every run of the real step shows (oracle: all inputs on concrete values)", () => {
    const said = new Map<string, number>();
    let compared = 0;
    fc.assert(
      fc.property(calledWorkflow, (definition) => {
        const compiled = compiledOf(definition);
        const seen = seenByStep(compiled, askedValues(definition), 3_000, {
          functions: doingNothing(definition),
        });
        if (seen === null) return;
        compared += 1;
        const report = proveWorkflow(compiled, { level: "data" }).data!;
        for (const { id, verdict } of report.obligations)
          said.set(`${id} ${verdict.kind}`, (said.get(`${id} ${verdict.kind}`) ?? 0) + 1);
        expect(falsehoods(compiled, report, seen)).toEqual([]);
        const checked = checkDataLines(compiled, report.obligations);
        expect(checked.filter(({ kind }) => kind !== "valid")).toEqual([]);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(50);
    for (const id of ["O1", "O3", "O5", "deadlock"]) {
      expect(said.get(`${id} holds`) ?? 0, id).toBeGreaterThan(10);
      expect(said.get(`${id} fails`) ?? 0, id).toBeGreaterThan(10);
    }
    // What remains open is what depends on what the branches of staged blocks propose, or on the lists that are collected.
    const open = [...said]
      .filter(([line]) => line.endsWith("unknown"))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(open).toBeLessThan(compared * 0.2);
  }, 600_000);

  it("[D23.8] [D23.9] [D23.10] failures come with runs that the real step makes, firing by firing", () => {
    let played = 0;
    const kinds = new Set<string>();
    for (const definition of fc.sample(calledWorkflow, { seed: SEED + 1, numRuns: RUNS })) {
      const compiled = compiledOf(definition);
      for (const { verdict } of proveWorkflow(compiled, { level: "data" }).data!.obligations) {
        if (verdict.kind !== "fails" || verdict.evidence.kind !== "data-run") continue;
        const { run, finding } = verdict.evidence;
        const { steps, state, refused } = playRun(compiled, verdict.evidence);
        const fired = steps.flatMap((one) => one.fired ?? []);
        const shown = run.steps.flatMap((one) => one.fired);
        expect({ definition, fired: fired.slice(0, shown.length) }).toEqual({ definition, fired: shown });
        const troubles = steps.flatMap(({ trouble }) => trouble?.code ?? []);
        if (finding.kind === "gap") expect([...troubles, refused]).toContainEqual(expect.stringMatching(GAP));
        if (finding.kind === "stuck") expect(Array.from(state.marking)).toEqual([...run.marking]);
        played += 1;
        kinds.add(finding.kind);
      }
    }
    expect(played).toBeGreaterThan(RUNS / 2);
    expect([...kinds].sort()).toEqual(["gap", "no-completion", "stuck"]);
  }, 120_000);

  it("[D23.9] a gap that only a handler brings about: its run begins, and ends with the value", () => {
    const x = (op: string): Partial<Arc> => ({ guard: { key: "x", op, value: 0 } as ConditionData });
    const events = [
      { id: "up", on: "message", name: "m", interrupting: false, workflow: "h", outputs: { x: "v" } },
    ];
    const compiled = compiledOf(
      flow(
        "w",
        [
          ["start", "start"],
          ["first", "gateway"],
          ["wait", "human", { events, form: {} }, { writes: ["x"] }],
          ["then", "gateway"],
          ["end", "end"],
        ],
        [
          ["start", "first"],
          ["first", "wait", undefined, x("lessThan")],
          ["first", "end", undefined, { default: true }],
          ["wait", "then"],
          ["then", "end", undefined, x("atMost")],
        ],
        { data: { x: { type: "number" } } },
      ),
    );
    const report = proveWorkflow(compiled, { level: "data" }).data!;
    const verdict = report.obligations.find(({ id }) => id === "O5")?.verdict;
    if (verdict?.kind !== "fails" || verdict.evidence.kind !== "data-run") throw new Error(verdict?.kind);
    const { run } = verdict.evidence;
    expect(run.steps.map(({ outcome }) => outcome)).toEqual([
      "done",
      "done",
      null,
      "up",
      "up: ended",
      "done",
    ]);
    const { state } = playRun(compiled, verdict.evidence);
    expect(state).toMatchObject({
      status: "failed",
      data: run.data,
      terminal: { trouble: { code: "NO_TRUE_ARC" } },
    });
    expect(checkDataLines(compiled, report.obligations).every(({ kind }) => kind === "valid")).toBe(true);
  });

  it.each<readonly [name: string, blind: (node: WorkflowNode) => WorkflowNode]>([
    ["several instances", ({ meta: { multi: _several, ...meta } = {}, ...node }) => ({ ...node, meta })],
    [
      "what handlers write",
      (node) =>
        JSON.parse(JSON.stringify(node).replaceAll('"outputs":{"x":"v"}', '"outputs":{}')) as WorkflowNode,
    ],
  ])(
    "[D23.8] [D23.9] the law catches a prover that overlooks %s",
    (_, blind) => {
      const caught = fc.sample(calledWorkflow, { seed: SEED + 2, numRuns: 150 }).filter((definition) => {
        const compiled = compiledOf(definition);
        const seen = seenByStep(compiled, askedValues(definition), 500);
        const other = compiledOf({ ...definition, nodes: definition.nodes.map(blind) });
        return (
          seen !== null &&
          falsehoods(compiled, proveWorkflow(other, { level: "data" }).data!, seen).length > 0
        );
      });
      expect(caught.length).toBeGreaterThan(2);
    },
    120_000,
  );
});
