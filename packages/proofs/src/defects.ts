/** @module Defects of workflow nets, each with the obligation that it breaks for certain. */
import type { Net, Transition } from "@tessera/core";
import { type Block, blockNet, countParallel } from "./block-net.ts";
import type { NetObligationId } from "./verdict.ts";

/**
 * One defect in a net of blocks. lost-arc: a join does not wait for one branch, whose token stays. merge: a join fires
 * once for each branch, so that two tokens meet. choose: a split starts one branch only, and its join waits for ever.
 * dead-task: a task that nothing enables. double-end: the end is marked at the start, and again at the end.
 */
export type Defect = "lost-arc" | "merge" | "choose" | "dead-task" | "double-end";

/** What each defect breaks, whatever the net around it. */
export const BROKEN: Readonly<Record<Defect, NetObligationId>> = {
  "lost-arc": "O1",
  merge: "O4",
  choose: "O1",
  "dead-task": "O3",
  "double-end": "O2",
};

/** The net of `block` with the defect; where it needs a parallel block and there is none, one is put around. */
export function defectiveNet(block: Block, defect: Defect, nth: number): Net {
  switch (defect) {
    case "lost-arc":
    case "merge":
    case "choose": {
      const parallel: Block = { kind: "parallel", parts: [block, { kind: "task" }] };
      return blockNet(countParallel(block) === 0 ? parallel : block, { kind: defect, nth });
    }
    case "dead-task":
      return withStep(blockNet(block), "never", [], "x");
    case "double-end": {
      const net = withStep(blockNet(block), "start", [0, 1], "double");
      return { ...net, initial: net.places.map((_, place) => (place === net.places.length - 1 ? 1 : 0)) };
    }
  }
}

/** One more place, and a transition from there to the given places, or to the end. */
function withStep(net: Net, place: string, to: readonly number[], id: string): Net {
  const at = net.places.length;
  const post = (to.length === 0 ? [1] : to).map((target) => [target, 1] as const);
  const step: Transition = { id, pre: [[at, 1]], any: [], post, reset: [] };
  return {
    ...net,
    places: [...net.places, { id: place, role: "control" }],
    transitions: [...net.transitions, step],
    initial: [...net.initial, 0],
  };
}
