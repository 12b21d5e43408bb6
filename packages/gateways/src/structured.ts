/** @module Structured OR blocks: the pairing of an OR split with its join. */
import { type Join, type Outcome, splitOf, type WorkflowGraph } from "@tessera/core";
import { arcsUnder, labelsOf, nodeAt } from "./arcs.ts";

/** The OR block of a split, or why there is none. `branchOf` maps each arc into the join to the arc out of the split whose branch it ends. */
export type OrBlock =
  | { readonly kind: "structured"; readonly join: number; readonly branchOf: ReadonlyMap<number, number> }
  | { readonly kind: "unstructured"; readonly reason: string; readonly node: number };

/**
 * The block of the OR split `split` under `outcome`: the OR join J such that the arcs of the outcome are the only way
 * into the region between, every way out of it enters J, J has no other input, branches share no node, every branch
 * can enter J, no end lies inside, and every AND or OR split inside closes there, so that a branch brings one token.
 * All arcs count, error arcs included, but for arcs to a terminate end: that empties the whole scope, block and all, so
 * it is neither inside nor a way out. `rule`: of AND blocks, their join's.
 * Cost: at the first question about a graph that of all its OR blocks, each linear in the block without the blocks
 * inside it; then constant.
 *
 * @definition D6.8
 */
export function structuredBlock(
  graph: WorkflowGraph,
  split: number,
  outcome: Outcome,
  rule: Join = "or",
): OrBlock {
  const { blocks, closes } = blocksOf(graph);
  if (rule !== "or") return findBlock({ graph, blocks, closes }, split, outcome, rule);
  const key = keyOf(split, outcome);
  const known = blocks.get(key) ?? findBlock({ graph, blocks, closes }, split, outcome);
  blocks.set(key, known);
  return known;
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

/** The outcomes under which `node` is an OR split of at least two arcs. */
export function orOutcomes(graph: WorkflowGraph, node: number): readonly Outcome[] {
  return splitOutcomes(graph, node, "or");
}

function splitOutcomes(graph: WorkflowGraph, node: number, kind: "all" | "or"): readonly Outcome[] {
  const definition = graph.definition.nodes[node];
  if (definition?.split === undefined) return [];
  return labelsOf(graph, node).filter(
    (outcome) => splitOf(definition, outcome) === kind && arcsUnder(graph, node, outcome).length > 1,
  );
}

type StructuredBlock = OrBlock & { readonly kind: "structured" };

/** What is known of the blocks of a graph: by split and outcome, and by the join that closes them. */
interface Blocks {
  readonly blocks: Map<string, OrBlock>;
  readonly closed: Map<number, StructuredBlock>;
  /** Does an AND split have the form of a block that an AND join closes? By split and outcome. */
  readonly closes: Map<string, boolean>;
  readonly ordered: { readonly split: number; readonly outcome: Outcome; readonly block: OrBlock }[];
}

/** A graph never changes and each of its blocks is asked for many times: what was found lives as long as the graph. */
const KNOWN: WeakMap<WorkflowGraph, Blocks> = new WeakMap();

function blocksOf(graph: WorkflowGraph): Blocks {
  const known = KNOWN.get(graph);
  if (known !== undefined) return known;
  const found: Blocks = { blocks: new Map(), closed: new Map(), closes: new Map(), ordered: [] };
  KNOWN.set(graph, found);
  for (const split of innermostFirst(graph)) {
    for (const outcome of orOutcomes(graph, split)) {
      const block = findBlock({ graph, blocks: found.blocks, closes: found.closes }, split, outcome);
      found.blocks.set(keyOf(split, outcome), block);
      found.ordered.push({ split, outcome, block });
      if (block.kind === "structured") found.closed.set(block.join, block);
    }
  }
  return found;
}

function keyOf(split: number, outcome: Outcome): string {
  return `${split} ${outcome}`;
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

/** A graph with the blocks that are known so far. A walk passes such a block in one step: it has one way in and one out. */
interface Searched {
  readonly graph: WorkflowGraph;
  readonly blocks: ReadonlyMap<string, OrBlock>;
  readonly closes: Map<string, boolean>;
}

/** The ways out of a node: arcs, and the joins of known blocks that the node opens, behind which a walk goes on. */
interface Onward {
  readonly arcs: readonly number[];
  readonly joins: readonly number[];
}

function onwardFrom({ graph, blocks }: Searched, node: number): Onward {
  const arcs = graph.outgoing[node]!;
  if (arcs.length < 2) return { arcs, joins: [] };
  const passed = labelsOf(graph, node).flatMap((outcome) => {
    const block = blocks.get(keyOf(node, outcome));
    return block?.kind === "structured" ? [{ outcome, join: block.join }] : [];
  });
  if (passed.length === 0) return { arcs, joins: [] };
  const inside = new Set(passed.flatMap(({ outcome }) => arcsUnder(graph, node, outcome)));
  return { arcs: arcs.filter((arc) => !inside.has(arc)), joins: passed.map(({ join }) => join) };
}

/** A block by its form, and the nodes of its branches but for what lies inside the blocks that were passed. */
interface Form {
  readonly block: OrBlock;
  readonly inside: Iterable<number>;
}

function findBlock(searched: Searched, split: number, outcome: Outcome, rule: Join = "or"): OrBlock {
  const { block, inside } = findForm(searched, split, outcome, rule);
  if (block.kind === "unstructured") return block;
  for (const node of inside)
    if (!closesInside(searched, node))
      return { kind: "unstructured", reason: "a branch may bring several tokens", node };
  return block;
}

/** Single entry and single exit for the arcs of `outcome`, whatever stands between. */
function findForm(searched: Searched, split: number, outcome: Outcome, kind: Join): Form {
  const { nodes } = searched.graph.definition;
  const arcs = arcsUnder(searched.graph, split, outcome);
  const meeting = meetingNodes(searched, split, arcs);
  const join = meeting.find((node) => nodes[node]?.join === kind);
  if (join !== undefined) return formBetween(searched, split, arcs, join);
  const [node = split] = meeting;
  const reason = node === split ? "its branches do not meet" : "its branches meet where no OR join is";
  return { block: { kind: "unstructured", reason, node }, inside: [] };
}

/** Is each OR split of the node that of a block, and does each AND split of it have the form of one? */
function closesInside(searched: Searched, node: number): boolean {
  const { graph, blocks, closes } = searched;
  const isBlock = (outcome: Outcome) =>
    (blocks.get(keyOf(node, outcome)) ?? findBlock(searched, node, outcome)).kind === "structured";
  const isClosed = (outcome: Outcome) => {
    const key = keyOf(node, outcome);
    const known = closes.get(key) ?? findForm(searched, node, outcome, "all").block.kind === "structured";
    closes.set(key, known);
    return known;
  };
  return splitOutcomes(graph, node, "or").every(isBlock) && splitOutcomes(graph, node, "all").every(isClosed);
}

/** One of the two walks: the nodes seen, and those to go on from. */
interface Side {
  readonly seen: Set<number>;
  /** Joins that were reached across their block. */
  readonly passed: Set<number>;
  readonly pending: number[];
  next: number;
}

/**
 * Where the first two branches meet: nodes that both reach without passing the split, none beyond the first. For a
 * structured block this is its join alone. Both walks go in step and stop when one has nowhere to go, unless they have
 * not met yet: a short branch has seen everything behind the join while a long one is still on its way to it. They also
 * stop where no way leads into what the one that is done has seen.
 */
function meetingNodes(searched: Searched, split: number, arcs: readonly number[]): readonly number[] {
  const { graph } = searched;
  const [left, right] = arcs.slice(0, 2).map(
    (arc): Side => ({
      seen: new Set(),
      passed: new Set(),
      pending: [nodeAt(graph, arc, "to")],
      next: 0,
    }),
  );
  if (left === undefined || right === undefined) return [];
  const met = new Set<number>();
  const isDone = (side: Side) => side.next >= side.pending.length;
  const isAlone = (side: Side, other: Side) => isDone(side) && !isDone(other) && isClosed(graph, split, side);
  let isChecked = false;
  while (!isDone(left) || !isDone(right)) {
    if (isDone(left) || isDone(right)) {
      if (met.size > 0) break;
      if (!isChecked && (isAlone(left, right) || isAlone(right, left))) break;
      isChecked = true;
    }
    stepOn(searched, split, left, right, met);
    stepOn(searched, split, right, left, met);
  }
  return [...met];
}

function stepOn(searched: Searched, split: number, own: Side, other: Side, met: Set<number>): void {
  const node = own.pending[own.next] ?? split;
  own.next += 1;
  if (node === split || own.seen.has(node) || isTerminateEnd(searched.graph, node)) return;
  own.seen.add(node);
  if (other.seen.has(node)) {
    met.add(node);
    return;
  }
  const { arcs, joins } = onwardFrom(searched, node);
  for (const arc of arcs) own.pending.push(nodeAt(searched.graph, arc, "to"));
  for (const join of joins) {
    own.passed.add(join);
    own.pending.push(join);
  }
}

/** Does no arc lead into what the walk has seen, but from there and from the split? */
function isClosed(graph: WorkflowGraph, split: number, { seen, passed }: Side): boolean {
  return [...seen].every(
    (node) =>
      passed.has(node) ||
      graph.incoming[node]!.every((arc) => {
        const from = nodeAt(graph, arc, "from");
        return from === split || seen.has(from);
      }),
  );
}

/** Is the node an end that empties its whole scope? */
export function isTerminateEnd(graph: WorkflowGraph, node: number): boolean {
  const end = graph.definition.nodes[node];
  return end?.kind === "end" && end.meta?.terminate === true;
}

function formBetween(searched: Searched, split: number, arcs: readonly number[], join: number): Form {
  const { graph } = searched;
  const owner = new Map<number, number>();
  const branchOf = new Map<number, number>();
  const passed = new Set<number>();
  const entered = new Set<number>();
  const no = (block: OrBlock): Form => ({ block, inside: [] });
  for (const arc of arcs) {
    const refusal = walkBranch(searched, { split, join, arc, owner, branchOf, passed, entered });
    if (refusal !== null) return no(refusal);
    if (!entered.has(arc))
      return no({ kind: "unstructured", reason: "a branch never reaches the join", node: split });
  }
  if (graph.incoming[join]!.some((arc) => !branchOf.has(arc)))
    return no({ kind: "unstructured", reason: "the join has an input from outside the block", node: join });
  const starts = new Set(arcs);
  const isInside = (arc: number) => owner.has(nodeAt(graph, arc, "from")) || starts.has(arc);
  for (const node of owner.keys()) {
    if (!passed.has(node) && graph.incoming[node]!.some((arc) => !isInside(arc)))
      return no({ kind: "unstructured", reason: "a node inside the block has an input from outside", node });
  }
  return { block: { kind: "structured", join, branchOf }, inside: owner.keys() };
}

interface Walk {
  readonly split: number;
  readonly join: number;
  readonly arc: number;
  /** Node to the arc of the split whose branch it belongs to; shared by all branches of a block. */
  readonly owner: Map<number, number>;
  /** Arc into the join to the arc of the split, filled by the walk. */
  readonly branchOf: Map<number, number>;
  /** Joins of blocks inside: all their inputs are inside, though no walk came along them. */
  readonly passed: Set<number>;
  /** The arcs of the split whose branches enter the join. */
  readonly entered: Set<number>;
}

/** Where a walk stands: at the end of an arc, or at the join of a block that it passed. */
interface Step {
  readonly target: number;
  readonly arc: number | null;
}

function walkBranch(searched: Searched, walk: Walk): OrBlock | null {
  const { graph } = searched;
  const { split, join, arc, owner, branchOf, passed, entered } = walk;
  const pending: Step[] = [{ target: nodeAt(graph, arc, "to"), arc }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { target } = next;
    const known = owner.get(target);
    if (target === join && next.arc !== null) {
      branchOf.set(next.arc, arc);
      entered.add(arc);
    }
    if (target === join || known === arc || isTerminateEnd(graph, target)) continue;
    const onward = onwardFrom(searched, target);
    const problem =
      target === split
        ? "a branch leads back to the split"
        : known !== undefined
          ? "two branches share a node"
          : onward.arcs.length + onward.joins.length === 0
            ? "a branch ends inside the block"
            : null;
    if (problem !== null) return { kind: "unstructured", reason: problem, node: target };
    owner.set(target, arc);
    if (next.arc === null) passed.add(target);
    for (const out of onward.arcs) pending.push({ target: nodeAt(graph, out, "to"), arc: out });
    for (const inner of onward.joins) pending.push({ target: inner, arc: null });
  }
  return null;
}
