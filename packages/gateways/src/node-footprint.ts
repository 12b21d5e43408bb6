/** @module Footprints of nodes as definitions declare them: D (keys) and G (objects), with the scopes of constraints. */
import {
  type CompiledWorkflow,
  type ConstraintScope,
  type ObjectsClaim,
  unreachable,
  type WorkflowNode,
  type WritesClaim,
} from "@tessera/core";
import { dataFootprint } from "./data-footprint.ts";
import { eventsOf } from "./events.ts";
import { type Footprint, type Region, regionsOfData } from "./footprint.ts";
import { metaOf } from "./kinds/kind.ts";
import { type MergeBlock, mergeBlocks } from "./merge-block.ts";

/** What the analysis is told besides the definition. */
export interface FootprintOptions {
  /** The constraints of I by name. One that the definition names and that is not here counts as reading all of G. */
  readonly constraints?: readonly { readonly name: string; readonly scope: ConstraintScope }[];
  /** What called workflows do with G, by name; one that is not here does everything. */
  readonly children?: ReadonlyMap<string, Footprint>;
}

const ALL: readonly Region[] = [{ kind: "graph" }];
const ALL_OF_GRAPH: Footprint = { reads: ALL, writes: ALL };
const NOTHING: Footprint = { reads: [], writes: [] };

/**
 * dom*(n) for D and G: what the node does by D16.7 and D16.11; and at a node that closes a staged block, or one that
 * merges keys, also what its branches do with G, and the keys.
 *
 * @definition D16.12
 */
export function nodeFootprint(
  workflow: CompiledWorkflow,
  index: number,
  options: FootprintOptions = {},
  blocks: readonly MergeBlock[] = mergeBlocks(workflow.graph),
): Footprint {
  const own = [dataFootprint(workflow, index), graphFootprint(workflow, index, options)];
  const closed = blocks.filter(({ closer }) => closer === index);
  for (const { isStaged, merges, branches } of closed) {
    const keys = regionsOfData([...merges.keys()]);
    own.push({ reads: keys, writes: keys });
    const inside = isStaged ? branches.flatMap(({ members }) => [...members]) : [];
    for (const member of inside) if (member !== index) own.push(graphFootprint(workflow, member, options));
  }
  return unionOf(own);
}

/**
 * What the node does with G. A function in the turn and a job do what they claim, and everything where they claim
 * nothing; a verifier writes nothing; a called workflow, and the handler of an event, does what its own nodes do; nobody else does anything. A node that writes also reads and writes the scope of each constraint that a write of its kind can touch: a
 * relation unless it writes payloads only; types if it may write an object of one of them; all of G; and it reads all
 * of G for a constraint that looks along links. Keys in templates are read (D16.7).
 *
 * @definition D16.11
 */
export function graphFootprint(
  { definition, kinds }: CompiledWorkflow,
  index: number,
  options: FootprintOptions = {},
): Footprint {
  const node = definition.nodes[index];
  if (node === undefined) return NOTHING;
  const ofChild = (name: string) => options.children?.get(name) ?? ALL_OF_GRAPH;
  const handlers = eventsOf(node).flatMap(({ handler }) => (handler === null ? [] : [handler.workflow]));
  const beside = unionOf(handlers.map(ofChild));
  switch (kinds[index]?.body(node)) {
    case "inline":
      return node.kind === "decision" ? NOTHING : claimed(node, definition.constraints ?? [], options);
    case "job":
      return unionOf([claimed(node, definition.constraints ?? [], options), beside]);
    case "child":
      return unionOf([ofChild(String(metaOf(node, "workflow"))), beside]);
    default:
      return beside;
  }
}

/** What a workflow does with G: the union over its nodes. A caller's proof takes it. */
export function workflowFootprint(workflow: CompiledWorkflow, options: FootprintOptions = {}): Footprint {
  return unionOf(workflow.definition.nodes.map((_, index) => graphFootprint(workflow, index, options)));
}

function claimed(node: WorkflowNode, named: readonly string[], options: FootprintOptions): Footprint {
  const { graph = {} } = node;
  const writesClaim = node.kind === "verifier" ? {} : graph.writes;
  const writes = writesClaim === undefined ? ALL : regionsOf(writesClaim);
  const reads = graph.reads === undefined ? ALL : regionsOf(graph.reads);
  if (writes.length === 0) return { reads, writes };
  const known = options.constraints ?? [];
  const unknown = named.filter((name) => !known.some((constraint) => constraint.name === name));
  const scopes: readonly ConstraintScope[] = [
    ...known.map(({ scope }) => scope),
    ...unknown.map((): ConstraintScope => ({ kind: "graph" })),
  ];
  return unionOf([{ reads, writes }, ...scopes.map((scope) => touched(scope, writesClaim ?? {}, writes))]);
}

function regionsOf({ objects = [], types = [] }: ObjectsClaim): readonly Region[] {
  return [
    ...objects.map((id): Region => ({ kind: "object", id })),
    ...types.map((type): Region => ({ kind: "type", type })),
  ];
}

/** What a constraint of `scope` adds to a node that writes `writes`. */
function touched(scope: ConstraintScope, claim: WritesClaim, writes: readonly Region[]): Footprint {
  switch (scope.kind) {
    case "object":
      return NOTHING;
    case "links":
      return { reads: ALL, writes: [] };
    case "relation": {
      const relation: Region = { kind: "relation", ...(scope.rel === undefined ? {} : { rel: scope.rel }) };
      return claim.payloadOnly === true ? NOTHING : { reads: [], writes: [relation] };
    }
    case "types": {
      const isTouched = writes.some((region) => region.kind !== "type" || scope.types.includes(region.type));
      const types = scope.types.map((type): Region => ({ kind: "type", type }));
      return isTouched ? { reads: [], writes: types } : NOTHING;
    }
    case "graph":
      return ALL_OF_GRAPH;
    default:
      return unreachable(scope);
  }
}

function unionOf(footprints: readonly Footprint[]): Footprint {
  return {
    reads: distinct(footprints.flatMap(({ reads }) => reads)),
    writes: distinct(footprints.flatMap(({ writes }) => writes)),
  };
}

function distinct(regions: readonly Region[]): readonly Region[] {
  return [...new Map(regions.map((region) => [JSON.stringify(region), region])).values()];
}
