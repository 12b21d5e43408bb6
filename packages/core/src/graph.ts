/** @module Indexing and well-formedness of a workflow graph. */
import { facetIssues } from "./facet.ts";
import { type Issue, issue } from "./issue.ts";
import type { KindSpec, KindTable, WorkflowGraph } from "./kinds.ts";
import {
  type Arc,
  arcOutcome,
  type NodeId,
  splitOf,
  type WorkflowDefinition,
  type WorkflowNode,
} from "./workflow.ts";

/**
 * Indexes `definition`: node positions by id, arcs into and out of each node in document order.
 * Arcs to unknown nodes are left out (they are issues of `graphIssues`). Cost: linear.
 */
export function indexGraph(definition: WorkflowDefinition): WorkflowGraph {
  const nodeIndex = new Map<NodeId, number>();
  definition.nodes.forEach((node, index) => {
    if (!nodeIndex.has(node.id)) nodeIndex.set(node.id, index);
  });
  const incoming: number[][] = definition.nodes.map(() => []);
  const outgoing: number[][] = definition.nodes.map(() => []);
  definition.arcs.forEach((arc, index) => {
    const from = nodeIndex.get(arc.from);
    const to = nodeIndex.get(arc.to);
    if (from === undefined || to === undefined) return;
    outgoing[from]?.push(index);
    incoming[to]?.push(index);
  });
  return { definition, nodeIndex, incoming, outgoing };
}

/** The node of a graph by id, if there is one. */
export function nodeOf(graph: WorkflowGraph, id: NodeId): WorkflowNode | undefined {
  const index = graph.nodeIndex.get(id);
  return index === undefined ? undefined : graph.definition.nodes[index];
}

/** The scopes that contain `node`, innermost first; stops at a cycle (which `graphIssues` reports). */
export function scopesOf(graph: WorkflowGraph, node: WorkflowNode): readonly NodeId[] {
  const scopes: NodeId[] = [];
  let scope = node.scope;
  while (scope !== undefined && !scopes.includes(scope)) {
    scopes.push(scope);
    scope = nodeOf(graph, scope)?.scope;
  }
  return scopes;
}

/** The entry node of a scope (absent: of the workflow), whose source place holds the token at the start. */
export function entryOf(graph: WorkflowGraph, scope: NodeId | undefined): NodeId | undefined {
  if (scope === undefined) return graph.definition.entry;
  const entry = nodeOf(graph, scope)?.meta?.entry;
  return typeof entry === "string" ? entry : undefined;
}

/**
 * All problems of the graph: of the entry; of each node in document order, repeated ids, unknown kinds, its scope, its
 * splits and what its kind says of it; of each arc, unknown ends, arcs across scopes, labels outside O(n), repeated
 * arcs, a second default, guards that nothing would ask; of the whole, nodes that no path from the entry reaches, no
 * end, a stated facet that the nodes do not have (a warning). Empty iff the graph is well-formed.
 *
 * @definition D2.1
 */
export function graphIssues(graph: WorkflowGraph, kinds: KindTable): readonly Issue[] {
  return [
    ...entryIssues(graph),
    ...nodeIssues(graph, kinds),
    ...arcIssues(graph, kinds),
    ...reachIssues(graph),
    ...endIssues(graph),
    ...facetIssues(graph.definition),
  ];
}

function entryIssues(graph: WorkflowGraph): readonly Issue[] {
  const { definition } = graph;
  const entry = nodeOf(graph, definition.entry);
  if (entry === undefined) return [issue("WF001", ["entry"], `entry "${definition.entry}" is not a node`)];
  const { id, scope, join = "any" } = entry;
  return [
    ...(scope === undefined ? [] : [issue("WF001", ["entry"], `entry "${id}" lies inside "${scope}"`)]),
    ...(join === "any"
      ? []
      : [issue("WF001", ["entry"], `entry "${id}" has join "${join}": an entry merges (join "any")`)]),
  ];
}

function nodeIssues(graph: WorkflowGraph, kinds: KindTable): readonly Issue[] {
  return graph.definition.nodes.flatMap((node, index) => {
    const path = ["nodes", index];
    const found: Issue[] = [];
    if (graph.nodeIndex.get(node.id) !== index)
      found.push(issue("WF002", [...path, "id"], `node id "${node.id}" is used twice`));
    const kind = kinds.get(node.kind);
    if (kind === undefined) {
      found.push(
        issue("WF003", [...path, "kind"], `kind "${node.kind}" is not registered`, {
          known: [...kinds.keys()],
        }),
      );
    }
    found.push(...scopeIssues(graph, kinds, node, path));
    if (kind !== undefined) {
      found.push(...kind.validate(node, graph).map((i) => ({ ...i, path: [...path, ...i.path] })));
      found.push(...splitIssues(node, kind, path));
    }
    return found;
  });
}

function scopeIssues(
  graph: WorkflowGraph,
  kinds: KindTable,
  node: WorkflowNode,
  path: Issue["path"],
): readonly Issue[] {
  if (node.scope === undefined) return [];
  const problem = (message: string) => [
    issue("WF004", [...path, "scope"], `scope "${node.scope}" ${message}`),
  ];
  const scope = nodeOf(graph, node.scope);
  if (scope === undefined) return problem("is not a node");
  const outermost = nodeOf(graph, scopesOf(graph, node).at(-1) ?? "");
  if (outermost?.scope !== undefined) return problem("contains itself");
  const kind = kinds.get(scope.kind);
  return kind === undefined || kind.body(scope) === "scope"
    ? []
    : problem("is not an embedded subprocess (it names no entry)");
}

function splitIssues(node: WorkflowNode, kind: KindSpec, path: Issue["path"]): readonly Issue[] {
  if (node.split === undefined || typeof node.split === "string") return [];
  const alphabet = kind.alphabet(node);
  return Object.keys(node.split)
    .filter((outcome) => !alphabet.includes(outcome))
    .map((outcome) =>
      issue("WF005", [...path, "split", outcome], `"${node.id}" has no outcome "${outcome}"`, {
        alphabet: [...alphabet],
      }),
    );
}

function arcIssues(graph: WorkflowGraph, kinds: KindTable): readonly Issue[] {
  const seen = new Map<string, number>();
  const defaults = new Set<string>();
  return graph.definition.arcs.flatMap((arc, index) => {
    const path = ["arcs", index];
    const found: Issue[] = [...endpointIssues(graph, arc, path), ...labelIssues(graph, kinds, arc, path)];
    const outcome = arcOutcome(arc);
    const key = JSON.stringify([arc.from, arc.to, outcome, arc.guard ?? null]);
    const earlier = seen.get(key);
    if (earlier !== undefined)
      found.push(issue("WF007", path, `repeats arc ${earlier} ("${arc.from}" to "${arc.to}")`));
    else seen.set(key, index);
    if (arc.default !== true) return found;
    const label = JSON.stringify([arc.from, outcome]);
    if (defaults.has(label)) {
      found.push(
        issue(
          "WF008",
          [...path, "default"],
          `"${arc.from}" has a second default arc for outcome "${outcome}"`,
        ),
      );
    }
    defaults.add(label);
    return found;
  });
}

function labelIssues(
  graph: WorkflowGraph,
  kinds: KindTable,
  arc: Arc,
  path: Issue["path"],
): readonly Issue[] {
  const from = nodeOf(graph, arc.from);
  const kind = from === undefined ? undefined : kinds.get(from.kind);
  if (from === undefined || kind === undefined) return [];
  const outcome = arcOutcome(arc);
  const alphabet = kind.alphabet(from);
  const found: Issue[] = [];
  if (!alphabet.includes(outcome)) {
    found.push(
      issue("WF005", [...path, "outcome"], `"${from.id}" has no outcome "${outcome}"`, {
        alphabet: [...alphabet],
      }),
    );
  }
  const takesAll = splitOf(from, outcome) === "all";
  if (arc.guard !== undefined && (takesAll || arc.default === true)) {
    const why = takesAll
      ? "every arc of an AND split is taken"
      : "a default arc is taken when no guard holds";
    found.push(issue("WF012", [...path, "guard"], `the guard would never be asked: ${why}`));
  }
  if (takesAll && arc.default === true) {
    found.push(
      issue(
        "WF012",
        [...path, "default"],
        "a default has no meaning here: every arc of an AND split is taken",
      ),
    );
  }
  return found;
}

function endpointIssues(graph: WorkflowGraph, arc: Arc, path: Issue["path"]): readonly Issue[] {
  const from = nodeOf(graph, arc.from);
  const to = nodeOf(graph, arc.to);
  const found: Issue[] = [];
  if (from === undefined)
    found.push(issue("WF006", [...path, "from"], `arc from unknown node "${arc.from}"`));
  if (to === undefined) found.push(issue("WF006", [...path, "to"], `arc to unknown node "${arc.to}"`));
  if (from !== undefined && to !== undefined && from.scope !== to.scope) {
    found.push(
      issue(
        "WF009",
        path,
        `arc from "${arc.from}" to "${arc.to}" crosses the border of an embedded subprocess`,
        {
          fromScope: from.scope ?? null,
          toScope: to.scope ?? null,
        },
      ),
    );
  }
  return found;
}

/** Nodes that no path of arcs and scope entries reaches from the entry can never fire: an author's slip, so an issue. */
function reachIssues(graph: WorkflowGraph): readonly Issue[] {
  const { definition, nodeIndex } = graph;
  const first = nodeIndex.get(definition.entry);
  if (first === undefined) return [];
  const reached = new Set([first]);
  for (const index of reached) {
    for (const arc of graph.outgoing[index] ?? []) {
      const to = nodeIndex.get(definition.arcs[arc]?.to ?? "");
      if (to !== undefined) reached.add(to);
    }
    const entry = definition.nodes[index]?.meta?.entry;
    const inner = typeof entry === "string" ? nodeIndex.get(entry) : undefined;
    if (inner !== undefined && definition.nodes[inner]?.scope === definition.nodes[index]?.id)
      reached.add(inner);
  }
  return definition.nodes.flatMap((node, index) =>
    reached.has(index) || nodeIndex.get(node.id) !== index
      ? []
      : [issue("WF010", ["nodes", index], `no path leads from the entry to "${node.id}"`)],
  );
}

function endIssues({ definition }: WorkflowGraph): readonly Issue[] {
  const hasEnd = definition.nodes.some((node) => node.kind === "end" && node.scope === undefined);
  return hasEnd ? [] : [issue("WF011", ["nodes"], "the workflow has no end node at top level")];
}
