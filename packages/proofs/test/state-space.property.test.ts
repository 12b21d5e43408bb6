import { type Net, NO_RULES, type NonLocalRules } from "@tessera/core";
import { arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reachableMarkings } from "../src/reachability.ts";
import {
  advance,
  canReach,
  markingAt,
  reverseEdges,
  sequenceTo,
  stateSpace,
  successors,
} from "../src/state-space.ts";
import { graphOf, successorsOf } from "./oracle.ts";

const STATES_MAX = 400;

/** `t` is refused while more than two tokens are about: a rule that no local condition expresses. */
const RULES: NonLocalRules = new Map([["few", (_net, M) => Array.from(M).reduce((a, b) => a + b, 0) <= 2]]);

type Explore = (net: Net, rules: NonLocalRules) => { keys: string[]; edges: number; depths: number[] };

const fast: Explore = (net, rules) => {
  const space = stateSpace(net, { rules });
  advance(space, STATES_MAX);
  const states = Array.from({ length: space.store.count }, (_, state) => state);
  return {
    keys: states.map((state) => markingAt(space, state).join()),
    edges: space.edgeCount,
    depths: states.map((state) => sequenceTo(space, state).length),
  };
};

/** Law: the packed search finds the markings, edges and distances that the plain search finds. */
function equalsPlainSearch(explore: Explore, nets: fc.Arbitrary<Net>, rules: NonLocalRules): void {
  fc.assert(
    fc.property(nets, (net) => {
      const plain = reachableMarkings(net, net.initial, STATES_MAX, rules);
      fc.pre(plain.complete);
      const { keys, edges, depths } = explore(net, rules);
      expect([...keys].sort()).toEqual(plain.markings.map((M) => M.join()).sort());
      if (rules !== NO_RULES) return;
      const graph = graphOf(net, net.initial, STATES_MAX)!;
      expect(edges).toBe([...graph.values()].flat().length);
      const distance = distances(net);
      expect(depths).toEqual(keys.map((key) => distance.get(`[${key}]`)));
    }),
  );
}

function distances(net: Net): Map<string, number> {
  const distance = new Map([[JSON.stringify(net.initial), 0]]);
  for (const [key, d] of distance) {
    for (const { next } of successorsOf(net, JSON.parse(key) as number[])) {
      const to = JSON.stringify(next);
      if (!distance.has(to)) distance.set(to, d + 1);
    }
  }
  return distance;
}

const everyKind = fc.oneof(
  arbitraryNet(),
  arbitraryNet({ weightMax: 3 }),
  arbitraryNet({ weightMax: 2, hasResets: true }),
  arbitraryNet({ weightMax: 2, hasResets: true, hasOptional: true }),
  arbitraryWorkflowNet(),
);
const withRule = everyKind.map(
  (net): Net => ({
    ...net,
    transitions: net.transitions.map((t, index) => (index % 3 === 0 ? { ...t, rule: "few" } : t)),
  }),
);

describe("the state space", () => {
  it("[D8.1] equals the plain search: markings, edges, shortest distances", () => {
    equalsPlainSearch(fast, everyKind, NO_RULES);
  });

  it("[D8.1] equals the plain search under a non-local rule", () => {
    equalsPlainSearch(fast, withRule, RULES);
  });

  it("[D8.1] the law refuses searches that lose a marking, forget resets or ignore a rule", () => {
    const lossy: Explore = (net, rules) => {
      const found = fast(net, rules);
      return { ...found, keys: found.keys.slice(0, Math.max(1, found.keys.length - 1)) };
    };
    const noResets: Explore = (net, rules) =>
      fast({ ...net, transitions: net.transitions.map((t) => ({ ...t, reset: [] })) }, rules);
    const noRules: Explore = (net) =>
      fast({ ...net, transitions: net.transitions.map(({ rule: _, ...t }) => t) }, NO_RULES);
    expect(() => equalsPlainSearch(lossy, everyKind, NO_RULES)).toThrow();
    expect(() => equalsPlainSearch(noResets, everyKind, NO_RULES)).toThrow();
    expect(() => equalsPlainSearch(noRules, withRule, RULES)).toThrow();
  });

  it("[D8.1] every sequence replays to its marking", () => {
    fc.assert(
      fc.property(everyKind, (net) => {
        const space = stateSpace(net);
        advance(space, 100);
        for (let state = 0; state < space.store.count; state += 1) {
          let M: number[] = [...net.initial];
          for (const t of sequenceTo(space, state))
            M = successorsOf(net, M).find((step) => step.t === t)!.next;
          expect(M).toEqual(markingAt(space, state));
        }
      }),
    );
  });

  it("[D8.1] a search interrupted by limits and taken up again gives the same space", () => {
    fc.assert(
      fc.property(everyKind, fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }), (net, cuts) => {
        const whole = stateSpace(net);
        const cut = stateSpace(net);
        if (advance(whole, STATES_MAX) !== "complete") return;
        let statesMax = 1;
        for (const more of cuts) {
          advance(cut, statesMax, more);
          statesMax += more;
        }
        expect(advance(cut, STATES_MAX)).toBe("complete");
        expect(cut.edgeCount).toBe(whole.edgeCount);
        expect(cut.edgeTarget.slice(0, cut.edgeCount)).toEqual(whole.edgeTarget.slice(0, whole.edgeCount));
        expect(cut.enabledAt).toEqual(whole.enabledAt);
      }),
    );
  });

  it("[D8.1] counts beyond a byte change nothing: multiplying all weights and tokens keeps the graph", () => {
    fc.assert(
      fc.property(arbitraryNet({ weightMax: 2 }), fc.constantFrom(3, 200, 70_000), (net, factor) => {
        const small = stateSpace(net);
        if (advance(small, 60) !== "complete") return;
        const scaled = stateSpace(scale(net, factor));
        expect(advance(scaled, STATES_MAX)).toBe("complete");
        expect(scaled.store.count).toBe(small.store.count);
        expect(scaled.edgeTarget.slice(0, scaled.edgeCount)).toEqual(
          small.edgeTarget.slice(0, small.edgeCount),
        );
        for (let state = 0; state < small.store.count; state += 1) {
          expect(markingAt(scaled, state)).toEqual(markingAt(small, state).map((tokens) => tokens * factor));
        }
      }),
    );
  });

  it("[D8.2] backward reachability agrees with forward search from each state", () => {
    fc.assert(
      fc.property(everyKind, fc.nat(), (net, seed) => {
        const space = stateSpace(net);
        if (advance(space, 60) !== "complete") return;
        const targets = Uint8Array.from(
          { length: space.store.count },
          (_, state) => ((seed >> (state % 30)) & 1) as 0 | 1,
        );
        const expected = Array.from(targets, (_, state) => {
          const reached = [...graphOf(net, markingAt(space, state), STATES_MAX)!.keys()];
          const isTarget = (key: string) =>
            Array.from(targets).some(
              (target, other) => target === 1 && `[${markingAt(space, other).join()}]` === key,
            );
          return reached.some(isTarget) ? 1 : 0;
        });
        expect([...canReach(reverseEdges(space), targets)]).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("[D8.1] a walk sees the successors that firing gives", () => {
    fc.assert(
      fc.property(everyKind, (net) => {
        const space = stateSpace(net);
        const next = successors(space, 0, STATES_MAX)!;
        const seen = Array.from(next, (state) => markingAt(space, state).join());
        expect(seen.sort()).toEqual(
          successorsOf(net, net.initial)
            .map(({ next: M }) => M.join())
            .sort(),
        );
      }),
    );
  });
});

function scale(net: Net, factor: number): Net {
  const side = (list: readonly (readonly [number, number])[]) =>
    list.map(([p, w]) => [p, w * factor] as const);
  return {
    ...net,
    initial: net.initial.map((tokens) => tokens * factor),
    transitions: net.transitions.map((t) => ({ ...t, pre: side(t.pre), post: side(t.post) })),
  };
}
