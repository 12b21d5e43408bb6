/** @module What a turn needs to know of a program besides its net: parsed guards, loops, meta of each node. */
import {
  arcOutcome,
  type BodyKind,
  type CompiledWorkflow,
  type Condition,
  type Issue,
  invariant,
  type Json,
  type NodeId,
  type PlaceIndex,
  type PlaceOrigin,
  type Program,
  parseCondition,
  type TransitionIndex,
  type WorkflowNode,
} from "@tessera/core";
import { blockMembers, entersLoop, FAIL, loopOf, type MergeBlock, mergeBlocks } from "@tessera/gateways";
import type { Around } from "./held.ts";

/** Guards by arc, bodies by node, pass keys of governed loops. Built once per program, immutable. */
export interface Plan {
  readonly program: Program;
  readonly nodes: readonly WorkflowNode[];
  readonly nodeIndex: ReadonlyMap<NodeId, number>;
  readonly bodies: readonly BodyKind[];
  /** Parsed guard of each arc, null where there is none. */
  readonly guards: readonly (Condition | null)[];
  readonly isDefault: readonly boolean[];
  /** Pass keys that the firing of a transition clears: it carries a token into a loop, or back to its body. */
  readonly clears: ReadonlyMap<TransitionIndex, readonly string[]>;
  /** Every pass key of the definition: verifiers alone write it. */
  readonly passKeys: ReadonlySet<string>;
  /** Keys that each node may write; null where undeclared. */
  readonly writes: readonly (ReadonlySet<string> | null)[];
  /** Keys that each node sees: what it reads and writes; null where it does not say what it reads. */
  readonly visible: readonly (ReadonlySet<string> | null)[];
  /** Branches of blocks that hold back around each node, outermost first. */
  readonly around: readonly (readonly Around[])[];
  /** The block that a node closes. */
  readonly closes: ReadonlyMap<number, MergeBlock>;
  /** The places that are marked while a block is under way, by the node that closes it. */
  readonly blockPlaces: ReadonlyMap<NodeId, readonly PlaceIndex[]>;
}

/** The plan of `program`. Guards of a stored definition parse: it was checked before it was stored. */
export function makePlan(program: Program): Plan {
  const { compiled } = program;
  if (compiled.kind === "net") {
    return {
      program,
      nodes: [],
      nodeIndex: new Map(),
      bodies: [],
      guards: [],
      isDefault: [],
      clears: new Map(),
      passKeys: new Set(),
      writes: [],
      visible: [],
      around: [],
      closes: new Map(),
      blockPlaces: new Map(),
    };
  }
  const { definition, graph, kinds } = compiled;
  const guards = definition.arcs.map((arc) => {
    if (arc.guard === undefined) return null;
    const parsed = parseCondition(arc.guard);
    invariant(parsed.ok, "D9.1", () => ({
      arc: `${arc.from}->${arc.to}`,
      issues: parsed.ok ? [] : parsed.issues.map((i: Issue) => i.message),
    }));
    return parsed.value;
  });
  const loops = definition.nodes.flatMap((node, index) => {
    const loop = loopOf(node);
    return loop === null ? [] : [{ node, index, loop, inside: blockMembers(graph, node, loop) }];
  });
  const clears = new Map<TransitionIndex, readonly string[]>();
  program.net.transitions.forEach((t, index) => {
    const origin = t.origin;
    if (origin === undefined) return;
    const keys = loops.filter(({ node, index: decision, inside }) => {
      const isFail = origin.node === decision && origin.phase === "step" && origin.outcome === FAIL;
      return isFail || entersLoop(graph, node, inside, origin);
    });
    if (keys.length > 0)
      clears.set(
        index,
        keys.map(({ loop }) => loop.passKey),
      );
  });
  return {
    program,
    nodes: definition.nodes,
    nodeIndex: graph.nodeIndex,
    bodies: definition.nodes.map((node, index) => kinds[index]?.body(node) ?? "route"),
    guards,
    isDefault: definition.arcs.map((arc) => arc.default === true),
    clears,
    passKeys: new Set(loops.map(({ loop }) => loop.passKey)),
    writes: definition.nodes.map(({ writes }) => (writes === undefined ? null : new Set(writes))),
    visible: definition.nodes.map(({ reads, writes = [] }) =>
      reads === undefined ? null : new Set([...reads, ...writes]),
    ),
    ...blockTables(program, compiled),
  };
}

function blockTables(
  { net }: Program,
  { definition, graph }: CompiledWorkflow,
): Pick<Plan, "around" | "closes" | "blockPlaces"> {
  const blocks = mergeBlocks(graph);
  const size = ({ branches }: MergeBlock) => branches.reduce((sum, { members }) => sum + members.size, 0);
  const outermost = [...blocks].sort((left, right) => size(right) - size(left));
  return {
    around: definition.nodes.map((_, node) =>
      outermost.flatMap((block) => {
        const branch = block.branches.find(({ members }) => members.has(node));
        return branch === undefined ? [] : [{ block, branch: branch.arc }];
      }),
    ),
    closes: new Map(blocks.map((block) => [block.closer, block])),
    blockPlaces: new Map(
      blocks.map((block) => {
        const isInside = (node: number) => block.branches.some(({ members }) => members.has(node));
        const places = net.places.flatMap(({ origin }, place) =>
          isPlaceOf(block, isInside, origin, definition, graph) ? [place] : [],
        );
        return [definition.nodes[block.closer]?.id ?? "", places];
      }),
    ),
  };
}

/** Is a token on the place one of the block: inside, on its way to the node that closes it, or settled before it? */
function isPlaceOf(
  block: MergeBlock,
  isInside: (node: number) => boolean,
  origin: PlaceOrigin | undefined,
  { arcs }: CompiledWorkflow["definition"],
  { nodeIndex }: CompiledWorkflow["graph"],
): boolean {
  if (origin === undefined) return false;
  switch (origin.kind) {
    case "source":
      return origin.scope !== null && isInside(origin.scope);
    case "arc": {
      const { from = "", to = "" } = arcs[origin.arc] ?? {};
      const [source, target] = [nodeIndex.get(from) ?? -1, nodeIndex.get(to) ?? -1];
      return isInside(target) || (isInside(source) && target === block.closer);
    }
    case "chain":
    case "skip":
      return isInside(origin.node) || origin.node === block.split || origin.node === block.closer;
    default:
      return isInside(origin.node);
  }
}

/** A text of a node's meta, undefined when absent or of another type. */
export function metaText(node: WorkflowNode, name: string): string | undefined {
  const value = metaValue(node, name);
  return typeof value === "string" ? value : undefined;
}

/** A list of texts of a node's meta. */
export function metaTexts(node: WorkflowNode, name: string): readonly string[] | undefined {
  const value = metaValue(node, name);
  return Array.isArray(value)
    ? value.filter((member): member is string => typeof member === "string")
    : undefined;
}

function metaValue(node: WorkflowNode, name: string): Json | undefined {
  return node.meta !== undefined && Object.hasOwn(node.meta, name) ? node.meta[name] : undefined;
}

/** Arc indices of `node` under `outcome`, document order. */
export function arcsOf(plan: Plan, node: number, outcome: string): readonly number[] {
  const { compiled } = plan.program;
  if (compiled.kind === "net") return [];
  return (compiled.graph.outgoing[node] ?? []).filter((arc) => {
    const definition = compiled.definition.arcs[arc];
    return definition !== undefined && arcOutcome(definition) === outcome;
  });
}
