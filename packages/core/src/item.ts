/** @module Open items: what a token on a rest place waits for. Each such token has exactly one. */
import type { JsonObject } from "./json.ts";
import type { NodeId, Outcome } from "./workflow.ts";

/** Id of an open item, unique in its run, and the id of a visit of its node: see `itemId`. */
export type ItemId = string;

/**
 * The id of the `visit`-th item (from 1) that `node` opens in a run, "approve.2". It depends on the visits of this node
 * alone, so however parallel branches interleave, the same visit has the same id, and its job the same idempotency key.
 * Characters that a path or a task id could not carry are percent-encoded.
 *
 * @definition D3.4
 */
export function itemId(node: NodeId, visit: number): ItemId {
  return `${encodeURIComponent(node)}.${visit}`;
}

/**
 * What resolves the item. `event`: the first of its subscriptions (a catch node), or what ends a scope early.
 * `intervention` has no rest place: a node that cannot go on as it is.
 */
export type ItemKind = "job" | "work-item" | "timer" | "external" | "child" | "event" | "intervention";

/**
 * One event that an open item waits for besides its own answer. `event` is its id at the node. A message carries the
 * value of its correlation key as text in `key`, none where it has none; a timer is due as the members of an item say.
 * `isBeside`: the item stays open when it comes. `isFull`: as many of its handlers run as may, so it is not awaited now.
 */
export interface Subscription {
  readonly event: Outcome;
  readonly on: "timer" | "message" | "signal";
  readonly name?: string;
  readonly key?: string;
  readonly dueAt?: number;
  readonly remaining?: number;
  readonly repeat?: string;
  readonly isBeside?: true;
  readonly isFull?: true;
}

/** How far a multi-instance activity is: of `total` instances, those opened so far and those completed. */
export interface InstanceCounts {
  readonly total: number;
  readonly opened: number;
  readonly completed: number;
}

/** The status of a called run as its parent last heard of it. */
export interface ChildStatus {
  /** The turn of the child that this is the status after: news that arrives late is no news. */
  readonly sequence: number;
  readonly status: "running" | "waiting";
  readonly modes: readonly WaitingMode[];
}

/**
 * An open item. Times are milliseconds since the epoch.
 * `dueAt`: when a timer fires or a deadline passes. `remaining`: occurrences of a cycle after the next one, each a
 * `repeat` (ISO 8601 duration) after the one before.
 * `subscriptions`: the events that it waits for; then `dueAt` is the earliest time of those and of its deadline, which
 * is one of them under `expired`.
 * `event`: the event of its node that a called run handles. `instance`: the position of one of several called runs, from
 * 0; `host`, the item of their token, has the `instances`. `data`: what a called run gets besides its inputs.
 * `assignee`: who claimed the work item. `attempt`: attempts of a job that have failed so far.
 */
export interface OpenItem {
  readonly id: ItemId;
  readonly kind: ItemKind;
  readonly node: NodeId;
  readonly openedAt: number;
  /** The turn that opened it: a job sees D as that turn left it, in every attempt. */
  readonly turn?: number;
  readonly dueAt?: number;
  readonly remaining?: number;
  readonly repeat?: string;
  readonly assignee?: string;
  readonly assignees?: readonly string[];
  readonly candidateGroups?: readonly string[];
  readonly attempt?: number;
  readonly childId?: string;
  readonly child?: ChildStatus;
  readonly outcomes?: readonly Outcome[];
  readonly subscriptions?: readonly Subscription[];
  readonly event?: Outcome;
  readonly instance?: number;
  readonly instances?: InstanceCounts;
  readonly data?: JsonObject;
  readonly host?: ItemId;
  readonly reason?: { readonly code: string; readonly message: string; readonly facts?: JsonObject };
}

/** Who has a work item from now on, as recorded. Reassigned, it goes `to` somebody, or `toGroup`: it is offered to a group. */
export interface AssignmentInput {
  readonly kind: "claim" | "release" | "reassign";
  readonly item: ItemId;
  readonly by: string;
  readonly to?: string;
  readonly reason?: string;
  readonly toGroup?: string;
}

/** Who must act before a waiting run goes on (20.4). */
export type WaitingMode = "waiting_human" | "waiting_ide" | "waiting_external" | "waiting_timer";

/** The order in which the modes of a run are listed; the first is the run's m. */
export const MODE_ORDER: readonly WaitingMode[] = [
  "waiting_human",
  "waiting_ide",
  "waiting_external",
  "waiting_timer",
];

/**
 * The waiting modes that one open item stands for: a person, the clock, somebody outside, or what a called run waits
 * for. None for a job, or for a called run that is running.
 *
 * @definition D20.4
 */
export function itemModes(item: OpenItem): readonly WaitingMode[] {
  if (item.kind === "job") return [];
  if (item.kind === "timer") return ["waiting_timer"];
  if (item.kind === "external") return ["waiting_external"];
  if (item.kind === "event") return eventModes(item.subscriptions ?? []);
  if (item.kind === "child") return item.child?.status === "waiting" ? item.child.modes : [];
  return ["waiting_human"];
}

function eventModes(subscriptions: readonly Subscription[]): readonly WaitingMode[] {
  const isTimed = subscriptions.some(({ on }) => on === "timer");
  const isAddressed = subscriptions.some(({ on }) => on !== "timer");
  return [
    ...(isAddressed || !isTimed ? (["waiting_external"] as const) : []),
    ...(isTimed ? (["waiting_timer"] as const) : []),
  ];
}
