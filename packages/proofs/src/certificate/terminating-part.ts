/** @module What terminates a run (D13.13), and how many tokens of a terminating part there can be (D13.14). */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { TerminatingPart } from "../verdict.ts";

/** The net that is left, and the original place of each of its places. */
export interface Left {
  readonly net: Net;
  readonly places: readonly PlaceIndex[];
}

/** The inner transitions of a terminating part, by the place of it that they take from; places outside it have none. */
export type Inner = readonly (readonly TransitionIndex[] | undefined)[];

/**
 * safe: no place of the part gets a second token, if the net that is left is safe. narrow: no more than some number, if
 * that is bounded.
 */
export interface Breadth {
  readonly isSafe: boolean;
  readonly isNarrow: boolean;
}

/**
 * The transitions that terminate the run: 1 for each. Null if the net is not of the class: it has listed final markings,
 * optional inputs, rules, a transition that takes from an end place, or one without inputs.
 *
 * @definition D13.13
 */
export function terminating({ places, transitions, initial, finals }: Net): Uint8Array | null {
  if (finals.kind !== "ends") return null;
  const isEnd = new Uint8Array(places.length);
  for (const end of finals.ends) isEnd[end] = 1;
  for (const { pre, any, rule } of transitions) {
    if (pre.length === 0 || any.length > 0 || rule !== undefined) return null;
    for (const input of pre) if (isEnd[input[0]] === 1) return null;
  }
  const others = places.length - new Set(finals.ends).size;
  // Transitions of one scope share their list of resets.
  const known = new Map<readonly PlaceIndex[], boolean>();
  const resetsAll = (reset: readonly PlaceIndex[]) => {
    if (reset.length < others) return false;
    const found = known.get(reset) ?? isEachOther(reset, isEnd);
    known.set(reset, found);
    return found;
  };
  const isTerminating = new Uint8Array(transitions.length);
  const isMixed = new Uint8Array(places.length);
  for (let t = 0; t < isTerminating.length; t += 1) {
    const { post, reset } = transitions[t]!;
    const end = post.length === 1 ? post[0]! : null;
    const isAble = end !== null && end[1] === 1 && isEnd[end[0]] === 1 && initial[end[0]] === 0;
    if (isAble && resetsAll(reset)) isTerminating[t] = 1;
    else for (const output of post) isMixed[output[0]] = 1;
  }
  for (let t = 0; t < isTerminating.length; t += 1)
    if (isTerminating[t] === 1 && isMixed[transitions[t]!.post[0]![0]] === 1) isTerminating[t] = 0;
  return isTerminating;
}

/** Does the list name every place that is no end? */
function isEachOther(reset: readonly PlaceIndex[], isEnd: Uint8Array): boolean {
  const isNamed = isEnd.slice();
  for (const place of reset) isNamed[place] = 1;
  return !isNamed.includes(0);
}

/** Is the part safe, and is it narrow? */
export function breadth(net: Net, { exits }: TerminatingPart, left: Left, inner: Inner): Breadth {
  const isSteady = new Uint8Array(net.places.length);
  for (const place of left.places) isSteady[place] = net.places[place]!.role === "control" ? 1 : 0;
  for (const { reset } of left.net.transitions) for (const p of reset) isSteady[left.places[p]!] = 0;
  // For each place of the part the steady places that all exits have in common whose tokens can come there.
  const common = new Array<readonly PlaceIndex[] | undefined>(net.places.length);
  const open: PlaceIndex[] = [];
  const meet = (place: PlaceIndex, steady: readonly PlaceIndex[]) => {
    const known = common[place];
    const both = known === undefined ? steady : known.filter((p) => steady.includes(p));
    if (known !== undefined && both.length === known.length) return;
    common[place] = both;
    open.push(place);
  };
  let isNarrow = true;
  for (const t of exits) {
    const { pre, post } = net.transitions[t]!;
    const to = post[0]![0];
    if (inner[to] === undefined) continue;
    const steady: PlaceIndex[] = [];
    for (const input of pre) if (isSteady[input[0]] === 1) steady.push(input[0]);
    if (steady.length === 0) isNarrow = false;
    meet(to, steady);
  }
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const t of inner[place]!) {
      const to = net.transitions[t]!.post[0]![0];
      if (inner[to] !== undefined) meet(to, common[place]!);
    }
  }
  return { isSafe: common.every((steady) => steady === undefined || steady.length > 0), isNarrow };
}
