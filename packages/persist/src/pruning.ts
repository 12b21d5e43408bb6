/** @module Pruning: what is to go, what is asked of a store, and the anchor that stands for the turns that are gone. */
import type { Hash, RunState } from "@tessera/core";
import type { PageQuery } from "./query.ts";
import type { RunRow, TenantId } from "./store.ts";
import { hasEnded } from "./turn-check.ts";

/** Which runs of a tenant to list: those that are to be pruned before a time (ms since the epoch), the first to end first. */
export interface PrunableQuery extends PageQuery {
  readonly tenant: TenantId;
  readonly before: number;
}

/** The time of the last turn of a run that is to be pruned before every later time (D10.28); null for every other run. */
export function prunableAt({
  status,
  sequence,
  prunedTo,
  updatedAt,
}: Pick<RunRow, "status" | "sequence" | "prunedTo" | "updatedAt">): number | null {
  return hasEnded(status) && prunedTo < sequence ? updatedAt : null;
}

/** The turns up to `sequence` are to go; `state` is the run after that turn, which is kept in their place. */
export interface Pruning {
  readonly sequence: number;
  readonly state: RunState;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** What stands for the pruned turns of a run: where its chain and its fold begin now. */
export interface Anchor {
  readonly sequence: number;
  /** The head of the chain after the last turn that is gone. */
  readonly head: Hash;
  /** SHA-256 of the encoded state that was put in their place. */
  readonly state: Hash;
  /** SHA-256 of the encoded state as it is kept; null when an erasure has taken it. Another one than `state`: changed. */
  readonly kept: Hash | null;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/**
 * What became of a pruning. already: these turns are gone. absent: no such run or turn. erased: the run has ended and one of
 * these turns was erased, so that no state after it may be kept; the one that was given is from before the erasure.
 */
export type PruneResult = "pruned" | "already" | "absent" | "erased";
