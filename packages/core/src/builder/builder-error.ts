/** @module What the builder throws: a mistake in the program that builds, which its types could not see. */
import { formatIssue, type Issue } from "../issue.ts";

/**
 * Thrown by the builder's functions for a mistake that the type checker cannot see, or did not because the caller is
 * not typed. Callers test `code`. (What comes from outside is no program: `parseWorkflow` answers with a result.)
 */
export class BuilderError extends Error {
  override readonly name: string = "BuilderError";
  readonly code: "BUILDER" = "BUILDER";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map(formatIssue).join("\n"));
    this.issues = issues;
  }
}
