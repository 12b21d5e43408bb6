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

/** What shows something of all reachable markings. */
export const noFault: Shape = either(equation, weights);

/** One transition never fires. */
export const neverFires: Shape = named(["never-fires"], {
  transition: { kind: "transition" },
  proof: list(step),
});

/** Why a net is not sound for many tokens. */
export function manyTokens(run: Shape): Shape {
  const reason = either(
    named(["gain"], { firings: list(natural), tokens: natural }),
    named(["drift"], { weights: list(integer) }),
    named(["lasting-trap"], { places: list(place) }),
    named(["stuck"], { run, steps: list(step) }),
  );
  return named(["many-tokens"], { reason });
}
