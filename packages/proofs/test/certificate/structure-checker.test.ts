/** @module The checkers of siphons and traps, and which questions the structure answers, on nets small enough to be judged by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkBareSiphon, checkMinimalSets, checkSiphonTraps } from "../../src/certificate/siphons.ts";
import { checkStructureClaim, type StructureEvidence } from "../../src/certificate/structure-claims.ts";
import { QUESTION_NAMES, type Question } from "../../src/questions/question.ts";
import type { SiphonStep } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;
const place = (at: number): SiphonStep => ({ kind: "place", place: at });
const within = (set: number): SiphonStep => ({ kind: "within", set });
const none: SiphonStep = { kind: "none" };

// Places a, b and k, which stands alone.
const ring = net("t: a -> b; u: b -> a", { initial: { a: 1 }, ends: ["k"] });
const RING_STEPS = [place(0), place(1), within(0), none, none];
// Places a, b.
const falling = net("t: a -> b", { initial: { a: 1 }, ends: [] });
// Places a, b, c: c is always there, and t is the only transition that needs it.
const helped = net("v: a -> a; u: b -> a; t: a + c -> b + c", { initial: { a: 1, c: 1 }, ends: [] });
const HELPED_STEPS = [place(0), place(1), within(0), none, place(2), within(1), none];

describe("minimal siphons and traps", () => {
  const loops = net("t: a -> b; u: b -> a; v: c -> c", { initial: {}, ends: [] });
  const STEPS = [place(0), place(1), within(0), none, place(2), within(1), none];
  const siphons = (sets: readonly (readonly number[])[], steps: readonly SiphonStep[], n = loops) =>
    said(checkMinimalSets(n, "siphons", { sets, steps }));

  it("[D24.10] each is a set, a siphon, minimal, and there once", () => {
    expect(siphons([[0, 1], [2]], STEPS)).toBe("valid");
    expect(siphons([[1, 0], [2]], STEPS)).toBe("valid");
    expect(siphons([[0, 1, 0], [2]], STEPS)).toBe("set 0 is no set");
    expect(siphons([[0, 1], [2], []], STEPS)).toBe("set 2 is no set");
    expect(siphons([[0], [2]], STEPS)).toBe("set 0 is none of the siphons");
    expect(siphons([[0, 1], [2], [1, 2]], STEPS)).toBe("set 2 is none of the siphons");
    expect(siphons([[0, 1, 2]], STEPS)).toBe("set 0 is not minimal");
    expect(siphons([[0, 1], [2], [1, 0]], STEPS)).toBe("set 2 is there twice");
  });

  it("[D24.10] every case is decided, and rightly", () => {
    const argue = (...steps: readonly SiphonStep[]) => siphons([[0, 1], [2]], steps);
    expect(argue(...STEPS, none)).toBe("step 7 has no case");
    expect(argue(...STEPS.slice(0, 6))).toBe("1 cases are left");
    expect(argue(...STEPS.slice(0, 2))).toBe("3 cases are left");
    expect(argue()).toBe("1 cases are left");
    expect(argue(none)).toBe("step 0: the case has a siphon");
    expect(argue(place(0), place(0))).toBe("step 1: the place is decided");
    expect(argue(...STEPS.slice(0, 4), place(0))).toBe("step 4: the place is decided");
    expect(argue(place(0), within(0))).toBe("step 1: the set is not in the case");
    expect(argue(place(0), place(1), within(1))).toBe("step 2: the set is not in the case");
    expect(argue(place(0), place(1), within(2))).toBe("step 2: the set is not in the case");
    expect(argue(place(0), place(1), none)).toBe("step 2: the case has a siphon");
    // The first siphon is missing from the list.
    expect(siphons([[2]], STEPS)).toBe("step 2: the set is not in the case");
    expect(siphons([[2]], [place(2), within(0), none])).toBe("step 2: the case has a siphon");
  });

  it("[D24.10] siphons gain only by losing, traps lose only by gaining", () => {
    const sets = (of: "siphons" | "traps", set: number) =>
      said(checkMinimalSets(falling, of, { sets: [[set]], steps: [place(set), within(0), none] }));
    expect([sets("siphons", 0), sets("traps", 1)]).toEqual(["valid", "valid"]);
    expect([sets("siphons", 1), sets("traps", 0)]).toEqual([
      "set 0 is none of the siphons",
      "set 0 is none of the traps",
    ]);
  });

  it("[D24.10] one of several inputs is enough", () => {
    const paired = net("t: a + b -> c; u: c -> a", { initial: {}, ends: [] });
    const [a = 0, b = 0, c = 0] = ["a", "b", "c"].map((id) => paired.places.findIndex((p) => p.id === id));
    const steps = [place(b), within(0), place(a), place(c), within(1), none, none];
    expect(siphons([[b], [a, c]], steps, paired)).toBe("valid");
    expect(siphons([[b], [c]], steps, paired)).toBe("set 1 is none of the siphons");
    expect(siphons([[b, c]], steps, paired)).toBe("set 0 is not minimal");
    // A place that is filled for nothing leaves the set; what needs another place beside it stays.
    const beside = net("t: a + b -> c; u: d -> a", { initial: {}, ends: [] });
    expect(siphons([[3], [1]], [place(3), within(0), place(2), none], beside)).toBe(
      "step 3: the case has a siphon",
    );
    // Minimal siphons of one size may have a place in common.
    const common = net("t: a + b -> c; u: b + a -> c; v: c -> a + b", { initial: {}, ends: [] });
    const cases = [place(2), place(0), within(0), place(1), within(1), none, none];
    expect(
      siphons(
        [
          [0, 2],
          [1, 2],
        ],
        cases,
        common,
      ),
    ).toBe("valid");
    // What nothing fills is a siphon; what a transition fills for nothing is in none.
    const made = net("t: -> a; u: a -> b", { initial: {}, ends: ["k"] });
    expect(siphons([[2]], [place(2), within(0), none], made)).toBe("valid");
    expect(siphons([[0]], [], made)).toBe("set 0 is none of the siphons");
  });
});

describe("Commoner's condition", () => {
  const traps = (
    n: Net,
    siphons: readonly (readonly number[])[],
    inside: readonly (readonly number[])[],
    steps: readonly SiphonStep[],
  ) => said(checkSiphonTraps(n, { kind: "siphon-traps", siphons, traps: inside, steps }));

  it("[D24.11] each siphon but isolated places contains a marked trap", () => {
    expect(traps(ring, [[0, 1]], [[0, 1]], RING_STEPS)).toBe("valid");
    expect(traps(ring, [[0, 1]], [], RING_STEPS)).toBe("not one trap for each siphon");
    expect(traps(ring, [[0, 1]], [[0, 1], []], RING_STEPS)).toBe("not one trap for each siphon");
    expect(traps(ring, [[0]], [[0, 1]], RING_STEPS)).toBe("trap 0 is not in its siphon");
    expect(traps(ring, [[0, 1]], [[0]], RING_STEPS)).toBe("set 0 is no trap");
    expect(traps(ring, [[0, 1]], [[]], RING_STEPS)).toBe("trap 0 is not marked");
    expect(traps({ ...ring, initial: [0, 0, 1] }, [[0, 1]], [[0, 1]], RING_STEPS)).toBe(
      "trap 0 is not marked",
    );
    expect(traps({ ...ring, initial: [0, 1, 0] }, [[0, 1]], [[0, 1]], RING_STEPS)).toBe("valid");
    expect(traps(ring, [[0, 1]], [[0, 1]], [])).toBe("1 cases are left");
    expect(traps(ring, [[0, 1]], [[0, 1]], [place(2)])).toBe("step 0: the place is decided");
    expect(traps(helped, [[0, 1], [2]], [[0, 1], [2]], HELPED_STEPS)).toBe("valid");
    expect(
      traps(
        helped,
        [[0, 1], [2]],
        [
          [0, 1],
          [0, 2],
        ],
        HELPED_STEPS,
      ),
    ).toBe("trap 1 is not in its siphon");
    expect(traps({ ...helped, initial: [1, 0, 0] }, [[0, 1], [2]], [[0, 1], [2]], HELPED_STEPS)).toBe(
      "trap 1 is not marked",
    );
  });

  it("[D24.11] a bare siphon: no isolated place, and its greatest trap is not marked", () => {
    const bare = (n: Net, ...places: readonly number[]) => said(checkBareSiphon(n, places));
    expect(bare(falling, 0)).toBe("valid");
    expect(bare(falling, 0, 1)).toBe("its trap is marked");
    // Only b is a trap in it.
    const leaving = net("t: a -> b; u: a -> c", { initial: { a: 1 }, ends: [] });
    expect(bare(leaving, 0, 1)).toBe("valid");
    expect(bare({ ...leaving, initial: [1, 1, 0] }, 0, 1)).toBe("its trap is marked");
    expect(bare(falling, 1)).toBe("not a siphon");
    expect(bare(falling)).toBe("nothing takes from a place");
    expect(bare(ring, 0, 1)).toBe("its trap is marked");
    expect(bare({ ...ring, initial: [0, 0, 1] }, 0, 1)).toBe("valid");
    expect(bare(ring, 0, 1, 2)).toBe("nothing takes from a place");
    expect(bare({ ...ring, initial: [0, 0, 0] }, 2)).toBe("nothing takes from a place");
    expect(bare(ring, 0)).toBe("not a siphon");
  });
});

describe("which questions are answered", () => {
  const OTHER = "it does not answer this question so";
  const weighted = net("t: 2a -> b; u: b -> 2a", { initial: { a: 2 }, ends: ["k"] });
  const still: Net = { ...ring, transitions: [] };
  const shared = net("t: a + b -> c; u: b + a -> c; v: c -> a + b", { initial: { a: 1, b: 1 }, ends: [] });
  const mixed = net("t: a -> b; u: a + c -> b", { initial: { a: 1 }, ends: [] });
  const heavy = net("t: 2a -> b", { initial: { a: 1 }, ends: [] });
  const ringSets = {
    sets: [[0, 1], [2]],
    steps: [place(0), place(1), within(0), none, place(2), within(1), none],
  };
  const ringTraps = { kind: "siphon-traps", siphons: [[0, 1]], traps: [[0, 1]], steps: RING_STEPS } as const;
  const RING_STATES = [
    { marking: [1, 0, 0], set: [0] },
    { marking: [0, 1, 0], set: [1] },
  ];
  const rows: readonly [string, Net, StructureEvidence, readonly string[]][] = [
    [
      "minimal sets",
      ring,
      { kind: "minimal-sets", ...ringSets },
      ["minimal-siphons holds", "minimal-traps holds"],
    ],
    ["traps, free choice", ring, ringTraps, ["commoner holds", "deadlock-free holds", "live holds"]],
    ["traps, weighted", weighted, ringTraps, ["commoner holds"]],
    [
      "traps, another choice",
      helped,
      { kind: "siphon-traps", siphons: [[0, 1], [2]], traps: [[0, 1], [2]], steps: HELPED_STEPS },
      ["commoner holds", "deadlock-free holds"],
    ],
    [
      "traps, nothing fires",
      still,
      { kind: "siphon-traps", siphons: [], traps: [], steps: [none] },
      ["commoner holds", "live holds"],
    ],
    [
      "traps, the same inputs in another order",
      shared,
      {
        kind: "siphon-traps",
        siphons: [
          [0, 2],
          [1, 2],
        ],
        traps: [
          [0, 2],
          [1, 2],
        ],
        steps: [place(2), place(0), within(0), place(1), within(1), none, none],
      },
      ["commoner holds", "deadlock-free holds", "live holds"],
    ],
    [
      "bare siphon, free choice",
      falling,
      { kind: "bare-siphon", places: [0] },
      ["commoner fails", "live fails"],
    ],
    ["bare siphon, another choice", mixed, { kind: "bare-siphon", places: [0] }, ["commoner fails"]],
    ["bare siphon, weighted", heavy, { kind: "bare-siphon", places: [0] }, ["commoner fails"]],
    [
      "traps, another choice of as many inputs",
      net("t: a + b -> a + b; u: a + d -> a + d", { initial: { a: 1, b: 1, d: 1 }, ends: [] }),
      {
        kind: "siphon-traps",
        siphons: [[0], [1], [2]],
        traps: [[0], [1], [2]],
        steps: [place(0), within(0), place(1), within(1), place(2), within(2), none],
      },
      ["commoner holds", "deadlock-free holds"],
    ],
    ["weights", ring, { kind: "p-invariant", numbers: [1, 1, 1] }, ["conservative holds"]],
    ["firings", ring, { kind: "t-invariant", numbers: [1, 1] }, ["consistent holds"]],
    [
      "gain",
      net("t: a -> a + b", { initial: {}, ends: [] }),
      { kind: "gain", numbers: [1] },
      ["conservative fails", "structurally-bounded fails"],
    ],
    ["drift", falling, { kind: "drift", numbers: [0, 1] }, ["consistent fails"]],
    [
      "stable",
      ring,
      { kind: "stable-place", place: 2, by: { kind: "closed-set", size: 2, markings: null } },
      ["stable-place holds"],
    ],
    ["changes", falling, { kind: "changes", sequences: [[0]] }, ["stable-place fails"]],
    ["enables", ring, { kind: "enables", sequences: [[0]] }, ["quasi-live holds"]],
    ["terminal graph", ring, { kind: "terminal", states: RING_STATES }, ["deadlock-free holds"]],
  ];

  it.each(rows)("[D24.10] [D24.11] [T24.8] %s", (_, n, evidence, answered) => {
    const found = QUESTION_NAMES.flatMap((kind) =>
      (["holds", "fails"] as const)
        .filter((verdict) => {
          const answer = said(checkStructureClaim(n, { kind } as Question, verdict, evidence, 9));
          if (answer !== "valid") expect(answer).toBe(OTHER);
          return answer === "valid";
        })
        .map((verdict) => `${kind} ${verdict}`),
    );
    expect(found.sort()).toEqual(answered);
  });

  it("[T24.8] wrong evidence is no answer, and backward firings bound nothing", () => {
    const claim = (
      kind: string,
      verdict: "holds" | "fails",
      evidence: StructureEvidence,
      n = falling,
      statesMax = 9,
    ) => said(checkStructureClaim(n, { kind } as Question, verdict, evidence, statesMax));
    const sets = { kind: "minimal-sets", sets: [[0]], steps: [place(0), within(0), none] } as const;
    expect(claim("minimal-siphons", "holds", sets)).toBe("valid");
    expect(claim("minimal-traps", "holds", sets)).toBe("set 0 is none of the traps");
    const back = { kind: "gain", numbers: [-1, 1] } as const;
    const two = net("t: 2b -> a; u: b -> a", { initial: {}, ends: [] });
    expect(claim("conservative", "fails", back, two)).toBe("valid");
    expect(claim("structurally-bounded", "fails", back, two)).toBe("firings below zero");
    const stable = {
      kind: "stable-place",
      place: 2,
      by: { kind: "closed-set", size: 2, markings: null },
    } as const;
    const terminal = { kind: "terminal", states: RING_STATES } as const;
    expect(claim("deadlock-free", "holds", terminal, ring, 2)).toBe("valid");
    expect(claim("deadlock-free", "holds", terminal, ring, 1)).toBe("2 markings");
    const started = { ...terminal, states: RING_STATES.slice(1) };
    expect(claim("deadlock-free", "holds", started, ring)).toBe("the start is missing");
    const ended = {
      kind: "terminal",
      states: [
        { marking: [1, 0], set: [0] },
        { marking: [0, 1], set: [] },
      ],
    } as const;
    expect(claim("deadlock-free", "holds", ended, falling)).toBe("a marking enables nothing");
    expect(claim("stable-place", "holds", stable, ring, 1)).toBe("closed set of 2 markings");
  });
});
