/** @module All reachable markings of a small net, and its soundness by definition: no limits, no cleverness. */
import {
  enabledTransitions,
  fire,
  isFinal,
  type Marking,
  type Net,
  NO_RULES,
  type NonLocalRules,
} from "@tessera/core";

/** Reachable markings by key, with the edges between them. */
export interface StateSpace {
  readonly net: Net;
  readonly markings: ReadonlyMap<string, Marking>;
  readonly edges: readonly { readonly from: string; readonly t: number; readonly to: string }[];
}

const STATES_MAX = 200_000;

export const keyOf = (marking: Marking) => marking.join(",");

/** Explores breadth first; a net with more states than a test should have is an error of the test. */
export function explore(net: Net, rules: NonLocalRules = NO_RULES): StateSpace {
  const markings = new Map([[keyOf(net.initial), net.initial]]);
  const edges: StateSpace["edges"][number][] = [];
  for (const [from, marking] of markings) {
    for (const t of enabledTransitions(net, marking, rules)) {
      const result = fire(net, marking, t, rules);
      if (result.kind !== "fired") throw new Error("an enabled transition did not fire");
      const to = keyOf(result.marking);
      edges.push({ from, t, to });
      if (!markings.has(to)) markings.set(to, result.marking);
    }
    if (markings.size > STATES_MAX) throw new Error("too many states for a test");
  }
  return { net, markings, edges };
}

/** What O1 to O4 say of a net. `dead`: ids of transitions that no reachable marking enables. */
export interface Soundness {
  readonly optionToComplete: boolean;
  readonly properCompletion: boolean;
  readonly dead: readonly string[];
  readonly safe: boolean;
  /** Reachable markings that enable nothing and are not final. */
  readonly deadlocks: readonly Marking[];
}

export function soundnessOf(net: Net, rules: NonLocalRules = NO_RULES): Soundness {
  const space = explore(net, rules);
  const all = [...space.markings.values()];
  const ends = net.finals.kind === "ends" ? net.finals.ends : [];
  const before = new Map<string, string[]>();
  for (const { from, to } of space.edges) before.set(to, [...(before.get(to) ?? []), from]);
  const completing = new Set(
    [...space.markings].flatMap(([key, marking]) => (isFinal(net, marking) ? [key] : [])),
  );
  for (const key of completing) for (const from of before.get(key) ?? []) completing.add(from);
  const fired = new Set(space.edges.map(({ t }) => t));
  const moving = new Set(space.edges.map(({ from }) => from));
  const control = net.places.flatMap(({ role }, place) => (role === "control" ? [place] : []));
  return {
    optionToComplete: completing.size === space.markings.size,
    properCompletion: all.every((marking) => ends.every((end) => (marking[end] ?? 0) <= 1)),
    dead: net.transitions.flatMap(({ id }, t) => (fired.has(t) ? [] : [id])),
    safe: all.every((marking) => control.every((place) => (marking[place] ?? 0) <= 1)),
    deadlocks: [...space.markings].flatMap(([key, marking]) =>
      moving.has(key) || isFinal(net, marking) ? [] : [marking],
    ),
  };
}

/** Sound and safe, with nothing dead but perhaps variants that the compiler made. */
export function isSound(net: Net, rules: NonLocalRules = NO_RULES): boolean {
  const { optionToComplete, properCompletion, dead, safe } = soundnessOf(net, rules);
  const isGenerated = new Set(net.transitions.filter((t) => t.generated === true).map(({ id }) => id));
  return optionToComplete && properCompletion && safe && dead.every((id) => isGenerated.has(id));
}
