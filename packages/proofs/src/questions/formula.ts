/** @module Formulas over the markings of a net: predicates, branching time (CTL) and linear time (LTL). */

/** A sum of tokens: places with factors, and a constant. Places by id. */
export interface Sum {
  readonly terms: readonly (readonly [place: string, factor: number])[];
  readonly constant: number;
}

/** How two sums compare. */
export type Comparison = "<" | "<=" | "=" | "!=" | ">=" | ">";

/** What can be said of one marking. `enabled`: by transition id. */
export type Atom =
  | { readonly kind: "compare"; readonly left: Sum; readonly comparison: Comparison; readonly right: Sum }
  | { readonly kind: "enabled"; readonly transition: string }
  | { readonly kind: "deadlock" }
  | { readonly kind: "final" }
  | { readonly kind: "true" }
  | { readonly kind: "false" };

/** A formula. `path`: the quantifier before a temporal operator; null in linear time. F, G and the rest are as usual. */
export type Formula =
  | Atom
  | { readonly kind: "not"; readonly of: Formula }
  | { readonly kind: "and" | "or" | "implies"; readonly left: Formula; readonly right: Formula }
  | { readonly kind: "X" | "F" | "G"; readonly path: Path; readonly of: Formula }
  | { readonly kind: "U"; readonly path: Path; readonly left: Formula; readonly right: Formula };

/** A: on all runs; E: on some run; null: the formula is linear. */
export type Path = "A" | "E" | null;

/** predicate: of one marking. mixed: quantified and unquantified operators in one formula, which has no meaning here. */
export type FormulaClass = "predicate" | "ctl" | "ltl" | "mixed";

/**
 * The class of a formula.
 *
 * @definition D22.1
 */
export function formulaClass(formula: Formula): FormulaClass {
  const paths = new Set<Path>();
  const visit = (part: Formula): void => {
    for (const below of partsOf(part)) visit(below);
    if ("path" in part) paths.add(part.path);
  };
  visit(formula);
  if (paths.size === 0) return "predicate";
  if (!paths.has(null)) return "ctl";
  return paths.size === 1 ? "ltl" : "mixed";
}

/** The formulas directly below. */
export function partsOf(formula: Formula): readonly Formula[] {
  switch (formula.kind) {
    case "not":
    case "X":
    case "F":
    case "G":
      return [formula.of];
    case "and":
    case "or":
    case "implies":
    case "U":
      return [formula.left, formula.right];
    default:
      return [];
  }
}
