/** @module What is left of a net without its terminating part (D13.14). */
import type { Net, PlaceIndex, Transition, TransitionIndex, WeightedPlace } from "@tessera/core";
import type { TerminatingPart } from "../verdict.ts";
import { type Breadth, breadth, type Inner, type Left, terminating } from "./terminating-part.ts";

/** What is left of a net, and what its terminating part allows to conclude. */
export interface Remainder extends Left, Breadth {
  /** The original transition of each transition. */
  readonly transitions: readonly TransitionIndex[];
  readonly inner: Inner;
}

/**
 * The remainder of `net` without `part`, or why `part` is none of it. Cost: linear in the arcs, but for what the exits
 * into one place have in common.
 *
 * @definition D13.14
 */
export function withoutTermination(net: Net, part: TerminatingPart): Remainder | string {
  const isTerminating = terminating(net);
  if (isTerminating === null) return "the net is of another class";
  const isKnown =
    part.places.every((place) => net.places[place] !== undefined) &&
    part.exits.every((t) => net.transitions[t] !== undefined);
  if (!isKnown) return "no such place or transition";
  const isInside = new Uint8Array(net.places.length);
  for (const place of part.places) isInside[place] = 1;
  const isExit = new Uint8Array(net.transitions.length);
  for (const t of part.exits) isExit[t] = 1;
  const inner = new Map<PlaceIndex, TransitionIndex[]>();
  for (const place of part.places) inner.set(place, []);
  const isGone = Uint8Array.from(isExit);
  const leadsIn = ({ post, reset }: Transition) =>
    post.length === 1 &&
    post[0]![1] === 1 &&
    isInside[post[0]![0]] === 1 &&
    !reset.some((p) => isInside[p] === 1);
  for (let t = 0; t < isExit.length; t += 1) {
    const transition = net.transitions[t]!;
    const { pre, post, reset } = transition;
    const ends = isTerminating[t] === 1;
    if (touches(pre, isInside)) {
      const isSingle = pre.length === 1 && pre[0]![1] === 1 && isExit[t] === 0;
      if (!isSingle || !(ends || (reset.length === 0 && leadsIn(transition)))) return `inner transition ${t}`;
      inner.get(pre[0]![0])!.push(t);
      isGone[t] = 1;
    } else if (isExit[t] === 1) {
      if (!ends && !leadsIn(transition)) return `exit ${t}`;
    } else if (touches(post, isInside) || (!ends && reset.some((p) => isInside[p] === 1)))
      return `transition ${t} is no exit`;
  }
  const fault = placesFault(net, inner, isTerminating);
  if (fault !== null) return fault;
  const left = leftOf(net, { isInside, isGone, isTerminating });
  if (left.net.finals.kind === "ends" && left.net.finals.ends.length === 0) return "no end place is left";
  return { ...left, inner, ...breadth(net, part, left, inner) };
}

function touches(side: Transition["pre"], isInside: Uint8Array): boolean {
  for (const arc of side) if (isInside[arc[0]] === 1) return true;
  return false;
}

/** No place of the part is an end or marked, and each leads to a termination. */
function placesFault(
  { initial, finals, transitions }: Net,
  inner: Inner,
  isTerminating: Uint8Array,
): string | null {
  const ends = finals.kind === "ends" ? finals.ends : [];
  const before = new Map<PlaceIndex, PlaceIndex[]>();
  const leading = new Set<PlaceIndex>();
  for (const [place, consumers] of inner) {
    if (ends.includes(place) || initial[place] !== 0) return `place ${place}`;
    for (const t of consumers) {
      const to = transitions[t]!.post[0]![0];
      if (isTerminating[t] === 1) leading.add(place);
      else {
        const known = before.get(to);
        if (known === undefined) before.set(to, [place]);
        else known.push(place);
      }
    }
  }
  for (const place of leading) for (const from of before.get(place) ?? []) leading.add(from);
  return leading.size === inner.size ? null : "a place leads to no termination";
}

interface Marks {
  readonly isInside: Uint8Array;
  readonly isGone: Uint8Array;
  readonly isTerminating: Uint8Array;
}

function leftOf(
  net: Net,
  { isInside, isGone, isTerminating }: Marks,
): Pick<Remainder, "net" | "places" | "transitions"> {
  const isFed = new Uint8Array(net.places.length);
  const isLeft = new Uint8Array(net.places.length);
  for (let t = 0; t < isGone.length; t += 1) {
    const into = isGone[t] === 1 ? isFed : isLeft;
    for (const output of net.transitions[t]!.post) into[output[0]] = 1;
  }
  const given = net.finals.kind === "ends" ? net.finals.ends : [];
  const gone = Uint8Array.from(isInside);
  for (const end of given) if (isFed[end] === 1 && isLeft[end] === 0) gone[end] = 1;
  const places: PlaceIndex[] = [];
  const indexOf = new Int32Array(net.places.length).fill(-1);
  for (let place = 0; place < gone.length; place += 1)
    if (gone[place] === 0) indexOf[place] = places.push(place) - 1;
  const transitions: TransitionIndex[] = [];
  const left: Transition[] = [];
  for (let t = 0; t < isGone.length; t += 1) {
    if (isGone[t] === 1) continue;
    transitions.push(t);
    left.push(renumbered(net.transitions[t]!, indexOf, isTerminating[t] === 1));
  }
  const ends = given.filter((end) => gone[end] === 0).map((end) => indexOf[end]!);
  return {
    net: {
      places: places.map((place) => net.places[place]!),
      transitions: left,
      initial: places.map((place) => net.initial[place]!),
      finals: { kind: "ends", ends },
    },
    places,
    transitions,
  };
}

/** The transition in the places of the remainder. What a termination resets of the part would be no place of it. */
function renumbered(t: Transition, indexOf: Int32Array, isTerminating: boolean): Transition {
  const { id, generated, origin } = t;
  const isPlain = isTerminating || t.reset.length === 0;
  const reset = isPlain ? [] : t.reset.map((place) => indexOf[place]!);
  const base = { id, pre: sideIn(t.pre, indexOf), any: [], post: sideIn(t.post, indexOf), reset };
  const made: { -readonly [Key in keyof Transition]: Transition[Key] } = base;
  if (origin !== undefined) made.origin = origin;
  if (origin !== undefined && generated !== undefined) made.generated = generated;
  return made;
}

function sideIn(side: Transition["pre"], indexOf: Int32Array): readonly WeightedPlace[] {
  return side.map((arc): WeightedPlace => [indexOf[arc[0]]!, arc[1]]);
}
