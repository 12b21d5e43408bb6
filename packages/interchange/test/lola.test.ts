import { describe, expect, it } from "vitest";
import { importLola } from "../src/index.ts";
import { fixture, imported, net, refusal, warnings } from "./fixtures.ts";

describe("importLola", () => {
  it("[D11.6] LOLA007 LOLA008 reads comments, bounds, fairness, defaults, sums and odd names", () => {
    const result = importLola(fixture("plain.lola"));
    expect(net(imported(result).net)).toEqual({
      places: ["start 1", "b-1", '"quoted"', "7", "x.y[3]", "final"],
      transitions: [
        't.1: start -> 2 b-1 + "quoted" + 7',
        'start: 2 b-1 + "quoted" + 7 -> x.y[3]',
        "8: x.y[3] -> final",
      ],
      finals: ["final"],
    });
    expect(imported(result)).toMatchObject({
      format: "lola",
      name: "",
      initialGiven: true,
      finalGiven: false,
    });
    expect(warnings(result)).toEqual([
      "LOLA008 3:13 places/0",
      "LOLA008 3:33 places/2",
      "LOLA007 5:16 transitions/0",
      "LOLA007 12:1 transitions/2",
    ]);
  });

  it("[D11.6] reads a net without transitions or tokens, and says what it assumes", () => {
    const result = importLola("PLACE a; MARKING ;");
    expect(net(imported(result).net)).toEqual({ places: ["a"], transitions: [], finals: ["a"] });
    expect(warnings(result)).toEqual(["IMP003 1:1", "IMP005 1:1"]);
  });

  it("[D11.6] IMP002 offers the source place of a workflow net without marking", () => {
    const result = importLola("PLACE i, o; MARKING ; TRANSITION t CONSUME i; PRODUCE o;");
    expect(warnings(result)).toEqual(["IMP002 1:1"]);
    expect(imported(result)).toMatchObject({ initialGiven: false, net: { initial: [1, 0] } });
  });

  it("[D11.6] LOLA009 leaves out arcs of weight 0", () => {
    const result = importLola(fixture("LOLA009.lola"));
    expect(net(imported(result).net)).toEqual({
      places: ["a", "b"],
      transitions: ["t:  -> "],
      finals: ["a", "b"],
    });
    expect(warnings(result)).toEqual([
      "IMP003 1:1",
      "IMP005 1:1",
      "LOLA008 1:7 places/0",
      "LOLA009 3:22 transitions/0/consume/0",
      "LOLA009 3:36 transitions/0/produce/0",
    ]);
  });

  it("[D11.6] treats names of prototype members as any other name", () => {
    const text =
      "PLACE __proto__, constructor; MARKING __proto__; TRANSITION toString CONSUME __proto__; PRODUCE constructor;";
    expect(net(imported(importLola(text)).net)).toEqual({
      places: ["__proto__ 1", "constructor"],
      transitions: ["toString: __proto__ -> constructor"],
      finals: ["constructor"],
    });
  });

  it.each([
    "\ufeffPLACE a; MARKING a;",
    "PLACE\r\na\r;\tMARKING\fa\v;",
    "PLACE a;MARKING a;//",
    "PLACE a;MARKING a;{}/**/",
  ])("[D11.6] reads %j", (text) => {
    expect(imported(importLola(text)).net.initial).toEqual([1]);
  });
});

describe("importLola refuses, with every issue at once", () => {
  it("LOLA001 text that does not follow the grammar, at each transition where it goes on", () => {
    expect(refusal(importLola(fixture("LOLA001.lola")))).toEqual([
      "LOLA001 2:12 marking/0",
      "LOLA001 5:1 transitions/0/consume",
      "LOLA001 6:14 transitions/1",
      "LOLA001 9:15 transitions/3",
      "LOLA001 11:21 transitions/4",
    ]);
  });

  it.each([
    ["", 1, 1],
    ["PLACE", 1, 6],
    ["PLACE ;", 1, 7],
    ["PLACE a", 1, 8],
    ["PLACE a;", 1, 9],
    ["PLACE a b; MARKING ;", 1, 9],
    ["place a; marking a;", 1, 1],
    ["PLACE SAFE x: a; MARKING;", 1, 12],
    ["PLACE PLACE; MARKING;", 1, 7],
    ["PLACE a; MARKING a:;", 1, 20],
    ["PLACE a; MARKING :; TRANSITION t CONSUME; PRODUCE;", 1, 18],
    ["PLACE a; MARKING; TRANSITION t CONSUME a, :; PRODUCE; TRANSITION u CONSUME; PRODUCE;", 1, 43],
    ["PLACE a; MARKING; TRANSITION", 1, 29],
    ["PLACE a; MARKING; TRANSITION t WEAK CONSUME; PRODUCE;", 1, 37],
    ["PLACE a; MARKING; TRANSITION t CONSUME; PRODUCE", 1, 48],
    ["PLACE a; MARKING; FORMULA a = 1", 1, 19],
    ["PLACE a\u0000b; MARKING;", 1, 8],
    ["PLACE a\u00a0b; MARKING;", 1, 8],
    ["PLACE a\ud800; MARKING;", 1, 8],
    ["PLACE a}; MARKING;", 1, 8],
    ["PLACE a, {b; MARKING;", 1, 10],
  ])("[D11.6] LOLA001 %j once, at its line and column", (text, line, column) => {
    const result = importLola(text);
    expect(result.ok ? [] : result.issues).toMatchObject([{ code: "LOLA001", position: { line, column } }]);
  });

  it("LOLA002 names that are declared twice", () => {
    expect(refusal(importLola(fixture("LOLA002.lola")))).toEqual([
      "LOLA002 1:13 places/2",
      "LOLA002 4:12 transitions/1",
    ]);
  });

  it("LOLA003 places that are not declared", () => {
    expect(refusal(importLola(fixture("LOLA003.lola")))).toEqual([
      "LOLA003 2:12 marking/1",
      "LOLA003 3:28 transitions/0/consume/1",
      "LOLA003 3:50 transitions/0/produce/0",
    ]);
  });

  it("LOLA004 high-level nets", () => {
    expect(refusal(importLola(fixture("LOLA004.lola")))).toEqual(["LOLA004 1:1"]);
  });

  it("LOLA005 files beyond the limit, which itself is read", () => {
    const text = "PLACE a; MARKING a;";
    expect(importLola(text, { limits: { bytesMax: text.length } }).ok).toBe(true);
    expect(refusal(importLola(text, { limits: { bytesMax: text.length - 1 } }))).toEqual(["LOLA005 -"]);
  });

  it("LOLA006 bytes that are no UTF-8", () => {
    const result = importLola(Buffer.from("PLACE a,\n\u00e9; MARKING a;", "latin1"));
    expect(refusal(result)).toEqual(["LOLA006 2:1"]);
    expect(result.ok ? {} : result.issues[0]?.facts).toEqual({ encoding: "utf-8", byteOffset: 9 });
  });

  it("IMP007 numbers above the largest, summed too", () => {
    expect(refusal(importLola(fixture("IMP007.lola")))).toEqual([
      "IMP007 2:24 marking/1",
      "IMP007 3:37 transitions/0/consume/1",
      "IMP007 3:51 transitions/0/produce/0",
    ]);
  });
});
