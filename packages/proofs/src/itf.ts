/** @module Witnesses in the Informal Trace Format (ITF, JSON), which trace viewers of other checkers read. */
import type { JsonObject, Net, NonLocalRules, TransitionIndex } from "@tessera/core";
import { fire, invariant, NO_RULES } from "@tessera/core";

/**
 * The firing sequence as an ITF trace: one variable for each place, and `transition` with the id of what was fired last
 * (empty at the start). `loop`: the number of firings before the part that repeats for ever, for a lasso. The sequence
 * must be enabled, else InvariantViolation "D1.5".
 */
export function itfTrace(
  net: Net,
  sequence: readonly TransitionIndex[],
  { loop, rules = NO_RULES }: { readonly loop?: number; readonly rules?: NonLocalRules } = {},
): JsonObject {
  let marking = net.initial;
  const state = (index: number, transition: string): JsonObject => ({
    "#meta": { index },
    transition,
    // ITF writes whole numbers that may be large as strings under this key.
    ...Object.fromEntries(
      net.places.map(({ id }, place) => [id, { "#bigint": String(marking[place] ?? 0) }]),
    ),
  });
  const states = [state(0, "")];
  for (const [index, t] of sequence.entries()) {
    const next = fire(net, marking, t, rules);
    invariant(next.kind === "fired", "D1.5", () => ({ transition: t }));
    marking = next.marking;
    states.push(state(index + 1, net.transitions[t]?.id ?? String(t)));
  }
  return {
    "#meta": {
      format: "ITF",
      "format-description": "https://apalache.informal.systems/docs/adr/015adr-trace.html",
    },
    vars: ["transition", ...net.places.map(({ id }) => id)],
    states,
    ...(loop === undefined ? {} : { loop }),
  };
}
