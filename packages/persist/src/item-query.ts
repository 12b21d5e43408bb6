/** @module Whose work an open item is: the principals under which it is listed, and the queries over them. */
import type { ItemKind, OpenItem } from "@tessera/core";
import type { ItemFilter } from "./query.ts";

/** All kinds of items. */
export const ITEM_KINDS: readonly ItemKind[] = [
  "job",
  "work-item",
  "timer",
  "external",
  "child",
  "event",
  "intervention",
];

/** "a:" who claimed it, "o:" an actor whom it is offered to, "g:" a group, "*" a work item offered to nobody in particular. */
export type Principal = string;

/** All principals of an item. */
export function principalsOf(item: OpenItem): readonly Principal[] {
  const { assignee, assignees = NOBODY, candidateGroups = NOBODY } = item;
  // Most items name nobody.
  if (assignee === undefined && assignees.length === 0 && candidateGroups.length === 0)
    return item.kind === "work-item" ? TO_ALL : NOBODY;
  const isForAll = item.kind === "work-item" && assignees.length === 0 && candidateGroups.length === 0;
  const offered = [
    ...assignees.map((actor) => `o:${actor}`),
    ...candidateGroups.map((group) => `g:${group}`),
  ];
  return [
    ...new Set([
      ...(assignee === undefined ? [] : [`a:${assignee}`]),
      ...offered,
      ...(isForAll ? [FOR_ALL] : []),
    ]),
  ];
}

const NOBODY: readonly string[] = [];
/** The principal of a work item that is offered to nobody in particular. */
export const FOR_ALL: Principal = "*";
const TO_ALL: readonly Principal[] = [FOR_ALL];

/** What a query asks of the principals: every list of `all` has one that the item has; see `isListed`. */
export interface PrincipalQuery {
  /** Principals that the item must have. */
  readonly required: readonly Principal[];
  /** The work list of a person: claimed by them, or offered to one of these and unclaimed; null when not asked. */
  readonly workList: { readonly claimed: Principal; readonly offered: readonly Principal[] } | null;
}

/** What `query` asks. */
export function principalQuery(query: ItemFilter): PrincipalQuery {
  const { assignee, candidateGroup, actor, groups = [] } = query;
  const required = [
    ...(assignee === undefined ? [] : [`a:${assignee}`]),
    ...(candidateGroup === undefined ? [] : [`g:${candidateGroup}`]),
  ];
  if (actor === undefined && query.groups === undefined) return { required, workList: null };
  const offered = [
    ...new Set([...(actor === undefined ? [] : [`o:${actor}`]), ...groups.map((group) => `g:${group}`), "*"]),
  ];
  // Without an actor nothing is claimed by them: no principal has this name.
  return { required, workList: { claimed: actor === undefined ? "" : `a:${actor}`, offered } };
}

/**
 * Is the item listed by `query`, as far as it asks for persons?
 *
 * @definition D10.13
 */
export function isListed(item: OpenItem, { required, workList }: PrincipalQuery): boolean {
  const principals = new Set(principalsOf(item));
  if (!required.every((principal) => principals.has(principal))) return false;
  if (workList === null || principals.has(workList.claimed)) return true;
  return item.assignee === undefined && workList.offered.some((principal) => principals.has(principal));
}
