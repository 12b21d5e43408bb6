/** @module Which evidence speaks for and against which obligation, on nets small enough to be judged by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type CheckableLine, checkEvidence, checkLines } from "../../src/certificate/check.ts";
import type { DeadElement, NetEvidence, NeverFires, NoCompletion, Support } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;
const IDS = ["O1", "O2", "O3", "O4", "deadlock", "bounded", "sound"] as const;
type Id = (typeof IDS)[number];

const fails = (n: Net, id: Id, evidence: NetEvidence, statesMax = 100) =>
  said(checkEvidence(n, id, { kind: "fails", evidence }, { statesMax }));
const holds = (n: Net, id: Id, evidence: Support, statesMax = 100) =>
  said(checkEvidence(n, id, { kind: "holds", evidence }, { statesMax }));

/** The obligations that the evidence refutes; all others are refused for the reason. */
function against(n: Net, evidence: NetEvidence, reason: RegExp): readonly Id[] {
  return IDS.filter((id) => {
    const answer = fails(n, id, evidence);
    if (answer !== "valid") expect(answer).toMatch(reason);
    return answer === "valid";
  });
}

/** The obligations that the support shows; all others are refused for the reason. */
function shown(n: Net, support: Support, reason: RegExp): readonly Id[] {
  return IDS.filter((id) => {
    const answer = holds(n, id, support);
    if (answer !== "valid") expect(answer).toMatch(reason);
    return answer === "valid";
  });
}

// Places i, a, o, b: a run that is in a or b stays there.
const room = net("t: i -> a; u: i -> o; v: a -> b; w: b -> a");
const inRoom = { sequence: [0], marking: [0, 1, 0, 0] };
// Places i, o, c; v never fires.
const starved = net("t: i -> o; v: c -> o");
const V: DeadElement = { element: { kind: "transition", transition: 1 }, transitions: [1] };
const line = net("t: i -> a; u: a -> o");

describe("evidence against an obligation", () => {
  const stuck = (certificate: NoCompletion): NetEvidence => ({ kind: "E2", run: inRoom, certificate });

  it("[D8.2] E2: a run after which no final marking is reached", () => {
    const set = { kind: "closed-set", size: 2, markings: null } as const;
    expect(against(room, stuck(set), /^E2 is no evidence against/)).toEqual(["O1", "sound"]);
    expect(fails(room, "O1", stuck({ ...set, size: 3 }))).toBe("2 markings, not 3");
    expect(fails(room, "O1", stuck(set), 1)).toBe("closed set of 2 markings");
    expect(fails(room, "O1", stuck({ kind: "trap", places: [1, 3] }))).toBe("valid");
    expect(fails(room, "O1", stuck({ kind: "trap", places: [1] }))).toMatch(/puts nothing back/);
    const wrong = { ...inRoom, marking: [0, 0, 0, 1] };
    expect(fails(room, "O1", { kind: "E2", run: wrong, certificate: { kind: "trap", places: [1, 3] } })).toBe(
      "the run reaches another marking",
    );
    // From the start the end is reached.
    const start = { sequence: [], marking: [1, 0, 0, 0] };
    expect(fails(room, "O1", { kind: "E2", run: start, certificate: { ...set, size: 4 } })).toBe(
      "the set contains a final marking",
    );
  });

  it("[T24.1] E2: by the state equation, from the marking of the run", () => {
    // Bounds of the final marking: at most i 0, a 0, o 1, b 0; and at least one token on the end.
    const close = {
      kind: "farkas",
      constraints: [1, 3, 5],
      factors: [1, 1, 1],
      places: [],
      weights: [],
    } as const;
    const proof = [{ kind: "trap", places: [1, 3] } as const, close];
    expect(fails(room, "O1", stuck({ kind: "state-equation", proofs: [proof] }))).toBe("valid");
    expect(fails(room, "O1", stuck({ kind: "state-equation", proofs: [[close]] }))).toMatch(
      /no such constraint/,
    );
    const start = { sequence: [], marking: [1, 0, 0, 0] };
    expect(
      fails(room, "O1", { kind: "E2", run: start, certificate: { kind: "state-equation", proofs: [proof] } }),
    ).toMatch(/the trap is not marked/);
  });

  it("[D8.4] E3: elements none of whose transitions fires", () => {
    const dead = (certificate: NeverFires, ...elements: readonly DeadElement[]): NetEvidence => ({
      kind: "E3",
      dead: elements.length === 0 ? [V] : elements,
      certificate,
    });
    const siphon = { kind: "empty-siphon", places: [2] } as const;
    expect(against(starved, dead(siphon), /^E3 is no evidence against/)).toEqual(["O3", "sound"]);
    expect(fails(starved, "O3", { kind: "E3", dead: [], certificate: siphon })).toBe(
      "no dead element is named",
    );
    const T: DeadElement = { element: { kind: "transition", transition: 0 }, transitions: [0] };
    expect(fails(starved, "O3", dead(siphon, V, T))).toBe("transition 0 does not need the siphon");
    expect(fails(starved, "O3", dead({ ...siphon, places: [0] }))).toBe(
      "transition 1 does not need the siphon",
    );
    expect(fails(starved, "O3", dead({ ...siphon, places: [0] }, T))).toBe("place 0 of the siphon is marked");
    const NONE = "not an element of the net";
    expect(fails(starved, "O3", dead(siphon, { ...V, transitions: [] }))).toBe(NONE);
    expect(fails(starved, "O3", dead(siphon, { ...V, transitions: [1, 1] }))).toBe(NONE);
    expect(fails(starved, "O3", dead(siphon, { ...V, transitions: [0] }))).toBe(NONE);
    expect(
      fails(
        starved,
        "O3",
        dead(siphon, { element: { kind: "transition", transition: 2 }, transitions: [2] }),
      ),
    ).toBe(NONE);
    expect(
      fails(starved, "O3", dead(siphon, V, { element: { kind: "arc", arc: 1 }, transitions: [1] })),
    ).toBe(NONE);
    const set = { kind: "closed-set", size: 2, markings: null } as const;
    expect(fails(starved, "O3", dead(set))).toBe("valid");
    expect(fails(starved, "O3", dead(set, V, T))).toBe("t is enabled in the set");
    expect(fails(starved, "O3", dead(set), 1)).toBe("closed set of 2 markings");
    // No token comes to c, so that its sum stays zero.
    const sum = { kind: "farkas", constraints: [0], factors: [1], places: [2], weights: [-1] } as const;
    expect(fails(starved, "O3", dead({ kind: "state-equation", proofs: [[sum]] }))).toBe("valid");
    expect(fails(starved, "O3", dead({ kind: "state-equation", proofs: [[sum], [sum]] }, V, T))).toMatch(
      /step 0/,
    );
    const graph = {
      goal: { kind: "enabled", transition: 1 },
      states: [{ marking: [1, 0, 0], set: [1] }],
    } as const;
    expect(fails(starved, "O3", dead({ kind: "stubborn", graphs: [graph] }))).toBe("valid");
    expect(fails(starved, "O3", dead({ kind: "stubborn", graphs: [] }))).not.toBe("valid");
    expect(fails(starved, "O3", dead({ kind: "reduced", size: 2, steps: [] }))).toBe("valid");
    expect(fails(starved, "O3", dead({ kind: "reduced", size: 3, steps: [] }))).not.toBe("valid");
    const terminating = { kind: "terminating", part: { exits: [], places: [] }, inner: siphon } as const;
    expect(fails(starved, "O3", dead({ ...terminating, inner: terminating }))).toBe("a part within a part");
    expect(fails(starved, "O3", dead({ ...terminating, part: { exits: [9], places: [] } }))).toBe(
      "no such place or transition",
    );
  });

  it("[T13.7] E3: without the terminating part, whose own transitions need what only dead ones make", () => {
    const ended = net("s: i -> o; u: a -> o; x: a -> f; k: f -> e reset i a f", { ends: ["o", "e"] });
    const dead = (size: number, ...transitions: readonly number[]) =>
      fails(ended, "O3", {
        kind: "E3",
        dead: transitions.map((transition) => ({
          element: { kind: "transition", transition },
          transitions: [transition],
        })),
        certificate: {
          kind: "terminating",
          part: { exits: [2], places: [3] },
          inner: { kind: "closed-set", size, markings: null },
        },
      });
    expect(dead(2, 1, 2, 3)).toBe("valid");
    expect(dead(3, 1, 2, 3)).toBe("2 markings, not 3");
    expect(dead(2, 1, 3)).toBe("nothing shows that transition 3 is dead");
    expect(dead(2, 0, 1, 2, 3)).toBe("s is enabled in the set");
  });

  it("[D8.4] elements of variants: outcomes and arcs, by what they are of", () => {
    const variant = (n: Net, at: number, consumed: readonly number[]): Net => ({
      ...n,
      transitions: n.transitions.map((t, index) =>
        index === at
          ? {
              ...t,
              generated: true,
              origin: { node: 1, phase: "start", outcome: "x", consumed, chosen: [] } as never,
            }
          : t,
      ),
    });
    const made = variant(starved, 1, [4]);
    const siphon = { kind: "empty-siphon", places: [2] } as const;
    const dead = (element: DeadElement["element"], transitions: readonly number[] = [1]) =>
      fails(made, "O3", { kind: "E3", dead: [{ element, transitions }], certificate: siphon });
    const NONE = "not an element of the net";
    const outcome = { kind: "outcome", node: 1, phase: "start", outcome: "x" } as const;
    expect(dead(outcome)).toBe("valid");
    expect(dead({ ...outcome, node: 2 })).toBe(NONE);
    expect(dead({ ...outcome, phase: "finish" })).toBe(NONE);
    expect(dead({ ...outcome, outcome: null })).toBe(NONE);
    expect(dead(outcome, [0])).toBe(NONE);
    expect(dead({ kind: "arc", arc: 4 })).toBe("valid");
    // Both variants stand for the outcome.
    const both = variant(made, 0, []);
    const all = { kind: "closed-set", size: 2, markings: null } as const;
    const ofBoth = (...transitions: readonly number[]) =>
      fails(both, "O3", { kind: "E3", dead: [{ element: outcome, transitions }], certificate: all });
    expect(ofBoth(0, 1)).toBe("t is enabled in the set");
    for (const other of [[1, 0], [0, 0], [1, 1], [1]]) expect(ofBoth(...other)).toBe(NONE);
    expect(dead({ kind: "arc", arc: 1 })).toBe(NONE);
    expect(dead({ kind: "transition", transition: 1 })).toBe(NONE);
    expect(dead({ kind: "transition", transition: 4 })).toBe(NONE);
  });

  it("[T8.1] [T8.2] E3-pump, and [T13.5] E3-ill-formed", () => {
    const pumping = net("t: i -> p; u: p -> p + q; v: p -> o");
    const pump = { kind: "E3-pump", run: { sequence: [0, 1], marking: [0, 1, 1, 0] }, from: 1 } as const;
    expect(against(pumping, pump, /^a pump is no evidence against/)).toEqual(["O1", "sound"]);
    expect(fails(pumping, "O1", { ...pump, from: 0 })).toMatch(/does not gain/);
    expect(fails(pumping, "O1", { ...pump, run: { ...pump.run, marking: [0, 0, 1, 1] } })).toBe(
      "the run reaches another marking",
    );
    const two = net("t: i -> p; u: p -> p + q; v: p -> o; w: p -> e", { ends: ["o", "e"] });
    const there = { ...pump, run: { sequence: [0, 1], marking: [0, 1, 1, 0, 0] } };
    expect(fails(two, "O1", there)).toMatch(/more than one final marking/);
    expect(fails(two, "sound", there)).toBe("valid");
    const gaining: NetEvidence = { kind: "E3-ill-formed", reason: { kind: "gain", firings: [1, 0] } };
    expect(against(net("t: i -> i + o"), gaining, /^an ill-formed net is no evidence against/)).toEqual([
      "sound",
    ]);
    expect(fails(net("t: i -> o"), "sound", gaining)).toMatch(/gain is not shown/);
  });

  it("[D8.9] E1: a run to a fault, replayed by the rules", () => {
    const improper = net("t: i -> 2o");
    const twice: NetEvidence = {
      kind: "E1",
      run: { sequence: [0], marking: [0, 2] },
      finding: { kind: "second-token", place: 1 },
    };
    expect(against(improper, twice, /^second-token is no evidence against/)).toEqual(["O2", "sound"]);
    const ruled: Net = {
      ...improper,
      transitions: improper.transitions.map((t) => ({ ...t, rule: "r" as never })),
    };
    const by = (isAllowed: boolean) =>
      said(
        checkEvidence(
          ruled,
          "O2",
          { kind: "fails", evidence: twice },
          { rules: new Map([["r", () => isAllowed]]) },
        ),
      );
    expect([by(true), by(false)]).toEqual(["valid", "firing 0 is not enabled"]);
  });
});

describe("support of an obligation", () => {
  const enumerated: Support = { class: "enumerated", method: "by hand", states: 3 };
  const compact: Support = { class: "compact", method: "by hand", states: 0 };

  it("[D8.9] by the markings, by runs for each element, or not to be checked", () => {
    expect(shown(line, enumerated, /^$/)).toEqual([...IDS]);
    expect(holds(line, "O1", { ...enumerated, states: 2 })).toBe("not 2 reachable markings");
    expect(holds(line, "O1", enumerated, 2)).toBe("3 markings");
    expect(shown(line, { ...compact, runs: [[0], [0, 1]] }, /^no compact evidence for/)).toEqual(["O3"]);
    expect(holds(line, "O3", { ...compact, runs: [[0], [1]] })).toBe("run 1 is not enabled");
    expect(holds(line, "O1", { ...enumerated, class: "recomputable" })).toBe("no checker");
    const recomputable = checkEvidence(line, "O1", {
      kind: "holds",
      evidence: { ...compact, class: "recomputable" },
    });
    expect(recomputable.kind).toBe("unchecked");
  });

  it("[T24.1] [T24.2] by the state equation and by weights", () => {
    const weights: Support = { ...compact, certificate: { kind: "weights", weights: [1, 1, 1] } };
    expect(shown(line, weights, /^weights show nothing of/)).toEqual(["bounded"]);
    const sum = {
      kind: "farkas",
      constraints: [0],
      factors: [1],
      places: [0, 1, 2],
      weights: [-1, -1, -1],
    } as const;
    const equation: Support = { ...compact, certificate: { kind: "state-equation", proofs: [[sum]] } };
    expect(holds(line, "O2", equation)).toBe("valid");
    expect(holds(line, "O1", equation)).toBe("the state equation shows nothing of O1");
  });

  it("[T13.1] [T25.2] by the reduced net and by stubborn sets", () => {
    const reduced: Support = { ...enumerated, certificate: { kind: "reduction", steps: [] } };
    expect(holds(line, "O1", reduced)).toBe("valid");
    expect(holds(line, "O1", { ...reduced, states: 4 })).not.toBe("valid");
    const beyond: Support = {
      ...enumerated,
      certificate: { kind: "reduction", steps: [{ kind: "post", place: 9 }] },
    };
    expect(holds(line, "O1", beyond)).not.toBe("valid");
    const sets: Support = { ...compact, certificate: { kind: "stubborn", graphs: [], runs: [[0], [0, 1]] } };
    expect(holds(line, "O3", sets)).toBe("valid");
    expect(holds(line, "O4", sets)).not.toBe("valid");
  });

  it("[T13.6] by what is left without the terminating part", () => {
    const terminated = net("s: i -> a; j: a -> o; x: a -> f; k: f -> e reset i a f", { ends: ["o", "e"] });
    // Without x, k, f and e: three markings.
    const support: Support = {
      ...enumerated,
      certificate: { kind: "terminating", part: { exits: [2], places: [3] }, inner: enumerated },
    };
    expect(holds(terminated, "O1", support)).toBe("valid");
    expect(
      holds(terminated, "O1", {
        ...support,
        certificate: {
          kind: "terminating",
          part: { exits: [2], places: [3] },
          inner: { ...enumerated, states: 4 },
        },
      }),
    ).not.toBe("valid");
  });
});

describe("several lines", () => {
  it("[D8.9] open ones are valid, and nothing is checked of what is no net", () => {
    const open = { kind: "unknown", limit: { kind: "states", at: 1 } } as const;
    const support = {
      kind: "holds",
      evidence: { class: "enumerated", method: "by hand", states: 3 },
    } as const;
    const run = { sequence: [], marking: [1, 0, 0] };
    const fault: CheckableLine = {
      id: "O4",
      verdict: { kind: "fails", evidence: { kind: "E1", run, finding: { kind: "unsafe", place: 0 } } },
    };
    const lines: readonly CheckableLine[] = [
      { id: "O1", verdict: open },
      { id: "O1", verdict: support },
      fault,
    ];
    expect(checkLines(line, lines).map(said)).toEqual(["valid", "valid", "the place is safe there"]);
    const huge = { ...line, initial: [2 ** 31, 0, 0] };
    expect(checkLines(huge, lines).map(said)).toEqual([
      "valid",
      "numbers beyond 2^31 - 1",
      "numbers beyond 2^31 - 1",
    ]);
    expect(checkLines(line, lines, { statesMax: 2 }).map(said)[1]).toBe("3 markings");
    expect(said(checkEvidence(line, "O1", support))).toBe("valid");
    expect(checkLines(line, [])).toEqual([]);
  });

  it("[D8.9] the same evidence for two lines is looked at once", () => {
    let asked = 0;
    const rules = new Map([
      [
        "r",
        () => {
          asked += 1;
          return true;
        },
      ],
    ]);
    const ruled: Net = { ...room, transitions: room.transitions.map((t) => ({ ...t, rule: "r" as never })) };
    const evidence: NetEvidence = { kind: "E2", run: inRoom, certificate: { kind: "trap", places: [1, 3] } };
    const against = (id: Id): CheckableLine => ({ id, verdict: { kind: "fails", evidence } });
    expect(checkLines(ruled, [against("O1")], { rules }).map(said)).toEqual(["valid"]);
    const once = asked;
    expect(once).toBeGreaterThan(0);
    expect(checkLines(ruled, [against("O1"), against("sound")], { rules }).map(said)).toEqual([
      "valid",
      "valid",
    ]);
    expect(asked).toBe(2 * once);
  });
});
