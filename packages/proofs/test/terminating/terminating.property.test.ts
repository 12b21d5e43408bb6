import type { Json, Net } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkLines } from "../../src/certificate/check.ts";
import { withoutTermination } from "../../src/certificate/remainder.ts";
import { terminating } from "../../src/certificate/terminating-part.ts";
import { elementsOf } from "../../src/elements.ts";
import {
  certificateOf,
  checkEvidence,
  type NetReport,
  proveNet,
  type TerminatingPart,
  verifyCertificate,
} from "../../src/index.ts";
import { terminatingParts } from "../../src/terminating/find-part.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, judge } from "../oracle.ts";
import { terminatingNets } from "./arbitrary-terminating.ts";

const STATES = 400;
const LIMITS = { statesMax: STATES, statesAfterFailureMax: STATES, timeoutMs: 60_000 };
const RUNS = { numRuns: 400 };

type Prove = (net: Net) => NetReport;
const prove: Prove = (net) => proveNet(net, { limits: LIMITS });

/** The truth by hand, with O3 asked of elements; null beyond the limit. */
function truth(net: Net): Readonly<Record<string, boolean>> | null {
  const found = judge(net, STATES);
  const graph = graphOf(net, net.initial, STATES);
  if (found === null || graph === null) return null;
  const fired = new Set([...graph.values()].flat().map(({ t }) => t));
  const O3 = elementsOf(net).every(({ transitions }) => transitions.some((t) => fired.has(t)));
  const { O1, O2, O4, deadlock } = found;
  return { O1, O2, O3, O4, deadlock, bounded: true, sound: O1 && O2 && O3 };
}

/** Law: what is answered is true by an enumeration by hand, and of a small net everything is answered. */
function isRight(implementation: Prove, net: Net): void {
  const expected = truth(net);
  if (expected === null) return;
  const { obligations, soundness } = implementation(net);
  for (const { id, verdict } of [...obligations, { id: "sound", verdict: soundness }]) {
    const kind = expected[id] === true ? "holds" : "fails";
    expect({ id, kind: verdict.kind }).toEqual({ id, kind });
  }
}

/** Law: every verdict passes the checker. */
function isSupported(implementation: Prove, net: Net): void {
  const { obligations, soundness } = implementation(net);
  const isDivided = soundness.kind === "holds" && soundness.evidence.class === "recomputable";
  const lines = isDivided ? obligations : [...obligations, { id: "sound" as const, verdict: soundness }];
  for (const { id, verdict } of lines)
    expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
}

function forAll(law: (implementation: Prove, net: Net) => void, implementation: Prove): void {
  fc.assert(
    fc.property(terminatingNets, (net) => law(implementation, net)),
    RUNS,
  );
}

/** By hand: after which firings are only end places marked, whatever was marked before, and the end by none other? */
function terminatesByHand(net: Net): readonly number[] {
  const { finals, transitions, initial, places } = net;
  if (finals.kind !== "ends") return [];
  const { ends } = finals;
  return transitions.flatMap(({ post, reset }, t) => {
    const clears = places.every((_, p) => ends.includes(p) || reset.includes(p));
    const [[end, weight] = [-1, 0]] = post;
    const isEnd = post.length === 1 && weight === 1 && ends.includes(end) && initial[end] === 0;
    return clears && isEnd ? [t] : [];
  });
}

describe("terminating transitions", () => {
  it("[T13.6] [T13.7] [D13.14] every verdict on a net with terminations is that of an enumeration by hand", () => {
    forAll(isRight, prove);
  }, 60_000);

  it("[T13.6] [T13.7] every verdict on a net with terminations is supported by evidence that is accepted", () => {
    forAll(isSupported, prove);
  }, 60_000);

  it("[D13.13] after a terminating transition nothing but ends is marked, and its end is filled by none other", () => {
    fc.assert(
      fc.property(terminatingNets, (net) => {
        const found = terminating(net);
        if (found === null) return;
        const marked = [...found.keys()].filter((t) => found[t] === 1);
        const able = terminatesByHand(net);
        const pure = able.filter((t) =>
          net.transitions.every(
            ({ post }, u) => able.includes(u) || !post.some(([p]) => p === net.transitions[t]!.post[0]![0]),
          ),
        );
        expect(marked).toEqual(pure);
      }),
      RUNS,
    );
  });

  it("[D13.14] the parts that are found are parts, and the generator brings all that matters", () => {
    const met = { none: 0, whole: 0, empty: 0, safe: 0, broad: 0, completing: 0, dead: 0 };
    fc.assert(
      fc.property(terminatingNets, (net) => {
        const parts = terminatingParts(net);
        if (parts.length === 0) met.none += 1;
        for (const part of parts) {
          const left = withoutTermination(net, part);
          if (left === "no end place is left") continue;
          if (typeof left === "string") throw new Error(left);
          met[part.exits.length === 0 ? "empty" : "whole"] += 1;
          met[left.isSafe && left.isNarrow ? "safe" : "broad"] += 1;
          const [all, rest] = [truth(net), truth(left.net)];
          if (all?.["O1"] === true && rest?.["O1"] === false) met.completing += 1;
          if (all?.["O3"] === false) met.dead += 1;
        }
      }),
      { ...RUNS, seed: 7 },
    );
    for (const [name, count] of Object.entries(met)) expect({ name, count }).toSatisfy(() => count > 10);
  }, 60_000);

  it("[T13.6] the laws refuse a stage that forgets a condition", () => {
    /** Proves what is left of the net and says the same of the net, without a look at the part. */
    const careless =
      (partOf: (net: Net) => TerminatingPart | undefined): Prove =>
      (net) => {
        const part = partOf(net);
        const left = part === undefined ? "none" : withoutTermination(net, part);
        return typeof left === "string" ? prove(net) : prove(left.net);
      };
    expect(() =>
      forAll(
        isRight,
        careless((net) => terminatingParts(net)[0]),
      ),
    ).toThrow();
    expect(() =>
      forAll(
        isRight,
        careless((net) => terminatingParts(net).at(-1)),
      ),
    ).toThrow();
    /** Takes every transition with a reset for a terminating one. */
    const generous: Prove = (net) =>
      prove({ ...net, transitions: net.transitions.map((t) => ({ ...t, reset: [] })) });
    expect(() => forAll(isRight, generous)).toThrow();
    expect(() =>
      forAll(isSupported, (net) => prove({ ...net, initial: net.initial.map(() => 1) })),
    ).toThrow();
  }, 60_000);
});

describe("terminating transitions, by example", () => {
  const parallel = (ends: string) =>
    parse(
      `s: i -> a + b; u: a -> c; v: b -> d; j: c + d -> o; x: a -> f; k: f -> e reset i a b c d f g; y: b -> g; l: g -> e reset i a b c d f g`,
      { ends: ends.split(" ") },
    );

  it("[T13.6] an error in one branch of a parallel block ends the other: sound without a search", () => {
    const net = parallel("o e");
    const report = prove(net);
    expect(report.sound).toBe(true);
    expect(report.obligations.map(({ method }) => method)).toEqual(
      Array.from({ length: 6 }, () => "compact: without terminations, reduction"),
    );
  });

  it("[D13.13] with listed final markings nothing is taken away", () => {
    const net = parallel("o e");
    const listed = { kind: "markings", markings: [[...net.places.keys()].map(() => 0)] } as const;
    expect(terminatingParts({ ...net, finals: listed })).toEqual([]);
  });

  it("[T13.6] two tokens that come to one place of the part break O4, which the remainder does not show", () => {
    const net = parse("s: i -> a + b; u: a + b -> o; x: a -> f; y: b -> f; k: f -> e reset i a b f", {
      ends: ["o", "e"],
    });
    const lines = new Map(prove(net).obligations.map(({ id, verdict }) => [id, verdict.kind]));
    expect([lines.get("O1"), lines.get("O2"), lines.get("O3"), lines.get("O4")]).toEqual([
      ...["holds", "holds", "holds"],
      "fails",
    ]);
  });

  it("[T13.6] a terminate end that everything leads to is taken for an ordinary end", () => {
    const net = parse("s: i -> a + b; u: a -> c; v: b -> d; j: c + d -> q; k: q -> o reset i a b c d q");
    const report = prove(net);
    expect(report.sound).toBe(true);
    expect(report.obligations[0]!.method).toBe("compact: without terminations, reduction");
  });

  it("[T13.7] what is dead without terminations is dead, and so is the way to a termination from there", () => {
    const net = parse("s: i -> o; u: a -> o; x: a -> f; k: f -> e reset i a f", { ends: ["o", "e"] });
    const dead = prove(net).obligations.find(({ id }) => id === "O3")!.verdict;
    if (dead.kind !== "fails" || dead.evidence.kind !== "E3") throw new Error(dead.kind);
    expect(dead.evidence.dead.flatMap(({ transitions }) => transitions)).toEqual([1, 2, 3]);
    expect(dead.evidence.certificate.kind).toBe("terminating");
  });

  /** The first and the third transition are variants of one outcome. */
  const withVariants = (text: string, ends: readonly string[]): Net => {
    const net = parse(text, { ends: [...ends] });
    const origin = { node: 0, phase: "step", consumed: [], chosen: [], outcome: "done" } as const;
    return {
      ...net,
      transitions: net.transitions.map((t, index) =>
        index === 0 || index === 2 ? { ...t, generated: true, origin } : t,
      ),
    };
  };

  it("[T13.7] evidence does not rest on variants that it does not name", () => {
    const net = withVariants("s: i -> o; u: a -> o; x: a -> f; k: f -> e reset i a f", ["o", "e"]);
    const { verdict } = prove(net).obligations.find(({ id }) => id === "O3")!;
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "E3") throw new Error(verdict.kind);
    expect(verdict.evidence.dead.flatMap(({ transitions }) => transitions)).toEqual([1]);
    expect(checkEvidence(net, "O3", verdict)).toEqual({ kind: "valid" });
  });

  it("[T13.6] steps of a reduction that were replayed for the remainder say nothing of the net itself", () => {
    const net = parse("s: i -> a + b; u: a + b -> o; x: a -> f; y: b -> f; k: f -> e reset i a b f", {
      ends: ["o", "e"],
    });
    const o1 = prove(net).obligations[0]!;
    const { certificate } = o1.verdict.kind === "holds" ? o1.verdict.evidence : {};
    if (certificate?.kind !== "terminating") throw new Error(o1.method);
    const claims = [o1, { id: "O4", verdict: { kind: "holds", evidence: certificate.inner } }] as const;
    const refused = { kind: "invalid", reason: "the net is not plain" };
    expect(checkLines(net, claims)).toEqual([{ kind: "valid" }, refused]);
    const file = JSON.parse(JSON.stringify(certificateOf(net, claims))) as Json;
    const found = verifyCertificate(net, file);
    if (found.kind !== "verified") throw new Error(found.kind);
    expect(found.claims.map(({ checked }) => checked)).toEqual([{ kind: "valid" }, refused]);
  });

  it("[T13.6] O2 shown by the reduced net and deadlocks shown by stubborn sets: each has an evidence of its own", () => {
    const net = parse(
      "a: p1 -> p1; b: p0 -> p1; c: p2 -> p3; d: p2 -> p3; e: p4 -> p5; f: p6 -> p6; s: i -> p0 + p2 + p4; " +
        "j: p1 + p3 + p6 -> o; x: p5 -> y; w: p4 -> y; z: y -> e2 reset i p0 p1 p2 p3 p4 p5 p6 y",
      { ends: ["o", "e2"] },
    );
    for (let statesMax = 1; statesMax <= 20; statesMax += 1) {
      const limits = { statesMax, statesAfterFailureMax: statesMax };
      for (const { id, verdict } of proveNet(net, { limits }).obligations)
        expect({ statesMax, id, checked: checkEvidence(net, id, verdict) }).toEqual({
          statesMax,
          id,
          checked: { kind: "valid" },
        });
    }
  });

  it("[D13.14] a part that names what the net does not have is none", () => {
    const net = parallel("o e");
    for (const part of [
      { exits: [99], places: [] },
      { exits: [], places: [99] },
    ])
      expect(withoutTermination(net, part)).toBe("no such place or transition");
  });

  it("[D8.4] [T13.1] a variant that is dead does not refute O3 where nothing can be reduced", () => {
    const origin = { node: 0, phase: "step", consumed: [], chosen: [], outcome: "done" } as const;
    const plain = parse("t: p -> ; u: p -> q; v: p + o -> q", { initial: { p: 1, q: 1 } });
    const transitions = plain.transitions.map((t, at) => (at === 1 ? t : { ...t, generated: true, origin }));
    const net = { ...plain, transitions };
    for (const limits of [{}, { statesMax: 2, statesAfterFailureMax: 2 }]) {
      const { verdict } = proveNet(net, { limits }).obligations.find(({ id }) => id === "O3")!;
      expect([verdict.kind, checkEvidence(net, "O3", verdict).kind]).toEqual(["holds", "valid"]);
    }
  });

  it("[T13.1] a variant that is dead in the reduced net leaves soundness to the parts", () => {
    const net = withVariants("s: a + b -> o; d: i -> a + b; x: a + b + z -> o", ["o"]);
    const report = prove(net);
    expect(report.sound).toBe(true);
    const { soundness } = report;
    expect(soundness.kind === "holds" && soundness.evidence.class).toBe("recomputable");
    for (const { id, verdict } of report.obligations)
      expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
  });
});
