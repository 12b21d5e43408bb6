/** Laws of the map that forgets. Oracle: a list of entries in the order of their use, searched from end to end. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Recent, recentMap } from "../src/recent.ts";

type Make = (sizeMax: number, weightMax: number, weigh: (value: number) => number) => Recent<number>;

/** The plain form: what was used last stands last. */
const plain: Make = (sizeMax, weightMax, weigh) => {
  let entries: readonly (readonly [key: string, value: number])[] = [];
  const without = (key: string) => entries.filter(([known]) => known !== key);
  const weight = () => entries.reduce((sum, [, value]) => sum + weigh(value), 0);
  return {
    get: (key) => {
      const found = entries.find(([known]) => known === key);
      if (found !== undefined) entries = [...without(key), found];
      return found?.[1];
    },
    set: (key, value) => {
      entries = [...without(key), [key, value]];
      while (entries.length > sizeMax || weight() > weightMax) entries = entries.slice(1);
    },
    delete: (key) => {
      entries = without(key);
    },
  };
};

const uses = fc.array(
  fc.record({
    act: fc.constantFrom("get" as const, "set" as const, "delete" as const),
    key: fc.constantFrom("a", "b", "c", "d", "e"),
    value: fc.nat(6),
  }),
  { maxLength: 40 },
);

/** Law: whatever is asked of the two, they answer alike, and in the end they know the same keys. */
function answersAlike(make: Make): void {
  fc.assert(
    fc.property(fc.nat(4), fc.nat(12), uses, (sizeMax, weightMax, asked) => {
      const [left, right] = [make, plain].map((each) => each(sizeMax, weightMax, (value) => value));
      for (const { act, key, value } of asked) {
        if (act === "get") expect(left?.get(key)).toBe(right?.get(key));
        else if (act === "set") for (const map of [left, right]) map?.set(key, value);
        else for (const map of [left, right]) map?.delete(key);
      }
      for (const key of ["a", "b", "c", "d", "e"]) expect(left?.get(key)).toBe(right?.get(key));
    }),
  );
}

describe("the map that forgets what was not used for longest", () => {
  it("answers as a list of entries in the order of their use", () => {
    answersAlike(recentMap);
  });

  it("the law notices a map that does not count a look as use, and one that weighs nothing", () => {
    const blind: Make = (...limits) => {
      const map = recentMap<number>(...limits);
      const shown = new Map<string, number>();
      return {
        set: (key, value) => {
          map.set(key, value);
          shown.set(key, value);
        },
        get: (key) => shown.get(key),
        delete: (key) => {
          map.delete(key);
          shown.delete(key);
        },
      };
    };
    const weightless: Make = (sizeMax) => recentMap<number>(sizeMax);
    for (const broken of [blind, weightless]) expect(() => answersAlike(broken)).toThrow("Property failed");
  });
});
