/** @module What is left of a net without a terminating part, on nets small enough to be judged by hand: each condition violated alone. */
import type { Net, Transition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { withoutTermination } from "../../src/certificate/remainder.ts";
import { terminating } from "../../src/certificate/terminating-part.ts";
import { net } from "../net-text.ts";
import { base, leftOf, partOf, TWO_ENDS } from "./terminating-parts.ts";

/** The remainder in one line, or why there is none: "t: i -> a; u: a -> o | o". */
function without(given: Net, places: string, exits: string): string {
  const left = withoutTermination(given, partOf(given, places, exits));
  if (typeof left === "string") return left;
  const { net: rest } = left;
  const name = (place: number) => rest.places[place]?.id ?? "?";
  const side = (arcs: Transition["pre"]) =>
    arcs.map(([place, weight]) => `${weight === 1 ? "" : weight}${name(place)}`).join(" + ");
  const lines = rest.transitions.map(({ id, pre, post, reset }) => {
    const resets = reset.length === 0 ? "" : ` reset ${reset.map(name).join(" ")}`;
    return `${id}: ${side(pre)} -> ${side(post)}${resets}`;
  });
  const ends = rest.finals.kind === "ends" ? rest.finals.ends.map(name).join(" ") : "?";
  return `${lines.join("; ")} | ${ends}`;
}

describe("a terminating transition", () => {
  const which = (given: Net) => {
    const found = terminating(given);
    return found === null
      ? null
      : given.transitions.flatMap(({ id }, t) => (found[t] === 1 ? [id] : [])).join(" ");
  };
  const of = (text: string, options: Parameters<typeof net>[1] = TWO_ENDS) => which(net(text, options));

  it("[D13.13] empties all but the ends, and marks one end that only such transitions mark", () => {
    expect(which(base)).toBe("y");
    expect(of("t: i -> a; u: a -> o; y: a -> e reset a i; z: i -> e reset i a")).toBe("y z");
    expect(of("t: i -> o")).toBe("");
    expect(of("y: i -> e reset i")).toBe("y");
  });

  it.each([
    ["a place is not reset", "t: i -> a; u: a -> o; y: a -> e reset a"],
    ["one is reset twice instead", "t: i -> a; u: a -> o; y: a -> e reset a a"],
    ["an end is reset instead", "t: i -> a; u: a -> o; y: a -> e reset a o"],
    ["nothing is marked", "t: i -> a; u: a -> o; y: a -> reset i a"],
    ["two ends are marked", "t: i -> a; y: a -> e + o reset i a"],
    ["the end gets two tokens", "t: i -> a; u: a -> o; y: a -> 2e reset i a"],
    ["it marks no end", "t: i -> a; u: a -> o; y: a -> i reset i a"],
    ["another transition marks the end", "t: i -> a; u: a -> e; y: a -> e reset i a"],
    ["another marks it beside others", "t: i -> a; u: a -> o + e; y: a -> e reset i a"],
  ])("[D13.13] not if %s", (_, text) => {
    expect(of(text)).toBe("");
  });

  it("[D13.13] not if the end is marked at the start", () => {
    const text = "t: i -> a; u: a -> o; y: a -> e reset i a";
    expect(of(text)).toBe("y");
    expect(of(text, { ...TWO_ENDS, initial: { i: 1, e: 1 } })).toBe("");
    expect(of(text, { ...TWO_ENDS, initial: { i: 1, o: 1 } })).toBe("y");
    expect(of(text, { ends: ["o", "e", "e"] })).toBe("y");
  });

  it("[D13.13] of other classes nothing is said", () => {
    const text = "t: i -> a; u: a -> o; y: a -> e reset i a";
    expect(of(text, { finals: [{ o: 1 }] })).toBeNull();
    expect(of("t: i any b -> a; y: a -> e reset i a b")).toBeNull();
    expect(of("t: -> i; y: i -> e reset i")).toBeNull();
    expect(of("t: i -> o; y: o -> e reset i")).toBeNull();
    expect(of("t: i -> o; y: i + o -> e reset i")).toBeNull();
    const given = net(text, TWO_ENDS);
    const ruled = given.transitions.map((t, n) => (n === 1 ? { ...t, rule: "r" as never } : t));
    expect(which({ ...given, transitions: ruled })).toBeNull();
  });
});

describe("the remainder", () => {
  it("[D13.14] is the net without the part, and without the ends that only the part marks", () => {
    expect(withoutTermination(base, { places: [3], exits: [2] })).toEqual({
      net: {
        places: base.places.slice(0, 3),
        transitions: base.transitions.slice(0, 2),
        initial: [1, 0, 0],
        finals: { kind: "ends", ends: [2] },
      },
      places: [0, 1, 2],
      transitions: [0, 1],
      inner: [undefined, undefined, undefined, [3], undefined],
      isSafe: true,
      isNarrow: true,
    });
  });

  it("[D13.14] has the numbers of what is left, and resets what its own transitions reset", () => {
    const text =
      "x: i -> d; y: d -> e reset i a b c d; t: i -> a + 2b; u: a + 2b -> o + c reset c b; v: c -> c";
    const given = net(text, TWO_ENDS);
    expect(without(given, "d", "x")).toBe("t: i -> a + 2b; u: a + 2b -> o + c reset c b; v: c -> c | o");
    const left = leftOf(given, partOf(given, "d", "x"));
    expect(left.transitions).toEqual([2, 3, 4]);
    expect(left.places).toEqual([0, 3, 4, 5, 6]);
    expect(left.net.transitions[1]?.reset).toEqual([3, 2]);
  });

  it("[D13.14] resets no place that it does not have, also where an end is reset, which D1.1 excludes", () => {
    const text =
      "t: i -> a + b; u: a + b -> o reset e b i; v: a -> b reset e; x: a -> d; y: d -> e reset i a b d";
    const given = net(text, TWO_ENDS);
    expect(without(given, "d", "x")).toBe("t: i -> a + b; u: a + b -> o reset b i; v: a -> b | o");
    expect(leftOf(given, partOf(given, "d", "x")).net.transitions.map(({ reset }) => reset)).toEqual([
      [],
      [2, 0],
      [],
    ]);
  });

  it("[D13.14] keeps the weight of a single arc", () => {
    const text = "t: i -> 2a; u: 2a -> 3b; v: 3b -> o; x: 2a -> d; y: d -> e reset i a b d";
    expect(without(net(text, TWO_ENDS), "d", "x")).toBe("t: i -> 2a; u: 2a -> 3b; v: 3b -> o | o");
  });

  it("[D13.14] has the terminations that are left, without their resets", () => {
    expect(without(net("t: i -> a; u: a -> o; y: a -> e reset i a", TWO_ENDS), "", "")).toBe(
      "t: i -> a; u: a -> o; y: a -> e | o e",
    );
    // An end that others mark too stays, and so does one that nothing marks.
    const shared = "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d; z: i -> e reset i a d";
    expect(without(net(shared, TWO_ENDS), "d", "x")).toBe("t: i -> a; u: a -> o; z: i -> e | o e");
    const bare = "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d n";
    expect(without(net(bare, { ends: ["o", "e", "f"] }), "d", "x")).toBe("t: i -> a; u: a -> o | o f");
  });

  it("[D13.14] exits may terminate at once, and may reset", () => {
    expect(without(net("t: i -> a; u: a -> o; x: a -> e reset i a", TWO_ENDS), "", "x")).toBe(
      "t: i -> a; u: a -> o | o",
    );
    const text = "t: i -> a; u: a -> o; x: a -> d reset i; y: d -> e reset i a d";
    expect(without(net(text, TWO_ENDS), "d", "x")).toBe("t: i -> a; u: a -> o | o");
  });

  it("[D13.14] inner transitions may form a way, and a way back", () => {
    const text =
      "t: i -> a; u: a -> o; x: a -> d; v: d -> f; w: f -> d; h: i -> g; k: g -> f; y: f -> e reset i a d f g";
    const given = net(text, TWO_ENDS);
    expect(without(given, "d f g", "x h")).toBe("t: i -> a; u: a -> o | o");
    const { inner } = leftOf(given, partOf(given, "d f g", "x h"));
    expect([...inner]).toEqual([undefined, undefined, undefined, [3], [4, 7], [6], undefined]);
    // The termination is behind two places that lead to the same one.
    expect(without(given, "g f d", "h x")).toBe("t: i -> a; u: a -> o | o");
  });

  it("[D13.14] keeps whose variants the transitions are", () => {
    const origin = { node: 1, phase: "step", consumed: [], chosen: [] } as const;
    const marks: Partial<Transition>[] = [{ origin, generated: true }, { origin }, {}, { origin }];
    const given = { ...base, transitions: base.transitions.map((t, n) => ({ ...t, ...marks[n] })) };
    const { transitions } = leftOf(given, partOf(given, "d", "x")).net;
    expect(transitions).toStrictEqual(given.transitions.slice(0, 2));
    const [first] = transitions;
    expect(first).toHaveProperty("generated", true);
    const alone = { ...base, transitions: base.transitions.map((t) => ({ ...t, generated: true })) };
    expect(leftOf(alone, partOf(alone, "d", "x")).net.transitions[0]).not.toHaveProperty("generated");
    expect(leftOf(base, partOf(base, "d", "x")).net.transitions).toStrictEqual(base.transitions.slice(0, 2));
  });

  it.each([
    ["the net is of another class", "t: i any a -> o; y: a -> e reset i", "", ""],
    ["no such place or transition", "t: i -> o; y: i -> e reset i", "nowhere", ""],
    ["no such place or transition", "t: i -> o; y: i -> e reset i", "", "none"],
    ["inner transition 3", "t: i -> a; u: a -> o; x: a -> d; y: d + a -> e reset i a d", "d", "x"],
    ["inner transition 3", "t: i -> a; u: a -> o; x: a -> d; y: 2d -> e reset i a d", "d", "x"],
    ["inner transition 3", "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d", "d", "x y"],
    ["inner transition 3", "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i d", "d", "x"],
    ["inner transition 3", "t: i -> a; u: a -> o; x: a -> d; y: d -> a", "d", "x"],
    [
      "inner transition 3",
      "t: i -> a; u: a -> o; x: a -> d; v: d -> f reset a; y: f -> e reset i a d f",
      "d f",
      "x",
    ],
    [
      "inner transition 3",
      "t: i -> a; u: a -> o; x: a -> d; v: d -> f + a; y: f -> e reset i a d f",
      "d f",
      "x",
    ],
    [
      "inner transition 3",
      "t: i -> a; u: a -> o; x: a -> d; v: d -> 2f; y: f -> e reset i a d f",
      "d f",
      "x",
    ],
    ["inner transition 3", "t: i -> a; u: a -> o; x: a -> d; v: d -> ; y: d -> e reset i a d", "d", "x"],
    ["exit 1", "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d", "d", "u x"],
    ["exit 2", "t: i -> a; u: a -> o; x: a -> d + i; y: d -> e reset i a d", "d", "x"],
    ["exit 2", "t: i -> a; u: a -> o; x: a -> 2d; y: d -> e reset i a d", "d", "x"],
    ["exit 2", "t: i -> a; u: a -> o; x: a -> d reset d; y: d -> e reset i a d", "d", "x"],
    ["exit 4", "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d; z: i -> ", "d", "x z"],
    ["transition 2 is no exit", "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d", "d", ""],
    ["transition 0 is no exit", "t: i -> a + d; u: a -> o; x: a -> d; y: d -> e reset i a d", "d", "x"],
    ["transition 0 is no exit", "t: i -> a reset d; u: a -> o; x: a -> d; y: d -> e reset i a d", "d", "x"],
    ["place 2", "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d", "d o", "x u"],
    ["a place leads to no termination", "t: i -> a; u: a -> o; x: a -> d; v: d -> d", "d", "x"],
    ["a place leads to no termination", "t: i -> a; u: a -> o; x: a -> d", "d", "x"],
    [
      "a place leads to no termination",
      "t: i -> a; u: a -> o; x: a -> d; h: a -> f; v: f -> f; y: d -> e reset i a d f",
      "d f",
      "x h",
    ],
  ])("[D13.14] is none: %s", (why, text, places, exits) => {
    expect(without(net(text, TWO_ENDS), places, exits)).toBe(why);
  });

  it("[D13.14] is none if a place of the part is marked at the start, or no end is left", () => {
    const marked = net("t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d", {
      ...TWO_ENDS,
      initial: { i: 1, d: 1 },
    });
    expect(without(marked, "d", "x")).toBe("place 3");
    expect(without(net("t: i -> a; x: a -> e reset i a", { ends: ["e"] }), "", "x")).toBe(
      "no end place is left",
    );
  });
});

describe("the breadth of a part", () => {
  const broad = (given: Net, places: string, exits: string) => {
    const { isSafe, isNarrow } = leftOf(given, partOf(given, places, exits));
    return `${isSafe ? "safe" : "not safe"}, ${isNarrow ? "narrow" : "not narrow"}`;
  };
  const breadthOf = (text: string, places: string, exits: string) =>
    broad(net(text, TWO_ENDS), places, exits);

  it("[D13.14] of one exit is that of what it takes", () => {
    expect(broad(base, "d", "x")).toBe("safe, narrow");
    // What a transition that stays resets is not steady.
    const reset = "t: i -> a; u: a -> o reset a; x: a -> d; y: d -> e reset i a d";
    expect(breadthOf(reset, "d", "x")).toBe("not safe, not narrow");
    const besides = "t: i -> a; u: i -> o reset a; x: a + i -> d; y: d -> e reset i a d";
    expect(breadthOf(besides, "d", "x")).toBe("safe, narrow");
    // What only a termination resets is steady.
    const ended = "t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d; z: i -> e reset i a d";
    expect(breadthOf(ended, "d", "x")).toBe("safe, narrow");
    const counter = {
      ...base,
      places: base.places.map((p, n) => (n === 1 ? { ...p, role: "counter" as const } : p)),
    };
    expect(broad(counter, "d", "x")).toBe("not safe, not narrow");
    // An exit that terminates puts nothing into the part.
    const direct = "t: i -> a; u: a -> o reset a; x: a -> e reset i a";
    expect(breadthOf(direct, "", "x")).toBe("safe, narrow");
  });

  it("[D13.14] of several exits into one place is what they have in common", () => {
    const rest = "y: d -> e reset i a b c d; t: i -> a + b + c; u: a + b + c -> o";
    expect(breadthOf(`x: a -> d; h: b -> d; ${rest}`, "d", "x h")).toBe("not safe, narrow");
    expect(breadthOf(`x: a + b -> d; h: b + c -> d; ${rest}`, "d", "x h")).toBe("safe, narrow");
    expect(breadthOf(`x: a + b -> d; h: b + c -> d; k: c + a -> d; ${rest}`, "d", "x h k")).toBe(
      "not safe, narrow",
    );
    expect(breadthOf(`x: a -> d; h: a -> d; ${rest}`, "d", "x h")).toBe("safe, narrow");
  });

  it("[D13.14] of exits whose tokens meet later is what they have in common", () => {
    const rest = "y: g -> e reset i a b d f g; v: d -> g; w: f -> g; t: i -> a + b; u: a + b -> o";
    expect(breadthOf(`x: a -> d; h: b -> f; ${rest}`, "d f g", "x h")).toBe("not safe, narrow");
    expect(breadthOf(`x: a -> d; h: b + a -> f; ${rest}`, "d f g", "x h")).toBe("safe, narrow");
    expect(breadthOf(`x: a -> d; h: b -> f; k: d -> d; ${rest}`, "d f g", "x h")).toBe("not safe, narrow");
    // Each has an end of its own: the tokens never meet.
    const apart = "y: d -> e reset i a b d f; z: f -> e reset i a b d f; t: i -> a + b; u: a + b -> o";
    expect(breadthOf(`x: a -> d; h: b -> f; ${apart}`, "d f", "x h")).toBe("safe, narrow");
  });
});
