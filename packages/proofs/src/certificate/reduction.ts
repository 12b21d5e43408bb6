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
  if (state === null) return "a transition names a place twice";
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index]!;
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

function placeFault(net: Net, { isGone, isFinal }: State, place: PlaceIndex): string | null {
  if (net.places[place] === undefined || isGone[place] === 1) return "no such place";
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

function rebuilt(net: Net, { rows, isGone, initial, spared }: State): Replayed {
  const kept: PlaceIndex[] = [];
  const indexOf = new Int32Array(net.places.length);
  for (let place = 0; place < isGone.length; place += 1)
    if (isGone[place] === 0) indexOf[place] = kept.push(place) - 1;
  const left = rows.filter((row) => row !== undefined);
  const side = (places: readonly PlaceIndex[]) => {
    const arcs = places.map((p): WeightedPlace => [indexOf[p]!, 1]);
    return arcs.length < 2 ? arcs : arcs.sort((a, b) => a[0] - b[0]);
  };
  const project = (M: readonly number[]) => kept.map((place) => M[place] ?? 0);
  const finals: Net["finals"] =
    net.finals.kind === "ends"
      ? { kind: "ends", ends: net.finals.ends.map((end) => indexOf[end]!) }
      : { kind: "markings", markings: net.finals.markings.map(project) };
  const transitions = left.map(({ number, pre, post }) => {
    return { id: `r${number}`, pre: side(pre), any: [], post: side(post), reset: [] };
  });
  const places = kept.map((place) => net.places[place]!);
  let carries: Replayed["carries"] | null = null;
  return {
    net: { places, transitions, initial: project(initial), finals },
    // Few claims ask what is carried, and writing it out is the greater part of the work.
    get carries() {
      carries ??= left.map((row) => carriedBy(row.carries));
      return carries;
    },
    get spared() {
      return new Set(carriedBy(spared));
    },
  };
}
