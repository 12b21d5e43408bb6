/** @module Which life-cycle events a recorded turn is for an item: what the audit holds against the tables. */
import { type Json, jsonEqual, type OpenItem, type TurnInput } from "@tessera/core";
import { JOB_LIFECYCLE, type JobEvent, type JobState } from "./job.ts";
import { nextState } from "./table.ts";
import { WORK_ITEM_LIFECYCLE, type WorkItemEvent, workItemState } from "./work-item.ts";

/**
 * Does the change of an item from `before` to `after` (null: closed) by a turn opened with `input` follow the life cycle
 * of its kind? Items of other kinds have none beyond open and closed.
 */
export function followsLifecycle(before: OpenItem, after: OpenItem | null, input: TurnInput): boolean {
  // A migration names another node, and nothing else of an item.
  if (input.kind === "migrate" && after?.kind === before.kind) return true;
  if (after !== null && isSameWait(before, after)) return true;
  if (before.kind === "work-item") return followsWorkItem(before, after, input);
  if (before.kind === "job" || (before.kind === "intervention" && after?.kind === "job")) {
    return followsJob(before, after, input);
  }
  return after === null || after.node === before.node;
}

/** Is it the item as it was, but for the events that it waits for besides its answer? One of them has come, or a handler has ended. */
function isSameWait(before: OpenItem, after: OpenItem): boolean {
  const isAwaiting = before.subscriptions !== undefined && after.subscriptions !== undefined;
  const { subscriptions: _before, dueAt: _due, ...rest } = before;
  const { subscriptions: _after, dueAt: _next, ...now } = after;
  return isAwaiting && jsonEqual(rest as unknown as Json, now as unknown as Json);
}

function followsWorkItem(before: OpenItem, after: OpenItem | null, input: TurnInput): boolean {
  const state = workItemState(before);
  const event = workItemEvent(before, after, input);
  const next = nextState(WORK_ITEM_LIFECYCLE, state, event);
  if (next === undefined) return false;
  return after === null ? next !== "offered" && next !== "claimed" : next === workItemState(after);
}

function workItemEvent(before: OpenItem, after: OpenItem | null, input: TurnInput): WorkItemEvent {
  const isAddressed = "item" in input && input.item === before.id;
  if (isAddressed && input.kind === "timer" && after === null) return "expire";
  if (!isAddressed || !isWorkItemEvent(input.kind)) return "withdraw";
  return input.kind === "reassign" && input.toGroup !== undefined ? "offer" : input.kind;
}

function isWorkItemEvent(kind: string): kind is "claim" | "release" | "reassign" | "complete" {
  return kind === "claim" || kind === "release" || kind === "reassign" || kind === "complete";
}

/** The journal does not see a claim: an answer, a failed attempt and a hold are each preceded by one. */
function followsJob(before: OpenItem, after: OpenItem | null, input: TurnInput): boolean {
  const state: JobState = before.kind === "intervention" ? "held" : "pending";
  const event = jobEvent(before, after, input);
  const isByWorker = state === "pending" && event !== "withdraw";
  const from = isByWorker ? nextState(JOB_LIFECYCLE, state, "claim") : state;
  const next = from === undefined ? undefined : nextState(JOB_LIFECYCLE, from, event);
  if (after === null) return next === "answered" || next === "withdrawn";
  return next === (after.kind === "intervention" ? "held" : "pending");
}

function jobEvent(before: OpenItem, after: OpenItem | null, input: TurnInput): JobEvent {
  const isAddressed = "item" in input && input.item === before.id;
  if (after === null) return isAddressed && input.kind === "result" ? "answer" : "withdraw";
  return after.kind === "intervention" ? "hold" : "retry";
}
