import { fireSequence, type Net, type NonLocalRules } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  type CheckOptions,
  checkEvidence,
  checkNet,
  checkNetAsync,
  DEFAULT_LIMITS,
  explainEvidence,
  explainRun,
  type NetObligationId,
  type NetReport,
} from "../src/index.ts";
import { net } from "./net-text.ts";

function kinds(report: NetReport): Record<string, string> {
  return Object.fromEntries(report.obligations.map(({ id, verdict }) => [id, verdict.kind]));
}

function evidence(n: Net, id: NetObligationId, options: CheckOptions = {}) {
  const { verdict } = checkNet(n, options).obligations.find((o) => o.id === id)!;
  if (verdict.kind !== "fails") throw new Error(`${id} ${verdict.kind}`);
  expect(checkEvidence(n, id, verdict, options.rules === undefined ? {} : { rules: options.rules })).toEqual({
    kind: "valid",
  });
  return explainEvidence(n, verdict.evidence);
}

const SOUND = { O1: "holds", O2: "holds", O3: "holds", O4: "holds", deadlock: "holds", bounded: "holds" };

describe("the four traps", () => {
  it("[D8.8] a sound skeleton whose reset makes the net deadlock", () => {
    const trap = net("t0: i -> a + b; ta: a -> c reset b; tc: c + b -> o");
    const skeleton: Net = { ...trap, transitions: trap.transitions.map((t) => ({ ...t, reset: [] })) };
    expect(kinds(checkNet(skeleton))).toEqual(SOUND);
    expect(checkNet(trap).class).toBe("reset");
    expect(kinds(checkNet(trap))).toMatchObject({
      O1: "fails",
      O2: "holds",
      O3: "fails",
      O4: "holds",
      deadlock: "fails",
    });
    expect(evidence(trap, "O1")).toMatchObject({
      run: ["t0", "ta"],
      marking: { c: 1 },
      certificate: { kind: "closed-set", size: 1 },
    });
    expect(evidence(trap, "deadlock")).toMatchObject({ run: ["t0", "ta"], finding: { kind: "deadlock" } });
    expect(evidence(trap, "O3")).toMatchObject({ dead: [{ transition: "tc" }] });
  });

  it("[D8.8] an unsound skeleton whose reset makes the net sound", () => {
    const trap = net("t0: i -> a + b; ta: a -> o reset b");
    const skeleton: Net = { ...trap, transitions: trap.transitions.map((t) => ({ ...t, reset: [] })) };
    expect(checkNet(skeleton).sound).toBe(false);
    expect(kinds(checkNet(trap))).toEqual(SOUND);
  });

  it("[D8.7] with a reset a covered ancestor is no pump: sound and safe", () => {
    const trap = net("t1: i -> p; t2: p -> p + q reset q; t3: p -> o reset q");
    const report = checkNet(trap);
    expect(kinds(report)).toEqual(SOUND);
    expect(report).toMatchObject({ states: 4, complete: true, sound: true });
    // The same net without its resets is unbounded, and the pump is told.
    const skeleton: Net = { ...trap, transitions: trap.transitions.map((t) => ({ ...t, reset: [] })) };
    expect(evidence(skeleton, "bounded")).toMatchObject({ finding: { kind: "pump" } });
  });

  it("[D8.8] rank and invariants of a sound free-choice net, and a deadlock", () => {
    const trap = net("t1: i -> p; t2: p + a -> q + b; t3: q + b -> a + o");
    expect(kinds(checkNet(trap))).toMatchObject({ O1: "fails", O3: "fails", deadlock: "fails" });
    expect(evidence(trap, "O1")).toMatchObject({
      run: ["t1"],
      marking: { p: 1 },
      certificate: { kind: "closed-set", size: 1 },
    });
    expect(evidence(trap, "O3")).toMatchObject({
      dead: [{ transition: "t2" }, { transition: "t3" }],
      certificate: { kind: "empty-siphon" },
    });
  });
});

describe("each kind of evidence", () => {
  it("[L8.1] leftover beside the final marking: covers-final", () => {
    const n = net("t: i -> a + b; u: a -> o; v: b -> b");
    expect(evidence(n, "O1")).toMatchObject({ run: ["t", "u"], certificate: { kind: "covers-final" } });
  });

  it("[L8.2] [D8.3] a second token on the end: E1 against O2, overfull against O1", () => {
    const n = net("t: i -> a + b; u: a -> o; v: b -> o");
    expect(evidence(n, "O2")).toMatchObject({
      kind: "E1",
      marking: { o: 2 },
      finding: { kind: "second-token", place: "o" },
    });
    const two = net("t: i -> a; u: a -> 2o");
    expect(evidence(two, "O1")).toMatchObject({ certificate: { kind: "overfull", place: "o" } });
  });

  it("[L8.3] a room without exit: trap", () => {
    const n = net("t: i -> a; u: i -> o; v: a -> b; w: b -> a");
    expect(evidence(n, "O1")).toMatchObject({
      run: ["t"],
      marking: { a: 1 },
      certificate: { kind: "trap", places: ["a", "b"] },
    });
  });

  it("[D8.2] a livelock that structure does not show: closed set", () => {
    // From b the token circulates for ever; x would let it out, and x is never marked again.
    const n = net("t: i -> a + x; u: a + x -> b; v: b -> c; w: c -> b; z: c + x -> o; d: a + x -> o");
    expect(evidence(n, "O1")).toMatchObject({ certificate: { kind: "closed-set", size: 2 } });
  });

  it("[L8.4] [D8.4] a transition that needs a siphon: dead in an unbounded net too", () => {
    const n = net("t: i -> i + q; u: i -> o; d: x -> y; e: y -> x");
    expect(evidence(n, "O3")).toMatchObject({
      dead: [{ transition: "d" }, { transition: "e" }],
      certificate: { kind: "empty-siphon" },
    });
  });

  it("[T8.1] a pump: completed to a run that leaves something behind", () => {
    const n = net("t: i -> p; u: p -> p + q; v: p -> o");
    expect(evidence(n, "bounded")).toMatchObject({ kind: "E1", finding: { kind: "pump" } });
    const report = checkNet(n);
    expect(report.sound).toBe(false);
    expect(report.complete).toBe(false);
  });

  it("[T8.1] a pump whose completion is out of reach: the theorem alone", () => {
    // The end is 5,000 steps away, further than a completing run is looked for.
    const chain = Array.from({ length: 5000 }, (_, k) => `c${k}: s${k} -> s${k + 1}`).join("; ");
    const n = net(`a: i -> s0; g: i -> i + q; ${chain}; z: s5000 -> o; r: q + s2500 -> s2500`);
    expect(evidence(n, "O1", { limits: { statesAfterFailureMax: 3000 } })).toMatchObject({ kind: "E3-pump" });
  });

  it("[T8.2] a pump of a net with several ends refutes O1 and O2 together, and neither alone", () => {
    // The surplus q leaves by the end e, once. A second time would be improper; that run is beyond five states.
    const n = net("t: i -> p; u: p -> p + q; v: p -> o; w: q -> e", { ends: ["o", "e"] });
    const early = checkNet(n, { limits: { statesMax: 5 } });
    expect(kinds(early)).toMatchObject({ O1: "unknown", O2: "unknown" });
    expect(early.soundness).toMatchObject({ kind: "fails", evidence: { kind: "E3-pump" } });
    expect(checkEvidence(n, "sound", early.soundness)).toEqual({ kind: "valid" });
    expect(early.sound).toBe(false);
    expect(evidence(n, "O2")).toMatchObject({ finding: { kind: "second-token" } });
  });

  it("[D8.3] a list of final markings: beyond one of them", () => {
    const n = net("t: i -> a; u: a -> a + b", { finals: [{ a: 1 }], initial: { i: 1 } });
    expect(evidence(n, "O2")).toMatchObject({ finding: { kind: "beyond-final", final: { a: 1 } } });
  });

  it("[D8.3] [D8.8] final markings that cover each other are no improper completion", () => {
    const n = net("t: i -> a; u: i -> a + b", { finals: [{ a: 1 }, { a: 1, b: 1 }] });
    expect(checkNet(n).sound).toBe(true);
  });

  it("[D8.3] a final marking that loses tokens and stays beyond another is improper", () => {
    // No step puts a token anywhere: what is at fault is only left over.
    const n = net("t: b -> ", { finals: [{ a: 1, b: 2 }, { a: 1 }], initial: { a: 1, b: 2 } });
    expect(evidence(n, "O2")).toMatchObject({
      run: ["t"],
      finding: { kind: "beyond-final", final: { a: 1 } },
    });
  });

  it("[D8.1] nets without places or without transitions have one marking", () => {
    const bare: Net = {
      places: [],
      transitions: [{ id: "t", pre: [], any: [], post: [], reset: [] }],
      initial: [],
      finals: { kind: "markings", markings: [[]] },
    };
    expect(checkNet(bare)).toMatchObject({ states: 1, complete: true, sound: true });
    const still: Net = { ...net("t: i -> o"), transitions: [] };
    expect(checkNet(still)).toMatchObject({ states: 1, complete: true, sound: false });
  });

  it("[D8.5] counter places are left out of O4", () => {
    const n = net("t: i -> p + 2left; u: p + left -> p; v: p -> o reset left");
    const counted: Net = {
      ...n,
      places: n.places.map((p) => (p.id === "left" ? { ...p, role: "counter" } : p)),
    };
    expect(kinds(checkNet(n)).O4).toBe("fails");
    expect(kinds(checkNet(counted))).toEqual(SOUND);
  });

  it("[D8.6] the final marking enables nothing and is no deadlock; without final markings every dead marking is one", () => {
    const n = net("t: i -> o");
    expect(kinds(checkNet(n)).deadlock).toBe("holds");
    const none: Net = { ...n, finals: { kind: "markings", markings: [] } };
    const report = checkNet(none);
    expect(kinds(report)).toMatchObject({ O1: "unknown", O2: "unknown", deadlock: "fails" });
    expect(report.soundness).toEqual({ kind: "unknown", limit: { kind: "no-finals" } });
    expect(report.sound).toBeNull();
  });

  it("[D8.4] generated variants are asked of by node and outcome and by arc, not one by one", () => {
    const plain = net("t: i -> o; never: x -> o");
    const origin = (outcome: string, chosen: number[]) => ({
      node: 0,
      phase: "finish" as const,
      consumed: [0],
      outcome,
      chosen,
    });
    const generated: Net = {
      ...plain,
      transitions: plain.transitions.map((t, k) => ({
        ...t,
        generated: true,
        origin: origin("done", [k + 1]),
      })),
    };
    // The arc 2 is chosen by the dead variant only; node 0 with "done" is alive through the other.
    expect(evidence(generated, "O3")).toMatchObject({ dead: [{ kind: "arc", arc: 2 }] });
    const shared: Net = {
      ...generated,
      transitions: generated.transitions.map((t) => ({ ...t, origin: origin("done", [1]) })),
    };
    expect(kinds(checkNet(shared)).O3).toBe("holds");
  });
});

/** `branches` parallel branches of `length` steps: (length + 1) ^ branches + 2 states. */
function wide(branches: number, length: number): Net {
  const branch = Array.from({ length: branches }, (_, b) => b);
  const steps = branch.flatMap((b) =>
    Array.from({ length }, (_, k) => `s${b}_${k}: b${b}_${k} -> b${b}_${k + 1}`),
  );
  const fork = branch.map((b) => `b${b}_0`).join(" + ");
  const join = branch.map((b) => `b${b}_${length}`).join(" + ");
  return net(`fork: i -> ${fork}; ${steps.join("; ")}; join: ${join} -> o`);
}

describe("limits", () => {
  it("[D8.9] the state limit is exact and named", () => {
    const n = wide(4, 3);
    expect(checkNet(n, { limits: { statesMax: 258 } })).toMatchObject({
      complete: true,
      states: 258,
      sound: true,
    });
    const cut = checkNet(n, { limits: { statesMax: 257 } });
    expect(cut).toMatchObject({ complete: false, states: 257, sound: null });
    expect(cut.soundness).toEqual({ kind: "unknown", limit: { kind: "states", at: 257 } });
  });

  it("[D8.9] a space that is completed after walks is counted without them", () => {
    // IBM nets of this size showed it: the count of the walks was once added to the evidence for O3.
    const n = wide(4, 8);
    const report = checkNet(n);
    expect(report).toMatchObject({ complete: true, states: 6563, sound: true });
    for (const { id, verdict } of report.obligations)
      expect(checkEvidence(n, id, verdict)).toEqual({ kind: "valid" });
  });

  it("[D8.9] O3 can hold in an incomplete space, by one run for each element", () => {
    const n = wide(4, 6);
    const report = checkNet(n, { limits: { statesMax: 2000 } });
    expect(report.complete).toBe(false);
    const o3 = report.obligations.find(({ id }) => id === "O3")!;
    if (o3.verdict.kind !== "holds") throw new Error(o3.verdict.kind);
    expect(o3.verdict.evidence).toMatchObject({ class: "compact" });
    expect(checkEvidence(n, "O3", o3.verdict)).toEqual({ kind: "valid" });
  });

  it("[D8.9] time is read from the given clock only", () => {
    let ms = 0;
    const report = checkNet(wide(9, 3), { limits: { timeoutMs: 10 }, now: () => (ms += 4) });
    expect(report.sound).toBeNull();
    expect(report.soundness).toEqual({ kind: "unknown", limit: { kind: "time", at: 10 } });
  });

  it("[D8.9] an aborted search says so", async () => {
    const signal = { aborted: false };
    const report = await checkNetAsync(wide(9, 3), {
      signal,
      onProgress: (states) => {
        if (states > 5000) signal.aborted = true;
      },
    });
    expect(report.soundness).toMatchObject({ kind: "unknown", limit: { kind: "aborted" } });
  });

  it("[D8.9] bytes are limited, and counts beyond 2^31 - 1 are refused", () => {
    const cut = checkNet(wide(9, 3), { limits: { bytesMax: 1_000_000 } });
    expect(cut.soundness).toEqual({ kind: "unknown", limit: { kind: "bytes", at: 1_000_000 } });
    const huge = checkNet(net("t: i -> 3000000000o"));
    expect(huge.soundness).toMatchObject({ kind: "unknown", limit: { kind: "tokens" } });
    const growing = checkNet(net("t: i -> i + 2000000000q; u: q -> "), { limits: { statesMax: 100 } });
    expect(growing.obligations.find(({ id }) => id === "bounded")!.verdict.kind).toBe("fails");
  });

  it("[D8.9] the asynchronous check gives the same report and lets other work run", async () => {
    const n = wide(7, 3);
    let pauses = 0;
    const report = await checkNetAsync(n, {
      pause: async () => {
        pauses += 1;
      },
    });
    expect(report).toEqual(checkNet(n));
    expect(pauses).toBeGreaterThan(1);
    expect(await checkNetAsync(net("t: i -> o"))).toMatchObject({ sound: true });
  });

  it("[D8.9] the defaults are finite", () => {
    for (const limit of Object.values(DEFAULT_LIMITS)) expect(Number.isFinite(limit)).toBe(true);
  });

  it("[D8.9] walks find a deep fault in a space that is too large", () => {
    // Each of 40 branches can lose its way; breadth first the fault lies behind 3^40 markings.
    const branches = Array.from({ length: 40 }, (_, b) => b);
    const n = net(
      `fork: i -> ${branches.map((b) => `a${b}`).join(" + ")}; ${branches
        .map((b) => `g${b}: a${b} -> b${b}; h${b}: a${b} -> c${b}`) // Nothing takes from c.
        .join("; ")}; join: ${branches.map((b) => `b${b}`).join(" + ")} -> o`,
    );
    expect(evidence(n, "O1")).toMatchObject({ certificate: { kind: "overfull" } });
  });
});

describe("witnesses", () => {
  it("[D8.9] a run is explained step by step in ids and labels", () => {
    const n = net("t: i -> a; u: a -> o");
    const labelled: Net = { ...n, transitions: n.transitions.map((t) => ({ ...t, label: `do ${t.id}` })) };
    expect(explainRun(labelled, [0, 1])).toEqual([
      { transition: "t", label: "do t", marking: { a: 1 } },
      { transition: "u", label: "do u", marking: { o: 1 } },
    ]);
  });

  it("[D8.9] breadth-first witnesses are shortest", () => {
    const n = net("a: i -> x; b: x -> y; c: y -> z + z2; d: i -> w; e: w -> 2v; f: z + z2 -> o; g: 2v -> o");
    const { verdict } = checkNet(n).obligations.find(({ id }) => id === "O4")!;
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "E1") throw new Error(verdict.kind);
    expect(verdict.evidence.run.sequence).toEqual([3, 4]);
    expect(fireSequence(n, n.initial, verdict.evidence.run.sequence)).toEqual({
      kind: "fired",
      marking: verdict.evidence.run.marking,
    });
  });

  it("[D8.9] rules are respected by search and checker", () => {
    const n = net("t: i -> a + b; u: a -> c; v: b + c -> o; w: b -> d");
    const ruled: Net = {
      ...n,
      transitions: n.transitions.map((t) => (t.id === "w" ? { ...t, rule: "never" } : t)),
    };
    const rules: NonLocalRules = new Map([["never", () => false]]);
    expect(kinds(checkNet(ruled, { rules }))).toMatchObject({ O1: "holds", O3: "fails" });
    expect(evidence(ruled, "O3", { rules })).toMatchObject({ dead: [{ transition: "w" }] });
  });
});
