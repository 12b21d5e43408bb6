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
