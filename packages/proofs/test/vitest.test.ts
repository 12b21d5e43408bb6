import "@tessera/proofs/vitest";
import { describe, expect, it } from "vitest";
import { checkNet, proveWorkflow } from "../src/index.ts";
import { net } from "./net-text.ts";
import { end, gateway, human, start, workflow } from "./workflow-text.ts";

const sound = net("t: i -> a; u: a -> o");
const unsound = net("t: i -> a + b; u: a -> o; v: b -> o");
const askedOnce = workflow([start, human("ask"), end], ["start -> ask", "ask -> end"]);
const crossed = workflow(
  [start, gateway("choose"), human("a"), human("b"), gateway("both", { join: "all" }), end],
  ["start -> choose", "choose -> a", "choose -> b", "a -> both", "b -> both", "both -> end"],
);

const round = net("t: i -> a; u: a -> b; v: b -> a; w: b -> o");

describe("the matchers of questions and runs", () => {
  it("[D22.6] toHold takes obligations and questions, of nets and workflows", () => {
    expect(sound).toHold("O2");
    expect(unsound).not.toHold("O2");
    expect(crossed).not.toHold("deadlock");
    expect(sound).toHold("2-sound");
    expect(round).toHold("AG EF o = 1");
    expect(round).not.toHold("F o = 1");
    expect(round).toHold("F o = 1 strong w");
    expect(askedOnce).toHold("easy-sound");
  });

  it("[D22.5] a failure draws the witness: a run, or a run that goes on for ever", () => {
    expect(() => expect(round).toHold("home i = 1")).toThrow(
      /home i = 1 fails[\s\S]*and on within 3 markings/u,
    );
    expect(() => expect(round).toHold("b = 0")).toThrow("b = 0 fails\n         i\n  t ---> a\n  u ---> b");
    expect(() => expect(round).toHold("F o = 1")).toThrow(
      /F o = 1 fails\n.*i\n.*t ---> a\n.*u ---> b\n.*v ---> a\n.*for ever: u v/,
    );
    expect(() => expect(sound).toHold("F b = 1 | a = 5")).toThrow(/a comparison|the net has no|fails/);
    expect(() => expect(net("t: i -> a; u: a -> o")).toHold("G o = 0")).toThrow(/u ---> o\n.*there it ends/);
    expect(() => expect(unsound).toBeSound()).toThrow(/t ---> a b/);
    expect(() => expect(crossed).toHold("O1")).toThrow(/--->/);
    expect(() => expect(round).toHold("live")).toThrow("live fails: t, u, v, w");
    expect(() => expect(net("t: i -> 2a; u: 2a -> o")).toHold("safe")).toThrow("safe fails: a");
    expect(() => expect(round).not.toHold("safe")).toThrow(
      "expected otherwise, but safe holds, in all 4 markings",
    );
    expect(() => expect(net("t: i -> a; u: 2a -> o")).toHold("generalised-sound")).toThrow(
      "fails, for 1 on the source",
    );
    expect(() => expect(sound).not.toHold("generalised-sound")).toThrow("holds, by T22.1");
    expect(() => expect(net("t: i -> i + a; u: i -> o; v: o -> a")).toHold("sound")).toThrow(/sound fails/);
  });

  it("[D22.2] toReach: some marking satisfies the predicate", () => {
    expect(round).toReach("b = 1");
    expect(round).not.toReach("a + b > 1");
    expect(() => expect(round).toReach("a > 1")).toThrow("EF (a > 1) fails, in all 4 markings");
    expect(() => expect(round).not.toReach("b = 1")).toThrow(/expected otherwise, but EF \(b = 1\) holds\n/);
  });

  it("[D1.5] toReplay: the transitions fire in order, and lead where they should", () => {
    expect(round).toReplay(["t", "u", "w"]);
    expect(round).toReplay(["t", "u", "w"], { o: 1 });
    expect(round).not.toReplay(["t", "w"]);
    expect(() => expect(round).toReplay(["t", "w"])).toThrow(
      "the run does not fire\n         i\n  t ---> a\n  w ---> not enabled: b has 0 of 1",
    );
    expect(() => expect(round).toReplay(["t"], { b: 1 })).toThrow(/does not lead to b\n/);
    expect(() => expect(round).not.toReplay([])).toThrow(/expected otherwise/);
    for (const run of [["x"], ["t", "y"]]) {
      expect(() => expect(round).toReplay(run)).toThrow(/the net has no/);
      expect(() => expect(round).not.toReplay(run)).toThrow(/the net has no/);
    }
    expect(() => expect(net("t: i any a b -> o; u: i -> c; v: c any a b -> o")).toReplay(["u", "v"])).toThrow(
      /none of a, b is marked/,
    );
  });

  it("[D8.9] what is open, wrong or not to be asked passes neither way", () => {
    const pump = net("t: i -> i + a; u: a -> o");
    const options = { limits: { statesMax: 10 } };
    for (const [subject, question, why] of [
      [pump, "AG EF a = 3", /open whether/],
      [pump, "AG EF", /missing/],
      [pump, "x = 1", /the net has no/],
      [checkNet(pump), "live", /answers for obligations only/],
    ] as const) {
      expect(() => expect(subject).toHold(question, options)).toThrow(why);
      expect(() => expect(subject).not.toHold(question, options)).toThrow(why);
    }
  });
});

describe("the matchers", () => {
  it("[D8.8] toBeSound takes nets, workflows and reports", () => {
    expect(sound).toBeSound();
    expect(unsound).not.toBeSound();
    expect(askedOnce).toBeSound();
    expect(crossed).not.toBeSound();
    expect(checkNet(sound)).toBeSound();
    expect(proveWorkflow(crossed)).not.toBeSound();
  });

  it("[D8.9] toHold asks for one obligation", () => {
    expect(sound).toHold("O4");
    expect(unsound).not.toHold("O2");
    expect(askedOnce).toHold("O5");
    expect(crossed).not.toHold("O6");
  });

  it("[D8.9] a failure shows the witness", () => {
    expect(() => expect(unsound).toBeSound()).toThrow(/it is not sound: .*"run":\["t"/);
    expect(() => expect(crossed).toHold("O6")).toThrow(/O6 fails: after start: done, .* waits before "both"/);
    expect(() => expect(checkNet(unsound)).toHold("O2")).toThrow(/O2 fails: E1/);
    expect(() => expect(sound).not.toBeSound()).toThrow(/expected otherwise, but it is sound/);
  });

  it("[D8.9] an open question passes neither way, nor does an obligation that a net has not", () => {
    const options = { limits: { statesMax: 1 } };
    // Weights keep the net from being reduced to nothing.
    const heavy = net("t: i -> 2a; u: 2a -> o");
    expect(() => expect(heavy).toBeSound(options)).toThrow(/open whether it is sound: more than 1 markings/);
    expect(() => expect(heavy).not.toBeSound(options)).toThrow(/open whether/);
    expect(() => expect(sound).toHold("O5")).toThrow(/no obligation O5/);
    expect(() => expect(sound).not.toHold("O5")).toThrow(/no obligation O5/);
  });
});
