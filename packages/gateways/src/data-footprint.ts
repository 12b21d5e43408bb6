/** @module Footprints of nodes in D: the keys that bodies, guards, decisions and templates read and write. */
import {
  type Arc,
  type CompiledWorkflow,
  type DataKey,
  keysRead,
  parseCondition,
  templateKeys,
  type WorkflowNode,
} from "@tessera/core";
import { type Footprint, regionsOfData as keys, type Region } from "./footprint.ts";
import { metaOf } from "./kinds/kind.ts";
import { loopOf } from "./loop.ts";

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
  const node = definition.nodes[index]!;
  const arcs = graph.outgoing[index]!.map((arc) => definition.arcs[arc]!);
  const guards: Region[] = arcs.flatMap(guardReads);
  guards.push(...keys(claimKeys(node)));
  const passKey = loopOf(node)?.passKey;
  if (passKey !== undefined) return { reads: [...guards, ...keys([passKey])], writes: keys([passKey]) };
  const read = metaOf(node, "key");
  const own = typeof read === "string" ? keys([read]) : [];
  switch (kinds[index]!.body(node)) {
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

/** The keys of D that the claims of a node name in their templates. */
export function claimKeys({ graph }: WorkflowNode): readonly DataKey[] {
  const templates = [...(graph?.reads?.objects ?? []), ...(graph?.writes?.objects ?? [])];
  return [...new Set(templates.flatMap(templateKeys))];
}

function bodyFootprint(node: WorkflowNode, guards: readonly Region[]): Footprint {
  const passKey = node.kind === "verifier" ? metaOf(node, "passKey") : undefined;
  const reads = node.reads === undefined ? ALL_DATA : keys(node.reads);
  if (typeof passKey === "string") return { reads: [...guards, ...reads], writes: keys([passKey]) };
  return { reads: [...guards, ...reads], writes: node.writes === undefined ? ALL_DATA : keys(node.writes) };
}

function guardReads({ guard }: Arc): readonly Region[] {
  if (guard === undefined) return [];
  const condition = parseCondition(guard);
  if (!condition.ok) return ALL_DATA;
  const read = keysRead(condition.value);
  return read.isComplete ? keys(read.keys) : ALL_DATA;
}
