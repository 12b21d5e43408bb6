/** @module Terminating parts named by the ids of places and transitions, for fixtures. */
import type { Net } from "@tessera/core";
import { type Remainder, withoutTermination } from "../../src/certificate/remainder.ts";
import type { TerminatingPart } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

export const TWO_ENDS = { ends: ["o", "e"] };

/** From a, instead of going on, the run can be terminated by way of d. */
export const base = net("t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d", TWO_ENDS);

/** The part with these places, by id, and these exits, by the id of the transition. */
export function partOf(given: Net, places: string, exits: string): TerminatingPart {
  const all = (ids: string) => ids.split(" ").filter((id) => id !== "");
  return {
    places: all(places).map((id) => given.places.findIndex((place) => place.id === id)),
    exits: all(exits).map((id) => given.transitions.findIndex((t) => t.id === id)),
  };
}

/** The remainder without the part, which there must be. */
export function leftOf(given: Net, part: TerminatingPart): Remainder {
  const left = withoutTermination(given, part);
  if (typeof left === "string") throw new Error(left);
  return left;
}
