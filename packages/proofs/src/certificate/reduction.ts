/** @module Replays a reduction plainly: every side condition is tested on the net as it is at that step. */
import type { Net, PlaceIndex, TransitionIndex, WeightedPlace } from "@tessera/core";
import { netClass } from "@tessera/core";
import type { ReductionStep } from "../reduction/step.ts";
import { applyIdle, applyPost, applyPre, applyTwinPlace, applyTwinTransition } from "./reduction-rules.ts";
import { carriedBy, type State, stateOf } from "./reduction-state.ts";

/** The reduced net; for each of its transitions what it carries; and of which transitions it says nothing. */
export interface Replayed {
  readonly net: Net;
  readonly carries: readonly (readonly TransitionIndex[])[];
  readonly spared: ReadonlySet<TransitionIndex>;
}

/**
 * The net that `steps` make of `net`, or why they do not apply: the net is not plain, has counter places or final
 * markings that cover each other, or a step's side condition fails. Cost: linear in the net, and for each step in the arcs around it.
 *
 * @definition D13.9
 */
export function replayReduction(net: Net, steps: readonly ReductionStep[]): Replayed | string {
  if (netClass(net) !== "plain") return "the net is not plain";
  if (net.places.some(({ role }) => role !== "control")) return "the net has counter places";
  if (hasNestedFinals(net)) return "a final marking covers another";
  const state = stateOf(net);
  for (const [index, step] of steps.entries()) {
    const fault = "place" in step ? placeFault(net, state, step.place) : null;
    const refusal = fault ?? apply(net, state, step);
    if (refusal !== null) return `step ${index}, ${step.kind}: ${refusal}`;
  }
  return rebuilt(net, state);
}

/** What goes beyond the one might be the other once a place is gone. */
function hasNestedFinals({ finals }: Net): boolean {
  if (finals.kind === "ends") return false;
  const [...different] = new Map(finals.markings.map((F) => [F.join(), F])).values();
  return different.some((F) =>
    different.some((G) => F !== G && F.every((tokens, place) => tokens <= G[place]!)),
  );
}

function placeFault(net: Net, { gone, isFinal }: State, place: PlaceIndex): string | null {
  if (net.places[place] === undefined || gone.has(place)) return "no such place";
  return isFinal[place] === 1 ? "a final marking marks the place" : null;
}

function apply(net: Net, state: State, step: ReductionStep): string | null {
  switch (step.kind) {
    case "post":
      return applyPost(state, step.place);
    case "pre":
      return applyPre(state, step.place);
    case "twin-place":
      return placeFault(net, state, step.twin) ?? applyTwinPlace(state, step.place, step.twin);
    case "twin-transition":
      return applyTwinTransition(state, step.transition, step.twin);
    case "idle":
      return applyIdle(state, step.transition, step.other);
    default:
      return "no such rule";
  }
}

function rebuilt(net: Net, { rows, gone, initial, spared }: State): Replayed {
  const kept = net.places.flatMap((_, place) => (gone.has(place) ? [] : [place]));
  const indexOf = new Map(kept.map((place, index) => [place, index]));
  const ordered = [...rows].sort(([a], [b]) => a - b);
  const side = (places: ReadonlySet<PlaceIndex>) =>
    [...places].map((p): WeightedPlace => [indexOf.get(p)!, 1]).sort(([a], [b]) => a - b);
  const project = (M: readonly number[]) => kept.map((place) => M[place] ?? 0);
  const finals: Net["finals"] =
    net.finals.kind === "ends"
      ? { kind: "ends", ends: net.finals.ends.map((end) => indexOf.get(end)!) }
      : { kind: "markings", markings: net.finals.markings.map(project) };
  const transitions = ordered.map(([number, row]) => {
    return { id: `r${number}`, pre: side(row.pre), any: [], post: side(row.post), reset: [] };
  });
  const places = kept.map((place) => net.places[place]!);
  return {
    net: { places, transitions, initial: project(initial), finals },
    carries: ordered.map(([, row]) => carriedBy(row.carries)),
    spared: new Set(carriedBy(spared)),
  };
}
