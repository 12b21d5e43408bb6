/** @module A workflow with its handlers: what a program deploys. */
import { issue } from "../issue.ts";
import type { DataKey, NodeId, WorkflowDefinition } from "../workflow.ts";
import { BuilderError } from "./builder-error.ts";
import type { DataSchemas, KeyOf, ValueOf } from "./data-schemas.ts";
import type { Workflow } from "./define-workflow.ts";
import type { HandlersOf, InlineFunction, JobFunction, NoStrays } from "./handler.ts";
import type { Entry } from "./node-spec.ts";

/**
 * A workflow with a handler for each node that needs one. `functions` and `ports` are keyed by the id of the node,
 * which is the name under which a host looks for the body of a node that names none.
 */
export interface Implementation<D extends DataSchemas = DataSchemas, I extends DataKey = DataKey> {
  readonly definition: WorkflowDefinition;
  readonly schemas: D;
  readonly inputs: readonly I[];
  readonly functions: ReadonlyMap<NodeId, InlineFunction>;
  readonly ports: ReadonlyMap<NodeId, JobFunction>;
}

/** The data with which a run of a workflow starts: its inputs, and any other key. */
export type StartData<W> = W extends {
  readonly schemas: infer D extends DataSchemas;
  readonly inputs: readonly (infer I)[];
}
  ? { readonly [K in KeyOf<D> & I]: ValueOf<D[K]> } & { readonly [K in Exclude<KeyOf<D>, I>]?: ValueOf<D[K]> }
  : never;

/** The handlers of a workflow, by id of their node: for handlers that are written elsewhere. */
export type Handlers<W> = W extends Workflow<infer D, infer I, infer E> ? HandlersOf<D, I, E> : never;

/**
 * Gives `workflow` its handlers, by the id of their node: functions in the turn for transforms and verifiers,
 * functions outside it for tools, integrations and agents. A handler sees the keys that its node reads and answers an
 * outcome of its node, a patch of the keys that its node writes, a mutation. A handler that is missing, one too many,
 * and an answer of another shape are type errors.
 *
 * @throws BuilderError BUILD002 if a handler is missing, is no function, or belongs to no node.
 * @definition D12.6
 */
export function implement<
  D extends DataSchemas,
  I extends DataKey,
  E extends Entry,
  F extends HandlersOf<D, I, E>,
>(workflow: Workflow<D, I, E>, handlers: F & NoStrays<D, E, NoInfer<F>>): Implementation<D, I> {
  const given = new Map(Object.entries(handlers as Readonly<Record<NodeId, unknown>>));
  const needed = new Set(workflow.handled.map(({ id }) => id));
  const issues = [
    ...workflow.handled.filter(({ id }) => typeof given.get(id) !== "function").map(({ id }) => missing(id)),
    ...[...given.keys()].filter((id) => !needed.has(id)).map((id) => stray(id)),
  ];
  if (issues.length > 0) throw new BuilderError(issues);
  const bodies = (isJob: boolean) =>
    new Map(
      workflow.handled
        .filter(({ handler }) => (handler === "job") === isJob)
        .map(({ id }) => [id, given.get(id)]),
    );
  return {
    definition: workflow.definition,
    schemas: workflow.schemas,
    inputs: workflow.inputs,
    functions: bodies(false) as ReadonlyMap<NodeId, InlineFunction>,
    ports: bodies(true) as ReadonlyMap<NodeId, JobFunction>,
  };
}

function missing(id: NodeId): ReturnType<typeof issue> {
  return issue("BUILD002", [id], `node "${id}" needs a handler`);
}

function stray(id: NodeId): ReturnType<typeof issue> {
  return issue("BUILD002", [id], `no node "${id}" needs a handler`);
}
