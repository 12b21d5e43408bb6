/** @module Certificate files: written from a report, read and verified against a net without any prover. */
import { type CompiledWorkflow, contentHash, type Json, type JsonObject, type Net } from "@tessera/core";
import type { NetEvidence, StubbornCertificate, Support } from "../verdict.ts";
import { type CheckableLine, type CheckerOptions, checkLines } from "./check.ts";
import type { CheckableDataLine } from "./check-data.ts";
import type { Checked } from "./closed-set.ts";
import { type DataVerification, verifyDataCertificate } from "./data-file.ts";
import { CERTIFICATE_FORMAT, CERTIFICATE_SHAPE } from "./format.ts";
import { type Packed, packFailure, packSupport, type Shared, unpack } from "./packed.ts";
import { checkQuestion, type QuestionClaim } from "./question-claims.ts";
import { conforms } from "./shape.ts";

/** A claim of a file, and what the checkers say of it. `level` where it speaks of the data. Of a question: its text. */
export interface VerifiedClaim {
  readonly id: CheckableLine["id"] | CheckableDataLine["id"] | "question";
  readonly question?: string;
  readonly verdict: "holds" | "fails";
  readonly level?: "data";
  readonly checked: Checked;
}

/**
 * bad: not a certificate for a net of this size. other-net: of another net. other-definition: of another workflow, which
 * has the same net. Else each claim was looked at.
 */
export type Verification =
  | { readonly kind: "bad" }
  | { readonly kind: "other-definition" }
  | { readonly kind: "other-net"; readonly net: string }
  | { readonly kind: "verified"; readonly claims: readonly VerifiedClaim[] };

/** The hash by which a certificate names its net: of everything that the net says. */
export function netHash(net: Net): string {
  return contentHash(net as unknown as Json);
}

/**
 * The file of a report: its lines that hold or fail, with their evidence; open ones and those without a checker are left
 * out. `data`: what `dataCertificate` makes of its lines on data.
 */
export function certificateOf(
  net: Net,
  lines: readonly CheckableLine[],
  data: JsonObject | null = null,
): JsonObject {
  const shared: Shared = { reductions: [], parts: [], stubborn: [] };
  const claims = lines.flatMap(({ id, verdict }) => {
    if (verdict.kind === "unknown") return [];
    if (verdict.kind === "fails")
      return [{ id, verdict: "fails", evidence: packFailure(verdict.evidence, shared) }];
    if (verdict.evidence.class === "recomputable" || verdict.evidence.class === "solver") return [];
    return [{ id, verdict: "holds", evidence: packSupport(verdict.evidence, shared) }];
  });
  const { reductions, parts, stubborn } = shared;
  const sets = stubborn.length === 0 ? {} : { stubborn: stubborn.map(({ kind: _, ...rest }) => rest) };
  const file = { format: CERTIFICATE_FORMAT, net: netHash(net), reductions, parts, ...sets, claims };
  return { ...(file as unknown as JsonObject), ...(data === null ? {} : { data }) };
}

/** The file of answers to questions, each with its evidence. */
export function questionCertificateOf(net: Net, questions: readonly QuestionClaim[]): JsonObject {
  return { ...certificateOf(net, []), questions: questions as unknown as Json };
}

/**
 * Is `file` a certificate of `net`, and does the evidence of each claim support it? The checkers import the net, the
 * firing rule and the form, no prover. Cost: that of the checks; past `statesMax` markings a claim is not checked. Claims
 * about data need the `workflow` that the net is of.
 */
export function verifyCertificate(net: Net, file: Json, options: VerifyOptions = {}): Verification {
  const sizes = { places: net.places.length, transitions: net.transitions.length };
  if (!conforms(CERTIFICATE_SHAPE, file, sizes)) return { kind: "bad" };
  const listed = file as unknown as CertificateFile;
  const stubborn = (listed.stubborn ?? []).map((sets) => ({ ...sets, kind: "stubborn" as const }));
  const given = { ...listed, stubborn };
  if (given.net !== netHash(net)) return { kind: "other-net", net: given.net };
  const lines = given.claims.map((claim) => lineOf(claim, given));
  const known = lines.filter((line) => line !== null);
  if (known.length < lines.length) return { kind: "bad" };
  const checked = checkLines(net, known, options);
  const claims: readonly VerifiedClaim[] = given.claims.map(({ id, verdict }, index) => ({
    id,
    verdict,
    checked: checked[index]!,
  }));
  const answers = (given.questions ?? []).map((claim): VerifiedClaim => {
    const { question, verdict } = claim;
    return { id: "question", question, verdict, checked: checkQuestion(net, claim, options.statesMax) };
  });
  const said = [...claims, ...answers];
  const data = onData(given.data, options);
  if (data === null) return { kind: "verified", claims: said };
  if (data.kind === "verified") return { kind: "verified", claims: [...said, ...data.claims] };
  return { kind: data.kind === "other-cases" ? "bad" : data.kind };
}

/** Options of the verification. `workflow`: what the net is of; a bare net has none, and no data. */
export interface VerifyOptions extends Partial<CheckerOptions> {
  readonly workflow?: CompiledWorkflow;
}

function onData(
  part: JsonObject | undefined,
  { workflow, statesMax }: VerifyOptions,
): DataVerification | null {
  if (part === undefined) return null;
  if (workflow === undefined) return { kind: "other-definition" };
  return verifyDataCertificate(workflow, part, statesMax === undefined ? {} : { statesMax });
}

/** A file of the right shape. */
interface CertificateFile extends Omit<Shared, "stubborn"> {
  readonly stubborn?: readonly Omit<StubbornCertificate, "kind">[];
  readonly net: string;
  readonly claims: readonly Claim[];
  readonly data?: JsonObject;
  readonly questions?: readonly QuestionClaim[];
}

interface Claim {
  readonly id: CheckableLine["id"];
  readonly verdict: "holds" | "fails";
  readonly evidence: JsonObject;
}

/** The line that a claim stands for; null if it names what is not there. */
function lineOf({ id, verdict, evidence }: Claim, shared: Shared): CheckableLine | null {
  const unpacked = unpack(evidence as Packed, shared);
  if (unpacked === null) return null;
  return verdict === "holds"
    ? { id, verdict: { kind: "holds", evidence: unpacked as Support } }
    : { id, verdict: { kind: "fails", evidence: unpacked as NetEvidence } };
}
