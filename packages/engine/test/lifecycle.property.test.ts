/** @module Life cycles: the tables are the machines, and what runs follows the tables. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyStateMachine, createActor } from "xstate";
import { JOB_LIFECYCLE, JOB_MACHINE } from "../src/lifecycle/job.ts";
import { RUN_EVENT, RUN_LIFECYCLE, RUN_MACHINE } from "../src/lifecycle/run.ts";
import { nextState, tableOf } from "../src/lifecycle/table.ts";
import { WORK_ITEM_LIFECYCLE, WORK_ITEM_MACHINE } from "../src/lifecycle/work-item.ts";

type Table = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Law: any sequence of events leads an actor of the machine and the table to the same states. Oracle: the actor. */
function agrees(machine: AnyStateMachine, table: Table): void {
  const events = fc.array(fc.constantFrom(...(machine.events as readonly string[]), "noSuchEvent"), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(events, (word) => {
      const actor = createActor(machine).start();
      let state = String(actor.getSnapshot().value);
      for (const type of word) {
        const next = nextState(table as never, state as never, type as never);
        if (actor.getSnapshot().status === "done") {
          expect(next).toBeUndefined();
          break;
        }
        actor.send({ type });
        state = next ?? state;
        expect(state).toBe(String(actor.getSnapshot().value));
      }
      actor.stop();
    }),
  );
}

const CASES: readonly (readonly [name: string, machine: AnyStateMachine, table: Table])[] = [
  ["a run", RUN_MACHINE as never, RUN_LIFECYCLE],
  ["a work item", WORK_ITEM_MACHINE as never, WORK_ITEM_LIFECYCLE],
  ["a job", JOB_MACHINE as never, JOB_LIFECYCLE],
];

describe("life cycles", () => {
  for (const [name, machine, table] of CASES) {
    it(`[D9.10] the table of ${name} is its machine`, () => agrees(machine, table));

    it(`[D9.10] a table of ${name} with one entry wrong is caught`, () => {
      for (const [state, row] of table) {
        for (const event of row.keys()) {
          const wrong = new Map(
            [...table].map(([each, entries]) => [
              each,
              each === state ? new Map([...entries].filter(([key]) => key !== event)) : entries,
            ]),
          );
          const isReachable =
            [...table.values()].some((entries) => [...entries.values()].includes(state)) ||
            state === [...table.keys()][0];
          if (isReachable && row.get(event) !== state) expect(() => agrees(machine, wrong)).toThrow();
        }
      }
    });
  }

  it("[D9.10] [C20-09] [C20-83] completed, failed and cancelled absorb", () => {
    for (const status of ["completed", "failed", "cancelled"] as const)
      expect(RUN_LIFECYCLE.get(status)?.size).toBe(0);
    expect(Object.keys(RUN_EVENT).sort()).toEqual([...RUN_LIFECYCLE.keys()].sort());
  });

  it("[D9.10] the table is derived from the machine alone", () => {
    expect(tableOf(RUN_MACHINE as never)).toEqual(RUN_LIFECYCLE);
  });
});
