/** @module The checkers that fire: tables of markings, closed sets, runs, enumerations, on nets small enough to be judged by hand. */
import type { Marking, Net, NonLocalRules } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkClosedSet, enabledInSet, finalInSet } from "../../src/certificate/closed-set.ts";
import { malformed } from "../../src/certificate/malformed.ts";
import {
  findRow,
  keepRow,
  markingOfRow,
  markingTable,
  writeRow,
} from "../../src/certificate/marking-table.ts";
import { markingsOf, reached, reaching } from "../../src/certificate/reached.ts";
import { checkEnumerated, type Enumerations, enumeration } from "../../src/certificate/recompute.ts";
import { checkRun, checkRunEvidence, checkRuns } from "../../src/certificate/run.ts";
import { fireFromRow, tokenMoves } from "../../src/certificate/token-moves.ts";
import type { Finding, NetObligationId } from "../../src/verdict.ts";
import { net } from "../net-text.ts";

const rules: NonLocalRules = new Map();
const said = (checked: { readonly kind: string; readonly reason?: string }) => checked.reason ?? checked.kind;

describe("tables of markings", () => {
  it("[D8.1] every marking is found again, and no other one", () => {
    const table = markingTable(3);
    const all = Array.from({ length: 7 ** 3 }, (_, n) => [n % 7, Math.floor(n / 7) % 7, Math.floor(n / 49)]);
    for (const [row, M] of all.entries()) {
      const hash = writeRow(table, M);
      expect(findRow(table, hash)).toBe(-1);
      keepRow(table, hash);
      expect(table.count).toBe(row + 1);
    }
    for (const [row, M] of all.entries()) {
      expect(findRow(table, writeRow(table, M))).toBe(row);
      expect(markingOfRow(table, row)).toEqual(M);
    }
    expect(findRow(table, writeRow(table, [7, 0, 0]))).toBe(-1);
    // At most half of the slots are taken, so that looking up ends.
    expect(table.slots.length).toBeGreaterThanOrEqual(2 * table.count);
    expect(table.slots.length).toBeLessThanOrEqual(8 * table.count);
    expect(table.slots.filter((slot) => slot >= 0).sort((a, b) => a - b)).toEqual([...all.keys()]);
  });

  it("[D8.1] markings with the same hash are told apart, at every place", () => {
    const table = markingTable(2);
    const [f = 0, g = 0] = table.factors;
    expect([f % 2, g % 2].map(Math.abs)).toEqual([1, 1]);
    expect(f).not.toBe(g);
    // The hash counts modulo 2^32.
    const alike = [
      [1, 0],
      [1 + 2 ** 32, 0],
      [1, 2 ** 32],
    ];
    const hashes = alike.map((M) => {
      const hash = writeRow(table, M);
      expect(findRow(table, hash)).toBe(-1);
      keepRow(table, hash);
      return hash;
    });
    expect(new Set(hashes)).toEqual(new Set([f]));
    expect(alike.map((M) => findRow(table, writeRow(table, M)))).toEqual([0, 1, 2]);
  });

  it("[D8.1] the table of no places has one marking", () => {
    const table = markingTable(0);
    keepRow(table, writeRow(table, []));
    expect([findRow(table, 0), markingOfRow(table, 0)]).toEqual([0, []]);
  });
});

describe("firing on a table", () => {
  const moving = net("t: 2i -> a + 3b; u: a -> a; v: i any a -> b; w: i -> a reset b", {
    initial: { i: 2, b: 1 },
  });

  it("[D1.4] a transition takes and puts what its arcs say, if all of it is there", () => {
    const table = markingTable(4);
    const moves = tokenMoves(moving, table, rules);
    // Places i, a, b, o.
    const from: readonly Marking[] = [
      [2, 0, 1, 0],
      [1, 0, 4, 0],
      [3, 1, 0, 0],
      [0, 0, 0, 2],
    ];
    for (const M of from) keepRow(table, writeRow(table, M));
    const firedTo = (row: number, t: number): Marking | null => {
      const hash = fireFromRow(moves, row, t);
      if (hash === null) return null;
      const M = markingOfRow(table, table.count);
      expect(writeRow(table, M)).toBe(hash);
      return M;
    };
    expect(from.map((_, row) => firedTo(row, 0))).toEqual([[0, 1, 4, 0], null, [1, 2, 3, 0], null]);
    expect(from.map((_, row) => firedTo(row, 1))).toEqual([null, null, [3, 1, 0, 0], null]);
    expect(from.map((_, row) => firedTo(row, 2))).toEqual([null, null, [2, 0, 1, 0], null]);
    expect(from.map((_, row) => firedTo(row, 3))).toEqual([[1, 1, 0, 0], [0, 1, 0, 0], [2, 2, 0, 0], null]);
    expect(moves.hashChange.map((change) => change === null)).toEqual([false, false, true, true]);
  });

  it("[D1.4] a rule is asked", () => {
    const plain = net("t: i -> o");
    const ruled: Net = {
      ...plain,
      transitions: plain.transitions.map((t) => ({ ...t, rule: "r" as never })),
    };
    for (const isAllowed of [true, false]) {
      const table = markingTable(2);
      const moves = tokenMoves(ruled, table, new Map([["r", () => isAllowed]]));
      keepRow(table, writeRow(table, [1, 0]));
      expect(fireFromRow(moves, 0, 0) !== null).toBe(isAllowed);
    }
  });
});

describe("what is reached", () => {
  const choice = net("t: i -> a; u: i -> b; v: a -> b; w: b -> a; x: b -> o; y: c -> o");

  it("[D8.1] each marking once, each firing, and each transition that fires", () => {
    const all = reached(choice, choice.initial, 4, rules)!;
    // Places i, a, b, o, c.
    expect(markingsOf(all)).toEqual([
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 1, 0],
    ]);
    expect(all.source).toEqual([0, 0, 1, 2, 2]);
    expect(all.target).toEqual([1, 2, 2, 1, 3]);
    expect([...all.isEnabled]).toEqual([1, 1, 1, 1, 1, 0]);
    expect(reached(choice, choice.initial, 5, rules)?.table.count).toBe(4);
    expect(reached(choice, choice.initial, 3, rules)).toBeNull();
    expect(reached(choice, choice.initial, 0, rules)).toBeNull();
    expect(reached(choice, [0, 0, 0, 1, 0], 1, rules)?.table.count).toBe(1);
  });

  it("[D8.1] from which markings one of the goals is reached", () => {
    const graph = (...edges: readonly (readonly [number, number])[]) =>
      ({ source: edges.map(([s]) => s), target: edges.map(([, t]) => t) }) as never;
    const from = (edges: readonly (readonly [number, number])[], ...goals: readonly number[]) => [
      ...reaching(graph(...edges), Uint8Array.from(goals)),
    ];
    const edges = [
      [0, 1],
      [0, 4],
      [1, 2],
      [2, 1],
      [2, 3],
      [4, 4],
    ] as const;
    expect(from(edges, 0, 0, 0, 1, 0)).toEqual([1, 1, 1, 1, 0]);
    expect(from(edges, 0, 0, 0, 0, 1)).toEqual([1, 0, 0, 0, 1]);
    expect(from(edges, 1, 0, 0, 0, 0)).toEqual([1, 0, 0, 0, 0]);
    expect(from(edges, 0, 0, 0, 0, 0)).toEqual([0, 0, 0, 0, 0]);
    expect(from(edges, 0, 0, 0, 1, 1)).toEqual([1, 1, 1, 1, 1]);
    expect(from([[1, 0]], 1, 0)).toEqual([1, 1]);
  });
});

describe("closed sets", () => {
  // Places i, a, b, o.
  const room = net("t: i -> a; v: a -> b; w: b -> a; x: o -> o");
  const A = [0, 1, 0, 0];
  const B = [0, 0, 1, 0];
  const none = () => null;
  const set = (
    markings: readonly Marking[] | null,
    size: number,
    isBad: (M: Marking) => string | null = none,
    M = A,
  ) => said(checkClosedSet(room, M, { kind: "closed-set", size, markings }, isBad, { rules, statesMax: 3 }));

  it("[D8.2] listed: of the stated size, with the marking, not left, nothing bad", () => {
    expect(set([A, B], 2)).toBe("valid");
    expect(set([B, A], 2)).toBe("valid");
    expect(set([A, B, B], 3)).toBe("valid");
    expect(set([A, B], 3)).toBe("2 markings, not 3");
    expect(set([A, B], 1)).toBe("2 markings, not 1");
    expect(set([B], 1)).toBe("the set does not contain the marking");
    expect(set([A], 1)).toBe("the set is left by v");
    expect(set([A, B], 2, finalInSet(room), [1, 0, 0, 0])).toBe("the set does not contain the marking");
    expect(set([A, B, [0, 0, 0, 1]], 3, finalInSet(room))).toBe("the set contains a final marking");
    expect(set([A, B], 2, finalInSet(room))).toBe("valid");
    expect(set([A, B, [0, 1]], 3)).toBe("a marking of another net");
    expect(set([A, B, [0, 0, 0, 0, 0]], 3)).toBe("a marking of another net");
  });

  it("[D8.2] counted: built again from the marking, and of exactly that size", () => {
    expect(set(null, 2)).toBe("valid");
    expect(set(null, 1)).toBe("more than 1 markings are reachable");
    expect(set(null, 3)).toBe("2 markings, not 3");
    expect(set(null, 2, (M) => (M[2] === 1 ? "bad" : null))).toBe("bad");
    expect(set(null, 3, none, [1, 0, 0, 0])).toBe("valid");
  });

  it("[D8.2] larger sets than were allowed are not checked", () => {
    const large = checkClosedSet(room, A, { kind: "closed-set", size: 4, markings: null }, none, {
      rules,
      statesMax: 3,
    });
    expect(large).toEqual({ kind: "unchecked", reason: "closed set of 4 markings" });
  });

  it("[D8.4] a set in which a transition is enabled does not show that it is dead", () => {
    const enabled = (...dead: readonly number[]) => enabledInSet(room, new Set(dead), rules);
    expect(enabled(1)(A)).toBe("v is enabled in the set");
    expect(enabled(0, 2)(A)).toBeNull();
    expect(enabled(0, 2)(B)).toBe("w is enabled in the set");
    expect(enabled()(B)).toBeNull();
  });
});

describe("runs", () => {
  const block = net("t: i -> a + b; u: a -> o; v: b -> o");
  const run = (sequence: readonly number[], marking: Marking) => ({ sequence, marking });

  it("[D8.9] a run fires, and reaches the marking that it states", () => {
    expect(said(checkRun(block, run([0, 2], [0, 1, 0, 1])))).toBe("valid");
    expect(said(checkRun(block, run([], block.initial)))).toBe("valid");
    expect(said(checkRun(block, run([0, 1, 1], [0, 0, 1, 1])))).toBe("firing 2 is not enabled");
    expect(said(checkRun(block, run([0, 2], [0, 0, 1, 1])))).toBe("the run reaches another marking");
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
      });
      return [found === null ? null : found.markings.length, asked > 0];
    };
    expect(counted(2)).toEqual([null, true]);
    expect(counted(2)).toEqual([null, false]);
    expect(counted(1)).toEqual([null, false]);
    expect(counted(3)).toEqual([3, true]);
    expect(counted(3)).toEqual([3, false]);
    expect(counted(4)).toEqual([null, false]);
    const { finals } = enumeration(ruled, 3, { rules, enumerations })!;
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
