import { fire, isEnabled, type Marking, makeNet, type Net } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { complement } from "../src/complement.ts";
import { type Budget, placeBound } from "../src/place-bound.ts";

/** A net, and what stands beside its arcs. */
interface Restricted {
  readonly net: Net;
  readonly capacities: ReadonlyMap<number, number>;
  readonly inhibitions: readonly {
    readonly place: number;
    readonly transition: number;
    readonly weight: number;
  }[];
}

const PLACES = 3;
const TRANSITIONS = 3;
const STATES_MAX = 400;

const side = fc.uniqueArray(fc.tuple(fc.nat(PLACES - 1), fc.integer({ min: 1, max: 2 })), {
  selector: ([place]) => place,
  maxLength: 2,
});

const restricted: fc.Arbitrary<Restricted> = fc
  .record({
    initial: fc.array(fc.nat(2), { minLength: PLACES, maxLength: PLACES }),
    sides: fc.array(
      fc.record({ pre: side, post: side, reset: fc.uniqueArray(fc.nat(PLACES - 1), { maxLength: 1 }) }),
      {
        minLength: TRANSITIONS,
        maxLength: TRANSITIONS,
      },
    ),
    capacity: fc.array(fc.option(fc.nat(2)), { minLength: PLACES, maxLength: PLACES }),
    inhibitions: fc.array(
      fc.record({
        place: fc.nat(PLACES - 1),
        transition: fc.nat(TRANSITIONS - 1),
        weight: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ initial, sides, capacity, inhibitions }) => ({
    net: makeNet({
      places: initial.map((_, p) => ({ id: `p${p}`, role: "control" })),
      transitions: sides.map((own, t) => ({ id: `t${t}`, any: [], ...own })),
      initial,
      finals: { kind: "markings", markings: [initial] },
    }),
    capacities: new Map(
      capacity.flatMap((extra, p): [number, number][] =>
        extra === null ? [] : [[p, (initial[p] ?? 0) + extra]],
      ),
    ),
    inhibitions,
  }));

/** The markings reachable under `isAllowed`, at most STATES_MAX; null if there are more. */
function reachable(
  net: Net,
  isAllowed: (marking: Marking, t: number, next: Marking) => boolean,
): ReadonlySet<string> | null {
  const seen = new Map([[String(net.initial), net.initial]]);
  for (const marking of seen.values()) {
    if (seen.size > STATES_MAX) return null;
    for (let t = 0; t < net.transitions.length; t += 1) {
      const fired = fire(net, marking, t);
      if (fired.kind === "fired" && isAllowed(marking, t, fired.marking))
        seen.set(String(fired.marking), fired.marking);
    }
  }
  return new Set(seen.keys());
}

/** The rule as the file means it: fewer tokens than the weight before, no more than the capacity after. */
function literally({
  capacities,
  inhibitions,
}: Restricted): (marking: Marking, t: number, next: Marking) => boolean {
  return (marking, t, next) =>
    inhibitions.every(
      ({ place, transition, weight }) => transition !== t || (marking[place] ?? 0) < weight,
    ) && [...capacities].every(([place, tokens]) => (next[place] ?? 0) <= tokens);
}

/** Law: the complemented net has the same markings on the file's places. Oracle: the rule taken literally. */
function sameMarkings(make: typeof complement): void {
  let compared = 0;
  fc.assert(
    fc.property(restricted, (given) => {
      const bounds = new Map(given.capacities);
      const limited = make(given.net, bounds, []);
      const budget: Budget = { left: 100_000 };
      for (const { place } of given.inhibitions) {
        const bound = bounds.get(place) ?? placeBound(limited, place, budget);
        if (bound === null) return;
        bounds.set(place, bound);
      }
      const expected = reachable(given.net, literally(given));
      if (expected === null) return;
      const made = makeNet(make(given.net, bounds, given.inhibitions));
      const found = reachable(made, () => true);
      expect([...(found ?? [])].map((key) => key.split(",").slice(0, PLACES).join()).sort()).toEqual(
        [...expected].sort(),
      );
      compared += 1;
    }),
    { numRuns: 1500 },
  );
  expect(compared).toBeGreaterThan(300);
}

describe("[D11.11] complement places", () => {
  it("[D11.11] give the runs that capacities and inhibitor arcs mean", () => {
    sameMarkings(complement);
  });

  it("[D11.11] the law fails where weights, resets or loops are forgotten", () => {
    const broken: readonly (typeof complement)[] = [
      (net, bounds, inhibitions) =>
        complement(
          net,
          bounds,
          inhibitions.map((each) => ({ ...each, weight: 1 })),
        ),
      (net, bounds, inhibitions) => complement(net, bounds, inhibitions.slice(1)),
      (net) => net,
      (net, bounds, inhibitions) => {
        const made = complement(net, bounds, inhibitions);
        return {
          ...made,
          transitions: made.transitions.map((t) => ({ ...t, reset: t.reset.filter((p) => p < PLACES) })),
        };
      },
    ];
    for (const make of broken) expect(() => sameMarkings(make)).toThrow();
  });
});

/** Law: no reachable marking exceeds the bound. Oracle: exhaustive search. */
function boundsHold(bound: (net: Net, place: number) => number | null): void {
  let known = 0;
  fc.assert(
    fc.property(restricted, fc.nat(PLACES - 1), ({ net }, place) => {
      const most = bound(net, place);
      if (most === null) return;
      known += 1;
      const seen = [net.initial];
      const keys = new Set([String(net.initial)]);
      for (const marking of seen) {
        expect(marking[place]).toBeLessThanOrEqual(most);
        if (seen.length > STATES_MAX) return;
        for (let t = 0; t < net.transitions.length; t += 1) {
          if (!isEnabled(net, marking, t)) continue;
          const fired = fire(net, marking, t);
          if (fired.kind !== "fired" || keys.has(String(fired.marking))) continue;
          keys.add(String(fired.marking));
          seen.push(fired.marking);
        }
      }
    }),
    { numRuns: 1500 },
  );
  expect(known).toBeGreaterThan(300);
}

describe("[D11.10] structural bounds", () => {
  it("[D11.10] no run exceeds them, whatever resets do", () => {
    boundsHold((net, place) => placeBound(net, place, { left: 100_000 }));
  });

  it("[D11.10] the law fails for a bound that is one too small", () => {
    expect(() =>
      boundsHold((net, place) => {
        const bound = placeBound(net, place, { left: 100_000 });
        return bound === null ? null : bound - 1;
      }),
    ).toThrow();
  });

  it("[D11.10] a token that only moves gives 1, weights divide, a place that only fills has no bound", () => {
    const ring = makeNet({
      places: [0, 1, 2].map((p) => ({ id: `p${p}`, role: "control" })),
      transitions: [
        { id: "a", pre: [[0, 1]], any: [], post: [[1, 1]], reset: [] },
        {
          id: "b",
          pre: [[1, 3]],
          any: [],
          post: [
            [0, 3],
            [2, 1],
          ],
          reset: [],
        },
      ],
      initial: [7, 0, 0],
      finals: { kind: "ends", ends: [] },
    });
    const bound = (place: number, left = 1000) => placeBound(ring, place, { left });
    expect([bound(0), bound(1), bound(2)]).toEqual([7, 7, null]);
    expect(bound(0, 0)).toBeNull();
    const once = makeNet({
      ...ring,
      transitions: ring.transitions.map((t) => ({ ...t, post: t.post.filter(([p]) => p !== 0) })),
    });
    expect([0, 1, 2].map((place) => placeBound(once, place, { left: 1000 }))).toEqual([7, 7, 2]);
  });
});
