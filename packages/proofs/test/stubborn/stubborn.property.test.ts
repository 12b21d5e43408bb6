import { type Net, netClass } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enumerateNets } from "../../src/enumerate.ts";
import { checkEvidence, type NetObligationId, type Verdict } from "../../src/index.ts";
import { DEFAULT_LIMITS, startBudget } from "../../src/limits.ts";
import { finish, searchNet } from "../../src/soundness.ts";
import { endingOf } from "../../src/stubborn/ending.ts";
import { grow, type ReducedGraph, reducedGraph, setAt, stateMarking } from "../../src/stubborn/graph.ts";
import { stubbornAnswers } from "../../src/stubborn/prove.ts";
import { type Relations, relationsOf } from "../../src/stubborn/relations.ts";
import type { Goal, NetEvidence } from "../../src/verdict.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, isFinalByHand, judge, successorsOf } from "../oracle.ts";

const STATES = 300;
const RUNS = { numRuns: Number(process.env["TESSERA_DEEP"] === "1" ? 20_000 : 400) };
const IDS: readonly NetObligationId[] = ["O1", "O2", "O3", "O4", "deadlock", "bounded"];

/** Small nets of every shape: several tokens, weights, self-loops, final markings that enable something, lists of them. */
const nets = fc.oneof(
  arbitraryNetOfClass("plain"),
  arbitraryNetOfClass("weighted"),
  arbitraryNet({ placesMax: 8, transitionsMax: 9 }),
  arbitraryWorkflowNet(),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

type Answer = (net: Net) => ReadonlyMap<NetObligationId, Verdict<NetEvidence>>;

/** All obligations by stubborn sets; the search before them has seen one marking. */
const answer: Answer = (net) => {
  const found = finish(searchNet(net, { limits: { statesMax: 1 } }), {});
  if (found === null) throw new Error("huge");
  const budget = startBudget(DEFAULT_LIMITS, () => 0, null);
  return finish(stubbornAnswers(found, new Set(IDS), budget, 10 * STATES), {}).verdicts;
};

/** Could a final marking, reachable or not, enable something? */
function mayGoOn({ finals, transitions, places }: Net): boolean {
  const most =
    finals.kind === "ends" ? [places.map((_, p) => (finals.ends.includes(p) ? 1 : 0))] : finals.markings;
  // Of weights nothing is asked.
  return most.some((F) => transitions.some(({ pre }) => pre.every(([p]) => F[p]! > 0)));
}

/**
 * Law: every verdict is that of an enumeration by hand; and all are given but O1, where some final marking may enable
 * something, and "bounded", where some place is not safe.
 */
function isRight(implementation: Answer, net: Net): void {
  const truth = judge(net, STATES);
  if (truth === null) return;
  const verdicts = implementation(net);
  for (const id of ["O1", "O2", "O3", "O4", "deadlock"] as const) {
    const verdict = verdicts.get(id);
    if (verdict !== undefined)
      expect({ id, kind: verdict.kind }).toEqual({ id, kind: truth[id] ? "holds" : "fails" });
    if (id !== "O1" || !mayGoOn(net))
      expect({ id, isGiven: verdict !== undefined }).toEqual({ id, isGiven: true });
  }
  expect(verdicts.get("bounded")?.kind ?? "holds").toBe("holds");
}

/** Law: the checker, which shares nothing with the prover but the firing rule, accepts every verdict. */
function isSupported(implementation: Answer, net: Net): void {
  for (const [id, verdict] of implementation(net))
    expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
}

function forAll(law: (net: Net) => void, of: fc.Arbitrary<Net> = nets): void {
  fc.assert(fc.property(of, law), RUNS);
}

/** Grows the graph, unless it gets too large. */
function complete(graph: ReducedGraph): ReducedGraph | null {
  const status = grow(graph, 10 * STATES, Number.POSITIVE_INFINITY);
  return status === "complete" || status === "goal" ? graph : null;
}

function goalsOf(net: Net): readonly Goal[] {
  return [
    { kind: "improper" },
    ...net.places.map((_, place): Goal => ({ kind: "crowded", place })),
    ...net.transitions.map((_, transition): Goal => ({ kind: "enabled", transition })),
  ];
}

function hasGoalByHand(net: Net, goal: Goal, M: readonly number[]): boolean {
  if (goal.kind === "crowded") return M[goal.place]! > 1;
  if (goal.kind === "enabled") return successorsOf(net, M).some(({ t }) => t === goal.transition);
  if (net.finals.kind === "ends") return net.finals.ends.some((end) => M[end]! > 1);
  const { markings } = net.finals;
  return !isFinalByHand(net, M) && markings.some((F) => F.every((tokens, place) => M[place]! >= tokens));
}

/** Law: with `relations` for the net's own, a graph for each goal meets it if and only if some reachable marking has it. */
function meetsGoals(
  relate: (net: Net) => Relations,
  net: Net,
  change = (graph: ReducedGraph): ReducedGraph => graph,
): void {
  const all = graphOf(net, net.initial, STATES);
  if (all === null) return;
  const markings = [...all.keys()].map((key) => JSON.parse(key) as number[]);
  const relations = relate(net);
  for (const goal of goalsOf(net)) {
    const graph = complete(change(reducedGraph(relations, goal)));
    if (graph === null) continue;
    const isMet = markings.some((M) => hasGoalByHand(net, goal, M));
    expect({ goal, isMet: graph.found >= 0 }).toEqual({ goal, isMet });
  }
}

/** Law: a terminal graph has every reachable marking that enables nothing, and what it says of O1 is so. */
function keepsEnds(relate: (net: Net) => Relations, net: Net, ending = endingOf): void {
  const all = graphOf(net, net.initial, STATES);
  const graph = all === null ? null : complete(reducedGraph(relate(net), null));
  if (all === null || graph === null) return;
  const kept = new Set(graph.dead.map((state) => JSON.stringify(stateMarking(graph, state))));
  const dead = [...all].filter(([, edges]) => edges.length === 0).map(([key]) => key);
  expect(kept).toEqual(new Set(dead));
  const said = ending(graph);
  const { O1 } = judge(net, STATES)!;
  if (said.kind !== "open") expect({ O1, said: said.kind }).toEqual({ O1, said: O1 ? "completes" : "stuck" });
}

/** Law: L25.1 read literally, for the sequences of up to three transitions that are not in the set. */
function commutes(relate: (net: Net) => Relations, net: Net): void {
  if (graphOf(net, net.initial, STATES) === null) return;
  const relations = relate(net);
  for (const goal of [null, ...goalsOf(net).slice(0, 3)]) {
    const graph = complete(reducedGraph(relations, goal));
    if (graph === null) continue;
    for (let state = 0; state < Math.min(graph.expanded, 20); state += 1) {
      const set = new Set(setAt(graph, state));
      follow(net, set, stateMarking(graph, state), stateMarking(graph, state), [], 3);
    }
  }
}

function follow(
  net: Net,
  set: ReadonlySet<number>,
  M: readonly number[],
  after: readonly number[],
  v: readonly number[],
  depth: number,
): void {
  const here = successorsOf(net, M);
  for (const { t, next } of successorsOf(net, after)) {
    if (!set.has(t)) {
      if (depth > 0) follow(net, set, M, next, [...v, t], depth - 1);
      continue;
    }
    // M enables v t, so it enables t v, to the same marking.
    const first = here.find((edge) => edge.t === t);
    expect({ v, t, isEnabled: first !== undefined }).toEqual({ v, t, isEnabled: true });
    let at = first!.next;
    for (const u of v) {
      const step = successorsOf(net, at).find((edge) => edge.t === u);
      expect({ v, t, u, isEnabled: step !== undefined }).toEqual({ v, t, u, isEnabled: true });
      at = step!.next;
    }
    expect(at).toEqual(next);
  }
  for (const { t } of here) {
    if (set.has(t))
      expect({ v, t, stays: successorsOf(net, after).some((edge) => edge.t === t) }).toMatchObject({
        stays: true,
      });
  }
}

/** The relations without conflicts, or without what adds to places. */
const withoutConflicts = (net: Net): Relations => ({
  ...relationsOf(net),
  conflictStart: new Int32Array(net.transitions.length + 1),
});
const withoutAdders = (net: Net): Relations => ({
  ...relationsOf(net),
  adderStart: new Int32Array(net.places.length + 1),
});

/** The start is final, and reached again for ever; meanwhile `leave`, which cannot be undone, is put off. */
const IGNORED = parse("go: i -> a; back: a -> i; leave: x -> y", {
  initial: { i: 1, x: 1 },
  finals: [{ i: 1, x: 1 }],
});
/** Only the conflict keeps the way to the deadlock. */
const CONFLICT = parse("left: i -> a; right: i -> b; on: a -> o");
/** `take` gives what `both` lacks, and ends what `read` needs. */
const CONSUMED = parse("read: i + x -> i + q; take: i -> g; both: g + q -> o", { initial: { i: 1, x: 1 } });
/** `late` is in conflict with `now`, and not enabled until `feed` was fired. */
const FED = parse("now: i -> o; late: i + c -> b; feed: d -> c", { initial: { i: 1, d: 1 } });
/** Only what adds to the places of `both` leads to it. */
const LED = parse("s: i -> a; f: c -> b; both: a + b -> o", { initial: { i: 1, c: 1 } });

describe("stubborn sets", () => {
  it("[L25.1] [D25.1] [D25.2] [A25.1] what is not in the set commutes with what is (oracle: fired by hand)", () => {
    forAll((net) => commutes(relationsOf, net));
  });

  it("[T25.1] [T25.2] [D25.4] [L25.2] a directed graph meets its goal if and only if it is reachable (oracle: all markings)", () => {
    forAll((net) => meetsGoals(relationsOf, net));
  });

  it("[T25.3] [T25.4] [T25.5] [L25.3] [D25.5] [D25.6] a terminal graph has all that ends, and tells O1 (oracle: all markings)", () => {
    forAll((net) => keepsEnds(relationsOf, net));
  });

  it("[D25.3] [T25.1] [T25.4] every verdict is that of the plain enumeration, and few are left open", () => {
    forAll((net) => isRight(answer, net));
  });

  it("[D25.2] [D25.3] [D25.5] [D25.6] the checker accepts the evidence of every verdict", () => {
    forAll((net) => isSupported(answer, net));
  });

  it("[D25.3] the verdicts are right for all nets up to 2 x 3 and a share of 3 x 3 (TESSERA_DEEP=1: all)", () => {
    const stride = process.env["TESSERA_DEEP"] === "1" ? 1 : 41;
    let count = 0;
    for (const net of enumerateNets({ placesMax: 3, transitionsMax: 3 })) {
      count += 1;
      if (net.places.length === 3 && net.transitions.length === 3 && count % stride !== 0) continue;
      isRight(answer, net);
      if (count % 7 === 0) isSupported(answer, net);
    }
    expect(count).toBe(48_909);
  }, 300_000);

  it("[D25.1] without the closure under conflict the laws fail, on the named nets too", () => {
    for (const law of [keepsEnds, commutes])
      expect(() => forAll((net) => law(withoutConflicts, net))).toThrow();
    keepsEnds(relationsOf, CONFLICT);
    expect(() => keepsEnds(withoutConflicts, CONFLICT)).toThrow();
    meetsGoals(relationsOf, CONSUMED);
    expect(() => meetsGoals(withoutConflicts, CONSUMED)).toThrow();
  });

  it("[D25.2] without the producers of a scapegoat the laws fail, on the named nets too", () => {
    expect(() => forAll((net) => meetsGoals(withoutAdders, net))).toThrow();
    for (const law of [keepsEnds, commutes]) {
      law(relationsOf, FED);
      expect(() => law(withoutAdders, FED)).toThrow();
    }
    meetsGoals(relationsOf, LED);
    expect(() => meetsGoals(withoutAdders, LED)).toThrow();
  });

  it("[D25.4] with a set that is not directed the laws fail", () => {
    const idle = (graph: ReducedGraph): ReducedGraph => ({ ...graph, direction: () => [] });
    expect(() => forAll((net) => meetsGoals(relationsOf, net, idle))).toThrow();
    expect(() => meetsGoals(relationsOf, LED, idle)).toThrow();
  });

  it("[D25.6] where something is put off for ever nothing is said of O1; who does not ask is wrong", () => {
    const graph = complete(reducedGraph(relationsOf(IGNORED), null))!;
    expect(endingOf(graph)).toEqual({ kind: "open" });
    expect(answer(IGNORED).get("O1")).toBeUndefined();
    const credulous = (given: ReducedGraph) => {
      const said = endingOf(given);
      return said.kind === "open" ? ({ kind: "completes" } as const) : said;
    };
    expect(() => keepsEnds(relationsOf, IGNORED, credulous)).toThrow();
    const verdict = answer(CONFLICT).get("deadlock")!;
    expect(verdict.kind).toBe("fails");
    const states = Array.from({ length: graph.store.count }, (_, state) => ({
      marking: stateMarking(graph, state),
      set: setAt(graph, state),
    }));
    const certificate = { kind: "stubborn", graphs: [{ goal: null, states }] } as const;
    const evidence = { class: "enumerated", method: "by hand", states: states.length, certificate } as const;
    expect(checkEvidence(IGNORED, "O1", { kind: "holds", evidence })).toMatchObject({ kind: "invalid" });
    expect(checkEvidence(IGNORED, "deadlock", { kind: "holds", evidence })).toEqual({ kind: "valid" });
  });

  it("[D25.3] nothing is said of nets with resets, optional inputs or rules", () => {
    forAll(
      (net) => {
        expect(["reset", "non-local"]).toContain(netClass(net));
        expect(() => relationsOf(net)).toThrow("D25.1");
        const certificate = {
          kind: "stubborn",
          graphs: [{ goal: null, states: [{ marking: net.initial, set: net.transitions.map((_, t) => t) }] }],
        } as const;
        const evidence = { class: "enumerated", method: "by hand", states: 1, certificate } as const;
        expect(checkEvidence(net, "O1", { kind: "holds", evidence })).toMatchObject({ kind: "invalid" });
      },
      fc.oneof(arbitraryNetOfClass("reset"), arbitraryNetOfClass("non-local")),
    );
  });

  it("[D8.4] [D25.3] elements that share a dead transition share its graph: the checker takes one for each goal", () => {
    const plain = parse("t: i -> o; u: i + o -> a; v: a -> o");
    const origin = { node: 0, phase: "finish", consumed: [0], chosen: [1], outcome: "done" } as const;
    const shared = {
      ...plain,
      transitions: plain.transitions.map((t) => (t.id === "t" ? t : { ...t, generated: true, origin })),
    };
    expect(answer(shared).get("O3")).toMatchObject({ kind: "fails", evidence: { dead: { length: 3 } } });
    isSupported(answer, shared);
  });

  it("[D25.3] the laws refuse broken provers", () => {
    const broken: Answer = (net) => answer({ ...net, transitions: net.transitions.slice(1) });
    expect(() => forAll((net) => isRight(broken, net))).toThrow();
    expect(() => forAll((net) => isSupported(broken, net))).toThrow();
  });
});
