import { type Marking, makeNet, type Net, type Transition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canCover, coverSearch, type ResetTransition } from "../src/coverability.ts";
import { optimisticNet, yawlJoinTest } from "../src/yawl-join.ts";

const MARKINGS_MAX = 400;

/** Everything reachable from `M`, or null where that is more than the limit. Plain: no index, no order. */
function forward(transitions: readonly ResetTransition[], M: Marking): readonly Marking[] | null {
  const found = new Map([[M.join(), M]]);
  for (const at of found.values()) {
    for (const { pre, post, reset } of transitions) {
      if (pre.some(([place, weight]) => (at[place] ?? 0) < weight)) continue;
      const next = [...at];
      for (const [place, weight] of pre) next[place] = (next[place] ?? 0) - weight;
      for (const place of reset) next[place] = 0;
      for (const [place, weight] of post) next[place] = (next[place] ?? 0) + weight;
      found.set(next.join(), next);
    }
    if (found.size > MARKINGS_MAX) return null;
  }
  return [...found.values()];
}

const PLACES = 5;
const somePlaces = (min: number, max: number) =>
  fc.uniqueArray(fc.nat({ max: PLACES - 1 }), { minLength: min, maxLength: max });
const weighted = (min: number) =>
  somePlaces(min, 2).chain((places) =>
    fc.tuple(...places.map((place) => fc.tuple(fc.constant(place), fc.constantFrom(1, 1, 1, 2)))),
  );
const transition = fc.record({
  pre: weighted(1),
  post: weighted(0),
  reset: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, somePlaces(1, 2)),
});
const resetNet = fc.array(transition, { minLength: 1, maxLength: 6 });
const marking = fc.array(fc.constantFrom(0, 0, 1, 1, 2), { minLength: PLACES, maxLength: PLACES });
const targets = somePlaces(1, 2);

/**
 * Law: a marking can cover the target iff forward search finds one that holds it. Oracle: all reachable markings,
 * where they are few. Generated: reset nets with weights; several markings are asked of one search.
 */
function coverLaw(
  cover: (transitions: readonly ResetTransition[], target: readonly number[]) => (M: Marking) => boolean,
  endOnFailure = false,
) {
  const seen = { yes: 0, no: 0, resets: 0 };
  fc.assert(
    fc.property(
      resetNet,
      targets,
      fc.array(marking, { minLength: 1, maxLength: 4 }),
      (net, target, markings) => {
        const ask = cover(net, target);
        for (const M of markings) {
          const all = forward(net, M);
          if (all === null) continue;
          const expected = all.some((reached) => target.every((place) => (reached[place] ?? 0) > 0));
          expect(ask(M)).toBe(expected);
          seen[expected ? "yes" : "no"] += 1;
          if (net.some(({ reset }) => reset.length > 0)) seen.resets += 1;
        }
      },
    ),
    { numRuns: 1_000, endOnFailure },
  );
  return seen;
}

const backward = (transitions: readonly ResetTransition[], target: readonly number[]) => {
  const search = coverSearch(transitions, target);
  return (M: Marking) => canCover(search, M);
};

describe("backward coverability on reset nets", () => {
  it("[D15.8] finds exactly the markings from which forward search covers the target", () => {
    const seen = coverLaw(backward);
    for (const count of [seen.yes, seen.no, seen.resets]) expect(count).toBeGreaterThan(300);
  });

  it("[D15.8] the law catches a search without resets, and one that forgets presets", () => {
    const without = (transitions: readonly ResetTransition[], target: readonly number[]) =>
      backward(
        transitions.map((t) => ({ ...t, reset: [] })),
        target,
      );
    const forgetful = (transitions: readonly ResetTransition[], target: readonly number[]) =>
      backward(
        transitions.map((t) => ({ ...t, pre: t.pre.slice(0, 1) })),
        target,
      );
    for (const broken of [without, forgetful]) expect(() => coverLaw(broken, true)).toThrow();
  });

  it("[D15.8] an empty place asks for what a transition takes besides what it leaves", () => {
    const net: readonly ResetTransition[] = [
      {
        pre: [[0, 2]],
        post: [
          [0, 1],
          [1, 1],
        ],
        reset: [],
      },
      { pre: [[2, 1]], post: [[0, 2]], reset: [0] },
    ];
    const ask = backward(net, [1]);
    expect(
      [
        [2, 0, 0],
        [1, 0, 0],
        [0, 0, 1],
        [1, 0, 1],
        [0, 1, 0],
      ].map((M) => ask(M)),
    ).toEqual([true, false, true, true, true]);
  });
});

/** Nets with two OR-joins over four of five places, resets, and conditions that are shared between consumers. */
const joinNet: fc.Arbitrary<Net> = fc
  .record({
    plain: resetNet,
    first: somePlaces(2, 3),
    second: somePlaces(2, 3),
    to: fc.tuple(fc.nat({ max: PLACES - 1 }), fc.nat({ max: PLACES - 1 })),
    needs: fc.nat({ max: 9 }),
  })
  .map(({ plain, first, second, to, needs }) => {
    const join = (id: string, any: readonly number[], target: number): Transition => ({
      id,
      pre: needs < PLACES && !any.includes(needs) ? [[needs, 1]] : [],
      any,
      post: [[target, 1]],
      reset: [],
      rule: `or-join:${id}`,
    });
    return makeNet({
      places: Array.from({ length: PLACES }, (_, place) => ({ id: `p${place}`, role: "control" as const })),
      transitions: [
        ...plain.map((t, index): Transition => ({ id: `t${index}`, any: [], ...t })),
        join("j", first, to[0]),
        join("k", second, to[1]),
      ],
      initial: new Array<number>(PLACES).fill(0),
      finals: { kind: "ends", ends: [] },
    });
  });

/** The rule by its words: all markings reachable without j, k as a choice, against the marked inputs and one more. */
function oracle(net: Net): (M: Marking) => boolean | null {
  const others = net.transitions.slice(0, -2).map(({ pre, post, reset }) => ({ pre, post, reset }));
  const k = net.transitions.at(-1) as Transition;
  const asChoice = k.any.map((place) => ({ ...k, pre: [...k.pre, [place, 1] as const] }));
  const inputs = (net.transitions.at(-2) as Transition).any;
  return (M) => {
    const marked = inputs.filter((place) => (M[place] ?? 0) > 0);
    const all = forward([...others, ...asChoice], M);
    if (all === null) return null;
    const hasMore = (reached: Marking) =>
      marked.every((place) => (reached[place] ?? 0) > 0) &&
      inputs.some((place) => !marked.includes(place) && (reached[place] ?? 0) > 0);
    return marked.length > 0 && !all.some(hasMore);
  };
}

function yawlLaw(rule: (net: Net) => (M: Marking) => boolean, endOnFailure = false) {
  const seen = { enabled: 0, waits: 0, unmarked: 0, shared: 0 };
  fc.assert(
    fc.property(joinNet, fc.array(marking, { minLength: 1, maxLength: 4 }), (net, markings) => {
      const ask = rule(net);
      const expected = oracle(net);
      const inputs = net.transitions.at(-2)?.any ?? [];
      for (const M of markings) {
        const answer = expected(M);
        if (answer === null) continue;
        expect(ask(M)).toBe(answer);
        seen[answer ? "enabled" : inputs.some((place) => M[place]) ? "waits" : "unmarked"] += 1;
        if (net.transitions.slice(0, -2).some(({ pre }) => pre.some(([place]) => inputs.includes(place))))
          seen.shared += 1;
      }
    }),
    { numRuns: 1_000, endOnFailure },
  );
  return seen;
}

describe("[D15.8] YAWL's OR-join", () => {
  it("[D15.8] [D15.7] [L15.4] is enabled iff no reachable marking has the marked inputs and one more", () => {
    const seen = yawlLaw((net) => yawlJoinTest(net, "or-join:j"));
    for (const count of [seen.enabled, seen.waits, seen.unmarked, seen.shared])
      expect(count).toBeGreaterThan(100);
  });

  it("[D15.8] [L15.4] the law catches a rule that does not keep the marked inputs, or lets the join itself fire", () => {
    const careless = (net: Net) => (M: Marking) => {
      const inputs = net.transitions.at(-2)?.any ?? [];
      const isMarked = (place: number) => (M[place] ?? 0) > 0;
      const transitions = optimisticNet(net, "or-join:j");
      return (
        inputs.some(isMarked) &&
        inputs.every((place) => isMarked(place) || !canCover(coverSearch(transitions, [place]), M))
      );
    };
    const selfish = (net: Net) =>
      yawlJoinTest(
        {
          ...net,
          transitions: [
            ...net.transitions,
            { ...(net.transitions.at(-2) as Transition), id: "again", rule: "or-join:again" },
          ],
        },
        "or-join:j",
      );
    for (const broken of [careless, selfish]) expect(() => yawlLaw(broken, true)).toThrow();
  });

  it("[D15.7] the reset net leaves out the join, and takes one optional input of every other transition", () => {
    const net = makeNet({
      places: ["a", "b", "c", "d"].map((id) => ({ id, role: "control" as const })),
      transitions: [
        { id: "j", pre: [], any: [0, 1], post: [[2, 1]], reset: [], rule: "or-join:j" },
        { id: "k", pre: [[3, 1]], any: [1, 2], post: [[0, 1]], reset: [3], rule: "or-join:k" },
        { id: "t", pre: [[2, 1]], any: [], post: [[3, 2]], reset: [1] },
      ],
      initial: [0, 0, 0, 0],
      finals: { kind: "ends", ends: [] },
    });
    expect(optimisticNet(net, "or-join:j")).toEqual([
      {
        pre: [
          [3, 1],
          [1, 1],
        ],
        post: [[0, 1]],
        reset: [3],
      },
      {
        pre: [
          [3, 1],
          [2, 1],
        ],
        post: [[0, 1]],
        reset: [3],
      },
      { pre: [[2, 1]], post: [[3, 2]], reset: [1] },
    ]);
  });
});
