import {
  enabledTransitions,
  fire,
  type Marking,
  makeNet,
  type Net,
  NO_RULES,
  type NonLocalRules,
  type Transition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CoMarking, coMarking, fixedPoint, literalFixedPoint, orJoinRules } from "../src/index.ts";
import { orGraph } from "./or-join-arbitrary.ts";
import { type Block, workflowOf } from "./workflow-arbitrary.ts";
import { compiledOf, netOf } from "./workflow-text.ts";

const MARKINGS_MAX = 200;

/** Markings reachable from the initial one, breadth first, as many as fit. */
function someReachable(net: Net, rules: NonLocalRules = NO_RULES): readonly Marking[] {
  const found = new Map([[net.initial.join(), net.initial]]);
  for (const M of found.values()) {
    for (const t of enabledTransitions(net, M, rules)) {
      const result = fire(net, M, t, rules);
      if (result.kind === "fired" && found.size < MARKINGS_MAX)
        found.set(result.marking.join(), result.marking);
    }
  }
  return [...found.values()];
}

/** Pairs of places that some of the markings mark together; a place with itself where it has two tokens. */
function pairsOf(net: Net, markings: readonly Marking[]): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (const M of markings)
    for (const p of net.places.keys())
      for (const q of net.places.keys())
        if ((M[p] ?? 0) > (p === q ? 1 : 0) && (M[q] ?? 0) > 0) pairs.add(`${p} ${q}`);
  return pairs;
}

function claimed(net: Net, { areCoMarked }: CoMarking): ReadonlySet<string> {
  const all = [...net.places.keys()];
  return new Set(all.flatMap((p) => all.filter((q) => areCoMarked(p, q)).map((q) => `${p} ${q}`)));
}

const PLACES = 6;
const somePlaces = (max: number) => fc.uniqueArray(fc.nat({ max: PLACES - 1 }), { maxLength: max });
const weighted = somePlaces(2).chain((places) =>
  fc.tuple(...places.map((place) => fc.tuple(fc.constant(place), fc.constantFrom(1, 1, 1, 2)))),
);

/** Nets of six places with weights, optional inputs, resets and transitions without inputs: bounded or not. */
const anyNet: fc.Arbitrary<Net> = fc
  .record({
    initial: fc.array(fc.constantFrom(0, 0, 1, 1, 2), { minLength: PLACES, maxLength: PLACES }),
    transitions: fc.array(
      fc.record({
        pre: weighted,
        post: weighted,
        any: fc.oneof({ weight: 3, arbitrary: fc.constant<number[]>([]) }, somePlaces(3)),
        reset: fc.oneof({ weight: 3, arbitrary: fc.constant<number[]>([]) }, somePlaces(2)),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ initial, transitions }) =>
    makeNet({
      places: initial.map((_, place) => ({ id: `p${place}`, role: "control" as const })),
      transitions: transitions.map(
        ({ pre, post, any, reset }, t): Transition => ({
          id: `t${t}`,
          pre,
          post,
          any: any.filter((place) => !pre.some(([other]) => other === place)),
          reset,
        }),
      ),
      initial,
      finals: { kind: "ends", ends: [] },
    }),
  );

/** Law: what a reachable marking marks, alone or together, is claimed. Oracle: breadth-first search. */
function coverLaw(analyse: (net: Net) => CoMarking, endOnFailure = false): void {
  const seen = { resets: 0, optional: 0, pairs: 0, apart: 0 };
  fc.assert(
    fc.property(anyNet, (net) => {
      const found = analyse(net);
      const markings = someReachable(net);
      const pairs = claimed(net, found);
      const missed = [...pairsOf(net, markings)].filter((pair) => !pairs.has(pair));
      const unmarkable = [...net.places.keys()].filter(
        (place) => !found.isMarkable(place) && markings.some((M) => (M[place] ?? 0) > 0),
      );
      expect([missed, unmarkable]).toEqual([[], []]);
      if (net.transitions.some(({ reset }) => reset.length > 0)) seen.resets += 1;
      if (net.transitions.some(({ any }) => any.length > 0)) seen.optional += 1;
      seen.pairs += pairs.size;
      seen.apart += PLACES * PLACES - pairs.size;
    }),
    { numRuns: 800, endOnFailure },
  );
  for (const count of [seen.resets, seen.optional, seen.apart]) expect(count).toBeGreaterThan(150);
}

/** Law: the same places and pairs as by the literal form. On small random nets, and on copies of them side by side. */
function equalLaw(analyse: (net: Net) => CoMarking): void {
  let wide = 0;
  fc.assert(
    fc.property(anyNet, fc.integer({ min: 1, max: 9 }), (small, copies) => {
      const net = sideBySide(small, copies);
      const found = analyse(net);
      const expected = literalFixedPoint(net);
      const places = [...net.places.keys()];
      expect(places.filter(found.isMarkable)).toEqual(places.filter(expected.isMarkable));
      expect(claimed(net, found)).toEqual(claimed(net, expected));
      if (net.places.length > 32) wide += 1;
    }),
    { numRuns: 400, endOnFailure: true },
  );
  expect(wide).toBeGreaterThan(50);
}

/** Copies of a net that have nothing to do with each other: rows of more than one word. */
function sideBySide({ places, transitions, initial }: Net, copies: number): Net {
  const all = Array.from({ length: copies }, (_, copy) => copy);
  const move = (copy: number) => (place: number) => copy * places.length + place;
  const moved = (list: Transition["pre"], copy: number) =>
    list.map(([place, weight]) => [move(copy)(place), weight] as const);
  return makeNet({
    places: all.flatMap((copy) => places.map(({ id, role }) => ({ id: `${id}.${copy}`, role }))),
    transitions: all.flatMap((copy) =>
      transitions.map(({ id, pre, post, any, reset }) => ({
        id: `${id}.${copy}`,
        pre: moved(pre, copy),
        post: moved(post, copy),
        any: any.map(move(copy)),
        reset: reset.map(move(copy)),
      })),
    ),
    initial: all.flatMap(() => initial),
    finals: { kind: "ends", ends: [] },
  });
}

const task = fc
  .constantFrom("transform" as const, "human" as const, "gateway" as const)
  .map((of): Block => ({ kind: "task", of, escapes: false }));
/** Blocks without resets and counters: their nets are free-choice, and live and safe once closed. */
function freeChoice(depth: number): fc.Arbitrary<Block> {
  if (depth === 0) return task;
  const parts = fc.array(freeChoice(depth - 1), { minLength: 2, maxLength: depth === 1 ? 3 : 2 });
  const kind = fc.constantFrom("sequence" as const, "choice" as const, "parallel" as const);
  return fc.oneof(
    fc.tuple(kind, parts).map(([of, made]): Block => ({ kind: of, parts: made })),
    parts.map((made): Block => ({ kind: "inclusive", parts: made, fallback: null })),
  );
}

describe("[D16.1] the fixed point", () => {
  it("[D16.1] [C20-38] claims all that is reachable on nets with weights, resets and optional inputs", () =>
    coverLaw(fixedPoint));

  it("[D16.1] [C20-38] as it is written, claims all that is reachable as well", () =>
    coverLaw(literalFixedPoint));

  it("[D16.1] [C20-38] by rows of bits, is the same as it is written", () => equalLaw(fixedPoint));

  it("[D16.1] the law of equality catches one that reads no resets, one that takes single tokens for two, and one without weights", () => {
    const changed = (change: (t: Transition) => Partial<Transition>) => (net: Net) =>
      fixedPoint({ ...net, transitions: net.transitions.map((t) => ({ ...t, ...change(t) })) });
    const one = (list: Transition["pre"]) => list.map(([place]) => [place, 1] as const);
    const broken = [
      changed(() => ({ reset: [] })),
      changed(({ pre }) => ({ pre: one(pre) })),
      changed(({ post }) => ({ post: one(post) })),
      changed(({ any }) => ({ any: any.slice(0, 1) })),
    ];
    for (const analyse of broken) expect(() => equalLaw(analyse)).toThrow();
  });

  it("[D16.1] the law catches a fixed point that forgets what stays, and one that stops early", () => {
    const forgetful = (net: Net) =>
      fixedPoint({
        ...net,
        transitions: net.transitions.map((t) => ({ ...t, reset: net.places.map((_, place) => place) })),
      });
    const early = (net: Net) => fixedPoint({ ...net, transitions: net.transitions.slice(1) });
    for (const broken of [forgetful, early]) expect(() => coverLaw(broken, true)).toThrow();
  });

  it("[D16.1] [C20-38] claims all that is reachable with non-local OR-joins", () => {
    fc.assert(
      fc.property(orGraph, (definition) => {
        const compiled = compiledOf(definition);
        const pairs = claimed(compiled.net, fixedPoint(compiled.net));
        const reached = pairsOf(compiled.net, someReachable(compiled.net, orJoinRules(compiled)));
        expect([...reached].filter((pair) => !pairs.has(pair))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it("[L16.1] [D16.1] [C20-38] is exact on nets of blocks, which are live and safe free-choice once closed", () => {
    let together = 0;
    fc.assert(
      fc.property(freeChoice(2), (block) => {
        const net = netOf(workflowOf(block));
        const markings = someReachable(net);
        fc.pre(markings.length < MARKINGS_MAX);
        const expected = pairsOf(net, markings);
        expect([...claimed(net, fixedPoint(net))].sort()).toEqual([...expected].sort());
        together += expected.size;
      }),
      { numRuns: 200 },
    );
    expect(together).toBeGreaterThan(1_000);
  });

  it("[D16.2] the state space is exact where it is complete, and says so", () => {
    fc.assert(
      fc.property(anyNet, (net) => {
        const markings = someReachable(net);
        const isComplete = markings.length < MARKINGS_MAX;
        const found = coMarking(net, () => (isComplete ? markings : null));
        expect(found.method).toBe(isComplete ? "state space" : "fixed point");
        if (isComplete) expect([...claimed(net, found)].sort()).toEqual([...pairsOf(net, markings)].sort());
        if (isComplete)
          for (const place of net.places.keys())
            expect(found.isMarkable(place)).toBe(markings.some((M) => (M[place] ?? 0) > 0));
      }),
      { numRuns: 200 },
    );
    expect(coMarking(netOf(workflowOf({ kind: "task", of: "human", escapes: false }))).method).toBe(
      "fixed point",
    );
  });
});
