/** @module Joins: which tokens a node takes. Merge takes one arc's, AND one of every arc, OR one per settled branch. */
import type { FragmentBuilder, WeightedPlace } from "@tessera/core";
import { skipId } from "./split.ts";

/** One way into a node: the tokens taken and the arcs they stood on. */
export interface Entry {
  readonly pre: readonly WeightedPlace[];
  readonly consumed: readonly number[];
}

/**
 * The ways into the builder's node. `any`: one per input. `all`: one token of each input at once; surplus stays.
 * `or` (structured): each arriving token settles its branch, a skipped branch is settled by the chain, and the node
 * takes one token of every settled place: it waits for exactly the branches that were activated.
 *
 * @definition D6.3
 */
export function entries(b: FragmentBuilder): readonly Entry[] {
  const join = b.node.join ?? "any";
  const arcsOf = (inputs: typeof b.inputs) => inputs.flatMap(({ arc }) => (arc === null ? [] : [arc]));
  if (b.inputs.length === 0) return [];
  if (join === "any" || b.inputs.length === 1) {
    return b.inputs.map((input) => ({ pre: [[input.place, 1]], consumed: arcsOf([input]) }));
  }
  if (join === "all") return [{ pre: b.inputs.map(({ place }) => [place, 1] as const), consumed: arcsOf(b.inputs) }];
  const settled = b.inputs.map(({ arc, place }) => settle(b, arc ?? 0, place));
  return [{ pre: settled.map((place) => [place, 1] as const), consumed: arcsOf(b.inputs) }];
}

function settle(b: FragmentBuilder, arc: number, place: number): number {
  const settled = b.place(skipId(b, b.index, arc), { kind: "skip", node: b.index, arc });
  b.transition({
    id: `${b.node.id}.settle${arc}`,
    pre: [[place, 1]],
    post: [[settled, 1]],
    generated: true,
    origin: { node: b.index, phase: "settle", consumed: [arc], chosen: [] },
  });
  return settled;
}
