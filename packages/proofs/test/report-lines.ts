/** @module Reading reports in tests. */
import type { CompiledWorkflow } from "@tessera/core";
import { expect } from "vitest";
import {
  checkWorkflowEvidence,
  type ProofOptions,
  proveWorkflow,
  type WorkflowObligation,
  type WorkflowObligationId,
  type WorkflowReport,
} from "../src/index.ts";

export function line(report: WorkflowReport, id: WorkflowObligationId): WorkflowObligation {
  return report.obligations.find((obligation) => obligation.id === id)!;
}

export function kinds(report: WorkflowReport): Record<string, string> {
  return Object.fromEntries(report.obligations.map(({ id, verdict }) => [id, verdict.kind]));
}

/** The line of a failure, after the checker has accepted it. */
export function failure(compiled: CompiledWorkflow, id: WorkflowObligationId, options: ProofOptions = {}) {
  const found = line(proveWorkflow(compiled, options), id);
  expect(found.verdict.kind).toBe("fails");
  const { children } = options;
  expect(checkWorkflowEvidence(compiled, found, children === undefined ? {} : { children })).toEqual({
    kind: "valid",
  });
  return { message: found.message, witness: found.witness, level: found.level };
}
