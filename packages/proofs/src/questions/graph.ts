/** @module The whole state graph with the transition on each edge, which questions about runs need. */
import type { Marking, Net, TransitionIndex } from "@tessera/core";
import { enabledTransitions, fire, isFinal, NO_RULES } from "@tessera/core";
import { type Budget, DEFAULT_LIMITS, startBudget } from "../limits.ts";
import { type CheckOptions, hasHugeNumbers } from "../soundness.ts";
import {
  advance,
  canReach,
  markingAt,
  type ReverseEdges,
  reverseEdges,
  type StateSpace,
  sequenceTo,
  stateSpace,
} from "../state-space.ts";
import type { Limit, Run } from "../verdict.ts";

/** The reachable markings, numbered breadth first from the initial one, with their edges. */
export interface StateGraph {
  readonly net: Net;
  readonly space: StateSpace;
  readonly count: number;
  /** Null: the graph is whole. */
  readonly limit: Limit | null;
}

const SLICE = 2048;

/** The limits of a question, the clock of its call started. */
export function budgetOf(options: CheckOptions): Budget {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  return startBudget(limits, options.now ?? (() => performance.now()), options.signal ?? null);
}

/** Builds the graph within limits: those of `budget`, where what comes after it has the same. */
export function stateGraph(
  net: Net,
  options: CheckOptions = {},
  budget: Budget = budgetOf(options),
): StateGraph {
  const { limits } = budget;
  const isHuge = hasHugeNumbers(net);
  const space = stateSpace(isHuge ? { ...net, initial: net.initial.map(() => 0) } : net, {
    rules: options.rules ?? NO_RULES,
  });
  const done = (limit: Limit | null): StateGraph => ({ net, space, count: space.store.count, limit });
  if (isHuge) return done({ kind: "tokens", at: 0 });
  for (;;) {
    const limit = budget.exhausted(space.store.count);
    if (limit !== null) return done(limit);
    const status = advance(space, limits.statesMax, SLICE);
    if (status === "complete") return done(null);
    if (status === "states") return done({ kind: "states", at: limits.statesMax });
    if (status === "tokens") return done({ kind: "tokens", at: space.store.count });
    if (space.store.words.byteLength + space.edgeTarget.byteLength > limits.bytesMax)
      return done({ kind: "bytes", at: limits.bytesMax });
  }
}

/** The states after `state`, each once an edge. */
export function targetsOf({ space }: StateGraph, state: number): Int32Array {
  return space.edgeTarget.subarray(space.edgeStart[state]!, space.edgeStart[state + 1]!);
}

/** The marking of a state. */
export function markingOfState({ space }: StateGraph, state: number): Marking {
  return markingAt(space, state);
}

/** A shortest run to a state. */
export function runToState({ space }: StateGraph, state: number): Run {
  return { sequence: sequenceTo(space, state), marking: markingAt(space, state) };
}

/** The edges backwards, of a whole graph. */
export function backwards({ space }: StateGraph): ReverseEdges {
  return reverseEdges(space);
}

/** 1 for the states from which one of `targets` can be reached. */
export function reaches(
  graph: StateGraph,
  targets: Uint8Array,
  reverse: ReverseEdges = backwards(graph),
): Uint8Array {
  return canReach(reverse, targets);
}

/** A transition that leads from one state to the other. */
export function transitionBetween(graph: StateGraph, from: number, to: number): TransitionIndex {
  const { net, space } = graph;
  const [before, after] = [markingAt(space, from), markingAt(space, to).join()];
  const found = enabledTransitions(net, before, space.rules).find((t) => {
    const next = fire(net, before, t, space.rules);
    return next.kind === "fired" && next.marking.join() === after;
  });
  return found ?? -1;
}

/** 1 for the states of which `holds` is true. */
export function statesWhere(graph: StateGraph, holds: (M: Marking, state: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: graph.count }, (_, state) =>
    holds(markingOfState(graph, state), state) ? 1 : 0,
  );
}

/** 1 for the final states. */
export function finalStates(graph: StateGraph): Uint8Array {
  return statesWhere(graph, (M) => isFinal(graph.net, M));
}
