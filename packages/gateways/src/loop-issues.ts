/** @module What can be wrong with a governed loop as it stands in a definition. */
import {
  arcOutcome,
  entryOf,
  type Issue,
  issue,
  nodeOf,
  type Outcome,
  splitOf,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { arcsUnder, labelsOf } from "./arcs.ts";
import { EXHAUSTED, FAIL, type GovernedLoop, LOOP_BUDGET_MAX, loopOf, PASS } from "./loop.ts";
import { blockMembers, crosses } from "./loop-block.ts";
import { structuredBlock } from "./structured.ts";

/**
 * What is wrong with the loop of `node`: its fields, its block (single entry by a merging head that is not the decision, pass and exhausted
 * leave it, fail stays inside, no end inside, no AND or OR split with branches on both sides of the border, nested in
 * or disjoint with every other loop). All problems at once.
 *
 * @definition D7.2
 */
export function loopIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  if (node.meta?.loop === undefined) return [];
  const loop = hasFlag(node) ? loopOf(node) : null;
  if (loop === null) {
    const needs =
      "id, budget, passKey, proves, body (a list of node ids), and stage as true or false if at all";
    return [issue("LOOP001", LOOP_PATH, `loop of "${node.id}" needs ${needs}`)];
  }
  const found = [...budgetIssues(loop), ...bodyIssues(node, loop, graph)];
  if (found.length > 0) return found;
  const inside = blockMembers(graph, node, loop);
  return [
    ...decisionArcIssues(node, graph, inside),
    ...headIssues(node, graph, inside),
    ...borderSplitIssues(node, graph, inside),
    ...nestingIssues(node, loop, graph),
  ];
}

/** `stage` is true, false, or not there. */
function hasFlag({ meta }: WorkflowNode): boolean {
  const { stage } = (meta?.loop ?? {}) as { readonly stage?: unknown };
  return stage === undefined || typeof stage === "boolean";
}

const LOOP_PATH = ["meta", "loop"] as const;
const BODY_PATH = [...LOOP_PATH, "body"] as const;

function budgetIssues({ budget }: GovernedLoop): readonly Issue[] {
  if (Number.isInteger(budget) && budget >= 0 && budget <= LOOP_BUDGET_MAX) return [];
  const message = `budget ${budget} is not an integer from 0 to ${LOOP_BUDGET_MAX}`;
  return [issue("LOOP002", [...LOOP_PATH, "budget"], message)];
}

function bodyIssues(node: WorkflowNode, loop: GovernedLoop, graph: WorkflowGraph): readonly Issue[] {
  return loop.body.flatMap((id, index) => {
    const path = [...BODY_PATH, index];
    const member = nodeOf(graph, id);
    if (member === undefined) return [issue("LOOP003", path, `"${id}" is not a node`)];
    if (member.scope !== node.scope) {
      return [issue("LOOP003", path, `"${id}" lies in another scope than "${node.id}"`)];
    }
    return member.kind === "end" ? [issue("LOOP004", path, `end "${id}" lies inside the loop`)] : [];
  });
}

function decisionArcIssues(
  node: WorkflowNode,
  graph: WorkflowGraph,
  inside: ReadonlySet<number>,
): readonly Issue[] {
  return graph.definition.arcs.flatMap((arc, index) => {
    const outcome = arcOutcome(arc);
    if (arc.from !== node.id || (outcome !== FAIL && outcome !== PASS && outcome !== EXHAUSTED)) return [];
    const isOut = crosses(graph, inside, index) === "out";
    if (isOut === (outcome !== FAIL)) return [];
    const where = isOut ? "leaves the block" : "stays inside the block";
    return [issue("LOOP005", LOOP_PATH, `the ${outcome} arc of "${node.id}" to "${arc.to}" ${where}`)];
  });
}

function headIssues(node: WorkflowNode, graph: WorkflowGraph, inside: ReadonlySet<number>): readonly Issue[] {
  const entering = graph.definition.arcs.filter((_, arc) => crosses(graph, inside, arc) === "in");
  const heads = new Set(entering.map((arc) => arc.to));
  const entry = entryOf(graph, node.scope) ?? "";
  if (inside.has(graph.nodeIndex.get(entry) ?? -1)) heads.add(entry);
  const problem = (message: string) => issue("LOOP006", BODY_PATH, message, { heads: [...heads] });
  const found: Issue[] = [];
  if (heads.size !== 1) found.push(problem(`the block has ${heads.size} entry nodes; it needs one`));
  if (heads.has(node.id)) found.push(problem(`"${node.id}" decides before any body has run`));
  for (const head of heads) {
    const isMerge = (nodeOf(graph, head)!.join ?? "any") === "any";
    if (!isMerge) found.push(problem(`the block's entry "${head}" must merge (join "any")`));
  }
  return found;
}

/** A split of the block whose branches lie on both sides: one token would drain the counters that another needs. */
function borderSplitIssues(
  node: WorkflowNode,
  graph: WorkflowGraph,
  inside: ReadonlySet<number>,
): readonly Issue[] {
  return [...inside].flatMap((index) => {
    const split = graph.definition.nodes[index];
    if (split === undefined) return [];
    return labelsOf(graph, index).flatMap((outcome) => {
      const kind = splitOf(split, outcome);
      if (kind === "first" || !straddles(graph, inside, index, outcome, kind === "or")) return [];
      const message = `the split of "${split.id}" under "${outcome}" has branches inside and outside the loop of "${node.id}"`;
      return [issue("LOOP008", BODY_PATH, message, { split: split.id, outcome })];
    });
  });
}

function straddles(
  graph: WorkflowGraph,
  inside: ReadonlySet<number>,
  split: number,
  outcome: Outcome,
  isOr: boolean,
): boolean {
  const arcs = arcsUnder(graph, split, outcome);
  const outCount = arcs.filter((arc) => crosses(graph, inside, arc) === "out").length;
  if (outCount > 0) return outCount < arcs.length;
  if (!isOr) return false;
  const block = structuredBlock(graph, split, outcome);
  return block.kind === "structured" && !inside.has(block.join);
}

/** Reported once for a pair, at the decision that comes later in the document. */
function nestingIssues(node: WorkflowNode, loop: GovernedLoop, graph: WorkflowGraph): readonly Issue[] {
  const own = new Set([node.id, ...loop.body]);
  const earlier = graph.definition.nodes.slice(0, graph.nodeIndex.get(node.id));
  return earlier.flatMap((other) => {
    const otherLoop = loopOf(other);
    if (otherLoop === null) return [];
    const theirs = new Set([other.id, ...otherLoop.body]);
    const shared = [...theirs].filter((id) => own.has(id)).length;
    const isDisjoint = shared === 0;
    const isProper = theirs.size !== own.size && shared === Math.min(theirs.size, own.size);
    if (isDisjoint || isProper) return [];
    const message = `loops "${loop.id}" and "${otherLoop.id}" overlap without nesting`;
    return [issue("LOOP007", BODY_PATH, message)];
  });
}
