/** @module Blocks that hold back, run by hand: a fork of jobs, what they answer, and the law that the state is the fold. */
import {
  acyclicConstraint,
  applyTurn,
  type Constraint,
  EMPTY_MUTATION,
  initialState,
  type Json,
  type JsonObject,
  type Mutation,
  type ProductObject,
  productGraph,
  type RunState,
  type WorkflowDefinition,
} from "@tessera/core";
import { expect } from "vitest";
import { flow } from "./definitions.ts";
import { type BareOptions, type BareRun, bareRun, result, starting } from "./host.ts";

export const object = (id: string, ...to: readonly string[]): ProductObject => ({
  id,
  type: "t",
  payload: {},
  links: to.map((target) => ({ to: target })),
});
export const create = (...made: readonly ProductObject[]): Mutation => ({ ...EMPTY_MUTATION, create: made });
export const link = (id: string, ...to: readonly string[]): Mutation => ({
  ...EMPTY_MUTATION,
  update: [{ id, links: to.map((target) => ({ to: target })) }],
});
export const pay = (id: string, n: number): Mutation => ({
  ...EMPTY_MUTATION,
  update: [{ id, payload: { n } }],
});
export const remove = (...ids: readonly string[]): Mutation => ({ ...EMPTY_MUTATION, delete: ids });

/** start, a fork of jobs a, b (and c), the join with `meta`, end; what is refused ends at bad. */
export function block(
  meta: JsonObject,
  jobs: readonly string[] = ["a", "b"],
  join: "all" | "or" = "all",
): WorkflowDefinition {
  return flow(
    "w",
    [
      ["begin", "start"],
      ["s", "gateway", undefined, { split: "all" }],
      ...jobs.map((id) => [id, "tool"] as const),
      ["j", "gateway", meta, { join }],
      ["end", "end"],
      ["bad", "end", { outcome: "bad" }],
      ["lost", "end", { outcome: "lost", terminate: true }],
    ],
    [
      ["begin", "s"],
      ...jobs.flatMap(
        (id) =>
          [
            ["s", id],
            [id, "j"],
            [id, "lost", "error"],
          ] as const,
      ),
      ["j", "end"],
      ["j", "bad", "error"],
    ],
  );
}

/** Law of every run here: the state is the fold of its records. */
export function foldOf(run: BareRun): RunState {
  let state = initialState(run.plan.program);
  for (const record of run.records) {
    const applied = applyTurn(run.plan.program, state, record);
    if (applied.kind === "refused") throw new Error(JSON.stringify(applied));
    state = applied.state;
  }
  return state;
}
export const plain = (state: RunState) =>
  JSON.parse(JSON.stringify({ ...state, marking: [...Array.from(state.marking)] }));

export type Answer = { readonly mutation?: Mutation; readonly patch?: { readonly [key: string]: Json } };

/** Runs a block of jobs that answer in this order, and gives what became of it. */
export function played(
  definition: WorkflowDefinition,
  answers: readonly (readonly [node: string, answer: Answer])[],
  options: BareOptions & { readonly objects?: readonly ProductObject[]; readonly data?: JsonObject } = {},
) {
  const run = bareRun(definition, options);
  run.graph = productGraph(options.objects ?? []);
  const before = run.graph;
  run.take(starting(options.data ?? {}));
  const graphs: boolean[] = [];
  for (const [node, answer] of answers) {
    const { input } = result(run.item(node));
    const ready = run.take({ input, payload: { patch: {}, ...answer } });
    graphs.push(run.graph === before);
    expect(plain(foldOf(run))).toEqual(plain(ready.state));
  }
  const ends = run.plan.program.net.places.flatMap(({ id }, place) =>
    (run.state.marking[place] ?? 0) > 0 && id.endsWith(".end") ? [id.slice(0, -4)] : [],
  );
  const troubles = run.records.flatMap(({ steps }) => steps.flatMap(({ trouble }) => trouble?.code ?? []));
  return { run, graphs, ends, troubles, before, graph: run.graph };
}

export const staged = { stage: true };
export const acyclic: readonly Constraint[] = [acyclicConstraint()];
