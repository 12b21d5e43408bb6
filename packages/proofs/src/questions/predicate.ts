/** @module What a formula's atoms say of a marking. */
import {
  enabledTransitions,
  isEnabled,
  isFinal,
  type Marking,
  type Net,
  NO_RULES,
  type NonLocalRules,
  unreachable,
} from "@tessera/core";
import { type Atom, type Comparison, type Formula, partsOf, type Sum } from "./formula.ts";

/** An atom over places and transitions of one net. */
export type Test = (M: Marking) => boolean;

/** The ids in a formula that the net does not have. */
export function unknownIds(net: Net, formula: Formula): readonly string[] {
  const places = new Set(net.places.map(({ id }) => id));
  const transitions = new Set(net.transitions.map(({ id }) => id));
  const found = new Set<string>();
  const visit = (part: Formula): void => {
    for (const below of partsOf(part)) visit(below);
    if (part.kind === "enabled" && !transitions.has(part.transition)) found.add(part.transition);
    if (part.kind === "compare")
      for (const [place] of [...part.left.terms, ...part.right.terms])
        if (!places.has(place)) found.add(place);
  };
  visit(formula);
  return [...found];
}

/**
 * The test of an atom, whose ids the net has.
 *
 * @definition D22.2
 */
export function testOf(net: Net, atom: Atom, rules: NonLocalRules = NO_RULES): Test {
  switch (atom.kind) {
    case "true":
      return () => true;
    case "false":
      return () => false;
    case "final":
      return (M) => isFinal(net, M);
    case "deadlock":
      return (M) => enabledTransitions(net, M, rules).length === 0;
    case "enabled": {
      const t = net.transitions.findIndex(({ id }) => id === atom.transition);
      return (M) => isEnabled(net, M, t, rules);
    }
    case "compare": {
      const [left, right] = [sumOf(net, atom.left), sumOf(net, atom.right)];
      return (M) => compares(atom.comparison, left(M), right(M));
    }
    default:
      return unreachable(atom);
  }
}

function sumOf(net: Net, { terms, constant }: Sum): (M: Marking) => number {
  const indexOf = new Map(net.places.map(({ id }, place) => [id, place]));
  const weights = terms.map(([id, factor]) => [indexOf.get(id) ?? -1, factor] as const);
  return (M) => weights.reduce((sum, [place, factor]) => sum + factor * (M[place] ?? 0), constant);
}

function compares(comparison: Comparison, left: number, right: number): boolean {
  switch (comparison) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case "=":
      return left === right;
    case "!=":
      return left !== right;
    case ">=":
      return left >= right;
    case ">":
      return left > right;
    default:
      return unreachable(comparison);
  }
}
