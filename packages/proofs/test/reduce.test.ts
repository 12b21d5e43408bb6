/** @module What the reduction does to nets small enough to be reduced by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { ReduceOptions, Reduction } from "../src/reduction/reduce.ts";
import {
  either,
  flatten,
  flattenTo,
  followedBy,
  leaves,
  lengthOf,
  markLeaves,
  partsAbove,
  sequencesOf,
} from "../src/reduction/sequences.ts";
import { add, take, workList } from "../src/reduction/work-list.ts";
import { reduced, stepsOf } from "./named-reduction.ts";
import { net } from "./net-text.ts";

function textOf({ net: { places, transitions } }: Reduction): string {
  const side = (arcs: Net["transitions"][number]["pre"]) =>
    arcs.map(([place]) => places[place]?.id).join(" + ");
  return transitions.map(({ id, pre, post }) => `${id}: ${side(pre)} -> ${side(post)}`).join("; ");
}

/** The steps and the net that is left, of a net in which the named places stay. */
function reducedTo(
  text: string,
  kept: string,
  options: Parameters<typeof net>[1] = {},
  more: ReduceOptions = {},
) {
  const given = net(text, options);
  const reduction = reduced(given, kept, more);
  return `${stepsOf(given, reduction).join(", ")} | ${textOf(reduction)}`;
}

const runsOf = ({ sequences, runs }: Reduction) => runs.map((run) => flatten(sequences, run));

describe("post-agglomeration", () => {
  it("[D13.4] one consumer, and a choice", () => {
    const line = net("t: i -> q; u: q -> o");
    const reduction = reduced(line, "i");
    expect(stepsOf(line, reduction)).toEqual(["post q"]);
    expect(textOf(reduction)).toBe("r0: i -> o");
    expect(runsOf(reduction)).toEqual([[0, 1]]);
    expect([reduction.prefix, reduction.inexact, reduction.idle]).toEqual([[], [], []]);
    expect(reduction.places).toEqual([0, 2]);
    const choice = net("t: i -> q; s: c -> q + d; u: q -> a; v: q -> b");
    const copied = reduced(choice, "i c d a b");
    expect(stepsOf(choice, copied)).toEqual(["post q"]);
    expect(textOf(copied)).toBe("r0: i -> a; r1: c -> d + a; r4: i -> b; r5: c -> d + b");
    expect(runsOf(copied)).toEqual([
      [0, 2],
      [1, 2],
      [0, 3],
      [1, 3],
    ]);
  });

  it("[D13.4] tokens of the start are moved on, up to a number", () => {
    const text = "u: q -> a; v: a -> o + b";
    const at = (q: number, kept = "a b") => reduced(net(text, { initial: { q } }), kept);
    expect(textOf(at(2))).toBe("r1: a -> o + b");
    expect(at(2).net.initial).toEqual([2, 0, 0]);
    expect(at(2).prefix).toEqual([0, 0]);
    expect(at(16).net.initial).toEqual([16, 0, 0]);
    expect(at(17).net.initial).toEqual([17, 0, 0, 0]);
    const whole = at(1, "");
    expect(whole.prefix).toEqual([0, 1]);
    expect(whole.net.transitions).toEqual([]);
    expect(reducedTo("u: q -> a; v: q -> b", "a b", { initial: { q: 1 } })).toBe(" | r0: q -> a; r1: q -> b");
  });

  it.each([
    ["a place that nothing empties", "t: i -> q + o", "i"],
    ["a place that nothing fills", "u: q -> o", ""],
    ["a consumer that needs more", "t: i -> q; s: i -> d; u: q + d -> o", "i d"],
    ["a consumer that produces nothing", "t: i -> q; u: q -> ; v: i -> o", "i"],
    ["a consumer that gives back", "t: i -> q; u: q -> q + o", "i"],
    ["two tokens on one place", "t: i -> q + a; u: q -> a", "i a"],
    ["two tokens, of a large producer", "t: i -> q + a + b + c; u: q -> a; v: a -> b", "i a b c"],
    ["a place that is kept", "t: i -> q; u: q -> o", "i q"],
  ])("[D13.4] not of %s", (_, text, kept) => {
    expect(reducedTo(text, kept)).toMatch(/^ \| /);
  });

  it("[D13.4] copies are bounded, but where the net shrinks", () => {
    const fan = (producers: number, consumers: number) => {
      const range = (count: number) => Array.from({ length: count }, (_, k) => k);
      const lines = [
        ...range(producers).map((k) => `t${k}: i${k} -> q`),
        ...range(consumers).map((k) => `u${k}: q -> a${k}`),
      ];
      const given = net(lines.join("; "));
      const kept = given.places.map(({ id }) => id).filter((id) => id !== "q");
      return reduced(given, kept.join(" ")).net.transitions.length;
    };
    expect(fan(2, 2)).toBe(4);
    expect(fan(2, 4)).toBe(8);
    expect(fan(4, 2)).toBe(8);
    // Nine copies instead of six.
    expect(fan(3, 3)).toBe(6);
    expect(fan(2, 5)).toBe(7);
    expect(fan(1, 9)).toBe(9);
    expect(fan(9, 1)).toBe(9);
  });
});

describe("pre-agglomeration", () => {
  const text = "t: i + c -> q; u: q + d -> o";

  it("[D13.5] the consumers do the work of the producer", () => {
    const given = net(text);
    const reduction = reduced(given, "d");
    expect(stepsOf(given, reduction)).toEqual(["pre q"]);
    expect(textOf(reduction)).toBe("r1: i + c + d -> o");
    expect(runsOf(reduction)).toEqual([[0, 1]]);
    expect(reduction.inexact).toEqual([0]);
    expect(reducedTo(`${text}; v: q + d -> a`, "d a")).toBe("pre q | r1: i + c + d -> o; r2: i + c + d -> a");
  });

  it.each([
    ["where exactness is asked", text, "d", { isExact: true }],
    ["if an input is kept", text, "d i", {}],
    ["if another needs an input", `${text}; v: i + d -> a`, "d a", {}],
    ["of a producer that does more", "t: i + c -> q + a; u: q + d -> o", "d a", {}],
    ["of a producer that needs nothing", "t: -> q; u: q + d -> o", "d", {}],
    ["with two producers", `${text}; v: d -> q`, "d", {}],
    ["of a place that its producer needs", "t: q + c -> q; u: q + d -> o", "d", {}],
  ])("[D13.5] not %s", (_, other, kept, more) => {
    expect(reducedTo(other, kept, {}, more)).toMatch(/^ \| /);
  });

  it("[D13.5] not of a marked place; copies are bounded", () => {
    expect(reducedTo(text, "d", { initial: { i: 1, q: 1 } })).toMatch(/^ \| /);
    const many = (inputs: number, consumers: number) => {
      const range = (count: number) => Array.from({ length: count }, (_, k) => k);
      const pre = range(inputs)
        .map((k) => `i${k}`)
        .join(" + ");
      const lines = [`t: ${pre} -> q`, ...range(consumers).map((k) => `u${k}: q + d -> a${k}`)];
      const kept = ["d", ...range(consumers).map((k) => `a${k}`)].join(" ");
      // Of different tokens, so that none is like another.
      const initial = Object.fromEntries(range(inputs).map((k) => [`i${k}`, k]));
      const given = net(lines.join("; "), { initial });
      return stepsOf(given, reduced(given, kept)).includes("pre q");
    };
    expect([many(2, 4), many(4, 2), many(9, 1), many(3, 3), many(1, 9)]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("twins and idle transitions", () => {
  it("[D13.6] of places with the same neighbours and tokens one goes", () => {
    expect(reducedTo("t: i -> a + b + c; u: a + b -> o; v: c -> o", "i c")).toMatch(
      /^b like a, post a \| r0: i -> /,
    );
    // One of three, and then another.
    expect(reducedTo("t: i + x -> a + b + c; u: a + b + c + x -> o", "i x")).toBe(
      "b like a, c like a | r0: i + x -> a; r1: x + a -> o",
    );
    const uneven = reducedTo("t: i -> a + b; u: a + b -> o", "i", { initial: { i: 1, a: 1 } });
    expect(uneven).toBe(" | r0: i -> a + b; r1: a + b -> o");
    expect(reducedTo("t: i -> a + b; u: a + b -> o; v: b + i -> o", "i")).toMatch(/^ \| /);
    expect(reducedTo("t: i -> a + b; u: a + b -> o", "i a b")).toMatch(/^ \| /);
  });

  it("[D13.7] of transitions with the same neighbours one goes, and the other stands for both", () => {
    const given = net("t: i -> a + b; u: i -> b + a; v: i -> a");
    const reduction = reduced(given, "i a b");
    expect(stepsOf(given, reduction)).toEqual(["1 like 0"]);
    expect(textOf(reduction)).toBe("r0: i -> a + b; r2: i -> a");
    expect(runsOf(reduction)).toEqual([[0], [2]]);
    expect([...leaves(reduction.sequences, reduction.runs[0] ?? -1)].sort()).toEqual([0, 1]);
    expect(reducedTo("t: i -> a; u: i -> a; v: i -> a", "i a")).toBe("1 like 0, 2 like 0 | r0: i -> a");
    expect(reducedTo("t: i -> a; u: i -> a", "i a", {}, { isExact: true })).toBe("1 like 0 | r0: i -> a");
  });

  it("[D13.8] what changes nothing goes, if something shows that it can fire", () => {
    const idle = (
      text: string,
      kept: string,
      options: Parameters<typeof net>[1] = {},
      more: ReduceOptions = {},
    ) => {
      const given = net(text, options);
      const reduction = reduced(given, kept, more);
      return { steps: stepsOf(given, reduction), idle: reduction.idle, inexact: reduction.inexact };
    };
    const before = idle("t: i -> a; u: a -> a; v: a -> o", "i a");
    expect(before.steps).toEqual(["idle 1 by 2"]);
    expect(before.idle).toEqual([{ run: 1, other: 2, isBefore: true, prefixLength: 0 }]);
    expect(before.inexact).toEqual([1]);
    const behind = idle("t: i -> a + b; u: a + b -> a + b; v: a -> o; w: b -> o", "i a b");
    expect(behind.steps).toEqual(["idle 1 by 0"]);
    expect(behind.idle).toEqual([{ run: 1, other: 0, isBefore: false, prefixLength: 0 }]);
    const start = idle("t: i -> i; v: i -> o", "i");
    expect(start.steps).toEqual(["idle 0 by null"]);
    expect(start.idle).toEqual([{ run: 0, other: null, isBefore: true, prefixLength: 0 }]);
    expect(idle("s: q -> i; t: i -> i; v: i -> o", "i", { initial: { q: 1 } }).idle).toEqual([
      { run: 1, other: null, isBefore: true, prefixLength: 1 },
    ]);
    expect(idle("t: i -> i; v: i -> o", "i", {}, { isExact: true }).steps).toEqual([]);
    expect(idle("t: -> ; v: i -> o", "i").steps).toEqual([]);
    expect(idle("t: a + b -> a + b; v: a -> o; w: b -> o", "a b").steps).toEqual([]);
    expect(idle("t: i + b -> i + b; v: i -> o", "i b").steps).toEqual([]);
    expect(idle("t: i -> i + b; v: i -> o", "i b").steps).toEqual([]);
    expect(idle("t: i + b -> i; v: i -> o", "i b").steps).toEqual([]);
  });

  it("[D13.9] a place whose agglomeration makes copies waits for the others", () => {
    expect(reducedTo("t: i -> q; u: q -> a; v: q -> b; w: a -> c", "i b c")).toMatch(/^post a, post q \|/);
    expect(reducedTo("u: q -> a; v: q -> b; t: i -> q", "i a b")).toMatch(/^post q \|/);
    // What is gone is no twin of what has no arcs.
    const isolated = reducedTo("t: i -> q; u: q -> a; v: q -> b", "i a b", { initial: { i: 1, z: 0 } });
    expect(isolated).toBe("post q | r0: i -> a; r3: i -> b");
  });

  it("[D13.9] what waits is taken in order, once, until nothing waits", () => {
    const list = workList(2);
    for (const item of [1, 3, 0, 3]) add(list, item);
    expect([take(list), take(list), take(list), take(list)]).toEqual([0, 1, 3, -1]);
    expect([list.items, list.head]).toEqual([[], 0]);
    add(list, 1);
    add(list, 1);
    expect([take(list), take(list)]).toEqual([1, -1]);
    expect(take(workList(0))).toBe(-1);
  });

  it("[D13.9] what a step makes possible is done", () => {
    expect(reducedTo("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o", "i")).toMatch(/\| r\d+: i -> o$/);
    expect(reducedTo("t: i -> a; u: i -> b; v: a -> c; w: b -> c; x: c -> o", "i")).toMatch(
      /\| r\d+: i -> o$/,
    );
    expect(reducedTo("t: i -> a; u: a -> b; v: b -> a; w: b -> o", "i")).toMatch(/\| r\d+: i -> o$/);
    const block = reduced(net("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o"));
    expect([block.net.transitions, block.net.initial]).toEqual([[], [1]]);
    expect(block.prefix.flatMap((part) => flatten(block.sequences, part)).toSorted()).toEqual([0, 1, 2, 3]);
    const listed = reduced(net("t: i -> q; u: q -> o", { finals: [{ o: 1 }, { q: 2 }] }));
    expect(listed.net.finals).toEqual({
      kind: "markings",
      markings: [
        [0, 1],
        [2, 0],
      ],
    });
  });
});

describe("sequences", () => {
  const sequences = sequencesOf(4);
  const pair = followedBy(sequences, 0, 1);
  const choice = either(sequences, 2, pair);
  const whole = followedBy(sequences, choice, followedBy(sequences, 3, pair));

  it("[D13.3] are written out in order, of two choices the first", () => {
    expect(flatten(sequences, 2)).toEqual([2]);
    expect(flatten(sequences, pair)).toEqual([0, 1]);
    expect(flatten(sequences, choice)).toEqual([2]);
    expect(flatten(sequences, whole)).toEqual([2, 3, 0, 1]);
    expect([0, pair, choice, whole].map((part) => lengthOf(sequences, part))).toEqual([1, 2, 2, 5]);
    expect(lengthOf(sequences, either(sequences, pair, 2))).toBe(2);
  });

  it("[D13.3] consist of all choices", () => {
    expect([...leaves(sequences, choice)].sort()).toEqual([0, 1, 2]);
    expect([...leaves(sequences, 3)]).toEqual([3]);
    expect([...markLeaves(sequences, [pair, 3])]).toEqual([1, 1, 0, 1]);
    expect([...markLeaves(sequences, [whole])]).toEqual([1, 1, 1, 1]);
    expect([...markLeaves(sequences, [])]).toEqual([0, 0, 0, 0]);
    expect(partsAbove(sequences, choice)).toEqual(
      new Map<number, number | null>([
        [choice, null],
        [2, choice],
        [pair, choice],
        [0, pair],
        [1, pair],
      ]),
    );
  });

  it("[T13.8] are written out up to a part, with the choices that it needs", () => {
    expect(flattenTo(sequences, whole, 3)).toEqual([2]);
    expect(flattenTo(sequences, whole, 2)).toEqual([]);
    expect(flattenTo(sequences, choice, 1)).toEqual([0]);
    expect(flattenTo(sequences, choice, pair)).toEqual([]);
    expect(flattenTo(sequences, pair, 3)).toBeNull();
    const later = followedBy(sequences, 3, choice);
    expect(flattenTo(sequences, later, 1)).toEqual([3, 0]);
    expect(flattenTo(sequences, later, 2)).toEqual([3]);
    expect(flattenTo(sequences, later, later)).toEqual([]);
  });
});
