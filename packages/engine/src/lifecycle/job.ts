/** @module The life of a job: asked for, called, answered; tried again; held for an operator; withdrawn. */
import { setup } from "xstate";
import { type LifecycleTable, tableOf } from "./table.ts";

/** Pending: in the outbox. Called: a worker has it. Held: an intervention stands in its place. */
export type JobState = "pending" | "called" | "held" | "answered" | "withdrawn";

/** What happens to it. `retry`: a failed attempt that the policy repeats, or an operator. `giveBack`: the lease ends. */
export type JobEvent = "claim" | "answer" | "retry" | "hold" | "giveBack" | "withdraw";

/** The machine. */
export const JOB_MACHINE = setup({ types: { events: {} as { readonly type: JobEvent } } }).createMachine({
  id: "job",
  initial: "pending",
  states: {
    pending: { on: { claim: "called", withdraw: "withdrawn" } },
    called: {
      on: {
        answer: "answered",
        retry: "pending",
        hold: "held",
        giveBack: "pending",
        claim: "called",
        withdraw: "withdrawn",
      },
    },
    held: { on: { retry: "pending", withdraw: "withdrawn" } },
    answered: { type: "final" },
    withdrawn: { type: "final" },
  },
});

/** Its table. */
export const JOB_LIFECYCLE: LifecycleTable<JobState, JobEvent> = tableOf(JOB_MACHINE);
