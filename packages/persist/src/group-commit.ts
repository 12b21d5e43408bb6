/** @module Group commit: all turns that are ready when the event loop comes round share one commit and one flush. */
import { invariant } from "@tessera/core";
import { type CommitResult, type RunStore, StoreError, type Turn } from "./store.ts";
import { approximateBytes, checkTurn } from "./turn-check.ts";

/** Limits of a group, and of one turn. */
export interface GroupOptions {
  /** Turns of a group, at most (default 256). */
  readonly turnsMax?: number;
  /** Bytes of a group, about and at most (default 1 MiB); one turn may exceed it, alone. */
  readonly bytesMax?: number;
  /** Bytes of a turn, about and at most (default 64 MiB); above it the turn is refused with StoreError "limit". */
  readonly turnBytesMax?: number;
  /** Calls back when the present round of the event loop is over (default setImmediate). */
  readonly schedule?: (flush: () => void) => void;
}

/** Commits turns in groups. */
export interface GroupCommitter {
  /**
   * Commits a turn with whatever else is ready. First come, first committed: two turns of one run keep their order.
   * Rejects with the StoreError of its group (other groups are not concerned), or with what is wrong with this very turn.
   */
  readonly commit: (turn: Turn) => Promise<CommitResult>;
  /** Takes no more turns, commits those that it has, and resolves. Calling it again changes nothing. */
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly turn: Turn;
  readonly bytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * A committer before `store`. No timer is used: a turn waits for the end of the present round of the event loop, or for
 * the group before it to be committed. Groups are cut from the head of the queue, one at a time.
 *
 * @definition D10.5
 */
export function groupCommitter(store: Pick<RunStore, "commit">, options: GroupOptions = {}): GroupCommitter {
  const { turnsMax = 256, bytesMax = MIB, turnBytesMax = 64 * MIB, schedule = setImmediate } = options;
  invariant(turnsMax >= 1 && bytesMax >= 1, "D10.5", () => ({ turnsMax, bytesMax }));
  const queue: Waiting[] = [];
  const drained: (() => void)[] = [];
  let isBusy = false;
  let isClosed = false;

  /** Commits a group and answers its callers; never rejects. */
  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await store.commit(group.map(({ turn }) => turn));
      invariant(results.length === group.length, "D10.5", () => ({
        turns: group.length,
        results: results.length,
      }));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as CommitResult);
    } catch (fault) {
      // Nothing of the group was committed. What is wrong with one turn must not be its neighbours' fault.
      if (group.length > 1 && isOfOneTurn(fault)) for (const each of group) await commitGroup([each]);
      else for (const { reject } of group) reject(fault);
    }
  }

  async function flush(): Promise<void> {
    await commitGroup(takeGroup(queue, turnsMax, bytesMax));
    if (queue.length > 0) schedule(run);
    else {
      isBusy = false;
      for (const resolve of drained.splice(0)) resolve();
    }
  }
  // `flush` settles its callers and never rejects.
  const run = (): void => void flush();

  return {
    commit: (turn) =>
      new Promise((resolve, reject) => {
        checkTurn(turn);
        const bytes = approximateBytes(turn);
        if (isClosed) throw new StoreError("closed", "The committer is closed.");
        if (bytes > turnBytesMax)
          throw new StoreError("limit", `A turn of about ${bytes} bytes; the limit is ${turnBytesMax}.`);
        queue.push({ turn, bytes, resolve, reject });
        if (!isBusy) {
          isBusy = true;
          schedule(run);
        }
      }),
    close: () => {
      isClosed = true;
      return isBusy ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve();
    },
  };
}

const MIB = 1_048_576;

/** Is it a bug in a turn, or a turn that is too large, rather than a fault of the environment? */
function isOfOneTurn(fault: unknown): boolean {
  return !(fault instanceof StoreError) || fault.code === "limit";
}

/** The longest prefix of the queue within the limits, at least one turn. */
function takeGroup(queue: Waiting[], turnsMax: number, bytesMax: number): readonly Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const waiting of queue) {
    bytes += waiting.bytes;
    if (count > 0 && (count >= turnsMax || bytes > bytesMax)) break;
    count += 1;
  }
  return queue.splice(0, count);
}
