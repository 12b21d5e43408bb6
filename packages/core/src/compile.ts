/** @module From a definition to its net: arcs become places, each kind adds its fragment, loops add their counters. */
import { graphIssues, indexGraph, nodeOf, scopesOf } from "./graph.ts";
import { invariant } from "./invariant.ts";
import { type Issue, issue } from "./issue.ts";
import type { DraftTransition, FragmentBuilder, Input, KindSpec, KindTable, ResetSet, ScopeContent, WorkflowGraph } from "./kinds.ts";
import { compileNetDefinition } from "./net-definition.ts";
import { makeNet, type Net, type Place, type PlaceIndex, type PlaceOrigin, type Transition } from "./net.ts";
import { bad, ok, type Result } from "./result.ts";
import { type Arc, arcOutcome, type Definition, type NodeId, type WorkflowDefinition, type WorkflowNode } from "./workflow.ts";

/** A workflow with its graph, the kind of each node and its net. */
export interface CompiledWorkflow {
  readonly kind: "workflow";
  readonly definition: WorkflowDefinition;
  readonly graph: WorkflowGraph;
  /** Kind of each node, by node index. */
  readonly kinds: readonly KindSpec[];
  readonly net: Net;
}

/** A bare net as a program: every transition is a step. */
export interface CompiledNetDefinition {
  readonly kind: "net";
  readonly definition: Extract<Definition, { kind: "net" }>;
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
export function compileWorkflow(definition: WorkflowDefinition, kinds: KindTable): Result<CompiledWorkflow, readonly Issue[]> {
  const graph = indexGraph(definition);
  const issues = graphIssues(graph, kinds).filter((found) => found.severity !== "warning");
  if (issues.length > 0) return bad(issues);
  const kindOf = definition.nodes.map((node) => {
    const kind = kinds.get(node.kind);
    invariant(kind !== undefined, "D2.3", () => ({ node: node.id, kind: node.kind }));
    return kind;
  });
  const drafting = new Drafting(graph, kindOf);
  definition.nodes.forEach((node, index) => kindOf[index]?.fragment(drafting.builder(node, index)));
  rewriteBlocks(drafting, kindOf);
  const net = drafting.finish();
  const orphan = net.finals.kind === "ends" && net.finals.ends.length === 0;
  if (orphan) return bad([issue("WF011", ["nodes"], "the workflow has no end node at top level")]);
  return ok({ kind: "workflow", definition, graph, kinds: kindOf, net });
}

/** Places and transitions while they are collected; one per call of `compileWorkflow`, never shared. */
class Drafting {
  readonly places: Place[] = [];
  readonly placeScope: (NodeId | null)[] = [];
  readonly placeIds = new Map<string, PlaceIndex>();
  readonly graph: WorkflowGraph;
  readonly kinds: readonly KindSpec[];
  readonly arcPlaces: readonly (PlaceIndex | null)[];
  drafts: DraftTransition[] = [];

  constructor(graph: WorkflowGraph, kinds: readonly KindSpec[]) {
    this.graph = graph;
    this.kinds = kinds;
    this.source(null);
    this.arcPlaces = graph.definition.arcs.map((arc, index) => (this.isOmitted(arc) ? null : this.arcPlace(arc, index)));
  }

  place(scope: NodeId | null, id: string, origin: PlaceOrigin, role: "control" | "counter" = "control"): PlaceIndex {
    const known = this.placeIds.get(id);
    if (known !== undefined) return known;
    const index = this.places.length;
    this.places.push({ id, role, origin });
    this.placeScope.push(scope);
    this.placeIds.set(id, index);
    return index;
  }

  source(scope: NodeId | null): PlaceIndex {
    const node = scope === null ? null : (this.graph.nodeIndex.get(scope) ?? null);
    return this.place(scope, scope === null ? "source" : `${scope}.source`, { kind: "source", scope: node });
  }

  private arcPlace(arc: Arc, index: number): PlaceIndex {
    const label = arc.outcome === undefined ? "" : `:${arc.outcome}`;
    const id = `${arc.from}${label}->${arc.to}`;
    const unique = this.placeIds.has(id) ? `${id}#${index}` : id;
    return this.place(nodeOf(this.graph, arc.from)?.scope ?? null, unique, { kind: "arc", arc: index });
  }

  private isOmitted(arc: Arc): boolean {
    const index = this.graph.nodeIndex.get(arc.from);
    const node = index === undefined ? undefined : this.graph.definition.nodes[index];
    return node !== undefined && index !== undefined && (this.kinds[index]?.omits?.(node, arc) ?? false);
  }

  builder(node: WorkflowNode, index: number): FragmentBuilder {
    const { graph, arcPlaces } = this;
    const scope = node.scope ?? null;
    return {
      graph,
      node,
      index,
      inputs: this.inputs(node, index),
      outputs: (outcome) =>
        (graph.outgoing[index] ?? []).flatMap((arc) => {
          const def = graph.definition.arcs[arc];
          const place = arcPlaces[arc] ?? null;
          return def === undefined || place === null || arcOutcome(def) !== outcome ? [] : [{ arc, place, def }];
        }),
      alphabet: this.kinds[index]?.alphabet(node) ?? [],
      place: (id, origin, role) => this.place(scope, id, origin, role),
      transition: (draft) => void this.drafts.push(draft),
      content: () => this.content(node),
    };
  }

  private inputs(node: WorkflowNode, index: number): readonly Input[] {
    const arcs = (this.graph.incoming[index] ?? []).flatMap((arc) => {
      const place = this.arcPlaces[arc] ?? null;
      return place === null ? [] : [{ arc, place }];
    });
    const owner = node.scope === undefined ? undefined : nodeOf(this.graph, node.scope);
    const entry = node.scope === undefined ? this.graph.definition.entry : owner?.meta?.entry;
    return entry === node.id ? [{ arc: null, place: this.source(node.scope ?? null) }, ...arcs] : arcs;
  }

  private content(node: WorkflowNode): ScopeContent {
    const ends = this.graph.definition.nodes.flatMap((inner, index) =>
      inner.scope === node.id && this.kinds[index]?.name === "end" ? [{ node: index, place: this.endPlace(inner, index) }] : [],
    );
    return { source: this.source(node.id), ends };
  }

  endPlace(node: WorkflowNode, index: number): PlaceIndex {
    return this.place(node.scope ?? null, `${node.id}.end`, { kind: "end", node: index });
  }

  finish(): Net {
    const insides = new Map<NodeId | null, readonly PlaceIndex[]>();
    const transitions = this.drafts.map((draft): Transition => {
      const { reset, ...rest } = draft;
      return { ...rest, any: [], reset: reset === undefined ? [] : this.inside(reset, insides) };
    });
    const ends = this.places.flatMap((place, index) => {
      const isRootEnd = place.origin?.kind === "end" && this.placeScope[index] === null;
      return isRootEnd ? [index] : [];
    });
    const initial = this.places.map((_, index) => (index === 0 ? 1 : 0));
    return makeNet({ places: this.places, transitions, initial, finals: { kind: "ends", ends } });
  }

  private inside(reset: ResetSet, cache: Map<NodeId | null, readonly PlaceIndex[]>): readonly PlaceIndex[] {
    const known = cache.get(reset.scope);
    if (known !== undefined) return known;
    const inside = this.places.flatMap((place, index) => {
      const scope = this.placeScope[index] ?? null;
      const isOwnEnd = place.origin?.kind === "end" && scope === reset.scope;
      const owner = scope === null ? undefined : nodeOf(this.graph, scope);
      const within = reset.scope === null || scope === reset.scope || (owner !== undefined && scopesOf(this.graph, owner).includes(reset.scope));
      return within && !isOwnEnd ? [index] : [];
    });
    cache.set(reset.scope, inside);
    return inside;
  }
}

/** Rewrites commute, so document order of the blocks' own nodes is enough; `counts` lists them in that order. */
function rewriteBlocks(drafting: Drafting, kinds: readonly KindSpec[]): void {
  const { nodes } = drafting.graph.definition;
  const blocks = nodes.flatMap((node, index) => (kinds[index]?.rewrite === undefined ? [] : [{ node, index }]));
  for (const { node, index } of blocks) {
    const rewrite = kinds[index]?.rewrite?.(node, {
      graph: drafting.graph,
      index,
      place: (id, origin, role) => drafting.place(node.scope ?? null, id, origin, role),
    });
    if (rewrite !== undefined) drafting.drafts = drafting.drafts.flatMap(rewrite);
  }
}
