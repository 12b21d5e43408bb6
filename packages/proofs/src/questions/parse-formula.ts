/** @module Formulas as text: `AG (order = 1 -> EF done >= 1)`, `G (order = 1 -> F done = 1)`, `a + 2 b <= 3 & !deadlock`. */
import type { Atom, Comparison, Formula, Path, Sum } from "./formula.ts";

/** The formula, or what is wrong and where (a position in the text). */
export type ParsedFormula =
  | { readonly kind: "formula"; readonly formula: Formula }
  | { readonly kind: "wrong"; readonly at: number; readonly message: string };

/**
 * Parses a formula. From the loosest: `->` (to the right), `|`, `&`, `U` (also `A(p U q)`, `E(p U q)`), prefix `!`, `X`,
 * `F`, `G` with `A` or `E` before them or without. Atoms: comparisons of sums (`<`, `<=`, `=`, `!=`, `>=`, `>`),
 * `enabled(t)`, `deadlock`, `final`, `true`, `false`. Ids with other characters than letters, digits and `_.-` stand in
 * double quotes. Nesting is limited.
 */
export function parseFormula(text: string): ParsedFormula {
  const tokens = tokensOf(text);
  const state: State = { tokens, at: 0, end: text.length, depth: 0 };
  try {
    const formula = implication(state);
    if (state.at < tokens.length) throw wrong(state, "the formula ends here");
    return { kind: "formula", formula };
  } catch (error) {
    if (error instanceof Wrong) return { kind: "wrong", at: error.at, message: error.message };
    throw error;
  }
}

const DEPTH_MAX = 200;

interface Token {
  readonly text: string;
  readonly at: number;
  readonly isQuoted: boolean;
}

interface State {
  readonly tokens: readonly Token[];
  readonly end: number;
  at: number;
  depth: number;
}

class Wrong extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

function tokensOf(text: string): readonly Token[] {
  const pattern = /"((?:[^"\\]|\\.)*)"|->|<=|>=|!=|&&|\|\||[A-Za-z_][\w.-]*|\d+|\S/gu;
  return [...text.matchAll(pattern)].map((match) => {
    const quoted = match[1];
    const isQuoted = quoted !== undefined;
    return { text: isQuoted ? quoted.replace(/\\(.)/gu, "$1") : match[0], at: match.index, isQuoted };
  });
}

function wrong(state: State, message: string): Wrong {
  return new Wrong(state.tokens[state.at]?.at ?? state.end, message);
}

function peek(state: State): string | null {
  const token = state.tokens[state.at];
  return token === undefined || token.isQuoted ? null : token.text;
}

function take(state: State, ...texts: readonly string[]): string | null {
  const next = peek(state);
  if (next === null || !texts.includes(next)) return null;
  state.at += 1;
  return next;
}

function expect(state: State, text: string): void {
  if (take(state, text) === null) throw wrong(state, `"${text}" is missing`);
}

function implication(state: State): Formula {
  state.depth += 1;
  if (state.depth > DEPTH_MAX) throw wrong(state, "nested too deeply");
  const left = disjunction(state);
  const result: Formula =
    take(state, "->") === null ? left : { kind: "implies", left, right: implication(state) };
  state.depth -= 1;
  return result;
}

function disjunction(state: State): Formula {
  let left = conjunction(state);
  while (take(state, "|", "||") !== null) left = { kind: "or", left, right: conjunction(state) };
  return left;
}

function conjunction(state: State): Formula {
  let left = until(state, null);
  while (take(state, "&", "&&") !== null) left = { kind: "and", left, right: until(state, null) };
  return left;
}

function until(state: State, path: Path): Formula {
  const left = prefix(state);
  return take(state, "U") === null ? left : { kind: "U", path, left, right: until(state, path) };
}

const PREFIXES: Readonly<Record<string, readonly ["X" | "F" | "G", Path]>> = {
  X: ["X", null],
  F: ["F", null],
  G: ["G", null],
  AX: ["X", "A"],
  AF: ["F", "A"],
  AG: ["G", "A"],
  EX: ["X", "E"],
  EF: ["F", "E"],
  EG: ["G", "E"],
};

function prefix(state: State): Formula {
  state.depth += 1;
  if (state.depth > DEPTH_MAX) throw wrong(state, "nested too deeply");
  const result = unbounded(state);
  state.depth -= 1;
  return result;
}

function unbounded(state: State): Formula {
  if (take(state, "!") !== null) return { kind: "not", of: prefix(state) };
  const operator = take(state, ...Object.keys(PREFIXES));
  if (operator !== null) {
    const [kind, path] = PREFIXES[operator]!;
    return { kind, path, of: prefix(state) };
  }
  const quantifier = take(state, "A", "E");
  if (quantifier !== null) {
    expect(state, "(");
    const inner = until(state, quantifier as "A" | "E");
    if (inner.kind !== "U" || inner.path !== quantifier) throw wrong(state, "A( and E( need a U inside");
    expect(state, ")");
    return inner;
  }
  const before = state.at;
  if (take(state, "(") !== null) {
    // A bracket opens a formula, or a sum of a comparison; sums have no brackets, so it is a formula.
    const inner = implication(state);
    expect(state, ")");
    return inner;
  }
  state.at = before;
  return atom(state);
}

function atom(state: State): Atom {
  const word = take(state, "true", "false", "deadlock", "final");
  if (word !== null) return { kind: word as "true" | "false" | "deadlock" | "final" };
  if (peek(state) === "enabled" && state.tokens[state.at + 1]?.text === "(") {
    state.at += 2;
    const transition = identifier(state);
    expect(state, ")");
    return { kind: "enabled", transition };
  }
  const left = sum(state);
  const comparison = take(state, "<", "<=", "=", "!=", ">=", ">");
  if (comparison === null) throw wrong(state, "a comparison is missing");
  return { kind: "compare", left, comparison: comparison as Comparison, right: sum(state) };
}

/** The factors of a sum, and its constants, signs left out: with up to 2^31 - 1 tokens on a place it is exact, and so is the difference of two. */
const FACTORS_MAX = 2 ** 21;
const CONSTANTS_MAX = 2 ** 51;

function sum(state: State): Sum {
  const terms: (readonly [string, number])[] = [];
  let constant = 0;
  let [factors, constants] = [0, 0];
  for (let sign: string | null = "+"; sign !== null; sign = take(state, "+", "-")) {
    const { at } = state;
    const factor = number(state);
    take(state, "*");
    const signed = (sign === "-" ? -1 : 1) * (factor ?? 1);
    if (isIdentifier(state)) {
      terms.push([identifier(state), signed]);
      factors += Math.abs(signed);
    } else if (factor !== null) {
      constant += signed;
      constants += factor;
    } else throw wrong(state, "a place or a number is missing");
    if (factors > FACTORS_MAX || constants > CONSTANTS_MAX) {
      state.at = at;
      throw wrong(state, "the number is too large");
    }
  }
  return { terms, constant };
}

/** Does an id come next? A bare U is the operator. */
function isIdentifier(state: State): boolean {
  const next = state.tokens[state.at];
  if (next === undefined) return false;
  return next.isQuoted || (/^[A-Za-z_]/u.test(next.text) && next.text !== "U");
}

function number(state: State): number | null {
  const next = peek(state);
  if (next === null || !/^\d+$/u.test(next)) return null;
  const value = Number(next);
  if (!Number.isSafeInteger(value)) throw wrong(state, "the number is too large");
  state.at += 1;
  return value;
}

function identifier(state: State): string {
  if (!isIdentifier(state)) throw wrong(state, "an id is missing");
  state.at += 1;
  return state.tokens[state.at - 1]!.text;
}
