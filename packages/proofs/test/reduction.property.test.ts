import type { Marking, Net } from "@tessera/core";
import { netClass } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replayReduction } from "../src/certificate/reduction.ts";
import { elementsOf } from "../src/elements.ts";
import { enumerateNets } from "../src/enumerate.ts";
import { liftRuns } from "../src/reduction/lift-runs.ts";
import { type Reduction, reduce } from "../src/reduction/reduce.ts";
import { flatten, leaves } from "../src/reduction/sequences.ts";
import type { ReductionStep } from "../src/reduction/step.ts";
import { graphOf, judge, successorsOf } from "./oracle.ts";

const STATES_MAX = 120;

const plainNets = fc.oneof(
  arbitraryNet().filter((net) => netClass(net) === "plain"),
  arbitraryWorkflowNet(),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

type Reduce = (net: Net) => Pick<Reduction, "net">;

/** Law: what holds in the reduced net holds in the original; O1 and O2 fail in both or in neither. */
function preservesObligations(implementation: Reduce, net: Net): void {
  const truth = judge(net, STATES_MAX);
  const small = judge(implementation(net).net, STATES_MAX);
  if (truth === null || small === null) return;
  for (const id of ["O1", "O2", "O3", "O4", "deadlock"] as const) {
    if (small[id]) expect({ id, holds: truth[id] }).toEqual({ id, holds: true });
  }
  expect({ O1: small.O1, O2: small.O2 }).toEqual({ O1: truth.O1, O2: truth.O2 });
}

/** Law: no step that makes no copies applies to the reduced net, but for idle transitions (oracle: the plain replay). */
function leavesNothing(implementation: Reduce, net: Net): void {
  if (isNested(net)) return;
  const { net: small } = implementation(net);
  const places = [...small.places.keys()];
  const numbers = [...small.transitions.keys()];
  const steps = places.flatMap((place): ReductionStep[] => {
    const consumers = small.transitions.filter(({ pre }) => pre.some(([p]) => p === place)).length;
    const twins = places.map((twin) => ({ kind: "twin-place", place, twin }) as const);
    return consumers > 1 ? twins : [{ kind: "post", place }, { kind: "pre", place }, ...twins];
  });
  for (const transition of numbers)
    for (const twin of numbers) steps.push({ kind: "twin-transition", transition, twin });
  for (const step of steps) expect([step, typeof replayReduction(small, [step])]).toEqual([step, "string"]);
}

/** A shortest run that ends in each transition, by the oracle; null if one is dead or there are too many markings. */
function runsToAll(net: Net): readonly (readonly number[])[] | null {
  const runs = new Map<number, readonly number[]>();
  const known = new Set([net.initial.join()]);
  const open = [{ M: net.initial as readonly number[], run: [] as readonly number[] }];
  for (const { M, run } of open) {
    for (const { t, next } of successorsOf(net, M)) {
      if (!runs.has(t)) runs.set(t, [...run, t]);
      if (known.has(next.join())) continue;
      known.add(next.join());
      if (known.size > STATES_MAX) return null;
      open.push({ M: next, run: [...run, t] });
    }
  }
  return runs.size < net.transitions.length ? null : net.transitions.map((_, t) => runs.get(t)!);
}

/** Law: where nothing is dead in the reduced net, a run is found to each transition. How many were taken away as idle. */
function givesRuns(lift: typeof liftRuns, net: Net): number {
  const reduction = reduce(net);
  const runs = runsToAll(reduction.net);
  if (runs === null) return 0;
  const lifted = lift(net, reduction, runs);
  expect(lifted?.map((run) => run.at(-1))).toEqual(elementsOf(net).map(({ transitions }) => transitions[0]));
  for (const run of lifted ?? []) expect([run, replayed(net, run)]).not.toEqual([run, null]);
  return reduction.idle.length;
}

function forAll(law: (implementation: Reduce, net: Net) => void, implementation: Reduce): void {
  fc.assert(
    fc.property(plainNets, (net) => law(implementation, net)),
    { numRuns: 300 },
  );
}

/** Fires a sequence by hand; null where it is not enabled. */
function replayed(net: Net, sequence: readonly number[]): readonly number[] | null {
  let M: readonly number[] | null = net.initial;
  for (const t of sequence) M = M && (successorsOf(net, M).find((step) => step.t === t)?.next ?? null);
  return M;
}

/** Does one final marking cover another? */
function isNested({ finals }: Net): boolean {
  if (finals.kind === "ends") return false;
  const covers = (F: Marking, G: Marking) => F.every((tokens, place) => tokens >= (G[place] ?? 0));
  const pairs = finals.markings.flatMap((F) => finals.markings.map((G) => [F, G] as const));
  return pairs.some(([F, G]) => covers(F, G) && !covers(G, F));
}

describe("reductions", () => {
  it("[T13.1] [T13.3] [L13.1] [D13.4] [D13.5] [D13.6] [D13.7] [D13.8] the reduced net tells the truth about random nets", () => {
    forAll(preservesObligations, reduce);
    forAll(preservesObligations, (net) => reduce(net, { isExact: true }));
  });

  it("[T13.1] the reduced net tells the truth about all nets up to 2 x 3 and a share of 3 x 3", () => {
    let count = 0;
    for (const net of enumerateNets({ placesMax: 3, transitionsMax: 3 })) {
      count += 1;
      if (net.places.length === 3 && net.transitions.length === 3 && count % 17 !== 0) continue;
      preservesObligations(reduce, net);
    }
    expect(count).toBe(48_909);
  }, 300_000);

  it("[T13.1] the law refuses rules without their side conditions", () => {
    const dropping =
      (drop: (net: Net) => Net): Reduce =>
      (net) => ({ net: drop(net) });
    const last = dropping((net) => ({ ...net, transitions: net.transitions.slice(0, -1) }));
    const unshared = dropping((net) => ({
      ...net,
      transitions: net.transitions.map((t) => ({ ...t, pre: t.pre.slice(0, 1) })),
    }));
    const once = dropping((net) => ({
      ...net,
      transitions: net.transitions.map((t) => ({ ...t, post: t.post.slice(0, 1) })),
    }));
    for (const broken of [last, unshared, once]) expect(() => forAll(preservesObligations, broken)).toThrow();
  });

  it("[D13.3] firing sequences of the reduced net, written out, fire in the original and end in the same marking", () => {
    fc.assert(
      fc.property(plainNets, fc.infiniteStream(fc.nat()), (net, choices) => {
        const { net: small, places, sequences, runs, prefix } = reduce(net);
        const lifted = prefix.flatMap((part) => flatten(sequences, part));
        let M: readonly number[] = small.initial;
        for (const choice of choices) {
          const next = successorsOf(small, M);
          if (next.length === 0 || lifted.length > 40) break;
          const step = next[choice % next.length]!;
          lifted.push(...flatten(sequences, runs[step.t]!));
          M = step.next;
        }
        const reached = replayed(net, lifted);
        expect(reached).not.toBeNull();
        expect(places.map((place) => reached![place])).toEqual(M);
      }),
      { numRuns: 300 },
    );
  });

  it("[T13.8] where nothing is dead in the reduced net a run is found to each transition, taken away as idle or not", () => {
    let idle = 0;
    const law = (net: Net) => {
      idle += givesRuns(liftRuns, net);
    };
    fc.assert(fc.property(plainNets, law), { numRuns: 300 });
    for (const net of enumerateNets({ placesMax: 3, transitionsMax: 2 })) law(net);
    expect(idle).toBeGreaterThan(100);
  }, 120_000);

  it("[T13.8] the law refuses runs to idle transitions from elsewhere", () => {
    const withIdle =
      (change: (idle: Reduction["idle"][number]) => Reduction["idle"][number]): typeof liftRuns =>
      (net, reduction, runs) =>
        liftRuns(net, { ...reduction, idle: reduction.idle.map(change) }, runs);
    const broken = [
      withIdle((idle) => ({ ...idle, isBefore: !idle.isBefore })),
      withIdle((idle) => ({ ...idle, other: null })),
      withIdle((idle) => ({ ...idle, prefixLength: 0 })),
    ];
    for (const lift of broken)
      expect(() => {
        for (const net of enumerateNets({ placesMax: 3, transitionsMax: 3 })) givesRuns(lift, net);
      }).toThrow();
  }, 120_000);

  it("[D13.9] the steps, replayed plainly, give the same net", () => {
    fc.assert(
      fc.property(plainNets, fc.boolean(), (net, isExact) => {
        const { net: small, steps, sequences, runs } = reduce(net, { isExact });
        const again = replayReduction(net, steps);
        // The pipeline reduces no such net, and the checker accepts no reduction of one.
        if (isNested(net)) {
          expect(again).toBe("a final marking covers another");
          return;
        }
        if (typeof again === "string") throw new Error(again);
        expect(again.net).toEqual(small);
        expect(again.carries.map((names) => [...new Set(names)].sort((a, b) => a - b))).toEqual(
          runs.map((run) => [...leaves(sequences, run)].sort((a, b) => a - b)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("[D13.9] nothing is left to do: no twin is left, nor a place to agglomerate without copies", () => {
    forAll(leavesNothing, reduce);
    expect(() => forAll(leavesNothing, (net) => ({ net }))).toThrow();
  });

  it("[T13.2] [D13.4] exact reductions say of every transition whether it is dead", () => {
    let dead = 0;
    fc.assert(
      fc.property(plainNets, (net) => {
        const graph = graphOf(net, net.initial, STATES_MAX);
        const { net: small, sequences, runs, prefix } = reduce(net, { isExact: true });
        const reduced = graphOf(small, small.initial, STATES_MAX);
        if (graph === null || reduced === null) return;
        const fired = (from: typeof graph) => new Set([...from.values()].flat().map(({ t }) => t));
        const firedSmall = fired(reduced);
        const alive = new Set([
          ...prefix.flatMap((part) => [...leaves(sequences, part)]),
          ...runs.flatMap((run, r) => (firedSmall.has(r) ? [...leaves(sequences, run)] : [])),
        ]);
        expect([...alive].sort()).toEqual([...fired(graph)].sort());
        dead += net.transitions.length - alive.size;
      }),
      { numRuns: 300 },
    );
    expect(dead).toBeGreaterThan(50);
  });

  it("[T13.3] [C20-80] block-structured nets reduce to a final marking and no transition, whatever the nesting", () => {
    fc.assert(
      fc.property(arbitraryWorkflowNet(4), (net) => {
        const { net: small } = reduce(net);
        expect(small.transitions).toEqual([]);
        expect(small.initial.reduce((sum, tokens) => sum + tokens, 0)).toBe(1);
      }),
    );
  });
});
