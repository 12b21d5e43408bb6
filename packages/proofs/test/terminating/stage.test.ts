/** @module The stage of terminations on nets written by hand: what it says, by what, and how far it searches. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkEvidence } from "../../src/index.ts";
import { proveSteps } from "../../src/pipeline.ts";
import { finish } from "../../src/soundness.ts";
import type { NetEvidence, Verdict } from "../../src/verdict.ts";
import { net as parse } from "../net-text.ts";

const TWO = { ends: ["o", "e"] } as const;
/** An error in one branch ends the other: `d0` and `f` are the part. */
const PARALLEL = `x: a -> d0; g: d0 -> f; k: f -> e reset i a b c d d0 f; s: i -> a + b; u: a -> c; v: b -> d; j: c + d -> o`;
/** Two tokens can come to `f`: O4 is asked of the net itself. */
const CROWDED = "s: i -> a + b; u: a + b -> o; x: a -> f; y: b -> f; k: f -> e reset i a b f";

const placeOf = (net: Net, id: string) => net.places.findIndex((place) => place.id === id);
const stageOf = (net: Net, limits = {}, kept: readonly string[] = []) => {
  const options = { limits };
  const places = kept.map((id) => placeOf(net, id));
  return finish(proveSteps(net, options, places), options);
};
const verdicts = (net: Net, limits = {}) =>
  Object.fromEntries(stageOf(net, limits).report.obligations.map(({ id, verdict }) => [id, verdict.kind]));
const certificateOf = (verdict: Verdict<NetEvidence>) =>
  verdict.kind === "holds" ? verdict.evidence.certificate?.kind : verdict.kind;

describe("the stage of terminations", () => {
  it("[T13.6] shows soundness at once where the remainder does, and names its own certificate", () => {
    const { report, found } = stageOf(parse(PARALLEL, TWO));
    expect(report.sound).toBe(true);
    expect(certificateOf(report.soundness)).toBe("terminating");
    expect([report.stage, found]).toEqual(["reduction", null]);
  });

  it("[T13.6] leaves a kept place of the remainder alone, and asks nothing of one that is not there", () => {
    const net = parse(PARALLEL, TWO);
    const { length } = net.places;
    const whole = stageOf(net);
    // Its number in the remainder is another one.
    const kept = stageOf(net, {}, ["d"]);
    expect(placeOf(net, "d")).toBe(length - 2);
    expect(kept.report.obligations.map(({ method }) => method)).toEqual(
      Array.from({ length: 6 }, () => "enumerated: without terminations, reduction, state space"),
    );
    expect(kept.report.states).toBeGreaterThan(whole.report.states);
    const inside = stageOf(net, {}, ["d0", "f"]);
    expect(inside.report.obligations).toEqual(whole.report.obligations);
    expect([whole.finals?.length, kept.finals, inside.finals]).toEqual([2, undefined, undefined]);
  });

  it("[T13.6] what the remainder does not tell is asked of the net, and the rest keeps its evidence", () => {
    const net = parse(CROWDED, TWO);
    const { report, found } = stageOf(net);
    expect(verdicts(net)).toMatchObject({ O1: "holds", O2: "holds", O3: "holds", O4: "fails" });
    expect(certificateOf(report.soundness)).toBe("terminating");
    expect([report.stage, report.sound, found === null]).toEqual(["search", true, false]);
    // By the parts alone: the search is over before it has seen anything.
    const limits = { statesMax: 1, statesAfterFailureMax: 1 };
    expect(verdicts(net, limits)).toMatchObject({ O1: "holds", O2: "holds", O3: "holds", O4: "unknown" });
    expect(stageOf(net, limits).report.sound).toBe(true);
  });

  it("[T13.7] once a part has refuted soundness the search goes as far as it is allowed after a failure", () => {
    // `z` is never marked. `l` and `m` make the way to the end long.
    const long =
      "s: i -> a + b; u: a -> a2; l: a2 -> a3; m: a3 -> a4; n: b -> b2; j: a4 + b2 -> o; d: z -> o";
    const exits = "x: a -> f; y: b -> f; k: f -> e reset i a a2 a3 a4 b b2 z f";
    const [dead, alive] = [long, long.replace("; d: z -> o", "")].map((text) =>
      parse(`${text}; ${exits.replace(text === long ? "" : " z", "")}`, TWO),
    );
    const limits = { statesMax: 1000, statesAfterFailureMax: 3 };
    expect(verdicts(dead!, limits)).toMatchObject({ O3: "fails" });
    expect(stageOf(dead!, limits).report).toMatchObject({
      states: 3,
      sound: false,
      soundness: { kind: "fails" },
    });
    expect(stageOf(alive!, limits).report.states).toBeGreaterThan(3);
    expect(verdicts(alive!, limits)).toMatchObject({ O1: "holds", O3: "holds", O4: "fails" });
    // Never further than it is allowed at all.
    expect(stageOf(dead!, { statesMax: 2, statesAfterFailureMax: 5 }).report.states).toBe(2);
  });

  it("[D13.14] [T13.6] a reset of an end, which D1.1 excludes, hides no deadlock of a net that nobody has looked at", () => {
    // `w` leaves a token on `p`, the last of four places. `u` resets `e`, which the remainder does not have.
    for (const end of ["reset e", ""]) {
      const net = parse(
        `t: i -> a; w: a -> o + p; u: a -> o ${end}; x: a -> d; y: d -> e reset i a p d`,
        TWO,
      );
      expect(verdicts(net)).toEqual({
        O1: "fails",
        O2: "holds",
        O3: "holds",
        O4: "holds",
        deadlock: "fails",
        bounded: "holds",
      });
      for (const { id, verdict } of stageOf(net).report.obligations)
        expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
    }
  });

  it("[T13.6] the final markings are told of plain remainders only, and not where a variant may stand for another", () => {
    const plain = parse("s: i -> a; u: a -> o; x: a -> e reset i a", TWO);
    expect(stageOf(plain).finals).toEqual([[placeOf(plain, "o")], [placeOf(plain, "e")]]);
    const resetting = parse("s: i -> a + b; u: a + b -> o reset b; x: a -> e reset i a b", TWO);
    expect(stageOf(resetting).report.sound).toBe(true);
    expect(stageOf(resetting).finals).toBeUndefined();
    const origin = { node: 0, phase: "step", consumed: [], chosen: [], outcome: "done" } as const;
    const variants = {
      ...plain,
      transitions: plain.transitions.map((t) => ({ ...t, generated: true, origin })),
    };
    expect(stageOf(variants).finals).toBeUndefined();
    // One that resets nothing ends no run.
    const ordinary = {
      ...variants,
      transitions: variants.transitions.map((t, at) => (at === 2 ? plain.transitions[2]! : t)),
    };
    expect(stageOf(ordinary).finals).toHaveLength(2);
    // With one end there is no question which: it is reached.
    const one = parse("s: i -> a; u: a -> b; x: b -> o reset i a b", { ends: ["o"] });
    const single = { ...one, transitions: one.transitions.map((t) => ({ ...t, generated: true, origin })) };
    expect(stageOf(single).finals).toEqual([[placeOf(one, "o")]]);
  });

  it("[T13.7] soundness fails where a line does, by the parts or by the search", () => {
    const dead = stageOf(parse("s: i -> o; u: a -> o; x: a -> f; k: f -> e reset i a f", TWO)).report;
    expect([dead.sound, dead.soundness.kind, dead.stage]).toEqual([false, "fails", "reduced search"]);
    // What is stuck in the remainder may go on in the net, so the net is asked.
    const stuck = stageOf(
      parse("s: i -> a + b; w: a -> c; u: b -> o; x: b -> f; k: f -> e reset i a b c f", TWO),
    ).report;
    expect([stuck.sound, stuck.soundness.kind]).toEqual([false, "fails"]);
    expect(stuck.obligations.find(({ id }) => id === "O1")!.verdict.kind).toBe("fails");
  });

  it("[T13.6] an exit that nothing shows is looked for: soundness by the search, if it comes to an end", () => {
    // Nothing but `x` takes from both `a` and `d`, or fills both.
    const net = parse(
      "s: i -> a + b + m; u: a -> c; v: b -> d; x: a + d -> f; g: f -> f2; k: f2 -> e reset i a b c d f f2 m m2; j: c + d + m2 -> o; w: m -> m2",
      TWO,
    );
    const { report } = stageOf(net);
    expect([report.sound, certificateOf(report.soundness)]).toEqual([true, undefined]);
    const met = new Set<string>();
    for (let statesMax = 1; statesMax < 30; statesMax += 1) {
      const limited = stageOf(net, { statesMax, statesAfterFailureMax: statesMax }).report;
      expect(limited.soundness.kind).toBe(limited.obligations.find(({ id }) => id === "O3")!.verdict.kind);
      expect(limited.soundness.kind).toBe(limited.complete ? "holds" : "unknown");
      met.add(limited.soundness.kind);
    }
    expect([...met].sort()).toEqual(["holds", "unknown"]);
  });

  it("[D13.14] a part that leaves no end is passed over, and what one part leaves open the empty one tells", () => {
    const loop = stageOf(parse("t: i -> i; x: i -> o reset i"));
    expect(loop.report.sound).toBe(true);
    // The exits into `f` have no steady place in common, yet one token comes there: without resets that is seen at once.
    const line = parse("s: i -> a; m: a -> c; u: c -> o; x: a -> f; y: c -> f; k: f -> e reset i a c f", TWO);
    const { report, found } = stageOf(line);
    expect([report.sound, found]).toEqual([true, null]);
    expect(new Set(report.obligations.map(({ verdict }) => verdict.kind))).toEqual(new Set(["holds"]));
  });
});
