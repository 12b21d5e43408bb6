/** @module The checker of reductions on nets small enough to be judged by hand: each condition of a rule violated alone. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { replayReduction } from "../../src/certificate/reduction.ts";
import { carriedBy, isSame } from "../../src/certificate/reduction-state.ts";
import type { ReductionStep } from "../../src/reduction/step.ts";
import { net } from "../net-text.ts";

/** A step that names places by id and transitions by number. */
type NamedStep =
  | { readonly post: string }
  | { readonly pre: string }
  | { readonly place: string; readonly twin: string }
  | Extract<ReductionStep, { readonly kind: "twin-transition" | "idle" }>;

function steps(given: Net, named: readonly NamedStep[]): ReductionStep[] {
  const at = (id: string) => given.places.findIndex((place) => place.id === id);
  return named.map((step): ReductionStep => {
    if ("post" in step) return { kind: "post", place: at(step.post) };
    if ("pre" in step) return { kind: "pre", place: at(step.pre) };
    if ("place" in step) return { kind: "twin-place", place: at(step.place), twin: at(step.twin) };
    return step;
  });
}

const twins = (transition: number, twin: number): NamedStep => ({
  kind: "twin-transition",
  transition,
  twin,
});
const idle = (transition: number, other: number | null): NamedStep => ({ kind: "idle", transition, other });

/** The reduced net in one line, or why there is none: "r0: i -> a; r3: a -> o". */
function reducedBy(given: Net, ...named: NamedStep[]): string {
  const replayed = replayReduction(given, steps(given, named));
  if (typeof replayed === "string") return replayed;
  const { places, transitions } = replayed.net;
  const side = (arcs: Net["transitions"][number]["pre"]) =>
    arcs.map(([place, weight]) => (weight === 1 ? places[place]?.id : `${weight}?`)).join(" + ");
  return transitions.map(({ id, pre, post }) => `${id}: ${side(pre)} -> ${side(post)}`).join("; ");
}

/** What is carried and spared, each in the order of the numbers; and the marked places of the start. */
function beside(given: Net, ...named: NamedStep[]) {
  const replayed = replayReduction(given, steps(given, named));
  if (typeof replayed === "string") throw new Error(replayed);
  const { net: reduced, carries, spared } = replayed;
  const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
  const start = reduced.places.flatMap(({ id }, place) =>
    reduced.initial[place] === 0 ? [] : [`${reduced.initial[place]}${id}`],
  );
  return { carries: carries.map(sorted), spared: sorted(spared), start: start.join(" ") };
}

const line = net("t: i -> q; u: q -> o");

describe("what a reduction is replayed on", () => {
  it("[D13.9] without a step it is the net, and each transition carries itself", () => {
    const given = net("t: i -> b + a; u: a + b -> o");
    expect(reducedBy(given)).toBe("r0: i -> b + a; r1: b + a -> o");
    expect(beside(given)).toEqual({ carries: [[0], [1]], spared: [], start: "1i" });
    const replayed = replayReduction(given, []);
    expect(replayed).toMatchObject({ net: { places: given.places, finals: { kind: "ends", ends: [3] } } });
    // Sides come in the order of the places, however they were written.
    expect(replayReduction(net("t: i -> a + b; u: b + a -> o"), [])).toMatchObject({
      net: {
        transitions: [
          {
            pre: [[0, 1]],
            any: [],
            post: [
              [1, 1],
              [2, 1],
            ],
            reset: [],
          },
          {
            pre: [
              [1, 1],
              [2, 1],
            ],
            any: [],
            post: [[3, 1]],
            reset: [],
          },
        ],
      },
    });
  });

  it.each([
    ["the net is not plain", net("t: i -> 2o")],
    ["the net is not plain", net("t: i any a -> o")],
    ["the net is not plain", net("t: i -> o reset a")],
    [
      "the net has counter places",
      { ...line, places: line.places.map((p, n) => (n === 1 ? { ...p, role: "counter" as const } : p)) },
    ],
    ["a transition names a place twice", net("t: i -> o + o")],
    ["a transition names a place twice", net("t: i + i -> o")],
    ["a final marking covers another", net("t: i -> o + a", { finals: [{ o: 1, a: 1 }, { o: 1 }] })],
    ["a final marking covers another", net("t: i -> o + a", { finals: [{ o: 1 }, { o: 2 }] })],
    ["a final marking covers another", net("t: i -> o", { finals: [{}, { o: 1 }] })],
  ])("[D13.9] not on every net: %s", (why, given) => {
    expect(replayReduction(given, [])).toBe(why);
  });

  it("[D13.9] final markings may be many, and one may be listed twice", () => {
    const given = net("t: i -> q; u: q -> a; v: q -> o", { finals: [{ o: 1 }, { a: 2 }, { o: 1 }] });
    const replayed = replayReduction(given, [{ kind: "post", place: 1 }]);
    expect(replayed).toMatchObject({
      net: {
        finals: {
          kind: "markings",
          markings: [
            [0, 0, 1],
            [0, 2, 0],
            [0, 0, 1],
          ],
        },
      },
    });
    const ends = replayReduction(net("t: i -> q; u: q -> a; v: q -> o", { ends: ["o", "a"] }), [
      { kind: "post", place: 1 },
    ]);
    expect(ends).toMatchObject({ net: { finals: { kind: "ends", ends: [2, 1] } } });
  });

  it("[D13.9] the number and the kind of the step that does not apply", () => {
    expect(reducedBy(line, { post: "q" }, { post: "q" })).toBe("step 1, post: no such place");
    expect(reducedBy(line, { pre: "nowhere" })).toBe("step 0, pre: no such place");
    expect(replayReduction(line, [{ kind: "post", place: 9 }])).toBe("step 0, post: no such place");
    expect(replayReduction(line, [{ kind: "other", place: 1 } as never])).toBe("step 0, other: no such rule");
    for (const step of [{ post: "o" }, { pre: "o" }, { place: "o", twin: "q" }, { place: "q", twin: "o" }])
      expect(reducedBy(line, step), JSON.stringify(step)).toMatch(/a final marking marks the place/);
    const listed = net("t: i -> q; u: q -> o", { finals: [{ o: 1 }, { q: 1 }] });
    expect(reducedBy(listed, { post: "q" })).toMatch(/a final marking marks the place/);
  });
});

describe("post", () => {
  it("[D13.4] the producer does what the consumer did", () => {
    expect(reducedBy(line, { post: "q" })).toBe("r0: i -> o");
    expect(beside(line, { post: "q" })).toEqual({ carries: [[0, 1]], spared: [], start: "1i" });
  });

  it("[D13.4] a choice becomes one transition for each producer and consumer", () => {
    const given = net("t: i -> q; s: i + c -> q + d; u: q -> a; v: q -> b; w: q -> a + b");
    expect(reducedBy(given, { post: "q" })).toBe(
      "r0: i -> a; r1: i + c -> d + a; r5: i -> b; r6: i -> a + b; r7: i + c -> d + b; r8: i + c -> d + a + b",
    );
    expect(beside(given, { post: "q" }).carries).toEqual([
      [0, 2],
      [1, 2],
      [0, 3],
      [0, 4],
      [1, 3],
      [1, 4],
    ]);
  });

  it("[D13.4] the order is that of the numbers, whatever was taken out before", () => {
    const given = net("t: i -> q; u: q -> a; v: q -> a; w: q -> b; x: a -> o; y: b -> o");
    expect(reducedBy(given, twins(1, 2), { post: "q" })).toBe(
      "r0: i -> a; r4: a -> o; r5: b -> o; r6: i -> b",
    );
    const many = net("t: i -> q; u: i -> q; v: i + c -> q; x: q -> a; y: q -> b");
    expect(reducedBy(many, twins(0, 1), { post: "q" })).toBe(
      "r1: i -> a; r2: i + c -> a; r5: i -> b; r6: i + c -> b",
    );
  });

  it("[D13.4] tokens of the start go where the only consumer puts them", () => {
    const given = net("t: b -> q; u: q -> a + c; v: a -> o", { initial: { q: 2, a: 1 } });
    expect(reducedBy(given, { post: "q" })).toBe("r0: b -> a + c; r2: a -> o");
    expect(beside(given, { post: "q" })).toEqual({ carries: [[0, 1], [2]], spared: [1], start: "3a 2c" });
    const alone = net("u: i -> a; v: a -> o");
    expect(reducedBy(alone, { post: "i" })).toBe("r1: a -> o");
    expect(beside(alone, { post: "i" })).toEqual({ carries: [[1]], spared: [0], start: "1a" });
  });

  it.each([
    ["nothing takes from the place", "t: i -> o + q", "q"],
    ["the place is never marked", "t: q -> o", "q"],
    ["the start leaves a choice", "t: i -> o; u: i -> a", "i"],
    ["a consumer is not simple", "t: i -> q + a; u: q + a -> o", "q"],
    ["a consumer is not simple", "t: i -> q; u: q -> ; v: i -> o", "q"],
    ["a consumer is not simple", "t: i -> q; u: q -> q + o", "q"],
    ["a consumer is not simple", "t: i -> q; u: q -> o; v: q -> ", "q"],
    ["two tokens on one place", "t: i -> q + a; u: q -> a", "q"],
    // Looked up among those of the place, which are fewer than what the producer does.
    ["two tokens on one place", "t: i -> q + a + b + c; u: q -> a", "q"],
    ["two tokens on one place", "t: i -> q; s: i -> q + a; u: q -> b; v: q -> b + a", "q"],
  ])("[D13.4] refused: %s", (why, text, place) => {
    expect(reducedBy(net(text), { post: place })).toBe(`step 0, post: ${why}`);
  });

  it("[D13.4] that another transition fills the same place is no matter", () => {
    expect(reducedBy(net("t: i -> q + b + c; s: i -> a; u: q -> a"), { post: "q" })).toBe(
      "r0: i -> b + c + a; r1: i -> a",
    );
  });
});

describe("pre", () => {
  it("[D13.5] the consumers take what the producer took", () => {
    const given = net("t: i + c -> q; u: q -> a; v: q + b -> o", { initial: { i: 1, c: 1 } });
    expect(reducedBy(given, { pre: "q" })).toBe("r1: i + c -> a; r2: i + c + b -> o");
    expect(beside(given, { pre: "q" })).toEqual({
      carries: [
        [0, 1],
        [0, 2],
      ],
      spared: [0],
      start: "1i 1c",
    });
  });

  it.each([
    ["not one producer and some consumer", "u: q -> o", "q"],
    ["not one producer and some consumer", "t: i -> q; s: c -> q; u: q -> o", "q"],
    ["not one producer and some consumer", "t: i -> q; u: c -> o", "q"],
    ["the place is marked", "t: c -> i; u: i -> o", "i"],
    ["the producer is not simple", "t: i -> q + a; u: q + a -> o", "q"],
    ["the producer is not simple", "t: -> q; u: q -> o", "q"],
    ["the producer is not simple", "t: q -> q; u: q -> o", "q"],
    ["others need what the producer needs", "t: i -> q; u: q -> o; v: i -> o", "q"],
    ["others need what the producer needs", "t: i + c -> q; u: q -> o; v: c -> o", "q"],
    ["others need what the producer needs", "s: i -> o; t: o -> q; u: q -> a", "q"],
  ])("[D13.5] refused: %s", (why, text, place) => {
    expect(reducedBy(net(text), { pre: place })).toBe(`step 0, pre: ${why}`);
  });
});

describe("twin places", () => {
  it("[D13.6] the one goes, the other stays", () => {
    const given = net("t: i -> a + b; u: a + b -> o", { initial: { i: 1, a: 1, b: 1 } });
    expect(reducedBy(given, { place: "a", twin: "b" })).toBe("r0: i -> b; r1: b -> o");
    expect(beside(given, { place: "a", twin: "b" })).toEqual({
      carries: [[0], [1]],
      spared: [],
      start: "1i 1b",
    });
    expect(reducedBy(given, { place: "a", twin: "b" }, { place: "b", twin: "a" })).toBe(
      "step 1, twin-place: no such place",
    );
  });

  it.each([
    ["the places start differently", "t: i -> a + b; u: a + b -> o", "a", "a"],
    ["the places start differently", "t: i + b -> o", "i", "b"],
    ["the places have different neighbours", "t: i -> a + b; s: i -> a; u: a + b -> o", "a", "b"],
    ["the places have different neighbours", "t: i -> a + b; u: a + b -> o; v: b -> o", "a", "b"],
    ["the places have different neighbours", "t: i -> a; s: i -> b; u: a + b -> o", "a", "b"],
    ["the places have different neighbours", "t: i -> a + b; u: a -> o; v: b -> o", "a", "b"],
  ])("[D13.6] refused: %s", (why, text, place, twin) => {
    expect(reducedBy(net(text), { place, twin })).toBe(`step 0, twin-place: ${why}`);
  });
});

describe("twin transitions", () => {
  it("[D13.7] the one goes, and the other carries it", () => {
    const given = net("t: i -> a + b; u: i -> b + a; v: a + b -> o");
    expect(reducedBy(given, twins(0, 1))).toBe("r1: i -> a + b; r2: a + b -> o");
    expect(beside(given, twins(0, 1))).toEqual({ carries: [[0, 1], [2]], spared: [], start: "1i" });
    expect(reducedBy(given, twins(0, 1), twins(1, 0))).toMatch(
      /step 1, twin-transition: no such transitions/,
    );
    expect(reducedBy(given, twins(0, 1), twins(0, 1))).toMatch(
      /step 1, twin-transition: no such transitions/,
    );
  });

  it.each([
    ["no such transitions", "t: i -> o", twins(0, 0)],
    ["no such transitions", "t: i -> o", twins(0, 1)],
    ["no such transitions", "t: i -> o", twins(1, 0)],
    ["the transitions differ", "t: i -> o; u: i -> a", twins(0, 1)],
    ["the transitions differ", "t: i -> o; u: a -> o", twins(0, 1)],
    ["the transitions differ", "t: i -> o; u: i -> o + a", twins(0, 1)],
  ])("[D13.7] refused: %s", (why, text, step) => {
    expect(reducedBy(net(text), step)).toBe(`step 0, twin-transition: ${why}`);
  });
});

describe("idle transitions", () => {
  const given = net("t: i -> a + b; u: a + b -> b + a; v: a + b + c -> o");

  it("[D13.8] one goes that fires when another does or has done, or at the start", () => {
    const left = "r0: i -> a + b; r2: a + b + c -> o";
    expect(reducedBy(given, idle(1, 0))).toBe(left);
    expect(reducedBy(given, idle(1, 2))).toBe(left);
    expect(beside(given, idle(1, 0))).toEqual({ carries: [[0], [2]], spared: [1], start: "1i" });
    expect(reducedBy({ ...given, initial: [0, 1, 2, 0, 0] }, idle(1, null))).toBe(left);
  });

  it.each([
    ["no such transition", "t: i -> o", idle(1, 0)],
    ["no such transition", "t: i -> o; u: i -> i", idle(1, 1)],
    ["no such transition", "t: i -> o; u: i -> i", idle(1, 2)],
    ["the transition changes something", "t: i -> o; u: i -> i + o", idle(1, 0)],
    ["the transition changes something", "t: i + a -> o; u: i + a -> i", idle(1, 0)],
    ["nothing shows that the transition can fire", "t: i -> o; u: a -> a", idle(1, 0)],
    ["nothing shows that the transition can fire", "t: a -> b; u: a + b -> a + b", idle(1, 0)],
    ["nothing shows that the transition can fire", "t: a -> o; u: a + b -> a + b", idle(1, 0)],
    ["nothing shows that the transition can fire", "t: i -> o; u: i + a -> i + a", idle(1, null)],
  ])("[D13.8] refused: %s", (why, text, step) => {
    expect(reducedBy(net(text), step)).toBe(`step 0, idle: ${why}`);
  });
});

describe("the rows of the net under reduction", () => {
  it("[D13.9] a row that is out is around no place any more", () => {
    // Were the twin still counted, its input would have two consumers.
    expect(reducedBy(net("t: i -> q; s: i -> q; u: q -> o"), twins(1, 0), { pre: "q" })).toBe("r2: i -> o");
    // Were the place still named, its consumer would need more than one.
    expect(reducedBy(net("t: i -> a + b; u: a + b -> o"), { place: "a", twin: "b" }, { post: "b" })).toBe(
      "r0: i -> o",
    );
    expect(reducedBy(net("t: i -> a + b; u: a + b -> o"), { place: "a", twin: "b" }, { pre: "b" })).toBe(
      "r1: i -> o",
    );
    // What the consumer put there is now filled by the producer, and its own row is gone.
    expect(reducedBy(net("t: i -> q; u: q -> p; v: p -> o"), { post: "q" }, { post: "p" })).toBe(
      "r0: i -> o",
    );
    expect(reducedBy(net("t: i -> q; u: q -> p; v: p -> o"), { pre: "q" }, { pre: "p" })).toBe("r2: i -> o");
    expect(reducedBy(net("t: i -> q; u: q -> a; v: q -> a; w: a -> o"), { post: "q" }, twins(4, 0))).toBe(
      "r0: i -> a; r3: a -> o",
    );
  });

  it("[D13.9] sets are the same whatever their order and size", () => {
    const count = (length: number) => Array.from({ length }, (_, n) => n);
    for (const size of [0, 1, 2, 8, 9, 10]) {
      const set = count(size);
      expect(isSame(set, set.toReversed()), String(size)).toBe(true);
      expect(isSame(set, count(size + 1)), String(size)).toBe(false);
      expect(isSame(count(size + 1), set), String(size)).toBe(false);
      if (size > 0) expect(isSame(set, [...set.slice(1), 99]), String(size)).toBe(false);
    }
  });

  it("[D13.9] what is carried is written out once", () => {
    const shared = [3, 4];
    expect(carriedBy(7)).toEqual([7]);
    expect([...carriedBy([shared, [shared, 5], 3])].sort()).toEqual([3, 4, 5]);
    expect(carriedBy([])).toEqual([]);
  });
});
