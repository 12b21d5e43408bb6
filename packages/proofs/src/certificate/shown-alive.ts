/** @module Which elements of a net are alive where what is left of it without its terminating part has none that is dead. */
import type { Net, PlaceIndex, Transition, TransitionIndex } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { TerminatingPart } from "../verdict.ts";
import type { Remainder } from "./remainder.ts";

/** An element of the net of which T13.6 does not say that it is alive where the remainder has O3; null if there is none. */
export function silentElement(net: Net, { exits }: TerminatingPart, left: Remainder): number | null {
  const isAlive = new Uint8Array(net.transitions.length);
  for (const t of left.transitions) isAlive[t] = 1;
  const shows = covering(net, exits, left);
  const reached: PlaceIndex[] = [];
  for (const t of exits) {
    if (!shows(t)) continue;
    isAlive[t] = 1;
    reached.push(net.transitions[t]!.post[0]![0]);
  }
  for (let place = reached.pop(); place !== undefined; place = reached.pop()) {
    for (const t of left.inner[place] ?? []) {
      if (isAlive[t] === 1) continue;
      isAlive[t] = 1;
      reached.push(net.transitions[t]!.post[0]![0]);
    }
  }
  const isEach = net.transitions.every((t) => t.generated !== true);
  const silent = isEach
    ? isAlive.indexOf(0)
    : elementsOf(net).findIndex(({ transitions }) => !transitions.some((t) => isAlive[t] === 1));
  return silent < 0 ? null : silent;
}

/** Tells of an exit whether the start, or each transition of some element of the remainder, covers its preset. */
function covering(
  net: Net,
  exits: readonly TransitionIndex[],
  left: Remainder,
): (exit: TransitionIndex) => boolean {
  // Stryker disable next-line ArrayDeclaration: the length is room
  const around = new Array<TransitionIndex[] | undefined>(net.places.length);
  const isAsked = new Uint8Array(net.places.length);
  for (const t of exits) isAsked[net.transitions[t]!.pre[0]![0]] = 1;
  const meet = (place: PlaceIndex, t: TransitionIndex) => {
    if (isAsked[place] === 0) return;
    const known = around[place];
    if (known === undefined) around[place] = [t];
    else known.push(t);
  };
  for (const t of left.transitions) {
    const { pre, post } = net.transitions[t]!;
    for (const arc of pre) meet(arc[0], t);
    for (const arc of post) meet(arc[0], t);
  }
  const isElement = (t: TransitionIndex) => net.transitions[t]!.generated !== true;
  let groups: readonly (readonly TransitionIndex[])[] | null = null;
  return (exit) => {
    const { pre } = net.transitions[exit]!;
    if (pre.every((arc) => net.initial[arc[0]]! >= arc[1])) return true;
    const near: TransitionIndex[] = [];
    for (const t of around[pre[0]![0]] ?? []) {
      const other = net.transitions[t]!;
      if (!covers(other.pre, pre) && !covers(other.post, pre)) continue;
      if (isElement(t)) return true;
      near.push(t);
    }
    if (near.length === 0) return false;
    groups ??= elementsOf(left.net).map(({ transitions }) => transitions.map((r) => left.transitions[r]!));
    return groups.some((group) => group.every((t) => near.includes(t)));
  };
}

/** Are at least the tokens of `pre` on `side`? */
function covers(side: Transition["pre"], pre: Transition["pre"]): boolean {
  for (const arc of pre) {
    let isThere = false;
    for (const other of side) if (other[0] === arc[0] && other[1] >= arc[1]) isThere = true;
    if (!isThere) return false;
  }
  return true;
}
