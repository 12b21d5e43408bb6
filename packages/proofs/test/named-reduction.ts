/** @module Reductions in the ids of places, for fixtures. */
import type { Net } from "@tessera/core";
import { type ReduceOptions, type Reduction, reduce } from "../src/reduction/reduce.ts";

/** The reduction of a net in which the named places stay. */
export function reduced(given: Net, kept = "", options: ReduceOptions = {}): Reduction {
  const ids = kept.split(" ").filter((id) => id !== "");
  return reduce(given, {
    ...options,
    kept: ids.map((id) => given.places.findIndex((place) => place.id === id)),
  });
}

/** The steps in words: "post q", "b like a", "1 like 0", "idle 1 by 2". */
export const stepsOf = (given: Net, { steps }: Reduction) =>
  steps.map((step) => {
    const name = (place: number) => given.places[place]?.id;
    if (step.kind === "twin-place") return `${name(step.place)} like ${name(step.twin)}`;
    if (step.kind === "twin-transition") return `${step.transition} like ${step.twin}`;
    return step.kind === "idle"
      ? `idle ${step.transition} by ${step.other}`
      : `${step.kind} ${name(step.place)}`;
  });
