/** @module Reads conditions from JSON: the condition, or everything that is wrong with it. */

import { RE2JS } from "re2js";
import type {
  ComparisonOperator,
  Condition,
  DataReference,
  Operand,
  Operator,
  Pattern,
} from "./condition.ts";
import { FORBIDDEN_KEY, forbiddenKey, orderedCopy } from "./data.ts";
import { unreachable } from "./invariant.ts";
import type { Issue } from "./issue.ts";
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonProblems,
  ownValue,
  type Path,
  type PathStep,
} from "./json.ts";
import { bad, ok, type Result } from "./result.ts";

/** The eleven operators, in the order in which they are documented. */
export const OPERATORS: readonly Operator[] = [
  "is",
  "isNot",
  "isAssigned",
  "isOneOf",
  "isNoneOf",
  "greaterThan",
  "atLeast",
  "lessThan",
  "atMost",
  "contains",
  "matches",
];

/** The members of each form; the member that stands first decides which form it is. */
const FORMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["key", ["key", "path", "op", "value", "valueOf", "valuePath"]],
  ["all", ["all"]],
  ["any", ["any"]],
  ["not", ["not"]],
  ["language", ["language", "text"]],
  ["predicate", ["predicate"]],
]);

/**
 * Reads a condition in the form of `ConditionData`. `path` is where it stands in its document. The result keeps nothing
 * of `value` that could change later.
 * Patterns are compiled here, once; a pattern that needs more than linear time is an issue.
 * Issues: COND001 not JSON, COND002 no known form, COND003 a member that the form does not have, COND004 a member of
 * the wrong type, COND005 unknown operator, COND006 an operand that the operator does not take, COND007 a pattern that
 * cannot be compiled, DATA003 a forbidden key.
 * Cost: linear in the condition, and the compilation of its patterns.
 */
export function parseCondition(value: unknown, path: Path = []): Result<Condition, readonly Issue[]> {
  const problems = jsonProblems(value);
  if (problems.length > 0) {
    return bad(
      problems.map((problem) => ({
        code: "COND001",
        path: [...path, ...problem.path],
        message: `A condition must be JSON: ${problem.message}.`,
      })),
    );
  }
  const issues: Issue[] = [];
  const condition = readCondition(orderedCopy(value as Json), path, issues);
  return condition === undefined || issues.length > 0 ? bad(issues) : ok(condition);
}

/** Undefined if it cannot be read; then at least one issue was added. The same holds for the readers below. */
function readCondition(value: Json, path: Path, issues: Issue[]): Condition | undefined {
  const form = isJsonObject(value) ? formOf(value) : undefined;
  if (!isJsonObject(value) || form === undefined) {
    issues.push({
      code: "COND002",
      path,
      message: `A condition is an object with exactly one of: ${[...FORMS.keys()].join(", ")}.`,
    });
    return undefined;
  }
  checkMembers(value, form, path, issues);
  switch (form) {
    case "key":
      return readComparison(value, path, issues);
    case "all":
    case "any":
      return readCombination(form, value[form] as Json, [...path, form], issues);
    case "not": {
      const condition = readCondition(value["not"] as Json, [...path, "not"], issues);
      return condition === undefined ? undefined : { kind: "not", condition };
    }
    case "language": {
      const language = readText(value, "language", path, issues);
      const text = readText(value, "text", path, issues);
      return language === undefined || text === undefined ? undefined : { kind: "opaque", language, text };
    }
    default: {
      const name = readText(value, "predicate", path, issues);
      return name === undefined ? undefined : { kind: "predicate", name };
    }
  }
}

/** The form of the object, if exactly one form's deciding member is there. */
function formOf(object: JsonObject): string | undefined {
  const forms = [...FORMS.keys()].filter((member) => Object.hasOwn(object, member));
  return forms.length === 1 ? forms[0] : undefined;
}

function checkMembers(object: JsonObject, form: string, path: Path, issues: Issue[]): void {
  const members = FORMS.get(form) ?? [];
  for (const member of Object.keys(object)) {
    if (!members.includes(member)) {
      issues.push({
        code: "COND003",
        path: [...path, member],
        message: `A condition with ${form} has only the members ${members.join(", ")}.`,
      });
    }
  }
}

function readCombination(
  kind: "all" | "any",
  list: Json,
  path: Path,
  issues: Issue[],
): Condition | undefined {
  if (!isJsonArray(list)) {
    issues.push(wrongType(path, "a list of conditions"));
    return undefined;
  }
  const conditions: Condition[] = [];
  for (const [i, member] of list.entries()) {
    const condition = readCondition(member, [...path, i], issues);
    if (condition !== undefined) {
      conditions.push(condition);
    }
  }
  return { kind, conditions };
}

function readComparison(object: JsonObject, path: Path, issues: Issue[]): Condition | undefined {
  const left = readReference(object, "key", "path", path, issues);
  const op = ownValue(object, "op");
  switch (op) {
    case "isAssigned":
      checkNoOperand(object, path, issues);
      return left && { kind: "isAssigned", left };
    case "matches": {
      const pattern = readPattern(object, path, issues);
      return left && pattern && { kind: "matches", left, pattern };
    }
    case "is":
    case "isNot":
    case "isOneOf":
    case "isNoneOf":
    case "greaterThan":
    case "atLeast":
    case "lessThan":
    case "atMost":
    case "contains": {
      const right = readOperand(object, op, path, issues);
      return left && right && { kind: "compare", left, op, right };
    }
    default:
      issues.push({
        code: "COND005",
        path: [...path, "op"],
        message: `The operator must be one of: ${OPERATORS.join(", ")}.`,
      });
      return undefined;
  }
}

function checkNoOperand(object: JsonObject, path: Path, issues: Issue[]): void {
  for (const member of ["value", "valueOf", "valuePath"]) {
    if (Object.hasOwn(object, member)) {
      issues.push(wrongOperand([...path, member], "isAssigned compares with nothing"));
    }
  }
}

function readOperand(
  object: JsonObject,
  op: ComparisonOperator,
  path: Path,
  issues: Issue[],
): Operand | undefined {
  const value = ownValue(object, "value");
  if ((value === undefined) !== Object.hasOwn(object, "valueOf")) {
    issues.push(wrongOperand(path, `${op} compares with exactly one of value and valueOf`));
    return undefined;
  }
  if (value === undefined) {
    const reference = readReference(object, "valueOf", "valuePath", path, issues);
    return reference && { kind: "reference", reference };
  }
  return checkConstant(object, value, op, path, issues) ? { kind: "constant", value } : undefined;
}

function checkConstant(
  object: JsonObject,
  value: Json,
  op: ComparisonOperator,
  path: Path,
  issues: Issue[],
): boolean {
  const isStrayPath = Object.hasOwn(object, "valuePath");
  if (isStrayPath) {
    issues.push(wrongOperand([...path, "valuePath"], "valuePath belongs to valueOf"));
  }
  const expected = expectedConstant(op);
  const fits =
    expected === undefined ||
    (expected === "a list" ? isJsonArray(value) : typeof value === "number" || typeof value === "string");
  if (!fits) {
    issues.push(wrongOperand([...path, "value"], `${op} compares with ${expected}`));
  }
  return fits;
}

/** What the operator wants as constant; undefined: anything. */
function expectedConstant(op: ComparisonOperator): "a list" | "a number or a text" | undefined {
  switch (op) {
    case "is":
    case "isNot":
    case "contains":
      return undefined;
    case "isOneOf":
    case "isNoneOf":
      return "a list";
    case "greaterThan":
    case "atLeast":
    case "lessThan":
    case "atMost":
      return "a number or a text";
    default:
      return unreachable(op);
  }
}

/** A pattern from data could not be checked when the definition is loaded, so it is a constant. */
function readPattern(object: JsonObject, path: Path, issues: Issue[]): Pattern | undefined {
  for (const member of ["valueOf", "valuePath"]) {
    if (Object.hasOwn(object, member)) {
      issues.push(wrongOperand([...path, member], "matches takes its pattern from value only"));
    }
  }
  const source = ownValue(object, "value");
  if (typeof source !== "string") {
    issues.push(wrongOperand([...path, "value"], "matches takes a pattern as value"));
    return undefined;
  }
  try {
    const program = RE2JS.compile(source);
    return { source, test: (text) => program.test(text) };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "unknown reason";
    issues.push({
      code: "COND007",
      path: [...path, "value"],
      message: `The pattern cannot be matched in linear time: ${reason}.`,
      facts: { pattern: source },
    });
    return undefined;
  }
}

function readReference(
  object: JsonObject,
  keyMember: string,
  pathMember: string,
  path: Path,
  issues: Issue[],
): DataReference | undefined {
  const key = readText(object, keyMember, path, issues);
  const steps = readSteps(ownValue(object, pathMember), [...path, pathMember], issues);
  if (key === FORBIDDEN_KEY) {
    issues.push(forbiddenKey([...path, keyMember]));
    return undefined;
  }
  return key === undefined || steps === undefined ? undefined : { key, path: steps };
}

function readSteps(steps: Json | undefined, path: Path, issues: Issue[]): Path | undefined {
  if (steps === undefined) {
    return [];
  }
  if (!isJsonArray(steps) || !steps.every(isStep)) {
    issues.push(wrongType(path, "a list of keys and indices"));
    return undefined;
  }
  if (steps.includes(FORBIDDEN_KEY)) {
    issues.push(forbiddenKey(path));
    return undefined;
  }
  return steps;
}

function isStep(step: Json): step is PathStep {
  return typeof step === "string" || (Number.isSafeInteger(step) && (step as number) >= 0);
}

function readText(object: JsonObject, member: string, path: Path, issues: Issue[]): string | undefined {
  const text = ownValue(object, member);
  if (typeof text === "string") {
    return text;
  }
  issues.push(wrongType([...path, member], "a text"));
  return undefined;
}

function wrongType(path: Path, expected: string): Issue {
  return { code: "COND004", path, message: `Here stands ${expected}.` };
}

function wrongOperand(path: Path, message: string): Issue {
  return { code: "COND006", path, message: `${message}.` };
}
