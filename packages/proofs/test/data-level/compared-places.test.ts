/** @module Which places of data are compared with each other, by order or not, and with what: by hand. */
import { type ConditionData, parseCondition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { askedOf, type Leaf, placesOf } from "../../src/certificate/data-asked.ts";
import { constantsIn, isOrdered, type Pair, partOf, type Setting } from "../../src/certificate/data-parts.ts";
import type { ListedPlace } from "../../src/certificate/data-places.ts";
import { flow, is, lessThan, type Types } from "./forged-lists.ts";

function leaf(condition: object): Leaf {
  const parsed = parseCondition(condition as ConditionData);
  if (!parsed.ok) throw new Error(JSON.stringify(condition));
  return parsed.value as Leaf;
}

describe("[D23.1] places that are compared", () => {
  const types: Types = {
    a: { type: "number" },
    b: { type: "number" },
    c: { type: "number" },
    d: { type: "number" },
    kind: { type: "number", values: [1, 2] },
  };
  const KEYS = Object.keys(types);
  /** Pairs of `[left, right, op]`, of places in the order of their keys. */
  function settingOf(
    pairs: readonly (readonly [string, string, string])[],
    unary: readonly object[] = [],
  ): Setting {
    const compiled = flow([], types);
    const places = KEYS.map((key): ListedPlace => ({ key, path: [], values: [] }));
    return {
      compiled,
      asked: askedOf(compiled),
      places,
      pairs: pairs.map(
        ([left, right, op]): Pair => ({
          leaf: leaf({ key: left, op, valueOf: right }),
          left: KEYS.indexOf(left),
          right: KEYS.indexOf(right),
        }),
      ),
      unary: KEYS.map((key) => unary.map(leaf).filter((one) => placesOf(one)[0]!.key === key)),
    };
  }
  const partsOf = (setting: Setting) =>
    KEYS.map((_, at) =>
      partOf(setting, at)
        .map((place) => KEYS[place])
        .join(""),
    );

  it("[D23.1] directly or through others are a part, in the order of the places", () => {
    expect(partsOf(settingOf([]))).toEqual(["a", "b", "c", "d", "kind"]);
    expect(partsOf(settingOf([["a", "b", "is"]]))).toEqual(["ab", "ab", "c", "d", "kind"]);
    expect(partsOf(settingOf([["d", "b", "is"]]))).toEqual(["a", "bd", "c", "bd", "kind"]);
    const chain = settingOf([
      ["d", "c", "is"],
      ["a", "c", "is"],
    ]);
    expect(partsOf(chain)).toEqual(["acd", "b", "acd", "acd", "kind"]);
    const two = settingOf([
      ["a", "c", "is"],
      ["b", "d", "is"],
    ]);
    expect(partsOf(two)).toEqual(["ac", "bd", "ac", "bd", "kind"]);
  });

  it("[D23.1] with one that lists its values are none, and have those values as constants", () => {
    const setting = settingOf([
      ["a", "kind", "is"],
      ["kind", "b", "is"],
    ]);
    expect(partsOf(setting)).toEqual(["a", "b", "c", "d", "kind"]);
    expect(constantsIn(setting, [0])).toEqual([1, 2]);
    expect(constantsIn(setting, [1])).toEqual([1, 2]);
    expect(constantsIn(setting, [2])).toEqual([]);
    expect(constantsIn(setting, [4])).toEqual([]);
  });

  it("[D23.1] have the constants of each of them", () => {
    const setting = settingOf(
      [
        ["a", "b", "is"],
        ["b", "kind", "is"],
      ],
      [is("a", 7), is("c", 9), { key: "b", op: "isOneOf", value: [3, 4] }],
    );
    expect([...constantsIn(setting, [0, 1])].sort()).toEqual([1, 2, 3, 4, 7]);
    expect(constantsIn(setting, [0])).toEqual([7]);
    expect(constantsIn(setting, [2])).toEqual([9]);
  });

  it("[D23.1] are an order if some of them are compared by order", () => {
    for (const op of ["lessThan", "atMost", "greaterThan", "atLeast"]) {
      const setting = settingOf([
        ["a", "b", "is"],
        ["c", "b", op],
      ]);
      expect(isOrdered(setting, [0, 1, 2])).toBe(true);
      expect(isOrdered(setting, [3])).toBe(false);
    }
    for (const op of ["is", "isNot"]) expect(isOrdered(settingOf([["a", "b", op]]), [0, 1])).toBe(false);
    // Another part is ordered; and one that lists its values is compared, not ordered with.
    const other = settingOf([
      ["a", "b", "is"],
      ["c", "d", "lessThan"],
    ]);
    expect(isOrdered(other, [0, 1])).toBe(false);
    expect(isOrdered(other, [2, 3])).toBe(true);
    expect(isOrdered(settingOf([["a", "kind", "lessThan"]]), [0])).toBe(false);
    expect(isOrdered(settingOf([["kind", "a", "lessThan"]]), [4])).toBe(false);
  });

  it("[D23.1] more than ten in a part are in order, too", () => {
    const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
    const compiled = flow([], {});
    const pairs = keys
      .slice(1)
      .map((key, at): Pair => ({ leaf: leaf(lessThan(keys[0]!, key)), left: 0, right: at + 1 }));
    const places = keys.map((key): ListedPlace => ({ key, path: [], values: [] }));
    const setting = { compiled, asked: askedOf(compiled), places, pairs: pairs.toReversed(), unary: [] };
    expect(partOf(setting, 11)).toEqual([...keys.keys()]);
    expect(partOf(setting, 0)).toEqual([...keys.keys()]);
  });
});
