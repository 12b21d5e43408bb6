/** @module A net under reduction: sets of neighbours, changed step by step, with what each transition stands for. */
import type { Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";
import type { DraftTransition } from "./step.ts";

/**
 * Firing sequences of the original net: `first` then `second`, or either of two that do the same. Parts are shared,
 * so joining is one step; written out, the first choices have `length` firings.
 */
export type Sequence = TransitionIndex | Joined;

interface Joined {
  readonly kind: "then" | "either";
  readonly first: Sequence;
  readonly second: Sequence;
  readonly length: number;
}

/** One transition of a draft. */
export interface Shape {
  readonly pre: Set<PlaceIndex>;
  readonly post: Set<PlaceIndex>;
  /**
   * What firing it means in the original net. An original transition is dead if every transition that names it is,
   * and, but for those of `Draft.inexact`, only then.
   */
  run: Sequence;
}

/** A net that is being reduced. Places keep their index. */
export interface Draft {
  readonly original: Net;
  /** The transitions that are left. */
  readonly shapes: Map<DraftTransition, Shape>;
  readonly producers: Set<DraftTransition>[];
  readonly consumers: Set<DraftTransition>[];
  readonly isGone: Uint8Array;
  /** 1 for places that some final marking marks, and for those that the caller keeps. */
  readonly isFinal: Uint8Array;
  readonly initial: number[];
  /** What was fired at the start. */
  readonly prefix: Sequence[];
  /** Original transitions that may fire though everything that carries them is dead. */
  readonly inexact: Sequence[];
  next: DraftTransition;
}

/** The draft of a plain net before the first step. No rule takes away places of `kept`. */
export function draftOf(net: Net, kept: readonly PlaceIndex[] = []): Draft {
  const producers: Set<DraftTransition>[] = net.places.map(() => new Set());
  const consumers: Set<DraftTransition>[] = net.places.map(() => new Set());
  const shapes = new Map<DraftTransition, Shape>();
  net.transitions.forEach(({ pre, post }, t) => {
    const shape: Shape = { pre: new Set(), post: new Set(), run: t };
    for (const [place] of pre) {
      shape.pre.add(place);
      consumers[place]!.add(t);
    }
    for (const [place] of post) {
      shape.post.add(place);
      producers[place]!.add(t);
    }
    shapes.set(t, shape);
  });
  const isFinal = Uint8Array.from(net.places, (_, place) => (isInFinal(net, place) ? 1 : 0));
  for (const place of kept) isFinal[place] = 1;
  return {
    original: net,
    shapes,
    producers,
    consumers,
    isGone: new Uint8Array(net.places.length),
    isFinal,
    initial: [...net.initial],
    prefix: [],
    inexact: [],
    next: net.transitions.length,
  };
}

function isInFinal({ finals }: Net, place: PlaceIndex): boolean {
  return finals.kind === "ends" ? finals.ends.includes(place) : finals.markings.some((F) => F[place] !== 0);
}

/** The draft as a net, and the original place of each of its places. Transitions stand in the order of their numbers. */
export function netOfDraft(draft: Draft): {
  readonly net: Net;
  readonly places: readonly PlaceIndex[];
  readonly shapes: readonly Shape[];
} {
  const { original, isGone, initial } = draft;
  const places = original.places.flatMap((_, place) => (isGone[place] === 1 ? [] : [place]));
  const indexOf = new Map(places.map((place, index) => [place, index]));
  const side = (of: ReadonlySet<PlaceIndex>) =>
    [...of].map((place) => [indexOf.get(place) ?? -1, 1] as const).sort(([a], [b]) => a - b);
  const kept = [...draft.shapes].sort(([a], [b]) => a - b);
  const project = (M: readonly number[]) => places.map((place) => M[place] ?? 0);
  const { finals } = original;
  const net: Net = {
    places: places.map((place) => original.places[place]!),
    transitions: kept.map(([number, { pre, post }]): Transition => {
      return { id: `r${number}`, pre: side(pre), any: [], post: side(post), reset: [] };
    }),
    initial: project(initial),
    finals:
      finals.kind === "ends"
        ? { kind: "ends", ends: finals.ends.map((end) => indexOf.get(end) ?? -1) }
        : { kind: "markings", markings: finals.markings.map(project) },
  };
  return { net, places, shapes: kept.map(([, shape]) => shape) };
}

/** `first`, then `second`. */
export function followedBy(first: Sequence, second: Sequence): Sequence {
  return { kind: "then", first, second, length: lengthOf(first) + lengthOf(second) };
}

/** `first` or `second`. */
export function either(first: Sequence, second: Sequence): Sequence {
  return { kind: "either", first, second, length: Math.max(lengthOf(first), lengthOf(second)) };
}

/** The number of firings, at most. */
export function lengthOf(sequence: Sequence): number {
  return typeof sequence === "number" ? 1 : sequence.length;
}

/**
 * The sequence in order, where there is a choice the first.
 *
 * @definition D13.3
 */
export function flatten(sequence: Sequence): readonly TransitionIndex[] {
  return written(sequence, new Set());
}

/** All transitions that occur in some choice, each once. Cost: linear in the parts, however often they are shared. */
export function leaves(sequence: Sequence): ReadonlySet<TransitionIndex> {
  const found = new Set<TransitionIndex>();
  const parts = new Set([sequence]);
  for (const part of parts) {
    if (typeof part === "number") found.add(part);
    else parts.add(part.first).add(part.second);
  }
  return found;
}

/** The sequence with choices made so that `t` occurs in it; null if it cannot. */
export function flattenWith(sequence: Sequence, t: TransitionIndex): readonly TransitionIndex[] | null {
  const above = new Map<Sequence, Joined | null>([[sequence, null]]);
  for (const part of above.keys()) {
    if (typeof part === "number") continue;
    for (const below of [part.first, part.second]) if (!above.has(below)) above.set(below, part);
  }
  if (!above.has(t)) return null;
  const chosen = new Set<Sequence>();
  for (let part: Sequence | null = t; part !== null; part = above.get(part) ?? null) chosen.add(part);
  return written(sequence, chosen);
}

function written(sequence: Sequence, chosen: ReadonlySet<Sequence>): readonly TransitionIndex[] {
  const flat: TransitionIndex[] = [];
  const stack = [sequence];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (typeof part === "number") flat.push(part);
    else if (part.kind === "then") stack.push(part.second, part.first);
    else stack.push(chosen.has(part.second) && !chosen.has(part.first) ? part.second : part.first);
  }
  return flat;
}
