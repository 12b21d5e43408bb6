import type { Net, PlaceIndex, Transition } from "@tessera/core";
import { arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  askNet,
  type CommonerAnswer,
  commoner,
  enumerateNets,
  minimalSiphons,
  type SiphonAnswer,
  type SiphonKind,
} from "../../src/index.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, successorsOf } from "../oracle.ts";

const nets = fc.oneof(arbitraryNetOfClass("plain"), arbitraryNetOfClass("weighted"));

/** Presets are blocks of a partition of the places, postsets are any: plain free-choice nets, the empty preset among them. */
const freeChoiceNets: fc.Arbitrary<Net> = fc
  .record({
    block: fc.array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 6 }),
    drafts: fc.array(fc.record({ block: fc.nat({ max: 4 }), post: fc.nat({ max: 63 }) }), {
      minLength: 1,
      maxLength: 6,
    }),
    initial: fc.nat({ max: 63 }),
  })
  .map(({ block, drafts, initial }) => {
    const places = block.map((_, p) => p);
    const bits = (set: number) => places.filter((p) => ((set >> p) & 1) === 1);
    const side = (list: readonly number[]) => list.map((p) => [p, 1] as const);
    const transitions = drafts.map((draft, t): Transition => {
      const pre = side(places.filter((p) => block[p] === draft.block));
      return { id: `t${t}`, pre, any: [], post: side(bits(draft.post)), reset: [] };
    });
    return {
      places: places.map((p) => ({ id: `p${p}`, role: "control" })),
      transitions,
      initial: places.map((p) => (initial >> p) & 1),
      finals: { kind: "ends", ends: [] },
    };
  });

/** By hand, from sets as bits. */
const subsets = (net: Net): PlaceIndex[][] =>
  Array.from({ length: 2 ** net.places.length }, (_, bits) =>
    net.places.flatMap((_p, place) => (((bits >> place) & 1) === 1 ? [place] : [])),
  );
const isClosed = (net: Net, of: SiphonKind, set: readonly number[]) =>
  net.transitions.every(({ pre, post }) => {
    const [first, second] = of === "siphons" ? [post, pre] : [pre, post];
    return !first.some(([p]) => set.includes(p)) || second.some(([p]) => set.includes(p));
  });
const minimalByHand = (net: Net, of: SiphonKind) => {
  const all = subsets(net).filter((set) => set.length > 0 && isClosed(net, of, set));
  return all.filter((set) => !all.some((o) => o.length < set.length && o.every((p) => set.includes(p))));
};
const commonerByHand = (net: Net) => {
  const touched = net.transitions.flatMap(({ pre, post }) => [...pre, ...post].map(([p]) => p));
  const sets = subsets(net).filter((set) => set.length > 0 && set.every((p) => touched.includes(p)));
  const traps = sets.filter((set) => isClosed(net, "traps", set) && set.some((p) => net.initial[p]! > 0));
  return sets
    .filter((set) => isClosed(net, "siphons", set))
    .every((siphon) => traps.some((trap) => trap.every((p) => siphon.includes(p))));
};

/** Is each transition possible again from each reachable marking? Null: there are too many. */
function liveByHand(net: Net): boolean | null {
  const graph = graphOf(net, net.initial, 300);
  if (graph === null) return null;
  return net.transitions.every((_, t) => {
    const good = new Set([...graph].flatMap(([key, edges]) => (edges.some((e) => e.t === t) ? [key] : [])));
    for (let grew = true; grew; ) {
      grew = false;
      for (const [key, edges] of graph)
        if (!good.has(key) && edges.some(({ next }) => good.has(next))) {
          good.add(key);
          grew = true;
        }
    }
    return good.size === graph.size;
  });
}

type Find = (net: Net, of: SiphonKind) => SiphonAnswer;
const sorted = (sets: readonly (readonly number[])[]) => sets.map((set) => [...set].join()).sort();

/** Law: exactly the sets that an enumeration of all sets of places has. */
function areMinimal(find: Find): void {
  fc.assert(
    fc.property(nets, fc.constantFrom("siphons", "traps"), (net, of) => {
      const found = find(net, of);
      if (found.kind !== "all") throw new Error("limit");
      expect(sorted(found.argument.sets)).toEqual(sorted(minimalByHand(net, of)));
    }),
    { numRuns: 400 },
  );
}

type Condition = (net: Net) => boolean;
const meets: Condition = (net) => {
  const found = commoner(net);
  if (found.kind === "limit") throw new Error("limit");
  return found.kind === "holds";
};

/** Law (T24.7): in free-choice nets the condition is liveness, by all markings. */
function isLiveness(condition: Condition, given: Iterable<Net>): [live: number, not: number] {
  const counts: [number, number] = [0, 0];
  for (const net of given) {
    const live = liveByHand(net);
    if (live === null) continue;
    counts[live ? 0 : 1] += 1;
    expect({ net, live: condition(net) }).toEqual({ net, live });
  }
  return counts;
}

function* freeChoice(given: Iterable<Net>): Generator<Net> {
  for (const net of given) {
    const keys = net.transitions.map(({ pre }) => pre.map(([p]) => p));
    if (keys.every((a) => keys.every((b) => a.join() === b.join() || !a.some((p) => b.includes(p)))))
      yield net;
  }
}

/** Law (T24.6): where the condition is met, no marking enables nothing, of those that are looked at. */
function excludesDeadlocks(condition: Condition): number {
  let met = 0;
  fc.assert(
    fc.property(arbitraryNetOfClass("plain"), (net) => {
      if (net.transitions.length === 0 || !condition(net)) return;
      met += 1;
      const seen = new Set([JSON.stringify(net.initial)]);
      for (const key of seen) {
        const next = successorsOf(net, JSON.parse(key) as number[]);
        expect({ net, key, isDead: next.length === 0 }).toEqual({ net, key, isDead: false });
        if (seen.size < 200) for (const one of next) seen.add(JSON.stringify(one.next));
      }
    }),
    { numRuns: 600 },
  );
  return met;
}

describe("minimal siphons and traps", () => {
  it("[D24.9] [D24.10] [T24.5] are those of an enumeration of all sets of places", () => {
    areMinimal(minimalSiphons);
    const less: Find = (net, of) => {
      const found = minimalSiphons(net, of);
      if (found.kind !== "all") return found;
      return { ...found, argument: { ...found.argument, sets: found.argument.sets.slice(1) } };
    };
    const turned: Find = (net, of) => minimalSiphons(net, of === "traps" ? "siphons" : "traps");
    // Siphons that a search from each place finds, not made smaller.
    const greedy: Find = (net, of) => ({
      kind: "all",
      argument: { sets: subsets(net).filter((set) => set.length > 0 && isClosed(net, of, set)), steps: [] },
    });
    for (const broken of [less, turned, greedy]) expect(() => areMinimal(broken)).toThrow();
  });

  it("[D24.9] limits are named", () => {
    // Ten pairs between which a token goes: each choice of one of a pair is a way, and each pair a siphon.
    const pairs = Array.from({ length: 10 }, (_, k) => `t${k}: a${k} -> b${k}; u${k}: b${k} -> a${k}`).join(
      ";",
    );
    const many = parse(pairs, { initial: { a0: 1 }, ends: [] });
    expect(minimalSiphons(many, "siphons")).toMatchObject({
      kind: "all",
      argument: { sets: { length: 10 } },
    });
    expect(minimalSiphons(many, "traps", { setsMax: 9 })).toMatchObject({
      kind: "limit",
      limit: { kind: "method", reason: "more than 9 minimal sets" },
      sets: { length: 9 },
    });
    expect(minimalSiphons(many, "siphons", { stepsMax: 3 })).toMatchObject({
      limit: { kind: "method", reason: "more than 3 cases" },
    });
    expect(askNet(many, { kind: "minimal-siphons" }, { signal: { aborted: true } })).toEqual({
      kind: "unknown",
      limit: { kind: "aborted", at: 0 },
    });
    expect(commoner(many, { setsMax: 0 }).kind).toBe("limit");
    expect(askNet(parse("t: i -> o reset i"), { kind: "commoner" }).kind).toBe("unknown");
  });
});

describe("Commoner's condition", () => {
  it("[D24.11] is what an enumeration of all siphons and traps says", () => {
    const agrees = (find: (net: Net) => CommonerAnswer) =>
      fc.assert(
        fc.property(fc.oneof(nets, freeChoiceNets), (net) => {
          const found = find(net);
          expect({ net, kind: found.kind }).toEqual({ net, kind: commonerByHand(net) ? "holds" : "fails" });
          if (found.kind !== "fails") return;
          expect(isClosed(net, "siphons", found.siphon)).toBe(true);
        }),
        { numRuns: 500 },
      );
    agrees(commoner);
    const unmarked = (net: Net) => commoner({ ...net, initial: net.initial.map(() => 1) });
    expect(() => agrees(unmarked)).toThrow();
  });

  it("[T24.7] is liveness in free-choice nets, by all markings; all small nets and random ones", () => {
    const small = () => freeChoice(enumerateNets({ placesMax: 3, transitionsMax: 3 }));
    const [live, not] = isLiveness(meets, small());
    expect(live).toBeGreaterThan(50);
    expect(not).toBeGreaterThan(500);
    const random = () => fc.sample(freeChoiceNets, { numRuns: 1500, seed: 22 });
    const [liveToo] = isLiveness(meets, random());
    expect(liveToo).toBeGreaterThan(30);
    // Every siphon marked is not enough; and isolated places do not count.
    const marked: Condition = (net) =>
      minimalByHand(net, "siphons").every((s) => s.some((p) => net.initial[p]! > 0));
    const withIsolated: Condition = (net) =>
      minimalByHand(net, "siphons").every((siphon) =>
        subsets(net).some(
          (set) =>
            set.every((p) => siphon.includes(p)) &&
            isClosed(net, "traps", set) &&
            set.some((p) => net.initial[p]! > 0),
        ),
      );
    for (const broken of [marked, withIsolated])
      expect(() => {
        isLiveness(broken, small());
        isLiveness(broken, random());
      }).toThrow();
  });

  it("[T24.7] decides what has no bound", () => {
    const pump = parse("t: i -> i + a; u: a -> o");
    expect(askNet(pump, { kind: "live" }, { limits: { statesMax: 20 } })).toEqual({
      kind: "holds",
      shown: {
        kind: "siphon-traps",
        certificate: { kind: "siphon-traps", siphons: [[0]], traps: [[0]], steps: expect.any(Array) },
      },
    });
    const leak = parse("t: i -> i + a; u: a -> o; v: i -> b; w: b -> b");
    expect(askNet(leak, { kind: "live" }, { limits: { statesMax: 20 } })).toEqual({
      kind: "fails",
      shown: { kind: "bare-siphon", places: [0] },
    });
    // Not free-choice: the condition says nothing of liveness.
    const other = parse("t: i -> i + a; u: a + i -> i + o; v: i + o -> i");
    expect(askNet(other, { kind: "live" }, { limits: { statesMax: 20 } }).kind).toBe("unknown");
  });

  it("[T24.6] excludes deadlocks in plain nets, and the law refuses less", () => {
    expect(excludesDeadlocks(meets)).toBeGreaterThan(40);
    const marked: Condition = (net) =>
      minimalByHand(net, "siphons").every((s) => s.some((p) => net.initial[p]! > 0));
    expect(() => excludesDeadlocks(marked)).toThrow();
    const weighted = parse("t: 2a -> 2a", { initial: { a: 1 }, ends: [] });
    expect(meets(weighted)).toBe(true);
    expect(askNet(weighted, { kind: "deadlock-free" }).kind).toBe("fails");
  });
});
