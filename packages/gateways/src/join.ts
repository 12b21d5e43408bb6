/** @module Joins: which tokens a node takes. Merge takes one arc's, AND one of every arc, OR one per settled branch. */
import { type FragmentBuilder, orJoinRule, type PlaceIndex, type WeightedPlace } from "@tessera/core";
import type { OrEncoding } from "./or-encoding.ts";
import { settledPlace } from "./split.ts";
import { blockClosedBy } from "./structured.ts";

/** One way into a node: the tokens taken and the arcs they stood on. `any` and `rule`: those of its transitions. */
export interface Entry {
  readonly pre: readonly WeightedPlace[];
  readonly consumed: readonly number[];
  readonly any?: readonly PlaceIndex[];
  readonly rule?: string;
}

/**
 * The ways into the builder's node. `any`: one per input. `all`: one token of each input at once; surplus stays.
 * `or` (structured): each arriving token settles its branch, a skipped branch is settled by the chain, and the node
 * takes one token of every settled place: it waits for exactly the branches that were activated. `or` that closes no
 * block: one way that takes a token of each marked input, under the join's non-local rule (D15.3).
 *
 * @definition D6.3
 * @definition D20.8
 */
export function entries(b: FragmentBuilder, encoding: OrEncoding = "by-structure"): readonly Entry[] {
  const join = b.node.join ?? "any";
  const arcsOf = (inputs: typeof b.inputs) => inputs.flatMap(({ arc }) => (arc === null ? [] : [arc]));
  if (b.inputs.length === 0) return [];
  if (join === "any" || b.inputs.length === 1) {
    return b.inputs.map((input) => ({ pre: [[input.place, 1]], consumed: arcsOf([input]) }));
  }
  if (join === "all")
    return [{ pre: b.inputs.map(({ place }) => [place, 1] as const), consumed: arcsOf(b.inputs) }];
  const block = encoding === "by-structure" ? blockClosedBy(b.graph, b.index) : null;
  if (block === null) {
    const any = b.inputs.map(({ place }) => place);
    return [{ pre: [], any, rule: orJoinRule(b.node.id), consumed: arcsOf(b.inputs) }];
  }
  for (const { arc, place } of b.inputs)
    if (arc !== null) settle(b, arc, place, settledPlace(b, b.index, block.branchOf.get(arc)!));
  const settled = [...new Set(block.branchOf.values())].map((branch) => settledPlace(b, b.index, branch));
  return [{ pre: settled.map((place) => [place, 1] as const), consumed: arcsOf(b.inputs) }];
}

function settle(b: FragmentBuilder, arc: number, place: number, settled: number): void {
  b.transition({
    id: `${b.node.id}.settle${arc}`,
    pre: [[place, 1]],
    post: [[settled, 1]],
    generated: true,
    origin: { node: b.index, phase: "settle", consumed: [arc], chosen: [] },
  });
}
