/** @module Generators of small nets with weights, resets, optional inputs and rules, and an arithmetic of firing as oracle. */
import fc from "fast-check";
import type { NonLocalRules } from "../src/fire.ts";
import type { Marking } from "../src/marking.ts";
import type { Net, Transition, WeightedPlace } from "../src/net.ts";

/** Rules that the generated transitions may carry: pure functions of the marking. */
export const RULES: NonLocalRules = new Map([
  ["even", (_net, marking) => Array.from(marking).reduce((sum, tokens) => sum + tokens, 0) % 2 === 0],
  ["first-free", (_net, marking) => (marking[0] ?? 0) === 0],
]);

function side(places: number): fc.Arbitrary<readonly WeightedPlace[]> {
  const place = fc.nat({ max: places - 1 });
  return fc.uniqueArray(fc.tuple(place, fc.integer({ min: 1, max: 3 })), {
    maxLength: 3,
    selector: ([index]) => index,
  });
}

const subset = (places: number, maxLength: number) =>
  fc.uniqueArray(fc.nat({ max: places - 1 }), { maxLength });

/** A transition over `places` places; with `isPlain` only ordinary arcs of weight 1. */
function transition(places: number, isPlain: boolean): fc.Arbitrary<Omit<Transition, "id">> {
  const none = fc.constant<readonly number[]>([]);
  const ruled = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom({ rule: "even" }, { rule: "first-free" }) },
  );
  return fc
    .record({
      pre: side(places),
      post: side(places),
      any: isPlain
        ? none
        : fc.oneof({ weight: 2, arbitrary: none }, { weight: 1, arbitrary: subset(places, 3) }),
      reset: isPlain
        ? none
        : fc.oneof({ weight: 2, arbitrary: none }, { weight: 1, arbitrary: subset(places, 3) }),
      rule: isPlain ? fc.constant({}) : ruled,
    })
    .map(({ pre, post, any, reset, rule }) => {
      const light = (arcs: readonly WeightedPlace[]) => arcs.map(([place]) => [place, 1] as const);
      const inputs = new Set(pre.map(([place]) => place));
      return {
        pre: isPlain ? light(pre) : pre,
        post: isPlain ? light(post) : post,
        any: any.filter((place) => !inputs.has(place)),
        reset,
        ...rule,
      };
    });
}

/** Nets of up to five places and six transitions. */
export function smallNet(isPlain = false): fc.Arbitrary<Net> {
  return fc.integer({ min: 1, max: 5 }).chain((places) =>
    fc
      .record({
        initial: fc.array(fc.nat({ max: 3 }), { minLength: places, maxLength: places }),
        transitions: fc.array(transition(places, isPlain), { maxLength: 6 }),
      })
      .map(({ initial, transitions }) => netOf(initial, transitions)),
  );
}

/** The net with places p0, p1, ... and transitions t0, t1, ... */
export function netOf(initial: Marking, transitions: readonly Omit<Transition, "id">[]): Net {
  return {
    places: initial.map((_, index) => ({ id: `p${index}`, role: "control" })),
    transitions: transitions.map((t, index) => ({ id: `t${index}`, ...t })),
    initial,
    finals: { kind: "ends", ends: [] },
  };
}

const weightOn = (arcs: readonly WeightedPlace[], place: number) =>
  arcs.reduce((sum, [index, weight]) => sum + (index === place ? weight : 0), 0);

/** The firing condition as arithmetic: M >= W-, some optional input marked if there are any, the rule agrees. */
export function oracleEnabled(net: Net, M: Marking, t: number): boolean {
  const { pre, any, rule } = net.transitions[t]!;
  const covered = M.every((tokens, place) => tokens - weightOn(pre, place) >= 0);
  const optional = any.length === 0 || any.map((place) => M[place]!).some((tokens) => tokens !== 0);
  return covered && optional && (rule === undefined || RULES.get(rule)!(net, M, t));
}

/** The state equation, place by place: M' = (M - W- - [optional and marked], or 0 if reset) + W+. */
export function oracleFire(net: Net, M: Marking, t: number): Marking {
  const { pre, any, reset, post } = net.transitions[t]!;
  return M.map((tokens, place) => {
    const optional = any.includes(place) && tokens > 0 ? 1 : 0;
    const rest = reset.includes(place) ? 0 : tokens - weightOn(pre, place) - optional;
    return rest + weightOn(post, place);
  });
}
