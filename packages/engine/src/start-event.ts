/** @module Starts by events: which label a start goes on under, and what of a message becomes the data of the run. */
import type { Data, JsonObject, NodeId, Outcome, WorkflowNode } from "@tessera/core";
import { awaitedEvents, eventsOf } from "@tessera/gateways";
import { mapData } from "./mapping.ts";
import type { Plan } from "./plan.ts";
import { type Refused, refused } from "./refusal.ts";
import { correlationText } from "./subscriptions.ts";

/** A message or a signal that starts a workflow, with the label of its start. */
interface StartedBy {
  readonly on: "message" | "signal";
  readonly name: string;
  readonly event: Outcome;
}

/** The messages and signals that start a workflow: those of its entry, when that is a start. */
export function startEvents(nodes: readonly WorkflowNode[], entry: string): readonly StartedBy[] {
  return eventsOfStart(nodes, entry).flatMap(({ id, on, name }) =>
    on === "message" || on === "signal" ? [{ on, name, event: id }] : [],
  );
}

/** The label under which a start goes on: of the event that came; of its first one where the application starts the run. */
export function startOutcome(node: WorkflowNode, event: Outcome | undefined): Outcome | null {
  const [first] = eventsOf(node);
  return first === undefined ? null : (event ?? first.id);
}

/**
 * The data that a run starts with, as the payload of its start event says; a start that names a correlation key has the
 * key of the message there, under which it waits for what belongs to it (D17.12). Refused if the message has none.
 *
 * @definition D17.12
 */
export function startData(
  { program, nodes }: Plan,
  event: Outcome,
  { name, key, data }: { readonly name: string; readonly key: string | null; readonly data: JsonObject },
): { readonly kind: "data"; readonly data: Data } | Refused {
  if (program.compiled.kind === "net") return { kind: "data", data: {} };
  const { entry } = program.compiled.definition;
  const found = eventsOfStart(nodes, entry).find(({ id }) => id === event);
  const brought: JsonObject = mapData(found?.payload, data);
  if (found === undefined || found.key === null) return { kind: "data", data: brought as Data };
  if (key === null)
    return refused("invalid", `the message "${name}" has no key, and the start asks for one`, { name });
  // What came with it keeps its type where it says the same: 7 and not "7".
  const isThere = correlationText(brought[found.key]) === key;
  return { kind: "data", data: (isThere ? brought : { ...brought, [found.key]: key }) as Data };
}

/**
 * Does a run of the workflow wait for messages that could start one as well? Then which of the two a message does
 * depends on whether that run is there already: such messages are brought one after the other (D17.11).
 */
export function awaitsItsStarts({ program, nodes }: Plan): boolean {
  if (program.compiled.kind === "net") return false;
  const { entry } = program.compiled.definition;
  const names = new Set(startEvents(nodes, entry).map(({ name }) => name));
  return nodes.some(
    (node) =>
      node.id !== entry && awaitedEvents(node).some(({ on, name }) => on === "message" && names.has(name)),
  );
}

/** The events of the entry, if it is a start: each of them, times too, can start a run. */
export function eventsOfStart(
  nodes: readonly WorkflowNode[],
  entry: NodeId | string,
): ReturnType<typeof eventsOf> {
  const node = nodes.find(({ id }) => id === entry);
  return node?.kind === "start" ? eventsOf(node) : [];
}
