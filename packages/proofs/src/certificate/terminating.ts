/** @module Checks what is claimed of a net by way of what is left of it without its terminating part (T13.6, T13.7). */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { NetObligationId, Support, TerminatingPart, TerminationCertificate } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { type Remainder, withoutTermination } from "./remainder.ts";
import { silentElement } from "./shown-alive.ts";

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
