/** @module The checkers of runs, of enumerations and of the net itself, on nets small enough to be judged by hand. */
import type { Marking, Net, NonLocalRules } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { malformed } from "../../src/certificate/malformed.ts";
import { checkEnumerated, type Enumerations, enumeration } from "../../src/certificate/recompute.ts";
import { checkRun, checkRunEvidence, checkRuns } from "../../src/certificate/run.ts";
import type { Finding, NetObligationId } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const rules: NonLocalRules = new Map();
const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

describe("runs", () => {
  const block = net("t: i -> a + b; u: a -> o; v: b -> o");
  const run = (sequence: readonly number[], marking: Marking) => ({ sequence, marking });

  it("[D8.9] a run fires, and reaches the marking that it states", () => {
    expect(said(checkRun(block, run([0, 2], [0, 1, 0, 1])))).toBe("valid");
    expect(said(checkRun(block, run([], block.initial)))).toBe("valid");
    expect(said(checkRun(block, run([0, 1, 1], [0, 0, 1, 1])))).toBe("firing 2 is not enabled");
    expect(said(checkRun(block, run([0, 2], [0, 0, 1, 1])))).toBe("the run reaches another marking");
  });

  it("[D8.9] what a run has in common with the one before is fired once", () => {
    const counted = (text: string, ...runs: readonly (readonly number[])[]) => {
      const given = net(text);
      let firings = 0;
      const rule = () => {
        firings += 1;
        return true;
      };
      const ruled = { ...given, transitions: given.transitions.map((t) => ({ ...t, rule: "counted" })) };
      const support = { class: "compact", method: "by hand", states: 0, runs } as const;
      expect(said(checkRuns(ruled, support, new Map([["counted", rule]])))).toBe("valid");
      return firings;
    };
    expect(counted("t: i -> a; u: a -> b; v: b -> o", [0], [0, 1], [0, 1, 2])).toBe(3);
    // Two ways part after `u`, another after `t`, which is still known then.
    const tree = "t: i -> a; u: a -> b; v: b -> o; w: b -> c; x: a -> d";
    expect(counted(tree, [0], [0, 1], [0, 1, 2], [0, 1, 3], [0, 4])).toBe(5);
    // What comes between is not remembered: each but the last is fired anew.
    expect(counted("t: i -> i + o; u: i -> i + a", [1, 0], [0, 1])).toBe(4);
  });

  const found = (
    n: Net,
    id: NetObligationId | "sound",
    sequence: readonly number[],
    marking: Marking,
    finding: Finding,
  ) => said(checkRunEvidence(n, id, { kind: "E1", run: run(sequence, marking), finding }, { rules }));
  const IDS = ["O1", "O2", "O3", "O4", "deadlock", "bounded", "sound"] as const;
  /** The obligations against which the run speaks; the others are refused for that reason. */
  const against = (n: Net, sequence: readonly number[], marking: Marking, finding: Finding) =>
    IDS.filter((id) => {
      const answer = found(n, id, sequence, marking, finding);
      if (answer !== "valid") expect(answer).toBe(`${finding.kind} is no evidence against ${id}`);
      return answer === "valid";
    });

  it("[D8.9] runs that begin alike are accepted if and only if each of them fires alone", () => {
    const nets = [
      net("t: i -> a + b; u: a -> b; v: 2b -> o; w: o -> i + a"),
      net("t: i -> a; u: a -> i; v: a -> b reset i; w: b any i a -> i + a"),
    ];
    const fires = ({ transitions, initial }: Net, sequence: readonly number[]) => {
      const tokens = [...initial];
      return sequence.every((t) => {
        const { pre, any, post, reset } = transitions[t]!;
        const marked = any.filter((p) => tokens[p]! > 0);
        if (pre.some(([p, w]) => tokens[p]! < w) || (any.length > 0 && marked.length === 0)) return false;
        for (const [p, w] of pre) tokens[p]! -= w;
        for (const p of marked) tokens[p]! -= 1;
        for (const p of reset) tokens[p] = 0;
        for (const [p, w] of post) tokens[p]! += w;
        return true;
      });
    };
    const beginning = fc.array(fc.nat({ max: 3 }), { maxLength: 6 });
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...nets),
        beginning,
        fc.infiniteStream(fc.nat({ max: 6 })),
        (n, common, stream) => {
          // Each run is a beginning of one sequence, then its own transition; the sequence fires as far as it can.
          const fired = common.filter((_, at) => fires(n, common.slice(0, at + 1)));
          const runs = n.transitions.map((_, t) => [...fired.slice(0, stream.next().value), t]);
          const expected = runs.findIndex((run) => !fires(n, run));
          const answer = said(checkRuns(n, { class: "compact", method: "drawn", states: 0, runs }, rules));
          expect(answer).toBe(expected < 0 ? "valid" : `run ${expected} is not enabled`);
          if (expected < 0 || expected > 1) accepted += 1;
        },
      ),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  it("[D8.3] a second token on an end", () => {
    const two = [0, 0, 0, 2];
    const NO_SECOND = "no second token on an end";
    const token = (place: number) => ({ kind: "second-token", place }) as const;
    expect(against(block, [0, 1, 2], two, token(3))).toEqual(["O2", "sound"]);
    expect(found(block, "O2", [0, 1, 2], [0, 0, 0, 1], token(3))).toBe("the run reaches another marking");
    expect(found(block, "O2", [0, 1], [0, 0, 1, 1], token(3))).toBe(NO_SECOND);
    expect(found(block, "O2", [0, 1, 2], two, token(9))).toBe(NO_SECOND);
    const many = net("t: i -> 2a + o");
    expect(found(many, "O2", [0], [0, 2, 1], token(1))).toBe(NO_SECOND);
    const listed = net("t: i -> 2o", { finals: [{ o: 1 }] });
    expect(found(listed, "O2", [0], [0, 2], token(1))).toBe(NO_SECOND);
  });

  it("[D8.3] a marking beyond a listed final one, which is not final itself", () => {
    const listed = net("t: i -> a + o; u: a -> o", { finals: [{ o: 1 }, { o: 2 }] });
    const beyond = (final: Marking) => ({ kind: "beyond-final", final }) as const;
    const NOT = "not beyond a final marking";
    expect(against(listed, [0], [0, 1, 1], beyond([0, 0, 1]))).toEqual(["O2", "sound"]);
    expect(found(listed, "O2", [0], [0, 1, 1], beyond([0, 0, 2]))).toBe(NOT);
    expect(found(listed, "O2", [0], [0, 1, 1], beyond([0, 1, 0]))).toBe(NOT);
    expect(found(listed, "O2", [0, 1], [0, 0, 2], beyond([0, 0, 1]))).toBe(NOT);
    expect(found(block, "O2", [0, 1], [0, 0, 1, 1], beyond([0, 0, 0, 1]))).toBe(NOT);
  });

  it("[D8.5] two tokens on a control place", () => {
    const many = net("t: i -> 2a + 2c + o");
    const counting: Net = {
      ...many,
      places: many.places.map((place) => (place.id === "c" ? { ...place, role: "counter" as never } : place)),
    };
    const unsafe = (place: number) => ({ kind: "unsafe", place }) as const;
    expect(against(counting, [0], [0, 2, 2, 1], unsafe(1))).toEqual(["O4"]);
    for (const place of [0, 2, 3, 9])
      expect(found(counting, "O4", [0], [0, 2, 2, 1], unsafe(place))).toBe("the place is safe there");
  });

  it("[D8.6] [D8.7] a marking that nothing leaves, and a pump", () => {
    const stuck = net("t: i -> a; u: i -> o");
    expect(against(stuck, [0], [0, 1, 0], { kind: "deadlock" })).toEqual(["deadlock"]);
    expect(found(stuck, "deadlock", [1], [0, 0, 1], { kind: "deadlock" })).toBe("not a deadlock");
    expect(found(stuck, "deadlock", [], [1, 0, 0], { kind: "deadlock" })).toBe("not a deadlock");
    const pumping = net("t: i -> p; u: p -> p + q; v: p -> o");
    expect(against(pumping, [0, 1], [0, 1, 1, 0], { kind: "pump", from: 1 })).toEqual(["bounded"]);
    expect(found(pumping, "bounded", [0, 1], [0, 1, 1, 0], { kind: "pump", from: 0 })).toMatch(
      /does not gain/,
    );
  });

  it("[D8.4] a run for each element, which ends with it", () => {
    const runs = (...listed: readonly (readonly number[])[]) =>
      said(checkRuns(block, { class: "compact", method: "by hand", states: 0, runs: listed }, rules));
    expect(runs([0], [0, 1], [0, 2])).toBe("valid");
    expect(runs([0], [0, 2, 1], [0, 2])).toBe("valid");
    expect(runs([0], [0, 1])).toBe("not one run for each element");
    expect(runs([0], [0, 1], [0, 2], [0])).toBe("not one run for each element");
    expect(runs([0], [0, 1], [0, 1])).toBe("run 2 does not end with its element");
    expect(runs([0], [], [0, 2])).toBe("run 1 does not end with its element");
    expect(runs([0], [1], [0, 2])).toBe("run 1 is not enabled");
    expect(said(checkRuns(block, { class: "compact", method: "by hand", states: 0 }, rules))).toMatch(
      /not one run/,
    );
    const still: Net = { ...block, transitions: [] };
    expect(said(checkRuns(still, { class: "compact", method: "by hand", states: 0 }, rules))).toBe("valid");
    expect(
      said(checkRuns(still, { class: "compact", method: "by hand", states: 0, runs: [[]] }, rules)),
    ).toMatch(/not one run/);
  });
});

describe("enumerations", () => {
  const SOUND = "t: i -> a; u: a -> o";
  const check = (n: Net, id: NetObligationId | "sound", states: number, statesMax = 100) =>
    said(
      checkEnumerated(
        n,
        id,
        { class: "enumerated", method: "by hand", states },
        {
          rules,
          statesMax,
          enumerations: new Map(),
        },
      ),
    );

  it.each<[string, Net, number, Readonly<Record<string, string>>]>([
    ["sound", net(SOUND), 3, {}],
    [
      "left alone",
      net("t: i -> a; u: i -> o"),
      3,
      { O1: "some marking cannot complete", deadlock: "a deadlock", sound: "not sound" },
    ],
    [
      "running in a circle",
      net("t: i -> a; u: i -> o; v: a -> a"),
      3,
      { O1: "some marking cannot complete", sound: "not sound" },
    ],
    [
      "two tokens at the end",
      net("t: i -> 2o"),
      2,
      {
        O1: "some marking cannot complete",
        O2: "improper completion",
        O4: "not safe",
        deadlock: "a deadlock",
        sound: "not sound",
      },
    ],
    ["two tokens before the end", net("t: i -> 2a; u: 2a -> o"), 3, { O4: "not safe" }],
    [
      "a transition that never fires",
      net("t: i -> a; u: a -> o; v: c -> o"),
      3,
      { O3: "an element is dead", sound: "not sound" },
    ],
    [
      "more than one final marking allows",
      net("t: i -> o + a; u: a -> o", { finals: [{ o: 1 }, { o: 2 }] }),
      3,
      { O2: "improper completion", O4: "not safe", sound: "not sound" },
    ],
  ])("[D8.2] [D8.3] [D8.4] [D8.5] [D8.6] %s", (_, n, states, wrong) => {
    for (const id of ["O1", "O2", "O3", "O4", "deadlock", "bounded", "sound"] as const) {
      expect([id, check(n, id, states)]).toEqual([id, wrong[id] ?? "valid"]);
      expect(check(n, id, states + 1)).toBe(`not ${states + 1} reachable markings`);
      expect(check(n, id, states - 1)).toBe(`not ${states - 1} reachable markings`);
      expect(check(n, id, states, states)).toMatch(wrong[id] ?? "valid");
      expect(check(n, id, states, states - 1)).toBe(`${states} markings`);
    }
  });

  it("[D8.1] a net is built once, and again only for a larger number", () => {
    const line = net(SOUND);
    const enumerations: Enumerations = new Map();
    let asked = 0;
    const ruled: Net = { ...line, transitions: line.transitions.map((t) => ({ ...t, rule: "r" as never })) };
    const counted = (size: number) => {
      asked = 0;
      const found = enumeration(ruled, size, {
        rules: new Map([
          [
            "r",
            () => {
              asked += 1;
              return true;
            },
          ],
        ]),
        enumerations,
        statesMax: 9,
      });
      return [found === null ? null : found.markings.length, asked > 0];
    };
    expect(counted(2)).toEqual([null, true]);
    expect(counted(2)).toEqual([null, false]);
    expect(counted(1)).toEqual([null, false]);
    expect(counted(3)).toEqual([3, true]);
    expect(counted(3)).toEqual([3, false]);
    expect(counted(4)).toEqual([null, false]);
    const { finals } = enumeration(ruled, 3, { rules, enumerations, statesMax: 9 })!;
    expect([...finals]).toEqual([0, 0, 1]);
  });
});

describe("nets that are none", () => {
  const line = net("t: i -> a; u: a -> o");
  const LARGE = 2 ** 31 - 1;
  const reason = (change: Partial<Net>) => {
    const fault = malformed({ ...line, ...change });
    return fault === null || fault.kind === "valid" ? null : fault.reason;
  };
  const HUGE = "numbers beyond 2^31 - 1";
  const TWICE = "a place is named twice on one side";

  it("[D1.2] numbers beyond what is exact", () => {
    expect(reason({})).toBeNull();
    expect(reason({ initial: [LARGE, LARGE, 0] })).toBeNull();
    expect(reason({ initial: [0, LARGE + 1, 0] })).toBe(HUGE);
    const final = (...markings: readonly Marking[]) => reason({ finals: { kind: "markings", markings } });
    expect(final([0, 0, LARGE])).toBeNull();
    expect(final([0, 0, 1], [0, 0, LARGE + 1])).toBe(HUGE);
    expect(reason({ initial: [LARGE + 1, 0, 0], finals: { kind: "markings", markings: [] } })).toBe(HUGE);
    const arcs = (pre: number, post: number) => {
      const [t, u] = line.transitions;
      return reason({
        transitions: [
          {
            ...t!,
            pre: [[0, pre]],
            post: [
              [1, 1],
              [2, post],
            ],
          },
          u!,
        ],
      });
    };
    expect([arcs(LARGE, LARGE), arcs(LARGE + 1, 1), arcs(1, LARGE + 1)]).toEqual([null, HUGE, HUGE]);
  });

  it("[D1.1] a place twice on one side", () => {
    const sides = (pre: readonly number[], post: readonly number[]) => {
      const [t, u] = line.transitions;
      const once = (places: readonly number[]) => places.map((place) => [place, 1] as const);
      return reason({ transitions: [{ ...t!, pre: once(pre), post: once(post) }, u!] });
    };
    expect(sides([0, 1, 2], [0, 1, 2])).toBeNull();
    expect(sides([0, 1], [2])).toBeNull();
    expect(sides([0, 0], [2])).toBe(TWICE);
    expect(sides([0, 1, 0], [2])).toBe(TWICE);
    expect(sides([0], [2, 1, 2])).toBe(TWICE);
    // The same place in several transitions is no fault.
    const loops = net("t: i -> i; u: i -> i; v: i -> o");
    expect(malformed(loops)).toBeNull();
    expect(
      malformed({
        ...loops,
        transitions: [
          ...loops.transitions,
          {
            ...loops.transitions[0]!,
            post: [
              [0, 1],
              [0, 1],
            ],
          },
        ],
      })?.kind,
    ).toBe("unchecked");
  });
});
