/** @module What a store can be asked for: runs, open items, pages of both, counts, and the values by which runs are found. */
import type { Hash, ItemKind, OpenItem, RunStatus } from "@tessera/core";
import type { RunId, TenantId } from "./store.ts";

/** A value of D by which runs can be found: what is no list and no object. */
export type IndexedScalar = string | number | boolean | null;

/** A path into D in the application's own notation, and the value there; without one, nothing (of this kind) is there. */
export interface IndexedValue {
  readonly path: string;
  readonly value?: IndexedScalar;
}

/** A page of an ordered listing: `after` is the cursor that the page before returned. */
export interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}

/** A page and the cursor of the next one (null at the end). */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

/**
 * Which runs to list; absent members do not filter, those given hold together. Newest first.
 * `definition`: the version that the run is in now. `data`: all of these values are indexed for the run (`Turn.indexed`).
 */
export interface RunQuery extends PageQuery {
  readonly tenant: TenantId;
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly definition?: Hash;
  readonly businessKey?: string;
  readonly parent?: RunId;
  readonly data?: readonly Required<IndexedValue>[];
}

/** How many runs of a tenant have this workflow, definition and status. */
export interface RunCount {
  readonly tenant: TenantId;
  readonly workflow: string;
  readonly definition: Hash;
  readonly status: RunStatus;
  readonly count: number;
}

/** How many open items of a tenant are of this kind. */
export interface ItemCount {
  readonly tenant: TenantId;
  readonly kind: ItemKind;
  readonly count: number;
}

/** Counts of what is there, in no particular order; what there is none of is not listed. */
export interface StoreCounts {
  readonly runs: readonly RunCount[];
  readonly items: readonly ItemCount[];
}

/**
 * Which open items to list; oldest first; absent members do not filter, those given hold together.
 * `assignee`: claimed by. `candidateGroup`: offered to this group, claimed or not.
 * `dueBy`: due at this time or before it, and then the earliest due comes first; those of a suspended run are not due.
 * `actor` with `groups` is the work list of a person: what they have claimed, and what nobody has claimed and is offered
 * to them, to one of their groups, or (work items only) to nobody in particular.
 */
export interface ItemQuery extends PageQuery, ItemFilter {}

/** The items of an `ItemQuery`, counted up to `max`. */
export interface ItemCountQuery extends ItemFilter {
  readonly max: number;
}

/** Which open items; see `ItemQuery`. */
export interface ItemFilter {
  readonly tenant: TenantId;
  readonly run?: RunId;
  readonly kind?: OpenItem["kind"];
  readonly assignee?: string;
  readonly candidateGroup?: string;
  readonly actor?: string;
  readonly groups?: readonly string[];
  readonly dueBy?: number;
}
