/** @module The non-local OR-join, read off its definition: it waits for tokens that can still reach an unmarked input. */
import {
  type CompiledWorkflow,
  entryOf,
  isEnabled,
  type Net,
  nodeOf,
  type PlaceIndex,
  type PlaceOrigin,
  scopesOf,
  type Transition,
  type WorkflowGraph,
} from "@tessera/core";
import { isStartRule, startRules } from "./complex-rules.ts";

/** Does the arc have a place, or is it compiled away? */
export function isPlaced({ definition, graph, kinds }: CompiledWorkflow, arc: number): boolean {
  const def = definition.arcs[arc]!;
  const from = graph.nodeIndex.get(def.from)!;
  return kinds[from]!.omits?.(definition.nodes[from]!, def) !== true;
}

/** Arc to place, for every arc that has one. */
export function arcPlaces({ net }: CompiledWorkflow): ReadonlyMap<number, PlaceIndex> {
  return new Map(
    net.places.flatMap(({ origin }, place) => (origin?.kind === "arc" ? [[origin.arc, place] as const] : [])),
  );
}

/**
 * Where a token on `place` stands for a join of `scope` (undefined: the workflow itself): the arcs that it is on or
 * in front of. On an arc: that arc. On n.active: every arc out of n, boundary arcs included. On the source of the
 * scope: as its entry. Anywhere inside an embedded subprocess n of the scope: as n.active. Empty for everything else:
 * ends, counters, chain and skip places, and what lies outside the scope.
 *
 * @definition D15.1
 */
export function standing(
  workflow: CompiledWorkflow,
  place: PlaceIndex,
  scope: string | undefined,
): readonly number[] {
  const { graph, net } = workflow;
  const { role, origin } = net.places[place]!;
  if (origin === undefined || role === "counter") return [];
  const arcsOf = (node: number) => graph.outgoing[node]!.filter((arc) => isPlaced(workflow, arc));
  const own = scopeOfPlace(graph, origin);
  if (own !== scope) {
    const around = own === undefined ? [] : [own, ...scopesOf(graph, nodeOf(graph, own)!)];
    const subprocess = around.find((id) => nodeOf(graph, id)!.scope === scope);
    return subprocess === undefined ? [] : arcsOf(graph.nodeIndex.get(subprocess)!);
  }
  if (origin.kind === "arc") return [origin.arc];
  if (origin.kind === "rest") return arcsOf(origin.node);
  if (origin.kind === "source") return arcsOf(graph.nodeIndex.get(entryOf(graph, scope)!)!);
  return [];
}

/** The id of the embedded subprocess that a place lies in; undefined: the workflow itself. */
function scopeOfPlace(graph: WorkflowGraph, origin: PlaceOrigin): string | undefined {
  const { nodes, arcs } = graph.definition;
  if (origin.kind === "source") return origin.scope === null ? undefined : nodes[origin.scope]!.id;
  if (origin.kind === "arc") return nodeOf(graph, arcs[origin.arc]!.from)!.scope;
  return nodes[origin.node]!.scope;
}

/** The arcs into node `join` that have a place. */
export function joinInputs(workflow: CompiledWorkflow, join: number): readonly number[] {
  return workflow.graph.incoming[join]!.filter((arc) => isPlaced(workflow, arc));
}

/**
 * R_J(f) for a token that stands at the arcs `from`: the inputs of `join` that paths of arcs lead to from there
 * without a visit to `join`. Cost: linear in the graph.
 *
 * @definition D15.2
 */
export function reachedInputs(
  workflow: CompiledWorkflow,
  join: number,
  from: readonly number[],
): ReadonlySet<number> {
  const { graph } = workflow;
  const seen = new Set(from);
  for (const arc of seen) {
    const target = graph.nodeIndex.get(graph.definition.arcs[arc]!.to)!;
    if (target === join) continue;
    for (const next of graph.outgoing[target]!) if (isPlaced(workflow, next)) seen.add(next);
  }
  return new Set(joinInputs(workflow, join).filter((arc) => seen.has(arc)));
}

/**
 * Is the non-local OR-join `join` enabled in `M`? Some input is marked, and for every marked place f that is not an
 * input: if R_J(f) meets the unmarked inputs then R_J(f) meets the marked ones. So it waits for a token that could
 * still mark one more input, unless that token could as well come to an input that has one. Nothing is remembered: a
 * token that vanishes counts no more. Cost: the marked places times the graph.
 *
 * @definition D15.3
 */
export function orJoinEnabled(workflow: CompiledWorkflow, M: ArrayLike<number>, join: number): boolean {
  const placed = arcPlaces(workflow);
  const inputs = joinInputs(workflow, join);
  const isMarked = (arc: number) => M[placed.get(arc)!]! > 0;
  if (!inputs.some(isMarked)) return false;
  const scope = workflow.definition.nodes[join]!.scope;
  return Array.from(M).every((tokens, place) => {
    if (tokens === 0) return true;
    // A marked input needs no exception: it reaches itself alone.
    const reached = [...reachedInputs(workflow, join, standing(workflow, place, scope))];
    return reached.every(isMarked) || reached.some(isMarked);
  });
}

/**
 * OR-joins go last: does `M` enable no transition without a rule that fires by itself, the moves of a chain included?
 * Only then may a non-local OR-join fire: what could still disable it has happened. The condition is part of the
 * join's rule, so that the turn, the proofs, the checker and replay cannot differ in it.
 *
 * @definition D15.4
 */
export function isQuiet(net: Net, M: ArrayLike<number>): boolean {
  const rules = startRules(net);
  return !net.transitions.some((t, index) => goesFirst(t) && isEnabled(net, M, index, rules));
}

/** Does the transition fire by itself, without a rule that looks beyond its node? */
export function goesFirst({ rule, origin }: Transition): boolean {
  const isLocal = rule === undefined || isStartRule(rule);
  return isLocal && origin !== undefined && origin.phase !== "finish" && origin.phase !== "trigger";
}
