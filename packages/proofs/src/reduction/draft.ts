/** @module A net under reduction: its arcs, changed step by step, with what each transition stands for. */
import type { Net, PlaceIndex, Transition, WeightedPlace } from "@tessera/core";
import {
  type Arcs,
  addNode,
  arcsOf,
  ascending,
  INPUT,
  link,
  NONE,
  OUTPUT,
  PLACE,
  placesOf,
  unlink,
} from "./arcs.ts";
import { type Sequence, type Sequences, sequencesOf } from "./sequences.ts";
import type { DraftTransition } from "./step.ts";

/** Stands for nothing: the transition was taken away. */
export const GONE = -1;

/** A net that is being reduced. Places keep their index. */
export interface Draft {
  readonly original: Net;
  readonly arcs: Arcs;
  readonly sequences: Sequences;
  /**
   * What firing each transition means in the original net; GONE for those that were taken away. An original transition
   * is dead if every transition that names it is, and, but for those of `inexact`, only then.
   */
  readonly runs: Sequence[];
  readonly isGone: Uint8Array;
  /** 1 for places that some final marking marks, and for those that the caller keeps. */
  readonly isFinal: Uint8Array;
  readonly initial: number[];
  /** What was fired at the start. */
  readonly prefix: Sequence[];
  /** Original transitions that may fire though everything that carries them is dead. */
  readonly inexact: Sequence[];
  /** What rule idle took away, in order. */
  readonly idle: IdleRun[];
}

/** What an idle transition stood for when it was taken away, and where it can fire (T13.8). */
export interface IdleRun {
  readonly run: Sequence;
  /** What the transition stood for that shows it: `run` can fire right before it or right after it. Null: at the start. */
  readonly other: Sequence | null;
  readonly isBefore: boolean;
  /** The parts of the prefix that were fired by then. */
  readonly prefixLength: number;
}

/** The draft of a plain net before the first step. No rule takes away places of `kept`. */
export function draftOf(net: Net, kept: readonly PlaceIndex[] = []): Draft {
  const isFinal = new Uint8Array(net.places.length);
  const { finals } = net;
  if (finals.kind === "ends") for (const end of finals.ends) isFinal[end] = 1;
  else
    for (const final of finals.markings)
      for (let place = 0; place < isFinal.length; place += 1) if (final[place] !== 0) isFinal[place] = 1;
  for (const place of kept) isFinal[place] = 1;
  const runs = new Array<Sequence>(net.transitions.length);
  for (let t = 0; t < runs.length; t += 1) runs[t] = t;
  return {
    original: net,
    arcs: arcsOf(net),
    sequences: sequencesOf(net.transitions.length),
    runs,
    isGone: new Uint8Array(net.places.length),
    isFinal,
    initial: net.initial.slice(),
    prefix: [],
    inexact: [],
    idle: [],
  };
}

/** A transition without arcs that stands for `run`; its number. */
export function newTransition({ arcs, runs }: Draft, run: Sequence): DraftTransition {
  addNode(arcs);
  return runs.push(run) - 1;
}

/** Takes a transition out; `onPlace` is told of its neighbours, which have changed. */
export function detach(draft: Draft, t: DraftTransition, onPlace: (place: PlaceIndex) => void): void {
  const { arcs, runs } = draft;
  runs[t] = GONE;
  for (const side of [INPUT, OUTPUT] as const) {
    for (let arc = arcs.ofTransition[2 * t + side]!; arc !== NONE; arc = arcs.ofTransition[2 * t + side]!) {
      onPlace(arcs.cells[arc + PLACE]!);
      unlink(arcs, side, arc);
    }
  }
}

/** Takes a place out with its arcs. */
export function dropPlace({ arcs, isGone }: Draft, place: PlaceIndex): void {
  isGone[place] = 1;
  for (const side of [INPUT, OUTPUT] as const)
    for (let arc = arcs.ofPlace[2 * place + side]!; arc !== NONE; arc = arcs.ofPlace[2 * place + side]!)
      unlink(arcs, side, arc);
}

/** Lets `t` put a token on each of `places`, on which it puts none yet. */
export function addOutputs({ arcs }: Draft, t: DraftTransition, places: readonly PlaceIndex[]): void {
  for (const place of places) link(arcs, OUTPUT, place, t);
}

/** Lets `t` take a token from each of `places`, from which it takes none yet. */
export function addInputs({ arcs }: Draft, t: DraftTransition, places: readonly PlaceIndex[]): void {
  for (const place of places) link(arcs, INPUT, place, t);
}

/** The draft as a net, and the original place of each of its places. Transitions stand in the order of their numbers. */
export function netOfDraft(draft: Draft): {
  readonly net: Net;
  readonly places: readonly PlaceIndex[];
  /** What each transition stands for. */
  readonly runs: readonly Sequence[];
} {
  const { original, arcs, isGone, initial, runs } = draft;
  const places: PlaceIndex[] = [];
  const indexOf = new Int32Array(isGone.length);
  for (let place = 0; place < isGone.length; place += 1)
    if (isGone[place] === 0) indexOf[place] = places.push(place) - 1;
  const side = (of: PlaceIndex[]) => ascending(of).map((place): WeightedPlace => [indexOf[place]!, 1]);
  const project = (M: readonly number[]) => places.map((place) => M[place] ?? 0);
  const { finals } = original;
  const transitions: Transition[] = [];
  const kept: Sequence[] = [];
  for (let t = 0; t < runs.length; t += 1) {
    if (runs[t] === GONE) continue;
    const [pre, post] = [side(placesOf(arcs, INPUT, t)), side(placesOf(arcs, OUTPUT, t))];
    transitions.push({ id: `r${t}`, pre, any: [], post, reset: [] });
    kept.push(runs[t]!);
  }
  const net: Net = {
    places: places.map((place) => original.places[place]!),
    transitions,
    initial: project(initial),
    finals:
      finals.kind === "ends"
        ? { kind: "ends", ends: finals.ends.map((end) => indexOf[end]!) }
        : { kind: "markings", markings: finals.markings.map(project) },
  };
  return { net, places, runs: kept };
}
