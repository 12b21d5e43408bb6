import "@tessera/proofs/vitest";
import type { Net } from "@tessera/core";
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

type Asked = ReturnType<typeof expect<unknown>>;
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
    expect(() => expect(unsound).toBeSound()).toThrow(
      "it is not sound: no final marking can be reached any more from b o\n         i\n  t ---> a b\n  u ---> b o",
    );
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

  it("[D8.9] a failure of a net is told in words, whatever the evidence", () => {
    const growing = net("t: i -> i + a; u: i -> o");
    const ends: Net = { ...sound, finals: { kind: "markings", markings: [sound.initial] } };
    for (const [subject, id, words] of [
      [net("t: i -> a; u: a -> o; v: x -> o"), "O3", "O3 fails: never possible: v"],
      [growing, "O4", 'O4 fails: two tokens on "a"'],
      [unsound, "O2", 'O2 fails: a second token on the end "o"'],
      [net("t: i -> a; u: 2a -> o"), "deadlock", "nothing is enabled, and the marking is not final: a"],
      [ends, "O1", "O1 fails: no final marking can be reached any more from"],
    ] as const) {
      expect(() => expect(subject).toHold(id)).toThrow(words);
    }
  });

  it("[D8.8] a workflow is taken in every form: as data, built, compiled, as what compiling answered", () => {
    const { definition } = askedOnce;
    const wrong = { ...definition, arcs: [{ from: "start", to: "nowhere" }] };
    const transitions = [{ id: "t", pre: [["i", 1]], post: [["o", 1]] }];
    const bare = {
      format: 1,
      kind: "net",
      id: "n",
      places: [{ id: "i", initial: 1 }, { id: "o" }],
      transitions,
    };
    for (const form of [definition, { definition }, { ok: true, value: askedOnce }, bare]) {
      expect(form).toBeSound();
      expect(form).toHold("O2");
      expect(form).toHold("2-sound");
      expect(form).not.toReach("deadlock & !final");
    }
    expect(definition).toReplay(["start.step:done>0"]);
    expect(() => expect(crossed.definition).toBeSound()).toThrow(/--->/);
    for (const matcher of ["toBeSound", "toReplay"] as const) {
      expect(() => expect(wrong)[matcher]([] as never)).toThrow(/cannot be read:\n {2}\S+ .*nowhere/u);
      expect(() => expect(wrong).not[matcher]([] as never)).toThrow(/cannot be read/u);
    }
  });

  it("[D8.9] what is no net and no workflow passes neither way", () => {
    for (const nothing of [null, undefined, 42, "net", {}, [], { ok: false, issues: [] }]) {
      for (const ask of [
        (given: Asked) => given.toBeSound(),
        (given: Asked) => given.toHold("O1"),
        (given: Asked) => given.toReach("o = 1"),
        (given: Asked) => given.toReplay([]),
      ]) {
        expect(() => ask(expect(nothing))).toThrow(/expected a net|cannot be read/u);
        expect(() => ask(expect(nothing).not)).toThrow(/expected a net|cannot be read/u);
      }
    }
    expect(() => expect(checkNet(sound)).toReach("o = 1")).toThrow("a report has no runs");
    expect(() => expect(sound).toReplay(["t"], { nowhere: 1 })).toThrow("the net has no nowhere");
    expect(() => expect(sound).toHold("O99")).toThrow("there is no obligation O99 here, but O1, O2");
    expect(() => expect(sound).toHold("nonsense")).toThrow(/what can be asked: obligations, sound/u);
  });
});
