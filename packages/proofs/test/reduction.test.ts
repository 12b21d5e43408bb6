import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { blockNet } from "../src/block-net.ts";
import { replayReduction } from "../src/certificate/reduction.ts";
import {
  checkEvidence,
  checkNet,
  type NetReport,
  netShape,
  proveNet,
  type ReductionStep,
  type Support,
} from "../src/index.ts";
import { isFreeChoice } from "../src/net-shape.ts";
import { reduce } from "../src/reduction/reduce.ts";
import { net } from "./net-text.ts";

const refusal = (n: Net, ...steps: readonly ReductionStep[]) => {
  const replayed = replayReduction(n, steps);
  return typeof replayed === "string" ? replayed : "accepted";
};
const at = (n: Net, id: string) => n.places.findIndex((place) => place.id === id);
const kindOf = (report: NetReport, id: string) => report.obligations.find((o) => o.id === id)!.verdict.kind;

describe("shape", () => {
  it("[D13.1] [D13.2] tells workflow nets, free choice, state machines, marked graphs and cycles", () => {
    const loop = net("t: i -> a; u: a -> i; v: a -> o");
    expect(netShape(loop)).toEqual({
      class: "plain",
      source: 0,
      sink: 2,
      isWorkflowNet: true,
      isFreeChoice: true,
      isStateMachine: true,
      isMarkedGraph: false,
      isAcyclic: false,
      isStronglyConnected: true,
    });
    const parallel = netShape(net("t: i -> a + b; u: a + b -> o"));
    expect([parallel.isStateMachine, parallel.isMarkedGraph, parallel.isAcyclic]).toEqual([
      false,
      true,
      true,
    ]);
    expect(isFreeChoice(net("t: i -> a + b; u: a -> o; v: a + b -> o"))).toBe(false);
    expect(isFreeChoice(net("t: i -> a + b; u: a + b -> o; v: b + a -> i"))).toBe(true);
    const loose = netShape(net("t: i -> o; u: x -> o"));
    expect([loose.isWorkflowNet, loose.isStronglyConnected]).toEqual([false, false]);
    expect(netShape(net("t: i -> o; u: o -> i")).sink).toBeNull();
    expect(netShape(net("t: i -> o", { initial: { i: 2 } })).source).toBeNull();
    expect(netShape(net("t: i -> 2o")).isFreeChoice).toBe(false);
  });
});

describe("final markings that cover each other", () => {
  it("[T13.1] [D8.3] are not reduced: what goes beyond the one would become the other", () => {
    const nested = net("t: i -> a + b; u: a -> o; v: b -> b; w: b -> c", {
      finals: [{ o: 1 }, { o: 1, c: 1 }],
    });
    expect(kindOf(checkNet(nested), "O2")).toBe("fails");
    expect(kindOf(proveNet(nested), "O2")).toBe("fails");
    expect(refusal(nested)).toMatch(/covers another/);
    const apart = net("t: i -> a + b; u: a -> o; w: b -> c", {
      finals: [
        { o: 1, b: 1 },
        { o: 1, c: 1 },
      ],
    });
    expect(refusal(apart)).toBe("accepted");
    const same = net("t: i -> a; u: a -> o", { finals: [{ o: 1 }, { o: 1 }] });
    expect(refusal(same, { kind: "post", place: at(same, "a") })).toBe("accepted");
    expect(proveNet(same).stage).toBe("reduction");
  });
});

describe("the checker of reductions", () => {
  it("[D13.4] refuses post-agglomerations without their conditions", () => {
    const n = net("t: i -> a; u: a -> o");
    expect(refusal(n, { kind: "post", place: at(n, "a") })).toBe("accepted");
    expect(refusal(n, { kind: "post", place: at(n, "o") })).toMatch(/final/);
    expect(refusal(n, { kind: "post", place: 7 })).toMatch(/no such place/);
    const twice = { kind: "post", place: at(n, "a") } as const;
    expect(refusal(n, twice, twice)).toMatch(/step 1, post: no such place/);
    const join = net("t: i -> a + b; u: a + b -> o");
    expect(refusal(join, { kind: "post", place: at(join, "a") })).toMatch(/not simple/);
    const choice = net("t: i -> a; u: i -> o; v: a -> o");
    expect(refusal(choice, { kind: "post", place: at(choice, "i") })).toMatch(/choice/);
    const unmarked = net("t: i -> o; u: a -> o");
    expect(refusal(unmarked, { kind: "post", place: at(unmarked, "a") })).toMatch(/never marked/);
    const left = net("t: i -> a");
    expect(refusal(left, { kind: "post", place: at(left, "a") })).toMatch(/nothing takes/);
    const two = net("t: i -> a + o; u: a -> o");
    expect(refusal(two, { kind: "post", place: at(two, "a") })).toMatch(/two tokens/);
  });

  it("[D13.5] refuses pre-agglomerations without their conditions", () => {
    const n = net("s: i -> a + b + c; t: a + b -> q; u: q + c -> o");
    const q = { kind: "pre", place: at(n, "q") } as const;
    expect(refusal(n, q)).toBe("accepted");
    const shared = net("s: i -> a + b + c; t: a + b -> q; u: q + c -> o; v: a -> o");
    expect(refusal(shared, q)).toMatch(/others need/);
    const marked = net("s: i -> a + b + c; t: a + b -> q; u: q + c -> o", { initial: { i: 1, q: 1 } });
    expect(refusal(marked, q)).toMatch(/marked/);
    const busy = net("s: i -> a + b + c; t: a + b -> q + c; u: q + c -> o");
    expect(refusal(busy, { kind: "pre", place: at(busy, "q") })).toMatch(/not simple/);
    expect(refusal(n, { kind: "pre", place: at(n, "i") })).toMatch(/not one producer/);
  });

  it("[D13.6] [D13.7] [D13.8] refuses twins that differ and transitions that are not idle", () => {
    const n = net("t: i -> a + b; u: a + b -> c; v: a + b -> c; w: c -> c; x: c -> o");
    expect(refusal(n, { kind: "twin-place", place: 1, twin: 2 })).toBe("accepted");
    expect(refusal(n, { kind: "twin-place", place: 1, twin: 1 })).toMatch(/differently/);
    expect(refusal(n, { kind: "twin-place", place: 1, twin: 3 })).toMatch(/neighbours/);
    const uneven = net("t: i -> a + b; u: a + b -> o", { initial: { i: 1, a: 1 } });
    expect(refusal(uneven, { kind: "twin-place", place: 1, twin: 2 })).toMatch(/differently/);
    expect(refusal(n, { kind: "twin-transition", transition: 1, twin: 2 })).toBe("accepted");
    expect(refusal(n, { kind: "twin-transition", transition: 1, twin: 1 })).toMatch(/no such/);
    expect(refusal(n, { kind: "twin-transition", transition: 0, twin: 2 })).toMatch(/differ/);
    expect(refusal(n, { kind: "idle", transition: 3, other: 4 })).toBe("accepted");
    expect(refusal(n, { kind: "idle", transition: 3, other: 3 })).toMatch(/no such/);
    expect(refusal(n, { kind: "idle", transition: 3, other: 0 })).toMatch(/nothing shows/);
    expect(refusal(n, { kind: "idle", transition: 3, other: null })).toMatch(/nothing shows/);
    expect(refusal(n, { kind: "idle", transition: 0, other: 1 })).toMatch(/changes something/);
  });

  it("[D13.9] refuses nets of other classes, and a certificate of one net for another", () => {
    for (const text of ["t: i -> 2o", "t: i -> o reset a", "t: i any a -> o"])
      expect(refusal(net(text))).toMatch(/not plain/);
    const counter = net("t: i -> o");
    expect(
      refusal({ ...counter, places: counter.places.map((p) => ({ ...p, role: "counter" as const })) }),
    ).toMatch(/counter/);
    const sound = net("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o");
    const other = net("t: i -> a + b; u: a -> c; v: b -> c; w: c + d -> o");
    const { soundness } = proveNet(sound);
    expect(checkEvidence(sound, "sound", soundness)).toEqual({ kind: "valid" });
    expect(checkEvidence(other, "sound", soundness).kind).toBe("invalid");
    if (soundness.kind !== "holds") throw new Error(soundness.kind);
    const { certificate } = soundness.evidence;
    if (certificate?.kind !== "reduction") throw new Error(certificate?.kind);
    const short: Support = {
      ...soundness.evidence,
      certificate: { kind: "reduction", steps: certificate.steps.slice(1) },
    };
    expect(checkEvidence(sound, "sound", { kind: "holds", evidence: short }).kind).toBe("invalid");
    const more = { ...soundness.evidence, states: 2 };
    expect(checkEvidence(sound, "sound", { kind: "holds", evidence: more }).kind).toBe("invalid");
  });

  it("[T13.2] refuses dead transitions of which the reduced net says nothing, or that fire", () => {
    const n = net("s: i -> a + b; t: a + b -> q; u: q + c -> o; w: i -> o; x: c -> c");
    const { steps } = reduce(n);
    const claim = (transition: number, size: number) =>
      checkEvidence(n, "O3", {
        kind: "fails",
        evidence: {
          kind: "E3",
          dead: [{ element: { kind: "transition", transition }, transitions: [transition] }],
          certificate: { kind: "reduced", size, steps },
        },
      });
    expect(claim(2, 3)).toEqual({ kind: "valid" });
    expect(claim(1, 3)).toMatchObject({ kind: "invalid", reason: expect.stringMatching(/says nothing/) });
    expect(claim(3, 3)).toMatchObject({ kind: "invalid", reason: expect.stringMatching(/is enabled/) });
    expect(claim(2, 2)).toMatchObject({ kind: "invalid", reason: expect.stringMatching(/not 2/) });
    expect(claim(2, 30_000).kind).toBe("unchecked");
  });
});

describe("the pipeline", () => {
  it("[T13.3] many parallel branches need no search, and nested blocks neither", () => {
    const branches = Array.from({ length: 20 }, (_, index) => index);
    const text = [
      `s: i -> ${branches.map((b) => `a${b}`).join(" + ")}`,
      ...branches.map((b) => `t${b}: a${b} -> b${b}`),
      `j: ${branches.map((b) => `b${b}`).join(" + ")} -> o`,
    ].join("; ");
    const report = proveNet(net(text));
    expect([report.sound, report.states, report.stage]).toEqual([true, 1, "reduction"]);
    expect(kindOf(report, "O4")).toBe("holds");
    expect(checkEvidence(net(text), "sound", report.soundness)).toEqual({ kind: "valid" });
    const nested = blockNet({
      kind: "parallel",
      parts: [
        { kind: "loop", body: { kind: "task" } },
        { kind: "choice", parts: [{ kind: "task" }, { kind: "task" }] },
      ],
    });
    expect(proveNet(nested).stage).toBe("reduction");
  });

  it("[T13.3] a final marking with two tokens on a place is not safe, though nothing is left to happen", () => {
    const twice = net("t: a -> o", { initial: { a: 1, o: 1 }, finals: [{ o: 2 }] });
    const report = proveNet(twice);
    expect([report.sound, kindOf(report, "O2"), kindOf(report, "O4")]).toEqual([true, "holds", "fails"]);
    expect(kindOf(checkNet(twice), "O4")).toBe("fails");
  });

  it("[D8.8] the traps of resets: the class decides before any method speaks", () => {
    const deadlocks = proveNet(net("s: i -> a + b; t: a -> c reset b; u: c + b -> o"));
    expect([deadlocks.sound, deadlocks.stage]).toEqual([false, "search"]);
    const sound = proveNet(net("s: i -> a + b; t: a -> o reset b"));
    expect([sound.sound, sound.stage]).toEqual([true, "search"]);
    const covering = proveNet(net("s: i -> p; t: p -> p + q reset q; u: p -> o reset q"));
    expect([covering.sound, kindOf(covering, "O4")]).toEqual([true, "holds"]);
  });

  it("[D8.8] the trap of rank and invariants: the siphon that starts empty shows", () => {
    const report = proveNet(net("s: i -> p; t: p + a -> q + b; u: q + b -> a + o"));
    expect([report.sound, report.shape.isFreeChoice]).toEqual([false, true]);
  });
});
