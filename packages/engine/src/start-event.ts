/** @module Starts by events: which label a start goes on under, and what of a message becomes the data of the run. */
import type { Data, JsonObject, Outcome, WorkflowNode } from "@tessera/core";
import { eventsOf } from "@tessera/gateways";
import { mapData } from "./mapping.ts";
import type { Plan } from "./plan.ts";

/** A message or a signal that starts a workflow, with the label of its start. */
interface StartedBy {
  readonly on: "message" | "signal";
  readonly name: string;
  readonly event: Outcome;
}

/** The events that start a workflow: those of its entry, when that is a start. */
export function startEvents(nodes: readonly WorkflowNode[], entry: string): readonly StartedBy[] {
  const node = nodes.find(({ id }) => id === entry);
  if (node === undefined || node.kind !== "start") return [];
  return eventsOf(node).flatMap(({ id, on, name }) =>
    on === "message" || on === "signal" ? [{ on, name, event: id }] : [],
  );
}

/** The label under which a start goes on: of the event that came; of its first one where the application starts the run. */
export function startOutcome(node: WorkflowNode, event: Outcome | undefined): Outcome | null {
  const [first] = eventsOf(node);
  return first === undefined ? null : (event ?? first.id);
}

/** The data that a run starts with, as the payload of its start event says. */
export function startData({ program, nodes }: Plan, event: Outcome, data: JsonObject): Data {
  if (program.compiled.kind === "net") return {};
  const { entry } = program.compiled.definition;
  const node = nodes.find(({ id }) => id === entry);
  const found = node === undefined ? undefined : eventsOf(node).find(({ id }) => id === event);
  return mapData(found?.payload, data) as Data;
}
