/** @module The search behind a report, and what is made of it, on nets small enough to be judged by hand. */
import { NO_RULES } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, type Limits, startBudget } from "../src/limits.ts";
import { type Search, search } from "../src/search.ts";
import { assemble, checkNet, checkNetAsync, conclusion, hasHugeNumbers, methodOf } from "../src/soundness.ts";
import { fails, holds, type NetEvidence, unknown, type Verdict } from "../src/verdict.ts";
import { net } from "./net-text.ts";

type Given = Parameters<typeof search>[0];

/** The search to its end, and how often it let others work. */
function searched(
  given: Given,
  limits: Partial<Limits> = {},
  now: () => number = () => 0,
  signal: { aborted: boolean } | null = null,
  onYield: (states: number) => void = () => {},
): { readonly found: Search; readonly yields: readonly number[] } {
  const steps = search(
    given,
    NO_RULES,
    startBudget({ ...DEFAULT_LIMITS, statesMax: 6000, ...limits }, now, signal),
  );
  const yields: number[] = [];
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { found: step.value, yields };
    yields.push(step.value);
    onYield(step.value);
  }
}

const summary = ({ found }: { readonly found: Search }) => ({
  states: found.space.store.count,
  limit: found.limit,
  isWalked: found.walked !== null,
});

// Each has a new marking for each firing of t. The pump of the first refutes O1, that of the second nothing.
const pumping = net("t: i -> i + p; u: i -> o");
const losing = net("t: i -> i + p; u: i -> o; v: p -> ");
const at = (states: number) => ({ kind: "states", at: states });

describe("the limits of a search", () => {
  it("[D8.9] bytes: those of rows, slots and edges, looked at after each slice", () => {
    const bytesOf = ({ space }: Search) =>
      space.store.words.byteLength +
      space.store.slots.byteLength +
      space.edgeTarget.byteLength +
      4 * space.edgeStart.byteLength;
    const first = searched(losing, { bytesMax: 1 }).found;
    const bytes = bytesOf(first);
    expect(first.limit).toEqual({ kind: "bytes", at: 1 });
    expect(searched(losing, { bytesMax: bytes - 1 }).found.space.expanded).toBe(first.space.expanded);
    expect(searched(losing, { bytesMax: bytes }).found.space.expanded).toBeGreaterThan(first.space.expanded);
  });

  it("[D8.9] none: all markings are seen, and there is no walk", () => {
    const result = searched(net("t: i -> a; u: a -> o"));
    expect(summary(result)).toEqual({ states: 3, limit: null, isWalked: false });
    expect(result.found.findings).toEqual({
      stuck: null,
      improper: null,
      unsafe: null,
      deadlock: null,
      pump: null,
    });
    expect(result.yields).toEqual([]);
  });

  it("[D8.9] states: a search that is open goes to the limit, with walks", () => {
    expect(summary(searched(losing, { statesMax: 100 }))).toEqual({
      states: 100,
      limit: at(100),
      isWalked: true,
    });
    expect(summary(searched(losing, { statesMax: 5000 }))).toEqual({
      states: 5000,
      limit: at(5000),
      isWalked: true,
    });
  });

  it("[D8.9] states: once soundness is refuted it ends earlier, and there is no walk", () => {
    const limits = { statesMax: 5000, statesAfterFailureMax: 40 };
    // The first state after the start covers it.
    expect(summary(searched(pumping, limits))).toMatchObject({ limit: at(40), isWalked: false });
    expect(summary(searched(pumping, { statesMax: 30, statesAfterFailureMax: 40 }))).toMatchObject({
      limit: at(30),
    });
    const stuck = net("t: i -> i + p; u: i -> o; v: p -> ; x: i -> r");
    expect(summary(searched(stuck, limits))).toMatchObject({ limit: at(40), isWalked: false });
    const improper = net("t: i -> i + o; u: o -> q; v: q -> o; w: i + o -> o", { finals: [{ o: 1 }] });
    const result = searched(improper, limits);
    expect(summary(result)).toMatchObject({ limit: at(40), isWalked: false });
    expect(result.found.findings).toMatchObject({ stuck: null, improper: { kind: "E1" } });
    // Nothing but a pump: the end is out of reach.
    const pump = searched(net("t: i -> i + p; u: i + x -> o; v: p + x -> o"), limits);
    expect(summary(pump)).toMatchObject({ limit: at(40), isWalked: false });
    expect(pump.found.findings).toMatchObject({ stuck: null, improper: null });
    // Where nothing is refuted the other limit does not matter.
    expect(summary(searched(losing, { statesMax: 100, statesAfterFailureMax: 40 }))).toMatchObject({
      limit: at(100),
    });
  });

  it("[D8.9] states: what was refuted at the start bounds the first look already", () => {
    const lost = net("t: i -> i + p; v: p -> ; u: a -> o", { initial: { i: 1, o: 2 } });
    expect(summary(searched(lost, { statesAfterFailureMax: 40 }))).toEqual({
      states: 40,
      limit: at(40),
      isWalked: false,
    });
  });

  it("[D8.9] without a final marking there is nothing to walk for", () => {
    expect(summary(searched(net("t: i -> i + p; v: p -> ", { ends: [] }), { statesMax: 50 }))).toEqual({
      states: 50,
      limit: at(50),
      isWalked: false,
    });
  });

  const [chain, toggles] = [14, 12].map((count) => Array.from({ length: count }, (_, k) => k));
  const together = (side: string) => toggles?.map((k) => `${side}${k}`).join(" + ");
  /** What `fault` does is 15 firings away, beside places that go on and off: 4096 markings are nearer. */
  function deep(fault: string): Search {
    const lines = [
      ...(chain ?? []).map((k) => `c${k}: p${k} -> p${k + 1}`),
      `z: p14 + ${together("f")} -> o`,
      fault,
      ...(toggles ?? []).map((k) => `n${k}: f${k} -> g${k}; m${k}: g${k} -> f${k}`),
    ];
    const initial = Object.fromEntries([["p0", 1], ...(toggles ?? []).map((k) => [`f${k}`, 1])]);
    return searched(net(lines.join("; "), { initial }), { statesMax: 4200, statesAfterFailureMax: 4150 })
      .found;
  }

  it("[D8.9] what a walk meets is found, and ends the search that has found nothing else", () => {
    const lost = deep("y: p14 -> lost");
    expect(lost.walked).not.toBeNull();
    expect(lost.findings.stuck).toMatchObject({ certificate: { kind: "overfull" } });
    expect(lost.limit).toEqual(at(4150));
    const twice = deep("y: p14 -> 2o");
    expect(twice.findings).toMatchObject({
      improper: { finding: { kind: "second-token" } },
      unsafe: { finding: { kind: "unsafe" } },
      deadlock: null,
    });
    const emptied = deep(`y: p14 -> lost reset ${together("f")} ${together("g")}`.replaceAll(" +", ""));
    expect(emptied.findings).toMatchObject({ deadlock: { finding: { kind: "deadlock" } }, unsafe: null });
    const pump = deep("y: p14 -> p14 + x; w: x + p14 -> o");
    expect(pump.findings).toMatchObject({ pump: { kind: "E3-pump" } });
    expect(pump.limit).toEqual(at(4150));
  });

  it("[D8.9] a walk shows of what is far away that it happens", () => {
    const lines = [
      ...(chain ?? []).map((k) => `c${k}: p${k} -> p${k + 1}`),
      ...(toggles ?? []).map((k) => `n${k}: f${k} -> g${k}`),
      `z: p14 + ${together("g")} -> o`,
    ];
    const initial = Object.fromEntries([["p0", 1], ...(toggles ?? []).map((k) => [`f${k}`, 1])]);
    const report = checkNet(net(lines.join("; "), { initial }), { limits: { statesMax: 4200 } });
    expect(report.obligations[2]).toMatchObject({
      id: "O3",
      verdict: { kind: "holds", evidence: { class: "compact" } },
    });
    expect(report.soundness).toEqual({ kind: "unknown", limit: at(4200) });
  });

  it("[D8.9] time, and the caller, are asked before each slice", () => {
    expect(summary(searched(losing, {}, () => 0, { aborted: true }))).toEqual({
      states: 1,
      limit: { kind: "aborted", at: 1 },
      isWalked: false,
    });
    let ms = 0;
    const late = searched(losing, { timeoutMs: 10 }, () => (ms += 20));
    expect(summary(late)).toMatchObject({ states: 1, limit: { kind: "time", at: 10 }, isWalked: false });
    const signal = { aborted: false };
    const cut = searched(
      losing,
      {},
      () => 0,
      signal,
      () => {
        signal.aborted = true;
      },
    );
    expect(cut.yields.length).toBe(1);
    expect(cut.found.limit).toEqual({ kind: "aborted", at: cut.yields[0] });
  });

  it("[D8.9] bytes are looked at between slices", () => {
    const cut = searched(losing, { bytesMax: 1000 });
    expect(cut.found.limit).toEqual({ kind: "bytes", at: 1000 });
    expect(cut.yields).toEqual([]);
    expect(searched(losing, { bytesMax: 10_000_000, statesMax: 5000 }).found.limit).toEqual(at(5000));
  });

  it("[D8.9] tokens that a packed marking does not hold", () => {
    const { found } = searched(net("t: i -> i + 2000000000p; v: p -> "));
    expect(found.limit?.kind).toBe("tokens");
    expect(found.limit).toEqual({ kind: "tokens", at: found.space.store.count });
  });
});

describe("what a search says", () => {
  it("[D8.9] the obligations in their order, each with its method", () => {
    const report = checkNet(net("t: i -> o; u: i -> a"));
    expect(report).toMatchObject({ class: "plain", states: 3, complete: true, sound: false });
    expect(
      report.obligations.map(({ id, verdict, level, method }) => [id, verdict.kind, level, method]),
    ).toEqual([
      ["O1", "fails", "net", "E2: overfull"],
      ["O2", "holds", "net", "enumerated: state space"],
      ["O3", "holds", "net", "enumerated: state space"],
      ["O4", "holds", "net", "enumerated: state space"],
      ["deadlock", "fails", "net", "E1: deadlock"],
      ["bounded", "holds", "net", "enumerated: state space"],
    ]);
  });

  it("[D8.8] without a final marking O1, O2 and soundness have no meaning, the others have", () => {
    const report = checkNet(net("t: i -> a; u: b -> a", { ends: [] }));
    const none = { kind: "unknown", limit: { kind: "no-finals" } };
    expect(report.soundness).toEqual(none);
    expect(report.sound).toBeNull();
    expect(report.obligations.map(({ verdict }) => verdict.kind)).toEqual([
      "unknown",
      "unknown",
      "fails",
      "holds",
      "fails",
      "holds",
    ]);
    expect(report.obligations[0]?.verdict).toEqual(none);
    expect(report.obligations[1]?.verdict).toEqual(none);
  });

  it("[T8.2] a pump may refute soundness where no part is refuted, and only there", () => {
    const two = { ends: ["o", "e"] };
    const limits = { statesMax: 50 };
    // What u gains leaves by the end e, once; a second time is beyond five markings.
    const text = "t: i -> p; u: p -> p + q; v: p -> o; w: q -> e";
    const both = checkNet(net(text, two), { limits: { statesMax: 5 } });
    expect(both.obligations.slice(0, 2).map(({ verdict }) => verdict.kind)).toEqual(["unknown", "unknown"]);
    expect(both.soundness).toMatchObject({ kind: "fails", evidence: { kind: "E3-pump" } });
    expect(both.complete).toBe(false);
    const neither = checkNet(net(`${text}; x: o -> e`, two), { limits: { statesMax: 5 } });
    expect(neither.soundness).toEqual({ kind: "unknown", limit: at(5) });
    const more = checkNet(net("t: i -> i + p; u: i -> o; w: p + i -> e; v: p -> ", two), { limits });
    expect(more.soundness).toEqual({ kind: "unknown", limit: at(50) });
    expect(more.obligations[5]).toMatchObject({ method: "E1: pump" });
    // What refutes a part goes before what refutes only the whole.
    const later = checkNet(net(text, two), { limits: { statesMax: 500 } });
    expect(later.obligations[1]?.verdict.kind).toBe("fails");
    expect(later.soundness).toMatchObject({
      kind: "fails",
      evidence: { kind: expect.stringMatching(/^E[12]$/) },
    });
    const sole = checkNet(net("t: i -> i + p; u: i -> o"), { limits });
    expect(sole.soundness).toEqual(sole.obligations[0]?.verdict);
    expect(sole.obligations[5]).toMatchObject({
      method: "E1: pump",
      verdict: { evidence: { finding: { from: 1 } } },
    });
  });

  it("[D8.9] numbers that are too large leave everything open", () => {
    expect(hasHugeNumbers(net("t: i -> o"))).toBe(false);
    expect(hasHugeNumbers(net("t: i -> 2147483647o", { initial: { i: 2_147_483_647 } }))).toBe(false);
    expect(hasHugeNumbers(net("t: i -> 2147483648o"))).toBe(true);
    expect(hasHugeNumbers(net("t: 2147483648i -> o; u: i -> o"))).toBe(true);
    expect(hasHugeNumbers(net("t: i -> o", { initial: { i: 2_147_483_648 } }))).toBe(true);
    const report = checkNet(net("t: i -> 3000000000o; u: i -> o reset a"));
    const open = { kind: "unknown", limit: { kind: "tokens", at: 0 } };
    expect(report).toMatchObject({
      class: "reset",
      states: 0,
      complete: false,
      sound: null,
      soundness: open,
    });
    expect(report.obligations.map(({ verdict, method }) => [verdict, method])).toEqual(
      Array.from({ length: 6 }, () => [open, "state space, limited"]),
    );
  });

  it("[D8.9] progress is told, and others may work between slices", async () => {
    const told: number[] = [];
    const options = {
      limits: { statesMax: 5000 },
      now: () => 0,
      onProgress: (states: number) => told.push(states),
    };
    const report = checkNet(losing, options);
    const once = [...told];
    expect(once.length).toBeGreaterThan(0);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    expect(await checkNetAsync(losing, { ...options, pause })).toEqual(report);
    expect(told).toEqual([...once, ...once]);
    expect(pauses).toBe(once.length);
    const order: string[] = [];
    const checked = checkNetAsync(losing, {
      limits: { statesMax: 12_000 },
      onProgress: () => order.push("slice"),
    });
    setImmediate(() => order.push("other"));
    await checked;
    expect(order).toContain("other");
    expect(order.indexOf("other")).toBeLessThan(order.lastIndexOf("slice"));
  });
});

describe("the options of a check", () => {
  it("[D8.9] nobody need ask for progress, and the clock has a default", async () => {
    const limits = { statesMax: 5000 };
    expect(checkNet(losing, { limits }).soundness).toEqual({ kind: "unknown", limit: at(5000) });
    expect((await checkNetAsync(losing, { limits })).soundness).toEqual({ kind: "unknown", limit: at(5000) });
    const late = checkNet(losing, { limits: { timeoutMs: -1 } });
    expect(late.soundness).toEqual({ kind: "unknown", limit: { kind: "time", at: -1 } });
  });

  it("[D8.9] the signal and the rules of the caller are heeded", () => {
    const aborted = checkNet(losing, { signal: { aborted: true } });
    expect(aborted.soundness).toMatchObject({ kind: "unknown", limit: { kind: "aborted" } });
    const plain = net("t: i -> o");
    const ruled = { ...plain, transitions: plain.transitions.map((t) => ({ ...t, rule: "r" as never })) };
    const reportOf = (permits: boolean) =>
      checkNet(ruled, { rules: new Map([["r" as never, () => permits]]) });
    expect([reportOf(true).sound, reportOf(false).sound]).toEqual([true, false]);
  });
});

describe("conclusions", () => {
  const good = (method: string) => holds({ class: "enumerated", method, states: 1 });
  const bad: Verdict<NetEvidence> = fails({ kind: "E3-pump", run: { sequence: [], marking: [] }, from: 0 });
  const worse: Verdict<NetEvidence> = fails({ kind: "E3-ill-formed", reason: { kind: "rank-large" } });
  const open = unknown({ kind: "method", reason: "none" });

  it("[D8.8] a failure before an open question, and that before what holds; the first of each", () => {
    const [O1, O2, O3] = [good("1"), good("2"), good("3")];
    expect(conclusion({ O1, O2, O3 })).toBe(O1);
    expect(conclusion({ O1, O2: open, O3 })).toBe(open);
    expect(conclusion({ O1: open, O2, O3: bad })).toBe(bad);
    expect(conclusion({ O1, O2: worse, O3: bad })).toBe(worse);
    expect(conclusion({ O1: bad, O2: worse, O3 })).toBe(bad);
  });

  it("[D8.9] a report says sound, not sound, or neither", () => {
    const results = { O1: bad, O2: open, O3: worse, O4: good("4"), deadlock: open, bounded: bad };
    const report = (sound: Verdict<NetEvidence>) => assemble(net("t: i -> 2o"), 7, true, results, sound);
    expect(report(good("s"))).toMatchObject({ sound: true, class: "weighted", states: 7, complete: true });
    expect(report(bad)).toMatchObject({ sound: false, soundness: bad });
    expect(report(open)).toMatchObject({ sound: null });
    expect(report(open).obligations.map(({ verdict }) => verdict)).toEqual(Object.values(results));
  });

  it("[D8.9] the method of a verdict in a few words", () => {
    const run = { sequence: [], marking: [] };
    expect(methodOf(good("state space"))).toBe("enumerated: state space");
    expect(methodOf(open)).toBe("none");
    expect(methodOf(unknown({ kind: "time", at: 1 }))).toBe("state space, limited");
    expect(methodOf(bad)).toBe("E3: pump");
    expect(methodOf(worse)).toBe("E3: rank-large");
    expect(methodOf(fails({ kind: "E1", run, finding: { kind: "deadlock" } }))).toBe("E1: deadlock");
    const none = { kind: "empty-siphon", places: [] } as const;
    expect(methodOf(fails({ kind: "E2", run, certificate: none }))).toBe("E2: empty-siphon");
    expect(methodOf(fails({ kind: "E3", dead: [], certificate: none }))).toBe("E3: empty-siphon");
    expect(() => methodOf(fails({ kind: "other" } as never))).toThrow();
  });
});
