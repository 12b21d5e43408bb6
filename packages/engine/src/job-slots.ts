/** @module The slots of an engine for jobs: who has one, and which jobs are claimed for those that are free. */
import type { ClaimedEffect, EffectClaim, TenantId, Turn } from "@tessera/persist";
import { type Host, keyOf } from "./host.ts";

/** Whose slots they are, how many, and whether jobs are taken at all now. */
export interface SlotOptions {
  readonly owner: string;
  readonly concurrency: number;
  readonly isOpen: () => boolean;
}

/** Slots. A claimed job has one until it leaves. */
export interface JobSlots {
  /** Claims jobs that wait in the store: for half of the free slots, or for all where some had to wait before. */
  readonly claim: (now: number) => Promise<readonly ClaimedEffect[]>;
  /** Could the last `claim` have found more for the slots that are still free? */
  readonly mayFindMore: () => boolean;
  /**
   * What this engine claims of a turn that it is about to commit: jobs that can begin at once, one for each free slot;
   * none while others may wait in the store, which came first.
   */
  readonly claimOf: (turn: Turn) => EffectClaim | null;
  /** The turn was not committed. True when jobs may wait for the slots that are free now. */
  readonly giveUp: (claim: EffectClaim) => boolean;
  /** The job begins. */
  readonly enter: (claimed: ClaimedEffect) => void;
  /** A turn has completed these effects: their jobs leave nothing behind. */
  readonly settle: (tenant: TenantId, effects: readonly string[]) => void;
  /** The job is over. True when jobs may wait: it may come up again itself, or there was no slot for others. */
  readonly leave: (claimed: ClaimedEffect) => boolean;
  /** Was there no slot when last looked? */
  readonly isFull: () => boolean;
}

/** Free slots for jobs over a host. */
export function jobSlots(host: Host, { owner, concurrency, isOpen }: SlotOptions): JobSlots {
  const unsettled = new Set<string>();
  let taken = 0;
  let isFull = false;
  let isMore = false;
  const nameOf = ({ tenant, effect }: ClaimedEffect): string => keyOf(tenant, effect.id);
  return {
    claim: async (now) => {
      const free = concurrency - taken;
      const mayWait = isFull || isMore;
      isFull = free <= 0;
      if (isFull) return [];
      // The other half is for turns that are committed meanwhile: their jobs would have to be looked for otherwise. Where
      // jobs wait, turns claim none: under a load that never ends those that wait would be passed over for ever.
      const wanted = mayWait ? free : Math.ceil(free / 2);
      taken += wanted;
      let found: readonly ClaimedEffect[] = [];
      try {
        found = await host.store.claimEffects(owner, now, host.limits.leaseMs, wanted, ["job"]);
      } finally {
        taken += found.length - wanted;
      }
      isMore = found.length === wanted;
      return found;
    },
    mayFindMore: () => isMore,
    claimOf: ({ effects: { add } }) => {
      const now = host.clock.now();
      const free = isOpen() && !isFull && !isMore ? concurrency - taken : 0;
      if (free <= 0 || add.length === 0) return null;
      const ready = add.filter(({ kind, availableAt }) => kind === "job" && availableAt <= now);
      if (ready.length === 0) return null;
      const effects = ready.slice(0, free).map(({ id }) => id);
      taken += effects.length;
      return { owner, leaseUntil: now + host.limits.leaseMs, effects };
    },
    giveUp: ({ effects }) => {
      taken -= effects.length;
      return isFull;
    },
    enter: (claimed) => void unsettled.add(nameOf(claimed)),
    settle: (tenant, effects) => {
      for (const id of effects) unsettled.delete(keyOf(tenant, id));
    },
    // What the job left is told by `settle`: a turn that completed its effect.
    leave: (claimed) => {
      taken -= 1;
      return unsettled.delete(nameOf(claimed)) || isFull;
    },
    isFull: () => isFull,
  };
}
