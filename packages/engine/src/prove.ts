/** @module What the engine asks of the proofs: for each obligation of a definition, a verdict with its witness. */
import { type JsonObject, type Outcome, type Program, unreachable } from "@tessera/core";
import type { Footprint, FootprintOptions } from "@tessera/gateways";
import {
  explainEvidence,
  type Limits,
  proveNetAsync,
  proveWorkflowAsync,
  type Verdict,
} from "@tessera/proofs";

/** One obligation. `witness` shows a failure; `limit` says why one is open; `message` says either in a sentence. */
export interface ObligationVerdict {
  readonly id: string;
  readonly verdict: "holds" | "fails" | "unknown";
  readonly level: string;
  readonly method: string;
  readonly message?: string;
  /** The definition does not ask for it: reported, and not binding. */
  readonly isDiagnosis?: true;
  readonly witness?: JsonObject;
  readonly limit?: JsonObject;
}

/** What is known of a definition. `labels`: those under which a run can end, null if that is not known. */
export interface Proof {
  readonly obligations: readonly ObligationVerdict[];
  readonly labels: readonly Outcome[] | null;
  /** What a run does with G; absent where it is not known. */
  readonly footprint?: Footprint;
  readonly assumptions: readonly string[];
}

/** Labels under which called workflows end, by name. */
export type CalledLabels = ReadonlyMap<string, readonly Outcome[]>;

/** Decides the obligations of a compiled definition. `footprints`: those of called workflows, and the constraints of I. */
export type Prover = (
  program: Program,
  called: CalledLabels,
  footprints?: FootprintOptions,
) => Promise<Proof>;

/** What is reported and does not keep a definition from being deployed: it explains the obligations. */
const DIAGNOSES: ReadonlySet<string> = new Set(["O6", "deadlock", "bounded"]);

/** Must the verdict hold, or be accepted, before a definition is deployed? */
export function isBinding({ id, isDiagnosis }: Pick<ObligationVerdict, "id" | "isDiagnosis">): boolean {
  return isDiagnosis !== true && !DIAGNOSES.has(id);
}

/** The obligations that are decided statically, within limits: those of the workflow, or of a bare net its own. */
export function staticProver(limits: Partial<Limits> = {}): Prover {
  return async ({ compiled, net, rules }, children, footprints = {}) => {
    if (compiled.kind === "net") {
      const { obligations } = await proveNetAsync(net, { limits, rules });
      const lines = obligations.map(({ id, verdict, level, method }) => {
        const witness = verdict.kind === "fails" ? explainEvidence(net, verdict.evidence) : undefined;
        return lineOf({ id, level, method }, verdict, witness);
      });
      return { obligations: lines, labels: ["done"], footprint: { reads: [], writes: [] }, assumptions: [] };
    }
    const report = await proveWorkflowAsync(compiled, { limits, children, footprints });
    const lines = report.obligations.map(({ id, verdict, level, method, message, witness, isDiagnosis }) => {
      const said = message === "" ? {} : { message };
      const owed = isDiagnosis === undefined ? {} : { isDiagnosis };
      return lineOf({ id, level, method, ...said, ...owed }, verdict, witness);
    });
    const { labels, footprint, assumptions } = report;
    return { obligations: lines, labels, footprint, assumptions };
  };
}

function lineOf(
  line: Pick<ObligationVerdict, "id" | "level" | "method" | "message" | "isDiagnosis">,
  verdict: Verdict<unknown>,
  witness: JsonObject | undefined,
): ObligationVerdict {
  switch (verdict.kind) {
    case "holds":
      return { ...line, verdict: "holds" };
    case "fails":
      return { ...line, verdict: "fails", ...(witness === undefined ? {} : { witness }) };
    case "unknown":
      return { ...line, verdict: "unknown", limit: { ...verdict.limit } };
    default:
      return unreachable(verdict);
  }
}
