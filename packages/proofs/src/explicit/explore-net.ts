/** @module What the whole set of reachable markings says of a net: how many, which bounds, which dead ends. */
import type { Net, TransitionIndex } from "@tessera/core";
import { type Budget, DEFAULT_LIMITS, startBudget } from "../limits.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import { type CheckOptions, hasHugeNumbers } from "../soundness.ts";
import { advance, markingAt, type StateSpace, sequenceTo, stateSpace } from "../state-space.ts";
import type { Limit, Run } from "../verdict.ts";
import {
  type Exploration,
  exploration,
  explorationBytes,
  explore,
  exploredMarking,
  exploredRun,
} from "./exploration.ts";

/** Facts of the markings that were met: of all reachable ones if `limit` is null. */
export interface NetFacts {
  readonly states: number;
  /** Pairs of a marking and a transition that it enables. */
  readonly firings: number;
  /** How many markings enable nothing, final or not; and a shortest run to one. */
  readonly deadMarkings: number;
  readonly deadRun: Run | null;
  /** Transitions that no marking enabled. */
  readonly neverEnabled: readonly TransitionIndex[];
  /** The most tokens met on each place. */
  readonly bounds: readonly number[];
  /** Bytes that held the markings. */
  readonly bytes: number;
  readonly limit: Limit | null;
}

/** Markings expanded between two looks at the clock. */
const SLICE = 4096;

/** Explores the reachable markings of `net` within limits. Plain and weighted nets are packed into bits. */
export function exploreNet(net: Net, options: CheckOptions = {}): NetFacts {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const budget = startBudget(limits, options.now ?? (() => performance.now()), options.signal ?? null);
  if (hasHugeNumbers(net)) return nothing(net);
  return isMonotone(net) ? packedFacts(net, budget) : spaceFacts(net, options, budget);
}

function packedFacts(net: Net, budget: Budget): NetFacts {
  const found = exploration(net, { hasRuns: true });
  const limit = advanceTo(
    budget,
    () => explore(found, budget.limits.statesMax, SLICE),
    () => found.set.count,
    () => explorationBytes(found),
  );
  return {
    states: found.set.count,
    firings: found.edges,
    deadMarkings: found.dead,
    deadRun: found.firstDead < 0 ? null : runTo(found, found.firstDead),
    neverEnabled: net.transitions.flatMap((_, t) => (found.isEnabled[t] === 1 ? [] : [t])),
    bounds: [...found.bound],
    bytes: explorationBytes(found),
    limit,
  };
}

function runTo(found: Exploration, state: number): Run {
  return { sequence: exploredRun(found, state), marking: exploredMarking(found, state) };
}

function spaceFacts(net: Net, { rules }: CheckOptions, budget: Budget): NetFacts {
  const dead: number[] = [];
  const observer = {
    marked: new Uint8Array(net.places.length),
    onFlagged: () => {},
    onDead: (state: number) => dead.push(state),
  };
  const space = stateSpace(net, { observer, ...(rules === undefined ? {} : { rules }) });
  const limit = advanceTo(
    budget,
    () => advance(space, budget.limits.statesMax, SLICE),
    () => space.store.count,
    () => space.store.words.byteLength + space.store.slots.byteLength,
  );
  const [first] = dead;
  return {
    states: space.store.count,
    firings: space.edgeCount,
    deadMarkings: dead.length,
    deadRun:
      first === undefined ? null : { sequence: sequenceTo(space, first), marking: markingAt(space, first) },
    neverEnabled: net.transitions.flatMap((_, t) => (space.enabledAt[t] === -1 ? [t] : [])),
    bounds: boundsOf(space),
    bytes: space.store.words.byteLength + space.store.slots.byteLength,
    limit,
  };
}

function boundsOf(space: StateSpace): readonly number[] {
  const { cells, stride, count, placeCount } = space.store;
  const bounds = new Array<number>(placeCount).fill(0);
  for (let state = 0; state < count; state += 1) {
    for (let place = 0; place < placeCount; place += 1)
      bounds[place] = Math.max(bounds[place]!, cells[state * stride + place]!);
  }
  return bounds;
}

/** Repeats `step` until it is complete or a limit is reached, which is returned. */
function advanceTo(
  budget: Budget,
  step: () => "complete" | "states" | "paused" | "tokens",
  count: () => number,
  bytes: () => number,
): Limit | null {
  for (;;) {
    const limit = budget.exhausted(count());
    if (limit !== null) return limit;
    const status = step();
    if (status === "complete") return null;
    if (status === "states") return { kind: "states", at: budget.limits.statesMax };
    if (status === "tokens") return { kind: "tokens", at: count() };
    if (bytes() > budget.limits.bytesMax) return { kind: "bytes", at: budget.limits.bytesMax };
  }
}

function nothing(net: Net): NetFacts {
  return {
    states: 0,
    firings: 0,
    deadMarkings: 0,
    deadRun: null,
    neverEnabled: net.transitions.map((_, t) => t),
    bounds: [...net.initial],
    bytes: 0,
    limit: { kind: "tokens", at: 0 },
  };
}
