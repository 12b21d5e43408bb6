/** @module The report on data of a workflow, each line of which the checker has accepted. */
import type { CompiledWorkflow } from "@tessera/core";
import { expect } from "vitest";
import { checkDataLines, type DataReport, proveWorkflow } from "../../src/index.ts";

/** What is said is supported, by steps that are read anew from the text. */
export const proveOnData = (compiled: CompiledWorkflow): DataReport => {
  const report = proveWorkflow(compiled, { level: "data" }).data!;
  const checked = checkDataLines(compiled, report.obligations);
  report.obligations.forEach(({ id }, index) => {
    expect({ id, checked: checked[index] }).toEqual({ id, checked: { kind: "valid" } });
  });
  return report;
};
