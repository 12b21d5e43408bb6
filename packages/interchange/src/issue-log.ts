/** @module The issues and warnings of one import, collected so that all are reported at once. */
import type { Issue, Json, JsonObject, Path, Position } from "@tessera/core";
import type { InterchangeCode } from "./issue-codes.ts";

/** Where in the input: a path, and line and column. */
export interface Where {
  readonly path: Path;
  readonly position: Position;
}

/** Collects issues; `where` is only computed for those that are kept. */
export interface IssueLog {
  readonly error: (code: InterchangeCode, where: () => Where, message: string, facts?: JsonObject) => void;
  readonly warn: (code: InterchangeCode, where: () => Where, message: string, facts?: JsonObject) => void;
  readonly hasErrors: () => boolean;
  /** The errors in the order of the text; ends with IMP006 if there were more than are kept. */
  readonly errors: () => readonly Issue[];
  /** The warnings in the order of the text. */
  readonly warnings: () => readonly Issue[];
}

/** How many issues are listed by default, so that a hostile file cannot fill the memory with them. */
export const ISSUES_MAX = 1000;

/** A log without issues that keeps `issuesMax` errors and as many warnings. */
export function issueLog(issuesMax: number = ISSUES_MAX): IssueLog {
  const errors: Issue[] = [];
  const warnings: Issue[] = [];
  let errorCount = 0;
  return {
    error(code, where, message, facts = {}) {
      errorCount += 1;
      if (errors.length < issuesMax) errors.push(entry(code, where(), message, facts));
    },
    warn(code, where, message, facts = {}) {
      if (warnings.length < issuesMax) {
        warnings.push({ ...entry(code, where(), message, facts), severity: "warning" });
      }
    },
    hasErrors: () => errorCount > 0,
    errors: () =>
      errorCount > errors.length ? [...inOrder(errors), more(errors.length, errorCount)] : inOrder(errors),
    warnings: () => inOrder(warnings),
  };
}

/** Longest text in a message or a fact: ids come from outside and may be megabytes long. */
const TEXT_MAX = 400;

function entry(code: InterchangeCode, where: Where, message: string, facts: JsonObject): Issue {
  return { code, ...where, message: clip(message), facts: clipFacts(facts) };
}

function clip(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  // Never between the two units of a pair: a lone surrogate is not JSON.
  const isPair = /[\ud800-\udbff]/.test(text.charAt(TEXT_MAX - 1));
  return `${text.slice(0, isPair ? TEXT_MAX - 1 : TEXT_MAX)}...`;
}

function clipFacts(facts: JsonObject): JsonObject {
  const clipped = (value: Json): Json =>
    typeof value === "string" ? clip(value) : isList(value) ? value.map(clipped) : value;
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, clipped(value)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function inOrder(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted(
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
      (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );
}

function more(listed: number, total: number): Issue {
  const message = `${total} issues were found; the first ${listed} are listed`;
  return { code: "IMP006", path: [], message, facts: { listed, total } };
}
