/** @module The form of reduced graphs in a certificate file. */
import { either, list, named, type Shape } from "./shape.ts";

const natural: Shape = { kind: "natural" };

const goal = either(
  named(["improper"]),
  named(["crowded"], { place: natural }),
  named(["enabled"], { transition: natural }),
);

/** Reduced graphs of the net itself, of its reduced net or of what is left of it: in the numbers of that net. */
export const stubbornSets: Shape = {
  kind: "record",
  fields: {
    graphs: list({
      kind: "record",
      fields: {
        goal: either(goal, { kind: "null" }),
        states: list({ kind: "record", fields: { marking: list(natural), set: list(natural) } }),
      },
    }),
    runs: list(list(natural)),
  },
  optional: ["runs"],
};
