/** @module Structured OR blocks: the pairing of an OR split with its join. */
import { type Join, type Outcome, splitOf, type WorkflowGraph } from "@tessera/core";
import { nodeAt } from "./arcs.ts";
import { type Fork, forksOf, isTerminateEnd, type Region, regionsOf } from "./block-regions.ts";
import { type Guide, meetingOf, type Passage, type Walked, walkBranches } from "./block-walk.ts";

export { isTerminateEnd };

/** The OR block of a split, or why there is none. `branchOf` maps each arc into the join to the arc out of the split whose branch it ends. */
export type OrBlock =
  | { readonly kind: "structured"; readonly join: number; readonly branchOf: ReadonlyMap<number, number> }
  | { readonly kind: "unstructured"; readonly reason: string; readonly node: number };

type StructuredBlock = OrBlock & { readonly kind: "structured" };

/**
 * The block of the OR split `split` under `outcome`: the OR join J such that the arcs of the outcome are the only way
 * into the region between, every way out of it enters J, J has no other input, branches share no node, every branch
 * can enter J, no end lies inside, and every AND or OR split inside closes there, so that a branch brings one token.
 * All arcs count, error arcs included, but for arcs to a terminate end: that empties the whole scope, block and all, so
 * it is neither inside nor a way out. `rule`: of AND blocks, their join's.
 * Cost: at the first question about a graph linear in the graph, but for sorting; then constant. Where a part of the
 * graph has no end and no way to one, or no way from a start, a split that leads to it alone costs a walk of its own.
 *
 * @definition D6.8
 */
export function structuredBlock(
  graph: WorkflowGraph,
  split: number,
  outcome: Outcome,
  rule: Join = "or",
): OrBlock {
  const known = blocksOf(graph);
  const index = known.forksAt(split).find((own) => known.forks[own]!.outcome === outcome);
  if (index === undefined) return { kind: "unstructured", reason: "its branches do not meet", node: split };
  return blockAt(known, index, rule);
}

/**
 * The join, of the sort of `rule`, at which the arcs of `outcome` are a single entry and single exit, whatever kind of
 * split they leave and whatever happens between: D6.8 without its last condition. Null if there is none. Cost: as
 * `structuredBlock`.
 */
export function blockJoin(
  graph: WorkflowGraph,
  split: number,
  outcome: Outcome,
  rule: Join = "or",
): number | null {
  const known = blocksOf(graph);
  const index = known.forksAt(split).find((own) => known.forks[own]!.outcome === outcome);
  return index === undefined ? null : (formOf(known, index, rule)?.exit ?? null);
}

/** The block that `join` closes, if any; no two blocks have the same join. Cost: as `structuredBlock`. */
export function blockClosedBy(graph: WorkflowGraph, join: number): StructuredBlock | null {
  return blocksOf(graph).closed.get(join) ?? null;
}

/** The blocks of all OR splits, structured or not; a block inside another comes first. Cost: as `structuredBlock`. */
export function orBlocks(
  graph: WorkflowGraph,
): readonly { readonly split: number; readonly outcome: Outcome; readonly block: OrBlock }[] {
  return blocksOf(graph).ordered;
}

/** What is known of the forks of a graph, and of the blocks of those that are OR splits. */
interface Blocks {
  readonly graph: WorkflowGraph;
  readonly forks: readonly Fork[];
  readonly regions: readonly Region[];
  /** The forks of a node. */
  readonly forksAt: (node: number) => readonly number[];
  /** The branches of forks whose region is closed. */
  readonly walked: Map<number, Walked>;
  /** The others that were searched for, by fork and rule. */
  readonly searched: Map<string, Candidate | null>;
  /** Of branches that were walked, a node whose split may leave several tokens there. */
  readonly open: Map<Walked, number | null>;
  readonly closed: Map<number, StructuredBlock>;
  readonly ordered: { readonly split: number; readonly outcome: Outcome; readonly block: OrBlock }[];
}

/** A node that may close the block of a fork, and the branches up to there. */
interface Candidate {
  readonly exit: number;
  readonly walked: Walked;
}

/** A graph never changes and each of its blocks is asked for many times: what was found lives as long as the graph. */
const KNOWN: WeakMap<WorkflowGraph, Blocks> = new WeakMap();

function blocksOf(graph: WorkflowGraph): Blocks {
  const known = KNOWN.get(graph);
  if (known !== undefined) return known;
  const forks = forksOf(graph);
  const byNode = new Map<number, number[]>();
  forks.forEach(({ split }, index) => {
    const own = byNode.get(split);
    if (own === undefined) byNode.set(split, [index]);
    else own.push(index);
  });
  const blocks: Blocks = {
    graph,
    forks,
    regions: regionsOf(graph, forks),
    forksAt: (node) => byNode.get(node) ?? [],
    walked: new Map(),
    searched: new Map(),
    open: new Map(),
    closed: new Map(),
    ordered: [],
  };
  walkRegions(blocks);
  KNOWN.set(graph, blocks);
  if (!forks.some((_, index) => kindOf(blocks, index) === "or")) return blocks;
  for (const split of innermostFirst(graph)) {
    for (const index of blocks.forksAt(split)) {
      if (kindOf(blocks, index) !== "or") continue;
      const block = blockAt(blocks, index, "or");
      blocks.ordered.push({ split, outcome: forks[index]!.outcome, block });
      if (block.kind === "structured") blocks.closed.set(block.join, block);
    }
  }
  return blocks;
}

function kindOf({ graph, forks }: Blocks, index: number): "first" | "all" | "or" {
  const { split, outcome } = forks[index]!;
  return splitOf(graph.definition.nodes[split]!, outcome);
}

/** Walks the closed regions, those inside others first. */
function walkRegions(blocks: Blocks): void {
  const closed = blocks.regions.flatMap((region, index) =>
    region.kind === "closed" ? [{ ...region, index }] : [],
  );
  const guide = guideOf(blocks);
  for (const { index, exit } of closed.sort((a, b) => a.size - b.size)) {
    const walked = walkBranches(guide, blocks.forks[index]!, exit);
    blocks.walked.set(index, walked);
    openIn(blocks, walked);
  }
}

function guideOf({ graph, forks, forksAt, regions, walked }: Blocks): Guide {
  const passageOf = (index: number): readonly Passage[] => {
    const [region, own] = [regions[index]!, walked.get(index)];
    return region.kind === "closed" && own !== undefined
      ? [{ fork: forks[index]!, exit: region.exit, walked: own }]
      : [];
  };
  return { graph, passagesAt: (node) => forksAt(node).flatMap(passageOf) };
}

/** A node in the branches whose split may leave several tokens there; null if there is none. */
function openIn(blocks: Blocks, walked: Walked): number | null {
  const known = blocks.open.get(walked);
  if (known !== undefined) return known;
  const isOpen = (index: number) => {
    const kind = kindOf(blocks, index);
    return kind !== "first" && formOf(blocks, index, kind) === null;
  };
  const own = walked.inside.find((node) => blocks.forksAt(node).some(isOpen));
  const inner = walked.passages.map((passage) => blocks.open.get(passage.walked) ?? null);
  const found = own ?? inner.find((node) => node !== null) ?? null;
  blocks.open.set(walked, found);
  return found;
}

/** The node that may close the block of a fork, of the sort of `rule`; null if there is none. */
function candidateOf(blocks: Blocks, index: number, rule: Join): Candidate | null {
  const region = blocks.regions[index]!;
  const fork = blocks.forks[index]!;
  if (region.kind === "open") return null;
  if (region.kind === "closed") {
    const walked = blocks.walked.get(index);
    return walked === undefined ? null : { exit: region.exit, walked };
  }
  const key = `${index} ${rule}`;
  const known = blocks.searched.get(key);
  if (known !== undefined) return known;
  const exit = meetingOf(blocks.graph, fork, rule);
  // Nothing is passed: on a ring without a way in, what begins inside may reach round to the split itself.
  const guide: Guide = { graph: blocks.graph, passagesAt: () => [] };
  const found = exit === undefined ? null : { exit, walked: walkBranches(guide, fork, exit) };
  blocks.searched.set(key, found);
  return found;
}

/** Single entry and single exit with a join of the sort, whatever stands between; null if the fork has no such block. */
function formOf(blocks: Blocks, index: number, rule: Join): Candidate | null {
  const found = candidateOf(blocks, index, rule);
  const isForm = found !== null && found.walked.problem === null && joinAt(blocks, found.exit) === rule;
  return isForm ? found : null;
}

function joinAt({ graph }: Blocks, node: number): Join | undefined {
  return graph.definition.nodes[node]?.join;
}

function blockAt(blocks: Blocks, index: number, rule: Join): OrBlock {
  const { split } = blocks.forks[index]!;
  const found = candidateOf(blocks, index, rule);
  const no = (reason: string, node: number): OrBlock => ({ kind: "unstructured", reason, node });
  if (found === null) return no("no join closes its branches and nothing else", split);
  const { exit, walked } = found;
  if (joinAt(blocks, exit) !== rule) return no("its branches meet where no OR join is", exit);
  if (walked.problem !== null) return no(walked.problem.reason, walked.problem.node);
  const open = openIn(blocks, walked);
  if (open !== null) return no("a branch may bring several tokens", open);
  return { kind: "structured", join: exit, branchOf: walked.branchOf };
}

/**
 * All nodes, each behind those that can be reached through it alone: the order in which a walk in depth leaves them. What
 * lies inside a block comes before its split, and its join before what lies inside. Cost: linear.
 */
export function innermostFirst(graph: WorkflowGraph): readonly number[] {
  const { nodes } = graph.definition;
  const indices = nodes.map((_, node) => node);
  const starts = indices.filter((node) => graph.incoming[node]!.length === 0);
  const entry = graph.nodeIndex.get(graph.definition.entry);
  const left: number[] = [];
  const isSeen = nodes.map(() => false);
  const path: { readonly node: number; next: number }[] = [];
  const visit = (node: number) => {
    if (isSeen[node]) return;
    isSeen[node] = true;
    path.push({ node, next: 0 });
  };
  for (const start of [...(entry === undefined ? [] : [entry]), ...starts, ...indices]) {
    visit(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const arc = graph.outgoing[top.node]![top.next];
      top.next += 1;
      if (arc !== undefined) visit(nodeAt(graph, arc, "to"));
      else {
        left.push(top.node);
        path.pop();
      }
    }
  }
  return left;
}
