/** @module Rows of the journals of a run and of a graph, as a store shows them. */
import type { Hash, Mutation, TurnRecord } from "@tessera/core";
import type { RunId } from "./store.ts";

/**
 * A journal row: `head` = sha256 over (previous head, sequence, payload hash); the payload hash is salted, so that an
 * erased payload leaves the chain verifiable. `record` is null when erased, and when the payload is not the one that was
 * committed and cannot be read: `verifyChain` names that row.
 */
export interface JournalRow {
  readonly sequence: number;
  readonly previous: Hash;
  readonly head: Hash;
  readonly payloadHash: Hash;
  readonly salt: string | null;
  /** The encoded record as stored, null when erased. */
  readonly payload: Uint8Array | null;
  readonly record: TurnRecord | null;
  readonly erased: { readonly by: string; readonly reason: string; readonly at: number } | null;
}

/** A turn that changed a graph: the graph's sequence after it, who made it, its mutations in order (null when erased or pruned). */
export interface GraphRow {
  readonly sequence: number;
  readonly run: RunId;
  readonly runSequence: number;
  readonly mutations: readonly Mutation[] | null;
}
