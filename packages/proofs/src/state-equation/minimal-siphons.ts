/** @module All minimal siphons or traps of a net, with an argument that these are all; and Commoner's condition. */
import type { Net, PlaceIndex } from "@tessera/core";
import type { Limit, SiphonArgument, SiphonStep, SiphonTraps } from "../verdict.ts";
import { maximalSiphon, maximalTrap } from "./siphons.ts";

/** How many sets and steps there may be, and what ends the work: null as long as it may go on. */
export interface SiphonLimits {
  readonly setsMax: number;
  readonly stepsMax: number;
  readonly exhausted: () => Limit | null;
}

const LIMITS: SiphonLimits = { setsMax: 1000, stepsMax: 100_000, exhausted: () => null };

/** Siphons, or traps. */
export type SiphonKind = "siphons" | "traps";

/** all: with the argument that these are all. limit: those that were found before it. */
export type SiphonAnswer =
  | { readonly kind: "all"; readonly argument: SiphonArgument }
  | { readonly kind: "limit"; readonly limit: Limit; readonly sets: SiphonArgument["sets"] };

/** holds: each minimal siphon with a marked trap inside. fails: a siphon without one. */
export type CommonerAnswer =
  | { readonly kind: "holds"; readonly certificate: SiphonTraps }
  | { readonly kind: "fails"; readonly siphon: readonly PlaceIndex[] }
  | { readonly kind: "limit"; readonly limit: Limit };

/**
 * The minimal siphons or traps of a net, each as its places in order. There may be exponentially many. Cost: for each step
 * linear in the arcs and in the sets found.
 *
 * @definition D24.9
 */
export function minimalSiphons(net: Net, of: SiphonKind, limits: Partial<SiphonLimits> = {}): SiphonAnswer {
  const turned = of === "siphons" ? net : turnedRound(net);
  const found = search(turned, [], { ...LIMITS, ...limits }, () => true);
  return found.limit === null
    ? { kind: "all", argument: { sets: found.sets, steps: found.steps } }
    : { kind: "limit", limit: found.limit, sets: found.sets };
}

/**
 * Does each siphon, but for isolated places, contain a trap that is marked at the start?
 *
 * @definition D24.11
 */
export function commoner(net: Net, limits: Partial<SiphonLimits> = {}): CommonerAnswer {
  const traps: (readonly PlaceIndex[])[] = [];
  let bad: readonly PlaceIndex[] | null = null;
  const found = search(net, isolated(net), { ...LIMITS, ...limits }, (siphon) => {
    const inside = new Set(siphon);
    const trap = maximalTrap(net, (place) => inside.has(place));
    traps.push(trap);
    if (!trap.some((place) => net.initial[place]! > 0)) bad = siphon;
    return bad === null;
  });
  if (bad !== null) return { kind: "fails", siphon: bad };
  if (found.limit !== null) return { kind: "limit", limit: found.limit };
  const { sets, steps } = found;
  return { kind: "holds", certificate: { kind: "siphon-traps", siphons: sets, traps, steps } };
}

/** The places that no arc touches. */
function isolated({ places, transitions }: Net): readonly PlaceIndex[] {
  const isTouched = new Uint8Array(places.length);
  for (const { pre, post } of transitions) for (const [place] of [...pre, ...post]) isTouched[place] = 1;
  return places.flatMap((_, place) => (isTouched[place] === 1 ? [] : [place]));
}

function turnedRound(net: Net): Net {
  return { ...net, transitions: net.transitions.map((t) => ({ ...t, pre: t.post, post: t.pre })) };
}

interface Case {
  readonly inside: readonly PlaceIndex[];
  readonly outside: readonly PlaceIndex[];
}

interface Found {
  readonly sets: readonly (readonly PlaceIndex[])[];
  readonly steps: readonly SiphonStep[];
  readonly limit: Limit | null;
}

/**
 * The minimal siphons without barred places. `isMore` is told of each, and says whether to go on.
 *
 * @refines D24.10
 */
function search(
  net: Net,
  barred: readonly PlaceIndex[],
  { setsMax, stepsMax, exhausted }: SiphonLimits,
  isMore: (siphon: readonly PlaceIndex[]) => boolean,
): Found {
  const sets: (readonly PlaceIndex[])[] = [];
  const steps: SiphonStep[] = [];
  const open: Case[] = [{ inside: [], outside: barred }];
  const ended = (limit: Limit | null): Found => ({ sets, steps, limit });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (steps.length >= stepsMax) return ended({ kind: "method", reason: `more than ${stepsMax} cases` });
    const limit = exhausted();
    if (limit !== null) return ended(limit);
    const step = stepFor(net, next, sets);
    if (step.kind === "siphon") {
      if (sets.length === setsMax)
        return ended({ kind: "method", reason: `more than ${setsMax} minimal sets` });
      sets.push(step.places);
      steps.push({ kind: "within", set: sets.length - 1 });
      if (!isMore(step.places)) return ended(null);
      continue;
    }
    steps.push(step);
    if (step.kind !== "place") continue;
    const { inside, outside } = next;
    open.push({ inside, outside: [...outside, step.place] }, { inside: [...inside, step.place], outside });
  }
  return ended(null);
}

type Next = SiphonStep | { readonly kind: "siphon"; readonly places: readonly PlaceIndex[] };

/** The step for a case; or a minimal siphon inside it that is not known. */
function stepFor(net: Net, { inside, outside }: Case, sets: Found["sets"]): Next {
  const isIn = new Set(inside);
  const isOut = new Set(outside);
  const known = sets.findIndex((set) => set.every((place) => isIn.has(place)));
  if (known >= 0) return { kind: "within", set: known };
  const greatest = new Set(maximalSiphon(net, (place) => !isOut.has(place)));
  if (greatest.size === 0 || inside.some((place) => !greatest.has(place))) return { kind: "none" };
  const [first] = greatest;
  if (inside.length === 0) return { kind: "place", place: first! };
  const missing = inputMissing(net, isIn, greatest);
  return missing === null
    ? { kind: "siphon", places: reducedTo(net, isIn) }
    : { kind: "place", place: missing };
}

/** A place of `among` that some siphon with `isIn` may have for a transition that puts a token there and takes none. */
function inputMissing(
  { transitions }: Net,
  isIn: ReadonlySet<PlaceIndex>,
  among: ReadonlySet<PlaceIndex>,
): PlaceIndex | null {
  let best: readonly PlaceIndex[] | null = null;
  for (const { pre, post } of transitions) {
    if (!post.some(([place]) => isIn.has(place)) || pre.some(([place]) => isIn.has(place))) continue;
    const able = pre.flatMap(([place]) => (among.has(place) ? [place] : []));
    if (best === null || able.length < best.length) best = able;
  }
  return best === null ? null : best[0]!;
}

/** A minimal siphon inside a siphon. */
function reducedTo(net: Net, given: ReadonlySet<PlaceIndex>): readonly PlaceIndex[] {
  let siphon = [...given].sort((a, b) => a - b);
  for (const place of given) {
    const inside = new Set(siphon);
    if (!inside.delete(place)) continue;
    const smaller = maximalSiphon(net, (other) => inside.has(other));
    if (smaller.length > 0) siphon = [...smaller];
  }
  return siphon;
}
