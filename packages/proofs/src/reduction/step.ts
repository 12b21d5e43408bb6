/** @module One step of a reduction, as data: what the prover writes and the checker replays. */
import type { PlaceIndex } from "@tessera/core";

/**
 * A transition of a net under reduction: those of the original net keep their index; copies are numbered on from
 * there, in the order in which they are made.
 */
export type DraftTransition = number;

/**
 * A step, with what its side conditions need beyond the net.
 *
 * post: `place` is emptied by transitions that need nothing else; each producer takes them along (D13.4).
 * pre: `place` is filled by one transition that does nothing else; its consumers do its work (D13.5).
 * twin-place: `place` always holds what `twin` holds (D13.6). twin-transition: `transition` does what `twin` does
 * (D13.7). idle: `transition` changes nothing, and can fire when `other` fires or has fired, or, where `other` is
 * null, at the start (D13.8).
 */
export type ReductionStep =
  | { readonly kind: "post"; readonly place: PlaceIndex }
  | { readonly kind: "pre"; readonly place: PlaceIndex }
  | { readonly kind: "twin-place"; readonly place: PlaceIndex; readonly twin: PlaceIndex }
  | { readonly kind: "twin-transition"; readonly transition: DraftTransition; readonly twin: DraftTransition }
  | {
      readonly kind: "idle";
      readonly transition: DraftTransition;
      readonly other: DraftTransition | null;
    };
