/** @module Reduces a plain net by a work-list of places and transitions; every step is recorded and can be replayed. */
import type { Net, PlaceIndex } from "@tessera/core";
import { invariant } from "@tessera/core";
import {
  type Draft,
  draftOf,
  either,
  followedBy,
  lengthOf,
  netOfDraft,
  type Sequence,
  type Shape,
} from "./draft.ts";
import type { DraftTransition, ReductionStep } from "./step.ts";

/** A reduced net and the way back. */
export interface Reduction {
  readonly net: Net;
  readonly steps: readonly ReductionStep[];
  /** The original place of each place. */
  readonly places: readonly PlaceIndex[];
  /** What each transition stands for. */
  readonly shapes: readonly Shape[];
  /** What was fired at the start. */
  readonly prefix: readonly Sequence[];
  /** Original transitions that may fire though everything that carries them is dead. */
  readonly inexact: readonly Sequence[];
}

/**
 * `isExact`: only rules that say of every transition whether it is dead; the net stays larger. `kept`: places that stay,
 * with their tokens, as final places do.
 */
export interface ReduceOptions {
  readonly isExact?: boolean;
  readonly kept?: readonly PlaceIndex[];
}

/** Copies made by one step that does not shrink the net, at most. */
const COPIES_MAX = 8;

/** Tokens that are moved on from the start by one step, at most: each is a firing of the run. */
const TOKENS_MAX = 16;

/** Firings of the original net that one transition stands for, at most. */
const LENGTH_MAX = 100_000;

interface Work {
  readonly isExact: boolean;
  readonly draft: Draft;
  readonly steps: ReductionStep[];
  readonly places: Queue;
  readonly transitions: Queue;
  /** Places whose agglomeration makes copies: they wait until nothing else applies, for most become simple. */
  readonly branching: Queue;
  /** Signatures of places and transitions when last looked at; an entry may be out of date. */
  readonly placeOf: Map<string, PlaceIndex>;
  readonly transitionOf: Map<string, DraftTransition>;
}

/**
 * Applies the rules D13.4 to D13.8 until none applies. Requires a plain net. Each step takes a place or a transition
 * away, and what it changed is looked at again: cost linear in the steps times the degrees met.
 *
 * @refines D13.9
 */
export function reduce(net: Net, { isExact = false, kept = [] }: ReduceOptions = {}): Reduction {
  const draft = draftOf(net, kept);
  const work: Work = {
    isExact,
    draft,
    steps: [],
    places: queue(net.places.keys()),
    transitions: queue(net.transitions.keys()),
    branching: queue([]),
    placeOf: new Map(),
    transitionOf: new Map(),
  };
  for (;;) {
    // Places first: a transition is looked at once after all changes around it.
    const place = work.places.take();
    if (place !== undefined) {
      reducePlace(work, place, 1);
      continue;
    }
    const transition = work.transitions.take();
    if (transition !== undefined) {
      reduceTransition(work, transition);
      continue;
    }
    const branching = work.branching.take();
    if (branching === undefined) break;
    reducePlace(work, branching, Number.POSITIVE_INFINITY);
  }
  const { prefix, inexact } = draft;
  return { ...netOfDraft(draft), steps: work.steps, prefix, inexact };
}

function reducePlace(work: Work, place: PlaceIndex, consumersMax: number): void {
  const { draft, branching } = work;
  if (draft.isGone[place] === 1 || draft.isFinal[place] === 1) return;
  if (draft.consumers[place]!.size > consumersMax) branching.add(place);
  else if (agglomeratePost(work, place) || (!work.isExact && agglomeratePre(work, place))) return;
  removeTwinPlace(work, place);
}

function agglomeratePost({ draft, steps, ...work }: Work, place: PlaceIndex): boolean {
  const producers = draft.producers[place]!;
  const consumers = draft.consumers[place]!;
  const tokens = draft.initial[place]!;
  if (consumers.size === 0 || (producers.size === 0 && tokens === 0)) return false;
  if (tokens > TOKENS_MAX || (tokens > 0 && consumers.size > 1)) return false;
  const before = producers.size + consumers.size;
  const after = producers.size * consumers.size;
  if (after > before && after > COPIES_MAX) return false;
  for (const f of consumers) {
    const { pre, post, run } = draft.shapes.get(f)!;
    if (pre.size !== 1 || post.size === 0 || post.has(place)) return false;
    for (const h of producers) {
      const base = draft.shapes.get(h)!;
      if (!areDisjoint(base.post, post) || isLong(base.run, run)) return false;
    }
  }
  const copies = draft.next - draft.original.transitions.length;
  if (consumers.size > 1 && copies > draft.original.transitions.length) return false;
  steps.push({ kind: "post", place });
  applyPost(
    draft,
    place,
    (p) => work.places.add(p),
    (t) => work.transitions.add(t),
  );
  return true;
}

/** Fires the consumer as often as the start allows, then gives each producer every consumer. */
function applyPost(
  draft: Draft,
  place: PlaceIndex,
  onPlace: (place: PlaceIndex) => void,
  onTransition: (t: DraftTransition) => void,
): void {
  const hs = ascending(draft.producers[place]!);
  const fs = ascending(draft.consumers[place]!).map((f) => ({ f, shape: draft.shapes.get(f)! }));
  for (; draft.initial[place]! > 0; draft.initial[place]! -= 1) {
    for (const p of fs[0]!.shape.post) draft.initial[p]! += 1;
    draft.prefix.push(fs[0]!.shape.run);
  }
  draft.isGone[place] = 1;
  for (const { f, shape } of fs) detach(draft, f, shape, onPlace);
  for (const h of hs) {
    const base = draft.shapes.get(h)!;
    base.post.delete(place);
    for (const { shape } of fs.slice(1)) {
      const run = followedBy(base.run, shape.run);
      const copy: Shape = { pre: new Set(base.pre), post: new Set(base.post), run };
      for (const p of shape.post) copy.post.add(p);
      const number = draft.next;
      draft.next += 1;
      attach(draft, number, copy, onPlace);
      onTransition(number);
    }
    base.run = followedBy(base.run, fs[0]!.shape.run);
    for (const p of fs[0]!.shape.post) {
      base.post.add(p);
      draft.producers[p]!.add(h);
      onPlace(p);
    }
    // Its other outputs have the same producer as before, but what it needs may now be agglomerated.
    for (const p of base.pre) onPlace(p);
    onTransition(h);
  }
}

function agglomeratePre({ draft, steps, ...work }: Work, place: PlaceIndex): boolean {
  const producers = draft.producers[place]!;
  const consumers = draft.consumers[place]!;
  if (producers.size !== 1 || consumers.size === 0 || draft.initial[place]! > 0) return false;
  const [h] = producers;
  const shape = draft.shapes.get(h!)!;
  if (shape.post.size !== 1 || shape.pre.size === 0 || shape.pre.has(place)) return false;
  if (consumers.size > 1 && consumers.size * shape.pre.size > COPIES_MAX) return false;
  for (const p of shape.pre) if (draft.isFinal[p] === 1 || draft.consumers[p]!.size !== 1) return false;
  for (const f of consumers) if (isLong(shape.run, draft.shapes.get(f)!.run)) return false;
  steps.push({ kind: "pre", place });
  draft.isGone[place] = 1;
  detach(draft, h!, shape, (p) => work.places.add(p));
  draft.inexact.push(shape.run);
  for (const f of consumers) {
    const target = draft.shapes.get(f)!;
    target.pre.delete(place);
    for (const p of shape.pre) {
      target.pre.add(p);
      draft.consumers[p]!.add(f);
    }
    target.run = followedBy(shape.run, target.run);
    for (const p of [...target.pre, ...target.post]) work.places.add(p);
    work.transitions.add(f);
  }
  return true;
}

function removeTwinPlace({ draft, steps, places, transitions, placeOf }: Work, place: PlaceIndex): void {
  const producers = draft.producers[place]!;
  const consumers = draft.consumers[place]!;
  const key = signature(producers, consumers);
  const twin = placeOf.get(key);
  if (twin === undefined || twin === place || draft.isGone[twin] === 1) {
    placeOf.set(key, place);
    return;
  }
  const isTwin =
    draft.initial[twin] === draft.initial[place] &&
    isSame(draft.producers[twin]!, producers) &&
    isSame(draft.consumers[twin]!, consumers);
  if (!isTwin) {
    placeOf.set(key, place);
    return;
  }
  steps.push({ kind: "twin-place", place, twin });
  draft.isGone[place] = 1;
  for (const t of producers) {
    draft.shapes.get(t)!.post.delete(place);
    transitions.add(t);
  }
  for (const t of consumers) {
    const { pre, post } = draft.shapes.get(t)!;
    pre.delete(place);
    transitions.add(t);
    for (const p of pre) places.add(p);
    for (const p of post) places.add(p);
  }
  for (const t of producers) for (const p of draft.shapes.get(t)!.post) places.add(p);
}

function reduceTransition(work: Work, t: DraftTransition): void {
  const { draft, steps, places, transitionOf } = work;
  const shape = draft.shapes.get(t);
  if (shape === undefined) return;
  const key = signature(shape.pre, shape.post);
  const twin = transitionOf.get(key);
  const other = twin === undefined || twin === t ? undefined : draft.shapes.get(twin);
  if (
    twin !== undefined &&
    other !== undefined &&
    isSame(other.pre, shape.pre) &&
    isSame(other.post, shape.post)
  ) {
    steps.push({ kind: "twin-transition", transition: t, twin });
    other.run = either(other.run, shape.run);
    detach(draft, t, shape, (p) => places.add(p));
    return;
  }
  transitionOf.set(key, t);
  if (work.isExact || shape.pre.size === 0 || !isSame(shape.pre, shape.post)) return;
  const proof = firesWith(draft, t, shape);
  if (proof === undefined) return;
  steps.push({ kind: "idle", transition: t, other: proof });
  draft.inexact.push(shape.run);
  detach(draft, t, shape, (p) => places.add(p));
}

/** A transition whose firing shows that idle `t` can fire; null if the start shows it; undefined if nothing does. */
function firesWith(draft: Draft, t: DraftTransition, { pre }: Shape): DraftTransition | null | undefined {
  if ([...pre].every((p) => draft.initial[p]! > 0)) return null;
  const [first] = pre;
  for (const u of [...draft.consumers[first!]!, ...draft.producers[first!]!]) {
    const shape = draft.shapes.get(u)!;
    if (u !== t && (isSubset(pre, shape.pre) || isSubset(pre, shape.post))) return u;
  }
  return undefined;
}

/** Takes a transition out; its neighbours have changed. */
function detach(
  draft: Draft,
  t: DraftTransition,
  { pre, post }: Shape,
  onPlace: (p: PlaceIndex) => void,
): void {
  draft.shapes.delete(t);
  for (const p of pre) {
    draft.consumers[p]!.delete(t);
    onPlace(p);
  }
  for (const p of post) {
    draft.producers[p]!.delete(t);
    onPlace(p);
  }
}

function attach(draft: Draft, t: DraftTransition, shape: Shape, onPlace: (p: PlaceIndex) => void): void {
  invariant(!draft.shapes.has(t), "D13.9", () => ({ transition: t }));
  draft.shapes.set(t, shape);
  for (const p of shape.pre) {
    draft.consumers[p]!.add(t);
    onPlace(p);
  }
  for (const p of shape.post) {
    draft.producers[p]!.add(t);
    onPlace(p);
  }
}

interface Queue {
  readonly add: (item: number) => void;
  readonly take: () => number | undefined;
}

/** First in, first out; what waits already is not added again. */
function queue(items: Iterable<number>): Queue {
  const waiting = new Set(items);
  return {
    add: (item) => waiting.add(item),
    take: () => {
      for (const item of waiting) {
        waiting.delete(item);
        return item;
      }
      return undefined;
    },
  };
}

function signature(left: ReadonlySet<number>, right: ReadonlySet<number>): string {
  return `${ascending(left).join()}>${ascending(right).join()}`;
}

function ascending(items: ReadonlySet<number>): number[] {
  return [...items].sort((a, b) => a - b);
}

function isSame(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && isSubset(left, right);
}

function isSubset(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  for (const item of left) if (!right.has(item)) return false;
  return true;
}

/** Shared parts can make runs that no one could write out. */
function isLong(first: Sequence, second: Sequence): boolean {
  return lengthOf(first) + lengthOf(second) > LENGTH_MAX;
}

function areDisjoint(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  for (const item of small) if (large.has(item)) return false;
  return true;
}
