/** @module @tessera/proofs/vitest: matchers for tests. Importing this module registers them. */
import type { CompiledWorkflow, Net } from "@tessera/core";
import { expect } from "vitest";
import { describeLimit, explainEvidence } from "./explain.ts";
import { proveNet } from "./pipeline.ts";
import type { NetReport } from "./soundness.ts";
import type { NetEvidence, Verdict } from "./verdict.ts";
import { describeEvidence, type WorkflowEvidence } from "./workflow-evidence.ts";
import {
  type ProofOptions,
  proveWorkflow,
  type WorkflowObligationId,
  type WorkflowReport,
} from "./workflow-proof.ts";

/** What can be asked: a net, a compiled workflow, or a report of either. */
export type Provable = Net | CompiledWorkflow | NetReport | WorkflowReport;

interface TesseraMatchers<R = unknown> {
  /** The net or workflow is proved sound: O1, O2 and O3 hold. `unknown` does not pass, nor does it with `.not`. */
  toBeSound: (options?: ProofOptions) => R;
  /** The obligation holds. `unknown` does not pass, nor does it with `.not`. */
  toHold: (id: WorkflowObligationId, options?: ProofOptions) => R;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration must repeat vitest's own type parameter.
  interface Matchers<T = any> extends TesseraMatchers<T> {}
}

expect.extend({
  toBeSound(received: Provable, options: ProofOptions = {}) {
    const { subject, report } = proved(received, options);
    return answer(this.isNot, report.soundness, ["it is sound", "it is not sound"], subject);
  },
  toHold(received: Provable, id: WorkflowObligationId, options: ProofOptions = {}) {
    const { subject, report } = proved(received, options);
    const line = report.obligations.find((obligation) => obligation.id === id);
    if (line === undefined) return { pass: this.isNot, message: () => `a net has no obligation ${id}` };
    return answer(this.isNot, line.verdict, [`${id} holds`, `${id} fails`], subject);
  },
});

type Subject =
  | { readonly kind: "net"; readonly net: Net }
  | { readonly kind: "workflow"; readonly compiled: CompiledWorkflow }
  | { readonly kind: "report" };

function proved(
  received: Provable,
  options: ProofOptions,
): { readonly subject: Subject; readonly report: NetReport | WorkflowReport } {
  if ("obligations" in received) return { subject: { kind: "report" }, report: received };
  if ("definition" in received) {
    return { subject: { kind: "workflow", compiled: received }, report: proveWorkflow(received, options) };
  }
  return { subject: { kind: "net", net: received }, report: proveNet(received, options) };
}

/** An open question fails the matcher in both directions: a test must not be green because a limit was reached. */
function answer(
  isNot: boolean,
  verdict: Verdict<WorkflowEvidence>,
  [yes, no]: readonly [yes: string, no: string],
  subject: Subject,
): { pass: boolean; message: () => string } {
  switch (verdict.kind) {
    case "holds":
      return { pass: true, message: () => `expected otherwise, but ${yes}` };
    case "fails":
      return { pass: false, message: () => `${no}: ${witness(subject, verdict.evidence)}` };
    case "unknown":
      return {
        pass: isNot,
        message: () => `it is open whether ${yes}: ${describeLimit(verdict.limit)}`,
      };
  }
}

function witness(subject: Subject, evidence: WorkflowEvidence): string {
  switch (subject.kind) {
    case "workflow":
      return describeEvidence(subject.compiled, evidence);
    case "net":
      return JSON.stringify(explainEvidence(subject.net, evidence as NetEvidence));
    case "report":
      return evidence.kind;
  }
}
