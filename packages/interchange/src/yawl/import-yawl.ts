/** @module From a YAWL specification to a net definition under YAWL's OR-join: the control flow, or every issue. */
import { bad, type Issue, type NetDefinition, ok, parseDefinition, type Result } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { issueLog } from "../issue-log.ts";
import type { Source } from "../source-text.ts";
import { readXml, type XmlLimits } from "../xml.ts";
import { netOfSpecification } from "./net-of-specification.ts";
import { readSpecification, SKIPPED } from "./specification.ts";

/** Options of `importYawl`. */
export interface YawlOptions {
  readonly limits?: Partial<XmlLimits>;
  /** URI of the specification to read, where the file has several. */
  readonly uri?: string;
  /** How many issues are listed at most. */
  readonly issuesMax?: number;
}

/** A specification as a definition. `warnings` say what is not part of it: data, people, timers, instances. */
export interface ImportedYawl {
  readonly name: string;
  readonly definition: NetDefinition;
  readonly warnings: readonly Issue[];
}

/**
 * Reads the control flow of a YAWL specification (all schema versions from Beta 2 on): conditions, tasks with and, or,
 * xor joins and splits, cancellation, and tasks that stand for nets. Returns the definition, or all issues with path,
 * line and column; never throws. What has no bearing on the control flow is a warning. Cost: linear in the file and in
 * the net that comes out, which has a transition for each subset of the flows of an OR split.
 */
export function importYawl(
  source: Source,
  options: YawlOptions = {},
): Result<ImportedYawl, readonly Issue[]> {
  const document = readXml(source, { ...(options.limits && { limits: options.limits }), skip: SKIPPED });
  if (!document.ok) return document;
  const log = issueLog(options.issuesMax);
  const specification = readSpecification(document.value, options.uri, log);
  if (specification === undefined || log.hasErrors()) return bad(log.errors());
  const definition = netOfSpecification(specification, log);
  if (definition === undefined) return bad(log.errors());
  const parsed = parseDefinition(definition, STANDARD_KINDS);
  if (!parsed.ok) {
    for (const { code, message, facts } of parsed.issues)
      log.error("YAWL014", specification.root.at, `${code}: ${message}`, { cause: code, ...facts });
    return bad(log.errors());
  }
  return ok({ name: specification.uri, definition: parsed.value as NetDefinition, warnings: log.warnings() });
}
