/** @module Evidence as it stands in a certificate file: reductions and parts that several claims share have numbers. */
import type { ReductionStep } from "../reduction/step.ts";
import type { NetEvidence, NeverFires, Support, TerminatingPart } from "../verdict.ts";

/** What the claims of a file share and name by number. */
export interface Shared {
  readonly reductions: (readonly ReductionStep[])[];
  readonly parts: TerminatingPart[];
}

/** Evidence or a certificate as it stands in a file, with numbers for what is shared. */
export interface Packed {
  readonly certificate?: Packed;
  readonly reduction?: number;
  readonly part?: number;
  readonly inner?: Packed;
}

function numberIn<T>(list: T[], item: T): number {
  const known = list.indexOf(item);
  return known >= 0 ? known : list.push(item) - 1;
}

/** Evidence of a failure with numbers for what is shared. */
export function packFailure(evidence: NetEvidence, shared: Shared): unknown {
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

/** Support with numbers for what is shared. */
export function packSupport({ certificate, ...support }: Support, shared: Shared): unknown {
  if (certificate === undefined) return support;
  if (certificate.kind === "terminating") {
    const { kind, part, inner } = certificate;
    const packed = { kind, part: numberIn(shared.parts, part), inner: packSupport(inner, shared) };
    return { ...support, certificate: packed };
  }
  if (certificate.kind !== "reduction") return { ...support, certificate };
  const { steps, ...rest } = certificate;
  return { ...support, certificate: { ...rest, reduction: numberIn(shared.reductions, steps) } };
}

/** Evidence with what its numbers name; null if that is not there. */
export function unpack(
  { certificate, reduction, part, inner, ...rest }: Packed,
  shared: Shared,
): object | null {
  const named: Record<string, unknown> = {};
  if (certificate !== undefined) named["certificate"] = unpack(certificate, shared);
  if (inner !== undefined) named["inner"] = unpack(inner, shared);
  if (reduction !== undefined) named["steps"] = shared.reductions[reduction] ?? null;
  if (part !== undefined) named["part"] = shared.parts[part] ?? null;
  return Object.values(named).includes(null) ? null : { ...rest, ...named };
}
