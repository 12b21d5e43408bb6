/** @module Events of a node: what may come while a token rests at it, read from `meta.events`. */
import { ERROR, EXPIRED, type Json, type JsonObject, type Outcome, type WorkflowNode } from "@tessera/core";

/** One-shot events beside a rest place that one node may have: each doubles the variants of its steps. */
export const ONE_SHOTS_MAX = 4;
/** Open runs of a handler, unless the event says otherwise. */
export const HANDLERS_DEFAULT = 16;

/** When a timer event is due, ISO 8601; `key`: the key of D that holds it. */
export type EventTime =
  | { readonly by: "date" | "duration" | "cycle"; readonly text: string }
  | { readonly by: "key"; readonly key: string };

/**
 * An event of a node. `id` is its label in O(n), unless its handler is a workflow. `isInterrupting`: it ends the wait;
 * otherwise its arcs, or its handler, go beside it. `payload`: keys of D (with a handler: of the handler's data) to keys
 * of the data that came. `key`: the key of D whose value a message must carry; null: it carries none.
 */
export interface NodeEvent {
  readonly id: Outcome;
  readonly on: "timer" | "message" | "signal" | "escalation";
  readonly isInterrupting: boolean;
  readonly time: EventTime | null;
  readonly name: string;
  readonly key: string | null;
  readonly payload: JsonObject;
  readonly handler: EventHandler | null;
}

/** The workflow that handles a repeatable event: a run of its own each time, at most `openMax` at a time. */
export interface EventHandler {
  readonly workflow: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  readonly openMax: number;
}

/**
 * The events of `node`, document order; members that are not well-formed are left out (`eventIssues` reports them).
 *
 * @definition D17.1
 */
export function eventsOf(node: WorkflowNode): readonly NodeEvent[] {
  const list =
    node.meta !== undefined && Object.hasOwn(node.meta, "events") ? node.meta["events"] : undefined;
  return Array.isArray(list) ? list.flatMap((member) => readEvent(member as Json) ?? []) : [];
}

/**
 * What events add to O(n): the label of each that has arcs, then `error` where opening one can go wrong, because it
 * reads D, or where what it brings is written into D.
 */
export function eventOutcomes(node: WorkflowNode): readonly Outcome[] {
  const events = eventsOf(node);
  return [...events.filter(hasArcs).map(({ id }) => id), ...(events.some(canFail) ? [ERROR] : [])];
}

/** Can the event go wrong: is what it waits for read from D, or what it brings written into D? */
export function canFail(event: NodeEvent): boolean {
  return event.key !== null || event.time?.by === "key" || writesData(event);
}

/** Does the event go on along arcs of its node? A handler is a run of its own. */
export function hasArcs({ handler }: NodeEvent): boolean {
  return handler === null;
}

/** The events that happen at most once beside the rest place: not interrupting, along arcs. */
export function oneShotsOf(node: WorkflowNode): readonly NodeEvent[] {
  return awaitedEvents(node).filter((event) => !event.isInterrupting && hasArcs(event));
}

/** Events that a token at rest must wait for: all but those that are thrown inside. */
export function awaitedEvents(node: WorkflowNode): readonly NodeEvent[] {
  return eventsOf(node).filter(({ on }) => on !== "escalation");
}

/** Labels that a person or a worker cannot answer with: those of events, and the clock's. */
export function isEventLabel(node: WorkflowNode, outcome: Outcome): boolean {
  return outcome !== EXPIRED && eventsOf(node).some(({ id }) => id === outcome);
}

function writesData({ payload, handler }: NodeEvent): boolean {
  return handler === null && Object.keys(payload).length > 0;
}

function readEvent(value: Json): NodeEvent | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const event = value as JsonObject;
  const { id, on, name } = event;
  if (typeof id !== "string" || !isEventType(on)) return null;
  return {
    id,
    on,
    isInterrupting: event["interrupting"] !== false,
    time: on === "timer" ? timeOf(event) : null,
    name: typeof name === "string" ? name : "",
    key: on === "message" ? textOf(event, "key") : null,
    payload: objectOf(event, "payload"),
    handler: handlerOf(event),
  };
}

function isEventType(on: unknown): on is NodeEvent["on"] {
  return on === "timer" || on === "message" || on === "signal" || on === "escalation";
}

function timeOf(event: JsonObject): EventTime | null {
  for (const by of ["date", "duration", "cycle"] as const) {
    const text = textOf(event, by);
    if (text !== null) return { by, text };
  }
  const key = textOf(event, "key");
  return key === null ? null : { by: "key", key };
}

function handlerOf(event: JsonObject): EventHandler | null {
  const workflow = textOf(event, "workflow");
  if (workflow === null) return null;
  const max = event["openMax"];
  return {
    workflow,
    inputs: objectOf(event, "inputs"),
    outputs: objectOf(event, "outputs"),
    openMax: typeof max === "number" ? max : HANDLERS_DEFAULT,
  };
}

function textOf(event: JsonObject, name: string): string | null {
  const value = Object.hasOwn(event, name) ? event[name] : undefined;
  return typeof value === "string" ? value : null;
}

function objectOf(event: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(event, name) ? event[name] : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
