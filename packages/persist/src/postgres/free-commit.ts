/** @module Committing what of a group no other transaction is in the way of: the rest is told of, and keeps nobody waiting. */
import type { CommitResult, Turn } from "../store.ts";
import { commitFree } from "./commit.ts";
import { concernedBy } from "./driver.ts";
import { isLockTimeout, passes } from "./faults.ts";
import { committing, type Host, postLockTimeout } from "./host.ts";
import { LOCK_MS } from "./patience.ts";

/**
 * How long one statement waits for a row that another transaction is making (or holds as none of those that are looked at
 * first), in ms: longer than another store's commit mostly takes.
 */
const MAKING_MS = 100;

/** The same after it was once waited so long in a call: others may be in the way of each turn of the group. */
const MAKING_AGAIN_MS = 20;

/**
 * Commits the turns that are free, in one transaction: their results, in their order; the others are told by their places.
 * Held rows are passed over (D10.23). What another transaction is making cannot be seen, only waited for: the turn whose
 * statement waits too long for it is left out, and the group is done again without it. Cost: at most one such wait for
 * each turn that is left out in this way.
 */
export async function committingFree(
  host: Host,
  turns: readonly Turn[],
  salts: readonly Uint8Array[],
  onBlocked: (turn: number) => void,
): Promise<readonly CommitResult[]> {
  const blocked = new Set<number>();
  const isWorthAgain = (fault: unknown): boolean =>
    passes(fault) && !(isLockTimeout(fault) && concernedBy(fault) !== null);
  for (let lockMs = MAKING_MS; blocked.size < turns.length; lockMs = MAKING_AGAIN_MS) {
    const tried = turns.flatMap((turn, place) => (blocked.has(place) ? [] : [{ turn, place }]));
    try {
      const results = await committing(
        host,
        async (into) => {
          const found = await commitFree(
            into,
            tried.map(({ turn }) => turn),
            tried.map(({ place }) => salts[place] as Uint8Array),
          );
          // Counts and the mark are waited for like anything of the store's own.
          postLockTimeout(into.session, LOCK_MS);
          return found;
        },
        { lockMs, isWorthAgain },
      );
      tried.forEach(({ place }, at) => {
        if (results[at] === null) blocked.add(place);
      });
      for (const place of [...blocked].sort((a, b) => a - b)) onBlocked(place);
      return results.filter((result) => result !== null);
    } catch (fault) {
      const concerned = isLockTimeout(fault) ? concernedBy(fault) : null;
      if (concerned === null) throw fault;
      for (const at of concerned) leaveOut(turns, tried[at]?.place ?? 0, blocked);
    }
  }
  for (const place of turns.keys()) onBlocked(place);
  return [];
}

/** A turn is left out with those of its run behind it: they keep their order. */
function leaveOut(turns: readonly Turn[], place: number, blocked: Set<number>): void {
  const { tenant, run } = turns[place] as Turn;
  for (const [other, turn] of turns.entries())
    if (other >= place && turn.tenant === tenant && turn.run === run) blocked.add(other);
}
