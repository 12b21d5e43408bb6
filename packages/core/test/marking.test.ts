import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantViolation } from "../src/invariant.ts";
import { isFinal, markedPlaces, markingOf, sameMarking } from "../src/marking.ts";
import type { FinalMarkings, Net } from "../src/net.ts";

function netWith(ids: readonly string[], finals: FinalMarkings = { kind: "ends", ends: [] }): Net {
  return {
    places: ids.map((id) => ({ id, role: "control" })),
    transitions: [],
    initial: ids.map(() => 0),
    finals,
  };
}

describe("[D1.2] markings by name", () => {
  const net = netWith(["i", "p", "__proto__", "constructor", "7"]);

  it("[D1.2] puts the tokens on the named places and none elsewhere", () => {
    expect(markingOf(net, { p: 2, i: 0 })).toEqual([0, 2, 0, 0, 0]);
    expect(markingOf(net, {})).toEqual([0, 0, 0, 0, 0]);
  });

  it("[D1.2] an unknown place, a negative or a broken count is a bug of the caller", () => {
    expect(() => markingOf(net, { q: 1 })).toThrow(InvariantViolation);
    expect(() => markingOf(net, { p: -1 })).toThrow("D1.2");
    expect(() => markingOf(net, { p: 1.5 })).toThrow("D1.2");
    expect(markingOf(net, { p: 1 })[1]).toBe(1);
  });

  it("[D1.2] printing and reading back keeps every token, whatever the places are called", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 5, maxLength: 5 }), (marking) => {
        const printed = markedPlaces(net, marking);
        expect(markingOf(net, printed)).toEqual(marking);
        expect(markingOf(net, JSON.parse(JSON.stringify(printed)))).toEqual(marking);
        const marked = marking.filter((tokens) => tokens > 0).length;
        expect(Object.keys(printed)).toHaveLength(marked);
      }),
    );
  });

  it("[D1.2] prints marked places only", () => {
    expect(markedPlaces(net, [1, 0, 0, 3, 0])).toEqual({ i: 1, constructor: 3 });
    expect(markedPlaces(net, Int32Array.of(0, 2, 0, 0, 0))).toEqual({ p: 2 });
  });

  it("[D1.2] markings are equal place by place", () => {
    expect(sameMarking([1, 0], Int32Array.of(1, 0))).toBe(true);
    expect(sameMarking([], [])).toBe(true);
    expect(sameMarking([1, 0], [1, 1])).toBe(false);
    expect(sameMarking([0, 1], [1, 1])).toBe(false);
    expect(sameMarking([1], [1, 0])).toBe(false);
    expect(sameMarking([1, 0], [1])).toBe(false);
  });
});

describe("[D1.7] [C20-81] final markings", () => {
  const net = netWith(["p", "e", "f"], { kind: "ends", ends: [1, 2] });

  it("[D1.7] at least one end, one token each, nothing else", () => {
    expect(isFinal(net, [0, 1, 0])).toBe(true);
    expect(isFinal(net, [0, 0, 1])).toBe(true);
    expect(isFinal(net, [0, 1, 1])).toBe(true);
    expect(isFinal(net, Int32Array.of(0, 1, 1))).toBe(true);
    expect(isFinal(net, [0, 0, 0])).toBe(false);
    expect(isFinal(net, [0, 2, 0])).toBe(false);
    expect(isFinal(net, [0, 1, 2])).toBe(false);
    expect(isFinal(net, [1, 1, 0])).toBe(false);
    expect(isFinal(net, [1, 0, 0])).toBe(false);
  });

  it("[D1.7] a token left on a counter is a token left", () => {
    const counted: Net = { ...net, places: [{ id: "left", role: "counter" }, ...net.places.slice(1)] };
    expect(isFinal(counted, [1, 1, 0])).toBe(false);
    expect(isFinal(counted, [0, 1, 0])).toBe(true);
  });

  it("[D1.7] with a list: exactly one of the listed markings", () => {
    const listed = netWith(["p", "q"], {
      kind: "markings",
      markings: [
        [2, 0],
        [0, 0],
      ],
    });
    expect(isFinal(listed, [2, 0])).toBe(true);
    expect(isFinal(listed, [0, 0])).toBe(true);
    expect(isFinal(listed, [1, 0])).toBe(false);
    expect(isFinal(netWith(["p"], { kind: "markings", markings: [] }), [0])).toBe(false);
  });
});
