/** @module The net under reduction as the checker sees it. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { DraftTransition } from "../reduction/step.ts";

/** A transition of the net under reduction, with the original transitions that are dead only if it is. */
export interface Row {
  readonly pre: readonly PlaceIndex[];
  readonly post: readonly PlaceIndex[];
  readonly carries: readonly TransitionIndex[];
}

/** The net under reduction. */
export interface State {
  readonly rows: Map<DraftTransition, Row>;
  readonly gone: Set<PlaceIndex>;
  readonly initial: number[];
  /** Original transitions that fire, or may, whatever becomes of those that carry them. */
  readonly spared: Set<TransitionIndex>;
  next: DraftTransition;
}

/** Does some final marking mark the place? */
export function isInFinal({ finals }: Net, place: PlaceIndex): boolean {
  return finals.kind === "ends" ? finals.ends.includes(place) : finals.markings.some((F) => F[place] !== 0);
}
