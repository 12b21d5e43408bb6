/** @module An issue says what is wrong with an input, where, and with which facts. */

import type { JsonObject, Path, PathStep } from "./json.ts";

/** A place in a text: line and column both count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with an input. Callers test `code`; `message` is for people. */
export interface Issue {
  /** A code of the package's `issue-codes.ts`, never reused. */
  readonly code: string;
  /** Where in the input. */
  readonly path: Path;
  /** One sentence: what is wrong, and what to do where that is not obvious. */
  readonly message: string;
  /** The values that the message speaks of. */
  readonly facts?: JsonObject;
  /** Where in the text, if the input was a text. */
  readonly position?: Position;
  /** Absent means "error". A warning never refuses an input. */
  readonly severity?: "error" | "warning";
}

/** An error with its facts, where there are any. */
export function issue(code: string, path: Path, message: string, facts?: JsonObject): Issue {
  return facts === undefined ? { code, path, message } : { code, path, message, facts };
}

/** One clear line: position, severity if it is a warning, code, path as `$.a[0]`, message. */
export function formatIssue(issue: Issue): string {
  const position = issue.position === undefined ? "" : `${issue.position.line}:${issue.position.column} `;
  const severity = issue.severity === "warning" ? "warning " : "";
  const message = issue.message.replace(/\s+/gu, " ").trim();
  return `${position}${severity}${issue.code} at ${formatPath(issue.path)}: ${message}`;
}

/** The path as text: `$` is the root, `.name` or `["any text"]` a key, `[0]` an index. */
export function formatPath(path: Path): string {
  return `$${path.map(formatStep).join("")}`;
}

function formatStep(step: PathStep): string {
  const isName = typeof step === "string" && /^[A-Za-z_$][\w$-]*$/u.test(step);
  return isName ? `.${step}` : `[${JSON.stringify(step)}]`;
}
