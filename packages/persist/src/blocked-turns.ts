/** @module Turns for which another transaction is in the way: they wait aside, run by run, and are tried again together. */
import { type RunId, StoreError, type TenantId, type Turn } from "./store.ts";

/** A turn whose caller has no answer yet. */
export interface Unanswered {
  readonly turn: Turn;
  readonly reject: (fault: unknown) => void;
}

/** How long and how often a turn is tried for which another transaction is in the way. */
export interface BlockedOptions {
  /** It is given up as `busy` after this many ms, about (default 10,000). */
  readonly patienceMs?: number;
  /** The first wait in ms; each is a quarter longer than the one before (default 2). */
  readonly waitMs?: number;
  /** The longest wait in ms (default 200). */
  readonly waitMaxMs?: number;
  /** A number in [0, 1), so that two processes do not wait in step (default Math.random). */
  readonly random?: () => number;
  /** Waits (default setTimeout). */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** Turns that wait aside. */
export interface BlockedTurns<W extends Unanswered> {
  /** Does a turn of this run wait? Then those that come wait behind it. */
  readonly has: (turn: Turn) => boolean;
  /** Has a turn wait, behind those of its run. */
  readonly add: (waiting: W) => void;
  readonly isEmpty: () => boolean;
  /** Calls `tell` once, when a turn of this run waits, until the function returned is called. */
  readonly when: (tenant: TenantId, run: RunId, tell: () => void) => () => void;
}

/** A run with turns that wait, in their order. */
interface Run<W> {
  turns: { readonly waiting: W; waitedMs: number }[];
  /** Of the next wait. */
  delayMs: number;
}

/** Slow: where others only come and go, as on a graph that many write, nobody waits long for having been unlucky often. */
const GROWTH = 1.25;

/**
 * Nobody waits yet. Each run is tried again after a growing time of its own; those whose time has come are tried together,
 * one group at a time. `take`: how many of them one group may have; `commit`: commits a group, answers its callers, and
 * returns the turns that are still in nobody's hands, in their order; `emptied`: nobody waits any longer.
 */
export function blockedTurns<W extends Unanswered>(
  {
    take,
    commit,
    emptied,
  }: {
    readonly take: (candidates: readonly W[]) => number;
    readonly commit: (group: readonly W[]) => Promise<readonly W[]>;
    readonly emptied: () => void;
  },
  options: BlockedOptions,
): BlockedTurns<W> {
  const { patienceMs = 10_000, waitMs = 2, waitMaxMs = 200, random = Math.random, sleep = wait } = options;
  const runs = new Map<string, Run<W>>();
  const due = new Set<string>();
  const told = listeners();
  let isBusy = false;

  function schedule(key: string, run: Run<W>): void {
    const ms = run.delayMs * (0.5 + random() / 2);
    run.delayMs = Math.min(waitMaxMs, run.delayMs * GROWTH);
    void sleep(ms).then(() => {
      for (const each of run.turns) each.waitedMs += ms;
      due.add(key);
      if (!isBusy) void tryAll();
    });
  }

  /** `commit` answers its callers and never rejects; nor does this. */
  async function tryAll(): Promise<void> {
    isBusy = true;
    while (due.size > 0) await tryGroup();
    isBusy = false;
    if (runs.size === 0) emptied();
  }

  async function tryGroup(): Promise<void> {
    const keys = [...due];
    const candidates = keys.flatMap((key) => (runs.get(key) as Run<W>).turns.map(({ waiting }) => waiting));
    const group = new Set(candidates.slice(0, take(candidates)));
    // A run that did not fit in whole is due still: its other turns come after these.
    for (const key of keys) {
      const { turns } = runs.get(key) as Run<W>;
      if (turns.every(({ waiting }) => group.has(waiting))) due.delete(key);
    }
    const blocked = new Set(await commit([...group]));
    for (const key of keys) {
      const run = runs.get(key) as Run<W>;
      if (run.turns.some(({ waiting }) => group.has(waiting))) after(key, run, group, blocked);
    }
  }

  function after(key: string, run: Run<W>, group: ReadonlySet<W>, blocked: ReadonlySet<W>): void {
    const left = run.turns.filter(({ waiting }) => !group.has(waiting) || blocked.has(waiting));
    run.turns = left.filter(({ waiting, waitedMs }) => {
      if (!blocked.has(waiting) || waitedMs < patienceMs) return true;
      waiting.reject(givenUp(waiting.turn, waitedMs));
      return false;
    });
    if (run.turns.length === 0) {
      runs.delete(key);
      due.delete(key);
      return;
    }
    // What is behind a blocked turn waits with it, also what did not fit into the group.
    if (left.some(({ waiting }) => blocked.has(waiting))) due.delete(key);
    else run.delayMs = waitMs;
    if (!due.has(key)) schedule(key, run);
  }

  return {
    has: ({ tenant, run }) => runs.has(runKey(tenant, run)),
    add: (waiting) => {
      const key = runKey(waiting.turn.tenant, waiting.turn.run);
      const known = runs.get(key);
      if (known !== undefined) {
        known.turns.push({ waiting, waitedMs: 0 });
        return;
      }
      const run: Run<W> = { turns: [{ waiting, waitedMs: 0 }], delayMs: waitMs };
      runs.set(key, run);
      schedule(key, run);
      told.tell(key);
    },
    isEmpty: () => runs.size === 0,
    when: (tenant, run, tell) => {
      const key = runKey(tenant, run);
      if (runs.has(key)) {
        tell();
        return () => {};
      }
      return told.add(key, tell);
    },
  };
}

/** Those who want to be told once of something with a key. */
function listeners(): {
  readonly add: (key: string, tell: () => void) => () => void;
  readonly tell: (key: string) => void;
} {
  const all = new Map<string, Set<() => void>>();
  return {
    add: (key, tell) => {
      const those = all.get(key) ?? new Set();
      all.set(key, those.add(tell));
      return () => {
        those.delete(tell);
        if (those.size === 0 && all.get(key) === those) all.delete(key);
      };
    },
    tell: (key) => {
      const those = all.get(key) ?? [];
      all.delete(key);
      for (const tell of those) tell();
    },
  };
}

/** The key of a run: the length says where the tenant ends. */
export function runKey(tenant: TenantId, run: RunId): string {
  return `${tenant.length}/${tenant}/${run}`;
}

function givenUp({ run }: Turn, waitedMs: number): StoreError {
  const time = `${Math.round(waitedMs)} ms`;
  const message = `A turn of run "${run}" has waited ${time} for another transaction that is open and holds what it changes. \
If it is one of the application's in which turns joined, end it; what waits for it cannot be awaited in it.`;
  return new StoreError("busy", message);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
