/** @module One open SQLite store: its session, and the three ways in: later, reading, writing. */
import { type GraphCache, updateCache } from "../graph-cache.ts";
import { StoreError } from "../store.ts";
import type { Session } from "./driver.ts";
import { type BusyOptions, whenFree } from "./faults.ts";
import { committing, reading } from "./transactions.ts";
import { type Writing, writing } from "./writing.ts";

/** What the methods of a store share. */
export interface Host {
  readonly session: Session;
  readonly cache: GraphCache;
  readonly busy: BusyOptions;
  /** 16 random bytes. */
  readonly salt: () => Uint8Array;
  isClosed: boolean;
}

/** Throws StoreError "closed" after `close`, ours or that of the application's handle. */
export function demandOpen({ isClosed, session }: Host): void {
  if (isClosed || !session.db.open) throw new StoreError("closed", "The store is closed.");
}

/** A consistent read, at once if no checkpoint is in the way. */
export function readLater<T>(host: Host, work: () => T): Promise<T> {
  return whenFree(() => {
    demandOpen(host);
    return reading(host.session, work);
  }, host.busy);
}

/** A durable write, at once if no other process writes. */
export function writeLater<T>(host: Host, work: (into: Writing) => T): Promise<T> {
  return whenFree(() => {
    demandOpen(host);
    return writeNow(host, work);
  }, host.busy);
}

/** A durable write now; StoreError "busy" if another process writes. What `work` throws is thrown on as it is. */
export function writeNow<T>({ session, cache }: Host, work: (into: Writing) => T): T {
  const { value, graphs } = committing(session, () => writing(session, work));
  updateCache(cache, graphs);
  return value;
}
