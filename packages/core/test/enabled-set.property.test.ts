import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createEnabledSet,
  type EnabledSet,
  firstFrom,
  has,
  insert,
  members,
  remove,
} from "../src/enabled-set.ts";

interface Operations {
  readonly insert: (set: EnabledSet, member: number) => void;
  readonly remove: (set: EnabledSet, member: number) => void;
  readonly firstFrom: (set: EnabledSet, from: number) => number;
  readonly members: (set: EnabledSet) => readonly number[];
}

/** Sizes around one, two and three levels of words of 32 bits. */
const size = fc.oneof(
  fc.constantFrom(1, 31, 32, 33, 1023, 1024, 1025, 32769),
  fc.integer({ min: 1, max: 4000 }),
);

/** Law: after any inserts and removes the set is the model set; its least member from a number on is `firstFrom`. Oracle: Set and sort. */
function modelLaw({ insert, remove, firstFrom, members }: Operations): void {
  const script = size.chain((size) =>
    fc.record({
      size: fc.constant(size),
      // Few distinct members, so that removes hit and words become empty.
      picks: fc.array(fc.nat({ max: size - 1 }), { minLength: 1, maxLength: 12 }),
      steps: fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 11 })), { maxLength: 40 }),
    }),
  );
  fc.assert(
    fc.property(script, ({ size, picks, steps }) => {
      const set = createEnabledSet(size);
      const model = new Set<number>();
      for (const [adds, pick] of steps) {
        const member = picks[pick % picks.length]!;
        if (adds) insert(set, member);
        else remove(set, member);
        if (adds) model.add(member);
        else model.delete(member);
        const sorted = [...model].sort((a, b) => a - b);
        for (const from of [
          0,
          size,
          ...picks,
          ...picks.map((pick) => pick + 1),
          member & ~31,
          (member | 31) + 1,
        ])
          expect(firstFrom(set, from)).toBe(sorted.find((known) => known >= from) ?? -1);
        expect(members(set)).toEqual(sorted);
        for (const known of picks) expect(has(set, known)).toBe(model.has(known));
      }
    }),
    { numRuns: 300 },
  );
}

describe("[D1.3] the set of enabled transitions", () => {
  it("[D1.3] is a set: insert, remove, has, firstFrom and members agree with the model", () =>
    modelLaw({ insert, remove, firstFrom, members }));

  it("[D1.3] the law catches a remove that clears whole words or forgets the upper levels", () => {
    const clearsWord = (set: EnabledSet, member: number) => {
      set.levels[0]![member >>> 5] = 0;
    };
    const lowOnly = (set: EnabledSet, member: number) => {
      const words = set.levels[0]!;
      words[member >>> 5] = words[member >>> 5]! & ~(1 << (member & 31));
    };
    expect(() => modelLaw({ insert, remove: clearsWord, firstFrom, members })).toThrow();
    expect(() => modelLaw({ insert, remove: lowOnly, firstFrom, members })).toThrow();
    expect(() => modelLaw({ insert, remove, firstFrom: (set) => members(set)[0] ?? -1, members })).toThrow();
  });

  it("[D1.3] the empty set over nothing has no first member", () => {
    const set = createEnabledSet(0);
    expect(firstFrom(set, 0)).toBe(-1);
    expect(members(set)).toEqual([]);
  });

  it("[D1.3] has as many levels as its size needs", () => {
    const levels = (size: number) => createEnabledSet(size).levels.map((words) => words.length);
    expect(levels(0)).toEqual([1]);
    expect(levels(32)).toEqual([1]);
    expect(levels(33)).toEqual([2, 1]);
    expect(levels(1024)).toEqual([32, 1]);
    expect(levels(1025)).toEqual([33, 2, 1]);
  });
});
