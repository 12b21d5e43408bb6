/** @module The life of a work item: offered, claimed, and closed by its completion, its deadline or its run. */
import type { OpenItem } from "@tessera/core";
import { setup } from "xstate";
import { type LifecycleTable, tableOf } from "./table.ts";

/** Offered: to everybody whom it names. Claimed: somebody's. */
export type WorkItemState = "offered" | "claimed" | "completed" | "expired" | "withdrawn";

/** What happens to it. Reassign: to somebody. Offer: to a group, whoever had it before. */
export type WorkItemEvent = "claim" | "release" | "reassign" | "offer" | "complete" | "expire" | "withdraw";

/** The machine. */
export const WORK_ITEM_MACHINE = setup({
  types: { events: {} as { readonly type: WorkItemEvent } },
}).createMachine({
  id: "work-item",
  initial: "offered",
  states: {
    offered: {
      on: {
        claim: "claimed",
        reassign: "claimed",
        offer: "offered",
        complete: "completed",
        expire: "expired",
        withdraw: "withdrawn",
      },
    },
    claimed: {
      on: {
        release: "offered",
        reassign: "claimed",
        offer: "offered",
        complete: "completed",
        expire: "expired",
        withdraw: "withdrawn",
      },
    },
    completed: { type: "final" },
    expired: { type: "final" },
    withdrawn: { type: "final" },
  },
});

/** Its table. */
export const WORK_ITEM_LIFECYCLE: LifecycleTable<WorkItemState, WorkItemEvent> = tableOf(WORK_ITEM_MACHINE);

/** The state of an item that is open. */
export function workItemState(item: OpenItem): WorkItemState {
  return item.assignee === undefined ? "offered" : "claimed";
}
