import type { Net } from "@tessera/core";
import { arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Exploration,
  exploration,
  explorationBytes,
  explore,
  exploredMarking,
  exploredRun,
} from "../../src/explicit/exploration.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, successorsOf } from "../oracle.ts";

const STATES_MAX = 400;

const nets = fc.oneof(arbitraryNet(), arbitraryNet({ weightMax: 3 }), arbitraryWorkflowNet());

interface Facts {
  readonly keys: readonly string[];
  readonly edges: number;
  readonly dead: number;
  readonly enabled: readonly number[];
  readonly bound: readonly number[];
}

type Explore = (net: Net) => Facts;

const packed: Explore = (net) => {
  const found = exploration(net);
  expect(explore(found, STATES_MAX)).toBe("complete");
  return factsOf(found);
};

function factsOf(found: Exploration): Facts {
  const states = Array.from({ length: found.set.count }, (_, state) => state);
  return {
    keys: states.map((state) => JSON.stringify(exploredMarking(found, state))).sort(),
    edges: found.edges,
    dead: found.dead,
    enabled: [...found.isEnabled],
    bound: [...found.bound],
  };
}

/** What an enumeration by hand finds; null if it is too large. */
function byHand(net: Net): Facts | null {
  const graph = graphOf(net, net.initial, STATES_MAX);
  if (graph === null) return null;
  const edges = [...graph.values()].flat();
  const markings = [...graph.keys()].map((key) => JSON.parse(key) as number[]);
  return {
    keys: [...graph.keys()].sort(),
    edges: edges.length,
    dead: [...graph.values()].filter((list) => list.length === 0).length,
    enabled: net.transitions.map((_, t) => (edges.some((edge) => edge.t === t) ? 1 : 0)),
    bound: net.places.map((_, p) => Math.max(...markings.map((M) => M[p]!))),
  };
}

/** Law: the exploration finds the markings, firings, dead markings, live transitions and bounds of the definition. */
function findsAll(implementation: Explore, numRuns = 300): void {
  let seen = 0;
  fc.assert(
    fc.property(nets, (net) => {
      const truth = byHand(net);
      if (truth === null) return;
      seen += 1;
      expect(implementation(net)).toEqual(truth);
    }),
    { numRuns },
  );
  expect(seen).toBeGreaterThan(numRuns / 4);
}

function times(net: Net, factor: number): Net {
  const side = (list: readonly (readonly [number, number])[]) =>
    list.map(([p, w]) => [p, w * factor] as const);
  return {
    ...net,
    initial: net.initial.map((tokens) => tokens * factor),
    transitions: net.transitions.map((t) => ({ ...t, pre: side(t.pre), post: side(t.post) })),
  };
}

describe("the exploration", () => {
  it("[D8.1] equals an enumeration by hand", () => {
    findsAll(packed);
  });

  it("[D8.1] the law refuses explorations that lose a marking, a bound or an edge", () => {
    const broken: readonly Explore[] = [
      (net) => ({ ...packed(net), keys: packed(net).keys.slice(1) }),
      (net) => ({ ...packed(net), bound: packed(net).bound.map(() => 1) }),
      (net) => ({ ...packed(net), edges: packed(net).keys.length - 1 }),
    ];
    for (const implementation of broken) expect(() => findsAll(implementation)).toThrow();
  });

  it("[D8.1] counts that need wider fields, up to a whole word, change nothing", () => {
    fc.assert(
      fc.property(
        arbitraryNet({ weightMax: 2 }),
        fc.constantFrom(3, 200, 70_000, 100_000_000),
        (net, factor) => {
          const truth = byHand(net);
          if (truth === null) return;
          const found = packed(times(net, factor));
          expect(found.bound).toEqual(truth.bound.map((tokens) => tokens * factor));
          expect([found.keys.length, found.edges, found.dead]).toEqual([
            truth.keys.length,
            truth.edges,
            truth.dead,
          ]);
        },
      ),
    );
  });

  it("[D8.1] limits interrupt it and greater ones take it up again", () => {
    fc.assert(
      fc.property(nets, fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }), (net, cuts) => {
        const truth = byHand(net);
        if (truth === null) return;
        const found = exploration(net);
        let statesMax = 1;
        for (const more of cuts) {
          const status = explore(found, statesMax, more);
          expect(found.set.count).toBeLessThanOrEqual(statesMax);
          if (status === "complete") expect(found.set.count).toBe(truth.keys.length);
          statesMax += more;
        }
        expect(explore(found, STATES_MAX)).toBe("complete");
        expect(factsOf(found)).toEqual(truth);
      }),
    );
  });

  it("[D8.1] a run to each state fires, ends there, and none is shorter", () => {
    fc.assert(
      fc.property(nets, (net) => {
        if (byHand(net) === null) return;
        const found = exploration(net, { hasRuns: true });
        explore(found, STATES_MAX);
        const distance = new Map([[JSON.stringify(net.initial), 0]]);
        for (const [key, steps] of distance)
          for (const { next } of successorsOf(net, JSON.parse(key) as number[]))
            if (!distance.has(JSON.stringify(next))) distance.set(JSON.stringify(next), steps + 1);
        for (let state = 0; state < found.set.count; state += 1) {
          let M: number[] = [...net.initial];
          const run = exploredRun(found, state);
          for (const t of run) M = successorsOf(net, M).find((step) => step.t === t)!.next;
          expect(M).toEqual(exploredMarking(found, state));
          expect(run.length).toBe(distance.get(JSON.stringify(M)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("[D8.1] thousands of states: the table grows, the rows grow, nothing is found twice", () => {
    // Twelve independent switches and a counter to seven: 4,096 times 8 markings.
    const switches = Array.from({ length: 12 }, (_, n) => `on${n}: a${n} -> b${n}; off${n}: b${n} -> a${n}`);
    const initial = Object.fromEntries(switches.map((_, n) => [`a${n}`, 1]));
    const net = parse([...switches, "up: x -> y", "down: y -> x"].join("; "), {
      initial: { ...initial, x: 7 },
      ends: ["b0"],
    });
    const found = exploration(net);
    expect(explore(found, 100_000)).toBe("complete");
    expect(found.set.count).toBe(4096 * 8);
    expect(found.edges).toBe(4096 * 8 * 12 + 4096 * 7 * 2);
    expect(explorationBytes(found)).toBeLessThan(40 * found.set.count);
    expect(new Set(factsOf(found).keys).size).toBe(found.set.count);
  });

  it("[D8.1] each call expands as many states as it may, and stops at the state for which there is no room", () => {
    const line = exploration(parse("t: i -> a; u: a -> b; v: b -> o"));
    for (const expanded of [1, 2, 3]) {
      expect(explore(line, 100, 1)).toBe("paused");
      expect([line.expanded, line.set.count]).toEqual([expanded, expanded + 1]);
    }
    expect(explore(line, 100, 1)).toBe("complete");
    expect(explore(line, 100, 0)).toBe("complete");
    // Without a preset a transition can always fire.
    for (const text of ["t: -> a", "t: i -> i + a", "t: -> a; u: i -> o"]) {
      const endless = exploration(parse(text));
      for (const statesMax of [1, 2, 5, 5, 9]) {
        expect(explore(endless, statesMax)).toBe("states");
        expect(endless.set.count).toBe(statesMax);
      }
    }
  });

  it("[D8.1] the bytes are those of rows and slots, and of who found whom", () => {
    const net = parse("t: i -> o");
    const [bare, withRuns] = [exploration(net), exploration(net, { hasRuns: true })];
    expect(explorationBytes(bare)).toBe(bare.set.words.byteLength + bare.set.slots.byteLength);
    expect(explorationBytes(withRuns)).toBe(explorationBytes(bare) + withRuns.parents!.bits.byteLength);
  });

  it("[D8.1] a count beyond 2^31 - 1 is reported, not stored", () => {
    const net = parse("t: i -> 2i", { initial: { i: 2 ** 31 - 3 } });
    const found = exploration(net);
    expect(explore(found, 100)).toBe("tokens");
    expect(found.set.count).toBe(3);
    expect(found.bound[0]).toBe(2 ** 31 - 1);
    expect(explore(found, 100)).toBe("tokens");
  });

  it("[D8.1] the first dead marking is kept; nets with resets are refused", () => {
    const found = exploration(parse("t: i -> a; u: i -> b; v: b -> c"), { hasRuns: true });
    explore(found, 100);
    expect([found.dead, exploredRun(found, found.firstDead)]).toEqual([2, [0]]);
    const live = exploration(parse("t: i -> a; u: a -> i"));
    explore(live, 100);
    expect([live.dead, live.firstDead]).toEqual([0, -1]);
    expect(() => exploration(parse("t: i -> a reset b; u: b -> a"))).toThrow(/D8.1/);
    expect(() => exploredRun(live, 1)).toThrow(/D8.1/);
  });
});
