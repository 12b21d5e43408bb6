import { describe, expect, it } from "vitest";
import { enabling, fire, fireSequence, isEnabled, NO_RULES } from "../src/fire.ts";
import { InvariantViolation } from "../src/invariant.ts";
import type { Net } from "../src/net.ts";
import { netOf } from "./net-arbitrary.ts";

const arc = (place: number, weight = 1) => [place, weight] as const;
const plain = { pre: [], any: [], post: [], reset: [] };

describe("[D1.3] why a transition is not enabled", () => {
  const net = netOf(
    [1, 0, 5],
    [
      { ...plain, pre: [arc(0, 2), arc(1), arc(2, 5)] },
      { ...plain, pre: [arc(0)], any: [1] },
      { ...plain, any: [0, 1] },
      { ...plain, rule: "never" },
    ],
  );
  const rules = new Map([["never", () => false]]);

  it("[D1.3] names every place that lacks tokens, with how many it needs and has", () => {
    expect(enabling(net, net.initial, 0)).toEqual({
      kind: "not-enabled",
      lacking: [
        { place: 0, required: 2, present: 1 },
        { place: 1, required: 1, present: 0 },
      ],
    });
  });

  it("[D1.3] names the optional inputs when none of them is marked", () => {
    expect(enabling(net, net.initial, 1)).toEqual({ kind: "not-enabled-any", places: [1] });
    expect(enabling(net, net.initial, 2)).toBeNull();
  });

  it("[D1.3] names the rule that forbids it", () => {
    expect(enabling(net, net.initial, 3, rules)).toEqual({ kind: "not-permitted", rule: "never" });
    expect(isEnabled(net, net.initial, 3, rules)).toBe(false);
  });

  it("[D1.3] asks the rule with the net, the marking and the transition, and only when the tokens are there", () => {
    const asked: unknown[][] = [];
    const spy = new Map([["never", (...args: unknown[]) => asked.push(args) > 0]]);
    const guarded = netOf([1], [{ ...plain, pre: [arc(0)], rule: "never" }]);
    expect(enabling(guarded, [0], 0, spy)).toMatchObject({ kind: "not-enabled" });
    expect(asked).toEqual([]);
    expect(enabling(guarded, [1], 0, spy)).toBeNull();
    expect(asked).toEqual([[guarded, [1], 0]]);
  });

  it("[D1.3] a rule that nobody supplied and a transition that does not exist are bugs", () => {
    expect(() => enabling(net, net.initial, 3)).toThrow(InvariantViolation);
    expect(() => enabling(net, net.initial, 4)).toThrow(InvariantViolation);
    expect(() => enabling(net, net.initial, -1)).toThrow(InvariantViolation);
    expect(NO_RULES.size).toBe(0);
  });
});

describe("[D1.4] the steps of a firing", () => {
  it("[D1.4] takes the preset, then one token from each marked optional input, empties the resets, then produces", () => {
    const net = netOf(
      [3, 2, 0, 4],
      [{ pre: [arc(0, 2)], any: [1, 2], reset: [3, 0], post: [arc(0, 5), arc(3), arc(2, 2)] }],
    );
    expect(fire(net, net.initial, 0)).toEqual({ kind: "fired", marking: [5, 1, 2, 1] });
  });

  it("[D1.4] a self-loop needs its token and gives it back", () => {
    const net = netOf([1], [{ ...plain, pre: [arc(0)], post: [arc(0)] }]);
    expect(fire(net, [1], 0)).toEqual({ kind: "fired", marking: [1] });
    expect(fire(net, [0], 0)).toMatchObject({ kind: "not-enabled" });
  });
});

describe("[D1.5] replay", () => {
  const net: Net = netOf([1, 0], [{ ...plain, pre: [arc(0)], post: [arc(1)] }]);

  it("[D1.5] the empty sequence stays where it is", () => {
    expect(fireSequence(net, [1, 0], [])).toEqual({ kind: "fired", marking: [1, 0] });
  });

  it("[D1.5] says where it is stuck and why", () => {
    const why = { kind: "not-enabled", lacking: [{ place: 0, required: 1, present: 0 }] };
    expect(fireSequence(net, [1, 0], [0, 0])).toEqual({ kind: "stuck", at: 1, why });
  });
});
