/** @module The gate delta: a mutation is committed whole, or the graph stays as it is. */

import { REFERENCES } from "./constraints.ts";
import { type Constraint, checkIntegrity, type Finding, type Violation } from "./integrity.ts";
import { applyMutation, type Mutation, type Touched, touchedBy } from "./mutation.ts";
import { hasObject, type ProductGraph } from "./product-graph.ts";

/** The answer of the gate: the graph after it, and why the mutation was refused if it was. */
export type GateResult =
  | { readonly kind: "committed"; readonly graph: ProductGraph; readonly touched: Touched }
  | { readonly kind: "rejected"; readonly graph: ProductGraph; readonly violations: readonly Violation[] };

/**
 * delta(G, Delta, I): `G` after `delta` if the mutation is applicable to `G` and no constraint is violated by the
 * result; else `G` itself, with every violation. References are always among the constraints.
 *
 * Requires: `G` satisfies the constraints (it is empty, or came from this function). Law: so does the result, and the
 * axioms 18.1 to 18.3 hold in it as far as `constraints` has the schemas.
 * Cost: that of applying `delta` and of the constraints.
 *
 * @definition D19.5
 */
export function commitMutation(
  G: ProductGraph,
  delta: Mutation,
  constraints: readonly Constraint[],
): GateResult {
  const inapplicable = applicability(G, delta);
  if (inapplicable.length > 0) {
    return { kind: "rejected", graph: G, violations: inapplicable };
  }
  const touched = touchedBy(G, delta);
  const result = applyMutation(G, delta);
  const violations = checkIntegrity(result, touched, [REFERENCES, ...constraints]);
  return violations.length > 0
    ? { kind: "rejected", graph: G, violations }
    : { kind: "committed", graph: result, touched };
}

/**
 * Why `delta` is not applicable to `G` (GRAPH101): an id is created that exists or is created twice, so that an id
 * would stand for two objects (axiom 18.1); an object is updated or deleted that neither exists nor is created.
 * The result alone cannot show it, so it is asked before.
 *
 * @definition D5.5
 */
export function applicability(G: ProductGraph, delta: Mutation): readonly Violation[] {
  const created = new Set<string>();
  const findings: Finding[] = [];
  for (const { id } of delta.create) {
    if (created.has(id) || hasObject(G, id)) {
      findings.push({ message: `${id} is created, but exists.`, facts: { id, action: "create" } });
    }
    created.add(id);
  }
  const isMissing = (id: string): boolean => !created.has(id) && !hasObject(G, id);
  for (const { id } of delta.update.filter((update) => isMissing(update.id))) {
    findings.push({ message: `${id} is updated, but does not exist.`, facts: { id, action: "update" } });
  }
  for (const id of delta.delete.filter(isMissing)) {
    findings.push({ message: `${id} is deleted, but does not exist.`, facts: { id, action: "delete" } });
  }
  return findings.map((finding) => ({
    code: "GRAPH101",
    constraint: "identity",
    version: 1,
    class: "structural",
    ...finding,
  }));
}
