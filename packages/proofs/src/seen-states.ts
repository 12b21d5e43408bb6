/** @module The states behind a proof, of the net itself or of its reduced form, asked in the places of the net itself. */
import { invariant, isFinal, type PlaceIndex } from "@tessera/core";
import type { NetProof } from "./pipeline.ts";
import { type Lifting, liftRun } from "./reduction/lift.ts";
import type { Search } from "./search.ts";
import { markingAt, sequenceTo } from "./state-space.ts";
import type { Limit, Run } from "./verdict.ts";

/** States that were seen; all of them if `limit` is null. */
export interface SeenStates {
  readonly count: number;
  readonly limit: Limit | null;
  readonly method: string;
  /** The tokens on a place of the net. Where the net was reduced, only of places that are left. */
  readonly tokens: (state: number, place: PlaceIndex) => number;
  readonly isFinal: (state: number) => boolean;
  /** A run of the net to the state. */
  readonly run: (state: number) => Run;
}

/** Does `proof` tell of ends, by states or without? */
export function hasStates({ found, reduced, finals }: NetProof): boolean {
  return found !== null || reduced !== null || finals !== undefined;
}

/**
 * The states behind `proof`. A reduced net has the same final markings in reach, and marks the places that were kept
 * together iff the net itself does (L13.2).
 */
export function seenStates({ found, reduced, finals }: NetProof): SeenStates {
  if (finals !== undefined) return onlyFinals(finals);
  if (found !== null && (found.limit === null || reduced === null)) return ofSearch(found, null);
  if (reduced !== null) return ofSearch(reduced.found, reduced.lift);
  const nothing = (): never => invariant(false, "D8.1", () => ({ states: 0 })) as never;
  const limit = { kind: "tokens", at: 0 } as const;
  return { count: 0, limit, method: "none", tokens: nothing, isFinal: nothing, run: nothing };
}

/** Of a net that is shown to be sound without a search, its final markings are all that can be said of ends. */
function onlyFinals(finals: NonNullable<NetProof["finals"]>): SeenStates {
  return {
    count: finals.length,
    limit: null,
    method: "final markings",
    tokens: (state, place) => (finals[state]!.includes(place) ? 1 : 0),
    isFinal: () => true,
    run: (state) => invariant(false, "T13.4", () => ({ state })) as never,
  };
}

function ofSearch({ space, limit }: Search, lift: Lifting | null): SeenStates {
  const { cells, stride, count } = space.store;
  const indexOf = new Map(lift?.reduction.places.map((place, index) => [place, index]));
  const placeOf = (place: PlaceIndex) => (lift === null ? place : indexOf.get(place));
  return {
    count,
    limit,
    method: lift === null ? "state space" : "reduction, state space",
    tokens: (state, place) => {
      const at = placeOf(place);
      invariant(at !== undefined, "L13.2", () => ({ place }));
      return cells[state * stride + at]!;
    },
    isFinal: (state) => isFinal(space.net, markingAt(space, state)),
    run: (state) => {
      const sequence = sequenceTo(space, state);
      const run = lift === null ? { sequence, marking: markingAt(space, state) } : liftRun(lift, sequence);
      invariant(run !== null, "T13.1", () => ({ sequence }));
      return run;
    },
  };
}
