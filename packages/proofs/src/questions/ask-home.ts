/** @module Home markings: what can be reached again from wherever a run has come to. */
import type { Net } from "@tessera/core";
import type { CheckOptions } from "../soundness.ts";
import { statesFrom } from "../state-space.ts";
import type { Answer, ClosedSet } from "./answer.ts";
import { componentsOf } from "./components.ts";
import { statesSatisfying } from "./ctl.ts";
import { type Formula, formulaClass } from "./formula.ts";
import { markingOfState, reaches, runToState, type StateGraph, stateGraph, targetsOf } from "./graph.ts";
import { unknownIds } from "./predicate.ts";

/** Closed sets up to this size are listed. */
const LISTED_MAX = 256;

/**
 * Are the markings of which `predicate` is true a home space? Where not: a run to a marking from which none of them is
 * reachable, with the closed set of what is. A marking that enables nothing shows it before all markings were seen.
 *
 * @definition D22.9
 */
export function askHomeSpace(net: Net, predicate: Formula, options: CheckOptions): Answer {
  const missing = unknownIds(net, predicate);
  if (missing.length > 0) return method(`the net has no ${missing.map((id) => `"${id}"`).join(", ")}`);
  if (formulaClass(predicate) !== "predicate") return method("home asks a predicate");
  const graph = stateGraph(net, options);
  const isTrue = statesSatisfying(edgeless(graph), predicate);
  if (graph.limit !== null) {
    const dead = deadStates(graph).find((state) => isTrue[state] === 0);
    return dead === undefined ? { kind: "unknown", limit: graph.limit } : refuted(graph, [[dead]]);
  }
  const away = reaches(graph, isTrue).indexOf(0);
  if (away < 0) return { kind: "holds", shown: { kind: "markings", states: graph.count } };
  return refuted(graph, [statesFrom(graph.space, away)]);
}

/**
 * Is there a home marking? Shown by all of them with a run to one, or by two closed sets that have no marking in common
 * (T22.2).
 *
 * @definition D22.10
 */
export function askHomeMarking(net: Net, options: CheckOptions): Answer {
  const graph = stateGraph(net, options);
  if (graph.limit !== null) {
    const [one, other] = deadStates(graph);
    return one === undefined || other === undefined
      ? { kind: "unknown", limit: graph.limit }
      : refuted(graph, [[one], [other]]);
  }
  const next = Array.from({ length: graph.count }, (_, state) => [...targetsOf(graph, state)]);
  const terminal = componentsOf(graph.count, next, null).filter((members) => {
    const own = new Set(members);
    return members.every((state) => next[state]!.every((to) => own.has(to)));
  });
  if (terminal.length > 1) return refuted(graph, terminal.slice(0, 2));
  return {
    kind: "holds",
    shown: { kind: "closed", sets: terminal.map((states) => closedSet(graph, states)) },
  };
}

/** The expanded states that enable nothing. */
function deadStates(graph: StateGraph): readonly number[] {
  const expanded = Array.from({ length: graph.space.expanded }, (_, state) => state);
  return expanded.filter((state) => targetsOf(graph, state).length === 0);
}

/** A predicate looks at markings alone; of a graph that is not whole no edges can be asked. */
function edgeless(graph: StateGraph): StateGraph {
  const { space, count } = graph;
  const edgeStart = new Int32Array(count + 1);
  return { ...graph, space: { ...space, expanded: count, edgeCount: 0, edgeStart } };
}

function refuted(graph: StateGraph, sets: readonly (readonly number[])[]): Answer {
  return { kind: "fails", shown: { kind: "closed", sets: sets.map((states) => closedSet(graph, states)) } };
}

/** The set, with a shortest run to the first of its states. */
function closedSet(graph: StateGraph, states: readonly number[]): ClosedSet {
  const first = states.reduce((least, state) => Math.min(least, state));
  const size = states.length;
  const markings = size > LISTED_MAX ? null : states.map((state) => markingOfState(graph, state));
  return { run: runToState(graph, first), size, markings };
}

function method(reason: string): Answer {
  return { kind: "unknown", limit: { kind: "method", reason } };
}
