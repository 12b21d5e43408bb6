/** @module What a search says of each obligation of a net, on nets small enough to be judged by hand. */
import { type Net, NO_RULES } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { noFindings } from "../../src/findings.ts";
import { pumpRefutes, strictlyCovers } from "../../src/obligations/boundedness.ts";
import { deadTransitions } from "../../src/obligations/dead-transitions.ts";
import { isDeadlock } from "../../src/obligations/deadlock.ts";
import {
  noCompletion,
  optionToComplete,
  trapCertificate,
  wholeTrap,
} from "../../src/obligations/option-to-complete.ts";
import { unsafePlace } from "../../src/obligations/safeness.ts";
import type { Search } from "../../src/search.ts";
import { finish, searchNet } from "../../src/soundness.ts";
import { advance, type StateSpace, stateSpace } from "../../src/state-space.ts";
import { structureOf } from "../../src/structure.ts";
import type { Limit } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const LIMIT: Limit = { kind: "states", at: 7 };

/** A search that has seen everything, or as many markings as it may, and was told of no fault. */
function searched(given: Net, statesMax = 5000): Search {
  const found = finish(searchNet(given, { limits: { statesMax } }), {});
  if (found === null) throw new Error("huge");
  return { ...found, findings: noFindings() };
}

const marking = (given: Net, tokens: Readonly<Record<string, number>>) =>
  given.places.map(({ id }) => tokens[id] ?? 0);

describe("option to complete", () => {
  const stuck = (given: Net, sequence: readonly number[], ...markings: Record<string, number>[]) => ({
    kind: "fails",
    evidence: {
      kind: "E2",
      run: { sequence, marking: marking(given, markings[0]!) },
      certificate: {
        kind: "closed-set",
        size: markings.length,
        markings: markings.map((tokens) => marking(given, tokens)),
      },
    },
  });

  it("[D8.2] holds if a final marking is within reach of each, by all markings", () => {
    expect(optionToComplete(searched(net("t: i -> a; u: a -> i; v: a -> o")))).toEqual({
      kind: "holds",
      evidence: { class: "enumerated", method: "state space", states: 3 },
    });
  });

  it("[D8.2] fails by the first marking from which none is, with all that follows it", () => {
    const room = net("t: i -> o; a: i -> x; b: x -> y; c: y -> x");
    expect(optionToComplete(searched(room))).toEqual(stuck(room, [1], { x: 1 }, { y: 1 }));
    const never = net("t: i -> x; u: x -> i");
    expect(optionToComplete(searched(never))).toEqual(stuck(never, [], { i: 1 }, { x: 1 }));
    // One that enables nothing comes before.
    const dead = net("t: i -> o; a: i -> x; b: x -> y; c: y -> x; d: y -> z");
    expect(optionToComplete(searched(dead))).toEqual(stuck(dead, [1, 2, 4], { z: 1 }));
    // Nothing at all is not final, and neither is one end too many of a kind.
    const empty = net("t: i -> ; u: i -> o");
    expect(optionToComplete(searched(empty))).toEqual(stuck(empty, [0], {}));
    const twice = net("t: i -> 2o; u: i -> o");
    expect(optionToComplete(searched(twice))).toEqual(stuck(twice, [0], { o: 2 }));
  });

  it("[D8.2] lists what follows up to 256 markings, and counts more", () => {
    for (const size of [256, 257]) {
      const room = net("d: a -> b; e: b -> a", { initial: { a: size - 1 } });
      expect(optionToComplete(searched(room))).toMatchObject({
        evidence: { certificate: { size, markings: size === 256 ? { length: 256 } : null } },
      });
    }
  });

  it("[L8.3] of a trap no more places are named than are needed", () => {
    const rooms = net("t: i -> a; u: a -> b; v: b -> a; w: i -> c; x: c -> d; y: d -> c; z: i -> o");
    const run = { sequence: [0], marking: marking(rooms, { a: 1 }) };
    const whole = wholeTrap(structureOf(rooms), run.marking);
    expect(whole).toEqual({ kind: "trap", places: [1, 2, 3, 4] });
    expect(wholeTrap(structureOf(rooms), rooms.initial)).toBeNull();
    expect(trapCertificate(rooms, structureOf(rooms), run.marking)).toEqual({ kind: "trap", places: [1, 2] });
    expect(trapCertificate(rooms, structureOf(rooms), rooms.initial)).toBeNull();
    const said = (certificate: typeof whole) => {
      const evidence = { kind: "E2", run, certificate: certificate! } as const;
      const found = searched(rooms);
      return optionToComplete({ ...found, findings: { ...noFindings(), stuck: evidence } });
    };
    expect(said(whole)).toMatchObject({ evidence: { run, certificate: { kind: "trap", places: [1, 2] } } });
    const other = { kind: "overfull", place: 1 } as const;
    expect(said(other)).toEqual({ kind: "fails", evidence: { kind: "E2", run, certificate: other } });
  });

  it("[L8.1] [L8.2] a marking says itself that it is beyond what is final", () => {
    const given = net("t: i -> o + p; u: o -> o + p");
    const said = (tokens: Record<string, number>) => noCompletion(structureOf(given), marking(given, tokens));
    expect(said({ o: 1 })).toBeNull();
    expect(said({ i: 1 })).toBeNull();
    expect(said({ o: 1, p: 1 })).toEqual({ kind: "overfull", place: 2 });
    const taken = net("t: i -> o + p; u: p -> q; v: q -> p");
    expect(noCompletion(structureOf(taken), marking(taken, { o: 1, p: 1 }))).toEqual({
      kind: "covers-final",
      final: marking(taken, { o: 1 }),
    });
  });

  it("[T8.1] a pump is completed from where it starts, and leaves there what it makes", () => {
    const pumped = (given: Net, sequence: readonly number[], from: number, statesMax = 3) => {
      const found = searched(given, statesMax);
      const pump = { kind: "E3-pump", run: { sequence, marking: [] }, from } as const;
      return optionToComplete({ ...found, findings: { ...noFindings(), pump } });
    };
    const later = net("s: i -> a; t: a -> a + p; u: a -> b; v: b -> o");
    expect(pumped(later, [0, 1], 1)).toEqual({
      kind: "fails",
      evidence: {
        kind: "E2",
        run: { sequence: [0, 1, 2, 3], marking: marking(later, { o: 1, p: 1 }) },
        certificate: { kind: "covers-final", final: marking(later, { o: 1 }) },
      },
    });
    // It may start where the net could end.
    const atEnd = net("t: -> p; u: i -> o", { initial: { o: 1 } });
    expect(pumped(atEnd, [0], 0)).toMatchObject({
      evidence: { run: { sequence: [0], marking: marking(atEnd, { o: 1, p: 1 }) } },
    });
    // No way to the end from there: the theorem alone.
    const none = net("t: i -> i + p; u: i -> x; v: x -> x + p; w: z -> o");
    expect(pumped(none, [0], 0)).toEqual({
      kind: "fails",
      evidence: { kind: "E3-pump", run: { sequence: [0], marking: [] }, from: 0 },
    });
    // Where the theorem says nothing the limit is named.
    const losing = net("t: i -> i + p; u: i -> o; v: p -> ");
    expect(pumped(losing, [0], 0)).toEqual({ kind: "unknown", limit: { kind: "states", at: 3 } });
  });
});

describe("no dead transition", () => {
  const whole = (given: Net, statesMax = 5000): StateSpace => {
    const space = stateSpace(given);
    advance(space, statesMax);
    return space;
  };
  const said = (given: Net, limit: Limit | null, statesMax?: number) =>
    deadTransitions(given, [whole(given, statesMax)], limit);
  const single = (...ts: readonly number[]) =>
    ts.map((t) => ({ element: { kind: "transition", transition: t }, transitions: [t] }));

  it("[D8.4] fails by a siphon that starts empty, if that shows all, else by all markings", () => {
    // `w` needs `z`, which nothing fills; `v` needs two tokens where there is one.
    const starved = net("t: i -> o; w: z -> o; x: z + i -> o");
    expect(said(starved, null)).toMatchObject({
      evidence: { dead: single(1, 2), certificate: { kind: "empty-siphon", places: [2] } },
    });
    const both = net("t: i -> o; w: z -> o; v: 2i -> o");
    expect(said(both, null)).toEqual({
      kind: "fails",
      evidence: {
        kind: "E3",
        dead: single(1, 2),
        certificate: {
          kind: "closed-set",
          size: 2,
          markings: [marking(both, { i: 1 }), marking(both, { o: 1 })],
        },
      },
    });
    // Of a part only what the siphon shows is said; and nothing where it shows nothing.
    expect(said(both, LIMIT)).toMatchObject({
      evidence: { dead: single(1), certificate: { kind: "empty-siphon" } },
    });
    expect(said(net("t: i -> o; v: 2i -> o"), LIMIT)).toEqual({ kind: "unknown", limit: LIMIT });
  });

  it("[L8.4] one of several optional inputs is enough, if it can be marked", () => {
    const given = net("t: i -> a; u: i any y z -> o; v: a any a z -> o");
    const dead = said(given, LIMIT, 1);
    expect(dead).toMatchObject({ evidence: { dead: single(1) } });
  });

  it("[D8.4] an element is starved if each of its transitions is", () => {
    const given = net("t: i -> a; u: z -> o; v: a -> o");
    const origin = { node: 0, phase: "finish", consumed: [], chosen: [], outcome: "done" } as const;
    const variants: Net = {
      ...given,
      transitions: given.transitions.map((t, n) => (n === 0 ? t : { ...t, generated: true, origin })),
    };
    // `v` was not seen yet.
    expect(said(variants, LIMIT, 1)).toEqual({ kind: "unknown", limit: LIMIT });
    const [first] = variants.transitions;
    const without = { ...variants, transitions: [first!, variants.transitions[1]!] };
    expect(said(without, LIMIT, 1)).toMatchObject({ kind: "fails" });
  });

  it("[D8.4] lists up to 256 markings, and counts more", () => {
    for (const size of [256, 257]) {
      const given = net(`d: a -> b; e: ${size}a -> b`, { initial: { a: size - 1 } });
      expect(said(given, null)).toMatchObject({
        evidence: {
          dead: single(1),
          certificate: { kind: "closed-set", size, markings: size === 256 ? { length: 256 } : null },
        },
      });
    }
  });

  it("[D8.4] holds by all markings, or by the shortest run seen to each element", () => {
    const line = net("s: i -> a; t: a -> b; u: b -> o; v: a -> o");
    expect(said(line, null)).toEqual({
      kind: "holds",
      evidence: { class: "enumerated", method: "state space", states: 4 },
    });
    expect(said(line, LIMIT)).toEqual({
      kind: "holds",
      evidence: {
        class: "compact",
        method: "one run for each element",
        states: 4,
        runs: [[0], [0, 1], [0, 1, 2], [0, 3]],
      },
    });
    expect(deadTransitions({ ...line, transitions: [] }, [], null)).toMatchObject({
      evidence: { states: 0 },
    });
    const origin = { node: 0, phase: "finish", consumed: [], chosen: [], outcome: "done" } as const;
    const variants = (...of: readonly number[]): Net => ({
      ...line,
      transitions: line.transitions.map((t, n) => (of.includes(n) ? { ...t, generated: true, origin } : t)),
    });
    // The one that is listed later is nearer; of two that are as near, the first is taken.
    expect(said(variants(2, 3), LIMIT)).toMatchObject({ evidence: { runs: [[0], [0, 1], [0, 3]] } });
    expect(said(variants(1, 3), LIMIT)).toMatchObject({ evidence: { runs: [[0], [0, 1, 2], [0, 1]] } });
    expect(said(variants(0, 2), LIMIT)).toMatchObject({ evidence: { runs: [[0, 1], [0, 3], [0]] } });
    // What the first space has not seen the second may have.
    const spaces = [whole(line, 1), whole(line)];
    expect(deadTransitions(line, spaces, LIMIT)).toMatchObject({
      evidence: { states: 5, runs: [[0], [0, 1], [0, 1, 2], [0, 3]] },
    });
  });
});

describe("a marking", () => {
  it("[D8.6] is a deadlock if it is not final and enables nothing", () => {
    const given = net("t: i -> a; u: a -> o; v: o -> i");
    const ends = net("t: i -> a; u: i -> o");
    expect(isDeadlock(ends, marking(ends, { a: 1 }))).toBe(true);
    expect(isDeadlock(ends, marking(ends, { o: 1 }))).toBe(false);
    expect(isDeadlock(ends, ends.initial)).toBe(false);
    expect(isDeadlock(given, marking(given, { o: 1 }))).toBe(false);
    const ruled = { ...ends, transitions: ends.transitions.map((t) => ({ ...t, rule: "never" })) };
    expect(isDeadlock(ruled, ends.initial, new Map([["never", () => false]]))).toBe(true);
    expect(isDeadlock(ruled, ends.initial, new Map([["never", () => true]]))).toBe(false);
    expect(isDeadlock(ends, ends.initial, NO_RULES)).toBe(false);
  });

  it("[D8.5] is safe if no control place has two tokens", () => {
    const given = net("t: i -> a + b + o");
    const counting = {
      ...given,
      places: given.places.map((p) => (p.id === "a" ? ({ ...p, role: "counter" } as const) : p)),
    };
    expect(unsafePlace(given, marking(given, { i: 1, a: 2, b: 2 }))).toBe(1);
    expect(unsafePlace(counting, marking(given, { i: 1, a: 2, b: 2 }))).toBe(2);
    expect(unsafePlace(counting, marking(given, { i: 1, a: 2, b: 1 }))).toBeNull();
  });

  it("[D8.7] strictly covers one with no more anywhere, and less somewhere", () => {
    expect(strictlyCovers([1, 2], [1, 1])).toBe(true);
    expect(strictlyCovers([1, 1], [1, 1])).toBe(false);
    expect(strictlyCovers([2, 0], [1, 1])).toBe(false);
    expect(strictlyCovers([0, 2], [1, 1])).toBe(false);
  });

  it("[T8.1] [T8.2] of what a pump refutes, by the class, the ends and what is taken from them", () => {
    const refutes = (given: Net) => pumpRefutes(given, structureOf(given));
    expect(refutes(net("t: i -> i + p; u: i -> o"))).toBe("O1");
    expect(refutes(net("t: i -> i + 2p; u: i -> o"))).toBe("O1");
    expect(refutes(net("t: i -> i + p; u: i -> o; v: p -> "))).toBe("nothing");
    expect(refutes(net("t: i -> i + p; u: i -> o reset p"))).toBe("nothing");
    const two = { ends: ["o", "e"] };
    expect(refutes(net("t: i -> i + p; u: i -> o; v: i -> e", two))).toBe("O1 or O2");
    expect(refutes(net("t: i -> i + p; u: i -> o; v: i -> e; w: e -> i", two))).toBe("nothing");
    expect(refutes(net("t: i -> i + p; u: i -> o", { ends: [] }))).toBe("nothing");
    expect(refutes(net("t: i -> i + p; u: i -> o", { finals: [{ o: 1 }, { p: 1 }] }))).toBe("nothing");
  });
});
