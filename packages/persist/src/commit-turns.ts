/** @module How a store is asked to commit turns, and how it leaves out those that another transaction keeps waiting. */
import type { CommitResult, Turn } from "./store.ts";

/**
 * Commits turns in their order, in one transaction with one flush: their results. What another transaction holds is waited
 * for, a bounded time (then StoreError `busy`).
 *
 * With `onBlocked`, what a transaction holds that stays open keeps nobody waiting but its own turns: they are left out, told
 * of by their places, and not judged; the results are those of all other turns, in their order. A turn is left out too
 * behind one of its run that was. Stores in which nobody else can hold a part of the data never call it.
 */
export type CommitTurns = (
  turns: readonly Turn[],
  onBlocked?: (turn: number) => void,
) => Promise<readonly CommitResult[]>;
