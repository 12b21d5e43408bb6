import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "../src/suggest.ts";

const MEMBERS = ["id", "kind", "label", "join", "split", "reads", "writes", "scope", "meta"];

/** Can `edits` edits turn `a` into `b`? Every way of the next edit is tried; no part is edited twice. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  if (edits === 0) return false;
  if (a !== "" && b !== "" && a[0] === b[0] && isWithin(a.slice(1), b.slice(1), edits)) return true;
  const isSwap = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return (
    (a !== "" && isWithin(a.slice(1), b, edits - 1)) ||
    (b !== "" && isWithin(a, b.slice(1), edits - 1)) ||
    (a !== "" && b !== "" && isWithin(a.slice(1), b.slice(1), edits - 1)) ||
    (isSwap && isWithin(a.slice(2), b.slice(2), edits - 1))
  );
}

type Nearest = typeof nearest;
const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

/** Law: the answer is the first of the nearest within a third of its length. Oracle: all ways of editing. */
const lawNearest = (implementation: Nearest) =>
  fc.property(word, fc.uniqueArray(word, { maxLength: 5 }), (name, known) => {
    const distance = (candidate: string) => [0, 1, 2].find((edits) => isWithin(name, candidate, edits)) ?? 3;
    const near = known.filter(
      (candidate) => distance(candidate) <= Math.max(1, Math.floor(candidate.length / 3)),
    );
    const least = Math.min(...near.map(distance));
    expect(implementation(name, known)).toBe(near.find((candidate) => distance(candidate) === least));
  });

describe("nearest", () => {
  it("finds what was misspelt", () => {
    const written = ["lable", "Kind", "jion", "write", "scop", "mta", "spilt"];
    expect(written.map((name) => nearest(name, MEMBERS))).toEqual([
      "label",
      "kind",
      "join",
      "writes",
      "scope",
      "meta",
      "split",
    ]);
  });

  it("says nothing where nothing is near", () => {
    for (const name of ["", "position", "x".repeat(1_000_000)])
      expect(nearest(name, MEMBERS)).toBeUndefined();
    expect(nearest("a", [])).toBeUndefined();
  });

  it("agrees with trying all ways of editing", () => {
    fc.assert(lawNearest(nearest), { numRuns: 500 });
  });

  it("the law fails where the last of equally near names is taken, or swaps count twice", () => {
    expect(
      fc.check(
        lawNearest((name, known) => nearest(name, [...known].reverse())),
        { numRuns: 500 },
      ).failed,
    ).toBe(true);
    const withoutSwap: Nearest = (name, known) => known.find((candidate) => isWithin(name, candidate, 1));
    expect(fc.check(lawNearest(withoutSwap), { numRuns: 500 }).failed).toBe(true);
  });
});
