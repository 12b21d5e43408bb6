import type { Net } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkManyTokens, type ManyTokensQuestion } from "../../src/certificate/many-tokens.ts";
import { askNet } from "../../src/index.ts";
import { refuteGeneralised, refuteStructural } from "../../src/state-equation/many-tokens.ts";
import type { EquationStep, ManyTokens, Run } from "../../src/verdict.ts";
import { net as parse } from "../net-text.ts";
import { graphOf } from "../oracle.ts";

const SOURCE = 0;
const endsOf = (net: Net) => ({ source: SOURCE, sink: net.places.length - 1 });

/** Any net, made open-ended: nothing fills the first place or takes from the last, and every transition leaves a token. */
const openEnded = arbitraryNet({ placesMax: 5, transitionsMax: 5, weightMax: 2 })
  .filter(({ places }) => places.length > 1)
  .map((net): Net => {
    const sink = net.places.length - 1;
    const transitions = net.transitions.map((t) => {
      const post = t.post.filter(([place]) => place !== SOURCE);
      return {
        ...t,
        pre: t.pre.filter(([place]) => place !== sink),
        post: post.length === 0 ? ([[sink, 1]] as const) : post,
      };
    });
    const initial = net.places.map((_, place) => (place === SOURCE ? 1 : 0));
    return { ...net, transitions, initial, finals: { kind: "ends", ends: [sink] } };
  });

/** k tokens on the source; from all that is reachable k on the sink alone are. Null if that is too large. */
function isSoundFor(net: Net, k: number): boolean | null {
  const { source, sink } = endsOf(net);
  const at = (place: number) => net.places.map((_, p) => (p === place ? k : 0));
  const graph = graphOf(net, at(source), 300);
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

const KS = [1, 2, 3, 4, 5];

/** Is the refutation true as far as few tokens tell? Null: the markings are too many. */
function isTrue(net: Net, question: ManyTokensQuestion): boolean | null {
  const known = KS.map((k) => isSoundFor(net, k));
  if (question === "structurally-sound") return !known.includes(true);
  if (known.includes(false)) return true;
  return known.includes(null) ? null : false;
}

/** The runs to all markings that one token leads to, in breadth-first order. */
function runsOf(net: Net): readonly Run[] {
  const graph = graphOf(net, net.initial, 60);
  if (graph === null) return [{ sequence: [], marking: net.initial }];
  const runs = new Map<string, readonly number[]>([[JSON.stringify(net.initial), []]]);
  for (const [key, sequence] of runs)
    for (const { t, next } of graph.get(key)!) if (!runs.has(next)) runs.set(next, [...sequence, t]);
  return [...runs].map(([key, sequence]) => ({ sequence, marking: JSON.parse(key) as number[] }));
}

type Refute = (net: Net, question: ManyTokensQuestion) => ManyTokens | null;
const refute: Refute = (net, question) =>
  question === "generalised-sound"
    ? refuteGeneralised(net, endsOf(net))
    : refuteStructural(net, endsOf(net), runsOf(net));

const QUESTIONS = ["generalised-sound", "structurally-sound"] as const;

/** Law: what is refuted is false for few tokens, counted by hand, and the evidence is accepted. */
function refutationsAreTrue(implementation: Refute, nets: fc.Arbitrary<Net>, numRuns = 300) {
  const kinds = new Map<string, number>();
  fc.assert(
    fc.property(nets, fc.constantFrom(...QUESTIONS), (net, question) => {
      const reason = implementation(net, question);
      if (reason === null) return;
      kinds.set(reason.kind, (kinds.get(reason.kind) ?? 0) + 1);
      expect(checkManyTokens(net, endsOf(net), question, reason)).toEqual({ kind: "valid" });
      expect({ question, isTrue: isTrue(net, question) }).not.toEqual({ question, isTrue: false });
    }),
    { numRuns },
  );
  return kinds;
}

function* changed(reason: ManyTokens, transitions: number): Generator<ManyTokens> {
  const numbers = (list: readonly number[]) =>
    list.flatMap((value, i) => [
      list.toSpliced(i, 1),
      ...[value + 1, value - 1, 0, -value].filter((n) => n !== value).map((n) => list.with(i, n)),
    ]);
  switch (reason.kind) {
    case "gain":
      for (const firings of numbers(reason.firings)) yield { ...reason, firings };
      for (const [tokens] of [[reason.tokens + 1], [reason.tokens - 1], [0]])
        yield { ...reason, tokens: tokens! };
      break;
    case "drift":
      for (const weights of numbers(reason.weights)) yield { ...reason, weights };
      break;
    case "lasting-trap":
      for (const places of numbers(reason.places)) yield { ...reason, places };
      break;
    case "stuck": {
      const { run, steps } = reason;
      // The form of a file allows indices only.
      for (const sequence of numbers(run.sequence).filter((list) =>
        list.every((t) => t >= 0 && t < transitions),
      ))
        yield { ...reason, run: { ...run, sequence } };
      for (const marking of numbers(run.marking)) yield { ...reason, run: { ...run, marking } };
      for (const [index, step] of steps.entries()) {
        const at = (other: EquationStep): ManyTokens => ({ ...reason, steps: steps.with(index, other) });
        yield { ...reason, steps: steps.toSpliced(index, 1) };
        if (step.kind !== "farkas") continue;
        for (const weights of numbers(step.weights)) yield at({ ...step, weights });
        for (const factors of numbers(step.factors)) yield at({ ...step, factors });
        for (const constraints of numbers(step.constraints)) yield at({ ...step, constraints });
      }
    }
  }
}

describe("soundness for many tokens", () => {
  it("[D24.6] [T24.3] [T24.4] refutations are true for few tokens, counted by hand", () => {
    const kinds = refutationsAreTrue(refute, openEnded);
    for (const kind of ["drift", "lasting-trap", "stuck"])
      expect([kind, kinds.get(kind) ?? 0]).toSatisfy(([, count]: [string, number]) => count > 10);
    const mistaken = arbitraryMistakenWorkflowNet(2).map(({ net }) => swapped(net));
    refutationsAreTrue(refute, mistaken, 100);
  });

  it("[T24.3] [T24.4] [D22.6] nets that are sound by construction are not refuted", () => {
    fc.assert(
      fc.property(arbitraryWorkflowNet(2), fc.constantFrom(...QUESTIONS), (net, question) => {
        expect(refute(swapped(net), question)).toBeNull();
      }),
      { numRuns: 80 },
    );
  });

  it("[T24.3] [T24.4] the law refuses refutations by what is true of other nets", () => {
    const loose: Refute = (net, question) =>
      refute(
        { ...net, transitions: net.transitions.map((t) => ({ ...t, pre: t.pre.slice(0, 1) })) },
        question,
      );
    const careless: Refute = (net) => refute(net, "generalised-sound");
    const empty: Refute = () => ({ kind: "lasting-trap", places: [0] });
    for (const broken of [loose, careless, empty])
      expect(() => refutationsAreTrue(broken, openEnded, 1000)).toThrow();
  });

  it("[D24.6] changed evidence, and evidence for another net, is accepted only for what is true", () => {
    let refused = 0;
    fc.assert(
      fc.property(openEnded, openEnded, fc.constantFrom(...QUESTIONS), (net, other, question) => {
        const reason = refute(net, question);
        if (reason === null) return;
        const isInside =
          reason.kind !== "stuck" || reason.run.sequence.every((t) => t < other.transitions.length);
        for (const [asked, given] of [
          ...[...changed(reason, net.transitions.length)].map((mutant) => [net, mutant] as const),
          ...(isInside ? [[other, reason] as const] : []),
        ])
          for (const q of QUESTIONS) {
            if (checkManyTokens(asked, endsOf(asked), q, given).kind !== "valid") refused += 1;
            else expect({ q, given, isTrue: isTrue(asked, q) }).not.toMatchObject({ isTrue: false });
          }
      }),
      { numRuns: 50 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  it("[T24.3] a gain, a drift and a trap that up to three tokens do not show", () => {
    // Four tokens on a make one too many.
    const rich = parse("t: i -> a; u: a -> o; v: 4a -> 5o");
    const answer = askNet(rich, { kind: "generalised-sound" });
    expect(answer).toMatchObject({ kind: "fails", shown: { kind: "many-tokens" } });
    const poor = parse("t: i -> a; u: a -> o; v: 4a -> o");
    expect(askNet(poor, { kind: "generalised-sound" })).toMatchObject({
      kind: "fails",
      shown: { kind: "many-tokens", reason: { kind: "drift" } },
    });
    const kept = parse("t: i -> a; u: a -> o; v: 4a -> b + 3o; w: b -> b");
    expect(askNet(kept, { kind: "generalised-sound" })).toMatchObject({
      kind: "fails",
      shown: { kind: "many-tokens", reason: { kind: "lasting-trap", places: [3] } },
    });
    const lost = parse("t: i -> a; u: 2a -> o");
    expect(askNet(lost, { kind: "structurally-sound" })).toMatchObject({
      kind: "fails",
      shown: { kind: "many-tokens", reason: { kind: "stuck", run: { sequence: [] } } },
    });
  });

  it("[D24.6] nets of other shapes are not judged", () => {
    const shapes = ["t: i -> o; u: o -> i", "t: i -> o; u: i -> i", "t: i -> a; u: a -> o reset i"];
    for (const text of shapes) {
      const net = parse(text);
      const ends = { source: net.places.findIndex(({ id }) => id === "i"), sink: net.places.length - 1 };
      expect(refuteGeneralised(net, ends)).toBeNull();
      expect(refuteStructural(net, ends, [{ sequence: [], marking: net.initial }])).toBeNull();
      expect(
        checkManyTokens(net, ends, "generalised-sound", { kind: "lasting-trap", places: [0] }).kind,
      ).toBe("invalid");
    }
  });
});

/** The generated workflow nets have their sink second; here it is last. */
function swapped(net: Net): Net {
  const last = net.places.length - 1;
  const move = (place: number) => (place === 1 ? last : place === last ? 1 : place);
  const side = (list: Net["transitions"][number]["pre"]) => list.map(([p, w]) => [move(p), w] as const);
  const permuted = <T>(list: readonly T[]) => list.map((_, place) => list[move(place)]!);
  return {
    places: permuted(net.places),
    transitions: net.transitions.map((t) => ({ ...t, pre: side(t.pre), post: side(t.post) })),
    initial: permuted(net.initial),
    finals: { kind: "ends", ends: [last] },
  };
}
