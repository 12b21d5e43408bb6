/** @module Parallel safety: which nodes can be under way together, and where their footprints meet. */
import { type CompiledWorkflow, type DataKey, entryOf, type NodeId, type PlaceIndex } from "@tessera/core";
import { nodeAt } from "./arcs.ts";
import type { CoMarking } from "./co-marking.ts";
import { type Footprint, type Overlap, overlaps, type Region } from "./footprint.ts";
import { type MergeBlock, mergeBlocks } from "./merge-block.ts";
import { type FootprintOptions, nodeFootprint } from "./node-footprint.ts";

/**
 * Two nodes that can be under way together and meet: the ways in which that can be, each as the places that are marked
 * then (one that stands twice with two tokens), and the regions.
 */
export interface Conflict {
  readonly nodes: readonly [NodeId, NodeId];
  readonly ways: readonly (readonly PlaceIndex[])[];
  readonly overlaps: readonly Overlap[];
}

/**
 * The pairs of nodes that can be under way together and whose footprints meet. A node is under way while a place of
 * its own is marked: an input of it or its rest place, since a resting job meets an inline node that fires meanwhile.
 * A node meets itself where two tokens of it can be there. What a block merges at its end (D21.1) is no conflict between
 * its own branches. Empty: every pair that can be is disjoint, as far as the footprints are true.
 * Cost: the pairs of nodes, and the pairs of places of those that meet.
 *
 * @definition D16.8
 */
export function parallelConflicts(
  workflow: CompiledWorkflow,
  coMarking: CoMarking,
  options: FootprintOptions = {},
): readonly Conflict[] {
  return [...eachConflict(workflow, coMarking, options)];
}

/**
 * The same, one after the other: where a few are enough, the others are not looked for. `among`: only between these nodes.
 */
export function* eachConflict(
  workflow: CompiledWorkflow,
  coMarking: CoMarking,
  options: FootprintOptions = {},
  among: ReadonlySet<NodeId> | null = null,
): Generator<Conflict, void> {
  const blocks = mergeBlocks(workflow.graph);
  const ways = waysOf(workflow);
  const busy = workflow.definition.nodes.flatMap(({ id }, index) => {
    if (among !== null && !among.has(id)) return [];
    const step = stepAt(workflow, index, options, blocks, ways);
    const isIdle = step.footprint.reads.length + step.footprint.writes.length === 0;
    return isIdle ? [] : [step];
  });
  for (const [i, left] of busy.entries()) {
    for (const right of busy.slice(i)) {
      const found = conflictOf(left, right, coMarking, blocks);
      if (found !== null) yield found;
    }
  }
}

/**
 * The conflict of two nodes, given by their index, the first not after the second; null where there is none. What is
 * found for a pair is what `parallelConflicts` finds for it (D16.8).
 */
export function conflictBetween(
  workflow: CompiledWorkflow,
  [left, right]: readonly [number, number],
  coMarking: CoMarking,
  options: FootprintOptions = {},
): Conflict | null {
  const blocks = mergeBlocks(workflow.graph);
  const ways = waysOf(workflow);
  const step = (index: number) => stepAt(workflow, index, options, blocks, ways);
  return conflictOf(step(left), step(right), coMarking, blocks);
}

/** A node, its footprint, and the ways in which it can be under way. */
interface Step {
  readonly id: NodeId;
  readonly index: number;
  readonly footprint: Footprint;
  readonly ways: readonly (readonly PlaceIndex[])[];
}

function stepAt(
  workflow: CompiledWorkflow,
  index: number,
  options: FootprintOptions,
  blocks: readonly MergeBlock[],
  ways: readonly (readonly (readonly PlaceIndex[])[])[],
): Step {
  const footprint = nodeFootprint(workflow, index, options, blocks);
  return { id: workflow.definition.nodes[index]!.id, index, footprint, ways: ways[index]! };
}

/** Most pairs are never under way together, and reading is no conflict. */
function conflictOf(
  left: Step,
  right: Step,
  coMarking: CoMarking,
  blocks: readonly MergeBlock[],
): Conflict | null {
  const together = bothWays(coMarking, left.ways, right.ways);
  if (together.length === 0) return null;
  const found = overlaps(left.footprint, right.footprint);
  if (found.length === 0) return null;
  const merged = mergedBetween(blocks, left.index, right.index);
  const real = found.filter((overlap) => !merged(overlap.left) || !merged(overlap.right));
  return real.length > 0 ? { nodes: [left.id, right.id], ways: together, overlaps: real } : null;
}

/**
 * Is a region merged at the end of a block in which the two nodes are in different branches? Its closer comes when no
 * node of the block is under way any more.
 */
function mergedBetween(
  blocks: readonly MergeBlock[],
  left: number,
  right: number,
): (region: Region) => boolean {
  const around = blocks.filter(({ closer, branches }) => {
    const isInside = (node: number) => branches.some(({ members }) => members.has(node));
    if (closer === left || closer === right) return isInside(closer === left ? right : left);
    const own = branches.findIndex(({ members }) => members.has(left));
    const other = branches.findIndex(({ members }) => members.has(right));
    return own !== -1 && other !== -1 && own !== other;
  });
  const isStaged = around.some((block) => block.isStaged);
  const merged = new Set<DataKey>(around.flatMap(({ merges }) => [...merges.keys()]));
  return (region) => {
    if (region.kind === "key") return merged.has(region.key);
    return region.kind !== "data" && isStaged;
  };
}

/**
 * The ways in which each node can be under way, each as the places that are marked then: its rest place; an input, or,
 * where it joins all, its inputs together.
 */
export function waysOf({
  definition,
  graph,
  net,
}: CompiledWorkflow): readonly (readonly (readonly PlaceIndex[])[])[] {
  const rests: PlaceIndex[][] = definition.nodes.map(() => []);
  const inputs: PlaceIndex[][] = definition.nodes.map(() => []);
  const entryAt = (scope: number | null) =>
    graph.nodeIndex.get(entryOf(graph, scope === null ? undefined : definition.nodes[scope]!.id)!)!;
  net.places.forEach(({ origin }, place) => {
    if (origin?.kind === "rest") rests[origin.node]!.push(place);
    if (origin?.kind === "arc") inputs[nodeAt(graph, origin.arc, "to")]!.push(place);
    if (origin?.kind === "source") inputs[entryAt(origin.scope)]!.push(place);
  });
  return definition.nodes.map(({ join }, index) => {
    const own = inputs[index]!;
    const entering = join === "all" && own.length > 0 ? [own] : own.map((place) => [place]);
    return [...entering, ...rests[index]!.map((place) => [place])];
  });
}

/** The pairs of ways whose places can all be marked together; two tokens where both need one on the same place. */
function bothWays(
  { areCoMarked }: CoMarking,
  left: readonly (readonly PlaceIndex[])[],
  right: readonly (readonly PlaceIndex[])[],
): readonly (readonly PlaceIndex[])[] {
  return left.flatMap((own) =>
    right
      .filter((other) => own.every((p) => other.every((q) => areCoMarked(p, q))))
      .map((other) => [...own, ...other]),
  );
}
