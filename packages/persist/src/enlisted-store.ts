/** @module The store within a transaction that the application has begun on a connection of its own. */
import type { RunStore, SyncStore } from "./store.ts";

/**
 * What is committed takes effect when the application commits. Rejects with StoreError `misuse` where no transaction is open,
 * or not one that is READ COMMITTED; `busy` where another transaction holds what is asked for, for longer than is waited for.
 */
export type EnlistedStore = Pick<RunStore, keyof SyncStore>;
