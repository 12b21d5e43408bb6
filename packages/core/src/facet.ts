/** @module The facet of a workflow: whether people, agents or both are in it. A tag for catalogues, never behaviour. */
import { type Issue, issue } from "./issue.ts";
import type { Facet, WorkflowDefinition, WorkflowNode } from "./workflow.ts";

/** The kinds of node that make a workflow with an agent a hybrid one. */
const PROCESS_KINDS: ReadonlySet<string> = new Set(["collect", "human", "gateway", "integration"]);

/**
 * The facet of the nodes of a workflow: hybrid iff an agent and one of collect, human, gateway, integration are among
 * them; agentic iff an agent is and none of those; process iff no agent is. Order and number do not matter.
 *
 * @definition D20.14
 */
export function facetOf(nodes: readonly WorkflowNode[]): Facet {
  if (!nodes.some((node) => node.kind === "agent")) return "process";
  return nodes.some((node) => PROCESS_KINDS.has(node.kind)) ? "hybrid" : "agentic";
}

/** A warning if the definition states another facet than its nodes have: the stated one is ignored. */
export function facetIssues(definition: WorkflowDefinition): readonly Issue[] {
  const computed = facetOf(definition.nodes);
  if (definition.facet === undefined || definition.facet === computed) return [];
  const message = `the facet is "${computed}", not "${definition.facet}"; remove it or correct it`;
  return [
    { ...issue("WF013", ["facet"], message, { stated: definition.facet, computed }), severity: "warning" },
  ];
}
