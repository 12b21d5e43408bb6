/** @module Signals in a simulation: to whom each was handed, and that each of those has it once. */
import type { RunState } from "@tessera/core";
import type { Turn } from "@tessera/persist";
import { awaited, type FoldedRuns, openItems } from "./receivers.ts";
import { violated } from "./violation.ts";

/** A signal that an item waited for when it was given. */
interface Owed {
  readonly run: string;
  readonly item: string;
  readonly event: string;
  readonly name: string;
}

/** Signals that are on their way. */
export interface Signals {
  /** A signal was given: it is owed to everybody who waits now. Their number. */
  readonly given: (name: string) => number;
  /** A turn was taken, after which the run is `after`. */
  readonly turned: (turn: Turn, after: RunState) => void;
  /** Does an item wait for a signal that was given? */
  readonly areOwed: () => boolean;
  /** Nothing is on its way any more. */
  readonly settled: () => void;
}

/**
 * A signal reaches each item that waited for it when it was given, by one turn, unless the item was closed or full
 * before; and it reaches nobody else (D17.14).
 */
export function makeSignals(runs: FoldedRuns): Signals {
  let owed: Owed[] = [];
  const done = new Set<string>();
  return {
    given: (name) => {
      const receivers = [...runs].flatMap(([run, { state }]) =>
        state.suspension !== undefined
          ? []
          : openItems(state).flatMap((item) =>
              awaited(item, "signal", name).map(({ event }) => ({ run, item: item.id, event, name })),
            ),
      );
      owed.push(...receivers);
      return receivers.length;
    },
    turned: ({ run, record: { input, sequence }, effects }, after) => {
      if (input.kind === "event" && input.on === "signal") {
        const { item, event, name } = input;
        const where = `${run}@${sequence}`;
        const effect = effects.done.find((id) => id.startsWith(`${run}/${item}/signal@`));
        if (effect === undefined) violated(`${where} has the signal "${name}", which nobody handed to it`);
        if (done.size === done.add(effect).size) violated(`${where} has the signal ${effect} a second time`);
        const at = owed.findIndex((each) => each.run === run && each.item === item && each.event === event);
        if (at === -1)
          violated(`${where} has the signal "${name}", for which it did not wait when it was given`);
        owed.splice(at, 1);
      }
      // A wait that another event has ended, or that is full for now, has no claim on what is under way.
      owed = owed.filter((each) => each.run !== run || isOpen(after, each));
    },
    areOwed: () => owed.length > 0,
    settled: () => {
      const [lost] = owed;
      if (lost !== undefined)
        violated(`the signal "${lost.name}" never reached ${lost.run}/${lost.item}, which waits`);
    },
  };
}

function isOpen(state: RunState, { item, event, name }: Owed): boolean {
  const found = openItems(state).find(({ id }) => id === item);
  return found !== undefined && awaited(found, "signal", name).some((each) => each.event === event);
}
