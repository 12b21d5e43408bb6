/** @module Checks what is claimed of a net by way of what is left of it without its terminating part (T13.6, T13.7). */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { NetObligationId, Support, TerminatingPart, TerminationCertificate } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { type Remainder, withoutTermination } from "./remainder.ts";

/** Remainders by the part that is taken away, and their silent elements: the lines of one report share them. */
export interface Remainders {
  readonly lefts: Map<TerminatingPart, Remainder | string>;
  readonly silent: Map<Remainder, number | null>;
}

/** Checks that an obligation holds in a net without terminating parts. */
export type CheckInner = (net: Net, id: NetObligationId | "sound", support: Support) => Checked;

/** What the remainder must have, for the net to have it. */
const NEEDED: Readonly<Record<NetObligationId | "sound", readonly (NetObligationId | "sound")[]>> = {
  O1: ["O1", "O2"],
  O2: ["O2"],
  O3: ["O3"],
  O4: ["O4"],
  deadlock: ["deadlock", "O2"],
  bounded: ["bounded"],
  sound: ["sound"],
};

/**
 * Does the remainder have what the net needs of it, by its own evidence; and what T13.6 asks of the part: that it is safe
 * or narrow, and that each element of it is shown to be alive?
 */
export function checkTerminating(
  net: Net,
  id: NetObligationId | "sound",
  { part, inner, proper }: TerminationCertificate,
  remainders: Remainders,
  checkInner: CheckInner,
): Checked {
  const isWithin = [inner, proper].some((support) => support?.certificate?.kind === "terminating");
  if (isWithin) return invalid("a part within a part");
  const left = remainderOf(net, part, remainders);
  if (typeof left === "string") return invalid(left);
  if (id === "O4" && !left.isSafe) return invalid("the part is not safe");
  if (id === "bounded" && !left.isNarrow) return invalid("the part is not narrow");
  if (id === "O3" || id === "sound") {
    const known = remainders.silent.get(left);
    const silent = known === undefined ? silentElement(net, part, left) : known;
    remainders.silent.set(left, silent);
    if (silent !== null) return invalid(`nothing shows that element ${silent} is alive`);
  }
  const checked = NEEDED[id].map((needed, at) =>
    checkInner(left.net, needed, at === 0 ? inner : (proper ?? inner)),
  );
  return checked.find(({ kind }) => kind !== "valid") ?? VALID;
}

/**
 * The transitions of `dead` in the remainder, if those of the part among them are dead with these (T13.7); else why not.
 */
export function deadInRemainder(
  net: Net,
  dead: ReadonlySet<TransitionIndex>,
  left: Remainder,
): ReadonlySet<TransitionIndex> | string {
  const numberOf = new Map(left.transitions.map((t, index) => [t, index]));
  const isFed = new Set<PlaceIndex>();
  net.transitions.forEach(({ post }, t) => {
    if (!dead.has(t)) for (const [place] of post) isFed.add(place);
  });
  const inside = new Set<TransitionIndex>();
  for (const t of dead) {
    const index = numberOf.get(t);
    if (index !== undefined) inside.add(index);
    else if (!net.transitions[t]!.pre.some(([p]) => net.initial[p] === 0 && !isFed.has(p)))
      return `nothing shows that transition ${t} is dead`;
  }
  return inside;
}

/** The remainder, computed once for each part. */
export function remainderOf(net: Net, part: TerminatingPart, known: Remainders): Remainder | string {
  const found = known.lefts.get(part) ?? withoutTermination(net, part);
  known.lefts.set(part, found);
  return found;
}

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
    for (const t of left.inner.get(place) ?? []) {
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
  const around = new Array<TransitionIndex[] | undefined>(net.places.length);
  for (const t of exits) around[net.transitions[t]!.pre[0]![0]] = [];
  for (const t of left.transitions) {
    const { pre, post } = net.transitions[t]!;
    for (const arc of pre) around[arc[0]]?.push(t);
    for (const arc of post) around[arc[0]]?.push(t);
  }
  const isElement = (t: TransitionIndex) => {
    const { generated, origin } = net.transitions[t]!;
    return generated !== true || origin === undefined;
  };
  let groups: readonly (readonly TransitionIndex[])[] | null = null;
  return (exit) => {
    const { pre } = net.transitions[exit]!;
    const covers = (side: typeof pre) =>
      pre.every((arc) => side.some((a) => a[0] === arc[0] && a[1] >= arc[1]));
    if (pre.every((arc) => net.initial[arc[0]]! >= arc[1])) return true;
    const near = around[pre[0]![0]]!.filter(
      (t) => covers(net.transitions[t]!.pre) || covers(net.transitions[t]!.post),
    );
    if (near.some(isElement)) return true;
    if (near.length === 0) return false;
    groups ??= elementsOf(left.net).map(({ transitions }) => transitions.map((r) => left.transitions[r]!));
    return groups.some((group) => group.every((t) => near.includes(t)));
  };
}
