import type { Net } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementsOf } from "../../src/elements.ts";
import type { NetObligationId } from "../../src/index.ts";
import { DEFAULT_LIMITS, startBudget } from "../../src/limits.ts";
import type { Search } from "../../src/search.ts";
import { finish, searchNet } from "../../src/soundness.ts";
import { sequenceTo } from "../../src/state-space.ts";
import { stubbornAnswers } from "../../src/stubborn/prove.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, successorsOf } from "../oracle.ts";

const STATES = 300;
const RUNS = { numRuns: Number(process.env["TESSERA_DEEP"] === "1" ? 20_000 : 400) };
/** All are asked, for their graphs are looked at too. */
const IDS: readonly NetObligationId[] = ["O1", "O2", "O3", "O4", "deadlock", "bounded"];

const nets = fc.oneof(
  arbitraryNetOfClass("plain"),
  arbitraryNetOfClass("weighted"),
  arbitraryNet({ placesMax: 8, transitionsMax: 9 }),
  arbitraryWorkflowNet(),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

/** A run for each element by O3, in their order, after a search that was stopped; null where O3 does not hold. */
type Runs = (net: Net, found: Search) => readonly (readonly number[])[] | null;
const runsOf: Runs = (_, found) => {
  const budget = startBudget(DEFAULT_LIMITS, () => 0, null);
  const O3 = finish(stubbornAnswers(found, new Set(IDS), budget, 10 * STATES), {}).verdicts.get("O3");
  return O3?.kind === "holds" ? O3.evidence.runs! : null;
};

/** The search when `statesMax` markings are known. */
function stoppedAt(net: Net, statesMax: number): Search {
  const found = finish(searchNet(net, { limits: { statesMax } }), {});
  if (found === null) throw new Error("huge");
  return found;
}

/** For each transition how many firings are before it at least, by the graph of all markings. */
function distancesByHand(net: Net, all: NonNullable<ReturnType<typeof graphOf>>): number[] {
  const distances = net.transitions.map(() => Number.POSITIVE_INFINITY);
  const depths = new Map([[JSON.stringify(net.initial), 0]]);
  for (const [key, depth] of depths) {
    for (const { t, next } of all.get(key)!) {
      distances[t] = Math.min(distances[t]!, depth);
      if (!depths.has(next)) depths.set(next, depth + 1);
    }
  }
  return distances;
}

/**
 * Law: each run can be fired and ends in its element; no run to the element is shorter, and it is no longer than the
 * shortest to any transition of the element that the stopped search has seen enabled. Counts the elements with such.
 */
function isShort(implementation: Runs, net: Net, statesMax: number): number {
  const all = graphOf(net, net.initial, STATES);
  if (all === null) return 0;
  const found = stoppedAt(net, statesMax);
  const runs = implementation(net, found);
  if (runs === null) return 0;
  const distances = distancesByHand(net, all);
  let seenCount = 0;
  elementsOf(net).forEach(({ transitions }, index) => {
    const run = runs[index]!;
    let M: readonly number[] = net.initial;
    for (const fired of run) M = successorsOf(net, M).find(({ t }) => t === fired)!.next;
    expect(transitions).toContain(run.at(-1));
    const seen = transitions.filter((t) => found.space.enabledAt[t]! >= 0);
    if (seen.length > 0) seenCount += 1;
    expect(run.length).toBeGreaterThanOrEqual(Math.min(...transitions.map((t) => distances[t]! + 1)));
    expect(run.length).toBeLessThanOrEqual(Math.min(...seen.map((t) => distances[t]! + 1)));
  });
  return seenCount;
}

/** Transitions stand together for elements, `size` of them for each. */
function shared(net: Net, size: number): Net {
  const origin = (node: number) => ({ node, phase: "finish", consumed: [], chosen: [] }) as const;
  const transitions = net.transitions.map((t, index) => ({
    ...t,
    generated: true,
    origin: origin(Math.floor(index / size)),
  }));
  return { ...net, transitions };
}

describe("the runs that stubborn sets give for O3", () => {
  it("[D8.4] [D25.3] the run for an element is as short as any that was seen, and no run is shorter (oracle: distances by hand)", () => {
    const forSome = (implementation: Runs) => {
      let seenCount = 0;
      const property = fc.property(
        nets,
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 12 }),
        (net, size, max) => {
          seenCount += isShort(implementation, shared(net, size), max);
        },
      );
      fc.assert(property, RUNS);
      return seenCount;
    };
    expect(forSome(runsOf)).toBeGreaterThan(RUNS.numRuns / 4);
    // The run to the transition of each element that is farthest away.
    const longest: Runs = (net, found) =>
      runsOf(net, found)?.map((run, index) => {
        const seen = elementsOf(net)[index]!.transitions.filter((t) => found.space.enabledAt[t]! >= 0);
        const known = seen.map((t) => [...sequenceTo(found.space, found.space.enabledAt[t]!), t]);
        return known.reduce((most, one) => (one.length > most.length ? one : most), [...run]);
      }) ?? null;
    expect(() => forSome(longest)).toThrow();
    // Of two ways into the element the one that is listed first is the longer.
    const detour = shared(parse("late: b -> o; soon: i -> o; go: i -> a; on: a -> b"), 2);
    expect(runsOf(detour, stoppedAt(detour, 9))).toEqual([[1], [2]]);
    expect(longest(detour, stoppedAt(detour, 9))).toEqual([
      [2, 3, 0],
      [2, 3],
    ]);
    expect(isShort(runsOf, detour, 9)).toBe(2);
    expect(() => isShort(longest, detour, 9)).toThrow();
  });
});
