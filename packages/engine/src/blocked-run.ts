/** @module Background work on a run that a transaction of somebody else's holds: it goes on by itself, and nobody waits for it. */
import type { RunId, TenantId } from "@tessera/persist";
import type { Host } from "./host.ts";

/**
 * What `work` on a run comes to, or "blocked" as soon as a transaction of somebody else's keeps a turn of the run waiting.
 * Then `leave` is called first, and what it returns when the work has ended all the same. `work` does not reject.
 */
export function unlessBlocked<T>(
  { committer }: Host,
  { tenant, run }: { readonly tenant: TenantId; readonly run: RunId },
  work: Promise<T>,
  leave: () => () => void,
): Promise<T | "blocked"> {
  return new Promise((resolve) => {
    let after: (() => void) | null = null;
    const end = committer.whenBlocked(tenant, run, () => {
      after = leave();
      resolve("blocked");
    });
    void work.then((value) => {
      end();
      if (after === null) resolve(value);
      else after();
    });
  });
}
