/** @module Faults that both stores raise in the same words. */
import type { Issue, Result } from "@tessera/core";
import { StoreError } from "./store.ts";

/** The value, or StoreError: "schema" if a newer version wrote it, "corrupt" otherwise, with the issues as cause. */
export function valueOrCorrupt<T>(result: Result<T, readonly Issue[]>): T {
  if (result.ok) return result.value;
  const isNewer = result.issues.some(({ code }) => code === "JOURNAL002");
  const message = result.issues.map(({ message: sentence }) => sentence).join(" ");
  throw new StoreError(isNewer ? "schema" : "corrupt", message, { cause: result.issues });
}

/** What the body of a transaction returned; throws if that is a promise, whose writes would come too late. */
export function synchronousBody<T>(returned: T): T {
  const isPromise = typeof (returned as { readonly then?: unknown } | null | undefined)?.then === "function";
  if (!isPromise) return returned;
  // The promise is not waited for; whatever becomes of it is no longer this transaction's business.
  (returned as unknown as Promise<unknown>).then(undefined, () => undefined);
  throw new StoreError(
    "misuse",
    "The body of a transaction must be synchronous; this one returned a promise.",
  );
}
