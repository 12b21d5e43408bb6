/** @module The part of a certificate file that speaks of a workflow with its data: written from a report, and verified. */
import { type CompiledWorkflow, canonicalJson, contentHash, type Json, type JsonObject } from "@tessera/core";
import { questionsOf } from "../data-level/conditions-read.ts";
import { type Domain, domainOf } from "../data-level/domain.ts";
import {
  type CheckableDataLine,
  checkDataLines,
  type DataCheckerOptions,
  listedCases,
} from "./check-data.ts";
import type { Checked } from "./closed-set.ts";
import { regionTrouble } from "./data-regions.ts";

/** A claim of the part, and what the checkers say of it. */
export interface VerifiedDataClaim {
  readonly id: CheckableDataLine["id"];
  readonly verdict: "holds" | "fails";
  readonly level: "data";
  readonly checked: Checked;
}

/** other-cases: the file lists values that are not those of the workflow. */
export type DataVerification =
  | { readonly kind: "other-definition" }
  | { readonly kind: "other-cases" }
  | { readonly kind: "verified"; readonly claims: readonly VerifiedDataClaim[] };

/** The hash by which a certificate names a workflow: of the whole definition. */
export function workflowHash({ definition }: CompiledWorkflow): string {
  return contentHash(definition as unknown as Json);
}

/**
 * What a report says of the data, with its evidence: the places of D that conditions read, with the values that stand for
 * all, the conditions (by their numbers in the order of the arcs) that are not decided, and what holds or fails. Null
 * where nothing is decided. Lines that a solver had a share in are left out: no checker takes its word.
 */
export function dataCertificate(
  compiled: CompiledWorkflow,
  lines: readonly (CheckableDataLine & { readonly solver?: object })[],
): JsonObject | null {
  const found = domainOf(questionsOf(compiled));
  const claims = lines.flatMap(({ id, verdict, solver }) =>
    verdict.kind === "unknown" || solver !== undefined
      ? []
      : [{ id, verdict: verdict.kind, evidence: verdict.evidence as unknown as Json }],
  );
  if (found.kind === "undecided" || claims.length === 0) return null;
  return { definition: workflowHash(compiled), ...casesJson(found.domain), claims };
}

/** Verifies the part, which has the right shape, against the workflow. */
export function verifyDataCertificate(
  compiled: CompiledWorkflow,
  part: JsonObject,
  options: Partial<DataCheckerOptions>,
): DataVerification {
  const { definition, slots, open, claims } = part as unknown as DataPart;
  if (definition !== workflowHash(compiled)) return { kind: "other-definition" };
  const found = domainOf(questionsOf(compiled));
  if (found.kind === "undecided") return { kind: "other-cases" };
  const places = slots.map(({ key, path, values }) => ({
    key,
    path,
    values: values.map(([value]) => value),
  }));
  const { patterns } = listedCases(found.domain);
  if (regionTrouble(compiled, { places, open, patterns }) !== null) return { kind: "other-cases" };
  if (canonicalJson({ slots, open }) !== canonicalJson(casesJson(found.domain)))
    return { kind: "other-cases" };
  const lines = claims.map(
    ({ id, verdict, evidence }) =>
      ({ id, verdict: { kind: verdict, evidence } }) as unknown as CheckableDataLine,
  );
  const checked = checkDataLines(compiled, lines, options);
  return {
    kind: "verified",
    claims: claims.map(({ id, verdict }, index) => ({
      id,
      verdict,
      level: "data",
      checked: checked[index]!,
    })),
  };
}

interface DataPart {
  readonly definition: string;
  readonly slots: readonly {
    readonly key: string;
    readonly path: readonly string[];
    /** Each a list of one, or an empty one: no value. */
    readonly values: readonly (readonly Json[])[];
  }[];
  readonly open: readonly number[];
  readonly claims: readonly {
    readonly id: CheckableDataLine["id"];
    readonly verdict: "holds" | "fails";
    readonly evidence: Json;
  }[];
}

/** Places and their values, each as a list of one; an empty list is no value. */
function casesJson({ slots, questions, open }: Domain): { readonly slots: Json; readonly open: Json } {
  return {
    slots: slots.map(({ reference: { key, path }, values }) => ({
      key,
      path: [...path],
      values: values.map((value) => (value === undefined ? [] : [value])),
    })),
    open: questions.leaves.flatMap((leaf, index) => (open.has(leaf) ? [index] : [])),
  };
}
