/** @module Checks what reduced graphs are said to show of a net (T25.2 to T25.5). */
import { type Net, NO_RULES, type TransitionIndex } from "@tessera/core";
import type { Goal, NetObligationId, ReducedStates, StubbornCertificate } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { type CheckedGraph, checkedGraph, completes, hasNoDeadlock } from "./reduced-graph.ts";
import { checkRuns } from "./run.ts";

/** Graphs that were checked before, by net: the lines of one report share them. */
export type CheckedGraphs = Map<Net, Map<ReducedStates, CheckedGraph | string>>;

interface Options {
  readonly statesMax: number;
  readonly graphs: CheckedGraphs;
}

/**
 * Do the graphs, and for O3 the runs, show the obligation of `net`? Everything that is listed must be right, also what
 * the obligation does not need.
 */
export function checkStubborn(
  net: Net,
  id: NetObligationId | "sound",
  { graphs, runs }: StubbornCertificate,
  options: Options,
): Checked {
  const fault = listFault(net, graphs, options) ?? runsFault(net, runs);
  if (fault !== null) return fault;
  const excluded = (goal: Goal) => checkGraph(net, graphs, goal, options);
  const ended = (isGood: (net: Net, graph: CheckedGraph) => boolean) => {
    const graph = graphOf(net, graphs, null, options);
    return typeof graph === "string" ? invalid(graph) : isGood(net, graph) ? VALID : invalid("it is not so");
  };
  const alive = runs === undefined ? invalid("no runs") : VALID;
  const safe = () => {
    const crowded = net.places.flatMap(({ role }, place) =>
      role === "control" ? [excluded({ kind: "crowded", place })] : [],
    );
    return allOf(crowded);
  };
  switch (id) {
    case "O1":
      return ended(completes);
    case "O2":
      return excluded({ kind: "improper" });
    case "O3":
      return alive;
    case "O4":
      return safe();
    case "deadlock":
      return ended(hasNoDeadlock);
    case "bounded":
      return net.places.every(({ role }) => role === "control") ? safe() : invalid("a counter place");
    case "sound":
      return allOf([ended(completes), excluded({ kind: "improper" }), alive]);
  }
}

/** Does some graph show that `t` is never enabled, for each of `dead`? */
export function checkNeverEnabled(
  net: Net,
  dead: Iterable<TransitionIndex>,
  { graphs, runs }: StubbornCertificate,
  options: Options,
): Checked {
  const fault = listFault(net, graphs, options) ?? runsFault(net, runs);
  const shown = [...dead].map((transition) =>
    checkGraph(net, graphs, { kind: "enabled", transition }, options),
  );
  return fault ?? allOf(shown);
}

/** Too many markings, a graph that is none, or two for one goal; else null. */
function listFault(net: Net, graphs: readonly ReducedStates[], options: Options): Checked | null {
  const size = graphs.reduce((sum, { states }) => sum + states.length, 0);
  if (size > options.statesMax) return { kind: "unchecked", reason: `${size} markings` };
  for (const [index, { goal }] of graphs.entries()) {
    if (graphs.findIndex((graph) => sameGoal(graph.goal, goal)) < index)
      return invalid("two graphs for one goal");
    const graph = graphOf(net, graphs, goal, options);
    if (typeof graph === "string") return invalid(graph);
  }
  return null;
}

function runsFault(net: Net, runs: StubbornCertificate["runs"]): Checked | null {
  if (runs === undefined) return null;
  if (runs.flat().some((t) => t >= net.transitions.length)) return invalid("no transition");
  const checked = checkRuns(net, { class: "compact", method: "", states: 0, runs }, NO_RULES);
  return checked.kind === "valid" ? null : checked;
}

function checkGraph(net: Net, graphs: readonly ReducedStates[], goal: Goal, options: Options): Checked {
  const graph = graphOf(net, graphs, goal, options);
  return typeof graph === "string" ? invalid(graph) : VALID;
}

/** The graph for a goal, or the terminal one; or why there is none. */
function graphOf(
  net: Net,
  graphs: readonly ReducedStates[],
  goal: Goal | null,
  { graphs: known }: Options,
): CheckedGraph | string {
  const listed = graphs.find((graph) => sameGoal(graph.goal, goal));
  if (listed === undefined) return `no graph for ${goal?.kind ?? "what ends"}`;
  const ofNet = known.get(net) ?? new Map<ReducedStates, CheckedGraph | string>();
  known.set(net, ofNet);
  const graph = ofNet.get(listed) ?? checkedGraph(net, listed);
  ofNet.set(listed, graph);
  return graph;
}

function sameGoal(a: Goal | null, b: Goal | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === "crowded") return b.kind === "crowded" && a.place === b.place;
  if (a.kind === "enabled") return b.kind === "enabled" && a.transition === b.transition;
  return a.kind === b.kind;
}

function allOf(checks: readonly Checked[]): Checked {
  return checks.find(({ kind }) => kind !== "valid") ?? VALID;
}
