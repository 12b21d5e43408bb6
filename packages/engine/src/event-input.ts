/** @module Events as inputs: which subscription of an open item a message, a signal or the clock is for. */
import { EXPIRED, type OpenItem, type Subscription } from "@tessera/core";
import { eventsOf, type NodeEvent } from "@tessera/gateways";
import { type Action, refuse } from "./action.ts";
import { mapData } from "./mapping.ts";
import type { Plan } from "./plan.ts";
import { nextTime } from "./subscriptions.ts";
import type { InputEvent, InputPayload, InputRefusal, StepEnvironment } from "./turn.ts";

type EventInput = InputEvent["input"] & { readonly kind: "event" };

/**
 * A message or a signal for an open item: it is awaited there under this name. The first event that comes is the one;
 * what the item waited for besides is closed with it in the same turn.
 *
 * @definition D17.5
 */
export function readEvent(
  plan: Plan,
  item: OpenItem,
  input: EventInput,
  payload: InputPayload,
): Action | InputRefusal {
  const { on, name, event } = input;
  const found = (item.subscriptions ?? []).find(
    (each) => each.event === event && each.on === on && each.name === name && each.isFull !== true,
  );
  if (found !== undefined) return arrived(plan, item, found, found, payload);
  const facts = { item: item.id, event, name };
  return refuse("not-open", `item "${item.id}" does not wait for the ${on} "${name}"`, facts);
}

/** A time of an item with several: the first subscription that is due just then, document order, its deadline last. */
export function readTimes(
  plan: Plan,
  item: OpenItem,
  dueAt: number,
  env: StepEnvironment,
): Action | InputRefusal {
  const found = (item.subscriptions ?? []).find((each) => each.on === "timer" && each.dueAt === dueAt);
  if (found === undefined || item.dueAt !== dueAt || dueAt > env.now) {
    return refuse("not-due", `item "${item.id}" is not due`, { dueAt: item.dueAt ?? null, now: env.now });
  }
  return arrived(plan, item, found, nextTime(found, env), {});
}

function arrived(
  plan: Plan,
  item: OpenItem,
  subscription: Subscription,
  after: Subscription | null,
  payload: InputPayload,
): Action {
  const event = eventOf(plan, item, subscription);
  if (subscription.isBeside === true && event !== null) {
    // Along arcs it happens once; a handler is run each time.
    return { kind: "beside", item, event, after: event.handler === null ? null : after, payload };
  }
  const outcome = subscription.event;
  const patch = mapData(event?.payload, payload.data ?? {});
  return { kind: "finish", item, outcome, payload: { patch }, trouble: null };
}

/** The event of an item's node that a subscription is of; null for a deadline. */
export function eventOf(plan: Plan, item: OpenItem, { event }: Subscription): NodeEvent | null {
  const node = plan.nodes[plan.nodeIndex.get(item.node) ?? -1];
  if (node === undefined || event === EXPIRED) return null;
  return eventsOf(node).find(({ id }) => id === event) ?? null;
}
