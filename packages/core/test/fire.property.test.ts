import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  enabledTransitions,
  enabling,
  fire,
  fireSequence,
  isEnabled,
  type NonLocalRules,
  type NotEnabled,
} from "../src/fire.ts";
import type { Marking } from "../src/marking.ts";
import type { Net } from "../src/net.ts";
import { netOf, oracleEnabled, oracleFire, RULES, smallNet } from "./net-arbitrary.ts";

type Enabling = (net: Net, M: Marking, t: number, rules: NonLocalRules) => NotEnabled | null;
type Fire = (net: Net, M: Marking, t: number, rules: NonLocalRules) => ReturnType<typeof fire>;

/** Law: `enabling` answers null exactly where the arithmetic condition holds. Generated: small nets, their initial marking. */
function enablingLaw(implementation: Enabling): void {
  fc.assert(
    fc.property(smallNet(), (net) => {
      for (const t of net.transitions.keys()) {
        const expected = oracleEnabled(net, net.initial, t);
        expect(implementation(net, net.initial, t, RULES) === null).toBe(expected);
      }
    }),
    { numRuns: 500 },
  );
}

/** Law: an enabled transition fires to the marking of the state equation; M is unchanged; else the refusal is the same. */
function firingLaw(implementation: Fire): void {
  fc.assert(
    fc.property(smallNet(), (generated) => {
      // A copy, so that an implementation that changes its argument does not confuse the shrinker.
      const net = structuredClone(generated);
      const before = generated.initial;
      for (const t of net.transitions.keys()) {
        const result = implementation(net, net.initial, t, RULES);
        if (oracleEnabled(net, net.initial, t)) {
          expect(result).toEqual({ kind: "fired", marking: oracleFire(net, net.initial, t) });
        } else {
          expect(result).toEqual(enabling(net, net.initial, t, RULES));
        }
        expect(net.initial).toEqual(before);
      }
    }),
    { numRuns: 500 },
  );
}

/** Fires with one step of the rule done differently. */
function brokenFire(change: {
  readonly noReset?: boolean;
  readonly resetLast?: boolean;
  readonly oneOptional?: boolean;
  readonly unitWeights?: boolean;
  readonly inPlace?: boolean;
}): Fire {
  return (net, M, t, rules) => {
    const refusal = enabling(net, M, t, rules);
    if (refusal !== null) return refusal;
    const { pre, any, reset, post } = net.transitions[t]!;
    const next = change.inPlace === true ? (M as number[]) : [...M];
    for (const [place, weight] of pre) next[place]! -= change.unitWeights === true ? 1 : weight;
    const marked = any.filter((place) => M[place]! > 0);
    for (const place of change.oneOptional === true ? marked.slice(0, 1) : marked) next[place]! -= 1;
    if (change.resetLast !== true && change.noReset !== true) for (const place of reset) next[place] = 0;
    for (const [place, weight] of post) next[place]! += weight;
    if (change.resetLast === true) for (const place of reset) next[place] = 0;
    return { kind: "fired", marking: next };
  };
}

describe("[D1.3] enabled", () => {
  it("[D1.3] agrees with the arithmetic condition on random nets", () => enablingLaw(enabling));

  it("[D1.3] the law catches an enabling that ignores weights, optional inputs or rules", () => {
    const ignoring = (member: "weights" | "any" | "rule"): Enabling => {
      return (net, M, t, rules) => {
        const { pre, any, rule, ...rest } = net.transitions[t]!;
        const changed = {
          ...rest,
          pre: member === "weights" ? pre.map(([place]) => [place, 1] as const) : pre,
          any: member === "any" ? [] : any,
          ...(rule === undefined || member === "rule" ? {} : { rule }),
        };
        const transitions = net.transitions.map((other, index) => (index === t ? changed : other));
        return enabling({ ...net, transitions }, M, t, rules);
      };
    };
    for (const member of ["weights", "any", "rule"] as const) {
      expect(() => enablingLaw(ignoring(member))).toThrow();
    }
  });

  it("[D1.3] isEnabled and enabledTransitions are the same question asked of one and of all", () => {
    fc.assert(
      fc.property(smallNet(), (net) => {
        const expected = [...net.transitions.keys()].filter((t) => oracleEnabled(net, net.initial, t));
        expect(enabledTransitions(net, net.initial, RULES)).toEqual(expected);
        for (const t of net.transitions.keys()) {
          expect(isEnabled(net, net.initial, t, RULES)).toBe(expected.includes(t));
        }
      }),
    );
  });
});

describe("[D1.4] fire", () => {
  it("[D1.4] fires to the marking of the state equation on random nets", () => firingLaw(fire));

  it("[D1.4] the law catches a step left out, done last, done once, done without weights, done in place", () => {
    const changes = ["noReset", "resetLast", "oneOptional", "unitWeights", "inPlace"] as const;
    for (const change of changes) expect(() => firingLaw(brokenFire({ [change]: true }))).toThrow();
  });

  it("[D1.4] agrees on every net of two places and one transition with weights up to 2, every reset and optional input", () => {
    const amounts = [0, 1, 2];
    const pairs = amounts.flatMap((a) => amounts.map((b) => [a, b] as const));
    const subsets = [[], [0], [1], [0, 1]];
    const arcs = (pair: readonly [number, number]) =>
      pair.flatMap((weight, place) => (weight === 0 ? [] : [[place, weight] as const]));
    let count = 0;
    for (const before of pairs)
      for (const pre of pairs)
        for (const post of pairs)
          for (const any of subsets)
            for (const reset of subsets) {
              if (any.some((place) => pre[place]! > 0)) continue;
              const net = netOf(before, [{ pre: arcs(pre), post: arcs(post), any, reset }]);
              const result = fire(net, before, 0);
              count += 1;
              if (!oracleEnabled(net, before, 0)) expect(result.kind).not.toBe("fired");
              else expect(result).toEqual({ kind: "fired", marking: oracleFire(net, before, 0) });
            }
    expect(count).toBe(9 * 9 * 4 * (4 + 4 * 2 + 4 * 1));
  });

  it("[D1.4] permuting the arcs of a transition changes nothing", () => {
    fc.assert(
      fc.property(smallNet(), (net) => {
        const reversed = net.transitions.map((t) => ({
          ...t,
          pre: [...t.pre].reverse(),
          any: [...t.any].reverse(),
          reset: [...t.reset].reverse(),
          post: [...t.post].reverse(),
        }));
        for (const t of net.transitions.keys()) {
          const plain = fire(net, net.initial, t, RULES);
          const permuted = fire({ ...net, transitions: reversed }, net.initial, t, RULES);
          expect(permuted.kind).toBe(plain.kind);
          if (plain.kind === "fired") expect(permuted).toEqual(plain);
        }
      }),
    );
  });
});

describe("[D1.5] firing sequences", () => {
  it("[D1.5] replay is firing one by one, and stops at the first transition that is not enabled", () => {
    fc.assert(
      fc.property(smallNet(), fc.array(fc.nat({ max: 5 }), { maxLength: 8 }), (net, numbers) => {
        const count = net.transitions.length;
        const sigma = count === 0 ? [] : numbers.map((number) => number % count);
        const result = fireSequence(net, net.initial, sigma, RULES);
        let marking = net.initial;
        for (const [at, t] of sigma.entries()) {
          if (!oracleEnabled(net, marking, t)) {
            expect(result).toEqual({ kind: "stuck", at, why: enabling(net, marking, t, RULES) });
            return;
          }
          marking = oracleFire(net, marking, t);
        }
        expect(result).toEqual({ kind: "fired", marking });
      }),
      { numRuns: 500 },
    );
  });

  it("[L1.1] [D1.5] without resets and optional inputs the end depends only on how often each transition fired", () => {
    fc.assert(
      fc.property(smallNet(true), fc.array(fc.nat({ max: 5 }), { maxLength: 10 }), (net, numbers) => {
        let marking = net.initial;
        const parikh = net.transitions.map(() => 0);
        for (const number of numbers) {
          const enabled = enabledTransitions(net, marking);
          const t = enabled[number % Math.max(1, enabled.length)];
          if (t === undefined) break;
          const result = fire(net, marking, t);
          if (result.kind !== "fired") throw new Error("an enabled transition did not fire");
          marking = result.marking;
          parikh[t]! += 1;
        }
        const sum = net.initial.map((tokens, place) =>
          net.transitions.reduce((total, t, index) => {
            const produced = t.post.filter(([p]) => p === place).length;
            const consumed = t.pre.filter(([p]) => p === place).length;
            return total + parikh[index]! * (produced - consumed);
          }, tokens),
        );
        expect(marking).toEqual(sum);
      }),
    );
  });
});
