/** @module The one evaluator of conditions: total, pure, and an error is not false. */

import type {
  ComparisonOperator,
  Condition,
  ConditionResult,
  DataReference,
  Operand,
  Operator,
} from "./condition.ts";
import { type Data, readData } from "./data.ts";
import { unreachable } from "./invariant.ts";
import { isJsonArray, type Json, type JsonObject, jsonEqual } from "./json.ts";
import { isWellFormed } from "./utf8.ts";

/** The pure functions that answer what the AST does not say. Both are parameters: core knows no language. */
export interface ConditionEnvironment {
  /**
   * Answers `{ language, text }` on the data at the time `now`; absent, or undefined as answer: the language is not
   * known here.
   */
  readonly evaluate?: (
    language: string,
    text: string,
    data: Data,
    now: number | undefined,
  ) => ConditionResult | undefined;
  /** The recorded time at which the condition is asked, in milliseconds since the epoch; absent where there is none. */
  readonly now?: number;
  /** The registered predicates by name. */
  readonly predicates?: ReadonlyMap<string, (data: Data) => boolean>;
}

/**
 * The answer of `condition` on the data `D`.
 *
 * A value that is missing equals nothing, so `is` and `isOneOf` are false, `isNot` and `isNoneOf` true on it, and
 * `isAssigned` (present and not null) is the test for it. Order, `contains` and `matches` on a missing value or on
 * types that they do not take are an error. Numbers compare as numbers, strings by code units.
 * `all` and `any` go left to right and stop at the first answer that decides: false or an error for `all`, true or an
 * error for `any`; `not` keeps an error.
 *
 * Never throws: a port that throws, or answers with something else than a boolean, is an error.
 * Errors: COND101 missing, COND102 types, COND103 unknown language, COND104 unknown predicate, COND105 a port failed.
 * Cost: linear in the condition and the values that it compares; `matches` linear in the text.
 *
 * @definition D4.8
 */
export function evaluateCondition(
  condition: Condition,
  D: Data,
  environment: ConditionEnvironment = {},
): ConditionResult {
  switch (condition.kind) {
    case "compare":
      return compare(condition.left, condition.op, condition.right, D);
    case "isAssigned":
      return truth((readReference(D, condition.left) ?? null) !== null);
    case "matches": {
      const text = readReference(D, condition.left);
      return typeof text === "string"
        ? truth(condition.pattern.test(text))
        : mistyped("matches", condition.left, text, "string");
    }
    case "all":
      return combine(condition.conditions, true, D, environment);
    case "any":
      return combine(condition.conditions, false, D, environment);
    case "not": {
      const inner = evaluateCondition(condition.condition, D, environment);
      return inner.kind === "value" ? truth(!inner.value) : inner;
    }
    case "opaque":
      return evaluateOpaque(condition.language, condition.text, D, environment);
    case "predicate":
      return evaluatePredicate(condition.name, D, environment);
    default:
      return unreachable(condition);
  }
}

/** `all` for `neutral` true, `any` for false: the first answer that is not `neutral` decides, else `neutral` does. */
function combine(
  conditions: readonly Condition[],
  neutral: boolean,
  D: Data,
  environment: ConditionEnvironment,
): ConditionResult {
  for (const condition of conditions) {
    const result = evaluateCondition(condition, D, environment);
    if (result.kind === "error" || result.value !== neutral) {
      return result;
    }
  }
  return truth(neutral);
}

function compare(left: DataReference, op: ComparisonOperator, right: Operand, D: Data): ConditionResult {
  const a = readReference(D, left);
  const b = right.kind === "constant" ? right.value : readReference(D, right.reference);
  switch (op) {
    case "is":
      return truth(isEqual(a, b));
    case "isNot":
      return truth(!isEqual(a, b));
    case "isOneOf":
    case "isNoneOf":
      if (!isJsonArray(b)) {
        return mistyped(op, right.kind === "reference" ? right.reference : left, b, "array");
      }
      return truth(b.some((member) => isEqual(a, member)) === (op === "isOneOf"));
    case "contains":
      return contains(left, a, right, b);
    case "greaterThan":
    case "atLeast":
    case "lessThan":
    case "atMost":
      return compareOrder(left, a, op, right, b);
    default:
      return unreachable(op);
  }
}

/** A missing value equals nothing, not even another missing value. */
function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return a !== undefined && b !== undefined && jsonEqual(a, b);
}

function contains(
  left: DataReference,
  a: Json | undefined,
  right: Operand,
  b: Json | undefined,
): ConditionResult {
  if (typeof a !== "string" && !isJsonArray(a)) {
    return mistyped("contains", left, a, "string or array");
  }
  if (right.kind === "reference" && b === undefined) {
    return mistyped("contains", right.reference, b, typeof a === "string" ? "string" : "any value");
  }
  if (isJsonArray(a)) {
    return truth(a.some((member) => isEqual(member, b)));
  }
  if (typeof b === "string") {
    return truth(a.includes(b));
  }
  return right.kind === "reference"
    ? mistyped("contains", right.reference, b, "string")
    : mistyped("contains", left, a, "array");
}

type OrderOperator = "greaterThan" | "atLeast" | "lessThan" | "atMost";

function compareOrder(
  left: DataReference,
  a: Json | undefined,
  op: OrderOperator,
  right: Operand,
  b: Json | undefined,
): ConditionResult {
  if (typeof a === "number" && typeof b === "number") {
    return truth(isOrdered(a, op, b));
  }
  if (typeof a === "string" && typeof b === "string") {
    return truth(isOrdered(a, op, b));
  }
  // A constant is what the author meant, so the value of the left side is the one that does not fit.
  if (right.kind === "constant") {
    return mistyped(op, left, a, typeName(b));
  }
  return typeof a === "number" || typeof a === "string"
    ? mistyped(op, right.reference, b, typeName(a))
    : mistyped(op, left, a, "number or string");
}

function isOrdered<T extends number | string>(a: T, op: OrderOperator, b: T): boolean {
  switch (op) {
    case "greaterThan":
      return a > b;
    case "atLeast":
      return a >= b;
    case "lessThan":
      return a < b;
    case "atMost":
      return a <= b;
    default:
      return unreachable(op);
  }
}

function evaluateOpaque(
  language: string,
  text: string,
  D: Data,
  environment: ConditionEnvironment,
): ConditionResult {
  return answer({ language }, () => {
    const result = environment.evaluate?.(language, text, D, environment.now);
    if (result === undefined) {
      return error("COND103", `No evaluator for the language ${language} is given.`, { language });
    }
    return result.kind === "error"
      ? error(result.code, result.message, result.facts)
      : checkBoolean(result.value, { language });
  });
}

function evaluatePredicate(name: string, D: Data, environment: ConditionEnvironment): ConditionResult {
  const predicate = environment.predicates?.get(name);
  if (predicate === undefined) {
    return error("COND104", `No predicate ${name} is registered.`, { predicate: name });
  }
  return answer({ predicate: name }, () => checkBoolean(predicate(D), { predicate: name }));
}

/** Asks a port that is not ours: whatever it throws becomes an error of the condition. */
function answer(subject: JsonObject, ask: () => ConditionResult): ConditionResult {
  try {
    return ask();
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : typeof thrown;
    const reason = isWellFormed(text) ? text : "(the message is not well-formed)";
    return error("COND105", `The evaluator threw: ${reason}`, { ...subject, reason });
  }
}

/** The types promise a boolean, the port may break the promise. */
function checkBoolean(value: unknown, subject: JsonObject): ConditionResult {
  return typeof value === "boolean"
    ? truth(value)
    : error("COND105", "The evaluator did not answer true or false.", { ...subject, found: typeof value });
}

function readReference(D: Data, reference: DataReference): Json | undefined {
  return readData(D, reference.key, reference.path);
}

/** The error of a value that is missing, or of a type that `op` does not take. */
function mistyped(
  op: Operator,
  reference: DataReference,
  value: Json | undefined,
  expected: string,
): ConditionResult {
  const { key, path } = reference;
  const facts = { op, key, path, expected, found: typeName(value) };
  return value === undefined
    ? error("COND101", `${op} needs ${expected}, but ${key} has no value there.`, facts)
    : error("COND102", `${op} needs ${expected}, but ${key} is of type ${typeName(value)}.`, facts);
}

function typeName(value: Json | undefined): string {
  if (value === null) {
    return "null";
  }
  if (value === undefined) {
    return "missing";
  }
  return isJsonArray(value) ? "array" : typeof value;
}

function truth(value: boolean): ConditionResult {
  return { kind: "value", value };
}

function error(code: string, message: string, facts: JsonObject): ConditionResult {
  return { kind: "error", code, message, facts };
}
