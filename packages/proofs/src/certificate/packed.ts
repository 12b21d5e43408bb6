/** @module Evidence as it stands in a certificate file: what several claims share is listed once, and has a number. */
import type { ReductionStep } from "../reduction/step.ts";
import type { NetEvidence, NeverFires, StubbornCertificate, Support, TerminatingPart } from "../verdict.ts";

/** What the claims of a file share and name by number. */
export interface Shared {
  readonly reductions: (readonly ReductionStep[])[];
  readonly parts: TerminatingPart[];
  readonly stubborn: StubbornCertificate[];
}

/** Evidence or a certificate as it stands in a file, with numbers for what is shared. */
export interface Packed {
  readonly kind?: string;
  readonly certificate?: Packed;
  readonly reduction?: number;
  readonly part?: number;
  readonly stubborn?: number;
  readonly inner?: Packed;
  readonly proper?: Packed;
}

function numberIn<T>(list: T[], item: T): number {
  const known = list.indexOf(item);
  return known >= 0 ? known : list.push(item) - 1;
}

/** Evidence as it stands in a file that shares `shared`. */
export function packFailure(evidence: NetEvidence, shared: Shared): unknown {
  if (evidence.kind !== "E3") return evidence;
  return { ...evidence, certificate: packNever(evidence.certificate, shared) };
}

function packNever(certificate: NeverFires, shared: Shared): unknown {
  if (certificate.kind === "terminating") {
    const { kind, part, inner } = certificate;
    return { kind, part: numberIn(shared.parts, part), inner: packNever(inner, shared) };
  }
  if (certificate.kind === "stubborn") return packSets(certificate, shared);
  if (certificate.kind !== "reduced") return certificate;
  const { steps, stubborn, ...rest } = certificate;
  return { ...rest, reduction: numberIn(shared.reductions, steps), ...namedSets(stubborn, shared) };
}

/** Support as it stands in a file that shares `shared`. */
export function packSupport({ certificate, ...support }: Support, shared: Shared): unknown {
  if (certificate === undefined) return support;
  if (certificate.kind === "terminating") {
    const { kind, part, inner, proper } = certificate;
    const more = proper === undefined ? {} : { proper: packSupport(proper, shared) };
    const packed = { kind, part: numberIn(shared.parts, part), inner: packSupport(inner, shared), ...more };
    return { ...support, certificate: packed };
  }
  if (certificate.kind === "stubborn") return { ...support, certificate: packSets(certificate, shared) };
  if (certificate.kind !== "reduction") return { ...support, certificate };
  const { steps, stubborn, ...rest } = certificate;
  const reduction = numberIn(shared.reductions, steps);
  return { ...support, certificate: { ...rest, reduction, ...namedSets(stubborn, shared) } };
}

function packSets(certificate: StubbornCertificate, shared: Shared): Packed {
  return { kind: certificate.kind, stubborn: numberIn(shared.stubborn, certificate) };
}

function namedSets(certificate: StubbornCertificate | undefined, shared: Shared): Packed {
  return certificate === undefined ? {} : { stubborn: numberIn(shared.stubborn, certificate) };
}

/** What `packed` stands for; null if it names what is not there. */
export function unpack(packed: Packed, shared: Shared): object | null {
  const { certificate, reduction, part, stubborn, inner, proper, ...rest } = packed;
  const sets = stubborn === undefined ? undefined : (shared.stubborn[stubborn] ?? null);
  if (sets !== undefined && rest.kind === "stubborn") return sets;
  const named: Record<string, unknown> = {};
  if (certificate !== undefined) named["certificate"] = unpack(certificate, shared);
  if (inner !== undefined) named["inner"] = unpack(inner, shared);
  if (proper !== undefined) named["proper"] = unpack(proper, shared);
  if (reduction !== undefined) named["steps"] = shared.reductions[reduction] ?? null;
  if (sets !== undefined) named["stubborn"] = sets;
  if (part !== undefined) named["part"] = shared.parts[part] ?? null;
  return Object.values(named).includes(null) ? null : { ...rest, ...named };
}
