/** @module From an imported net to a definition that the store keeps by its content hash and the engine runs. */
import {
  type Marking,
  markedPlaces,
  type Net,
  type NetDefinition,
  type NetDefinitionTransition,
} from "@tessera/core";
import type { ImportedNet } from "./imported-net.ts";

/**
 * The definition of an imported net under `id`: places, transitions and arcs in the same order, so that indices,
 * initial marking and the meaning of final markings agree with `imported.net`. What was assumed in reading (an
 * initial marking, the ends) becomes part of the definition and so of its hash.
 * Cost: linear in the net; with k ends that are not all places without outgoing arcs, times 2^k.
 *
 * @definition D11.7
 */
export function netDefinition(imported: ImportedNet, id: string): NetDefinition {
  const { net, name } = imported;
  const placeId = (place: number) => net.places[place]?.id ?? "";
  const finals = finalsOf(net);
  return {
    format: 1,
    kind: "net",
    id,
    ...(name === "" ? {} : { label: name }),
    places: net.places.map((place, p) => ({
      id: place.id,
      ...(place.label === undefined ? {} : { label: place.label }),
      ...((net.initial[p] ?? 0) > 0 ? { initial: net.initial[p] ?? 0 } : {}),
    })),
    transitions: net.transitions.map(
      (t): NetDefinitionTransition => ({
        id: t.id,
        ...(t.label === undefined ? {} : { label: t.label }),
        pre: t.pre.map(([place, weight]) => [placeId(place), weight]),
        post: t.post.map(([place, weight]) => [placeId(place), weight]),
        ...(t.reset.length > 0 ? { reset: t.reset.map(placeId) } : {}),
      }),
    ),
    ...(finals === null ? {} : { finals: finals.map((marking) => markedPlaces(net, marking)) }),
  };
}

/** The final markings to state; null where the default (the places without outgoing arcs are the ends) says the same. */
function finalsOf(net: Net): readonly Marking[] | null {
  if (net.finals.kind === "markings") return net.finals.markings;
  return isDefaultEnds(net) ? null : subsetMarkings(net, net.finals.ends);
}

/** Are the ends of `net` all places without outgoing arcs, which is what a file means that states no final marking? */
export function isDefaultEnds(net: Net): boolean {
  if (net.finals.kind === "markings") return false;
  const consumed = new Set(
    net.transitions.flatMap(({ pre, any, reset }) => [...pre.map(([p]) => p), ...any, ...reset]),
  );
  const ends = new Set(net.finals.ends);
  return net.places.every((_, p) => ends.has(p) !== consumed.has(p));
}

/** One marking for each non-empty subset of `ends`: at most one token on each, nothing else (D1.7). */
export function subsetMarkings(net: Net, ends: readonly number[]): readonly Marking[] {
  const subsets = 2 ** ends.length;
  return Array.from({ length: subsets - 1 }, (_, i) => {
    const marking = net.places.map(() => 0);
    ends.forEach((place, bit) => {
      marking[place] = Math.floor((i + 1) / 2 ** bit) % 2;
    });
    return marking;
  });
}
