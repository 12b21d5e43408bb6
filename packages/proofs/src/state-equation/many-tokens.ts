/** @module Refutes soundness for many tokens at once: by a gain, a drift, a trap, or a run that gets stuck for any number. */
import type { Net, TransitionIndex } from "@tessera/core";
import { type Ends, everFireable, isOpenEnded, onlyOn } from "../certificate/many-tokens.ts";
import { incidence, type Sparse, transposed } from "../linear/incidence.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import type { ManyTokens, Run } from "../verdict.ts";
import { type Bounded, BY_NATURE, boundedTableau, solve, sumVariable, tighten } from "./bounds.ts";
import { neverProver } from "./never.ts";
import { maximalTrap } from "./siphons.ts";
import { TableauLimit } from "./tableau.ts";
import { scaled } from "./weights.ts";

/** Entries of a tableau that are computed. */
const WORK_MAX = 60_000_000;

/**
 * A reason why `net` is not k-sound for every k; null if none was found, or the net is of another class. What a continuous
 * firing, in fractions, could spoil, a firing of many tokens can (M. Blondin, F. Mazowiecki, P. Offtermatt, CAV 2022).
 *
 * @refines D24.6
 */
export function refuteGeneralised(net: Net, ends: Ends): ManyTokens | null {
  if (!isMonotone(net) || !isOpenEnded(net, ends)) return null;
  const fireable = [...everFireable(net, ends.source)].sort((a, b) => a - b);
  const trap = maximalTrap(net, (place) => place !== ends.sink);
  const inTrap = new Set(trap);
  const isMarked = fireable.some((t) => net.transitions[t]!.post.some(([place]) => inTrap.has(place)));
  if (isMarked || inTrap.has(ends.source)) return { kind: "lasting-trap", places: trap };
  return within(() => drift(net, ends, fireable)) ?? within(() => gain(net, ends, fireable));
}

/**
 * A reason why `net` is not k-sound for any k: after one of `runs`, each from one token on the source, the sink alone is out
 * of reach, and so it is for any multiple.
 *
 * @refines D24.6
 */
export function refuteStructural(net: Net, ends: Ends, runs: Iterable<Run>): ManyTokens | null {
  if (!isMonotone(net) || !isOpenEnded(net, ends)) return null;
  const goal = onlyOn(net, ends.sink);
  for (const run of runs) {
    const found = neverProver(net, run.marking, { casesMax: 20, workMax: 4_000_000 })(goal);
    if (found.kind !== "never") continue;
    const isScaling = found.steps.every(
      (step) =>
        step.kind === "siphon" ||
        step.kind === "farkas" ||
        (step.kind === "trap" && !step.places.includes(ends.sink)),
    );
    if (isScaling) return { kind: "stuck", run, steps: found.steps };
  }
  return null;
}

function within(find: () => ManyTokens | null): ManyTokens | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof TableauLimit) return null;
    throw error;
  }
}

/** Weights `y` with `y C >= 0` at what can fire, above zero somewhere, and no more on the sink than on the source. */
function drift(net: Net, { source, sink }: Ends, fireable: readonly TransitionIndex[]): ManyTokens | null {
  const columns = incidence(net);
  const chosen = fireable.map((t) => columns[t]!);
  const places = net.places.length;
  const bounded = tableau(transposed(chosen, places), chosen.length);
  // Weights may be below zero.
  for (let place = 0; place < places; place += 1) bounded.lower[place] = Number.NEGATIVE_INFINITY;
  const ends = sumVariable(bounded, [
    [sink, 1],
    [source, -1],
  ]);
  tighten(bounded, ends, false, 0, BY_NATURE);
  if (
    !raised(
      bounded,
      chosen.map((_, row) => places + row),
    )
  )
    return null;
  return { kind: "drift", weights: scaled(bounded, places) };
}

/** Firings of what can fire that, with as many tokens on the source as they take to the sink, leave something over. */
function gain(net: Net, { source, sink }: Ends, fireable: readonly TransitionIndex[]): ManyTokens | null {
  const columns = incidence(net);
  const back: Sparse = [
    [source, 1],
    [sink, -1],
  ];
  const bounded = tableau([...fireable.map((t) => columns[t]!), back], net.places.length);
  const count = fireable.length + 1;
  if (
    !raised(
      bounded,
      net.places.map((_, place) => count + place),
    )
  )
    return null;
  const numbers = scaled(bounded, count);
  const firings = net.transitions.map(() => 0);
  fireable.forEach((t, column) => {
    firings[t] = numbers[column]!;
  });
  return { kind: "gain", firings, tokens: numbers.at(-1)! };
}

/** Rows that are not negative. */
function tableau(columns: readonly Sparse[], rowCount: number): Bounded {
  const least = Array.from({ length: rowCount }, () => 0);
  const bounded = boundedTableau(columns, least, () => false);
  bounded.tableau.work = WORK_MAX;
  return bounded;
}

/** Can the sum of these variables be one? */
function raised(bounded: Bounded, variables: readonly number[]): boolean {
  const sum = sumVariable(
    bounded,
    variables.map((variable) => [variable, 1]),
  );
  return tighten(bounded, sum, true, 1, BY_NATURE) === null && solve(bounded) === null;
}
