/** @module Setbacks against a list of what happened: who is held when, for how long, and what is forgotten. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSetbacks, type Setbacks } from "../src/setbacks.ts";

const MOST = 1_000;

type Move =
  | { readonly kind: "hold"; readonly key: string; readonly isLasting: boolean }
  | { readonly kind: "forget"; readonly key: string }
  | { readonly kind: "time"; readonly by: number };

const key = fc.constantFrom("a", "b", "c");
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("hold" as const), key, isLasting: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), key }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("time" as const), by: fc.integer({ min: 0, max: 1_200 }) }),
    },
  ),
  { maxLength: 40 },
);

/** What the text says of one key, from all that happened to it: the end of its wait, null if it is not held. */
function heldUntil(
  past: readonly (Move & { readonly at: number })[],
  of: string,
  now: number,
): number | null {
  let until = Number.NEGATIVE_INFINITY;
  let inARow = 0;
  for (const move of past) {
    if (move.kind === "time" || move.key !== of) continue;
    if (move.at - until >= MOST || move.kind === "forget") inARow = 0;
    if (move.kind === "forget") until = Number.NEGATIVE_INFINITY;
    else {
      inARow = move.isLasting ? 99 : inARow + 1;
      until = move.at + Math.min(50 * 2 ** (inARow - 1), MOST);
    }
  }
  return until > now ? until : null;
}

function check(make: (mostMs: number) => Setbacks): void {
  fc.assert(
    fc.property(moves, (all) => {
      const setbacks = make(MOST);
      const past: (Move & { readonly at: number })[] = [];
      let now = 5_000;
      for (const move of all) {
        if (move.kind === "time") now += move.by;
        setbacks.release(now);
        // Only what is tried can fail.
        if (move.kind === "hold" && heldUntil(past, move.key, now) !== null) continue;
        past.push({ ...move, at: now });
        if (move.kind === "hold") setbacks.hold(move.key, now, move.isLasting);
        if (move.kind === "forget") setbacks.forget(move.key);
        const held = ["a", "b", "c"].map((each) => heldUntil(past, each, now));
        expect(["a", "b", "c"].map((each) => setbacks.isHeld(each))).toEqual(held.map((at) => at !== null));
        expect(setbacks.size()).toBe(held.filter((at) => at !== null).length);
        expect(setbacks.nextAt()).toBe(Math.min(...held.map((at) => at ?? Number.POSITIVE_INFINITY)));
      }
    }),
    { numRuns: 500 },
  );
}

describe("setbacks", () => {
  it("[D9.29] are waited for twice as long each time, up to the most, and forgotten after it", () => {
    check(makeSetbacks);
  });

  it("[D9.29] the law catches waits that do not grow, and keys that are never let go", () => {
    const flat = (mostMs: number): Setbacks => {
      const setbacks = makeSetbacks(mostMs);
      return {
        ...setbacks,
        hold: (key, now, isLasting) => {
          setbacks.forget(key);
          setbacks.hold(key, now, isLasting);
        },
      };
    };
    const stuck = (mostMs: number): Setbacks => ({ ...makeSetbacks(mostMs), release: () => {} });
    expect(() => check(flat)).toThrow();
    expect(() => check(stuck)).toThrow();
  });

  it("[D9.29] a clock that is set back holds nothing for longer than the most", () => {
    const setbacks = makeSetbacks(MOST);
    setbacks.hold("a", 1_000_000);
    setbacks.release(5_000);
    expect([setbacks.isHeld("a"), setbacks.size()]).toEqual([false, 0]);
  });
});
