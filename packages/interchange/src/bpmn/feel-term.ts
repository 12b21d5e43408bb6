/** @module FEEL expressions as terms, for provers: arithmetic on keys of D, comparisons, and, or, not. */
import type { ExpressionTerm, TermComparison, TermOperation } from "@tessera/core";
import { parseExpression } from "feelin";
import { FEEL_LENGTH_MAX } from "./feel-condition.ts";
import { FUNCTION_NAMES } from "./feel-evaluator.ts";

/** A node of the parser's tree, as far as it is read. */
interface TreeNode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly type: { readonly isError: boolean };
  readonly firstChild: TreeNode | null;
  readonly nextSibling: TreeNode | null;
}

/** The deepest nesting that is read. */
const DEPTH_MAX = 60;
const COMPARISONS: ReadonlySet<string> = new Set(["=", "!=", "<", "<=", ">", ">="]);
const OPERATIONS: ReadonlySet<string> = new Set(["+", "-", "*", "/"]);

/**
 * The term of a FEEL expression; null if it says more than terms do, or is not evaluated. Numbers are written in at most
 * 15 digits, keys are plain names and none of the evaluator's own functions, and only constants other than 0 divide.
 * Law: on data with values of the types that the term needs, and no keys besides, FEEL computes what the term says.
 *
 * @definition D14.27
 */
export function readFeelTerm(text: string): ExpressionTerm | null {
  if (text.length > FEEL_LENGTH_MAX) return null;
  try {
    const top = childrenOf(parseExpression(text, {}, undefined).topNode as TreeNode);
    const [only] = top;
    return only === undefined || top.length > 1 ? null : read(only, text, 0);
  } catch {
    return null;
  }
}

function childrenOf(node: TreeNode): readonly TreeNode[] {
  const children: TreeNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function read(node: TreeNode, text: string, depth: number): ExpressionTerm | null {
  if (depth > DEPTH_MAX || node.type.isError) return null;
  const children = childrenOf(node);
  const written = text.slice(node.from, node.to);
  switch (node.name) {
    case "NumericLiteral":
      return /^(?=.{1,16}$)\d{1,15}(?:\.\d{1,15})?$/u.test(written)
        ? { kind: "constant", value: Number(written) }
        : null;
    case "BooleanLiteral":
      return { kind: "constant", value: written === "true" };
    case "StringLiteral":
      return written.includes("\\") ? null : { kind: "constant", value: written.slice(1, -1) };
    case "VariableName":
      return isPlainKey(written) ? { kind: "key", key: written } : null;
    case "ParenthesizedExpression":
      return children.length === 3 ? read(children[1]!, text, depth + 1) : null;
    case "FunctionInvocation":
      return readNot(children, text, depth);
    case "ArithmeticExpression":
    case "Comparison":
    case "Conjunction":
    case "Disjunction":
      return readOperation(node.name, children, text, depth);
    default:
      return null;
  }
}

/** A plain name that the evaluator looks up in D. */
function isPlainKey(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && name !== "__proto__" && !FUNCTION_NAMES.has(name);
}

function readNot(children: readonly TreeNode[], text: string, depth: number): ExpressionTerm | null {
  const [name, , parameters, ...rest] = children;
  if (name === undefined || parameters?.name !== "PositionalParameters" || rest.length !== 1) return null;
  const [first, ...more] = childrenOf(parameters);
  if (text.slice(name.from, name.to) !== "not" || first === undefined || more.length > 0) return null;
  const term = read(first, text, depth + 1);
  return term === null ? null : { kind: "not", term };
}

function readOperation(
  name: string,
  children: readonly TreeNode[],
  text: string,
  depth: number,
): ExpressionTerm | null {
  const isSigned = name === "ArithmeticExpression" && children.length === 2;
  if (!isSigned && children.length !== 3) return null;
  const [symbol, operand] = isSigned ? children : children.slice(1);
  const op = text.slice(symbol!.from, symbol!.to);
  // FEEL takes a signed term for a difference from 0.
  const left: ExpressionTerm | null = isSigned
    ? { kind: "constant", value: 0 }
    : read(children[0]!, text, depth + 1);
  const right = read(operand!, text, depth + 1);
  if (left === null || right === null) return null;
  switch (name) {
    case "Conjunction":
      return { kind: "and", left, right };
    case "Disjunction":
      return { kind: "or", left, right };
    case "Comparison":
      return COMPARISONS.has(op) ? { kind: "compare", op: op as TermComparison, left, right } : null;
    default: {
      if (!OPERATIONS.has(op) || (isSigned && op !== "-")) return null;
      const isUnsafe = op === "/" && (right.kind !== "constant" || right.value === 0);
      return isUnsafe ? null : { kind: "arithmetic", op: op as TermOperation, left, right };
    }
  }
}
