/** @module Replays a reduction plainly: every side condition is tested on the net as it is at that step. */
import type { Net, PlaceIndex, TransitionIndex, WeightedPlace } from "@tessera/core";
import { netClass } from "@tessera/core";
import type { DraftTransition, ReductionStep } from "../reduction/step.ts";
import { applyIdle, applyPost, applyPre, applyTwinPlace, applyTwinTransition } from "./reduction-rules.ts";
import { isInFinal, type Row, type State } from "./reduction-state.ts";

/** The reduced net; for each of its transitions what it carries; and of which transitions it says nothing. */
export interface Replayed {
  readonly net: Net;
  readonly carries: readonly (readonly TransitionIndex[])[];
  readonly spared: ReadonlySet<TransitionIndex>;
}

/**
 * The net that `steps` make of `net`, or why they do not apply: the net is not plain or has counter places, or a
 * step's side condition fails. Cost: linear in the net for each step.
 *
 * @definition D13.9
 */
export function replayReduction(net: Net, steps: readonly ReductionStep[]): Replayed | string {
  if (netClass(net) !== "plain") return "the net is not plain";
  if (net.places.some(({ role }) => role !== "control")) return "the net has counter places";
  const places = (side: readonly WeightedPlace[]) => side.map(([place]) => place);
  const rows = net.transitions.map(({ pre, post }, t): [DraftTransition, Row] => {
    return [t, { pre: places(pre), post: places(post), carries: [t] }];
  });
  const state: State = {
    rows: new Map(rows),
    gone: new Set(),
    initial: [...net.initial],
    spared: new Set(),
    next: rows.length,
  };
  for (const [index, step] of steps.entries()) {
    const fault = "place" in step ? placeFault(net, state, step.place) : null;
    const refusal = fault ?? apply(state, step, net);
    if (refusal !== null) return `step ${index}, ${step.kind}: ${refusal}`;
  }
  return rebuilt(net, state);
}

function placeFault(net: Net, { gone }: State, place: PlaceIndex): string | null {
  if (net.places[place] === undefined || gone.has(place)) return "no such place";
  return isInFinal(net, place) ? "a final marking marks the place" : null;
}

function apply(state: State, step: ReductionStep, net: Net): string | null {
  switch (step.kind) {
    case "post":
      return applyPost(state, step.place);
    case "pre":
      return applyPre(state, step.place, net);
    case "twin-place":
      return placeFault(net, state, step.twin) ?? applyTwinPlace(state, step.place, step.twin);
    case "twin-transition":
      return applyTwinTransition(state, step.transition, step.twin);
    case "idle":
      return applyIdle(state, step.transition, step.other);
  }
}

function rebuilt(net: Net, { rows, gone, initial, spared }: State): Replayed {
  const kept = net.places.flatMap((_, place) => (gone.has(place) ? [] : [place]));
  const ordered = [...rows].sort(([a], [b]) => a - b);
  const side = (places: readonly PlaceIndex[]) =>
    places.map((p): WeightedPlace => [kept.indexOf(p), 1]).sort(([a], [b]) => a - b);
  const project = (M: readonly number[]) => kept.map((place) => M[place] ?? 0);
  const finals: Net["finals"] =
    net.finals.kind === "ends"
      ? { kind: "ends", ends: net.finals.ends.map((end) => kept.indexOf(end)) }
      : { kind: "markings", markings: net.finals.markings.map(project) };
  const transitions = ordered.map(([number, row]) => {
    return { id: `r${number}`, pre: side(row.pre), any: [], post: side(row.post), reset: [] };
  });
  const reduced: Net = {
    places: kept.map((p) => net.places[p]!),
    transitions,
    initial: project(initial),
    finals,
  };
  return { net: reduced, carries: ordered.map(([, row]) => row.carries), spared };
}
