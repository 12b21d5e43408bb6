import { type Marking, makeNet, type Net, type Transition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type CoMarking, coMarking, fixedPoint } from "../src/index.ts";

/** A net over places a, b, c, ... from its initial marking. */
function net(initial: Marking, ...transitions: readonly Partial<Transition>[]): Net {
  return makeNet({
    places: initial.map((_, place) => ({ id: "abcdefgh"[place] as string, role: "control" })),
    transitions: transitions.map((t, at) => ({ id: `t${at}`, pre: [], any: [], post: [], reset: [], ...t })),
    initial,
    finals: { kind: "ends", ends: [] },
  });
}

/** What is marked, and which pairs, as text; a place twice where it can have two tokens. */
function shown({ places }: Net, { isMarkable, areCoMarked }: CoMarking): string {
  const all = [...places.keys()];
  const pairs = all.flatMap((p) =>
    all.filter((q) => p <= q && areCoMarked(p, q)).map((q) => `${places[p]?.id}${places[q]?.id}`),
  );
  for (const p of all) for (const q of all) expect(areCoMarked(p, q)).toBe(areCoMarked(q, p));
  return `${all
    .filter(isMarkable)
    .map((p) => places[p]?.id)
    .join("")}: ${pairs.join(" ")}`.trim();
}
const point = (of: Net) => shown(of, fixedPoint(of));

describe("[D16.1] co-marking on small nets", () => {
  it("[D16.1] what is marked at the beginning, two tokens of a place included", () => {
    expect(point(net([0, 1, 2, 1]))).toBe("bcd: bc bd cc cd");
    expect(point(net([0, 0]))).toBe(":");
  });

  it("[D16.1] outputs are together with each other and with what stays; inputs of one place exclude each other", () => {
    expect(
      point(
        net([1, 1, 0, 0], {
          pre: [[0, 1]],
          post: [
            [2, 1],
            [3, 1],
          ],
        }),
      ),
    ).toBe("abcd: ab bc bd cd");
    expect(point(net([1, 0, 0], { pre: [[0, 1]], post: [[1, 1]] }, { pre: [[0, 1]], post: [[2, 1]] }))).toBe(
      "abc:",
    );
  });

  it("[D16.1] a weight of two needs, and makes, two tokens", () => {
    expect(point(net([1, 0], { pre: [[0, 2]], post: [[1, 1]] }))).toBe("a:");
    expect(point(net([2, 0], { pre: [[0, 2]], post: [[1, 2]] }))).toBe("ab: aa ab bb");
    expect(point(net([1, 0], { pre: [[0, 1]], post: [[1, 2]] }))).toBe("ab: bb");
  });

  it("[D16.1] a place that is emptied is together with no output", () => {
    const fork = {
      pre: [[0, 1]],
      post: [
        [1, 1],
        [2, 1],
      ],
    } as const;
    expect(point(net([1, 0, 0, 0], fork, { pre: [[1, 1]], post: [[3, 1]] }))).toBe("abcd: bc cd");
    expect(point(net([1, 0, 0, 0], fork, { pre: [[1, 1]], post: [[3, 1]], reset: [2] }))).toBe("abcd: bc");
  });

  it("[D16.1] a transition whose inputs are never together does not fire", () => {
    const either = [
      { pre: [[0, 1]], post: [[1, 1]] },
      { pre: [[0, 1]], post: [[2, 1]] },
    ] as const;
    expect(
      point(
        net([1, 0, 0, 0], ...either, {
          pre: [
            [1, 1],
            [2, 1],
          ],
          post: [[3, 1]],
        }),
      ),
    ).toBe("abc:");
    expect(
      point(
        net(
          [1, 1, 0, 0],
          {
            pre: [
              [0, 1],
              [1, 1],
            ],
            post: [[2, 1]],
          },
          { pre: [[2, 1]], post: [[3, 1]] },
        ),
      ),
    ).toBe("abcd: ab");
  });

  it("[D16.1] one of the optional inputs is needed, with the others; a second token of one stays", () => {
    expect(point(net([0, 0, 0], { any: [0, 1], post: [[2, 1]] }))).toBe(":");
    expect(point(net([1, 0, 0], { any: [0, 1], post: [[2, 1]] }))).toBe("ac:");
    expect(point(net([1, 1, 0, 1], { any: [0, 1], post: [[2, 1]] }))).toBe("abcd: ab ad bd cd");
    expect(point(net([2, 0, 0], { any: [0, 1], post: [[2, 1]] }))).toBe("ac: aa ac cc");
    expect(point(net([1, 0, 0, 1], { pre: [[3, 1]], any: [0, 1], post: [[2, 1]] }))).toBe("acd: ad");
    expect(point(net([1, 0, 0, 0], { pre: [[3, 1]], any: [0, 1], post: [[2, 1]] }))).toBe("a:");
  });

  it("[D16.1] a transition without inputs marks its outputs with everything, as often as it likes", () => {
    expect(point(net([1, 0, 0], { post: [[1, 1]] }))).toBe("ab: ab bb");
    expect(point(net([1, 0, 0], { pre: [[0, 1]], post: [[2, 1]] }, { post: [[1, 1]] }))).toBe(
      "abc: ab bb bc",
    );
  });

  it("[D16.1] places beyond the first word of a row keep apart", () => {
    const initial = Array.from({ length: 70 }, (_, place) => (place === 1 || place === 33 ? 1 : 0));
    const places = initial.map((_, place) => ({ id: `p${place}`, role: "control" as const }));
    const move: Transition = { id: "t", pre: [[33, 1]], any: [], post: [[65, 1]], reset: [] };
    const wide = makeNet({ places, transitions: [move], initial, finals: { kind: "ends", ends: [] } });
    const { isMarkable, areCoMarked } = fixedPoint(wide);
    expect([...places.keys()].filter(isMarkable)).toEqual([1, 33, 65]);
    const pairs = places.flatMap((_, p) =>
      places.flatMap((_q, q) => (p < q && areCoMarked(p, q) ? [[p, q]] : [])),
    );
    expect(pairs).toEqual([
      [1, 33],
      [1, 65],
    ]);
  });

  it("[D16.2] from markings: exactly what they have, the initial one counting only if it is among them", () => {
    const of = net([1, 1, 0, 0]);
    const seen = coMarking(of, () => [
      [0, 0, 2, 0],
      [0, 1, 1, 0],
    ]);
    expect(seen.method).toBe("state space");
    expect(shown(of, seen)).toBe("bc: bc cc");
    const without = coMarking(of);
    expect(without.method).toBe("fixed point");
    expect(shown(of, without)).toBe("ab: ab");
    expect(coMarking(of, () => null).method).toBe("fixed point");
  });
});
