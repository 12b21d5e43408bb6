/** @module What the proofs say with z3 of workflows with events, calls and blocks that compute, against every run of the real step. */
import type { CompiledWorkflow, WorkflowDefinition } from "@tessera/core";
import { checkDataLines, type DataReport } from "@tessera/proofs";
import { proveWorkflowWithSolver, type Solver, z3Solver } from "@tessera/proofs/smt";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { falsehoods } from "../../packages/engine/test/data-falsehoods.ts";
import { compiledOf } from "../../packages/engine/test/data-worlds.ts";
import { playRun } from "../../packages/engine/test/play-run.ts";
import { type Seen, seenByStep } from "../../packages/engine/test/step-oracle.ts";
import { environment, read } from "./expressions.ts";
import { computingCalled, computingEventful, computingRouted, worldOf } from "./told-workflow.ts";

const SEED = 23_213;
const FAMILIES = [
  ["that wait for what comes", computingEventful, 4],
  ["with calls and blocks", computingCalled, 8],
  ["that route", computingRouted, 7],
] as const;
/** Why an answer finds no way on: no arc, no answer, no list, or what a body threw where no arc takes an error. */
const GAP = /^(?:NO_ARC|NO_TRUE_ARC|COND10\d|FEEL_VALUE|COLLECTION_INVALID|BODY_THREW|invalid-data)$/u;

/** Workflows that ask what computes, and what all their runs show. */
function seenIn(arbitrary: fc.Arbitrary<WorkflowDefinition>, numRuns: number) {
  return fc.sample(arbitrary, { seed: SEED, numRuns }).flatMap((definition) => {
    if (!JSON.stringify(definition.arcs).includes('"feel"')) return [];
    const compiled = compiledOf(definition);
    const { values, world } = worldOf(definition);
    const seen = seenByStep(compiled, values, 600, world);
    return seen === null ? [] : [{ compiled, seen }];
  });
}

async function solved(compiled: CompiledWorkflow, solver: Solver): Promise<DataReport> {
  const limits = { timeoutMs: 300_000 };
  const options = { read, environment, solver, timeoutMs: 60_000, limits };
  return (await proveWorkflowWithSolver(compiled, options)).data;
}

/** Of loops the oracle, which looks at markings and data, takes for stuck whoever is asked again and again. */
function refuted(compiled: CompiledWorkflow, report: DataReport, seen: Seen): readonly string[] {
  const isLooping = compiled.definition.nodes.some(({ kind }) => kind === "decision");
  return falsehoods(compiled, report, seen).filter((line) => !isLooping || line !== "deadlock holds");
}

/** Failures whose run the engine does not make, firing by firing, to its gap. */
function unplayed(compiled: CompiledWorkflow, { obligations }: DataReport): readonly string[] {
  return obligations.flatMap(({ id, verdict }) => {
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "data-run") return [];
    const { run, finding } = verdict.evidence;
    const { steps, refused } = playRun(compiled, verdict.evidence, environment as never);
    const shown = run.steps.flatMap(({ fired }) => fired);
    const made = steps.flatMap(({ fired = [] }) => fired).slice(0, shown.length);
    const codes = [refused ?? "", ...steps.map(({ trouble }) => trouble?.code ?? "")];
    const isGap = finding.kind !== "gap" || codes.some((code) => GAP.test(code));
    return String(made) === String(shown) && isGap ? [] : [`${id}: ${made} for ${shown}, ${codes}`];
  });
}

/** Lines without the solver that the checker refuses; and those that it takes though the verdict is another line's. */
function mischecked(compiled: CompiledWorkflow, { obligations }: DataReport): readonly string[] {
  const alone = obligations.filter(
    ({ solver, verdict }) => solver === undefined && verdict.kind !== "unknown",
  );
  const refusals = checkDataLines(compiled, alone).flatMap(({ kind }, at) =>
    kind === "valid" ? [] : [`${alone[at]!.id} is refused`],
  );
  const flipped = obligations.flatMap(({ solver: _, ...line }) => {
    const others = obligations.filter(({ verdict }) => verdict.kind === "fails");
    return line.verdict.kind === "holds" ? others.map(({ verdict }) => ({ ...line, verdict })) : [];
  });
  const taken = checkDataLines(compiled, flipped).flatMap(({ kind }, at) =>
    kind === "valid" ? [`${flipped[at]!.id} is taken, flipped`] : [],
  );
  return [...refusals, ...taken];
}

describe("[D23.13] workflows with events that compute, proved with z3", () => {
  let z3: Solver;
  beforeAll(async () => {
    z3 = await z3Solver();
  }, 120_000);
  afterAll(() => z3.close());

  it.each(FAMILIES)(
    "[D23.12] [D23.13] what is said of workflows %s no run of the real step refutes, and failures are its runs",
    async (_, arbitrary, numRuns) => {
      const said = new Set<string>();
      for (const { compiled, seen } of seenIn(arbitrary, numRuns)) {
        const report = await solved(compiled, z3);
        expect(refuted(compiled, report, seen)).toEqual([]);
        expect(unplayed(compiled, report)).toEqual([]);
        expect(mischecked(compiled, report)).toEqual([]);
        for (const { verdict, solver } of report.obligations)
          if (solver !== undefined) said.add(`${verdict.kind} ${solver.isTrusted}`);
      }
      expect([...said]).toEqual(expect.arrayContaining(["holds true", "fails false"]));
    },
    600_000,
  );

  it("[D23.12] the law catches a solver that says of some answers that there are no others", async () => {
    // After the first data of each search it says that there are none.
    const liar: Solver = {
      ...z3,
      check: async (body, timeoutMs) => {
        const isFurther = /^\(assert (?:\(not|\(and \(not)/mu.test(body.split("\n").at(-1) ?? "");
        return isFurther ? { kind: "unsat" } : z3.check(body, timeoutMs);
      },
    };
    let caught = 0;
    for (const { compiled, seen } of seenIn(computingRouted, 30)) {
      if (refuted(compiled, await solved(compiled, liar), seen).length > 0) caught += 1;
      if (caught > 0) break;
    }
    expect(caught).toBe(1);
  }, 600_000);
});
