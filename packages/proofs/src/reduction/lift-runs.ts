/** @module Carries runs of a reduced net over to the original: one for each element, also for what was taken away as idle. */
import type { Net, TransitionIndex } from "@tessera/core";
import { fireSequence } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { IdleRun } from "./draft.ts";
import type { Reduction } from "./reduce.ts";
import {
  flatten,
  flattenTo,
  type PartsAbove,
  partsAbove,
  type Sequence,
  type Sequences,
} from "./sequences.ts";

type Run = readonly TransitionIndex[];

/** A sequence, its parts, and a run of the original net after which it fires; null if there is no such run. */
interface Place {
  readonly sequence: Sequence;
  readonly above: PartsAbove;
  readonly before: () => Run | null;
}

/**
 * A run for each element of the original net that ends in the element, from runs of the reduced net, one for each of
 * its transitions (T13.1), and from what shows that idle transitions fire (T13.8); null if some element occurs in none
 * of them.
 */
export function liftRuns(net: Net, reduction: Reduction, runs: readonly Run[]): readonly Run[] | null {
  const { sequences, prefix, idle } = reduction;
  const placeOf = new Map<Sequence, Place>();
  const add = (place: Place) => {
    for (const part of place.above.keys()) if (!placeOf.has(part)) placeOf.set(part, place);
  };
  for (let index = 0; index < prefix.length; index += 1) add(placeInPrefix(reduction, index));
  // The shortest run that has the part in its last firing.
  for (const run of [...runs].sort((a, b) => a.length - b.length)) {
    const last = reduction.runs[run.at(-1) ?? -1];
    if (last !== undefined) add(placeAtEnd(net, reduction, run, last));
  }
  // What shows an idle transition may have been taken away as idle itself, later.
  for (const one of [...idle].reverse()) add(placeOfIdle(net, reduction, one, placeOf));
  const runTo = (t: TransitionIndex): Run | null => {
    const before = runBefore(sequences, placeOf, t);
    return before === null ? null : [...before, t];
  };
  const found: Run[] = [];
  for (const { transitions } of elementsOf(net)) {
    const run = firstOf(transitions, runTo);
    if (run === null) return null;
    found.push(run);
  }
  return found;
}

/** A run of the original net up to `part`, which a place has; null if there is none. */
function runBefore(sequences: Sequences, placeOf: ReadonlyMap<Sequence, Place>, part: Sequence): Run | null {
  const place = placeOf.get(part);
  if (place === undefined) return null;
  const before = place.before();
  return before === null ? null : [...before, ...flattenTo(sequences, place.sequence, part, place.above)!];
}

function firstOf(
  transitions: readonly TransitionIndex[],
  runTo: (t: TransitionIndex) => Run | null,
): Run | null {
  for (const t of transitions) {
    const run = runTo(t);
    if (run !== null) return run;
  }
  return null;
}

function placeInPrefix({ sequences, prefix }: Reduction, index: number): Place {
  const sequence = prefix[index]!;
  const before = once(() => prefix.slice(0, index).flatMap((part) => flatten(sequences, part)));
  return { sequence, above: partsAbove(sequences, sequence), before };
}

/** The last firing of a run of the reduced net. */
function placeAtEnd(net: Net, reduction: Reduction, run: Run, sequence: Sequence): Place {
  const { sequences, runs, prefix } = reduction;
  const parts = () => [...prefix, ...run.slice(0, -1).map((r) => runs[r] ?? -1)];
  return {
    sequence,
    above: partsAbove(sequences, sequence),
    before: once(() =>
      fired(
        net,
        parts().flatMap((part) => flatten(sequences, part)),
      ),
    ),
  };
}

/** Where an idle transition fires, as what shows it does (T13.8). */
function placeOfIdle(
  net: Net,
  { sequences, prefix }: Reduction,
  { run, other, isBefore, prefixLength }: IdleRun,
  placeOf: ReadonlyMap<Sequence, Place>,
): Place {
  const before = once(() => {
    if (other === null) return prefix.slice(0, prefixLength).flatMap((part) => flatten(sequences, part));
    const sequence = runBefore(sequences, placeOf, other);
    return sequence === null
      ? null
      : fired(net, [...sequence, ...(isBefore ? [] : flatten(sequences, other))]);
  });
  return { sequence: run, above: partsAbove(sequences, run), before };
}

/** The sequence, if it fires in `net`. */
function fired(net: Net, sequence: Run): Run | null {
  return fireSequence(net, net.initial, sequence).kind === "fired" ? sequence : null;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
