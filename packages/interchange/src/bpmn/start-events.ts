/** @module Start events of a process: which times, messages and signals start it, and what is left to whoever starts a run. */
import { DONE, ERROR, type Json, type NodeId, type Outcome } from "@tessera/core";
import { addArc, addNode, type Draft, failureEnd } from "./draft.ts";
import { isExpression, readEvent, sentName } from "./event-reading.ts";
import type { BpmnNode, EventDefinition } from "./model.ts";
import type { Routing } from "./routes.ts";
import { readTimer } from "./timers.ts";
import { refuse } from "./unsupported.ts";

const COMING: ReadonlySet<string> = new Set(["messageEventDefinition", "signalEventDefinition"]);

/**
 * The event of a workflow's start (D17.10, D17.13) that `start` is: its message, signal or time, under the label `id`.
 * Undefined if it has none, or one that no event of a start can be: a condition, several at once, a name or a time that is
 * no constant, or that of a start event that flows lead back to. A start reads no key: there are no data yet.
 */
export function eventOfStart(
  draft: Draft,
  start: BpmnNode,
  id: Outcome,
): { readonly [key: string]: Json } | undefined {
  const [definition] = start.definitions;
  if (definition === undefined || !isStartedByEvent(start)) return undefined;
  const time = timeOf(start, definition);
  if (time !== undefined) return { id, on: "timer", ...time };
  const plain = {
    ...definition,
    reference: definition.reference && { ...definition.reference, xml: undefined },
  };
  const event = readEvent(start, plain, "starting with", draft.log);
  return event === undefined ? undefined : { id, ...event.members };
}

/** Is the start event one that a workflow's start can be? */
export function isStartedByEvent(start: BpmnNode): boolean {
  const { definitions, incoming } = start;
  const [definition, ...more] = definitions;
  if (definition === undefined || more.length > 0 || incoming.length > 0) return false;
  if (timeOf(start, definition) !== undefined) return true;
  return COMING.has(definition.type) && !isExpression(sentName(definition) ?? "");
}

/** The constant time of a start event. (Behind a gateway that starts a process a time is no start: nothing has begun to count it.) */
function timeOf(
  { type }: BpmnNode,
  definition: EventDefinition,
): { readonly [member: string]: string } | undefined {
  if (type !== "startEvent" || definition.type !== "timerEventDefinition") return undefined;
  const reading = readTimer(definition.raw, true);
  return reading.kind === "constant" ? { [reading.name]: reading.text } : undefined;
}

/** Refuses the trigger of a subprocess's start event; says of one that starts no run that it is left to who starts one. */
export function checkStart(
  draft: Draft,
  start: BpmnNode,
  scope: BpmnNode | undefined,
  isTaken: boolean,
): void {
  const { definitions } = start;
  if (definitions.length === 0) return;
  if (scope !== undefined) {
    refuse(draft.log, start, "BPMN010", "the start event of a subprocess has no trigger");
    return;
  }
  if (isTaken) return;
  draft.log.warn(
    "BPMN067",
    start.at,
    `the start event "${start.element.id}" waits for ${definitions.map(({ type }) => type.replace("EventDefinition", "")).join(" or ")}: who starts a run decides that it has come`,
    { element: start.element.id },
  );
}

/** The members of a start node whose start event a message, a signal or a time starts; none for any other. */
export function metaOfStart(
  draft: Draft,
  start: BpmnNode,
  scope: NodeId | undefined,
): { readonly meta?: { readonly events: Json } } {
  const event = scope === undefined ? eventOfStart(draft, start, DONE) : undefined;
  return event === undefined ? {} : { meta: { events: [event] } };
}

/** Several start events, each with a message, a signal or a time: the workflow's start, under the id of each. */
export function addStartOfSeveral(
  { draft, scope }: Routing,
  starts: readonly BpmnNode[],
  entry: NodeId,
): void {
  const events = starts.flatMap((start) => eventOfStart(draft, start, start.id) ?? []);
  addNode(draft, { id: entry, kind: "start", meta: { events } }, starts[0]);
  for (const { id } of starts) addArc(draft, { from: entry, to: id, outcome: id }, id, scope);
}

/**
 * Several starts, not each of which a message, a signal or a time starts: a decision by the key `startEvent` of D, with a
 * warning. Whoever starts a run says which of them has come.
 */
export function addChoiceOfStart(
  { draft, scope }: Routing,
  starts: readonly BpmnNode[],
  entry: NodeId,
): void {
  const branches = Object.fromEntries(starts.map(({ id }) => [id, id]));
  addNode(draft, { id: entry, kind: "decision", meta: { key: "startEvent", branches } }, starts[0]);
  for (const start of starts)
    addArc(draft, { from: entry, to: start.id, outcome: start.id }, start.id, scope);
  const end = failureEnd(draft, scope, ERROR);
  addArc(draft, { from: entry, to: end, outcome: ERROR }, entry, scope);
  draft.log.warn(
    "BPMN069",
    (starts[0] as BpmnNode).at,
    `the process has ${starts.length} start events: a run is started with the id of one under the key "startEvent"`,
    { elements: starts.map(({ id }) => id) },
  );
}
