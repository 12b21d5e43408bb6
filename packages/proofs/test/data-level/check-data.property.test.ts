import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDataLines } from "../../src/certificate/check-data.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { dataVerdicts } from "../../src/data-level/data-verdicts.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { explore } from "../../src/data-level/product.ts";
import { stepperOf } from "../../src/data-level/stepper.ts";
import { proveWorkflow } from "../../src/index.ts";
import { DEFAULT_LIMITS, startBudget } from "../../src/limits.ts";
import { finish } from "../../src/soundness.ts";
import { compiledOf, guardedWorkflow } from "./guarded-workflow.ts";

const SEED = 4_711;

describe("[D23.6] the checker of evidence on data", () => {
  it("[D23.6] accepts what the prover shows (oracle: steps read anew from the text, transition by transition)", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(guardedWorkflow, (parts) => {
        const compiled = compiledOf(parts);
        const report = proveWorkflow(compiled, { level: "data", limits: { statesMax: 2000 } }).data!;
        const lines = report.obligations;
        const checked = checkDataLines(compiled, lines);
        lines.forEach(({ id, verdict }, index) => {
          const evidence = verdict.kind === "fails" ? verdict.evidence.kind : verdict.kind;
          seen.set(`${id} ${evidence}`, (seen.get(`${id} ${evidence}`) ?? 0) + 1);
          expect({ id, checked: checked[index] }).toEqual({ id, checked: { kind: "valid" } });
        });
      }),
      { seed: SEED, numRuns: 70 },
    );
    for (const id of ["O1", "O2", "O3", "O4", "O5", "deadlock"]) {
      expect(seen.get(`${id} holds`) ?? 0, id).toBeGreaterThan(2);
      expect(seen.get(`${id} ${id === "O3" ? "data-dead" : "data-run"}`) ?? 0, id).toBeGreaterThan(0);
    }
  }, 120_000);

  it("[D23.6] refuses what a prover shows that forgets a gap between the constants", () => {
    const isGone = (value: unknown) => Number(value) > 2 || Number(value) < 0;
    const refused = fc.sample(guardedWorkflow, { seed: SEED, numRuns: 60 }).filter((parts) => {
      const compiled = compiledOf(parts);
      const found = domainOf(questionsOf(compiled));
      if (found.kind !== "domain") throw new Error(found.reason);
      const { domain } = found;
      const slots = domain.slots.map((slot) => {
        const values = slot.values.filter((value) => !isGone(value));
        return slot.reference.key === "n" && values.length > 0 ? { ...slot, values } : slot;
      });
      const blind = { ...domain, slots };
      const budget = startBudget({ ...DEFAULT_LIMITS, statesMax: 1000 }, () => 0, null);
      const product = finish(explore(stepperOf(compiled, blind), budget), {});
      if (product.limit !== null) return false;
      const lines = [...dataVerdicts(compiled, blind, product).verdicts].map(([id, verdict]) => ({
        id,
        verdict,
      }));
      return checkDataLines(compiled, lines).some(({ kind }) => kind === "invalid");
    });
    expect(refused.length).toBeGreaterThan(2);
  }, 60_000);
});
