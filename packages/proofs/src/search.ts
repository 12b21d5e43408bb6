/** @module The search behind a report: breadth first, with random walks where the state space is large. */
import type { Net, NonLocalRules } from "@tessera/core";
import type { Findings, Watch } from "./findings.ts";
import { inspectState, noFindings, observer, watchOf } from "./findings.ts";
import type { Budget } from "./limits.ts";
import { pumpRefutes } from "./obligations/boundedness.ts";
import type { StateSpace } from "./state-space.ts";
import { advance, stateSpace } from "./state-space.ts";
import { structureOf } from "./structure.ts";
import type { Limit } from "./verdict.ts";
import { walk } from "./walk.ts";

/** What was searched and what was met. */
export interface Search {
  readonly watch: Watch;
  /** The breadth-first search; complete iff `limit` is null. */
  readonly space: StateSpace;
  /** The space of the walks, if there were any. */
  readonly walked: StateSpace | null;
  /** Faults of the breadth-first search, and of the walks where it met none of that kind. */
  readonly findings: Findings;
  readonly limit: Limit | null;
}

/** Below this many states the breadth-first search comes first: its witnesses are shortest. */
const PROBE_STATES = 4096;
/** States expanded between two looks at the clock. */
const SLICE = 2048;
const WALKS = { count: 256, lengthMax: 1024, statesMax: 50_000 };

/**
 * Searches the state space of `net` within `budget`. Yields the number of states between slices.
 *
 * Once soundness is refuted the search goes on only to `statesAfterFailureMax`, for the other obligations.
 */
export function* search(net: Net, rules: NonLocalRules, budget: Budget): Generator<number, Search> {
  const structure = structureOf(net);
  const watch = watchOf(net, structure);
  const findings = noFindings();
  const space: StateSpace = stateSpace(net, { rules, observer: observer(watch, findings, () => space) });
  inspectState(watch, findings, space, 0);
  const refutes = pumpRefutes(net, structure) !== "nothing";
  const isRefuted = (found: Findings) =>
    found.stuck !== null || found.improper !== null || (refutes && found.pump !== null);

  const { statesMax, statesAfterFailureMax } = budget.limits;
  const probe = yield* explore(space, budget, () =>
    Math.min(PROBE_STATES, isRefuted(findings) ? statesAfterFailureMax : statesMax),
  );
  if (probe === null) return { watch, space, walked: null, findings, limit: null };
  if (probe.kind !== "states") return { watch, space, walked: null, findings, limit: probe };

  const found = { ...findings };
  let walked: StateSpace | null = null;
  if (watch.hasFinals && !isRefuted(findings)) {
    const walkedSpace: StateSpace = stateSpace(net, {
      rules,
      table: space.table,
      observer: observer(watch, found, () => walkedSpace),
    });
    walked = walkedSpace;
    const isDone = () => isRefuted(found) || budget.exhausted(space.store.count) !== null;
    walk(walkedSpace, { ...WALKS, statesMax: Math.min(WALKS.statesMax, statesMax) }, isDone);
  }
  const wasRefuted = isRefuted(found);
  const limit = yield* explore(space, budget, () =>
    wasRefuted || isRefuted(findings) ? Math.min(statesAfterFailureMax, statesMax) : statesMax,
  );
  return { watch, space, walked, findings: merged(findings, found), limit };
}

/** Advances `space` to the limit that `statesMax()` names at the time; null when complete. */
function* explore(
  space: StateSpace,
  budget: Budget,
  statesMax: () => number,
): Generator<number, Limit | null> {
  for (;;) {
    const limit = budget.exhausted(space.store.count);
    if (limit !== null) return limit;
    const max = statesMax();
    // A lower limit may have come into force after more states were stored.
    if (space.store.count > max) return { kind: "states", at: max };
    const status = advance(space, max, SLICE);
    if (status === "complete") return null;
    if (status === "states") return { kind: "states", at: max };
    if (status === "tokens") return { kind: "tokens", at: space.store.count };
    if (bytesOf(space) > budget.limits.bytesMax) return { kind: "bytes", at: budget.limits.bytesMax };
    yield space.store.count;
  }
}

function bytesOf({ store, edgeTarget, edgeStart }: StateSpace): number {
  return store.words.byteLength + store.slots.byteLength + edgeTarget.byteLength + 4 * edgeStart.byteLength;
}

function merged(first: Findings, second: Findings): Findings {
  return {
    stuck: first.stuck ?? second.stuck,
    improper: first.improper ?? second.improper,
    unsafe: first.unsafe ?? second.unsafe,
    deadlock: first.deadlock ?? second.deadlock,
    pump: first.pump ?? second.pump,
  };
}
