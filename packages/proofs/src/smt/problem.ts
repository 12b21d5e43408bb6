/** @module A question to a solver: declarations, the range of the keys, what is asked; and the data of its answer. */
import type { Data, Json } from "@tessera/core";
import { isOfType } from "../data-level/conditions-read.ts";
import { and, constant, or, type Variable, type Vocabulary } from "./encode.ts";

/** A question in SMT-LIB 2.6: `body` declares and asserts, `text` is whole, for any solver. */
export interface Problem {
  readonly body: string;
  readonly text: string;
}

const SORT_TEXT = { number: "(_ FloatingPoint 11 53)", text: "(_ BitVec 32)", truth: "Bool" } as const;

/** Are there data that fit the declarations on which `formula` is true? */
export function problemOf(vocabulary: Vocabulary, formula: string): Problem {
  const ranges = [...vocabulary.variables.values()].map((variable) => ({
    variable,
    range: rangeOf(vocabulary, variable),
  }));
  const lines = ranges.flatMap(({ variable: { symbol, sort, key }, range }) => [
    `(declare-const ${symbol} ${SORT_TEXT[sort]}) ; ${JSON.stringify(key)}`,
    ...(range === "true" ? [] : [`(assert ${range})`]),
  ]);
  const texts = vocabulary.texts.map(
    (text, code) => `; the text ${JSON.stringify(text)} is (_ bv${code} 32)`,
  );
  const body = [...texts, ...lines, `(assert ${formula})`].join("\n");
  return { body, text: `(set-logic QF_BVFP)\n${body}\n(check-sat)\n(get-model)\n` };
}

/** What the declaration says of the values of a key. Values of JSON are finite; integers are doubles without a fraction. */
export function rangeOf(vocabulary: Vocabulary, { symbol, sort, type }: Variable): string {
  if (type.values !== undefined) {
    // Values that fit say all: solvers need not be told that they are finite, or whole, which costs them much.
    const own = type.values.filter((value) => isOfType(value, type));
    const listed = own.map((value) => {
      const other = constant(vocabulary, value);
      if (other === null || other.sort !== sort) return "false";
      return sort === "number" ? `(fp.eq ${symbol} ${other.text})` : `(= ${symbol} ${other.text})`;
    });
    return or(listed);
  }
  if (sort !== "number") return "true";
  const finite = [`(not (fp.isNaN ${symbol}))`, `(not (fp.isInfinite ${symbol}))`];
  const whole = type.type === "integer" ? [`(fp.eq ${symbol} (fp.roundToIntegral RNE ${symbol}))`] : [];
  return and([...finite, ...whole]);
}

/** The data of a model, as solvers print it: what they say is checked by who asks. Keys that it leaves out get some value. */
export function dataOfModel({ variables, texts }: Vocabulary, model: string): Data {
  const entries = [...variables.values()].map(({ key, symbol, sort, type }): readonly [string, Json] => {
    const found = new RegExp(
      String.raw`define-fun\s+${symbol}\s+\(\)\s+(?:\([^)]*\)|Bool)\s+(\([^)]*\)|[^\s()]+)`,
      "u",
    ).exec(model)?.[1];
    if (found === undefined) return [key, type.values?.[0] ?? { number: 0, text: "", truth: false }[sort]];
    if (sort === "number") return [key, doubleOf(found)];
    if (sort === "truth") return [key, found === "true"];
    const code = codeOf(found);
    return [key, texts[code] ?? freshText(texts, code)];
  });
  return Object.fromEntries(entries);
}

function codeOf(text: string): number {
  if (text.startsWith("#x")) return Number.parseInt(text.slice(2), 16);
  if (text.startsWith("#b")) return Number.parseInt(text.slice(2), 2);
  return Number(/bv(\d+)/u.exec(text)?.[1] ?? 0);
}

/** A text that is none of the others. */
function freshText(texts: readonly string[], code: number): string {
  let text = `(text ${code})`;
  while (texts.includes(text)) text = `(${text})`;
  return text;
}

/** A double from its bits, as `(fp #b0 #b... #x...)`, or a zero. What cannot be read is 0: it is checked later. */
function doubleOf(text: string): number {
  const [, sign, exponent, fraction = ""] = /\(fp #b([01]) #b([01]{11}) (#\S+)\)/u.exec(text) ?? [];
  if (sign === undefined) return 0;
  const bits = fraction.startsWith("#x")
    ? BigInt(`0x${fraction.slice(2)}`)
        .toString(2)
        .padStart(52, "0")
    : fraction.slice(2);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0b${sign}${exponent}${bits}`));
  const value = view.getFloat64(0);
  // JSON does not keep the sign of a zero, and has no number that is not finite.
  return Number.isFinite(value) ? value + 0 : 0;
}
