/** @module Certificate files: written from a report, read and verified against a net without any prover. */
import { contentHash, type Json, type JsonObject, type Net } from "@tessera/core";
import type { ReductionStep } from "../reduction/step.ts";
import type { NetEvidence, Support } from "../verdict.ts";
import { type CheckableLine, type CheckerOptions, checkLines } from "./check.ts";
import type { Checked } from "./closed-set.ts";
import { CERTIFICATE_FORMAT, CERTIFICATE_SHAPE } from "./format.ts";
import { conforms } from "./shape.ts";

/** A claim of a file, and what the checkers say of it. */
export interface VerifiedClaim {
  readonly id: CheckableLine["id"];
  readonly verdict: "holds" | "fails";
  readonly checked: Checked;
}

/** bad: not a certificate for a net of this size. other-net: of another net. Else each claim was looked at. */
export type Verification =
  | { readonly kind: "bad" }
  | { readonly kind: "other-net"; readonly net: string }
  | { readonly kind: "verified"; readonly claims: readonly VerifiedClaim[] };

/** The hash by which a certificate names its net: of everything that the net says. */
export function netHash(net: Net): string {
  return contentHash(net as unknown as Json);
}

/** The file of a report: its lines that hold or fail, with their evidence; open ones and those without a checker are left out. */
export function certificateOf(net: Net, lines: readonly CheckableLine[]): JsonObject {
  const reductions: (readonly ReductionStep[])[] = [];
  const numberOf = (steps: readonly ReductionStep[]) => {
    const known = reductions.indexOf(steps);
    return known >= 0 ? known : reductions.push(steps) - 1;
  };
  const claims = lines.flatMap(({ id, verdict }) => {
    if (verdict.kind === "unknown") return [];
    if (verdict.kind === "fails")
      return [{ id, verdict: "fails", evidence: packFailure(verdict.evidence, numberOf) }];
    if (verdict.evidence.class === "recomputable") return [];
    return [{ id, verdict: "holds", evidence: packSupport(verdict.evidence, numberOf) }];
  });
  return { format: CERTIFICATE_FORMAT, net: netHash(net), reductions, claims } as unknown as JsonObject;
}

/**
 * Is `file` a certificate of `net`, and does the evidence of each claim support it? The checkers import the net, the
 * firing rule and the form, no prover. Cost: that of the checks; past `statesMax` markings a claim is not checked.
 */
export function verifyCertificate(net: Net, file: Json, options: Partial<CheckerOptions> = {}): Verification {
  const sizes = { places: net.places.length, transitions: net.transitions.length };
  if (!conforms(CERTIFICATE_SHAPE, file, sizes)) return { kind: "bad" };
  const given = file as unknown as CertificateFile;
  if (given.net !== netHash(net)) return { kind: "other-net", net: given.net };
  const lines = given.claims.map((claim) => lineOf(claim, given.reductions));
  const known = lines.filter((line) => line !== null);
  if (known.length < lines.length) return { kind: "bad" };
  const checked = checkLines(net, known, options);
  const claims = given.claims.map(({ id, verdict }, index) => ({ id, verdict, checked: checked[index]! }));
  return { kind: "verified", claims };
}

/** A file of the right shape. */
interface CertificateFile {
  readonly net: string;
  readonly reductions: readonly (readonly ReductionStep[])[];
  readonly claims: readonly Claim[];
}

interface Claim {
  readonly id: CheckableLine["id"];
  readonly verdict: "holds" | "fails";
  readonly evidence: JsonObject;
}

type NumberOf = (steps: readonly ReductionStep[]) => number;

function packFailure(evidence: NetEvidence, numberOf: NumberOf): unknown {
  if (evidence.kind !== "E3" || evidence.certificate.kind !== "reduced") return evidence;
  const { kind, size, steps } = evidence.certificate;
  return { ...evidence, certificate: { kind, size, reduction: numberOf(steps) } };
}

function packSupport({ certificate, ...support }: Support, numberOf: NumberOf): unknown {
  if (certificate === undefined) return support;
  const { steps, ...rest } = certificate;
  return { ...support, certificate: { ...rest, reduction: numberOf(steps) } };
}

/** The line that a claim stands for; null if it names a reduction that is not there. */
function lineOf(
  { id, verdict, evidence }: Claim,
  reductions: CertificateFile["reductions"],
): CheckableLine | null {
  const { certificate } = evidence as { certificate?: { reduction?: number } };
  const unpacked = { ...evidence } as Record<string, unknown>;
  if (certificate?.reduction !== undefined) {
    const { reduction, ...rest } = certificate;
    const steps = reductions[reduction];
    if (steps === undefined) return null;
    unpacked["certificate"] = { ...rest, steps };
  }
  return verdict === "holds"
    ? { id, verdict: { kind: "holds", evidence: unpacked as unknown as Support } }
    : { id, verdict: { kind: "fails", evidence: unpacked as unknown as NetEvidence } };
}
