import type { Net } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, askNet, type Question } from "../../src/index.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, isFinalByHand } from "../oracle.ts";

const STATES_MAX = 150;
const nets = fc.oneof(
  arbitraryNet({ placesMax: 4, transitionsMax: 4 }),
  arbitraryWorkflowNet(2),
  arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
);

type Ask = (net: Net, question: Question) => Answer;
type Name = Exclude<Question["kind"], "k-sound" | "k-bounded" | "formula" | "home">;

interface Hand {
  readonly keys: readonly string[];
  readonly next: (key: string) => readonly { t: number; next: string }[];
  readonly from: (key: string) => ReadonlySet<string>;
  readonly finals: readonly string[];
}

function byHand(net: Net): Hand | null {
  const graph = graphOf(net, net.initial, STATES_MAX);
  if (graph === null) return null;
  const keys = [...graph.keys()];
  const from = (key: string) => {
    const seen = new Set([key]);
    for (const at of seen) for (const { next } of graph.get(at)!) seen.add(next);
    return seen;
  };
  const finals = keys.filter((key) => isFinalByHand(net, JSON.parse(key) as number[]));
  return { keys, next: (key) => graph.get(key)!, from, finals };
}

const ENUMERATED: Readonly<Record<string, (net: Net, hand: Hand) => boolean>> = {
  "easy-sound": (_, { finals }) => finals.length > 0,
  "relaxed-sound": (net, { keys, next, from, finals }) =>
    net.transitions.every((_, t) =>
      keys.some((key) =>
        next(key).some((edge) => edge.t === t && finals.some((final) => from(edge.next).has(final))),
      ),
    ),
  bounded: () => true,
  safe: (_, { keys }) => keys.every((key) => (JSON.parse(key) as number[]).every((tokens) => tokens <= 1)),
  "deadlock-free": (_, { keys, next }) => keys.every((key) => next(key).length > 0),
  "quasi-live": (net, { keys, next }) =>
    net.transitions.every((_, t) => keys.some((key) => next(key).some((edge) => edge.t === t))),
  live: (net, { keys, next, from }) =>
    net.transitions.every((_, t) =>
      keys.every((key) => [...from(key)].some((at) => next(at).some((edge) => edge.t === t))),
    ),
  reversible: (net, { keys, from }) => keys.every((key) => from(key).has(JSON.stringify(net.initial))),
  "stable-place": (net, { keys }) =>
    net.places.some((_, p) => keys.every((key) => (JSON.parse(key) as number[])[p] === net.initial[p])),
  "weakly-sound": (net, { keys, from, finals }) =>
    keys.every((key) => finals.some((final) => from(key).has(final))) &&
    keys.every((key) => {
      const M = JSON.parse(key) as number[];
      if (net.finals.kind === "ends") return net.finals.ends.every((p) => M[p]! <= 1);
      return (
        isFinalByHand(net, M) || !net.finals.markings.some((F) => F.every((tokens, p) => M[p]! >= tokens))
      );
    }),
};

/** Law: each question has the answer of an enumeration by hand. */
function agrees(ask: Ask, name: Name, numRuns = 150): void {
  fc.assert(
    fc.property(nets, (net) => {
      const hand = byHand(net);
      if (hand === null) return;
      const { kind } = ask(net, { kind: name });
      expect({ name, kind }).toEqual({ name, kind: ENUMERATED[name]!(net, hand) ? "holds" : "fails" });
    }),
    { numRuns },
  );
}

/** k tokens on i; from everything reachable the marking with k tokens on o is reachable. Null if that is too large. */
function isSoundFor(net: Net, source: number, sink: number, k: number): boolean | null {
  const at = (place: number) => net.places.map((_, p) => (p === place ? k : 0));
  const graph = graphOf(net, at(source), 2000);
  if (graph === null) return null;
  const good = new Set([JSON.stringify(at(sink))].filter((key) => graph.has(key)));
  for (let grew = true; grew; ) {
    grew = false;
    for (const [key, edges] of graph)
      if (!good.has(key) && edges.some(({ next }) => good.has(next))) {
        good.add(key);
        grew = true;
      }
  }
  return good.size === graph.size;
}

describe("questions", () => {
  it("[D22.7] the coverability set answers where the markings have no end", () => {
    const options = { limits: { statesMax: 20, statesAfterFailureMax: 20 } };
    const growing = parse("t: i -> i + a; u: a -> b; v: c -> o");
    expect(askNet(growing, { kind: "quasi-live" }, options)).toEqual({
      kind: "fails",
      shown: { kind: "transitions", transitions: [2] },
    });
    // Thirty tokens in turn: bounded, with more markings than the limit, and one limit for each.
    const wide = parse("t: i -> a; u: a -> b; v: b -> o", { initial: { i: 30 } });
    expect(askNet(wide, { kind: "bounded" }, options)).toEqual({
      kind: "holds",
      shown: { kind: "weights", certificate: { kind: "weights", weights: [1, 1, 1, 1] } },
    });
    // No weights: what never fires would raise every sum.
    const few = parse("t: i -> 2a; u: 2a -> o; v: a + k -> 2a + k", { initial: { i: 8 } });
    expect(askNet(few, { kind: "bounded" }, options)).toEqual({
      kind: "holds",
      shown: { kind: "markings", states: 45 },
    });
    expect(askNet(few, { kind: "quasi-live" }, { limits: { statesMax: 2 } }).kind).toBe("fails");
    const reset = parse("t: i -> i + a; u: a -> o reset b; v: c -> b");
    expect(askNet(reset, { kind: "quasi-live" }, options)).toEqual({
      kind: "unknown",
      limit: { kind: "states", at: 20 },
    });
  });

  it.each(Object.keys(ENUMERATED) as Name[])("[D22.6] %s agrees with an enumeration by hand", (name) => {
    agrees(askNet, name);
  });

  it("[D22.6] the law refuses answers of another question", () => {
    const shifted: Ask = (net, { kind }) =>
      askNet(net, { kind: kind === "live" ? "quasi-live" : "easy-sound" } as Question);
    for (const name of ["live", "relaxed-sound", "reversible", "deadlock-free"] as const)
      expect(() => agrees(shifted, name, 400)).toThrow();
  });

  it("[D22.6] [T22.1] k-, generalised and structural soundness agree with an enumeration for one to three tokens", () => {
    let decided = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          arbitraryWorkflowNet(2),
          arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
        ),
        (net) => {
          const truth = [1, 2, 3].map((k) => isSoundFor(net, 0, 1, k));
          for (const k of [1, 2]) {
            const { kind } = askNet(net, { kind: "k-sound", k });
            if (truth[k - 1] !== null)
              expect({ k, kind }).toEqual({ k, kind: truth[k - 1] === true ? "holds" : "fails" });
          }
          const general = askNet(net, { kind: "generalised-sound" });
          const structural = askNet(net, { kind: "structurally-sound" });
          if (general.kind === "holds") expect(truth).not.toContain(false);
          if (structural.kind === "fails") expect(truth).not.toContain(true);
          if (general.kind !== "unknown") decided += 1;
        },
      ),
      { numRuns: 60 },
    );
    expect(decided).toBeGreaterThan(40);
  });

  it("[D22.6] nets that are sound for two tokens and not for one, and the other way round", () => {
    const pair = parse("t: i -> a; u: 2a -> b; v: b -> 2o");
    expect(askNet(pair, { kind: "k-sound", k: 1 }).kind).toBe("fails");
    expect(askNet(pair, { kind: "k-sound", k: 2 }).kind).toBe("holds");
    expect(askNet(pair, { kind: "structurally-sound" })).toEqual({
      kind: "holds",
      shown: { kind: "tokens", tokens: 2, evidence: null },
    });
    expect(askNet(pair, { kind: "structurally-sound" }, { tokensMax: 1 }).kind).toBe("unknown");
    expect(askNet(pair, { kind: "generalised-sound" })).toMatchObject({
      kind: "fails",
      shown: { tokens: 1 },
    });
    // One case takes s and gives it back; two cases can each take one half.
    const single = parse("t: i -> a + b; u: a + b -> o; v: 2a -> c; w: c -> d");
    expect(isSoundFor(single, 0, 3, 1)).toBe(true);
    expect(askNet(single, { kind: "generalised-sound" })).toMatchObject({
      kind: "fails",
      shown: { tokens: 2 },
    });
    const twice = parse("t: i -> a + b; u: a + b -> o; v: b + 2a -> o + c; w: c -> i");
    expect(
      askNet(parse("t: i -> a; u: a -> o; v: a -> 2b; w: 2b -> o"), { kind: "generalised-sound" }),
    ).toEqual({
      kind: "unknown",
      limit: { kind: "method", reason: "sound for 1 to 3 tokens; more were not tried" },
    });
    expect(askNet(twice, { kind: "generalised-sound" }).kind).toBe("unknown");
    expect(askNet(parse("t: i -> o; u: i -> o"), { kind: "generalised-sound" })).toEqual({
      kind: "holds",
      shown: { kind: "theorem", id: "T22.1" },
    });
  });

  it("[D8.9] limits give unknown, and what is seen before them is an answer", () => {
    const pump = parse("t: i -> i + a; u: a -> o");
    const options = { limits: { statesMax: 20, statesAfterFailureMax: 20 } };
    for (const kind of ["reversible", "relaxed-sound"] as const)
      expect({ kind, answer: askNet(pump, { kind }, options) }).toEqual({
        kind,
        answer: { kind: "unknown", limit: { kind: "states", at: 20 } },
      });
    expect(askNet(pump, { kind: "deadlock-free" }, options).kind).toBe("holds");
    expect(askNet(pump, { kind: "quasi-live" }, options).kind).toBe("holds");
    expect(askNet(pump, { kind: "safe" }, options)).toMatchObject({ kind: "fails" });
    expect(askNet(pump, { kind: "k-bounded", k: 100 }, options).kind).toBe("fails");
    expect(askNet(pump, { kind: "k-bounded", k: 1_000_000 }, options).kind).toBe("unknown");
    expect(askNet(pump, { kind: "bounded" }, options).kind).toBe("fails");
    expect(askNet(pump, { kind: "stable-place" }, options)).toMatchObject({
      kind: "holds",
      shown: { kind: "places", places: [0] },
    });
    const late = parse("t: i + k -> a + k; u: q + i -> k; v: k -> z; w: z -> q", {
      initial: { i: 1, q: 1 },
      ends: ["a"],
    });
    expect(askNet(late, { kind: "stable-place" }, { limits: { statesMax: 1 } })).toEqual({
      kind: "unknown",
      limit: { kind: "states", at: 1 },
    });
    expect(askNet(pump, { kind: "easy-sound" }, options)).toMatchObject({
      kind: "fails",
      shown: { kind: "never" },
    });
    const deep = parse("t: i -> a; u: a -> b; v: b -> o", { initial: { i: 1, o: 0 } });
    expect(askNet(deep, { kind: "easy-sound" }, { limits: { statesMax: 2 } }).kind).toBe("unknown");
    expect(askNet(parse("t: i -> i + a; u: i -> o"), { kind: "easy-sound" }, options).kind).toBe("holds");
    expect(askNet(parse("t: i -> a; u: a -> i", { ends: ["a"] }), { kind: "stable-place" }).kind).toBe(
      "fails",
    );
    expect(askNet(parse("t: i -> o", { initial: { i: 2 ** 31 } }), { kind: "live" })).toEqual({
      kind: "unknown",
      limit: { kind: "tokens", at: 0 },
    });
  });
});
