import type { Data, ExpressionTerm } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateFeel, FUNCTION_NAMES } from "../src/bpmn/feel-evaluator.ts";
import { readFeelTerm } from "../src/bpmn/feel-term.ts";

const numeric: fc.Arbitrary<string> = fc.letrec<{ term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom("x", "y", "0", "1", "2.5", "100", "0.1"),
    fc
      .tuple(tie("term"), fc.constantFrom("+", "-", "*"), tie("term"))
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    fc.tuple(tie("term"), fc.constantFrom("2", "0.1", "3")).map(([left, right]) => `${left} / ${right}`),
    tie("term").map((term) => `-(${term})`),
    fc
      .tuple(tie("term"), fc.constantFrom("+", "-", "*"), tie("term"))
      .map(([left, op, right]) => `${left} ${op} ${right}`),
  ),
})).term;
const truth: fc.Arbitrary<string> = fc.letrec<{ truth: string }>((tie) => ({
  truth: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc
      .tuple(numeric, fc.constantFrom("=", "!=", "<", "<=", ">", ">="), numeric)
      .map((parts) => parts.join(" ")),
    fc.constantFrom("flag", "flag = true", 's = "a"', 's != "b"', "flag != false", 's = "a" = flag'),
    fc.tuple(tie("truth"), fc.constantFrom("and", "or"), tie("truth")).map((parts) => parts.join(" ")),
    tie("truth").map((part) => `not(${part})`),
    tie("truth").map((part) => `(${part})`),
  ),
})).truth;
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, 2.5, 100, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 2 ** 53),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -5, max: 5 }),
);
const data = fc.record({ x: number, y: number, s: fc.constantFrom("a", "b", ""), flag: fc.boolean() });

/** The value of a term by its definition: doubles, comparisons of what cannot be ordered count as equal in order. */
function computed(term: ExpressionTerm, D: Data): unknown {
  switch (term.kind) {
    case "constant":
      return term.value;
    case "key":
      return D[term.key];
    case "not":
      return !computed(term.term, D);
    case "and":
      return Boolean(computed(term.left, D)) && Boolean(computed(term.right, D));
    case "or":
      return Boolean(computed(term.left, D)) || Boolean(computed(term.right, D));
    case "arithmetic": {
      const [a, b] = [Number(computed(term.left, D)), Number(computed(term.right, D))];
      return { "+": a + b, "-": a - b, "*": a * b, "/": a / b }[term.op];
    }
    case "compare": {
      const [a, b] = [computed(term.left, D) as number, computed(term.right, D) as number];
      return { "=": a === b, "!=": a !== b, "<": a < b, "<=": !(a > b), ">": a > b, ">=": !(a < b) }[term.op];
    }
  }
}

describe("[D14.27] FEEL as terms", () => {
  it("[D14.27] the term says what the evaluator computes (oracle: doubles of the language)", () => {
    let isRead = 0;
    fc.assert(
      fc.property(truth, data, (text, D) => {
        const term = readFeelTerm(text);
        if (term === null) return;
        isRead += 1;
        expect({ text, D, value: evaluateFeel(text, D, 0) }).toEqual({
          text,
          D,
          value: { kind: "value", value: computed(term, D) },
        });
      }),
      { seed: 1427, numRuns: 3000 },
    );
    expect(isRead).toBeGreaterThan(2500);
  });

  it.each([
    "x / y > 1",
    "x / 0 > 1",
    "x ** 2 > 1",
    "a.b > 1",
    "x > 12345678901234567",
    "abs(x) > 1",
    "for",
    "x in [1..2]",
    "",
    "+x > 1",
    // The evaluator's own functions stand before keys of D.
    "now > 1",
    "today <= 1",
  ])("[D14.27] %s says more than terms do", (text) => {
    expect(readFeelTerm(text)).toBeNull();
  });

  it("[D14.27] a plain name that is read as a key is one to the evaluator too, whatever functions there are", () => {
    const builtin = ["date", "time", "string", "number", "sum", "min", "abs", "floor", "count", "duration"];
    const others = ["été", "forêt", "x1", "forx", "notx", "order", "andy", "true1", "item", "partial"];
    let isRead = 0;
    for (const name of [...FUNCTION_NAMES, ...builtin, ...others]) {
      for (const text of [`${name} > 1`, `${name} + 1 = 2`, `not(${name} * 2 <= ${name}) or ${name} != 1`]) {
        const term = readFeelTerm(text);
        if (term === null) continue;
        isRead += 1;
        for (const value of [0, 1, 2.5]) {
          const D = { [name]: value };
          const expected = { kind: "value", value: computed(term, D) };
          expect({ text, D, value: evaluateFeel(text, D, 0) }).toEqual({ text, D, value: expected });
        }
      }
    }
    expect(isRead).toBe(3 * (builtin.length + others.length));
  });
});
