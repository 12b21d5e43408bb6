/** @module The raw layer of the builder: nodes and arcs by hand, checked against each other at compile time. */
import { issue } from "../issue.ts";
import type { Arc, DataKey, Facet, NodeId, Outcome, WorkflowDefinition, WorkflowNode } from "../workflow.ts";
import { BuilderError } from "./builder-error.ts";
import { type DataSchemas, dataTypes, type JsonSchemas, type KeyOf } from "./data-schemas.ts";
import type { Guard } from "./guard.ts";
import type { Entry, EveryKey, HandlerKind, NodeSpec, OutcomesOf, WritesOf } from "./node-spec.ts";

/** A node whose handler the program gives: its id, the name under which the host finds the handler, its kind. */
export interface HandledNode {
  readonly id: NodeId;
  readonly handler: Extract<HandlerKind, "inline" | "verifier" | "job">;
}

/**
 * A workflow that was built. `definition` is plain data, complete without the rest: `parseWorkflow` checks it like
 * any other. `inputs` are the keys of D that a run starts with. Type parameters: schemas, inputs, nodes.
 */
export interface Workflow<
  D extends DataSchemas = DataSchemas,
  I extends DataKey = DataKey,
  E extends Entry = Entry,
> {
  readonly definition: WorkflowDefinition;
  readonly schemas: D;
  readonly inputs: readonly I[];
  readonly handled: readonly HandledNode[];
  /** Exists for the type checker only. */
  readonly "~types"?: { readonly entries: E };
}

/** Texts about a workflow and its constraints of I, as in the definition. */
export interface WorkflowTexts {
  readonly id: string;
  readonly label?: string;
  readonly description?: string;
  readonly facet?: Facet;
  readonly constraints?: readonly string[];
  readonly parallelSafety?: "checked";
}

/** A node that touches only keys of `D`. */
export type NodeOver<D extends DataSchemas> = NodeSpec<Outcome, KeyOf<D> | EveryKey, KeyOf<D> | EveryKey>;

/** Names of nodes. A name like "1" would change the order of the nodes, which is meaning: it is refused. */
export type NamedNodes<N> = {
  readonly [X in keyof N]: X extends number | `${number}`
    ? "a node's name must not look like a number"
    : unknown;
};

/** An arc between nodes of `N`, under an outcome that its source has, with a guard over the keys `K`. */
export type ArcOver<N, K extends DataKey> = {
  readonly [F in keyof N & string]: ArcFrom<F, OutcomesOf<N[F]>, keyof N & string, K>;
}[keyof N & string];

type ArcFrom<F extends NodeId, O extends Outcome, T extends NodeId, K extends DataKey> =
  | readonly [from: F, outcome: O, to: T]
  | (ArcMembers<F, T, K> & { readonly outcome: O })
  | ("done" extends O
      ? readonly [from: F, to: T] | (ArcMembers<F, T, K> & { readonly outcome?: never })
      : never);

interface ArcMembers<F extends NodeId, T extends NodeId, K extends DataKey> {
  readonly from: F;
  readonly to: T;
  readonly guard?: Guard<K>;
  readonly default?: true;
}

/** The entries of an object of nodes. */
export type EntriesOf<N> = {
  readonly [X in keyof N & string]: N[X] extends NodeSpec ? Entry<X, N[X]> : never;
}[keyof N & string];

/** The keys of D with which a run starts that enters at `S`. */
export type InputsOf<S> = S extends { readonly handler: "route" } ? Exclude<WritesOf<S>, EveryKey> : never;

/**
 * A workflow from nodes and arcs. The order of the nodes is that of their names in `nodes`, the order of the arcs that
 * of the list. An arc is `[from, to]` (outcome done), `[from, outcome, to]`, or an object where it has a guard or is
 * the default. What the types cannot see (reachability, borders of subprocesses, options of kinds) `parseWorkflow`
 * checks when the definition is deployed.
 *
 * @throws BuilderError BUILD001 if a name of a node looks like an array index.
 * @definition D12.5
 */
export function defineWorkflow<
  D extends DataSchemas,
  const N extends Readonly<Record<NodeId, NodeOver<D>>>,
  const S extends keyof N & string,
>(
  program: WorkflowTexts & {
    readonly data?: D & JsonSchemas<D>;
    readonly nodes: N & NamedNodes<N>;
    readonly entry: S;
    readonly arcs: readonly ArcOver<NoInfer<N>, KeyOf<NoInfer<D>>>[];
  },
): Workflow<D, InputsOf<N[S]>, EntriesOf<N>> {
  const specs = Object.entries(program.nodes as Readonly<Record<NodeId, NodeSpec>>);
  const indices = specs.filter(([id]) => /^(?:0|[1-9]\d*)$/.test(id));
  if (indices.length > 0) {
    throw new BuilderError(
      indices.map(([id]) =>
        issue("BUILD001", ["nodes", id], `the name "${id}" would lose its place in the order`),
      ),
    );
  }
  return makeWorkflow(program, {
    schemas: program.data as D | undefined,
    entry: program.entry,
    nodes: specs,
    arcs: program.arcs.map((arc) => arcOf(arc as RawArc)),
  }) as never;
}

/** The parts of a workflow, of either layer. */
export interface WorkflowParts {
  readonly schemas: DataSchemas | undefined;
  readonly entry: NodeId;
  readonly nodes: readonly (readonly [id: NodeId, spec: NodeSpec])[];
  readonly arcs: readonly Arc[];
}

/** Puts a workflow together. */
export function makeWorkflow(texts: WorkflowTexts, parts: WorkflowParts): Workflow {
  const { id, label, description, facet, constraints, parallelSafety } = texts;
  const { entry, schemas } = parts;
  const nodes = parts.nodes.map(([nodeId, spec]): WorkflowNode => ({ id: nodeId, ...spec.node }));
  const first = nodes.find((node) => node.id === entry);
  return {
    definition: {
      format: 1,
      kind: "workflow",
      id,
      ...(label === undefined ? {} : { label }),
      ...(description === undefined ? {} : { description }),
      ...(facet === undefined ? {} : { facet }),
      entry,
      nodes,
      arcs: parts.arcs,
      ...(schemas === undefined ? {} : { data: dataTypes(schemas) }),
      ...(constraints === undefined ? {} : { constraints }),
      ...(parallelSafety === undefined ? {} : { parallelSafety }),
    },
    schemas: schemas ?? {},
    inputs: first?.kind === "start" ? (first.writes ?? []) : [],
    handled: parts.nodes.flatMap(([nodeId, { handler }]) =>
      handler === "none" || handler === "route" ? [] : [{ id: nodeId, handler }],
    ),
  };
}

type RawArc = readonly [NodeId, NodeId] | readonly [NodeId, Outcome, NodeId] | Arc;

function arcOf(arc: RawArc): Arc {
  if (!isPair(arc)) return arc;
  if (arc.length === 2) return { from: arc[0], to: arc[1] };
  const [from, outcome, to] = arc;
  return outcome === "done" ? { from, to } : { from, to, outcome };
}

function isPair(arc: RawArc): arc is Exclude<RawArc, Arc> {
  return Array.isArray(arc);
}
