/** @module What the engine asks of the proofs: for each obligation of a definition, a verdict with its witness. */
import { type JsonObject, type Net, type Program, unreachable } from "@tessera/core";
import { checkNetAsync, explainEvidence, type Limits, type ObligationResult } from "@tessera/proofs";

/** One obligation. `witness` shows a failure; `limit` says why one is open. */
export interface ObligationVerdict {
  readonly id: string;
  readonly verdict: "holds" | "fails" | "unknown";
  readonly level: string;
  readonly method: string;
  readonly witness?: JsonObject;
  readonly limit?: JsonObject;
}

/** Decides the obligations of a compiled definition. */
export type Prover = (program: Program) => Promise<readonly ObligationVerdict[]>;

/** O1 to O4 of the net, by explicit search. */
export function netProver(limits: Partial<Limits> = {}): Prover {
  return async ({ net }) => {
    const report = await checkNetAsync(net, { limits });
    const owed = report.obligations.filter(({ id }) => id !== "deadlock" && id !== "bounded");
    return owed.map((result) => verdictOf(net, result));
  };
}

function verdictOf(net: Net, { id, verdict, level, method }: ObligationResult): ObligationVerdict {
  const line = { id, level, method };
  switch (verdict.kind) {
    case "holds":
      return { ...line, verdict: "holds" };
    case "fails":
      return { ...line, verdict: "fails", witness: explainEvidence(net, verdict.evidence) };
    case "unknown":
      return { ...line, verdict: "unknown", limit: { ...verdict.limit } };
    default:
      return unreachable(verdict);
  }
}
