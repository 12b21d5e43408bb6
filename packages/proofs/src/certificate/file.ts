/** @module Certificate files: written from a report, read and verified against a net without any prover. */
import { contentHash, type Json, type JsonObject, type Net } from "@tessera/core";
import type { ReductionStep } from "../reduction/step.ts";
import type { NetEvidence, NeverFires, Support, TerminatingPart } from "../verdict.ts";
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
  const shared: Shared = { reductions: [], parts: [] };
  const claims = lines.flatMap(({ id, verdict }) => {
    if (verdict.kind === "unknown") return [];
    if (verdict.kind === "fails")
      return [{ id, verdict: "fails", evidence: packFailure(verdict.evidence, shared) }];
    if (verdict.evidence.class === "recomputable") return [];
    return [{ id, verdict: "holds", evidence: packSupport(verdict.evidence, shared) }];
  });
  return { format: CERTIFICATE_FORMAT, net: netHash(net), ...shared, claims } as unknown as JsonObject;
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
  const lines = given.claims.map((claim) => lineOf(claim, given));
  const known = lines.filter((line) => line !== null);
  if (known.length < lines.length) return { kind: "bad" };
  const checked = checkLines(net, known, options);
  const claims = given.claims.map(({ id, verdict }, index) => ({ id, verdict, checked: checked[index]! }));
  return { kind: "verified", claims };
}

/** What the claims of a file share and name by number. */
interface Shared {
  readonly reductions: (readonly ReductionStep[])[];
  readonly parts: TerminatingPart[];
}

/** A file of the right shape. */
interface CertificateFile extends Shared {
  readonly net: string;
  readonly claims: readonly Claim[];
}

interface Claim {
  readonly id: CheckableLine["id"];
  readonly verdict: "holds" | "fails";
  readonly evidence: JsonObject;
}

/** Evidence or a certificate as it stands in a file, with numbers for what is shared. */
interface Packed {
  readonly certificate?: Packed;
  readonly reduction?: number;
  readonly part?: number;
  readonly inner?: Packed;
}

function numberIn<T>(list: T[], item: T): number {
  const known = list.indexOf(item);
  return known >= 0 ? known : list.push(item) - 1;
}

function packFailure(evidence: NetEvidence, shared: Shared): unknown {
  if (evidence.kind !== "E3") return evidence;
  return { ...evidence, certificate: packNever(evidence.certificate, shared) };
}

function packNever(certificate: NeverFires, shared: Shared): unknown {
  if (certificate.kind === "terminating") {
    const { kind, part, inner } = certificate;
    return { kind, part: numberIn(shared.parts, part), inner: packNever(inner, shared) };
  }
  if (certificate.kind !== "reduced") return certificate;
  const { kind, size, steps } = certificate;
  return { kind, size, reduction: numberIn(shared.reductions, steps) };
}

function packSupport({ certificate, ...support }: Support, shared: Shared): unknown {
  if (certificate === undefined) return support;
  if (certificate.kind === "terminating") {
    const { kind, part, inner } = certificate;
    const packed = { kind, part: numberIn(shared.parts, part), inner: packSupport(inner, shared) };
    return { ...support, certificate: packed };
  }
  const { steps, ...rest } = certificate;
  return { ...support, certificate: { ...rest, reduction: numberIn(shared.reductions, steps) } };
}

/** The line that a claim stands for; null if it names a reduction or part that is not there. */
function lineOf({ id, verdict, evidence }: Claim, shared: Shared): CheckableLine | null {
  const unpacked = unpack(evidence as Packed, shared);
  if (unpacked === null) return null;
  return verdict === "holds"
    ? { id, verdict: { kind: "holds", evidence: unpacked as Support } }
    : { id, verdict: { kind: "fails", evidence: unpacked as NetEvidence } };
}

function unpack({ certificate, reduction, part, inner, ...rest }: Packed, shared: Shared): object | null {
  const named: Record<string, unknown> = {};
  if (certificate !== undefined) named["certificate"] = unpack(certificate, shared);
  if (inner !== undefined) named["inner"] = unpack(inner, shared);
  if (reduction !== undefined) named["steps"] = shared.reductions[reduction] ?? null;
  if (part !== undefined) named["part"] = shared.parts[part] ?? null;
  return Object.values(named).includes(null) ? null : { ...rest, ...named };
}
