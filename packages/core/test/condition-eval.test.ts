import { describe, expect, it } from "vitest";
import type { ConditionResult } from "../src/condition.ts";
import { type ConditionEnvironment, evaluateCondition } from "../src/condition-eval.ts";
import { parseCondition } from "../src/condition-parse.ts";
import { conditionConstants, keysRead } from "../src/condition-reads.ts";
import type { JsonObject } from "../src/json.ts";

const D: JsonObject = {
  amount: 100,
  name: "Ada",
  tags: ["a", { b: 1 }],
  nothing: null,
  flag: true,
  limit: 100,
  word: "a",
  order: { lines: [{ sum: 7 }] },
  "response-x": "yes",
  "a.b": 1,
};

function evaluate(
  condition: unknown,
  environment?: ConditionEnvironment,
  data: JsonObject = D,
): ConditionResult {
  const result = parseCondition(condition);
  if (!result.ok) {
    throw new Error(JSON.stringify(result.issues));
  }
  return evaluateCondition(result.value, data, environment);
}

function answer(condition: unknown, environment?: ConditionEnvironment): boolean | string {
  const result = evaluate(condition, environment);
  return result.kind === "value" ? result.value : result.code;
}

const no = { key: "missing" };

describe("[D4.8] the eleven operators", () => {
  it.each<readonly [string, unknown, boolean | string]>([
    ["is, equal", { key: "amount", op: "is", value: 100 }, true],
    ["is, of another type", { key: "amount", op: "is", value: "100" }, false],
    ["is, deep", { key: "order", op: "is", value: { lines: [{ sum: 7 }] } }, true],
    ["is, missing", { ...no, op: "is", value: 1 }, false],
    ["is null, missing", { ...no, op: "is", value: null }, false],
    ["is null, null", { key: "nothing", op: "is", value: null }, true],
    ["is, both missing", { ...no, op: "is", valueOf: "missing" }, false],
    ["is, other key", { key: "amount", op: "is", valueOf: "limit" }, true],
    [
      "is, below another key",
      { key: "amount", op: "isNot", valueOf: "order", valuePath: ["lines", 0, "sum"] },
      true,
    ],
    ["isNot, equal", { key: "amount", op: "isNot", value: 100 }, false],
    ["isNot, missing", { ...no, op: "isNot", value: 1 }, true],
    ["isAssigned", { key: "flag", op: "isAssigned" }, true],
    ["isAssigned, null", { key: "nothing", op: "isAssigned" }, false],
    ["isAssigned, missing", { ...no, op: "isAssigned" }, false],
    ["isAssigned, below", { key: "order", path: ["lines", 0, "sum"], op: "isAssigned" }, true],
    ["isAssigned, below nothing", { key: "nothing", path: ["x"], op: "isAssigned" }, false],
    ["isOneOf", { key: "name", op: "isOneOf", value: ["Bob", "Ada"] }, true],
    ["isOneOf, none", { key: "name", op: "isOneOf", value: [] }, false],
    ["isOneOf, missing", { ...no, op: "isOneOf", value: [1] }, false],
    ["isOneOf, other key", { key: "word", op: "isOneOf", valueOf: "tags" }, true],
    ["isOneOf, other key is no list", { key: "word", op: "isOneOf", valueOf: "name" }, "COND102"],
    ["isOneOf, other key is missing", { key: "word", op: "isOneOf", valueOf: "missing" }, "COND101"],
    ["isNoneOf", { key: "name", op: "isNoneOf", value: ["Bob", "Ada"] }, false],
    ["isNoneOf, missing", { ...no, op: "isNoneOf", value: [1] }, true],
    ["greaterThan, equal", { key: "amount", op: "greaterThan", value: 100 }, false],
    ["greaterThan, less", { key: "amount", op: "greaterThan", value: 99 }, true],
    ["atLeast, equal", { key: "amount", op: "atLeast", value: 100 }, true],
    ["atLeast, more", { key: "amount", op: "atLeast", value: 101 }, false],
    ["lessThan, equal", { key: "amount", op: "lessThan", value: 100 }, false],
    ["lessThan, more", { key: "amount", op: "lessThan", value: 101 }, true],
    ["atMost, equal", { key: "amount", op: "atMost", value: 100 }, true],
    ["atMost, less", { key: "amount", op: "atMost", value: 99 }, false],
    ["order of texts by code units", { key: "name", op: "lessThan", value: "a" }, true],
    ["order, missing", { ...no, op: "lessThan", value: 1 }, "COND101"],
    ["order, other key is missing", { key: "amount", op: "lessThan", valueOf: "missing" }, "COND101"],
    ["order, types differ", { key: "name", op: "lessThan", value: 1 }, "COND102"],
    ["order, null", { key: "nothing", op: "atMost", value: 1 }, "COND102"],
    ["order, booleans", { key: "flag", op: "atLeast", valueOf: "flag" }, "COND102"],
    ["contains, text", { key: "name", op: "contains", value: "da" }, true],
    ["contains, not in the text", { key: "name", op: "contains", value: "ad" }, false],
    ["contains, empty text", { key: "name", op: "contains", value: "" }, true],
    ["contains, member", { key: "tags", op: "contains", value: { b: 1 } }, true],
    ["contains, no member", { key: "tags", op: "contains", value: "b" }, false],
    ["contains, other key", { key: "tags", op: "contains", valueOf: "word" }, true],
    ["contains, a number in a text", { key: "name", op: "contains", value: 1 }, "COND102"],
    ["contains, missing", { ...no, op: "contains", value: 1 }, "COND101"],
    ["contains, other key is missing", { key: "tags", op: "contains", valueOf: "missing" }, "COND101"],
    ["contains, in a number", { key: "amount", op: "contains", value: 1 }, "COND102"],
    ["matches", { key: "name", op: "matches", value: "d" }, true],
    ["matches, whole", { key: "name", op: "matches", value: "^d$" }, false],
    ["matches, missing", { ...no, op: "matches", value: "" }, "COND101"],
    ["matches, a number", { key: "amount", op: "matches", value: "1" }, "COND102"],
    ["a key with a hyphen (BR-096)", { key: "response-x", op: "is", value: "yes" }, true],
    ["a key with a dot (BR-096)", { key: "a.b", op: "greaterThan", value: 0 }, true],
  ])("[D4.8] [HZ-41] %s", (_, condition, expected) => {
    expect(answer(condition)).toBe(expected);
  });

  it("[D4.8] code units, not code points, order texts", () => {
    const condition = { key: "a", op: "lessThan", value: "\ue000" };
    expect(evaluate(condition, {}, { a: "\u{1f600}" })).toEqual({ kind: "value", value: true });
  });

  it("[D4.8] matches takes linear time where backtracking takes exponential time", () => {
    expect(
      evaluate({ key: "a", op: "matches", value: "(a+)+$" }, {}, { a: `${"a".repeat(5_000)}b` }),
    ).toEqual({
      kind: "value",
      value: false,
    });
  });
});

describe("[D4.8] an error is not false (BR-096)", () => {
  it("[D4.8] COND101 names the key that is missing, and no value of it", () => {
    expect(evaluate({ key: "x", path: ["y", 0], op: "greaterThan", value: 1 })).toEqual({
      kind: "error",
      code: "COND101",
      message: "greaterThan needs number, but x has no value there.",
      facts: { op: "greaterThan", key: "x", path: ["y", 0], expected: "number", found: "missing" },
    });
  });

  it("[D4.8] COND102 names the types, and no value", () => {
    expect(evaluate({ key: "name", op: "atMost", value: 1 })).toEqual({
      kind: "error",
      code: "COND102",
      message: "atMost needs number, but name is of type string.",
      facts: { op: "atMost", key: "name", path: [], expected: "number", found: "string" },
    });
  });

  it.each<readonly [string, unknown, JsonObject]>([
    [
      "the list of isOneOf",
      { key: "a", op: "isOneOf", valueOf: "flag" },
      { key: "flag", expected: "array", found: "boolean" },
    ],
    [
      "the left of an order",
      { key: "flag", op: "atMost", valueOf: "amount" },
      { key: "flag", expected: "number or string", found: "boolean" },
    ],
    [
      "the right of an order",
      { key: "amount", op: "atMost", valueOf: "nothing" },
      { key: "nothing", expected: "number", found: "null" },
    ],
    [
      "the right of an order of texts",
      { key: "name", op: "atMost", valueOf: "tags" },
      { key: "tags", expected: "string", found: "array" },
    ],
    [
      "the left of contains",
      { key: "order", op: "contains", value: 1 },
      { key: "order", expected: "string or array", found: "object" },
    ],
    [
      "the right of contains in a text",
      { key: "name", op: "contains", valueOf: "amount" },
      { key: "amount", expected: "string", found: "number" },
    ],
    [
      "a missing part of a text",
      { key: "name", op: "contains", valueOf: "x" },
      { key: "x", expected: "string", found: "missing" },
    ],
    [
      "a missing member of a list",
      { key: "tags", op: "contains", valueOf: "x" },
      { key: "x", expected: "any value", found: "missing" },
    ],
    [
      "a text that contains a number",
      { key: "name", op: "contains", value: 1 },
      { key: "name", expected: "array", found: "string" },
    ],
    [
      "the text of matches",
      { key: "tags", op: "matches", value: "a" },
      { key: "tags", expected: "string", found: "array" },
    ],
  ])("[D4.8] COND101 COND102 blame the value that does not fit: %s", (_, condition, facts) => {
    const result = evaluate(condition);
    const { op } = condition as { readonly op: string };
    expect(result.kind === "error" && result.facts).toMatchObject({ op, ...facts });
  });

  const yes = { key: "amount", op: "is", value: 100 };
  const nay = { not: yes };
  const error = { ...no, op: "lessThan", value: 1 };

  it.each<readonly [string, unknown, boolean | string]>([
    ["all of nothing", { all: [] }, true],
    ["any of nothing", { any: [] }, false],
    ["all, one false", { all: [yes, nay, yes] }, false],
    ["all true", { all: [yes, yes] }, true],
    ["any, one true", { any: [nay, yes, nay] }, true],
    ["any, none true", { any: [nay, nay] }, false],
    ["all stops at false before an error", { all: [nay, error] }, false],
    ["all stops at an error before false", { all: [error, nay] }, "COND101"],
    ["all, an error after true", { all: [yes, error] }, "COND101"],
    ["any stops at true before an error", { any: [yes, error] }, true],
    ["any stops at an error before true", { any: [error, yes] }, "COND101"],
    ["any, an error after false", { any: [nay, error] }, "COND101"],
    ["not keeps an error", { not: error }, "COND101"],
    ["not", { not: nay }, true],
    ["the guard that asks first", { all: [{ ...no, op: "isAssigned" }, error] }, false],
  ])("[D4.8] %s", (_, condition, expected) => {
    expect(answer(condition)).toBe(expected);
  });
});

describe("[D4.8] ports", () => {
  const opaque = { language: "feel", text: "amount > 1" };
  const predicate = { predicate: "isLarge" };

  it("[D4.8] asks the evaluator with the language, the text, the data and the recorded time", () => {
    const asked: unknown[] = [];
    const evaluate = (...asking: unknown[]): ConditionResult => {
      asked.push(asking);
      return { kind: "value", value: false };
    };
    expect(answer(opaque, { evaluate })).toBe(false);
    expect(answer(opaque, { evaluate, now: 17 })).toBe(false);
    expect(asked).toEqual([
      ["feel", "amount > 1", D, undefined],
      ["feel", "amount > 1", D, 17],
    ]);
  });

  it("[D4.8] passes an error of the evaluator on", () => {
    const error: ConditionResult = { kind: "error", code: "FEEL001", message: "no", facts: { at: 1 } };
    expect(evaluate(opaque, { evaluate: () => error })).toEqual(error);
  });

  it("[D4.8] COND103 a language without evaluator", () => {
    expect(evaluate(opaque)).toEqual({
      kind: "error",
      code: "COND103",
      message: "No evaluator for the language feel is given.",
      facts: { language: "feel" },
    });
    expect(answer(opaque, { evaluate: () => undefined })).toBe("COND103");
  });

  it("[D4.8] COND104 a predicate that is not registered", () => {
    expect(evaluate(predicate)).toEqual({
      kind: "error",
      code: "COND104",
      message: "No predicate isLarge is registered.",
      facts: { predicate: "isLarge" },
    });
    expect(answer(predicate, { predicates: new Map() })).toBe("COND104");
  });

  it("[D4.8] a registered predicate reads the data", () => {
    const predicates = new Map([["isLarge", (data: JsonObject) => Number(data["amount"]) > 99]]);
    expect(answer(predicate, { predicates })).toBe(true);
  });

  it("[D4.8] COND105 a port that throws or does not answer true or false", () => {
    const fail = (thrown: unknown) => () => {
      throw thrown;
    };
    const predicates = (answer: () => unknown): ConditionEnvironment => ({
      predicates: new Map([["isLarge", answer as () => boolean]]),
    });
    expect(evaluate(predicate, predicates(fail(new Error("boom"))))).toEqual({
      kind: "error",
      code: "COND105",
      message: "The evaluator threw: boom",
      facts: { predicate: "isLarge", reason: "boom" },
    });
    expect(evaluate(predicate, predicates(fail("text")))).toMatchObject({ facts: { reason: "string" } });
    expect(evaluate(predicate, predicates(fail(new Error("\ud800"))))).toMatchObject({
      facts: { reason: "(the message is not well-formed)" },
    });
    expect(
      evaluate(
        predicate,
        predicates(() => 1),
      ),
    ).toEqual({
      kind: "error",
      code: "COND105",
      message: "The evaluator did not answer true or false.",
      facts: { predicate: "isLarge", found: "number" },
    });
    expect(evaluate(opaque, { evaluate: fail(new Error("boom")) })).toMatchObject({
      code: "COND105",
      facts: { language: "feel", reason: "boom" },
    });
    expect(evaluate(opaque, { evaluate: () => ({}) as ConditionResult })).toMatchObject({
      code: "COND105",
      facts: { language: "feel", found: "undefined" },
    });
    expect(answer(opaque, { evaluate: () => null as unknown as ConditionResult })).toBe("COND105");
  });
});

describe("[D4.9] what a condition depends on", () => {
  function reads(condition: unknown): unknown {
    const result = parseCondition(condition);
    return result.ok ? keysRead(result.value) : result.issues;
  }

  it("[D4.9] collects keys of both sides, once, in code-unit order", () => {
    const condition: unknown = {
      all: [
        { key: "b", op: "is", valueOf: "a" },
        { any: [{ not: { key: "B", op: "isAssigned" } }, { key: "b", op: "matches", value: "x" }] },
        { key: "c", op: "is", value: "d" },
      ],
    };
    expect(reads(condition)).toEqual({ keys: ["B", "a", "b", "c"], isComplete: true });
    expect(reads({ all: [] })).toEqual({ keys: [], isComplete: true });
  });

  it("[D4.9] an opaque part may read anything", () => {
    const key = { key: "a", op: "isAssigned" };
    expect(reads({ any: [key, { predicate: "p" }] })).toEqual({ keys: ["a"], isComplete: false });
    expect(reads({ not: { language: "x", text: "" } })).toEqual({ keys: [], isComplete: false });
    expect(reads({ any: [{ predicate: "p" }, key] })).toEqual({ keys: ["a"], isComplete: false });
  });

  it("[D4.9] constants by key, keys in code-unit order, each in document order", () => {
    const result = parseCondition({
      any: [
        { key: "b", op: "atLeast", value: 2 },
        { key: "a", path: ["x"], op: "isOneOf", value: [1, 2] },
        { not: { key: "b", op: "lessThan", value: 1 } },
        { key: "b", op: "matches", value: "^x" },
        { key: "c", op: "is", valueOf: "b" },
        { key: "c", op: "isAssigned" },
        { predicate: "p" },
      ],
    });
    expect(result.ok && [...conditionConstants(result.value)]).toEqual([
      ["a", [{ path: ["x"], op: "isOneOf", value: [1, 2] }]],
      [
        "b",
        [
          { path: [], op: "atLeast", value: 2 },
          { path: [], op: "lessThan", value: 1 },
          { path: [], op: "matches", value: "^x" },
        ],
      ],
    ]);
  });
});
