/** @module Checks the structural certificates that no final marking is reachable (L8.1 to L8.4). */
import type { Marking, Net, PlaceIndex, Transition } from "@tessera/core";
import type { NoCompletion } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";

type Structural = Exclude<NoCompletion, { readonly kind: "closed-set" | "state-equation" }>;

/** Does `certificate` show that no final marking is reachable from `M`? Every condition is computed anew. */
export function checkNeverFinal(net: Net, M: Marking, certificate: Structural): Checked {
  switch (certificate.kind) {
    case "covers-final":
      return checkCoversFinal(net, M, certificate.final);
    case "overfull":
      return checkOverfull(net, M, certificate.place);
    case "trap":
      return checkTrap(net, M, new Set(certificate.places));
    case "empty-siphon":
      return checkEmptySiphon(net, M, new Set(certificate.places));
  }
}

/** Is `places` a siphon that `M` leaves empty? Then it stays empty. */
export function checkSiphon(net: Net, M: Marking, places: ReadonlySet<PlaceIndex>): Checked {
  for (const place of places) if (M[place] !== 0) return invalid(`place ${place} of the siphon is marked`);
  for (const t of net.transitions) {
    if (t.post.some(([place]) => places.has(place)) && !needs(t, places)) {
      return invalid(`${t.id} puts a token into the siphon and needs none of it`);
    }
  }
  return VALID;
}

/** Can `t` fire only if a place of `places` is marked? */
export function needs(t: Transition, places: ReadonlySet<PlaceIndex>): boolean {
  const needsAny = t.any.length > 0 && t.any.every((place) => places.has(place));
  return needsAny || t.pre.some(([place]) => places.has(place));
}

// L8.1: F is the only final marking, nothing takes from its places, every transition produces, and M > F.
function checkCoversFinal(net: Net, M: Marking, F: Marking): Checked {
  const sole = soleFinalOf(net);
  if (sole === null || sole.some((tokens, place) => tokens !== F[place]))
    return invalid("not the only final marking");
  if (net.transitions.some((t) => t.post.length === 0)) return invalid("a transition produces nothing");
  if (net.transitions.some((t) => takes(t).some((place) => (F[place] ?? 0) > 0))) {
    return invalid("a transition takes from the final marking");
  }
  const isMore = M.some((tokens, place) => tokens > (F[place] ?? 0));
  const isLess = M.some((tokens, place) => tokens < (F[place] ?? 0));
  return isMore && !isLess ? VALID : invalid("the marking does not strictly cover the final one");
}

// L8.2: nothing takes from the place, and it holds more than any final marking has there.
function checkOverfull(net: Net, M: Marking, place: PlaceIndex): Checked {
  if (net.transitions.some((t) => takes(t).includes(place)))
    return invalid("a transition takes from the place");
  return (M[place] ?? 0) > finalTokens(net, place)
    ? VALID
    : invalid("a final marking may have as many tokens");
}

// L8.3: a marked trap stays marked; no final marking marks it.
function checkTrap(net: Net, M: Marking, places: ReadonlySet<PlaceIndex>): Checked {
  for (const place of places)
    if (finalTokens(net, place) > 0) return invalid(`a final marking marks place ${place}`);
  for (const t of net.transitions) {
    if (takes(t).some((place) => places.has(place)) && !t.post.some(([place]) => places.has(place))) {
      return invalid(`${t.id} takes from the trap and puts nothing back`);
    }
  }
  return [...places].some((place) => (M[place] ?? 0) > 0) ? VALID : invalid("the trap is not marked");
}

// L8.4: an empty siphon stays empty; every final marking marks it.
function checkEmptySiphon(net: Net, M: Marking, places: ReadonlySet<PlaceIndex>): Checked {
  const siphon = checkSiphon(net, M, places);
  if (siphon.kind !== "valid") return siphon;
  const { finals } = net;
  const isNeeded =
    finals.kind === "ends"
      ? finals.ends.every((end) => places.has(end))
      : finals.markings.every((F) => F.some((tokens, place) => tokens > 0 && places.has(place)));
  return isNeeded ? VALID : invalid("a final marking needs no token in the siphon");
}

function takes(t: Transition): readonly PlaceIndex[] {
  return [...t.pre.map(([place]) => place), ...t.any, ...t.reset];
}

function finalTokens({ finals }: Net, place: PlaceIndex): number {
  if (finals.kind === "ends") return finals.ends.includes(place) ? 1 : 0;
  return Math.max(0, ...finals.markings.map((F) => F[place] ?? 0));
}

function soleFinalOf({ finals, places }: Net): Marking | null {
  if (finals.kind === "markings") return finals.markings.length === 1 ? (finals.markings[0] ?? null) : null;
  const [end] = finals.ends;
  return finals.ends.length === 1 ? places.map((_, place) => (place === end ? 1 : 0)) : null;
}
