/** @module Integrity I of the product graph: named constraints in four classes, asked about the result of a mutation. */

import { unreachable } from "./invariant.ts";
import type { JsonObject } from "./json.ts";
import type { Touched } from "./mutation.ts";
import type { ProductGraph } from "./product-graph.ts";
import { keysOf } from "./sorted-map.ts";

/**
 * I_str, I_type, I_ref and I_sem, in the order in which they are asked.
 *
 * @definition D19.3
 */
export type ConstraintClass = "structural" | "type" | "reference" | "semantic";

/**
 * What a constraint looks at besides the touched objects themselves, so that the footprint of a step can include it.
 * `object`: nothing more. `links`: what they link to. `relation`: all links of one relation (absent: of all), as a
 * cycle needs. `types`: all objects of these types. `graph`: everything.
 */
export type ConstraintScope =
  | { readonly kind: "object" }
  | { readonly kind: "links" }
  | { readonly kind: "relation"; readonly rel?: string }
  | { readonly kind: "types"; readonly types: readonly string[] }
  | { readonly kind: "graph" };

/** One thing that a constraint found wrong. */
export interface Finding {
  readonly message: string;
  readonly facts: JsonObject;
}

/**
 * One registered constraint. `name` and `version` identify its meaning: the hash of a definition covers them.
 *
 * @definition D5.1
 */
export interface Constraint {
  readonly name: string;
  readonly version: number;
  readonly class: ConstraintClass;
  readonly scope: ConstraintScope;
  /**
   * What is wrong in `graph`, the result, because of what was touched; pure, in a defined order.
   * Requires: nothing was wrong before. Law: then it finds something iff it does so with everything touched.
   */
  readonly check: (graph: ProductGraph, touched: Touched) => readonly Finding[];
}

/** A finding, and the constraint that made it. */
export interface Violation extends Finding {
  /** GRAPH102 structural, GRAPH103 type, GRAPH104 reference, GRAPH105 semantic; GRAPH106 the constraint threw. */
  readonly code: string;
  /** The name of the constraint. */
  readonly constraint: string;
  readonly version: number;
  readonly class: ConstraintClass;
}

const CLASSES: readonly ConstraintClass[] = ["structural", "type", "reference", "semantic"];

/**
 * I on the result of a mutation: every violation of every constraint, class by class, in a class in the order of
 * `constraints`. The mutation may stand iff there is none. A constraint that throws is a violation, not a pass.
 * Cost: the sum of the constraints' own.
 *
 * @definition D19.4
 */
export function checkIntegrity(
  graph: ProductGraph,
  touched: Touched,
  constraints: readonly Constraint[],
): readonly Violation[] {
  return CLASSES.flatMap((kind) =>
    constraints
      .filter((constraint) => constraint.class === kind)
      .flatMap((constraint) => askConstraint(constraint, graph, touched)),
  );
}

/** Everything of a graph as touched: with it a constraint judges the whole graph. */
export function allTouched(graph: ProductGraph): Touched {
  const ids = keysOf(graph.objects);
  return { written: ids, deleted: [], released: ids };
}

function askConstraint(constraint: Constraint, graph: ProductGraph, touched: Touched): readonly Violation[] {
  const { name, version } = constraint;
  const of = { constraint: name, version, class: constraint.class };
  try {
    return constraint
      .check(graph, touched)
      .map(({ message, facts }) => ({ code: codeOf(constraint.class), ...of, message, facts }));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : typeof thrown;
    return [{ code: "GRAPH106", ...of, message: `The constraint ${name} threw.`, facts: { reason } }];
  }
}

function codeOf(kind: ConstraintClass): string {
  switch (kind) {
    case "structural":
      return "GRAPH102";
    case "type":
      return "GRAPH103";
    case "reference":
      return "GRAPH104";
    case "semantic":
      return "GRAPH105";
    default:
      return unreachable(kind);
  }
}
