import type { Marking, Net } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, askNet, type Question } from "../../src/index.ts";
import { checkHome } from "../../src/questions/check-home.ts";
import type { Formula } from "../../src/questions/formula.ts";
import { net as parse } from "../net-text.ts";
import { graphOf } from "../oracle.ts";

const STATES_MAX = 120;
const nets = fc.oneof(
  arbitraryNet({ placesMax: 4, transitionsMax: 5 }),
  arbitraryWorkflowNet(2),
  arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
);
type Ask = (net: Net, question: Question) => Answer;

/** The first place has at least, or at most, so many tokens. */
interface Bound {
  readonly comparison: ">=" | "<=";
  readonly tokens: number;
}
const bounds = fc.record<Bound>({
  comparison: fc.constantFrom(">=" as const, "<=" as const),
  tokens: fc.nat(2),
});
const formulaOf = ({ places }: Net, { comparison, tokens }: Bound): Formula => ({
  kind: "compare",
  left: { terms: [[places[0]!.id, 1]], constant: 0 },
  comparison,
  right: { terms: [], constant: tokens },
});
const testOf =
  ({ comparison, tokens }: Bound) =>
  (M: Marking) =>
    comparison === ">=" ? M[0]! >= tokens : M[0]! <= tokens;

/** What can be reached from each reachable marking, itself included; null beyond the limit. */
function reachByHand(net: Net): ReadonlyMap<string, ReadonlySet<string>> | null {
  const graph = graphOf(net, net.initial, STATES_MAX);
  if (graph === null) return null;
  const from = (key: string) => {
    const seen = new Set([key]);
    for (const at of seen) for (const { next } of graph.get(at)!) seen.add(next);
    return seen;
  };
  return new Map([...graph.keys()].map((key) => [key, from(key)]));
}

const marking = (key: string) => JSON.parse(key) as number[];

/** Law: `home p` is what an enumeration by hand says, with evidence that is accepted. */
function spaceAgrees(ask: Ask): void {
  fc.assert(
    fc.property(nets, bounds, (net, bound) => {
      const reach = reachByHand(net);
      if (reach === null) return;
      const test = testOf(bound);
      const isHome = [...reach.values()].every((seen) => [...seen].some((key) => test(marking(key))));
      const answer = ask(net, { kind: "home", formula: formulaOf(net, bound) });
      expect(answer.kind).toBe(isHome ? "holds" : "fails");
      expect(checkHome(net, test, answer)).toEqual({ kind: "valid" });
    }),
    { numRuns: 300 },
  );
}

/** Law: the home markings are those that every reachable marking reaches, with evidence that is accepted. */
function markingsAgree(ask: Ask): void {
  fc.assert(
    fc.property(nets, (net) => {
      const reach = reachByHand(net);
      if (reach === null) return;
      const homes = [...reach.keys()].filter((key) => [...reach.values()].every((seen) => seen.has(key)));
      const answer = ask(net, { kind: "home-marking" });
      expect(answer.kind).toBe(homes.length > 0 ? "holds" : "fails");
      expect(checkHome(net, null, answer)).toEqual({ kind: "valid" });
      if (answer.kind !== "holds" || answer.shown.kind !== "closed") return;
      const { size, markings } = answer.shown.sets[0]!;
      expect(size).toBe(homes.length);
      expect(markings?.map((M) => JSON.stringify(M)).sort()).toEqual([...homes].sort());
    }),
    { numRuns: 300 },
  );
}

describe("home markings", () => {
  it("[D22.9] a home space is what an enumeration by hand says, and evidence is accepted", () => {
    spaceAgrees(askNet);
  });

  it("[D22.10] [T22.2] the home markings are those of an enumeration by hand, and evidence is accepted", () => {
    markingsAgree(askNet);
  });

  it("[D22.9] [D22.10] the laws refuse answers to other questions", () => {
    const once: Ask = (net, question) =>
      question.kind === "home"
        ? askNet(net, {
            kind: "formula",
            formula: { kind: "F", path: "E", of: question.formula },
            weak: [],
            strong: [],
          })
        : askNet(net, { kind: "easy-sound" });
    const initial: Ask = (net) => askNet(net, { kind: "reversible" });
    expect(() => spaceAgrees(once)).toThrow();
    expect(() => markingsAgree(once)).toThrow();
    expect(() => markingsAgree(initial)).toThrow();
  });

  const RING = parse("t: i -> a; u: a -> b; v: b -> a", { ends: ["a"] });
  const FORK = parse("t: i -> a; u: i -> b; v: b -> b", { ends: ["a"] });

  it("[D22.10] a ring behind the start is the home of a net that is not reversible", () => {
    expect(askNet(RING, { kind: "reversible" }).kind).toBe("fails");
    expect(askNet(RING, { kind: "home-marking" })).toEqual({
      kind: "holds",
      shown: {
        kind: "closed",
        sets: [
          {
            run: { sequence: [0], marking: [0, 1, 0] },
            size: 2,
            markings: expect.arrayContaining([
              [0, 1, 0],
              [0, 0, 1],
            ]),
          },
        ],
      },
    });
  });

  it("[T22.2] two ways that part for ever leave no home; both are shown", () => {
    const answer = askNet(FORK, { kind: "home-marking" });
    expect(answer).toEqual({
      kind: "fails",
      shown: {
        kind: "closed",
        sets: [
          { run: { sequence: [0], marking: [0, 1, 0] }, size: 1, markings: [[0, 1, 0]] },
          { run: { sequence: [1], marking: [0, 0, 1] }, size: 1, markings: [[0, 0, 1]] },
        ],
      },
    });
  });

  it("[D8.9] sets of many markings are counted, and built again by the checker", () => {
    const wide = parse("t: i -> 300a; u: a -> b; v: b -> a; w: i -> c", { ends: ["c"] });
    const whole = askNet(wide, { kind: "home-marking" });
    expect(whole).toMatchObject({
      kind: "fails",
      shown: { sets: [{ size: 301, markings: null }, { size: 1 }] },
    });
    expect(checkHome(wide, null, whole)).toEqual({ kind: "valid" });
    expect(checkHome(wide, null, whole, { statesMax: 100 }).kind).toBe("unchecked");
    const ring = parse("t: i -> a; u: a -> i", { ends: ["a"] });
    const home = askNet(ring, { kind: "home-marking" });
    expect(checkHome(ring, null, home, { statesMax: 1 }).kind).toBe("unchecked");
  });

  it("[D8.9] the checker refuses what does not show it", () => {
    const parted = askNet(FORK, { kind: "home-marking" });
    if (parted.kind !== "fails" || parted.shown.kind !== "closed") throw new Error(parted.kind);
    const [one, other] = parted.shown.sets;
    const said = (kind: "holds" | "fails", ...sets: readonly (typeof one)[]): Answer => ({
      kind,
      shown: { kind: "closed", sets: sets.map((set) => set!) },
    });
    const any = (answer: Answer) => checkHome(FORK, null, answer).kind;
    expect(any(said("fails", one, one))).toBe("invalid");
    expect(any(said("fails", one))).toBe("invalid");
    expect(any(said("holds", one))).toBe("invalid");
    expect(any(said("holds", one, other))).toBe("invalid");
    expect(any(said("fails", one, { ...other!, run: { sequence: [0], marking: [0, 0, 1] } }))).toBe(
      "invalid",
    );
    expect(any(said("holds", { ...one!, size: 2 }))).toBe("invalid");
    const run = { sequence: [0], marking: [0, 1, 0] };
    const all = [run.marking, [0, 0, 1], [1, 0, 0]];
    const more: Answer = {
      kind: "holds",
      shown: { kind: "closed", sets: [{ run, size: 3, markings: all }] },
    };
    expect(checkHome(RING, null, more)).toEqual({ kind: "invalid", reason: "not 3 home markings" });
    const isA = (M: Marking) => M[1] === 1;
    expect(checkHome(FORK, isA, said("fails", other))).toEqual({ kind: "valid" });
    expect(checkHome(FORK, isA, said("fails", one)).kind).toBe("invalid");
    const everywhere: Answer = { kind: "holds", shown: { kind: "markings", states: 3 } };
    expect(checkHome(FORK, isA, everywhere).kind).toBe("invalid");
    expect(checkHome(FORK, () => true, everywhere)).toEqual({ kind: "valid" });
    expect(checkHome(FORK, () => true, { kind: "holds", shown: { kind: "markings", states: 4 } }).kind).toBe(
      "invalid",
    );
    expect(checkHome(FORK, () => true, everywhere, { statesMax: 2 }).kind).toBe("unchecked");
  });

  it("[D22.9] [D22.10] limits give unknown, but where nothing goes on is seen before them", () => {
    const options = { limits: { statesMax: 20, statesAfterFailureMax: 20 } };
    const pump = parse("t: i -> i + a", { ends: ["a"] });
    const home = { kind: "home", formula: formulaOf(pump, { comparison: ">=", tokens: 1 }) } as const;
    for (const question of [home, { kind: "home-marking" }] as const)
      expect(askNet(pump, question, options)).toEqual({ kind: "unknown", limit: { kind: "states", at: 20 } });
    const stops = parse("t: i -> i + a; u: i -> b", { ends: ["b"] });
    for (const [question, isHome] of [
      [home, (M: Marking) => M[0]! >= 1],
      [{ kind: "home-marking" }, null],
    ] as const) {
      const answer = askNet(stops, question, options);
      expect(answer.kind).toBe("fails");
      expect(checkHome(stops, isHome, answer)).toEqual({ kind: "valid" });
    }
    const unknown = { kind: "home", formula: { kind: "enabled", transition: "x" } } as const;
    expect(askNet(pump, unknown)).toEqual({
      kind: "unknown",
      limit: { kind: "method", reason: 'the net has no "x"' },
    });
    const temporal = { kind: "F", path: "E", of: { kind: "final" } } as const;
    expect(askNet(pump, { kind: "home", formula: temporal })).toMatchObject({ limit: { kind: "method" } });
    expect(checkHome(pump, null, { kind: "unknown", limit: { kind: "states", at: 1 } })).toEqual({
      kind: "valid",
    });
  });
});
