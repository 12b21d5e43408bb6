/** @module Steps at nodes that wait or send: a token comes to rest, enters a scope, throws; an event comes beside it. */
import type { ItemId, NodeId, TransitionIndex } from "@tessera/core";
import { awaitedEvents, FAIL, multiOf } from "@tessera/gateways";
import type { Action } from "./action.ts";
import { acceptAnswer, plainEffect } from "./answer.ts";
import { isUnavailable } from "./branch.ts";
import { adoptEffect, clearKeys, type Draft, nextItemId } from "./draft.ts";
import { awaitingFree, openHandler, settleHandler } from "./handlers.ts";
import { heldView } from "./held.ts";
import { beginInstances, instancesOf, settleInstance } from "./instances.ts";
import { branchOf, goOn, leave, playStep } from "./leave.ts";
import { mapData } from "./mapping.ts";
import { openItem } from "./open-item.ts";
import { replaceSubscription } from "./subscriptions.ts";
import { sendingOf } from "./throwing.ts";
import type { InputRefusal } from "./turn.ts";

/** A verdict from before the loop was entered must not be read inside it, not even by the entry's own body. */
export function clearVerdicts(draft: Draft, t: TransitionIndex): void {
  const isFailBranch = draft.plan.program.net.transitions[t]?.origin?.outcome === FAIL;
  if (!isFailBranch) clearKeys(draft, draft.plan.clears.get(t) ?? []);
}

/** A throw sends with the turn what it sends; if it cannot, it ends under error and has sent nothing. */
export function throwStep(draft: Draft, node: number, group: readonly TransitionIndex[]): void {
  const definition = draft.plan.nodes[node];
  const sending = definition === undefined ? null : sendingOf(draft, definition);
  const effect =
    sending?.kind === "trouble" ? sending : plainEffect(heldView(draft.plan, draft, node), "done");
  const branch = branchOf(draft, node, group, effect);
  const isSent = sending?.kind === "sent" && sending.sent.length > 0 && branch.kind === "chosen";
  leave(draft, node, group, effect, isSent ? { sent: sending.sent } : {}, branch);
}

/** enter(n): the content begins; with events the token of the scope itself rests, and its item opens. */
export function enterScope(draft: Draft, t: TransitionIndex, node: number): void {
  clearVerdicts(draft, t);
  const definition = draft.plan.nodes[node];
  const hasItem = definition !== undefined && awaitedEvents(definition).length > 0;
  const opening = hasItem
    ? openItem(draft.plan, node, nextItemId(draft, node), heldView(draft.plan, draft, node).data, draft.env)
    : null;
  playStep(draft, [t], opening?.kind === "item" ? { opened: [awaitingFree(draft, opening.item)] } : {});
  if (opening?.kind === "trouble") leave(draft, node, draft.plan.program.finish.get(node) ?? [], opening, {});
}

/** The item of the token that rests at an embedded subprocess while its content runs. */
export function scopeItem(draft: Draft, node: number): readonly ItemId[] {
  const id: NodeId = draft.plan.nodes[node]?.id ?? "";
  return [...draft.items.values()].flatMap((item) =>
    item.kind === "event" && item.node === id ? [item.id] : [],
  );
}

/** start(n): the token comes to rest and its item opens, or the items of its instances. */
export function startNode(draft: Draft, t: TransitionIndex, node: number): void {
  clearVerdicts(draft, t);
  const definition = draft.plan.nodes[node];
  const multi = definition === undefined ? null : multiOf(definition);
  const { data } = heldView(draft.plan, draft, node);
  const opening = openItem(draft.plan, node, nextItemId(draft, node), data, draft.env);
  if (opening.kind === "item" && multi !== null) {
    const begun = beginInstances(draft, node, multi, awaitingFree(draft, opening.item));
    if ("opened" in begun && begun.effect.kind === "effect") {
      const { patch } = begun.effect;
      adoptEffect(draft, begun.effect);
      playStep(draft, [t], { opened: begun.opened, ...(patch === null ? {} : { patch }) });
      return;
    }
    playStep(draft, [t], {});
    leave(draft, node, draft.plan.program.finish.get(node) ?? [], begun.effect, {});
    return;
  }
  if (opening.kind === "item") {
    const item = awaitingFree(draft, opening.item);
    playStep(draft, [t], { opened: [item.kind === "job" ? { ...item, turn: draft.sequence } : item] });
    return;
  }
  // The token comes to rest and leaves at once under error: the net knows no other way out of the node.
  playStep(draft, [t], {});
  leave(draft, node, draft.plan.program.finish.get(node) ?? [], opening, {});
}

/**
 * An event that leaves its item open: a handler runs beside it, or trigger(n, e) marks the arcs of e. If it can do
 * neither, the wait ends under error.
 */
export function besideItem(draft: Draft, action: Action & { readonly kind: "beside" }): InputRefusal | null {
  const { plan } = draft;
  const { item, event, after, payload } = action;
  if (event.handler !== null) {
    openHandler(draft, item, event, after, payload.data ?? {});
    return null;
  }
  const node = plan.nodeIndex.get(item.node) ?? -1;
  const patch = mapData(event.payload, payload.data ?? {});
  const answer = { outcome: event.id, patch, mutation: null };
  const effect = acceptAnswer(plan, node, heldView(plan, draft, node), answer, draft.env);
  const branch = branchOf(draft, node, plan.program.trigger.get(node) ?? [], effect);
  if (branch.kind === "chosen" && effect.kind === "effect") {
    goOn(draft, branch, effect, { changed: [replaceSubscription(item, event.id, after)] });
    return null;
  }
  const trouble = branch.kind === "trouble" ? branch.trouble : { code: "NO_ARC", message: "no arc" };
  if (isUnavailable(trouble)) {
    const { message, facts = {} } = trouble;
    return { kind: "refused", code: "unavailable", message, facts };
  }
  const group = plan.program.finish.get(node) ?? [];
  const closed = item.instances === undefined ? [item.id] : [item.id, ...instancesOf(draft, item)];
  leave(draft, node, group, { kind: "trouble", trouble }, { closed });
  return null;
}

/** A run that stands beside a token has ended: of a handler, or one of several instances, with which the node may end. */
export function settleRun(draft: Draft, action: Action & { readonly kind: "settle" }): null {
  const { item, outcome, payload, trouble } = action;
  if (item.event !== undefined) {
    settleHandler(draft, item, outcome, payload, trouble);
    return null;
  }
  const leaving = settleInstance(draft, item, outcome, payload, trouble);
  const node = draft.plan.nodeIndex.get(item.node) ?? -1;
  const group = draft.plan.program.finish.get(node) ?? [];
  if (leaving !== null) leave(draft, node, group, leaving.effect, leaving.extra);
  return null;
}
