/** @module Random lists of values that are forged: what is accepted has for all data a case that answers as they do. */
import type { CompiledWorkflow, Data, Json, JsonObject } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListedPlace } from "../../src/certificate/data-places.ts";
import { type ListedCases, regionTrouble } from "../../src/certificate/data-regions.ts";
import { answersOn, compiledOf, type Given, given, KEYS, NEAR, rangeOf } from "./asked-workflows.ts";
import { casesOf } from "./forged-lists.ts";

/** All data of the listed cases. */
function dataOf({ types }: Given, { places, patterns }: ListedCases): readonly Data[] {
  const inOrder = new Set(patterns.flatMap((one) => one.places));
  let all: readonly (readonly (Json | undefined)[])[] = [places.map(() => undefined)];
  for (const one of patterns)
    all = all.flatMap((row) =>
      one.tuples.map((tuple) =>
        row.map((cell, at) => (one.places.includes(at) ? tuple[one.places.indexOf(at)] : cell)),
      ),
    );
  places.forEach(({ values }, at) => {
    if (!inOrder.has(at)) all = all.flatMap((row) => values.map((value) => row.with(at, value)));
  });
  return all.map((row) => {
    const data: Record<string, Json> = {};
    for (const [key, type] of Object.entries(types))
      if (type.type === "object" && places.some((one) => one.key === key && one.path.length > 0))
        data[key] = {};
    row.forEach((value, at) => {
      const { key, path: steps } = places[at]!;
      if (value === undefined) return;
      if (steps.length === 0) data[key] = value;
      else {
        const [first, second] = steps as readonly string[];
        const whole = (data[key] ?? {}) as JsonObject;
        const inner = (whole[first!] ?? {}) as JsonObject;
        data[key] = { ...whole, [first!]: second === undefined ? value : { ...inner, [second]: value } };
      }
    });
    return data;
  });
}

/** One value or pattern less, or another instead. */
const forging = fc.record({ at: fc.nat(), index: fc.nat(), by: fc.option(fc.constantFrom(...NEAR)) });
type Forging = typeof forging extends fc.Arbitrary<infer T> ? T : never;

function forged(cases: ListedCases, { at, index, by }: Forging): ListedCases {
  const { places, patterns } = cases;
  const which = at % (places.length + patterns.length);
  if (which >= places.length) {
    const pattern = patterns[which - places.length]!;
    const tuples = pattern.tuples.toSpliced(index % pattern.tuples.length, 1);
    return { ...cases, patterns: patterns.with(which - places.length, { ...pattern, tuples }) };
  }
  const place: ListedPlace = places[which]!;
  const gone = index % place.values.length;
  const values = by === null ? place.values.toSpliced(gone, 1) : place.values.with(gone, by);
  return { ...cases, places: places.with(which, { ...place, values }) };
}

/** Some data that answer as no case does, or undefined. */
function missed(asked: Given, cases: ListedCases, salt: number): Data | undefined {
  const known = new Set(dataOf(asked, cases).map((data) => answersOn(asked, cases.open, data)));
  const ranges = KEYS.map((key) => rangeOf(asked, key));
  let state = salt;
  for (let count = 0; count < 1500; count += 1) {
    const data: Record<string, Json> = {};
    KEYS.forEach((key, at) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      const value = ranges[at]![Math.floor((state / 2 ** 31) * ranges[at]!.length)];
      if (value !== undefined) data[key] = value;
    });
    if (!known.has(answersOn(asked, cases.open, data))) return data;
  }
  return undefined;
}

const SIZE_MAX = 3000;
const sizeOf = ({ places, patterns }: ListedCases) => {
  const inOrder = new Set(patterns.flatMap((one) => one.places));
  const alone = places.reduce((size, { values }, at) => (inOrder.has(at) ? size : size * values.length), 1);
  return patterns.reduce((size, { tuples }) => size * tuples.length, alone);
};

/** A random workflow with what the prover lists, or null where it lists nothing or too much. */
function listedOf(asked: Given): { readonly compiled: CompiledWorkflow; readonly cases: ListedCases } | null {
  try {
    const compiled = compiledOf(asked);
    const cases = casesOf(compiled);
    return sizeOf(cases) > SIZE_MAX || cases.places.length === 0 ? null : { compiled, cases };
  } catch {
    return null;
  }
}

const salts = fc.integer({ min: 1, max: 2 ** 31 - 1 });

describe("[D23.11] [L23.1] lists that are accepted", () => {
  it("[L23.1] have for all data a case that answers as they do (oracle: data from everywhere, asked directly)", () => {
    const count = { honest: 0, accepted: 0, refused: 0 };
    fc.assert(
      fc.property(given, fc.array(forging, { maxLength: 4 }), salts, (asked, forgings, salt) => {
        const listed = listedOf(asked);
        if (listed === null) return;
        const { compiled, cases } = listed;
        count.honest += 1;
        expect({ asked, trouble: regionTrouble(compiled, cases) }).toEqual({ asked, trouble: null });
        const lists = forgings.map((one) => forged(cases, one));
        const accepted = lists.filter((list) => regionTrouble(compiled, list) === null);
        count.accepted += accepted.length;
        count.refused += lists.length - accepted.length;
        for (const list of [cases, ...accepted])
          expect({ asked, list, missed: missed(asked, list, salt) }).toEqual({
            asked,
            list,
            missed: undefined,
          });
      }),
      { seed: 23_110, numRuns: 300 },
    );
    expect(count.honest).toBeGreaterThan(200);
    expect(count.refused).toBeGreaterThan(300);
    expect(count.accepted).toBeGreaterThan(30);
  }, 120_000);

  it("[L23.1] the law catches a checker that accepts every list", () => {
    const caught = fc
      .sample(fc.tuple(given, forging, salts), { seed: 23_111, numRuns: 100 })
      .filter((one) => {
        const [asked, forgery, salt] = one;
        const listed = listedOf(asked);
        return listed !== null && missed(asked, forged(listed.cases, forgery), salt) !== undefined;
      });
    expect(caught.length).toBeGreaterThan(20);
  }, 120_000);
});
