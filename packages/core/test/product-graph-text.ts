import { commitMutation, type GateResult } from "../src/gate.ts";
import type { Constraint } from "../src/integrity.ts";
import { EMPTY_MUTATION, type Mutation, mergeMutations } from "../src/mutation.ts";
import type { ProductGraph, ProductObject } from "../src/product-graph.ts";

export function node(id: string, ...to: readonly string[]): ProductObject {
  return { id, type: "doc", payload: {}, links: to.map((target) => ({ to: target })) };
}

export function creates(...create: readonly ProductObject[]): Mutation {
  return { ...EMPTY_MUTATION, create };
}

export function links(id: string, ...to: readonly string[]): Mutation {
  return { ...EMPTY_MUTATION, update: [{ id, links: to.map((target) => ({ to: target })) }] };
}

export function deletes(...ids: readonly string[]): Mutation {
  return { ...EMPTY_MUTATION, delete: ids };
}

/** Commits one after the other; the first refusal ends it. */
export function inOrder(
  G: ProductGraph,
  constraints: readonly Constraint[],
  ...deltas: readonly Mutation[]
): "passes" | "fails" {
  let graph = G;
  for (const delta of deltas) {
    const result = commitMutation(graph, delta, constraints);
    if (result.kind === "rejected") return "fails";
    graph = result.graph;
  }
  return "passes";
}

export function merged(...deltas: readonly Mutation[]): Mutation {
  const merge = mergeMutations(deltas);
  if (merge.kind === "conflict") throw new Error(merge.ids.join());
  return merge.mutation;
}

export function codes(result: GateResult): readonly string[] {
  return result.kind === "committed"
    ? []
    : result.violations.map(({ code, constraint }) => `${code} ${constraint}`);
}
