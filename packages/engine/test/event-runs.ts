/** @module Runs with events that tests drive turn by turn: inputs, what is marked, and the fold of the records. */
import { applyTurn, initialState, type JsonObject, type WorkflowDefinition } from "@tessera/core";
import { expect } from "vitest";
import type { InputEvent } from "../src/turn.ts";
import { flow } from "./definitions.ts";
import { type BareRun, bareRun, starting } from "./host.ts";

export const HOUR = 3_600_000;
export const timerOf = (run: BareRun, node: string, dueAt: number): InputEvent => {
  run.now = Math.max(run.now, dueAt);
  return { input: { kind: "timer", item: run.item(node).id, dueAt } };
};
export const message = (
  run: BareRun,
  node: string,
  event: string,
  name: string,
  data: JsonObject = {},
): InputEvent => ({
  input: { kind: "event", item: run.item(node).id, event, on: "message", name },
  payload: { data },
});
export const signal = (run: BareRun, node: string, event: string, name: string): InputEvent => ({
  input: { kind: "event", item: run.item(node).id, event, on: "signal", name },
});
/** What a run has marked, by place. */
export const marked = (run: BareRun) =>
  run.plan.program.net.places.flatMap(({ id }, at) => ((run.state.marking[at] ?? 0) > 0 ? [id] : []));
export const begun = (definition: WorkflowDefinition, data: JsonObject = {}): BareRun => {
  const run = bareRun(definition);
  run.take(starting(data));
  return run;
};
/** The fold of the records is the state: what every example here must keep. */
export const expectReplay = (run: BareRun): void => {
  let state = initialState(run.plan.program);
  for (const record of run.records) {
    const applied = applyTurn(run.plan.program, state, record);
    if (applied.kind === "refused") throw new Error(JSON.stringify(applied));
    state = applied.state;
  }
  expect(state).toEqual(run.state);
};

/** A task of `kind` whose labels lead to ends of their own names. */
export const task = (
  kind: string,
  events: readonly JsonObject[],
  labels: readonly string[],
  meta: JsonObject = {},
) =>
  flow(
    "w",
    [
      ["n", kind, { ...meta, events: [...events] }],
      ...labels.map((label) => [label, "end", { outcome: label }] as const),
    ],
    labels.map((label) => ["n", label, label] as const),
  );
export const LATE: JsonObject = { id: "late", on: "timer", duration: "PT1H" };
export const RECALL: JsonObject = {
  id: "recall",
  on: "message",
  name: "recalled",
  key: "order",
  payload: { why: "reason" },
};
export const HALT: JsonObject = { id: "halt", on: "signal", name: "halt" };
