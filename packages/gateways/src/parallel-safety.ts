/** @module Parallel safety: which nodes can be under way together, and where their footprints meet. */
import {
  type Arc,
  type CompiledWorkflow,
  keysRead,
  type NodeId,
  type PlaceIndex,
  parseCondition,
  type WorkflowNode,
} from "@tessera/core";
import type { CoMarking } from "./co-marking.ts";
import { type Footprint, type Overlap, overlaps, type Region } from "./footprint.ts";
import { metaOf } from "./kinds/kind.ts";
import { loopOf } from "./loop.ts";

/** Two nodes that can be under way together and meet: where their tokens are then, and in which regions. */
export interface Conflict {
  readonly nodes: readonly [NodeId, NodeId];
  readonly places: readonly [PlaceIndex, PlaceIndex];
  readonly overlaps: readonly Overlap[];
}

/** Footprint of the node at an index. */
export type FootprintOf = (workflow: CompiledWorkflow, index: number) => Footprint;

const ALL_DATA: readonly Region[] = [{ kind: "data" }];

/**
 * What the node at `index` reads and writes of D. It reads what the guards of its arcs read. A node with a body reads
 * and writes what it declares, and everything where it declares nothing; a verifier writes its passKey only, a
 * decision by key reads the key, the decision of a loop reads its passKey and clears it. Nodes without a body write
 * nothing. A guard that is opaque reads everything.
 *
 * @definition D16.7
 */
export function dataFootprint(workflow: CompiledWorkflow, index: number): Footprint {
  const { definition, graph, kinds } = workflow;
  const node = definition.nodes[index];
  const arcs = (graph.outgoing[index] ?? []).flatMap((arc) => definition.arcs[arc] ?? []);
  const guards = arcs.flatMap(guardReads);
  if (node === undefined) return { reads: guards, writes: [] };
  const passKey = loopOf(node)?.passKey;
  if (passKey !== undefined) return { reads: [...guards, ...keys([passKey])], writes: keys([passKey]) };
  const read = metaOf(node, "key");
  const own = typeof read === "string" ? keys([read]) : [];
  switch (kinds[index]?.body(node)) {
    case "inline":
    case "job":
    case "work-item":
    case "external":
    case "child":
      return node.kind === "decision"
        ? { reads: [...guards, ...own], writes: [] }
        : bodyFootprint(node, guards);
    default:
      return { reads: [...guards, ...own], writes: [] };
  }
}

/**
 * The pairs of nodes that can be under way together and whose footprints meet. A node is under way while a place of
 * its own is marked: an input of it or its rest place, since a resting job meets an inline node that fires meanwhile.
 * A node meets itself where two tokens of it can be there. Empty: every pair that can be is disjoint, as far as the
 * footprints are true. Cost: the pairs of places.
 *
 * @definition D16.8
 */
export function parallelConflicts(
  workflow: CompiledWorkflow,
  coMarking: CoMarking,
  footprintOf: FootprintOf = dataFootprint,
): readonly Conflict[] {
  const { definition } = workflow;
  const owned = ownerPlaces(workflow);
  const footprints = definition.nodes.map((_, index) => footprintOf(workflow, index));
  return definition.nodes.flatMap((left, i) =>
    definition.nodes.slice(i).flatMap((right, offset): Conflict[] => {
      const [own, other] = [footprints[i], footprints[i + offset]];
      const found = own === undefined || other === undefined ? [] : overlaps(own, other);
      if (found.length === 0) return [];
      const places = together(coMarking, owned[i] ?? [], owned[i + offset] ?? []);
      return places === null ? [] : [{ nodes: [left.id, right.id], places, overlaps: found }];
    }),
  );
}

/** The places whose tokens belong to each node: its inputs and its rest place. */
export function ownerPlaces({
  definition,
  graph,
  net,
}: CompiledWorkflow): readonly (readonly PlaceIndex[])[] {
  const owned: PlaceIndex[][] = definition.nodes.map(() => []);
  const entryOf = (scope: number | null) =>
    graph.nodeIndex.get(scope === null ? definition.entry : String(definition.nodes[scope]?.meta?.entry)) ??
    -1;
  net.places.forEach(({ origin }, place) => {
    if (origin?.kind === "rest") owned[origin.node]?.push(place);
    if (origin?.kind === "arc") owned[targetOf(graph.nodeIndex, definition.arcs[origin.arc])]?.push(place);
    if (origin?.kind === "source") owned[entryOf(origin.scope)]?.push(place);
  });
  return owned;
}

function targetOf(nodeIndex: ReadonlyMap<NodeId, number>, arc: Arc | undefined): number {
  return nodeIndex.get(arc?.to ?? "") ?? -1;
}

function together(
  { areCoMarked }: CoMarking,
  left: readonly PlaceIndex[],
  right: readonly PlaceIndex[],
): readonly [PlaceIndex, PlaceIndex] | null {
  for (const p of left) for (const q of right) if (areCoMarked(p, q)) return [p, q];
  return null;
}

function bodyFootprint(node: WorkflowNode, guards: readonly Region[]): Footprint {
  const passKey = node.kind === "verifier" ? metaOf(node, "passKey") : undefined;
  const reads = node.reads === undefined ? ALL_DATA : keys(node.reads);
  if (typeof passKey === "string") return { reads: [...guards, ...reads], writes: keys([passKey]) };
  return { reads: [...guards, ...reads], writes: node.writes === undefined ? ALL_DATA : keys(node.writes) };
}

function keys(names: readonly string[]): readonly Region[] {
  return names.map((key): Region => ({ kind: "key", key }));
}

function guardReads({ guard }: Arc): readonly Region[] {
  if (guard === undefined) return [];
  const condition = parseCondition(guard);
  if (!condition.ok) return ALL_DATA;
  const read = keysRead(condition.value);
  return read.isComplete ? keys(read.keys) : ALL_DATA;
}
