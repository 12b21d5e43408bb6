/** @module `tessera check --smt`: guards that compute, asked of z3 and confirmed by the evaluator of FEEL. */
import type { CompiledWorkflow, Json } from "@tessera/core";
import { FEEL, readFeelTerm } from "@tessera/interchange";
import type { ProofOptions } from "@tessera/proofs";
import type { GuardFinding, SolvedReport } from "@tessera/proofs/smt";
import { mark, UsageError } from "../io.ts";

/** Proves workflows with z3, which is loaded once. */
export interface OpenSolver {
  readonly prove: (compiled: CompiledWorkflow, settings: ProofOptions) => Promise<SolvedReport>;
  readonly close: () => Promise<void>;
}

/** Loads z3. Throws UsageError, with the code, where it is not installed or cannot be started. */
export async function openSolver(): Promise<OpenSolver> {
  const { proveWorkflowWithSolver, SolverError, z3Solver } = await import("@tessera/proofs/smt");
  const solver = await z3Solver().catch((error: unknown) => {
    if (!(error instanceof SolverError)) throw error;
    throw new UsageError(`${error.code} ${error.message}`, "--smt needs it; tessera check works without");
  });
  return {
    prove: (compiled, settings) =>
      proveWorkflowWithSolver(compiled, {
        ...settings,
        ...(settings.limits?.timeoutMs === undefined ? {} : { timeoutMs: settings.limits.timeoutMs }),
        read: (language, text) => (language === "feel" ? readFeelTerm(text) : null),
        environment: {
          evaluate: (language, text, data, now) =>
            language === "feel" ? FEEL.run(text, data, now ?? 0) : undefined,
        },
        solver,
      }),
    close: () => solver.close(),
  };
}

/** What z3 says of the guards of a node by themselves, for people. */
export function guardLines(findings: readonly GuardFinding[]): readonly string[] {
  return findings.flatMap(({ node, outcome, question, verdict }) => {
    const shown =
      verdict.kind === "holds"
        ? mark.good("holds")
        : verdict.kind === "fails"
          ? mark.bad("fails")
          : mark.open("unknown");
    const head = `  guards   ${`${node} (${outcome})`.padEnd(26)} ${question} ${shown}`;
    if (verdict.kind === "holds") return [`${head} ${mark.dim(`on the word of ${verdict.evidence.method}`)}`];
    const details = verdict.kind === "fails" ? verdict.evidence : verdict.limit;
    return [head, `           ${JSON.stringify(details)}`];
  });
}

/** The same as JSON. */
export function guardJson(findings: readonly GuardFinding[]): Json {
  return findings.map(({ node, outcome, question, verdict }) => ({
    node,
    outcome,
    question,
    verdict: verdict.kind,
    ...(verdict.kind === "holds" ? { method: `solver: ${verdict.evidence.method}` } : {}),
    ...(verdict.kind === "fails" ? { witness: verdict.evidence as unknown as Json } : {}),
    ...(verdict.kind === "unknown" ? { limit: verdict.limit as unknown as Json } : {}),
  }));
}
