/** @module What is left of a net without its terminating part (D13.14). */
import type { Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";
import type { TerminatingPart } from "../verdict.ts";
import { leftOf } from "./left-net.ts";
import { type Breadth, breadth, type Inner, type Left, terminating } from "./terminating-part.ts";

/** What is left of a net, and what its terminating part allows to conclude. */
export interface Remainder extends Left, Breadth {
  /** The original transition of each transition. */
  readonly transitions: readonly TransitionIndex[];
  readonly inner: Inner;
}

/**
 * The remainder of `net` without `part`, or why `part` is none of it. `isTerminating`: the terminating transitions, if
 * they are known. Cost: linear in the arcs, but for what the exits into one place have in common.
 *
 * @definition D13.14
 */
export function withoutTermination(
  net: Net,
  part: TerminatingPart,
  isTerminating: Uint8Array | null = terminating(net),
): Remainder | string {
  if (isTerminating === null) return "the net is of another class";
  const isKnown =
    part.places.every((place) => net.places[place] !== undefined) &&
    part.exits.every((t) => net.transitions[t] !== undefined);
  if (!isKnown) return "no such place or transition";
  const isInside = new Uint8Array(net.places.length);
  for (const place of part.places) isInside[place] = 1;
  const isExit = new Uint8Array(net.transitions.length);
  for (const t of part.exits) isExit[t] = 1;
  const inner = new Array<TransitionIndex[] | undefined>(net.places.length);
  const isGone = isExit.slice();
  const isFed = new Uint8Array(net.places.length);
  const isLeft = new Uint8Array(net.places.length);
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
      append(inner, pre[0]![0], t);
      isGone[t] = 1;
    } else if (isExit[t] === 1) {
      if (!ends && !leadsIn(transition)) return `exit ${t}`;
    } else if (touches(post, isInside) || (!ends && reset.some((p) => isInside[p] === 1)))
      return `transition ${t} is no exit`;
    const into = isGone[t] === 1 ? isFed : isLeft;
    for (const output of post) into[output[0]] = 1;
  }
  const fault = placesFault(net, part, inner, isTerminating);
  if (fault !== null) return fault;
  const left = leftOf(net, { isInside, isFed, isLeft, isGone, isTerminating });
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
  { places }: TerminatingPart,
  inner: Inner,
  isTerminating: Uint8Array,
): string | null {
  const ends = finals.kind === "ends" ? finals.ends : [];
  const before = new Array<PlaceIndex[] | undefined>(initial.length);
  const isLeading = new Uint8Array(initial.length);
  const leading: PlaceIndex[] = [];
  const lead = (place: PlaceIndex) => {
    if (isLeading[place] === 1) return;
    isLeading[place] = 1;
    leading.push(place);
  };
  for (const place of places) {
    if (ends.includes(place) || initial[place] !== 0) return `place ${place}`;
    for (const t of inner[place] ?? []) {
      if (isTerminating[t] === 1) lead(place);
      else append(before, transitions[t]!.post[0]![0], place);
    }
  }
  for (let place = leading.pop(); place !== undefined; place = leading.pop())
    for (const from of before[place] ?? []) lead(from);
  return places.every((place) => isLeading[place] === 1) ? null : "a place leads to no termination";
}

/** Adds `item` to the list at `index`. Most lists have one item: an empty list that grows takes room for many. */
function append(lists: (number[] | undefined)[], index: number, item: number): void {
  const known = lists[index];
  if (known === undefined) lists[index] = [item];
  else known.push(item);
}
