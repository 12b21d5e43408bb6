import type { Net, NetClass } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enumerateNets } from "../src/enumerate.ts";
import {
  checkEvidence,
  checkNet,
  type Limits,
  type NetReport,
  proveNet,
  type Verdict,
} from "../src/index.ts";

const LIMITS = { statesMax: 500, statesAfterFailureMax: 500, timeoutMs: 60_000 };

type Prove = (net: Net) => NetReport;
const prove: Prove = (net) => proveNet(net, { limits: LIMITS });

/** Law: the pipeline and the plain search never contradict each other, and the pipeline knows what a complete search knows. */
function agreesWithSearch(implementation: Prove, net: Net, limits: Partial<Limits> = LIMITS): void {
  const plain = checkNet(net, { limits });
  const report = implementation(net);
  for (const [index, { id, verdict }] of report.obligations.entries()) {
    const expected = plain.obligations[index]!.verdict;
    if (plain.complete || (verdict.kind !== "unknown" && expected.kind !== "unknown"))
      expect({ id, kind: verdict.kind }).toEqual({ id, kind: expected.kind });
  }
  if (plain.sound !== null) expect(report.sound).toBe(plain.sound);
}

/** Law: every verdict passes the checker, which replays reductions plainly. */
function everyVerdictChecks(implementation: Prove, net: Net): void {
  const report = implementation(net);
  for (const { id, verdict } of report.obligations) {
    expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
  }
  // O1 to O3 may hold by evidence of different kinds: then there is none for all of them together.
  const { soundness } = report;
  if (soundness.kind === "holds" && soundness.evidence.class === "recomputable")
    expect(conclusion(report)).toBe("holds");
  else expect(checkEvidence(net, "sound", soundness)).toEqual({ kind: "valid" });
}

function conclusion({ obligations }: NetReport): string {
  const parts = obligations.filter(({ id }) => id === "O1" || id === "O2" || id === "O3");
  return parts.every(({ verdict }) => verdict.kind === "holds") ? "holds" : "open";
}

const CLASSES: readonly NetClass[] = ["plain", "weighted", "reset", "non-local"];
const workflows = fc.oneof(
  arbitraryWorkflowNet(),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

function forAll(
  law: (implementation: Prove, net: Net) => void,
  implementation: Prove,
  nets: fc.Arbitrary<Net>,
) {
  fc.assert(
    fc.property(nets, (net) => law(implementation, net)),
    { numRuns: 200 },
  );
}

describe("the pipeline", () => {
  it.each(CLASSES)(
    "[T13.1] [L13.1] [D8.8] agrees with the plain search on %s nets, and its evidence is valid",
    (kind) => {
      forAll(agreesWithSearch, prove, arbitraryNetOfClass(kind));
      forAll(everyVerdictChecks, prove, arbitraryNetOfClass(kind));
    },
  );

  it("[T13.1] [T13.2] agrees with the plain search on block-structured nets with and without mistakes", () => {
    forAll(agreesWithSearch, prove, workflows);
    forAll(everyVerdictChecks, prove, workflows);
  });

  it("[D8.8] agrees with the plain search on all nets up to 2 x 3 and a share of 3 x 3 (TESSERA_DEEP=1: all)", () => {
    // Bounded nets of this size have far fewer than 100 markings.
    const limits = { statesMax: 100, statesAfterFailureMax: 100 };
    const small: Prove = (net) => proveNet(net, { limits });
    const stride = process.env["TESSERA_DEEP"] === "1" ? 1 : 17;
    let count = 0;
    for (const net of enumerateNets({ placesMax: 3, transitionsMax: 3 })) {
      count += 1;
      if (net.places.length === 3 && net.transitions.length === 3 && count % stride !== 0) continue;
      agreesWithSearch(small, net, limits);
      if (count % 5 === 0) everyVerdictChecks(small, net);
    }
    expect(count).toBe(48_909);
  }, 300_000);

  it("[D8.8] the laws refuse broken pipelines", () => {
    const always: Verdict<never> = {
      kind: "holds",
      evidence: { class: "compact", method: "none", states: 1 },
    };
    const credulous: Prove = (net) => {
      const report = prove(net);
      return { ...report, obligations: report.obligations.map((line) => ({ ...line, verdict: always })) };
    };
    const forgetful: Prove = (net) =>
      prove({ ...net, transitions: net.transitions.map((t) => ({ ...t, pre: t.pre.slice(0, 1) })) });
    for (const broken of [credulous, forgetful]) {
      expect(() => forAll(agreesWithSearch, broken, workflows)).toThrow();
      expect(() => forAll(everyVerdictChecks, broken, workflows)).toThrow();
    }
  });
});
