/** @module Soundness read literally: every reachable marking is visited with the plain firing rule. */
import { enabledTransitions, fire, isFinal, type Marking, type Net } from "@tessera/core";

/** What an exhaustive search says of a net; "too large" beyond the limit of markings. */
export type Soundness =
  | { readonly kind: "sound" }
  | { readonly kind: "unsound"; readonly why: string; readonly marking: Readonly<Record<string, number>> }
  | { readonly kind: "too large" };

/** O1 option to complete, O2 proper completion, O3 no dead element, O4 safe control places. */
export function soundness(net: Net, statesMax: number): Soundness {
  const index = new Map<string, number>([[JSON.stringify(net.initial), 0]]);
  const markings: Marking[] = [net.initial];
  const predecessors: number[][] = [[]];
  const fired = new Set<number>();
  for (let state = 0; state < markings.length; state += 1) {
    const marking = markings[state] as Marking;
    const unsafe = net.places.findIndex((place, p) => place.role === "control" && (marking[p] ?? 0) > 1);
    if (unsafe !== -1) return { kind: "unsound", why: "O4", marking: shown(net, marking) };
    if (
      net.finals.kind === "ends" &&
      net.finals.ends.some((end) => (marking[end] ?? 0) > 0) &&
      !isFinal(net, marking)
    ) {
      return {
        kind: "unsound",
        why: "O2: an end is marked and something else, too",
        marking: shown(net, marking),
      };
    }
    for (const t of enabledTransitions(net, marking)) {
      fired.add(t);
      const result = fire(net, marking, t);
      if (result.kind !== "fired") throw new Error("an enabled transition did not fire");
      const key = JSON.stringify(result.marking);
      const known = index.get(key) ?? markings.length;
      if (known === markings.length) {
        if (markings.length >= statesMax) return { kind: "too large" };
        index.set(key, known);
        markings.push(result.marking);
        predecessors.push([]);
      }
      predecessors[known]?.push(state);
    }
  }
  const stuck = withoutWayTo(markings, predecessors, (m) => isFinal(net, m));
  if (stuck !== undefined) return { kind: "unsound", why: "O1", marking: shown(net, stuck) };
  const dead = deadElement(net, fired);
  return dead === undefined ? { kind: "sound" } : { kind: "unsound", why: `O3: ${dead}`, marking: {} };
}

function withoutWayTo(
  markings: readonly Marking[],
  predecessors: readonly (readonly number[])[],
  isGoal: (marking: Marking) => boolean,
): Marking | undefined {
  const reached = new Set(markings.flatMap((marking, state) => (isGoal(marking) ? [state] : [])));
  for (const state of reached) for (const before of predecessors[state] ?? []) reached.add(before);
  return markings.find((_, state) => !reached.has(state));
}

/** A transition that never fires, where the compiler did not generate it; else a node's outcome or an arc that never does. */
function deadElement(net: Net, fired: ReadonlySet<number>): string | undefined {
  const alive = new Set<string>();
  const all = new Set<string>();
  for (const [t, { id, generated, origin }] of net.transitions.entries()) {
    const arcs = [...(origin?.consumed ?? []), ...(origin?.chosen ?? [])].map((arc) => `arc ${arc}`);
    const names = [
      ...(generated === true ? [] : [`transition ${id}`]),
      `node ${origin?.node} ${origin?.phase} ${origin?.outcome}`,
      ...arcs,
    ];
    for (const name of names) {
      all.add(name);
      if (fired.has(t)) alive.add(name);
    }
  }
  return [...all].find((name) => !alive.has(name));
}

function shown(net: Net, marking: Marking): Readonly<Record<string, number>> {
  return Object.fromEntries(
    net.places.flatMap((place, p) => ((marking[p] ?? 0) > 0 ? [[place.id, marking[p] ?? 0]] : [])),
  );
}
