/** @module The life of a run: it moves between running and waiting, and ends in one of three ways, for ever. */
import type { RunStatus } from "@tessera/core";
import { setup } from "xstate";
import { type LifecycleTable, tableOf } from "./table.ts";

/** What a turn can make of a run: it goes on, it comes to rest, or it ends. */
export type RunEvent = "goesOn" | "rests" | "completes" | "fails" | "isCancelled";

const living = {
  on: {
    goesOn: "running",
    rests: "waiting",
    completes: "completed",
    fails: "failed",
    isCancelled: "cancelled",
  },
} as const;

/** The machine of C20's five statuses: completed, failed and cancelled absorb. */
export const RUN_MACHINE = setup({ types: { events: {} as { readonly type: RunEvent } } }).createMachine({
  id: "run",
  initial: "running",
  states: {
    running: living,
    waiting: living,
    completed: { type: "final" },
    failed: { type: "final" },
    cancelled: { type: "final" },
  },
});

/** Its table. */
export const RUN_LIFECYCLE: LifecycleTable<RunStatus, RunEvent> = tableOf(RUN_MACHINE);

/** The event that a turn with this derived status is. */
export const RUN_EVENT: Readonly<Record<RunStatus, RunEvent>> = {
  running: "goesOn",
  waiting: "rests",
  completed: "completes",
  failed: "fails",
  cancelled: "isCancelled",
};
