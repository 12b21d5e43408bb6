/** @module Reduces a plain net by a work-list of places and transitions; every step is recorded and can be replayed. */
import type { Net, PlaceIndex } from "@tessera/core";
import { INPUT } from "./arcs.ts";
import { draftOf, type IdleRun, netOfDraft } from "./draft.ts";
import { agglomeratePost, agglomeratePre, reduceTransition, removeTwinPlace } from "./rules.ts";
import type { Sequence, Sequences } from "./sequences.ts";
import type { ReductionStep } from "./step.ts";
import { add, take, type Work, workList } from "./work-list.ts";

/** A reduced net and the way back. */
export interface Reduction {
  readonly net: Net;
  readonly steps: readonly ReductionStep[];
  /** The original place of each place. */
  readonly places: readonly PlaceIndex[];
  /** The parts of the sequences named below. */
  readonly sequences: Sequences;
  /** What each transition stands for. */
  readonly runs: readonly Sequence[];
  /** What was fired at the start. */
  readonly prefix: readonly Sequence[];
  /** Original transitions that may fire though everything that carries them is dead. */
  readonly inexact: readonly Sequence[];
  /** What rule idle took away, in order. */
  readonly idle: readonly IdleRun[];
}

/**
 * `isExact`: only rules that say of every transition whether it is dead; the net stays larger. `kept`: places that stay,
 * with their tokens, as final places do.
 */
export interface ReduceOptions {
  readonly isExact?: boolean;
  readonly kept?: readonly PlaceIndex[];
}

/**
 * Applies the rules D13.4 to D13.7 until none applies but for steps that would make too many copies, and D13.8 to what
 * changes. Requires a plain net. Each step takes a place or a transition away, and what it changed is looked at again:
 * cost linear in the steps times the degrees met.
 *
 * @refines D13.9
 */
export function reduce(net: Net, { isExact = false, kept = [] }: ReduceOptions = {}): Reduction {
  const draft = draftOf(net, kept);
  const places = workList(net.places.length);
  const work: Work = {
    isExact,
    draft,
    steps: [],
    places,
    transitions: workList(net.transitions.length),
    branching: workList(0),
    placeOf: new Map(),
    transitionOf: new Map(),
    onPlace: (place) => add(places, place),
  };
  for (;;) {
    // Places first: a transition is looked at once after all changes around it.
    const place = take(work.places);
    if (place >= 0) {
      reducePlace(work, place, 1);
      continue;
    }
    const transition = take(work.transitions);
    if (transition >= 0) {
      reduceTransition(work, transition);
      continue;
    }
    const branching = take(work.branching);
    if (branching < 0) break;
    reducePlace(work, branching, Number.POSITIVE_INFINITY);
  }
  const { sequences, prefix, inexact, idle } = draft;
  return { ...netOfDraft(draft), steps: work.steps, sequences, prefix, inexact, idle };
}

function reducePlace(work: Work, place: PlaceIndex, consumersMax: number): void {
  const { draft, branching } = work;
  if (draft.isGone[place] === 1 || draft.isFinal[place] === 1) return;
  if (draft.arcs.countOfPlace[2 * place + INPUT]! > consumersMax) add(branching, place);
  else if (agglomeratePost(work, place) || (!work.isExact && agglomeratePre(work, place))) return;
  removeTwinPlace(work, place);
}
