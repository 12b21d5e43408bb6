/** @module Group commit: all turns that are ready when the event loop comes round share one commit and one flush. */
import { invariant } from "@tessera/core";
import { type BlockedOptions, blockedTurns, runKey } from "./blocked-turns.ts";
import {
  type CommitResult,
  type RunId,
  type RunStore,
  StoreError,
  type TenantId,
  type Turn,
} from "./store.ts";
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
  /** How long and how often a turn is tried for which another transaction is in the way. */
  readonly blocked?: BlockedOptions;
}

/** Commits turns in groups. */
export interface GroupCommitter {
  /**
   * Commits a turn with whatever else is ready. First come, first committed: two turns of one run keep their order.
   * Rejects with the StoreError of its group (other groups are not concerned), with what is wrong with this very turn, or
   * as `busy` if a transaction of somebody else's stays open that holds what it changes.
   */
  readonly commit: (turn: Turn) => Promise<CommitResult>;
  /** The same; `onBlocked` is called once if another transaction keeps the turn waiting: from then on it claims nothing (D10.25). */
  readonly commitClaiming: (turn: Turn, onBlocked: () => void) => Promise<CommitResult>;
  /**
   * Calls `tell` once, as soon as another transaction keeps a turn of a run waiting, at once if it does already: then nobody
   * should wait for what is done to this run who has other things to do. Ends with the function returned.
   */
  readonly whenBlocked: (tenant: TenantId, run: RunId, tell: () => void) => () => void;
  /** Takes no more turns, commits those that it has, and resolves. Calling it again changes nothing. */
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly turn: Turn;
  readonly bytes: number;
  readonly onBlocked: (() => void) | null;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * A committer before `store`. No timer is used: a turn waits for the end of the present round of the event loop, or for
 * the group before it to be committed. Groups are cut from the head of the queue, one at a time. Only a turn for which
 * another transaction is in the way waits by time, beside the queue, with the turns of its run behind it.
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
  const take = (candidates: readonly Waiting[]): number => prefix(candidates, turnsMax, bytesMax);
  const commit = (group: readonly Waiting[]): Promise<readonly Waiting[]> => commitGroup(store, group);
  const aside = blockedTurns<Waiting>({ take, commit, emptied: rest }, options.blocked ?? {});

  /** Whoever waits for the end of all of it is told. */
  function rest(): void {
    if (!isBusy && aside.isEmpty()) for (const resolve of drained.splice(0)) resolve();
  }

  async function flush(): Promise<void> {
    for (const blocked of await commit(queue.splice(0, take(queue)))) setAside(blocked);
    // What came meanwhile for one of their runs comes behind them.
    if (!aside.isEmpty())
      for (const each of queue.splice(0)) (aside.has(each.turn) ? setAside : enqueue)(each);
    if (queue.length > 0) schedule(run);
    else {
      isBusy = false;
      rest();
    }
  }
  // `flush` settles its callers and never rejects.
  const run = (): void => void flush();
  const enqueue = (waiting: Waiting): void => void queue.push(waiting);
  const setAside = (waiting: Waiting): void => {
    waiting.onBlocked?.();
    aside.add({ ...waiting, turn: withoutClaim(waiting.turn) });
  };

  const commitTurn = (turn: Turn, onBlocked: (() => void) | null): Promise<CommitResult> =>
    new Promise((resolve, reject) => {
      checkTurn(turn);
      const bytes = approximateBytes(turn);
      if (isClosed) throw new StoreError("closed", "The committer is closed.");
      if (bytes > turnBytesMax)
        throw new StoreError("limit", `A turn of about ${bytes} bytes; the limit is ${turnBytesMax}.`);
      const waiting = { turn, bytes, onBlocked, resolve, reject };
      if (aside.has(turn)) return setAside(waiting);
      enqueue(waiting);
      if (!isBusy) {
        isBusy = true;
        schedule(run);
      }
    });

  return {
    commit: (turn) => commitTurn(turn, null),
    commitClaiming: commitTurn,
    whenBlocked: aside.when,
    close: () => {
      isClosed = true;
      return isBusy || !aside.isEmpty() ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve();
    },
  };
}

/**
 * Commits a group and answers its callers, but those of turns for which another transaction is in the way: these turns, in
 * their order, are what it returns. Never rejects.
 */
async function commitGroup(
  store: Pick<RunStore, "commit">,
  group: readonly Waiting[],
): Promise<readonly Waiting[]> {
  const blocked = new Set<number>();
  try {
    const results = await store.commit(
      group.map(({ turn }) => turn),
      (turn) => void blocked.add(turn),
    );
    const judged = group.filter((_, place) => !blocked.has(place));
    invariant(results.length === judged.length, "D10.5", () => ({
      turns: judged.length,
      results: results.length,
    }));
    for (const [index, { resolve }] of judged.entries()) resolve(results[index] as CommitResult);
    return group.filter((_, place) => blocked.has(place));
  } catch (fault) {
    // Nothing of the group was committed. What is wrong with one turn must not be its neighbours' fault.
    if (group.length > 1 && isOfOneTurn(fault)) return commitOneByOne(store, group);
    for (const { reject } of group) reject(fault);
    return [];
  }
}

async function commitOneByOne(
  store: Pick<RunStore, "commit">,
  group: readonly Waiting[],
): Promise<readonly Waiting[]> {
  const blocked: Waiting[] = [];
  const runs = new Set<string>();
  for (const each of group) {
    const key = runKey(each.turn.tenant, each.turn.run);
    const left = runs.has(key) ? [each] : await commitGroup(store, [each]);
    if (left.length > 0) runs.add(key);
    blocked.push(...left);
  }
  return blocked;
}

/** When it is committed at last a lease that was counted from before may be over, and who claimed may have no room any more. */
function withoutClaim(turn: Turn): Turn {
  if (turn.effects.claim === undefined) return turn;
  const { add, done } = turn.effects;
  return { ...turn, effects: { add, done } };
}

const MIB = 1_048_576;

/** Is it a bug in a turn, or a turn that is too large, rather than a fault of the environment? */
function isOfOneTurn(fault: unknown): boolean {
  return !(fault instanceof StoreError) || fault.code === "limit";
}

/** How long the longest prefix of the queue within the limits is, at least one turn. */
function prefix(queue: readonly Waiting[], turnsMax: number, bytesMax: number): number {
  let bytes = 0;
  let count = 0;
  for (const waiting of queue) {
    bytes += waiting.bytes;
    if (count > 0 && (count >= turnsMax || bytes > bytesMax)) break;
    count += 1;
  }
  return count;
}
