/** @module What an open item waits for besides its own answer: its events as subscriptions, and what becomes of them. */
import {
  EXPIRED,
  type JsonObject,
  type OpenItem,
  type Outcome,
  type Subscription,
  type Trouble,
  type WorkflowNode,
} from "@tessera/core";
import { awaitedEvents, type NodeEvent } from "@tessera/gateways";
import type { Opening } from "./open-item.ts";
import type { Due, StepEnvironment } from "./turn.ts";

/**
 * The item with a subscription for each event of its node; correlation keys and times that are read from D are fixed
 * now. A deadline becomes one of them, so that `dueAt` is the earliest time of all.
 *
 * @definition D17.4
 */
export function withEvents(
  item: OpenItem,
  node: WorkflowNode,
  data: JsonObject,
  env: StepEnvironment,
): Opening {
  const events = awaitedEvents(node);
  if (events.length === 0) return { kind: "item", item };
  const subscriptions: Subscription[] = [];
  for (const event of events) {
    const opened = subscribe(event, node, data, env);
    if ("code" in opened) return { kind: "trouble", trouble: opened };
    subscriptions.push(opened);
  }
  if (item.dueAt !== undefined) subscriptions.push({ event: EXPIRED, on: "timer", dueAt: item.dueAt });
  return { kind: "item", item: withSubscriptions(item, subscriptions) };
}

/** The item waiting for just these; it is due when the first of them is. */
export function withSubscriptions(item: OpenItem, subscriptions: readonly Subscription[]): OpenItem {
  const { dueAt: _before, ...rest } = item;
  const times = subscriptions.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
  return { ...rest, ...(times.length === 0 ? {} : { dueAt: Math.min(...times) }), subscriptions };
}

/** The subscription of an event, replaced by `after`; null takes it away. */
export function replaceSubscription(item: OpenItem, event: Outcome, after: Subscription | null): OpenItem {
  const list = (item.subscriptions ?? []).flatMap((each) => (each.event !== event ? [each] : (after ?? [])));
  return withSubscriptions(item, list);
}

/** The text under which a value correlates, null when it is no scalar or empty. */
export function correlationText(value: unknown): string | null {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isScalar ? String(value) : "";
  return text === "" || text.length > KEY_MAX ? null : text;
}

/** Characters of a correlation key. */
export const KEY_MAX = 256;

function subscribe(
  event: NodeEvent,
  node: WorkflowNode,
  data: JsonObject,
  env: StepEnvironment,
): Subscription | Trouble {
  const { id, on, name, isInterrupting } = event;
  const beside = isInterrupting ? {} : ({ isBeside: true } as const);
  switch (on) {
    case "signal":
    case "escalation":
      return { event: id, on: "signal", name, ...beside };
    case "message": {
      if (event.key === null) return { event: id, on, name, ...beside };
      const key = correlationText(valueAt(data, event.key));
      const message = `the key "${event.key}" holds nothing that a message could carry`;
      const facts = { node: node.id, event: id, key: event.key };
      return key === null
        ? { code: "CORRELATION_MISSING", message, facts }
        : { event: id, on, name, key, ...beside };
    }
    case "timer":
      return timed(event, node, data, env, beside);
  }
}

function timed(
  { id, time, handler }: NodeEvent,
  node: WorkflowNode,
  data: JsonObject,
  env: StepEnvironment,
  beside: Pick<Subscription, "isBeside">,
): Subscription | Trouble {
  const text = time?.by === "key" ? valueAt(data, time.key) : time?.text;
  const facts = { node: node.id, event: id };
  if (typeof text !== "string")
    return { code: "TIMER_INVALID", message: `the time of "${id}" is no ISO 8601 text`, facts };
  const due = env.due(text, env.now);
  if (due.kind === "trouble") return due.trouble;
  return { event: id, on: "timer", dueAt: due.at, ...(handler === null ? {} : repetition(due)), ...beside };
}

/** Only a handler runs more than once. */
function repetition({ remaining, repeat }: Due & { readonly kind: "due" }): Partial<Subscription> {
  return remaining !== 0 && repeat !== undefined ? { remaining, repeat } : {};
}

/** The subscription after one of its times has passed; null when that was the last one. */
export function nextTime(subscription: Subscription, env: StepEnvironment): Subscription | null {
  const { repeat, remaining = 0, dueAt, ...rest } = subscription;
  if (repeat === undefined || dueAt === undefined || remaining === 0) return null;
  const due = env.due(repeat, dueAt);
  if (due.kind === "trouble") return null;
  const left = remaining < 0 ? remaining : remaining - 1;
  return { ...rest, repeat, dueAt: due.at, ...(left === 0 ? {} : { remaining: left }) };
}

function valueAt(data: JsonObject, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}
