/** @module FEEL conditions as data: the part of FEEL that the conditions of a definition can say. */
import type { ComparisonOperator, ConditionData, Json, Path } from "@tessera/core";
import { parseExpression } from "feelin";

/** A node of the parser's tree, as far as it is read. */
interface TreeNode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly type: { readonly isError: boolean };
  readonly firstChild: TreeNode | null;
  readonly nextSibling: TreeNode | null;
}

/** The longest expression that is read. */
export const FEEL_LENGTH_MAX = 10_000;
/** The deepest nesting of `and`, `or`, `not` and parentheses that is made a condition. */
const DEPTH_MAX = 60;

/** What a text is as FEEL. condition: it fits the conditions of a definition. expression: FEEL, but more than they say. */
export type FeelReading =
  | { readonly kind: "condition"; readonly condition: ConditionData }
  | { readonly kind: "expression" }
  | { readonly kind: "invalid"; readonly at: number };

/**
 * Reads a FEEL expression: comparisons of a path with a constant, `in` with constants, `and`, `or`, `not(...)`,
 * parentheses, `contains` and `list contains` with a constant become data.
 * Law: where the condition and the FEEL evaluator both give a truth value, it is the same.
 *
 * @definition D14.6
 */
export function readFeel(text: string): FeelReading {
  if (text.length > FEEL_LENGTH_MAX) return { kind: "invalid", at: FEEL_LENGTH_MAX };
  let top: TreeNode;
  try {
    top = parseExpression(text, {}, undefined).topNode;
  } catch {
    return { kind: "invalid", at: 0 };
  }
  const error = errorIn(top);
  if (error !== undefined) return { kind: "invalid", at: error.from };
  const [only, ...more] = childrenOf(top);
  if (only === undefined) return { kind: "invalid", at: 0 };
  const condition = more.length > 0 ? undefined : read(only, text, 0);
  return condition === undefined ? { kind: "expression" } : { kind: "condition", condition };
}

function errorIn(top: TreeNode): TreeNode | undefined {
  const pending = [top];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type.isError) return node;
    pending.push(...childrenOf(node));
  }
  return undefined;
}

function childrenOf(node: TreeNode): readonly TreeNode[] {
  const children: TreeNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function read(node: TreeNode, text: string, depth: number): ConditionData | undefined {
  if (depth > DEPTH_MAX) return undefined;
  const children = childrenOf(node);
  switch (node.name) {
    case "ParenthesizedExpression": {
      const [, inner, ...rest] = children;
      return inner === undefined || rest.length !== 1 ? undefined : read(inner, text, depth + 1);
    }
    case "Conjunction":
    case "Disjunction": {
      const [left, , right, ...rest] = children;
      if (left === undefined || right === undefined || rest.length > 0) return undefined;
      const parts = [read(left, text, depth + 1), read(right, text, depth + 1)];
      const [first, second] = parts;
      if (first === undefined || second === undefined) return undefined;
      return node.name === "Conjunction" ? { all: [first, second] } : { any: [first, second] };
    }
    case "FunctionInvocation":
      return readInvocation(children, text, depth);
    case "Comparison":
      return readComparison(children, text);
    default:
      return undefined;
  }
}

function readInvocation(
  children: readonly TreeNode[],
  text: string,
  depth: number,
): ConditionData | undefined {
  const [name, , parameters, ...rest] = children;
  if (name === undefined || parameters?.name !== "PositionalParameters" || rest.length !== 1)
    return undefined;
  const [first, second, ...more] = childrenOf(parameters);
  const called = text.slice(name.from, name.to).replace(/\s+/gu, " ");
  if (first === undefined || more.length > 0) return undefined;
  if (called === "not" && second === undefined) {
    const inner = read(first, text, depth + 1);
    return inner === undefined ? undefined : { not: inner };
  }
  if ((called !== "contains" && called !== "list contains") || second === undefined) return undefined;
  const path = readPath(first, text);
  const value = readConstant(second, text);
  // `contains` is of texts in FEEL, `list contains` of lists; the operator of conditions takes either.
  const fits = called === "contains" ? typeof value === "string" : value !== undefined && value !== null;
  return path === undefined || value === undefined || !fits ? undefined : { ...path, op: "contains", value };
}

const OPERATORS: Readonly<
  Record<string, readonly [straight: ComparisonOperator, swapped: ComparisonOperator]>
> = {
  "=": ["is", "is"],
  "!=": ["isNot", "isNot"],
  "<": ["lessThan", "greaterThan"],
  "<=": ["atMost", "atLeast"],
  ">": ["greaterThan", "lessThan"],
  ">=": ["atLeast", "atMost"],
};

function readComparison(children: readonly TreeNode[], text: string): ConditionData | undefined {
  const [left, operator, right, ...rest] = children;
  if (left === undefined || operator === undefined || right === undefined) return undefined;
  if (operator.name === "in") return readMembership(left, [right, ...rest], text);
  if (operator.name !== "CompareOp" || rest.length > 0) return undefined;
  const symbol = text.slice(operator.from, operator.to);
  const known = Object.hasOwn(OPERATORS, symbol) ? OPERATORS[symbol] : undefined;
  if (known === undefined) return undefined;
  const path = readPath(left, text);
  const swapped = readPath(right, text);
  const value = readConstant(path === undefined ? left : right, text);
  const subject = path ?? swapped;
  const op = path === undefined ? known[1] : known[0];
  if (subject === undefined || value === undefined) return undefined;
  if (value === null) return readNull(subject, op);
  const isOrder = op !== "is" && op !== "isNot";
  // FEEL answers null, not false, where a value of another type is compared; only missing values differ then.
  if (isOrder && typeof value === "boolean") return undefined;
  return { ...subject, op, value };
}

/** `= null` holds where there is no value, or null. */
function readNull(subject: Subject, op: ComparisonOperator): ConditionData | undefined {
  const isNull: ConditionData = {
    any: [{ not: { ...subject, op: "isAssigned" } }, { ...subject, op: "is", value: null }],
  };
  if (op === "is") return isNull;
  return op === "isNot" ? { not: isNull } : undefined;
}

function readMembership(left: TreeNode, right: readonly TreeNode[], text: string): ConditionData | undefined {
  const path = readPath(left, text);
  const tests = right.filter(({ name }) => name === "PositiveUnaryTests" || name === "PositiveUnaryTest");
  const [only] = tests;
  if (path === undefined || only === undefined || tests.length !== 1) return undefined;
  const members = (only.name === "PositiveUnaryTests" ? childrenOf(only) : [only]).map((member) => {
    const [value, ...more] = childrenOf(member);
    return value === undefined || more.length > 0 ? undefined : readConstant(value, text);
  });
  const values = members.filter((value): value is string | number => {
    return typeof value === "string" || typeof value === "number";
  });
  return values.length === members.length && values.length > 0
    ? { ...path, op: "isOneOf", value: values }
    : undefined;
}

interface Subject {
  readonly key: string;
  readonly path?: Path;
}

/** A variable, or a path of plain names below one. Names with blanks or operators in them are left to the evaluator. */
function readPath(node: TreeNode, text: string): Subject | undefined {
  if (node.name !== "VariableName" && node.name !== "PathExpression") return undefined;
  const steps = text.slice(node.from, node.to).split(".");
  if (!steps.every((step) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(step)) || steps.includes("__proto__"))
    return undefined;
  const [key, ...path] = steps;
  if (key === undefined) return undefined;
  return path.length === 0 ? { key } : { key, path };
}

/** A constant, undefined if the node is none. */
function readConstant(node: TreeNode, text: string): Json | undefined {
  const written = text.slice(node.from, node.to);
  switch (node.name) {
    case "NumericLiteral": {
      const value = Number(written);
      return /^-?\d+(?:\.\d+)?$/u.test(written) && Number.isFinite(value) ? value : undefined;
    }
    case "BooleanLiteral":
      return written === "true";
    case "null":
      return null;
    case "StringLiteral":
      // Escapes are the evaluator's.
      return written.includes("\\") ? undefined : written.slice(1, -1);
    default:
      return undefined;
  }
}
