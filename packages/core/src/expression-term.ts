/** @module What an expression of another language computes, as data that provers read. Evaluators do not use it. */

/** A comparison of two terms. */
export type TermComparison = "=" | "!=" | "<" | "<=" | ">" | ">=";

/** The four operations on doubles, each rounded to nearest, ties to even. */
export type TermOperation = "+" | "-" | "*" | "/";

/** A term over the keys of D. It says what a language computes where all keys have the types that it needs. */
export type ExpressionTerm =
  | { readonly kind: "constant"; readonly value: number | string | boolean }
  | { readonly kind: "key"; readonly key: string }
  | {
      readonly kind: "arithmetic";
      readonly op: TermOperation;
      readonly left: ExpressionTerm;
      readonly right: ExpressionTerm;
    }
  | {
      readonly kind: "compare";
      readonly op: TermComparison;
      readonly left: ExpressionTerm;
      readonly right: ExpressionTerm;
    }
  | { readonly kind: "and" | "or"; readonly left: ExpressionTerm; readonly right: ExpressionTerm }
  | { readonly kind: "not"; readonly term: ExpressionTerm };
