/** @module Reads patches from JSON, and measures them. */

import { FORBIDDEN_KEY, forbiddenKey, orderedCopy } from "./data.ts";
import type { Issue } from "./issue.ts";
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonBytes,
  jsonProblems,
  ownValue,
  type Path,
  type PathStep,
} from "./json.ts";
import { PATCH_VERSION, type Patch } from "./patch.ts";
import { bad, ok, type Result } from "./result.ts";

/** Limits of one patch, both included. */
export interface PatchLimits {
  /** Bytes of the canonical form of the patch. */
  readonly bytesMax: number;
  readonly opsMax: number;
}

/** The limits unless the host sets its own: 16 MiB and 100,000 operations. */
export const PATCH_LIMITS: PatchLimits = { bytesMax: 16_777_216, opsMax: 100_000 };

/**
 * Reads a patch, or names everything that is wrong with it. The result is a copy whose values are in normal order.
 * Whether it fits some data is the business of `applyPatch`.
 * Issues: PATCH001 not JSON or not of this form, PATCH002 another version, PATCH003 a wrong operation, PATCH004 above
 * a limit, DATA003 a forbidden key in a path.
 *
 * @definition D4.10
 */
export function parsePatch(
  value: unknown,
  path: Path = [],
  limits: PatchLimits = PATCH_LIMITS,
): Result<Patch, readonly Issue[]> {
  const problems = jsonProblems(value);
  if (problems.length > 0) {
    return bad(
      problems.map((problem) =>
        issue("PATCH001", [...path, ...problem.path], `A patch must be JSON: ${problem.message}.`),
      ),
    );
  }
  const json = value as Json;
  const ops = isJsonObject(json) ? ownValue(json, "ops") : undefined;
  if (!isJsonObject(json) || !isJsonArray(ops) || !hasMembers(json, ["ops", "version"])) {
    return bad([issue("PATCH001", path, "A patch is an object with the members version and ops, a list.")]);
  }
  const issues: Issue[] = [];
  if (json["version"] !== PATCH_VERSION) {
    issues.push(
      issue("PATCH002", [...path, "version"], `The version of the patch must be ${PATCH_VERSION}.`),
    );
  }
  for (const [i, op] of ops.entries()) {
    checkOp(op, [...path, "ops", i], issues);
  }
  const patch = json as unknown as Patch;
  issues.push(...limitIssues(patch, path, limits));
  return issues.length > 0 ? bad(issues) : ok(orderedCopy(json) as unknown as Patch);
}

/** PATCH004 if the patch has too many operations or bytes. */
export function limitIssues(patch: Patch, path: Path, limits: PatchLimits): readonly Issue[] {
  const issues: Issue[] = [];
  if (patch.ops.length > limits.opsMax) {
    const facts = { ops: patch.ops.length, opsMax: limits.opsMax };
    issues.push({ ...issue("PATCH004", path, `A patch has at most ${limits.opsMax} operations.`), facts });
  }
  if (jsonBytes(patch as unknown as Json, limits.bytesMax) > limits.bytesMax) {
    const facts = { bytesMax: limits.bytesMax };
    issues.push({ ...issue("PATCH004", path, `A patch takes at most ${limits.bytesMax} bytes.`), facts });
  }
  return issues;
}

/** The members of each operation, in code-unit order. */
const OP_MEMBERS: ReadonlyMap<Json | undefined, readonly string[]> = new Map([
  ["set", ["kind", "path", "value"]],
  ["unset", ["kind", "path"]],
  ["splice", ["index", "insert", "kind", "path", "remove"]],
]);

function checkOp(op: Json, path: Path, issues: Issue[]): void {
  const members = isJsonObject(op) ? OP_MEMBERS.get(ownValue(op, "kind")) : undefined;
  if (!isJsonObject(op) || members === undefined || !hasMembers(op, members)) {
    const forms = [...OP_MEMBERS.values()].map((names) => names.join(", ")).join("; ");
    issues.push(
      issue("PATCH003", path, `An operation is of kind set, unset or splice, with the members ${forms}.`),
    );
    return;
  }
  checkSteps(op["path"] as Json, [...path, "path"], issues);
  if (op["kind"] !== "splice") {
    return;
  }
  for (const member of ["index", "remove"]) {
    if (!isCount(op[member] as Json)) {
      issues.push(issue("PATCH003", [...path, member], `Here stands a whole number from 0 on.`));
    }
  }
  if (!isJsonArray(op["insert"])) {
    issues.push(issue("PATCH003", [...path, "insert"], "Here stands the list of the new members."));
  }
}

function checkSteps(steps: Json, path: Path, issues: Issue[]): void {
  if (!isJsonArray(steps) || !steps.every(isStep) || typeof steps[0] !== "string") {
    issues.push(issue("PATCH003", path, "A path is a list of keys and indices that starts with a key."));
  } else if (steps.includes(FORBIDDEN_KEY)) {
    issues.push(forbiddenKey(path));
  }
}

function isStep(step: Json): step is PathStep {
  return typeof step === "string" || isCount(step);
}

function isCount(value: Json): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Has the object exactly these members? `members` is in code-unit order. */
function hasMembers(object: JsonObject, members: readonly string[]): boolean {
  return Object.keys(object).sort().join() === members.join();
}

function issue(code: string, path: Path, message: string): Issue {
  return { code, path, message };
}
