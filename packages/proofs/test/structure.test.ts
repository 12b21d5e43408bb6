/** @module Facts of the structure, on nets small enough to be read off by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  finalPlaces,
  greatestEmptySiphon,
  hasFinals,
  hasNestedFinals,
  smallTrap,
  structureOf,
} from "../src/structure.ts";
import { net } from "./net-text.ts";

const names = (given: Net, places: Iterable<number>) => [...places].map((p) => given.places[p]?.id).join(" ");
/** The places that are marked 1. */
const marked = (given: Net, flags: Uint8Array) =>
  names(
    given,
    [...flags.keys()].filter((place) => flags[place] === 1),
  );

describe("structure", () => {
  it("[L8.2] the places that no transition takes from, by preset, optional input or reset", () => {
    const never = (text: string) => {
      const given = net(text);
      return marked(given, structureOf(given).isNeverTaken);
    };
    expect(never("t: i -> a; u: a -> o")).toBe("o");
    expect(never("t: i any b -> o + d reset c")).toBe("o d");
    expect(never("t: o -> o")).toBe("i");
  });

  it("[L8.1] whether every transition produces", () => {
    expect(structureOf(net("t: i -> a; u: a -> o")).alwaysProduces).toBe(true);
    expect(structureOf(net("t: i -> a; u: a -> ")).alwaysProduces).toBe(false);
    expect(structureOf(net("t: i -> ; u: a -> o")).alwaysProduces).toBe(false);
  });

  it("[L8.1] the only final marking, if no transition takes from its places", () => {
    const sole = (text: string, options: Parameters<typeof net>[1] = {}) =>
      structureOf(net(text, options)).soleFinal;
    expect(sole("t: i -> o")).toEqual([0, 1]);
    expect(sole("t: o -> i")).toBeNull();
    expect(sole("t: i -> o", { ends: ["o", "i"] })).toBeNull();
    expect(sole("t: i -> o", { ends: [] })).toBeNull();
    expect(sole("t: i -> a; u: a -> o", { finals: [{ a: 2 }] })).toBeNull();
    expect(sole("t: i -> o + a; u: i -> a", { finals: [{ o: 2, a: 1 }] })).toEqual([0, 2, 1]);
    expect(sole("t: i -> o + a; u: a -> a", { finals: [{ o: 2, a: 1 }] })).toBeNull();
    expect(sole("t: i -> o", { finals: [{}] })).toEqual([0, 0]);
    expect(sole("t: i -> o", { finals: [{ o: 1 }, { o: 2 }] })).toBeNull();
    expect(sole("t: i -> o", { finals: [] })).toBeNull();
  });

  it("[L8.2] the most tokens of a final marking, and the places that one marks", () => {
    const listed = net("t: i -> a + o", { finals: [{ o: 3 }, { a: 2, o: 1 }] });
    expect(structureOf(listed).finalMax).toEqual([0, 2, 3]);
    expect(names(listed, finalPlaces(listed))).toBe("a o");
    const ends = net("t: i -> a + o", { ends: ["o", "a"] });
    expect(structureOf(ends).finalMax).toEqual([0, 1, 1]);
    expect(names(ends, finalPlaces(ends))).toBe("a o");
    expect(finalPlaces(net("t: i -> o", { finals: [{}] }))).toEqual([]);
  });

  it("[D8.1] whether a final marking is stated, and one covers another", () => {
    const n = (options: Parameters<typeof net>[1]) => net("t: i -> a + o", options);
    expect([n({}), n({ ends: [] }), n({ finals: [{}] }), n({ finals: [] })].map(hasFinals)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    const nested = (...finals: Readonly<Record<string, number>>[]) => hasNestedFinals(n({ finals }));
    expect(nested({ o: 1 }, { o: 2 })).toBe(true);
    expect(nested({ o: 1, a: 1 }, { o: 1 })).toBe(true);
    expect(nested({ i: 5 }, { o: 1, a: 1 }, { o: 1 })).toBe(true);
    expect(nested({ o: 1 }, { o: 1 })).toBe(false);
    expect(nested({ o: 1 }, { a: 1 })).toBe(false);
    expect(nested({ o: 2 }, { o: 1, a: 1 })).toBe(false);
    expect(nested({ o: 1 })).toBe(false);
    expect(hasNestedFinals(n({ ends: ["o", "a"] }))).toBe(false);
  });
});

describe("traps", () => {
  const trap = (text: string, options: Parameters<typeof net>[1] = {}) => {
    const given = net(text, options);
    return marked(given, structureOf(given).trap);
  };
  const room = "t: i -> o; u: i -> r; v: r -> s; w: s -> r";

  it("[L8.3] the greatest one without a place of a final marking", () => {
    expect(trap("t: i -> a; u: a -> o")).toBe("");
    expect(trap(room)).toBe("r s");
    expect(trap(`${room}; x: r -> o`)).toBe("");
    expect(trap(`${room}; x: r -> `)).toBe("");
    expect(trap(`${room}; x: i any r -> o`)).toBe("");
    expect(trap(`${room}; x: i -> o reset s`)).toBe("");
    expect(trap(`${room}; x: i -> s reset s`)).toBe("r s");
    expect(trap("t: i -> o + z")).toBe("i z");
    expect(trap("t: i -> o; u: o -> z")).toBe("z");
    expect(trap(room, { finals: [{ o: 1 }] })).toBe("r s");
    expect(trap(room, { finals: [{ o: 1 }, { r: 1 }] })).toBe("");
  });

  it("[L8.3] what puts on several places of one needs only one of them", () => {
    expect(trap("t: i -> o; u: i -> r; v: r -> s + q; x: q -> o; w: s -> r")).toBe("r s");
    expect(trap("t: i -> o; u: i -> r; v: r -> q + p; x: q -> o; y: p -> o")).toBe("");
    // The last of a row goes first, and what led to it follows.
    expect(trap("t: i -> a; u: a -> b; v: b -> c; w: c -> o; x: d -> d; y: i -> d")).toBe("d");
  });

  it("[L8.3] is computed once", () => {
    const structure = structureOf(net(room));
    expect(structure.trap).toBe(structure.trap);
  });

  it("[L8.3] a small one that is marked", () => {
    const given = net(`${room}; x: i -> z; y: i -> p; k: p -> q`);
    const whole = structureOf(given).trap;
    expect(marked(given, whole)).toBe("r s z p q");
    const small = (...ids: string[]) =>
      names(
        given,
        smallTrap(
          given,
          whole,
          given.places.map(({ id }) => (ids.includes(id) ? 2 : 0)),
        ),
      );
    expect(small("r")).toBe("r s");
    expect(small("s")).toBe("r s");
    expect(small("z")).toBe("z");
    expect(small("p")).toBe("p q");
    expect(small("q")).toBe("q");
    expect(small("r", "z")).toBe("z");
    expect(small("i")).toBe("r s z p q");
  });
});

describe("siphons", () => {
  const empty = (text: string, start: Readonly<Record<string, number>> = { i: 1 }) => {
    const given = net(text, { initial: start });
    return names(given, greatestEmptySiphon(given, given.initial));
  };

  it("[L8.4] the places that nothing can fill if tokens are never used up", () => {
    const text = "t: i -> a; u: a + c -> b; v: b -> c; w: a -> o";
    expect(empty(text)).toBe("c b");
    expect(empty(text, { i: 1, c: 1 })).toBe("");
    expect(empty(text, { a: 2, b: 1 })).toBe("i");
    expect(empty(text, {})).toBe("i a c b o");
    expect(empty("t: -> a; u: a + i -> o", {})).toBe("i o");
    expect(empty("t: i -> o; u: i -> o; v: o -> a + b; w: a + b + o -> c")).toBe("");
  });

  it("[L8.4] of optional inputs one is enough, and one is needed", () => {
    const text = "t: i -> a; w: a -> d; u: a any c d -> b; v: b -> o";
    expect(empty(text)).toBe("c");
    expect(empty(text.replace("w: a -> d; ", ""))).toBe("c d b o");
    expect(empty(text.replace("w: a -> d; ", ""), { i: 1, c: 1 })).toBe("d");
    expect(empty("u: a any i -> o", { i: 1 })).toBe("a o");
    expect(empty("u: a any i c -> o", { i: 1, a: 1 })).toBe("c");
  });
});
