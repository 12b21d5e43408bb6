/** @module The terminating part that is found first is the greatest one: all sets of places of small nets are tried. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { terminatingParts } from "../../src/terminating/find-part.ts";
import type { TerminatingPart } from "../../src/verdict.ts";
import { net as parse } from "../net-text.ts";
import { terminatingNets } from "./arbitrary-terminating.ts";

type Find = (net: Net) => readonly TerminatingPart[];
const find: Find = (net) => terminatingParts(net);
const RUNS = { numRuns: 600, seed: 13_014 };
const PLACES_MAX = 11;

/** By hand: the transitions that terminate (D13.13); null for nets that are not of the class. */
function terminationsByHand({
  places,
  transitions,
  initial,
  finals,
}: Net): readonly TransitionIndex[] | null {
  if (finals.kind !== "ends") return null;
  const { ends } = finals;
  const isOut = transitions.some(
    ({ pre, any }) => pre.length === 0 || any.length > 0 || pre.some(([p]) => ends.includes(p)),
  );
  if (isOut) return null;
  const able = transitions.flatMap(({ post, reset }, t) => {
    const [[end, weight] = [-1, 0]] = post;
    const isEnd = post.length === 1 && weight === 1 && ends.includes(end) && initial[end] === 0;
    return isEnd && places.every((_, p) => ends.includes(p) || reset.includes(p)) ? [t] : [];
  });
  const filling = (end: PlaceIndex) =>
    transitions.flatMap(({ post }, t) => (post.some(([p]) => p === end) ? [t] : []));
  return able.filter((t) => filling(transitions[t]!.post[0]![0]).every((u) => able.includes(u)));
}

/** By hand: is the set the places of a terminating part (D13.14), whatever its exits? */
function isPart(net: Net, terminations: readonly TransitionIndex[], D: ReadonlySet<PlaceIndex>): boolean {
  const ends = net.finals.kind === "ends" ? net.finals.ends : [];
  const { transitions, initial } = net;
  const isAllowed = [...D].every(
    (p) =>
      !ends.includes(p) &&
      initial[p] === 0 &&
      !transitions.some(({ reset }, t) => reset.includes(p) && !terminations.includes(t)),
  );
  const moves = ({ post }: Net["transitions"][number]) =>
    post.length === 1 && D.has(post[0]![0]) && post[0]![1] === 1;
  const inner = [...transitions.keys()].filter((t) => transitions[t]!.pre.some(([p]) => D.has(p)));
  const areInner = inner.every((t) => {
    const { pre, reset } = transitions[t]!;
    const isSingle = pre.length === 1 && pre[0]![1] === 1;
    return isSingle && (terminations.includes(t) || (reset.length === 0 && moves(transitions[t]!)));
  });
  const areExits = transitions.every(
    (t, at) => inner.includes(at) || !t.post.some(([p]) => D.has(p)) || moves(t) || terminations.includes(at),
  );
  const leads = new Set<PlaceIndex>();
  for (let size = -1; size < leads.size; ) {
    size = leads.size;
    for (const t of inner) {
      const { pre, post } = transitions[t]!;
      if (terminations.includes(t) || post.some(([p]) => leads.has(p))) leads.add(pre[0]![0]);
    }
  }
  return isAllowed && areInner && areExits && [...D].every((p) => leads.has(p));
}

function subsets(count: number): readonly ReadonlySet<number>[] {
  return Array.from(
    { length: 2 ** count },
    (_, bits) => new Set([...Array(count).keys()].filter((p) => (bits >> p) & 1)),
  );
}

/** By hand: does each place that `t` takes from have a consumer that leads neither into `D` nor to a termination? */
function hasWayOn(
  net: Net,
  terminations: readonly TransitionIndex[],
  D: ReadonlySet<PlaceIndex>,
  t: TransitionIndex,
): boolean {
  return net.transitions[t]!.pre.every(([place]) =>
    net.transitions.some(
      ({ pre, post }, u) =>
        pre.some(([p]) => p === place) && !post.some(([p]) => D.has(p)) && !terminations.includes(u),
    ),
  );
}

/** The exits into `D`: from outside. */
function exitsInto({ transitions }: Net, D: ReadonlySet<PlaceIndex>): readonly TransitionIndex[] {
  return transitions.flatMap(({ pre, post }, t) =>
    post.some(([p]) => D.has(p)) && !pre.some(([p]) => D.has(p)) ? [t] : [],
  );
}

/** What the law met: the greatest part itself, or one beside an end that everything leads to. */
type Met = "none" | "greatest" | "lesser";

/**
 * Law: parts are parts, each exit leaves a way on, the last one is empty; and where the greatest set of places leaves a way on
 * from every exit, the first part is that set, with all terminations beside it that leave one.
 */
function isRight(implementation: Find, net: Net): Met {
  const terminations = terminationsByHand(net);
  const parts = implementation(net);
  if (terminations === null || terminations.length === 0) {
    expect(parts).toEqual([]);
    return "none";
  }
  const [first, last] = [parts[0]!, parts.at(-1)!];
  expect(last).toEqual({ exits: [], places: [] });
  const D = new Set(first.places);
  expect(isPart(net, terminations, D)).toBe(true);
  const fits = subsets(net.places.length).filter((set) => isPart(net, terminations, set));
  const greatest = new Set(fits.flatMap((set) => [...set]));
  const exits = exitsInto(net, greatest);
  if (!exits.every((t) => hasWayOn(net, terminations, greatest, t))) return "lesser";
  const outside = terminations.filter((t) => !net.transitions[t]!.pre.some(([p]) => greatest.has(p)));
  const all = [...exits, ...outside.filter((t) => hasWayOn(net, terminations, greatest, t))];
  // A part that nothing leads into is left to the empty one.
  if (all.length === 0) {
    expect(parts).toHaveLength(1);
    return "greatest";
  }
  expect([...first.places].sort((a, b) => a - b)).toEqual([...greatest].sort((a, b) => a - b));
  expect([...first.exits].sort()).toEqual([...new Set(all)].sort());
  expect(parts).toHaveLength(2);
  return "greatest";
}

function forAll(implementation: Find): ReadonlyMap<Met, number> {
  const met = new Map<Met, number>();
  const small = terminatingNets.filter(({ places }) => places.length <= PLACES_MAX);
  fc.assert(
    fc.property(small, (net) => {
      const one = isRight(implementation, net);
      met.set(one, (met.get(one) ?? 0) + 1);
    }),
    RUNS,
  );
  return met;
}

describe("terminating parts", () => {
  it("[D13.14] the first one is the greatest, if every exit leaves a way on (oracle: all sets of places)", () => {
    const met = forAll(find);
    for (const one of ["none", "greatest", "lesser"] as const)
      expect(met.get(one) ?? 0, one).toBeGreaterThan(20);
  }, 60_000);

  it.each<readonly [string, Find]>([
    [
      "leaves out a place",
      (net) => find(net).map(({ exits, places }) => ({ exits, places: places.slice(1) })),
    ],
    [
      "takes no exit from elsewhere",
      (net) => find(net).map(({ exits, places }) => ({ exits: exits.slice(1), places })),
    ],
    ["never gives up", (net) => find(net).slice(0, 1)],
  ])("[D13.14] the law catches one that %s", (_, broken) => {
    expect(() => forAll(broken)).toThrow();
  });

  const partOf = (text: string, initial?: Readonly<Record<string, number>>) => {
    const net = parse(text, { ends: ["o", "e"], ...(initial && { initial }) });
    const [{ exits, places }] = terminatingParts(net) as readonly [TerminatingPart];
    return { exits: exits.map((t) => net.transitions[t]!.id), places: places.map((p) => net.places[p]!.id) };
  };

  it("[D13.14] of two ends that everything leads to, the one with the fewest producers is an ordinary one", () => {
    // From `a` everything leads to a termination, so one of the ends is none. `e` has one producer, `o` has two.
    const text =
      "s: i -> a; x: a -> f; y: a -> g; k: f -> e reset i a f g h; m: g -> o reset i a f g h; w: a -> h; n: h -> o reset i a f g h";
    expect(partOf(text)).toEqual({ exits: ["y", "w"], places: ["g", "h"] });
    const [start, exit, ...others] = text.split("; ");
    expect(partOf([start, ...others, exit].join("; "))).toEqual({ exits: ["y", "w"], places: ["g", "h"] });
  });

  it("[D13.14] a place that an ordinary transition resets, one that is marked and one that leads elsewhere are in none", () => {
    const way = "s: i -> a; u: a -> o; x: a -> f; k: f -> e reset i a f";
    expect(partOf(way)).toEqual({ exits: ["x"], places: ["f"] });
    expect(partOf(way, { i: 1, f: 1 }).places).toEqual([]);
    expect(partOf("s: i -> a; u: a -> o reset f; x: a -> f; k: f -> e reset i a f").places).toEqual([]);
    expect(partOf(`${way} g; v: f -> g; w: g -> o`).places).toEqual([]);
    expect(partOf(`${way} g; v: f -> g`).places).toEqual([]);
    expect(partOf(`${way} g; v: f -> g; w: g -> f`).places).toEqual(["f", "g"]);
  });
});
