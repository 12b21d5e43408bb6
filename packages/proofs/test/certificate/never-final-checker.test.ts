/** @module The checker of structural reasons that no final marking is reached, on nets small enough to be judged by hand. */
import type { Marking, Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkNeverFinal, checkSiphon, needs } from "../../src/certificate/never-final.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;
const at = (n: Net, ...ids: readonly string[]) =>
  ids.map((id) => n.places.findIndex((place) => place.id === id));
const marking = (n: Net, tokens: Readonly<Record<string, number>>): Marking =>
  n.places.map(({ id }) => tokens[id] ?? 0);

describe("siphons that stay empty", () => {
  it("[L8.4] a transition needs an input of the set, or all its optional ones", () => {
    const joined = net("v: i any x y -> z; w: z -> z");
    const [v, w] = joined.transitions;
    const needed = (t: typeof v, ...ids: readonly string[]) => needs(t!, new Set(at(joined, ...ids)));
    expect(needed(v, "x", "y")).toBe(true);
    expect(needed(v, "x")).toBe(false);
    expect(needed(v, "z")).toBe(false);
    expect(needed(v, "i")).toBe(true);
    expect(needed(w, "z")).toBe(true);
    expect(needed(w, "x", "y")).toBe(false);
    const siphon = (...ids: readonly string[]) =>
      said(checkSiphon(joined, joined.initial, new Set(at(joined, ...ids))));
    expect(siphon("x", "y", "z")).toBe("valid");
    expect(siphon("x", "z")).toBe("v puts a token into the siphon and needs none of it");
    const wide = net("t: i -> x + a; v: y + z -> x + y");
    const ofWide = (...ids: readonly string[]) =>
      said(checkSiphon(wide, wide.initial, new Set(at(wide, ...ids))));
    expect(ofWide("x")).toBe("t puts a token into the siphon and needs none of it");
    expect(ofWide("y")).toBe("valid");
    expect(needs(wide.transitions[1]!, new Set(at(wide, "z")))).toBe(true);
    expect(siphon("i")).toBe("place 0 of the siphon is marked");
    expect(siphon("x", "nowhere")).toBe("place -1 of the siphon is marked");
  });

  it("[L8.4] every final marking needs a token in it", () => {
    const empty = (finals: readonly Readonly<Record<string, number>>[], ...ids: readonly string[]) => {
      const n = net("t: i -> a; u: x + y -> x + y + o", { finals });
      return said(checkNeverFinal(n, n.initial, { kind: "empty-siphon", places: at(n, ...ids) }));
    };
    expect(empty([{ x: 1 }, { y: 2 }], "x", "y")).toBe("valid");
    expect(empty([{ x: 1, a: 1 }], "x", "y")).toBe("valid");
    expect(empty([{ x: 1 }, { y: 2 }], "x")).toBe("a final marking needs no token in the siphon");
    expect(empty([{ x: 1 }, { a: 1 }], "x", "y")).toBe("a final marking needs no token in the siphon");
    expect(empty([], "x")).toBe("valid");
    // A set that is filled from outside is none, though every final marking has a token in it.
    expect(empty([{ o: 1 }], "o")).toBe("u puts a token into the siphon and needs none of it");
    expect(empty([{ i: 1 }], "i")).toBe("place 0 of the siphon is marked");
    const two = net("t: i -> a; u: x -> o; v: y -> e", { ends: ["o", "e"] });
    const ofEnds = (...ids: readonly string[]) =>
      said(checkNeverFinal(two, two.initial, { kind: "empty-siphon", places: at(two, ...ids) }));
    expect(ofEnds("x", "o", "y", "e")).toBe("valid");
    expect(ofEnds("x", "o")).toBe("a final marking needs no token in the siphon");
  });
});

describe("markings beyond the end", () => {
  const left = (options: Parameters<typeof net>[1] = {}, text = "t: i -> o + a; v: a -> a") =>
    net(text, options);
  const covers = (
    n: Net,
    tokens: Readonly<Record<string, number>>,
    final: Readonly<Record<string, number>> = { o: 1 },
  ) => said(checkNeverFinal(n, marking(n, tokens), { kind: "covers-final", final: marking(n, final) }));
  const NOT_SOLE = "not the only final marking";

  it("[L8.1] more than the only final marking, from which nothing takes", () => {
    for (const n of [left(), left({ finals: [{ o: 1 }] })]) {
      expect(covers(n, { o: 1, a: 1 })).toBe("valid");
      expect(covers(n, { o: 2 })).toBe("valid");
      expect(covers(n, { o: 1 })).toBe("the marking does not strictly cover the final one");
      expect(covers(n, { a: 1 })).toBe("the marking does not strictly cover the final one");
      expect(covers(n, { o: 1, a: 1 }, { o: 2 })).toBe(NOT_SOLE);
      expect(covers(n, { o: 1, a: 1 }, { a: 1 })).toBe(NOT_SOLE);
    }
    expect(covers(left({ finals: [{ o: 1 }, { o: 2 }] }), { o: 1, a: 1 })).toBe(NOT_SOLE);
    expect(covers(left({ finals: [] }), { o: 1, a: 1 })).toBe(NOT_SOLE);
    expect(covers(left({ ends: ["o", "a"] }), { o: 1, a: 1 })).toBe(NOT_SOLE);
    expect(covers(left({ ends: [] }), { i: 1 }, {})).toBe(NOT_SOLE);
    const TAKES = "a transition takes from the final marking";
    expect(covers(left({}, "t: i -> o + a; v: a + o -> a + o"), { o: 1, a: 1 })).toBe(TAKES);
    expect(covers(left({}, "t: i -> o + a; v: a any o -> a"), { o: 1, a: 1 })).toBe(TAKES);
    expect(covers(left({}, "t: i -> o + a; v: a -> a reset o"), { o: 1, a: 1 })).toBe(TAKES);
    expect(covers(left({}, "t: i -> o + a; v: a -> "), { o: 1, a: 1 })).toBe("a transition produces nothing");
  });

  it("[L8.2] a place that nothing empties holds more than any final marking has", () => {
    const overfull = (n: Net, tokens: Readonly<Record<string, number>>, id = "o") =>
      said(checkNeverFinal(n, marking(n, tokens), { kind: "overfull", place: at(n, id)[0]! }));
    const AS_MANY = "a final marking may have as many tokens";
    const listed = left({ finals: [{ o: 2 }, { o: 1, a: 1 }, { a: 3 }] });
    expect(overfull(listed, { o: 3 })).toBe("valid");
    expect(overfull(listed, { o: 2 })).toBe(AS_MANY);
    expect(overfull(listed, { a: 9 }, "a")).toBe("a transition takes from the place");
    expect(overfull(left({ finals: [] }), { o: 1 })).toBe("valid");
    expect(overfull(left({ finals: [] }), { a: 1 })).toBe(AS_MANY);
    expect(overfull(left(), { o: 2 })).toBe("valid");
    expect(overfull(left(), { o: 1 })).toBe(AS_MANY);
    const more = left({}, "t: i -> o + k; v: a -> a");
    expect(overfull(more, { k: 1 }, "k")).toBe("valid");
    expect(overfull(more, { o: 1 }, "k")).toBe(AS_MANY);
    for (const text of ["t: i -> o; v: a any o -> a", "t: i -> o; v: a -> a reset o"])
      expect(overfull(left({}, text), { o: 2 })).toBe("a transition takes from the place");
  });

  it("[L8.3] a marked trap without a place of a final marking", () => {
    const trap = (n: Net, tokens: Readonly<Record<string, number>>, ...ids: readonly string[]) =>
      said(checkNeverFinal(n, marking(n, tokens), { kind: "trap", places: at(n, ...ids) }));
    const listed = left({ finals: [{ o: 1 }, { a: 1, o: 1 }] });
    expect(trap(listed, { a: 1 }, "a")).toBe("a final marking marks place 2");
    expect(trap(left({ finals: [{ o: 1 }] }), { a: 1 }, "a")).toBe("valid");
    expect(trap(left(), { a: 1 }, "a", "o")).toBe("a final marking marks place 1");
    expect(trap(left(), { o: 1 }, "a")).toBe("the trap is not marked");
    expect(trap(left({}, "t: i -> a; v: a any b -> a"), { b: 1 }, "b")).toBe(
      "v takes from the trap and puts nothing back",
    );
    expect(trap(left({}, "t: i -> a; v: c + d -> d"), { c: 1 }, "c")).toBe(
      "v takes from the trap and puts nothing back",
    );
    expect(trap(left({}, "t: i -> a; v: c + d -> d + c"), { c: 1 }, "c")).toBe("valid");
  });
});
