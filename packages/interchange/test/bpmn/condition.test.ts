/** @module Conditions: languages, FEEL as data, FEEL evaluated. */
import { type ConditionData, type Data, evaluateCondition, type Json, parseCondition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateFeel, readFeel } from "../../src/index.ts";
import { file, flows, imported, issuesOf } from "./bpmn-file.ts";

const guarded = (condition: string, attributes = "") =>
  file(
    `<startEvent id="s"/><exclusiveGateway id="g" default="f3"/><endEvent id="e"/><task id="t"/>${flows("s > g", `g > t : ${condition}`, "g > e")}`,
    "",
    attributes,
  );

async function guardOf(condition: string, attributes = ""): Promise<ConditionData | undefined> {
  const { definitions } = await imported(guarded(condition, attributes));
  return definitions[0]?.arcs.find(({ to }) => to === "t")?.guard;
}

describe("[D14.5] conditions", () => {
  it("[D14.5] FEEL that fits is data, other FEEL is text", async () => {
    const feel = 'expressionLanguage="http://www.omg.org/spec/FEEL/20140401"';
    expect(await guardOf("x > 5", feel)).toEqual({ key: "x", op: "greaterThan", value: 5 });
    expect(await guardOf("x + 1 > 5", feel)).toEqual({ language: "feel", text: "x + 1 > 5" });
    expect(await guardOf('= a.b = "c"')).toEqual({ key: "a", path: ["b"], op: "is", value: "c" });
  });

  it("[D14.5] other languages are text in their language, marks and addresses made short", async () => {
    expect(await guardOf("${x == 5}")).toEqual({ language: "juel", text: "${x == 5}" });
    expect(await guardOf("$x/y", 'expressionLanguage="http://www.w3.org/1999/XPath"')).toEqual({
      language: "xpath",
      text: "$x/y",
    });
    expect(await guardOf("x()", 'expressionLanguage="http://www.java.com/java"')).toEqual({
      language: "java",
      text: "x()",
    });
  });

  it("[D14.5] BPMN068 without a language a plain comparison is data, anything else must be answered by name", async () => {
    expect(await guardOf("x > 5")).toEqual({ key: "x", op: "greaterThan", value: 5 });
    const { definitions, warnings } = await imported(guarded('test.contains("a")'));
    expect(definitions[0]?.arcs[1]?.guard).toEqual({ language: "unspecified", text: 'test.contains("a")' });
    expect(warnings.map(({ code }) => code)).toEqual(["BPMN068"]);
  });

  it("BPMN011 BPMN062 FEEL that is not well-formed is refused, an empty condition is none", async () => {
    expect(await issuesOf(guarded("= x >"))).toMatchObject([{ code: "BPMN011", facts: { element: "f2" } }]);
    const { warnings } = await imported(guarded(" "));
    expect(warnings.map(({ code }) => code).sort()).toEqual(["BPMN062", "BPMN064"]);
  });
});

describe("[D14.6] FEEL as data", () => {
  it.each<readonly [string, ConditionData]>([
    ["5 < x", { key: "x", op: "greaterThan", value: 5 }],
    ["x <= -1.5", { key: "x", op: "atMost", value: -1.5 }],
    ["not(x = 1)", { not: { key: "x", op: "is", value: 1 } }],
    ['x in ("a", "b")', { key: "x", op: "isOneOf", value: ["a", "b"] }],
    [
      '(x = true and y != "") or z >= 2',
      {
        any: [
          {
            all: [
              { key: "x", op: "is", value: true },
              { key: "y", op: "isNot", value: "" },
            ],
          },
          { key: "z", op: "atLeast", value: 2 },
        ],
      },
    ],
    ['contains(x, "a")', { key: "x", op: "contains", value: "a" }],
  ])("[D14.6] %s", (text, condition) => {
    expect(readFeel(text)).toEqual({ kind: "condition", condition });
  });

  it("[D14.6] what conditions cannot say stays an expression, what is no FEEL is invalid", () => {
    for (const text of [
      "x",
      "x + 1 = 2",
      "x = y",
      "x between 1 and 2",
      'x = "a\\n"',
      "some i in x satisfies i > 1",
      "x[1] = 2",
    ])
      expect([text, readFeel(text).kind]).toEqual([text, "expression"]);
    for (const text of ["x >", "", "(".repeat(20), "x = ".repeat(5_000)])
      expect([text.slice(0, 20), readFeel(text).kind]).toEqual([text.slice(0, 20), "invalid"]);
  });

  const VALUES: readonly Json[] = [1, 2, 0, -1, "a", "b", "", true, false, null];
  const literal = (value: Json) => (typeof value === "string" ? `"${value}"` : String(value));
  const text = fc.letrec<{ all: string; one: string }>((tie) => ({
    one: fc
      .tuple(
        fc.constantFrom("x", "y"),
        fc.constantFrom("=", "!=", "<", "<=", ">", ">="),
        fc.constantFrom(...VALUES),
      )
      .map(([key, op, value]) => `${key} ${op} ${literal(value)}`),
    all: fc.oneof(
      { depthSize: "small" },
      tie("one"),
      fc
        .tuple(tie("all"), fc.constantFrom("and", "or"), tie("all"))
        .map(([a, op, b]) => `(${a}) ${op} (${b})`),
      tie("all").map((inner) => `not(${inner})`),
    ),
  })).all;
  const data = fc.record(
    { x: fc.constantFrom(...VALUES), y: fc.constantFrom(...VALUES) },
    { requiredKeys: [] },
  );

  /** Law: the data form and the FEEL library never give different truth values. Oracle: the library. */
  const law = (reading: (source: string) => ReturnType<typeof readFeel>) =>
    fc.assert(
      fc.property(text, data, (source, D) => {
        const read = reading(source);
        if (read.kind !== "condition") return;
        const parsed = parseCondition(read.condition);
        if (!parsed.ok) throw new Error(`${source} is no condition`);
        const own = evaluateCondition(parsed.value, D);
        const theirs = evaluateFeel(source, D, 0);
        if (own.kind === "value" && theirs.kind === "value")
          expect([source, own.value]).toEqual([source, theirs.value]);
      }),
      { numRuns: 500 },
    );

  it("[D14.6] gives the truth value that FEEL gives, wherever both give one", () => {
    law(readFeel);
    expect(() =>
      law((source) => {
        const read = readFeel(source);
        return read.kind === "condition" ? { kind: "condition", condition: { not: read.condition } } : read;
      }),
    ).toThrow();
  });
});

describe("[D14.7] FEEL evaluated", () => {
  const evaluate = (text: string, data: Data) => evaluateFeel(text, data, Date.UTC(2026, 0, 31, 12));

  it("[D14.7] now and today are the time that is given", () => {
    expect(evaluate('now() = date and time("2026-01-31T12:00:00Z")', {})).toEqual({
      kind: "value",
      value: true,
    });
    expect(evaluate('today() = date("2026-01-31")', {})).toEqual({ kind: "value", value: true });
    expect(evaluate('now() = date and time("2026-01-31T12:00:00Z")', { now: 2 })).toEqual({
      kind: "value",
      value: true,
    });
  });

  it("[D14.7] patterns take linear time, unsupported ones are errors", () => {
    const started = performance.now();
    const bomb = { s: `${"a".repeat(20_000)}!` };
    expect(evaluate('matches(s, "^(a+)+$")', bomb)).toEqual({ kind: "value", value: false });
    expect(evaluate('replace(s, "(a+)+b", "x") = s', bomb)).toEqual({ kind: "value", value: true });
    expect(evaluate('count(split(s, "(a+)+b")) = 1', bomb)).toEqual({ kind: "value", value: true });
    expect(evaluate('matches(s, "(?=a)")', bomb)).toMatchObject({ kind: "error", code: "FEEL_FAILED" });
    expect(evaluate('matches(input: "Ab", pattern: "ab", flags: "i")', {})).toEqual({
      kind: "value",
      value: true,
    });
    // A backtracking engine would need longer than the age of the universe.
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it("[D14.7] BR-096 a missing variable, a value that is no truth value and bad syntax are errors, never false", () => {
    expect(evaluate("gone", {})).toMatchObject({ kind: "error", code: "FEEL_VALUE" });
    expect(evaluate("1 + 1", {})).toMatchObject({
      kind: "error",
      code: "FEEL_VALUE",
      facts: { found: "number" },
    });
    expect(evaluate("x >", {})).toMatchObject({ kind: "error", code: "FEEL_SYNTAX" });
    expect(evaluate("for i in x return i", { x: [1] })).toMatchObject({ kind: "error", code: "FEEL_FAILED" });
  });

  it.each([
    ["for", "for i in x return i"],
    ["for", "count(for i in x return for j in x return j) > 0"],
    ["some", "some i in x satisfies i > 0"],
    ["every", "x != null and (every/* each */i in x satisfies i > 0)"],
    ["function", "(function(a) a > 0)(1)"],
    ["function", "{ f: function(a) a }.f(1) = 1"],
    ["some", 'forêt > 3 or "for" = y or some i in x satisfies i > 0'],
  ])("[D14.7] %s is not evaluated, wherever it stands: %s", (word, text) => {
    expect(evaluate(text, { x: [1], y: "a", forêt: 1 })).toMatchObject({
      kind: "error",
      code: "FEEL_FAILED",
      message: `"${word}" is not evaluated in a condition`,
    });
  });

  it.each(["forêt", "waiting for payment", "some", "x for every y", "is function", "for"])(
    "[D14.7] a key of D may hold words of iterations: %s",
    (key) => {
      expect(evaluate(`${key} > 3`, { [key]: 4 })).toEqual({ kind: "value", value: true });
      expect(evaluate(`3 < ${key} and "for" != "some"`, { [key]: 3 })).toEqual({
        kind: "value",
        value: false,
      });
    },
  );

  it("[D14.7] BR-105 nothing but the data can be reached", () => {
    for (const name of ["constructor", "x.constructor", "x.__proto__", "process", "globalThis"])
      expect([
        name,
        evaluate(`${name} != null`, { x: {} }).kind === "value" && evaluate(`${name} = null`, { x: {} }),
      ]).toEqual([name, expect.not.objectContaining({ value: false })]);
  });
});
