import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OPERATORS, parseCondition } from "../src/condition-parse.ts";
import { condition } from "./condition-arbitrary.ts";

function issues(value: unknown): readonly (readonly [string, string])[] {
  const result = parseCondition(value, ["guard"]);
  return result.ok ? [] : result.issues.map((issue) => [issue.code, issue.path.join("/")] as const);
}

describe("[D4.7] conditions", () => {
  it("[D4.7] reads every condition of the grammar", () => {
    fc.assert(
      fc.property(condition, (data) => {
        expect(issues(data)).toEqual([]);
      }),
    );
  });

  it("[D4.7] [HZ-41] has eleven operators", () => {
    expect(OPERATORS).toEqual([
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
    ]);
    for (const op of OPERATORS) {
      const value = op === "isAssigned" ? {} : { value: op.endsWith("eOf") ? [] : "a" };
      expect(issues({ key: "a", op, ...value })).toEqual([]);
    }
  });

  it("[D4.7] gives the parsed form", () => {
    const result = parseCondition({
      all: [
        { key: "a", op: "is", value: { x: [1] } },
        { key: "a", path: ["b", 0], op: "atMost", valueOf: "c", valuePath: [1] },
        { not: { key: "a", op: "isAssigned" } },
        { any: [{ language: "feel", text: "" }, { predicate: "p" }] },
      ],
    });
    expect(result).toEqual({
      ok: true,
      value: {
        kind: "all",
        conditions: [
          {
            kind: "compare",
            left: { key: "a", path: [] },
            op: "is",
            right: { kind: "constant", value: { x: [1] } },
          },
          {
            kind: "compare",
            left: { key: "a", path: ["b", 0] },
            op: "atMost",
            right: { kind: "reference", reference: { key: "c", path: [1] } },
          },
          { kind: "not", condition: { kind: "isAssigned", left: { key: "a", path: [] } } },
          {
            kind: "any",
            conditions: [
              { kind: "opaque", language: "feel", text: "" },
              { kind: "predicate", name: "p" },
            ],
          },
        ],
      },
    });
    const pattern = parseCondition({ key: "a", path: ["b"], op: "matches", value: "^x" });
    expect(pattern.ok && pattern.value).toMatchObject({
      kind: "matches",
      left: { key: "a", path: ["b"] },
      pattern: { source: "^x" },
    });
  });

  it("[D4.7] keeps nothing that could change later", () => {
    const value = [1];
    const result = parseCondition({ key: "a", op: "isOneOf", value });
    value.push(2);
    expect(result.ok && result.value).toMatchObject({ right: { kind: "constant", value: [1] } });
  });

  it("[D4.7] COND001 what is not JSON", () => {
    expect(issues({ key: "a", op: "is", value: undefined })).toEqual([["COND001", "guard/value"]]);
    expect(issues(() => true)).toEqual([["COND001", "guard"]]);
  });

  it.each<readonly [string, unknown]>([
    ["a scalar", true],
    ["null", null],
    ["a list", []],
    ["nothing", {}],
    ["only an unknown member", { op: "is" }],
    ["two forms", { all: [], any: [] }],
    ["a comparison that is also a predicate", { key: "a", op: "isAssigned", predicate: "p" }],
    ["an inherited member", Object.create({ predicate: "p" })],
  ])("[D4.7] COND002 no known form: %s", (_, value) => {
    const found = issues(value);
    expect(found).toHaveLength(1);
    expect(["COND001", "COND002"]).toContain(found[0]?.[0]);
  });

  it("[D4.7] COND002 lists the forms", () => {
    const result = parseCondition({});
    expect(!result.ok && result.issues[0]?.message).toBe(
      "A condition is an object with exactly one of: key, all, any, not, language, predicate.",
    );
  });

  it("[D4.7] COND003 a member that the form does not have", () => {
    expect(issues({ key: "a", op: "is", vaule: 1, value: 1 })).toEqual([["COND003", "guard/vaule"]]);
    expect(issues({ all: [], x: 1, y: 2 })).toEqual([
      ["COND003", "guard/x"],
      ["COND003", "guard/y"],
    ]);
    expect(issues({ any: [], text: "" })).toEqual([["COND003", "guard/text"]]);
    expect(issues({ not: { all: [] }, op: "is" })).toEqual([["COND003", "guard/op"]]);
    expect(issues({ language: "x", text: "", value: 1 })).toEqual([["COND003", "guard/value"]]);
    expect(issues({ predicate: "p", path: [] })).toEqual([["COND003", "guard/path"]]);
    const result = parseCondition({ predicate: "p", path: [] });
    expect(!result.ok && result.issues[0]?.message).toBe(
      "A condition with predicate has only the members predicate.",
    );
  });

  it("[D4.7] COND004 a member of the wrong type", () => {
    expect(issues({ all: {} })).toEqual([["COND004", "guard/all"]]);
    expect(issues({ any: "x" })).toEqual([["COND004", "guard/any"]]);
    expect(issues({ key: 1, op: "isAssigned" })).toEqual([["COND004", "guard/key"]]);
    expect(issues({ key: "a", path: "b", op: "isAssigned" })).toEqual([["COND004", "guard/path"]]);
    expect(issues({ key: "a", path: null, op: "isAssigned" })).toEqual([["COND004", "guard/path"]]);
    for (const step of [-1, 0.5, 2 ** 53, null, true, []]) {
      expect(issues({ key: "a", path: ["b", step], op: "isAssigned" })).toEqual([["COND004", "guard/path"]]);
    }
    expect(issues({ key: "a", path: [0, 2 ** 53 - 1, ""], op: "isAssigned" })).toEqual([]);
    expect(issues({ language: "x" })).toEqual([["COND004", "guard/text"]]);
    expect(issues({ language: 1, text: 2 })).toEqual([
      ["COND004", "guard/language"],
      ["COND004", "guard/text"],
    ]);
    expect(issues({ predicate: null })).toEqual([["COND004", "guard/predicate"]]);
    expect(issues({ key: "a", op: "is", valueOf: 1 })).toEqual([["COND004", "guard/valueOf"]]);
    expect(issues({ key: "a", op: "is", valueOf: "b", valuePath: {} })).toEqual([
      ["COND004", "guard/valuePath"],
    ]);
  });

  it("[D4.7] COND005 an operator that is none of the eleven", () => {
    for (const op of ["equals", "Is", "", 1, null, ["is"]]) {
      expect(issues({ key: "a", op, value: 1 })).toEqual([["COND005", "guard/op"]]);
    }
    expect(issues({ key: "a" })).toEqual([["COND005", "guard/op"]]);
    const result = parseCondition({ key: "a" });
    expect(!result.ok && result.issues[0]?.message).toBe(
      `The operator must be one of: ${OPERATORS.join(", ")}.`,
    );
  });

  it.each<readonly [string, unknown, readonly string[]]>([
    ["isAssigned with a value", { op: "isAssigned", value: null }, ["guard/value"]],
    [
      "isAssigned with a key",
      { op: "isAssigned", valueOf: "b", valuePath: [] },
      ["guard/valueOf", "guard/valuePath"],
    ],
    ["is with nothing", { op: "is" }, ["guard"]],
    ["is with both", { op: "is", value: 1, valueOf: "b" }, ["guard"]],
    ["is with a stray path", { op: "is", value: 1, valuePath: [] }, ["guard/valuePath"]],
    ["isOneOf a text", { op: "isOneOf", value: "ab" }, ["guard/value"]],
    ["isNoneOf an object", { op: "isNoneOf", value: {} }, ["guard/value"]],
    ["greaterThan null", { op: "greaterThan", value: null }, ["guard/value"]],
    ["atLeast a list", { op: "atLeast", value: [1] }, ["guard/value"]],
    [
      "lessThan an object, with a stray path",
      { op: "lessThan", value: {}, valuePath: [] },
      ["guard/valuePath", "guard/value"],
    ],
    ["atMost true", { op: "atMost", value: true }, ["guard/value"]],
    ["matches a number", { op: "matches", value: 1 }, ["guard/value"]],
    ["matches nothing", { op: "matches" }, ["guard/value"]],
    [
      "matches another key",
      { op: "matches", value: "a", valueOf: "b", valuePath: [] },
      ["guard/valueOf", "guard/valuePath"],
    ],
  ])("[D4.7] COND006 an operand that does not fit: %s", (_, rest, paths) => {
    expect(issues({ key: "a", ...(rest as object) })).toEqual(paths.map((path) => ["COND006", path]));
  });

  it("[D4.7] COND006 accepts the falsy constants", () => {
    for (const value of [null, false, 0, ""]) {
      expect(issues({ key: "a", op: "is", value })).toEqual([]);
    }
    expect(issues({ key: "a", op: "atMost", value: 0 })).toEqual([]);
    expect(issues({ key: "a", op: "atMost", value: "" })).toEqual([]);
  });

  it("[D4.7] COND007 a pattern that needs more than linear time, or is malformed", () => {
    for (const value of ["(?=a)", "(?<!a)b", "(a)\\1", "(a", "[z-a]", "a**", "a{1001}"]) {
      expect(issues({ key: "a", op: "matches", value })).toEqual([["COND007", "guard/value"]]);
    }
    const result = parseCondition({ key: "a", op: "matches", value: "(a" });
    expect(!result.ok && result.issues[0]).toEqual({
      code: "COND007",
      path: ["value"],
      message: "The pattern cannot be matched in linear time: error parsing regexp: missing closing ): `(a`.",
      facts: { pattern: "(a" },
    });
  });

  it("[D4.7] DATA003 the key __proto__, anywhere", () => {
    expect(issues({ key: "__proto__", op: "isAssigned" })).toEqual([["DATA003", "guard/key"]]);
    expect(issues({ key: "a", path: ["b", "__proto__"], op: "isAssigned" })).toEqual([
      ["DATA003", "guard/path"],
    ]);
    expect(issues({ key: "a", op: "is", valueOf: "__proto__" })).toEqual([["DATA003", "guard/valueOf"]]);
    expect(issues({ key: "a", op: "is", valueOf: "b", valuePath: ["__proto__"] })).toEqual([
      ["DATA003", "guard/valuePath"],
    ]);
    expect(issues({ key: "constructor", path: ["prototype"], op: "isAssigned" })).toEqual([]);
  });

  it("[D4.7] names all issues at once, in document order", () => {
    expect(
      issues({
        all: [
          { key: 1, op: "equals" },
          { not: {} },
          { any: [{ key: "a", op: "matches", value: "(" }, { predicate: "p" }, 7] },
          { key: 2, path: 3, op: "isOneOf", value: 4 },
        ],
      }),
    ).toEqual([
      ["COND004", "guard/all/0/key"],
      ["COND005", "guard/all/0/op"],
      ["COND002", "guard/all/1/not"],
      ["COND007", "guard/all/2/any/0/value"],
      ["COND002", "guard/all/2/any/2"],
      ["COND004", "guard/all/3/key"],
      ["COND004", "guard/all/3/path"],
      ["COND006", "guard/all/3/value"],
    ]);
  });

  it.each<readonly [unknown, string]>([
    [undefined, "A condition must be JSON: a value of type undefined is not JSON."],
    [{ all: 1 }, "Here stands a list of conditions."],
    [{ predicate: 1 }, "Here stands a text."],
    [{ key: "a", path: 1, op: "isAssigned" }, "Here stands a list of keys and indices."],
    [{ not: { any: [] }, key2: 1 }, "A condition with not has only the members not."],
    [
      { key: "a", op: "is", value: 1, x: 1 },
      "A condition with key has only the members key, path, op, value, valueOf, valuePath.",
    ],
    [{ key: "a", op: "isAssigned", value: 1 }, "isAssigned compares with nothing."],
    [{ key: "a", op: "is" }, "is compares with exactly one of value and valueOf."],
    [{ key: "a", op: "is", value: 1, valuePath: [] }, "valuePath belongs to valueOf."],
    [{ key: "a", op: "isOneOf", value: 1 }, "isOneOf compares with a list."],
    [{ key: "a", op: "atMost", value: [] }, "atMost compares with a number or a text."],
    [{ key: "a", op: "matches", value: 1 }, "matches takes a pattern as value."],
    [{ key: "a", op: "matches", value: "a", valueOf: "b" }, "matches takes its pattern from value only."],
    [{ key: "__proto__", op: "isAssigned" }, "The key __proto__ cannot be used as a data key or in a path."],
  ])("[D4.7] says what stands wrong: %j", (value, message) => {
    const result = parseCondition(value);
    expect(!result.ok && result.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it("[D4.7] compiles a pattern once, and tells the whole text by its anchors", () => {
    const result = parseCondition({ key: "a", op: "matches", value: "^.$" });
    const test = result.ok && result.value.kind === "matches" ? result.value.pattern.test : () => undefined;
    expect(["a", "\u{1f600}", "", "ab", "a\n", "\n"].map(test)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
