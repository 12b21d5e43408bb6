/** @module The rules of reduction as the prover applies them: what their side conditions ask is counted or looked up. */
import type { PlaceIndex } from "@tessera/core";
import {
  type Arcs,
  ascending,
  INPUT,
  isLinked,
  NEXT_OF_PLACE,
  NEXT_OF_TRANSITION,
  NONE,
  OUTPUT,
  PLACE,
  placesOf,
  TRANSITION,
  transitionsOf,
} from "./arcs.ts";
import { addInputs, addOutputs, type Draft, detach, dropPlace, GONE, newTransition } from "./draft.ts";
import { either, followedBy, lengthOf } from "./sequences.ts";
import type { DraftTransition } from "./step.ts";
import { add, type Work } from "./work-list.ts";

/** Copies made by one step that does not shrink the net, at most. */
const COPIES_MAX = 8;

/** Tokens that are moved on from the start by one step, at most: each is a firing of the run. */
const TOKENS_MAX = 16;

/** Firings of the original net that one transition stands for, at most. */
const LENGTH_MAX = 100_000;

type Side = typeof INPUT | typeof OUTPUT;

/** Post-agglomeration of `place` (D13.4), if it applies. */
export function agglomeratePost(work: Work, place: PlaceIndex): boolean {
  const { draft, steps } = work;
  const { arcs, initial, runs, original } = draft;
  const { cells, ofPlace, countOfTransition } = arcs;
  const producerCount = arcs.countOfPlace[2 * place + OUTPUT]!;
  const consumerCount = arcs.countOfPlace[2 * place + INPUT]!;
  const tokens = initial[place]!;
  if (consumerCount === 0 || (producerCount === 0 && tokens === 0)) return false;
  if (tokens > TOKENS_MAX || (tokens > 0 && consumerCount > 1)) return false;
  const after = producerCount * consumerCount;
  if (after > producerCount + consumerCount && after > COPIES_MAX) return false;
  for (let arc = ofPlace[2 * place + INPUT]!; arc !== NONE; arc = cells[arc + NEXT_OF_PLACE]!) {
    const f = cells[arc + TRANSITION]!;
    if (countOfTransition[2 * f + INPUT] !== 1 || countOfTransition[2 * f + OUTPUT] === 0) return false;
  }
  for (let arc = ofPlace[2 * place + INPUT]!; arc !== NONE; arc = cells[arc + NEXT_OF_PLACE]!)
    if (!canFollowAll(draft, place, cells[arc + TRANSITION]!)) return false;
  if (consumerCount > 1 && runs.length > 2 * original.transitions.length) return false;
  steps.push({ kind: "post", place });
  applyPost(work, place);
  return true;
}

/**
 * Does `f` share no output with a producer of `place`, which it is itself if it gives back, and is no run too long to be
 * written out?
 */
function canFollowAll({ arcs, sequences, runs }: Draft, place: PlaceIndex, f: DraftTransition): boolean {
  const { cells, ofPlace, ofTransition } = arcs;
  const length = lengthOf(sequences, runs[f]!);
  for (let arc = ofPlace[2 * place + OUTPUT]!; arc !== NONE; arc = cells[arc + NEXT_OF_PLACE]!) {
    const h = cells[arc + TRANSITION]!;
    // Shared parts can make runs that no one could write out.
    if (lengthOf(sequences, runs[h]!) + length > LENGTH_MAX) return false;
    for (let out = ofTransition[2 * f + OUTPUT]!; out !== NONE; out = cells[out + NEXT_OF_TRANSITION]!)
      if (isLinked(arcs, OUTPUT, cells[out + PLACE]!, h)) return false;
  }
  return true;
}

/** Fires the consumer as often as the start allows, then gives each producer every consumer. */
function applyPost(work: Work, place: PlaceIndex): void {
  const { draft, onPlace } = work;
  const { arcs, runs, sequences, initial } = draft;
  const hs = ascending(transitionsOf(arcs, OUTPUT, place));
  const fs = ascending(transitionsOf(arcs, INPUT, place)).map((f) => {
    return { f, run: runs[f]!, post: placesOf(arcs, OUTPUT, f) };
  });
  const first = fs[0]!;
  for (; initial[place]! > 0; initial[place]! -= 1) {
    for (const p of first.post) initial[p]! += 1;
    draft.prefix.push(first.run);
  }
  for (const { f } of fs) detach(draft, f, onPlace);
  dropPlace(draft, place);
  for (const h of hs) {
    if (fs.length > 1) {
      const [pre, post] = [placesOf(arcs, INPUT, h), placesOf(arcs, OUTPUT, h)];
      for (let k = 1; k < fs.length; k += 1) {
        const other = fs[k]!;
        const copy = newTransition(draft, followedBy(sequences, runs[h]!, other.run));
        addInputs(draft, copy, pre);
        addOutputs(draft, copy, post);
        addOutputs(draft, copy, other.post);
        for (const places of [pre, post, other.post]) for (const p of places) onPlace(p);
        add(work.transitions, copy);
      }
    }
    runs[h] = followedBy(sequences, runs[h]!, first.run);
    addOutputs(draft, h, first.post);
    // What it needs may now be agglomerated.
    if (arcs.countOfTransition[2 * h + INPUT] === 1)
      onPlace(arcs.cells[arcs.ofTransition[2 * h + INPUT]! + PLACE]!);
    add(work.transitions, h);
  }
}

/** Pre-agglomeration of `place` (D13.5), if it applies. */
export function agglomeratePre(work: Work, place: PlaceIndex): boolean {
  const { draft, steps, onPlace } = work;
  const { arcs, sequences, runs, initial, isFinal } = draft;
  const { cells, ofPlace, countOfPlace, countOfTransition } = arcs;
  const consumerCount = countOfPlace[2 * place + INPUT]!;
  if (countOfPlace[2 * place + OUTPUT] !== 1 || consumerCount === 0 || initial[place]! > 0) return false;
  const h = cells[ofPlace[2 * place + OUTPUT]! + TRANSITION]!;
  const inputCount = countOfTransition[2 * h + INPUT]!;
  if (countOfTransition[2 * h + OUTPUT] !== 1 || inputCount === 0 || isLinked(arcs, INPUT, place, h))
    return false;
  if (consumerCount > 1 && consumerCount * inputCount > COPIES_MAX) return false;
  const pre = placesOf(arcs, INPUT, h);
  for (const p of pre) if (isFinal[p] === 1 || countOfPlace[2 * p + INPUT] !== 1) return false;
  const fs = ascending(transitionsOf(arcs, INPUT, place));
  const run = runs[h]!;
  for (const f of fs) if (lengthOf(sequences, run) + lengthOf(sequences, runs[f]!) > LENGTH_MAX) return false;
  steps.push({ kind: "pre", place });
  detach(draft, h, onPlace);
  dropPlace(draft, place);
  draft.inexact.push(run);
  for (const f of fs) {
    addInputs(draft, f, pre);
    runs[f] = followedBy(sequences, run, runs[f]!);
    lookAtSoleOutput(arcs, f, onPlace);
    add(work.transitions, f);
  }
  return true;
}

/** What a transition that does nothing else fills may be agglomerated when its inputs have changed. */
function lookAtSoleOutput(arcs: Arcs, t: DraftTransition, onPlace: (place: PlaceIndex) => void): void {
  const { cells, countOfTransition, ofTransition } = arcs;
  if (countOfTransition[2 * t + OUTPUT] === 1) onPlace(cells[ofTransition[2 * t + OUTPUT]! + PLACE]!);
}

/** Takes `place` away if a place with the same neighbours was looked at before (D13.6). */
export function removeTwinPlace(work: Work, place: PlaceIndex): void {
  const { draft, steps, placeOf, onPlace } = work;
  const { arcs, isGone, initial } = draft;
  const sign = (arcs.signOfPlace[place]! + Math.imul(initial[place]!, 0x9e3779b1)) | 0;
  const twin = placeOf.get(sign);
  placeOf.set(sign, place);
  if (twin === undefined || twin === place || isGone[twin] === 1 || initial[twin] !== initial[place]) return;
  if (!haveSameNeighbours(arcs, place, twin)) return;
  placeOf.set(sign, twin);
  steps.push({ kind: "twin-place", place, twin });
  const around = [...transitionsOf(arcs, OUTPUT, place), ...transitionsOf(arcs, INPUT, place)];
  dropPlace(draft, place);
  for (const t of around) {
    add(work.transitions, t);
    // Only what has come to be alone on its side of a transition can be agglomerated now.
    if (arcs.countOfTransition[2 * t + INPUT] === 1)
      onPlace(arcs.cells[arcs.ofTransition[2 * t + INPUT]! + PLACE]!);
    lookAtSoleOutput(arcs, t, onPlace);
  }
}

function haveSameNeighbours(arcs: Arcs, place: PlaceIndex, twin: PlaceIndex): boolean {
  const { cells, ofPlace, countOfPlace } = arcs;
  for (const side of [INPUT, OUTPUT] as const) {
    if (countOfPlace[2 * place + side] !== countOfPlace[2 * twin + side]) return false;
    for (let arc = ofPlace[2 * place + side]!; arc !== NONE; arc = cells[arc + NEXT_OF_PLACE]!)
      if (!isLinked(arcs, side, twin, cells[arc + TRANSITION]!)) return false;
  }
  return true;
}

/** Takes `t` away if a transition like it was looked at before (D13.7), or if it changes nothing and can fire (D13.8). */
export function reduceTransition(
  { draft, steps, transitionOf, onPlace, isExact }: Work,
  t: DraftTransition,
): void {
  const { arcs, runs, sequences } = draft;
  if (runs[t] === GONE) return;
  const sign = arcs.signOfTransition[t]!;
  const twin = transitionOf.get(sign);
  if (twin !== undefined && twin !== t && runs[twin] !== GONE && isLike(arcs, t, twin)) {
    steps.push({ kind: "twin-transition", transition: t, twin });
    runs[twin] = either(sequences, runs[twin]!, runs[t]!);
    detach(draft, t, onPlace);
    return;
  }
  transitionOf.set(sign, t);
  if (isExact || arcs.countOfTransition[2 * t + INPUT] === 0 || !isIdle(arcs, t)) return;
  const shown = firesWith(draft, t);
  if (shown === null) return;
  const { other, isBefore } = shown;
  steps.push({ kind: "idle", transition: t, other });
  draft.inexact.push(runs[t]!);
  draft.idle.push({
    run: runs[t]!,
    other: other === null ? null : runs[other]!,
    isBefore,
    prefixLength: draft.prefix.length,
  });
  detach(draft, t, onPlace);
}

function isLike(arcs: Arcs, t: DraftTransition, twin: DraftTransition): boolean {
  return ([INPUT, OUTPUT] as const).every(
    (side) =>
      arcs.countOfTransition[2 * t + side] === arcs.countOfTransition[2 * twin + side] &&
      isCovered(arcs, t, side, twin, side),
  );
}

function isIdle(arcs: Arcs, t: DraftTransition): boolean {
  return (
    arcs.countOfTransition[2 * t + INPUT] === arcs.countOfTransition[2 * t + OUTPUT] &&
    isCovered(arcs, t, INPUT, t, OUTPUT)
  );
}

/** Is each place on one side of `t` on that side of `other`? */
function isCovered(
  arcs: Arcs,
  t: DraftTransition,
  side: Side,
  other: DraftTransition,
  otherSide: Side,
): boolean {
  const { cells, ofTransition } = arcs;
  for (let arc = ofTransition[2 * t + side]!; arc !== NONE; arc = cells[arc + NEXT_OF_TRANSITION]!)
    if (!isLinked(arcs, otherSide, cells[arc + PLACE]!, other)) return false;
  return true;
}

/** What shows that idle `t` can fire: a transition before or after which it can, or the start (`other` is null). Null: nothing. */
function firesWith(
  draft: Draft,
  t: DraftTransition,
): { readonly other: DraftTransition | null; readonly isBefore: boolean } | null {
  const { arcs, initial } = draft;
  const pre = placesOf(arcs, INPUT, t);
  if (pre.every((p) => initial[p]! > 0)) return { other: null, isBefore: true };
  for (const side of [INPUT, OUTPUT] as const)
    for (const u of transitionsOf(arcs, side, pre[0]!)) {
      if (u === t) continue;
      const isBefore = isCovered(arcs, t, INPUT, u, INPUT);
      if (isBefore || isCovered(arcs, t, INPUT, u, OUTPUT)) return { other: u, isBefore };
    }
  return null;
}
