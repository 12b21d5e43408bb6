/** Generated workflows are what they are said to be, by the prover and by a judge that shares no code with it. */
import {
  type CompiledWorkflow,
  compileWorkflow,
  evaluateCondition,
  type Json,
  parseCondition,
  parseWorkflow,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { arbitraryDefectiveWorkflow, arbitraryWorkflow } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../src/index.ts";
import { judge } from "./oracle.ts";

const STATES_MAX = 4000;

function compiled(definition: WorkflowDefinition): CompiledWorkflow {
  const parsed = parseWorkflow(definition, STANDARD_KINDS);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues[0]));
  const result = compileWorkflow(definition, STANDARD_KINDS);
  if (!result.ok) throw new Error(JSON.stringify(result.issues[0]));
  return result.value;
}

/** Is there, for every value of the data, a way out of every node with guards? By trying them all. */
function isTotalByHand({ nodes, arcs }: WorkflowDefinition): boolean {
  const all = [0, 1, 2].flatMap((count) =>
    [true, false].flatMap((fair) => ["red", "blue"].map((colour) => ({ count, fair, colour }))),
  );
  return nodes.every(({ id }) => {
    const ways = arcs.filter(({ from, outcome }) => from === id && outcome === undefined);
    if (ways.length === 0 || ways.some(({ guard }) => guard === undefined)) return true;
    return all.every((data: Readonly<Record<string, Json>>) =>
      ways.some(({ guard }) => {
        const parsed = parseCondition(guard!);
        const found = parsed.ok ? evaluateCondition(parsed.value, data, {}) : null;
        return found?.kind === "value" && found.value;
      }),
    );
  });
}

const verdictOf = (definition: WorkflowDefinition, id: string): string => {
  const { obligations } = proveWorkflow(compiled(definition));
  return obligations.find((line) => line.id === id)!.verdict.kind;
};

describe("workflows with data", () => {
  it("[D8.8] [D8.10] are sound and total, by the prover and by hand", () => {
    let [judged, guarded] = [0, 0];
    fc.assert(
      fc.property(arbitraryWorkflow(), (definition) => {
        const workflow = compiled(definition);
        const report = proveWorkflow(workflow);
        expect(report.soundness.kind).toBe("holds");
        for (const id of ["O1", "O2", "O3", "O4", "O5"])
          expect([id, report.obligations.find((line) => line.id === id)!.verdict.kind]).toEqual([
            id,
            "holds",
          ]);
        expect(isTotalByHand(definition)).toBe(true);
        if (definition.arcs.some(({ guard }) => guard !== undefined)) guarded += 1;
        const truth = judge(workflow.net, STATES_MAX);
        if (truth === null) return;
        judged += 1;
        expect([truth.O1, truth.O2, truth.O4]).toEqual([true, true, true]);
      }),
      { numRuns: 150 },
    );
    expect(Math.min(judged, guarded)).toBeGreaterThan(60);
  });

  it("[D8.8] [D8.10] each mistake breaks its obligation, by the prover and by hand", () => {
    const seen = new Set<string>();
    let judged = 0;
    fc.assert(
      fc.property(arbitraryDefectiveWorkflow(), ({ definition, defect, breaks }) => {
        expect([defect, breaks, verdictOf(definition, breaks)]).toEqual([defect, breaks, "fails"]);
        seen.add(defect);
        if (breaks === "O5") {
          expect(isTotalByHand(definition)).toBe(false);
          return;
        }
        const truth = judge(compiled(definition).net, STATES_MAX);
        if (truth === null) return;
        judged += 1;
        expect(truth[breaks]).toBe(false);
      }),
      { numRuns: 120 },
    );
    expect([...seen].sort()).toEqual(["choose", "merge", "no-default"]);
    expect(judged).toBeGreaterThan(40);
  });
});
