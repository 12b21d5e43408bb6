/** @module Checks lists of siphons and traps, and Commoner's condition (T24.5 to T24.7). */
import type { Net, PlaceIndex } from "@tessera/core";
import type { SiphonArgument, SiphonStep, SiphonTraps } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";

/** What each transition puts, and what it takes. */
type Arcs = readonly { readonly into: readonly PlaceIndex[]; readonly from: readonly PlaceIndex[] }[];

/** Are these the minimal siphons, or traps, of the net, each once? Cost: for each step and each place of a set linear in the arcs. */
export function checkMinimalSets(
  net: Net,
  of: "siphons" | "traps",
  { sets, steps: given }: SiphonArgument,
): Checked {
  const arcs = of === "siphons" ? arcsOf(net) : turned(arcsOf(net));
  for (const [index, set] of sets.entries()) {
    const own = new Set(set);
    if (own.size !== set.length || own.size === 0) return invalid(`set ${index} is no set`);
    if (greatest(net, arcs, own).size < own.size) return invalid(`set ${index} is none of the ${of}`);
    const isMinimal = set.every((place) => greatest(net, arcs, without(own, place)).size === 0);
    if (!isMinimal) return invalid(`set ${index} is not minimal`);
    const first = sets.findIndex((other) => other.length === set.length && other.every((p) => own.has(p)));
    if (first < index) return invalid(`set ${index} is there twice`);
  }
  return checkArgument(net, arcs, new Set(), sets, given);
}

/** Does each siphon contain a marked trap, but for isolated places? The sets need not be minimal, nor siphons. */
export function checkSiphonTraps(net: Net, { siphons, traps, steps: given }: SiphonTraps): Checked {
  const arcs = arcsOf(net);
  if (traps.length !== siphons.length) return invalid("not one trap for each siphon");
  for (const [index, trap] of traps.entries()) {
    const own = new Set(trap);
    const around = new Set(siphons[index]);
    if (!trap.every((place) => around.has(place))) return invalid(`trap ${index} is not in its siphon`);
    if (!trap.some((place) => (net.initial[place] ?? 0) > 0)) return invalid(`trap ${index} is not marked`);
    const isLeft = arcs.some(({ into, from }) => meets(from, own) && !meets(into, own));
    if (isLeft) return invalid(`set ${index} is no trap`);
  }
  return checkArgument(net, arcs, isolated(net, arcs), siphons, given);
}

/** Is it a siphon without isolated places whose greatest trap is not marked? */
export function checkBareSiphon(net: Net, given: readonly PlaceIndex[]): Checked {
  const arcs = arcsOf(net);
  const siphon = new Set(given);
  const alone = isolated(net, arcs);
  if (siphon.size === 0 || given.some((place) => alone.has(place)))
    return invalid("nothing takes from a place");
  if (greatest(net, arcs, siphon).size < siphon.size) return invalid("not a siphon");
  const trap = greatest(net, turned(arcs), siphon);
  return [...trap].some((place) => (net.initial[place] ?? 0) > 0) ? invalid("its trap is marked") : VALID;
}

/**
 * Does each siphon that is not empty and has no barred place contain one of `sets`?
 *
 * @definition D24.10
 */
function checkArgument(
  net: Net,
  arcs: Arcs,
  barred: ReadonlySet<PlaceIndex>,
  sets: SiphonArgument["sets"],
  given: readonly SiphonStep[],
): Checked {
  const all = [...net.places.keys()];
  const open = [{ inside: new Set<PlaceIndex>(), outside: barred }];
  for (const [index, step] of given.entries()) {
    const next = open.pop();
    if (next === undefined) return invalid(`step ${index} has no case`);
    const { inside, outside } = next;
    switch (step.kind) {
      case "place": {
        const { place } = step;
        if (inside.has(place) || outside.has(place)) return invalid(`step ${index}: the place is decided`);
        open.push({ inside, outside: new Set([...outside, place]) });
        open.push({ inside: new Set([...inside, place]), outside });
        break;
      }
      case "within":
        if (sets[step.set]?.every((place) => inside.has(place)) !== true)
          return invalid(`step ${index}: the set is not in the case`);
        break;
      case "none": {
        const siphon = greatest(net, arcs, new Set(all.filter((place) => !outside.has(place))));
        if (siphon.size > 0 && [...inside].every((place) => siphon.has(place)))
          return invalid(`step ${index}: the case has a siphon`);
      }
    }
  }
  return open.length === 0 ? VALID : invalid(`${open.length} cases are left`);
}

/** The greatest siphon in a set: places leave it as long as a transition puts a token there and takes none. */
function greatest(
  { places: { length } }: Net,
  arcs: Arcs,
  among: ReadonlySet<PlaceIndex>,
): ReadonlySet<PlaceIndex> {
  const left = new Set(among);
  const takers: number[][] = Array.from({ length }, () => []);
  const counts = arcs.map(({ from }, t) => {
    const inside = from.filter((place) => left.has(place));
    for (const place of inside) takers[place]!.push(t);
    return inside.length;
  });
  const free = counts.flatMap((count, t) => (count === 0 ? [t] : []));
  for (const t of free)
    for (const place of arcs[t]!.into)
      if (left.delete(place))
        for (const taker of takers[place]!) {
          counts[taker]! -= 1;
          if (counts[taker] === 0) free.push(taker);
        }
  return left;
}

function arcsOf({ transitions }: Net): Arcs {
  const placesOf = (side: readonly (readonly [PlaceIndex, number])[]) => side.map(([place]) => place);
  return transitions.map(({ pre, post }) => ({ into: placesOf(post), from: placesOf(pre) }));
}

function turned(arcs: Arcs): Arcs {
  return arcs.map(({ into, from }) => ({ into: from, from: into }));
}

function isolated({ places: all }: Net, arcs: Arcs): ReadonlySet<PlaceIndex> {
  const touched = new Set(arcs.flatMap(({ into, from }) => [...into, ...from]));
  return new Set([...all.keys()].filter((place) => !touched.has(place)));
}

function meets(side: readonly PlaceIndex[], set: ReadonlySet<PlaceIndex>): boolean {
  return side.some((place) => set.has(place));
}

function without(set: ReadonlySet<PlaceIndex>, place: PlaceIndex): ReadonlySet<PlaceIndex> {
  return new Set([...set].filter((other) => other !== place));
}
