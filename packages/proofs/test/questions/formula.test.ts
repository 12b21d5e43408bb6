import { describe, expect, it } from "vitest";
import { askNet, parseQuestion, type Question } from "../../src/index.ts";
import { formulaClass } from "../../src/questions/formula.ts";
import { parseFormula } from "../../src/questions/parse-formula.ts";
import { net as parse } from "../net-text.ts";

function question(text: string): Question {
  const parsed = parseQuestion(text);
  if (parsed.kind !== "question") throw new Error(`${parsed.at}: ${parsed.message}`);
  return parsed.question;
}
const formula = (text: string) => {
  const parsed = parseFormula(text);
  if (parsed.kind !== "formula") throw new Error(`${parsed.at}: ${parsed.message}`);
  return parsed.formula;
};
const wrong = (text: string) => {
  const parsed = parseQuestion(text);
  return parsed.kind === "wrong" ? { at: parsed.at, message: parsed.message } : "right";
};

const one = (place: string) => ({
  kind: "compare",
  left: { terms: [[place, 1]], constant: 0 },
  comparison: "=",
  right: { terms: [], constant: 1 },
});

describe("formulas as text", () => {
  it("[D22.9] [D22.10] home before a predicate, and home as the name of a place", () => {
    expect(question("home final")).toEqual({ kind: "home", formula: { kind: "final" } });
    expect(question(" home (o = 1)")).toEqual({ kind: "home", formula: formula("o = 1") });
    expect(question("home-marking")).toEqual({ kind: "home-marking" });
    expect(question("home = 1")).toEqual({ kind: "formula", formula: one("home"), weak: [], strong: [] });
    expect(wrong("home EF final")).toEqual({
      at: 5,
      message: "home asks a predicate, without temporal operators",
    });
    expect(wrong("home o =")).toMatchObject({ at: 8 });
  });

  it("[D22.1] sums, comparisons and names", () => {
    expect(formula("2 a + b - 3*c + 4 - 1 <= 7")).toEqual({
      kind: "compare",
      left: {
        terms: [
          ["a", 2],
          ["b", 1],
          ["c", -3],
        ],
        constant: 3,
      },
      comparison: "<=",
      right: { terms: [], constant: 7 },
    });
    expect(formula('"a \\"b\\" & c" != a.b-c')).toMatchObject({
      left: { terms: [['a "b" & c', 1]] },
      comparison: "!=",
      right: { terms: [["a.b-c", 1]] },
    });
    for (const comparison of ["<", "<=", "=", "!=", ">=", ">"])
      expect(formula(`a ${comparison} 1`)).toMatchObject({ comparison });
    expect(formula('enabled("t 1")')).toEqual({ kind: "enabled", transition: "t 1" });
    for (const kind of ["true", "false", "deadlock", "final"]) expect(formula(kind)).toEqual({ kind });
    expect(formula("enabled = 1")).toEqual(one("enabled"));
  });

  it("[D22.1] binding: not before and before or before implies, which goes to the right; U before and", () => {
    const [a, b, c] = [one("a"), one("b"), one("c")];
    expect(formula("!a=1 & b=1 | c=1")).toEqual({
      kind: "or",
      left: { kind: "and", left: { kind: "not", of: a }, right: b },
      right: c,
    });
    expect(formula("a=1 -> b=1 -> c=1")).toEqual({
      kind: "implies",
      left: a,
      right: { kind: "implies", left: b, right: c },
    });
    expect(formula("a=1 && b=1 U c=1")).toEqual({
      kind: "and",
      left: a,
      right: { kind: "U", path: null, left: b, right: c },
    });
    expect(formula("(a=1 || b=1) & c=1")).toEqual({
      kind: "and",
      left: { kind: "or", left: a, right: b },
      right: c,
    });
    expect(formula("a=1 U b=1 U c=1")).toEqual({
      kind: "U",
      path: null,
      left: a,
      right: { kind: "U", path: null, left: b, right: c },
    });
  });

  it("[D22.1] operators with and without quantifiers, and the class", () => {
    expect(formula("AG EF a=1")).toEqual({
      kind: "G",
      path: "A",
      of: { kind: "F", path: "E", of: one("a") },
    });
    expect(formula("E(a=1 U b=1)")).toEqual({ kind: "U", path: "E", left: one("a"), right: one("b") });
    expect(formula("A(a=1 U X b=1)")).toMatchObject({ kind: "U", path: "A" });
    for (const [text, kind] of [
      ["a = 1 & deadlock", "predicate"],
      ["AX a=1 | EX a=1 | AF a=1 | EG a=1", "ctl"],
      ["X a=1 & F G a=1", "ltl"],
      ["AG F a=1", "mixed"],
    ] as const)
      expect([text, formulaClass(formula(text))]).toEqual([text, kind]);
  });

  it("[D22.1] says what is wrong, and where", () => {
    expect(wrong("a = ")).toEqual({ at: 4, message: "a place or a number is missing" });
    expect(wrong("a b")).toEqual({ at: 2, message: "a comparison is missing" });
    expect(wrong("(a = 1")).toEqual({ at: 6, message: '")" is missing' });
    expect(wrong("a = 1 )")).toEqual({ at: 6, message: "the formula ends here" });
    expect(wrong("A a = 1")).toEqual({ at: 2, message: '"(" is missing' });
    expect(wrong("A(a = 1)")).toEqual({ at: 7, message: "A( and E( need a U inside" });
    expect(wrong("enabled(1)")).toEqual({ at: 8, message: "an id is missing" });
    expect(wrong("a = 99999999999999999999")).toEqual({ at: 4, message: "the number is too large" });
    // Numbers that are exact one by one, with sums that are not: the difference of these would come out as 0 a.
    expect(wrong("9007199254740991 a + 2 a <= 9007199254740991 a + a")).toEqual({
      at: 0,
      message: "the number is too large",
    });
    expect(wrong("a + 2097151 b = 2251799813685248")).toBe("right");
    expect(wrong("a + 2097152 b = 1")).toMatchObject({ at: 4 });
    expect(wrong("a = 2251799813685248 + b - 1")).toMatchObject({ at: 27 });
    expect(wrong("AG F a = 1")).toMatchObject({ message: "operators with and without A and E do not mix" });
    expect(wrong("AG a = 1 weak t")).toMatchObject({ message: "fairness belongs to a linear formula" });
    expect(wrong("0-sound")).toEqual({ at: 0, message: "the number must be 1 or more" });
    expect(wrong(`${"!".repeat(500)}true`)).toMatchObject({ message: "nested too deeply" });
    expect(wrong(`${"(".repeat(500)}true`)).toMatchObject({ message: "nested too deeply" });
    expect(wrong("")).toEqual({ at: 0, message: "a place or a number is missing" });
  });

  it("[D22.6] names of questions, with numbers and fairness", () => {
    expect(question(" live ")).toEqual({ kind: "live" });
    expect(question("2-sound")).toEqual({ kind: "k-sound", k: 2 });
    expect(question("12-bounded")).toEqual({ kind: "k-bounded", k: 12 });
    expect(question("F a = 1 weak t, u strong v")).toMatchObject({
      kind: "formula",
      weak: ["t", "u"],
      strong: ["v"],
    });
  });
});

describe("formulas asked of a net", () => {
  const net = parse("t: i -> a; u: a -> b; v: b -> a; w: b -> o");

  it.each([
    ["a + b + i + o = 1", "holds"],
    ["a = 0", "fails"],
    ["!deadlock | final", "holds"],
    ["enabled(u) -> a = 1", "holds"],
    ["AG EF o = 1", "holds"],
    ["AF o = 1", "fails"],
    ["EF b = 1", "holds"],
    ["EF a = 2", "fails"],
    ["A(o = 0 U a = 1)", "holds"],
    ["E(i = 1 U b = 1)", "fails"],
    ["AX a = 1", "holds"],
    ["F o = 1", "fails"],
    ["F o = 1 strong w", "holds"],
    ["F o = 1 weak w", "fails"],
    ["G (a = 1 -> X b = 1)", "holds"],
    ["F G (o = 1 | o = 0)", "holds"],
  ])("[D22.2] [D22.3] [D22.5] %s: %s", (text, kind) => {
    expect(askNet(net, question(text)).kind).toBe(kind);
  });

  it("[D22.3] what shows an answer", () => {
    expect(askNet(net, question("EF b = 1"))).toEqual({
      kind: "holds",
      shown: { kind: "run", run: { sequence: [0, 1], marking: [0, 0, 1, 0] } },
    });
    expect(askNet(net, question("b = 0"))).toMatchObject({
      kind: "fails",
      shown: { run: { sequence: [0, 1] } },
    });
    expect(askNet(net, question("F o = 1"))).toEqual({
      kind: "fails",
      shown: { kind: "lasso", lasso: { stem: [0], loop: [1, 2] } },
    });
    expect(askNet(net, question("AG EF o = 1"))).toEqual({
      kind: "holds",
      shown: { kind: "markings", states: 4 },
    });
  });

  it("[D8.9] ids that the net does not have, and limits, leave the question open", () => {
    expect(askNet(net, question("x = 1 & enabled(y)"))).toMatchObject({
      limit: { reason: 'the net has no "x", "y"' },
    });
    expect(askNet(net, question("F o = 1 weak z"))).toMatchObject({
      limit: { reason: 'the net has no "z"' },
    });
    const pump = parse("t: i -> i + a; u: a -> o");
    const options = { limits: { statesMax: 10 } };
    expect(askNet(pump, question("EF a = 3"), options).kind).toBe("holds");
    expect(askNet(pump, question("a < 3"), options).kind).toBe("fails");
    expect(askNet(pump, question("EF i = 2"), options)).toMatchObject({
      kind: "fails",
      shown: { kind: "never", certificate: { kind: "state-equation" } },
    });
    for (const text of ["AG EF a = 3", "F a = 1"])
      expect(askNet(pump, question(text), options)).toEqual({
        kind: "unknown",
        limit: { kind: "states", at: 10 },
      });
    expect(
      askNet(net, { kind: "formula", formula: formula("AG F a = 1"), weak: [], strong: [] }),
    ).toMatchObject({
      limit: { kind: "method" },
    });
  });
});
