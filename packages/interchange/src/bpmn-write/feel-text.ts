/** @module Conditions as FEEL text, where FEEL says the same. */
import type { ConditionData, DataKey, DataType, Json } from "@tessera/core";
import { readFeel } from "../bpmn/feel-condition.ts";

/** A condition of a sequence flow: its text, and the language where it is not FEEL. */
export interface FlowCondition {
  readonly text: string;
  readonly language?: string;
}

/**
 * The condition as text for a sequence flow; null where FEEL has no words for it: names that are not plain, registered
 * predicates, values that are objects. Text of another language stays as it is.
 *
 * @definition D11.20
 */
export function flowCondition(
  condition: ConditionData,
  types: Readonly<Record<DataKey, DataType>>,
): FlowCondition | null {
  if ("language" in condition) {
    if (condition.language === "feel") return { text: `=${condition.text}` };
    return { text: condition.text, language: condition.language };
  }
  const text = feelOf(condition, types);
  return text === null || readFeel(text).kind === "invalid" ? null : { text: `=${text}` };
}

function feelOf(condition: ConditionData, types: Readonly<Record<DataKey, DataType>>): string | null {
  if ("all" in condition) return joined(condition.all, " and ", "true", types);
  if ("any" in condition) return joined(condition.any, " or ", "false", types);
  if ("not" in condition) {
    const inner = feelOf(condition.not, types);
    return inner === null ? null : `not(${inner})`;
  }
  if ("language" in condition) return condition.language === "feel" ? `(${condition.text})` : null;
  if ("predicate" in condition) return null;
  const left = pathText([condition.key, ...(condition.path ?? [])]);
  if (left === null) return null;
  if (condition.op === "isAssigned") return `${left} != null`;
  // Not by the member's name: every object has something called valueOf.
  if (!("value" in condition)) {
    const right = pathText([condition.valueOf, ...(condition.valuePath ?? [])]);
    return right === null ? null : comparison(left, condition.op, right, isList(types, condition.key));
  }
  const { op, value } = condition;
  if (op === "isOneOf" || op === "isNoneOf") {
    const items = isArray(value) ? value.map(literal) : [null];
    if (items.length === 0 || items.some((item) => item === null)) return null;
    const test = `${left} in (${items.join(", ")})`;
    return op === "isOneOf" ? test : `not(${test})`;
  }
  const right = literal(value);
  return right === null
    ? null
    : comparison(left, op, right, isList(types, condition.key) || typeof value !== "string");
}

const SIGNS: Readonly<Record<string, string>> = {
  is: "=",
  isNot: "!=",
  greaterThan: ">",
  atLeast: ">=",
  lessThan: "<",
  atMost: "<=",
};

function comparison(left: string, op: string, right: string, isOfList: boolean): string | null {
  if (op === "contains") return `${isOfList ? "list contains" : "contains"}(${left}, ${right})`;
  if (op === "matches") return `matches(${left}, ${right})`;
  const sign = Object.hasOwn(SIGNS, op) ? SIGNS[op] : undefined;
  return sign === undefined ? null : `${left} ${sign} ${right}`;
}

function joined(
  parts: readonly ConditionData[],
  word: string,
  none: string,
  types: Readonly<Record<DataKey, DataType>>,
): string | null {
  const texts = parts.map((part) => feelOf(part, types));
  if (texts.some((text) => text === null)) return null;
  if (texts.length === 0) return none;
  return texts.length === 1 ? (texts[0] ?? null) : texts.map((text) => `(${text})`).join(word);
}

/** A path of plain names; FEEL counts list items from 1. */
function pathText(path: readonly (string | number)[]): string | null {
  const [first = "", ...rest] = path;
  if (typeof first !== "string" || !isPlainName(first)) return null;
  const steps = rest.map((step) =>
    typeof step === "number" ? `[${step + 1}]` : isPlainName(step) ? `.${step}` : null,
  );
  return steps.some((step) => step === null) ? null : `${first}${steps.join("")}`;
}

function isPlainName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

function isList(types: Readonly<Record<DataKey, DataType>>, key: string): boolean {
  return Object.hasOwn(types, key) && types[key]?.type === "array";
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** A constant; texts without quotes and backslashes only, for escapes differ between evaluators. */
function literal(value: Json): string | null {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return /^-?\d+(?:\.\d+)?$/.test(String(value)) ? String(value) : null;
  return typeof value === "string" && !/["\\\p{Cc}]/u.test(value) ? `"${value}"` : null;
}
