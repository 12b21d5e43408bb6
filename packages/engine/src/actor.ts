/** @module Who may do what with a run and its work items. */
import type { OpenItem } from "@tessera/core";
import type { RunId, TenantId } from "@tessera/persist";
import { type Refused, refused } from "./refusal.ts";

/** Somebody: an id, and the groups that the application says they belong to. */
export interface Actor {
  readonly id: string;
  readonly groups?: readonly string[];
}

/** What is asked. */
export type ActorAction =
  | "claim"
  | "release"
  | "reassign"
  | "complete"
  | "retry"
  | "cancel"
  | "skip"
  | "reroute"
  | "edit"
  | "suspend"
  | "resume"
  | "fork"
  | "migrate"
  | "prune";

/** Those of operators, which the application allows or not. */
const OPERATIONS: ReadonlySet<ActorAction> = new Set([
  "retry",
  "cancel",
  "skip",
  "reroute",
  "edit",
  "suspend",
  "resume",
  "fork",
  "migrate",
  "prune",
]);

/** A question of authorization. `item` is null for what concerns a whole run. */
export interface AuthorizationQuery {
  readonly action: ActorAction;
  readonly actor: Actor;
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly workflow: string;
  readonly item: OpenItem | null;
}

/** The application's own rule: its answer counts; `null` leaves it to `mayByDefault`. Synchronous and quick. */
export type Authorize = (query: AuthorizationQuery) => boolean | null;

/** The answer to a query: the application's, else that of `mayByDefault`. A rule that throws allows nothing. */
export function isAllowed(authorize: Authorize, query: AuthorizationQuery): boolean {
  try {
    return authorize(query) ?? mayByDefault(query);
  } catch {
    return false;
  }
}

/** Is the item offered to the actor: named, in a group that is named, or nobody is named at all? */
export function isOffered({ assignees, candidateGroups }: OpenItem, { id, groups = [] }: Actor): boolean {
  if (assignees === undefined && candidateGroups === undefined) return true;
  return (assignees ?? []).includes(id) || (candidateGroups ?? []).some((group) => groups.includes(group));
}

/**
 * The rule without an `authorize`: a claimed item is its assignee's, to complete, release and reassign; an unclaimed one
 * is theirs to whom it is offered. What operators do is the application's to allow: it calls, so it may.
 *
 * @definition D9.6
 */
export function mayByDefault({ action, actor, item }: AuthorizationQuery): boolean {
  if (item === null || OPERATIONS.has(action)) return true;
  if (item.assignee !== undefined) return item.assignee === actor.id && action !== "claim";
  return action !== "release" && isOffered(item, actor);
}

/** The refusal of an operation on a whole run that this actor may not do. */
export function denial(
  authorize: Authorize,
  action: ActorAction,
  actor: Actor,
  { tenant, run, workflow }: { readonly tenant: TenantId; readonly run: RunId; readonly workflow: string },
): Refused | null {
  if (isAllowed(authorize, { action, actor, tenant, run, workflow, item: null })) return null;
  return refused("unauthorized", `"${actor.id}" may not ${action} "${run}"`, {
    action,
    actor: actor.id,
    run,
  });
}
