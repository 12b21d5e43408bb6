/** @module The observer port: what an engine tells those who measure it. Without one nothing is measured. */
import type { Hash, NodeId, Outcome, RunStatus, StepRecord, Trouble, TurnInput } from "@tessera/core";
import type { RunId, RunStore, StoreCounts, TenantId } from "@tessera/persist";
import type { Committed, Host } from "./host.ts";
import type { Logger } from "./logger.ts";
import { thrownText } from "./trouble.ts";

/** A step of a committed turn; `since`: when the item that it answers was opened, else the time of the turn. Times in ms. */
export interface ObservedStep {
  readonly node: NodeId | null;
  readonly outcome: Outcome | null;
  readonly trouble: Trouble | null;
  readonly since: number;
}

/** A committed turn. `lateMs`: how late a timer fired, null for other inputs. */
export interface ObservedTurn {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly workflow: string;
  readonly definition: Hash;
  readonly sequence: number;
  readonly input: TurnInput["kind"];
  readonly at: number;
  readonly status: RunStatus;
  readonly steps: readonly ObservedStep[];
  readonly trouble: Trouble | null;
  readonly lateMs: number | null;
}

/** What can be asked of an engine now and then. */
export interface EngineFigures {
  readonly counts: () => Promise<StoreCounts>;
  /** How long the most overdue timer has been due, 0 when none is. */
  readonly timerLagMs: () => Promise<number>;
}

/** Told of what happens. It must not throw; one that does is reported to the logger and otherwise ignored. */
export interface Observer {
  /** The engine is made. */
  readonly begin?: (figures: EngineFigures) => void;
  readonly turn?: (turn: ObservedTurn) => void;
  /** The store has answered so many turns of a group, at least one, after `ms`; or it has failed, for so many. */
  readonly commit?: (group: {
    readonly turns: number;
    readonly ms: number;
    readonly isFailed: boolean;
  }) => void;
  /** The engine is closed. */
  readonly end?: () => void;
}

/** The store with every commit measured. */
export function observedStore(store: RunStore, observer: Observer, logger: Logger): RunStore {
  const tell = told(logger);
  return {
    ...store,
    commit: async (turns, onBlocked) => {
      const from = performance.now();
      // Those that another transaction keeps waiting are not answered: they are counted when they are.
      let answered: number | null = null;
      try {
        const results = await store.commit(turns, onBlocked);
        answered = results.length;
        return results;
      } finally {
        const ms = performance.now() - from;
        const group = { turns: answered ?? turns.length, ms, isFailed: answered === null };
        if (answered !== 0) tell(() => observer.commit?.(group));
      }
    },
  };
}

/** Tells the observer of every turn of a host, and of its end by the function returned. */
export function observeHost(host: Host, observer: Observer): () => void {
  const tell = told(host.logger);
  tell(() =>
    observer.begin?.({
      counts: () => host.store.counts(),
      timerLagMs: async () => {
        const due = await host.store.nextDue();
        const [start] = await host.store.startTimers({ limit: 1 });
        const now = host.clock.now();
        return Math.max(0, now - (due ?? now), now - (start?.dueAt ?? now));
      },
    }),
  );
  host.listeners.push((committed) => tell(() => observer.turn?.(observedTurn(committed))));
  return () => tell(() => observer.end?.());
}

/**
 * A committed turn as observers see it.
 *
 * @definition D9.27
 */
export function observedTurn({ before, live, record }: Committed): ObservedTurn {
  const { at, input, sequence, terminal } = record;
  const openedAt = new Map<string, number>(
    (before?.state.items ?? []).map(({ id, openedAt: since }) => [id, since]),
  );
  const steps = record.steps.map((step): ObservedStep => {
    const seen = stepSince(step, openedAt, at);
    for (const item of step.opened ?? []) openedAt.set(item.id, item.openedAt);
    return {
      node: step.node ?? null,
      outcome: step.outcome ?? null,
      trouble: step.trouble ?? null,
      since: seen,
    };
  });
  return {
    tenant: live.tenant,
    run: live.run,
    workflow: live.workflow,
    definition: live.state.definition,
    sequence,
    input: input.kind,
    at,
    status: live.state.status,
    steps,
    trouble: terminal?.kind === "failed" ? terminal.trouble : null,
    lateMs: input.kind === "timer" ? Math.max(0, at - input.dueAt) : null,
  };
}

/** When the oldest item that a step closes was opened, else the time of its turn. */
function stepSince({ closed = [] }: StepRecord, openedAt: ReadonlyMap<string, number>, at: number): number {
  return Math.min(at, ...closed.flatMap((item) => openedAt.get(item) ?? []));
}

function told(logger: Logger): (tell: () => void) => void {
  return (tell) => {
    try {
      tell();
    } catch (error) {
      logger.error("an observer threw", { error: thrownText(error) });
    }
  };
}
