/** @module The prover's rules of reduction one by one: their limits, what looks alike by accident, what is looked at again. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { draftOf, GONE, netOfDraft } from "../src/reduction/draft.ts";
import {
  agglomeratePost,
  agglomeratePre,
  reduceTransition,
  removeTwinPlace,
} from "../src/reduction/rules.ts";
import { followedBy, lengthOf, type Sequence, type Sequences } from "../src/reduction/sequences.ts";
import { add, type Work, workList } from "../src/reduction/work-list.ts";
import { net } from "./net-text.ts";

/** A reduction of which nothing is done, and in which nothing waits. */
function workOn(given: Net, isExact = false): Work {
  const places = workList(0);
  return {
    isExact,
    draft: draftOf(given),
    steps: [],
    places,
    transitions: workList(0),
    branching: workList(0),
    placeOf: new Map(),
    transitionOf: new Map(),
    onPlace: (place) => add(places, place),
  };
}

const at = (given: Net, id: string) => given.places.findIndex((place) => place.id === id);

/** What waits, by id and number, in any order. */
function waiting(given: Net, { places, transitions }: Work): string {
  const ids = places.items.map((place) => given.places[place]?.id ?? "?").sort();
  return `${ids.join(" ")} | ${[...transitions.items].sort((a, b) => a - b).join(" ")}`;
}

function textOf({ draft }: Work): string {
  const { places, transitions } = netOfDraft(draft).net;
  const side = (arcs: Net["transitions"][number]["pre"]) => arcs.map(([p]) => places[p]?.id).join(" + ");
  return transitions.map(({ id, pre, post }) => `${id}: ${side(pre)} -> ${side(post)}`).join("; ");
}

/** A sequence of so many firings. */
function sequenceOf(sequences: Sequences, length: number): Sequence {
  let found: Sequence | null = null;
  let power: Sequence = 0;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) found = found === null ? power : followedBy(sequences, found, power);
    power = followedBy(sequences, power, power);
  }
  expect(lengthOf(sequences, found!)).toBe(length);
  return found!;
}

describe("the limits of the rules", () => {
  const line = net("t: i + c -> q; u: q -> a; v: a + i -> o");

  it.each([
    [99_999, true],
    [100_000, false],
  ])(
    "[D13.4] [D13.5] a run of 100,000 firings is written out, a longer one is not made: after %d",
    (length, isDone) => {
      for (const transition of [0, 1]) {
        const post = workOn(line);
        post.draft.runs[transition] = sequenceOf(post.draft.sequences, length);
        expect(agglomeratePost(post, at(line, "q"))).toBe(isDone);
        expect(post.steps.length).toBe(isDone ? 1 : 0);
        const given = net("t: c -> q; u: q + i -> o");
        const pre = workOn(given);
        pre.draft.runs[transition] = sequenceOf(pre.draft.sequences, length);
        expect(agglomeratePre(pre, at(given, "q"))).toBe(isDone);
        expect(pre.steps.length).toBe(isDone ? 1 : 0);
      }
    },
  );

  it("[D13.4] no copies are made once the net has had twice as many transitions as at first", () => {
    const given = net("t: i -> q; u: q -> a; v: q -> o");
    const isDoneWith = (more: number, text = given) => {
      const work = workOn(text);
      for (let k = 0; k < more; k += 1) work.draft.runs.push(GONE);
      return agglomeratePost(work, at(text, "q"));
    };
    expect([isDoneWith(3), isDoneWith(4)]).toEqual([true, false]);
    // Where there is one consumer there are no copies.
    expect(isDoneWith(9, net("t: i -> q; u: q -> o"))).toBe(true);
  });

  it("[D13.9] what is left is plain", () => {
    expect(netOfDraft(draftOf(net("t: i -> o"))).net.transitions).toEqual([
      { id: "r0", pre: [[0, 1]], any: [], post: [[1, 1]], reset: [] },
    ]);
  });

  it("[D13.5] what would make too many copies says so", () => {
    const applies = (inputs: string) => {
      const given = net(`t: ${inputs} -> q; u: q + i -> a; v: q + i -> b; w: q + i -> o`);
      return agglomeratePre(workOn(given), at(given, "q"));
    };
    expect([applies("c"), applies("c + d"), applies("c + d + e")]).toEqual([true, true, false]);
  });

  it("[D13.4] what does not apply says so, and changes nothing", () => {
    const applies = (text: string, q: number, count = 0) => {
      const given = net(text, { initial: { i: 1, q } });
      const work = workOn(given);
      const before = textOf(work);
      for (let k = 0; k < count; k += 1) work.draft.runs.push(GONE);
      const isDone = agglomeratePost(work, at(given, "q"));
      expect(textOf(work) === before).toBe(!isDone);
      return isDone;
    };
    expect(applies("t: i -> q; u: q -> o", 0)).toBe(true);
    expect(applies("t: i -> q; u: i -> o", 0)).toBe(false);
    expect(applies("t: i -> o; u: q -> o", 0)).toBe(false);
    expect(applies("t: i -> o; u: q -> o", 16)).toBe(true);
    expect(applies("t: i -> o; u: q -> o", 17)).toBe(false);
    expect(applies("t: i -> q; u: q -> a; v: q -> b", 1)).toBe(false);
    expect(applies("s: i -> q; t: i + c -> q; v: i + d -> q; u: q -> a; x: q -> b; y: q -> o", 0)).toBe(
      false,
    );
    for (const consumer of ["q -> ", "q -> q", "q -> q + o", "q + c -> o", "q -> i"])
      expect(applies(`r: a -> b; s: b -> a; t: i -> q + i; u: ${consumer}`, 0), consumer).toBe(false);
  });

  it("[D13.5] not of a place in which the net starts, or that nothing empties or several fill", () => {
    const refused = (text: string, initial: Readonly<Record<string, number>> = { i: 1 }) => {
      const given = net(text, { initial });
      return agglomeratePre(workOn(given), at(given, "q"));
    };
    expect(refused("t: c -> q; u: q + i -> o")).toBe(true);
    expect(refused("t: c -> q; u: q + i -> o", { i: 1, q: 1 })).toBe(false);
    expect(refused("t: c -> q; u: i -> o")).toBe(false);
    expect(refused("t: c -> q; s: d -> q; u: q + i -> o")).toBe(false);
    expect(refused("t: c -> q + a; u: q + i -> o")).toBe(false);
    expect(refused("t: -> q; u: q + i -> o")).toBe(false);
    expect(refused("t: q -> q; u: q + i -> o")).toBe(false);
    expect(refused("t: c + q -> q; u: i -> o")).toBe(false);
    expect(refused("t: c -> q; s: c -> a; u: q + i -> o")).toBe(false);
    expect(refused("t: o -> q; u: q + i -> a")).toBe(false);
  });
});

describe("what looks alike by accident", () => {
  it("[D13.6] places with the same signature are compared", () => {
    const sameAs = (text: string, initial: Readonly<Record<string, number>> = { i: 1 }) => {
      const given = net(text, { initial });
      const work = workOn(given);
      const [a, b] = [at(given, "a"), at(given, "b")];
      removeTwinPlace(work, b);
      // As if b's signature had been that of a.
      const [sign] = [...work.placeOf.keys()];
      work.placeOf.clear();
      removeTwinPlace(work, a);
      const own = [...work.placeOf.keys()][0]!;
      work.placeOf.clear();
      work.placeOf.set(own, b);
      removeTwinPlace(work, a);
      return { isSame: sign === own, text: textOf(work), steps: work.steps };
    };
    expect(sameAs("t: i -> a + b; u: a + b -> o")).toEqual({
      isSame: true,
      text: "r0: i -> b; r1: b -> o",
      steps: [{ kind: "twin-place", place: 1, twin: 2 }],
    });
    for (const text of [
      "t: i -> a + b; s: i -> b; u: a + b -> o",
      "t: i -> a + b; u: a + b -> o; v: b -> o",
      "t: i -> a; s: i -> b; u: a + b -> o",
      "t: i -> a + b; u: a -> o; v: b -> o",
    ])
      expect(sameAs(text), text).toMatchObject({ isSame: false, steps: [] });
    expect(sameAs("t: i -> a + b; u: a + b -> o", { i: 1, a: 1 })).toMatchObject({
      isSame: false,
      steps: [],
    });
  });

  it("[D13.6] not with itself, nor with a place that is gone", () => {
    const given = net("t: i -> a + b; u: a + b -> o");
    const work = workOn(given);
    removeTwinPlace(work, 1);
    removeTwinPlace(work, 1);
    expect(work.steps).toEqual([]);
    removeTwinPlace(work, 2);
    expect(work.steps).toEqual([{ kind: "twin-place", place: 2, twin: 1 }]);
    // The one that stays is the one to be met next.
    expect([...work.placeOf.values()]).toEqual([1]);
    const gone = workOn(net("t: i -> a + b; u: a + b -> o"));
    removeTwinPlace(gone, 1);
    gone.draft.isGone[1] = 1;
    removeTwinPlace(gone, 2);
    expect(gone.steps).toEqual([]);
  });

  it("[D13.7] transitions with the same signature are compared, and not with what is gone", () => {
    const sameAs = (text: string, change: (work: Work) => void = () => {}) => {
      const given = net(text);
      const work = workOn(given, true);
      reduceTransition(work, 0);
      const [own] = [...work.transitionOf.keys()];
      work.transitionOf.clear();
      work.transitionOf.set(own!, 1);
      change(work);
      reduceTransition(work, 0);
      return work.steps;
    };
    const alone = workOn(net("t: i -> a; u: a -> o"), true);
    for (const t of [0, 0, 1, 1]) reduceTransition(alone, t);
    expect(alone.steps).toEqual([]);
    expect(sameAs("t: i -> a; u: i -> a")).toEqual([{ kind: "twin-transition", transition: 0, twin: 1 }]);
    for (const text of [
      "t: i -> a; u: i -> a + b",
      "t: i -> a; u: i + b -> a",
      "t: i -> a; u: i -> b",
      "t: i -> a; u: b -> a",
      "t: i + b -> a; u: i -> a",
      "t: i -> a + b; u: i -> a",
    ])
      expect(sameAs(text), text).toEqual([]);
    const lose = (transition: number) => (work: Work) => {
      work.draft.runs[transition] = GONE;
    };
    expect(sameAs("t: i -> a; u: i -> a", lose(0))).toEqual([]);
    expect(sameAs("t: i -> a; u: i -> a", lose(1))).toEqual([]);
  });
});

describe("what a step changed is looked at again", () => {
  it("[D13.4] the places around the consumers, the producers, and what they need alone", () => {
    const given = net("t: i -> q + x; s: c + i -> q; u: q -> a + b; v: a -> o");
    const work = workOn(given);
    expect(agglomeratePost(work, at(given, "q"))).toBe(true);
    expect(textOf(work)).toBe("r0: i -> x + a + b; r1: i + c -> a + b; r3: a -> o");
    // t needs i alone; s needs c as well, and c is not looked at.
    expect(waiting(given, work)).toBe("a b i q | 0 1");
  });

  it("[D13.4] copies and all places around them", () => {
    const given = net("t: i + c -> q + x; u: q -> a; v: q -> b");
    const work = workOn(given);
    expect(agglomeratePost(work, at(given, "q"))).toBe(true);
    expect(textOf(work)).toBe("r0: i + c -> x + a; r3: i + c -> x + b");
    expect(waiting(given, work)).toBe("a b c i q x | 0 3");
  });

  it("[D13.5] what the producer needed, the consumers, and what they fill alone", () => {
    const given = net("t: i + c -> q; u: q + d -> a; v: q + e -> b + x");
    const work = workOn(given);
    expect(agglomeratePre(work, at(given, "q"))).toBe(true);
    expect(textOf(work)).toBe("r1: i + c + d -> a; r2: i + c + e -> b + x");
    expect(waiting(given, work)).toBe("a c i q | 1 2");
    expect(work.draft.inexact).toEqual([0]);
    // Whatever the numbers of the consumers are.
    const late = net("r: x -> y; s: y -> x; w: x + y -> o; t: c -> q; u: q + d -> a; v: q + e -> b");
    const other = workOn(late);
    expect(agglomeratePre(other, at(late, "q"))).toBe(true);
    expect(waiting(late, other)).toBe("a b c q | 4 5");
  });

  it("[D13.6] the transitions around a place that went, and what has come to be alone on a side of them", () => {
    const given = net("t: i + c -> a + b; u: a + b -> x + y; v: a + b + i -> o");
    const work = workOn(given);
    removeTwinPlace(work, at(given, "b"));
    removeTwinPlace(work, at(given, "a"));
    expect(work.steps).toEqual([{ kind: "twin-place", place: at(given, "a"), twin: at(given, "b") }]);
    // t fills b alone, u needs it alone, v fills o alone.
    expect(waiting(given, work)).toBe("b o | 0 1 2");
  });

  it("[D13.7] [D13.8] the places around a transition that went", () => {
    const given = net("t: i -> a; u: i -> a; v: a + b -> a + b");
    const twins = workOn(given);
    reduceTransition(twins, 0);
    reduceTransition(twins, 1);
    expect(textOf(twins)).toBe("r0: i -> a; r2: a + b -> a + b");
    expect(waiting(given, twins)).toBe("a i | ");
    const idle = workOn({ ...given, initial: given.places.map(() => 1) });
    reduceTransition(idle, 2);
    expect(textOf(idle)).toBe("r0: i -> a; r1: i -> a");
    expect(waiting(given, idle)).toBe("a b | ");
  });
});
