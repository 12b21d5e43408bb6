/** @module The form of arguments by the state equation and by weights of places. */
import { either, list, named, type Shape } from "./shape.ts";

const natural: Shape = { kind: "natural" };
const integer: Shape = { kind: "integer" };
const place: Shape = { kind: "place" };

const step = either(
  named(["siphon", "trap"], { places: list(place) }),
  named(["value"], { place, at: integer }),
  named(["either"], { clause: natural }),
  named(["farkas"], {
    constraints: list(natural),
    factors: list(natural),
    places: list(place),
    weights: list(integer),
  }),
);

/** No reachable marking is in one of the sets that are asked. */
export const equation: Shape = named(["state-equation"], { proofs: list(list(step)) });

/** No transition raises the weighted sum of tokens. */
export const weights: Shape = named(["weights"], { weights: list(natural) });
