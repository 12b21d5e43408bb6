/** @module Called runs beside a node's token: handlers of its repeatable events. Fires nothing. */
import type { JsonObject, OpenItem, Outcome, StepRecord, Subscription, Trouble } from "@tessera/core";
import { eventsOf, type NodeEvent } from "@tessera/gateways";
import { acceptAnswer } from "./answer.ts";
import { adoptEffect, type Draft, nextItemId, record } from "./draft.ts";
import { mapData } from "./mapping.ts";
import { replaceSubscription } from "./subscriptions.ts";
import type { InputPayload } from "./turn.ts";

/**
 * An event with a handler has come: a run of the handler is opened beside the token, which rests on. As many as the
 * event allows run at a time; then it is not awaited until one of them ends. A time that passes meanwhile is missed,
 * and the record says so.
 *
 * @definition D17.6
 */
export function openHandler(
  draft: Draft,
  item: OpenItem,
  event: NodeEvent,
  after: Subscription | null,
  data: JsonObject,
): void {
  const openMax = event.handler?.openMax ?? 0;
  const open = handlersOf(draft, item.node, event.id).length;
  if (open >= openMax) {
    const message = `${openMax} handlers of "${event.id}" run already`;
    const trouble = { code: "HANDLERS_FULL", message, facts: { event: event.id, openMax } };
    record(draft, { node: item.node, changed: [replaceSubscription(item, event.id, after)], trouble });
    return;
  }
  const node = draft.plan.nodeIndex.get(item.node) ?? -1;
  const opened: OpenItem = {
    id: nextItemId(draft, node),
    kind: "child",
    node: item.node,
    openedAt: draft.env.at,
    event: event.id,
    data: mapData(event.payload, data) as JsonObject,
  };
  const isFull = open + 1 >= openMax && event.on !== "timer";
  const next = after === null || !isFull ? after : ({ ...after, isFull: true } as const);
  // Another token that rests at the node waits for the same event.
  const others = isFull ? hostsOf(draft, item.node).filter(({ id }) => id !== item.id) : [];
  record(draft, {
    node: item.node,
    outcome: event.id,
    opened: [opened],
    changed: [
      replaceSubscription(item, event.id, next),
      ...others.flatMap((other) => turned(other, event.id, true)),
    ],
  });
}

/**
 * The item of a token that comes to rest: of an event of which as many handlers run as may, from earlier visits, it does
 * not wait. Times come all the same: one that is missed is recorded.
 */
export function awaitingFree(draft: Draft, item: OpenItem): OpenItem {
  if (item.subscriptions === undefined) return item;
  return eventsOf(draft.plan.nodes[draft.plan.nodeIndex.get(item.node) ?? -1]!).reduce((now, event) => {
    if (event.handler === null || event.on === "timer") return now;
    const isFull = handlersOf(draft, item.node, event.id).length >= event.handler.openMax;
    return isFull ? (turned(now, event.id, true)[0] ?? now) : now;
  }, item);
}

/**
 * The run of a handler has ended: its outputs go into D, and its event is awaited again. What went wrong in it is
 * recorded and changes nothing of the run beside which it ran.
 */
export function settleHandler(
  draft: Draft,
  item: OpenItem,
  outcome: Outcome,
  { patch = {} }: InputPayload,
  trouble: Trouble | null,
): void {
  const { plan, env } = draft;
  const node = plan.nodeIndex.get(item.node) ?? -1;
  const effect = acceptAnswer(plan, node, draft, { outcome, patch, mutation: null }, env);
  const step: StepRecord = { node: item.node, outcome, closed: [item.id], ...awaitedAgain(draft, item) };
  if (effect.kind === "trouble") {
    record(draft, { ...step, trouble: trouble ?? effect.trouble });
    return;
  }
  adoptEffect(draft, effect);
  record(draft, {
    ...step,
    ...(effect.patch === null ? {} : { patch: effect.patch }),
    ...(trouble === null ? {} : { trouble }),
  });
}

/** The event that an item handles, with where its run comes from. */
export function handledEvent(
  plan: Draft["plan"],
  { node, event }: Pick<OpenItem, "node" | "event">,
): NodeEvent | null {
  const definition = plan.nodes[plan.nodeIndex.get(node) ?? -1];
  if (definition === undefined || event === undefined) return null;
  return eventsOf(definition).find(({ id }) => id === event) ?? null;
}

function handlersOf({ items }: Draft, node: string, event: Outcome): readonly OpenItem[] {
  return [...items.values()].filter((item) => item.node === node && item.event === event);
}

function awaitedAgain(draft: Draft, { node, event }: OpenItem): Pick<StepRecord, "changed"> {
  if (event === undefined) return {};
  const changed = hostsOf(draft, node).flatMap((item) => turned(item, event, false));
  return changed.length === 0 ? {} : { changed };
}

/** The items of the tokens that rest at a node and wait for events. */
function hostsOf({ items }: Draft, node: string): readonly OpenItem[] {
  return [...items.values()].filter((item) => item.node === node && item.subscriptions !== undefined);
}

/** The item with its subscription to the event full, or not any more; none where it is so already. */
function turned(item: OpenItem, event: Outcome, isFull: boolean): readonly OpenItem[] {
  const found = item.subscriptions?.find((each) => each.event === event);
  if (found === undefined || (found.isFull === true) === isFull) return [];
  const { isFull: _before, ...awaited } = found;
  return [replaceSubscription(item, event, isFull ? { ...awaited, isFull: true } : awaited)];
}
