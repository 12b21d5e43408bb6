/** @module From a definition to its net: arcs become places, each kind adds its fragment, loops add their counters. */
import { type DraftNet, draftNet, fragmentBuilder, netOf, rewriteBuilder } from "./draft-net.ts";
import { graphIssues, indexGraph } from "./graph.ts";
import { invariant } from "./invariant.ts";
import type { Issue } from "./issue.ts";
import type { KindSpec, KindTable, WorkflowGraph } from "./kinds.ts";
import type { Net } from "./net.ts";
import { type CompiledNetDefinition, compileNetDefinition } from "./net-definition.ts";
import { bad, ok, type Result } from "./result.ts";
import type { Definition, WorkflowDefinition } from "./workflow.ts";

/** A workflow with its graph, the kind of each node and its net. */
export interface CompiledWorkflow {
  readonly kind: "workflow";
  readonly definition: WorkflowDefinition;
  readonly graph: WorkflowGraph;
  /** Kind of each node, by node index. */
  readonly kinds: readonly KindSpec[];
  readonly net: Net;
}

/** What a definition compiles to. */
export type Compiled = CompiledWorkflow | CompiledNetDefinition;

/** Compiles either form of definition. Errors: every issue of the graph, at once. */
export function compile(definition: Definition, kinds: KindTable): Result<Compiled, readonly Issue[]> {
  return definition.kind === "net" ? compileNetDefinition(definition) : compileWorkflow(definition, kinds);
}

/**
 * The net of a workflow: one place per arc, a source place per scope with its entry, an end place per end node,
 * and for each node in document order the fragment of its kind; then the rewrites of governed loops in document
 * order of their decisions; then reset sets. Deterministic: the same definition gives the same net, index by index.
 * Errors: the issues of the graph. Cost: linear in the net that comes out.
 *
 * @definition D2.3
 */
export function compileWorkflow(
  definition: WorkflowDefinition,
  kinds: KindTable,
): Result<CompiledWorkflow, readonly Issue[]> {
  const graph = indexGraph(definition);
  const issues = graphIssues(graph, kinds).filter((found) => found.severity !== "warning");
  if (issues.length > 0) return bad(issues);
  const kindOf = definition.nodes.map((node) => {
    const kind = kinds.get(node.kind);
    invariant(kind !== undefined, "D2.3", () => ({ node: node.id, kind: node.kind }));
    return kind;
  });
  const draft = draftNet(graph, kindOf);
  definition.nodes.forEach((node, index) => {
    kindOf[index]?.fragment(fragmentBuilder(draft, node, index));
  });
  rewriteBlocks(draft);
  return ok({ kind: "workflow", definition, graph, kinds: kindOf, net: netOf(draft) });
}

/** Rewrites commute, so document order of the blocks' own nodes is enough; `counts` lists them in that order. */
function rewriteBlocks(draft: DraftNet): void {
  draft.graph.definition.nodes.forEach((node, index) => {
    const rewrite = draft.kinds[index]?.rewrite?.(node, rewriteBuilder(draft, node, index));
    if (rewrite !== undefined) draft.transitions = draft.transitions.flatMap(rewrite);
  });
}
