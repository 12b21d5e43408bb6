/** @module The form of claims on siphons, traps, invariants, and places that never change. */
import { equation } from "./equation-format.ts";
import { either, list, named, type Shape } from "./shape.ts";

const natural: Shape = { kind: "natural" };
const place: Shape = { kind: "place" };
const sets: Shape = list(list(place));
const steps: Shape = list(
  either(named(["place"], { place }), named(["within"], { set: natural }), named(["none"])),
);

/** All minimal siphons or traps. */
const minimalSets: Shape = named(["minimal-sets"], { sets, steps });

/** Each siphon with a marked trap inside, or one whose greatest trap is not marked. */
const siphonTraps: Shape = either(
  named(["siphon-traps"], { siphons: sets, traps: sets, steps }),
  named(["bare-siphon"], { places: list(place) }),
);

/** Positive numbers of the places or of the transitions that come to nothing; and what excludes such. */
const balance: Shape = either(
  named(["p-invariant", "t-invariant"], { numbers: list(natural) }),
  named(["gain", "drift"], { numbers: list({ kind: "integer" }) }),
);

const closedSet: Shape = named(["closed-set"], {
  size: natural,
  markings: either(list({ kind: "marking" }), { kind: "null" }),
});

/** A place that never changes, or firing sequences that change each, or enable each transition. */
const stability: Shape = either(
  named(["stable-place"], { place, by: either(equation, closedSet) }),
  named(["changes", "enables"], { sequences: list(list({ kind: "transition" })) }),
);

/** A reduced graph with all that ends. */
const terminal: Shape = named(["terminal"], {
  states: list({
    kind: "record",
    fields: { marking: { kind: "marking" }, set: list({ kind: "transition" }) },
  }),
});

/** Evidence of the structure, and of what ends. */
export const structureEvidence: Shape = either(minimalSets, siphonTraps, balance, stability, terminal);
