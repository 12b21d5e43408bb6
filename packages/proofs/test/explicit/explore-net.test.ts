import { describe, expect, it } from "vitest";
import { exploreNet } from "../../src/index.ts";
import { stateSpace } from "../../src/state-space.ts";
import { net as parse } from "../net-text.ts";

describe("exploreNet", () => {
  it("[D8.1] counts markings, firings and dead ends of a weighted net, with a shortest run to one", () => {
    const net = parse("t: i -> 2a; u: 2a -> o; v: a -> b; w: c -> o");
    expect(exploreNet(net)).toMatchObject({
      states: 5,
      firings: 4,
      deadMarkings: 2,
      deadRun: { sequence: [0, 1], marking: [0, 0, 1, 0, 0] },
      neverEnabled: [3],
      bounds: [1, 2, 1, 2, 0],
      limit: null,
    });
  });

  it("[D8.1] answers the same of a net with resets and optional inputs", () => {
    const net = parse("t: i -> a + b; u: a -> o reset b; v: b any a -> c");
    expect(exploreNet(net)).toMatchObject({
      states: 4,
      firings: 3,
      deadMarkings: 2,
      deadRun: { sequence: [0, 1], marking: [0, 0, 0, 1, 0] },
      neverEnabled: [],
      bounds: [1, 1, 1, 1, 1],
      limit: null,
    });
    expect(exploreNet(parse("t: i -> i reset a; u: b -> a"))).toMatchObject({
      deadMarkings: 0,
      deadRun: null,
      neverEnabled: [1],
    });
  });

  it.each(["t: i -> i + a", "t: i -> i + a; u: a -> b reset c"])("[D8.9] names the limit: %s", (text) => {
    const net = parse(text);
    expect(exploreNet(net, { limits: { statesMax: 50 } })).toMatchObject({
      states: 50,
      limit: { kind: "states", at: 50 },
    });
    expect(exploreNet(net, { signal: { aborted: true } }).limit).toEqual({ kind: "aborted", at: 1 });
    expect(exploreNet(net, { limits: { bytesMax: 1 } }).limit).toEqual({ kind: "bytes", at: 1 });
    let clock = 0;
    const now = () => {
      clock += 10;
      return clock;
    };
    expect(exploreNet(net, { now, limits: { timeoutMs: 5 } }).limit).toEqual({ kind: "time", at: 5 });
  });

  it("[D8.1] asks the rules that it is given", () => {
    const given = parse("t: i -> a; u: a -> o");
    const net = { ...given, transitions: given.transitions.map((t) => ({ ...t, rule: t.id })) };
    const rules = (isPermitted: boolean) =>
      new Map([
        ["t", () => true],
        ["u", () => isPermitted],
      ]);
    expect(exploreNet(net, { rules: rules(true) })).toMatchObject({ states: 3, neverEnabled: [] });
    expect(exploreNet(net, { rules: rules(false) })).toMatchObject({
      states: 2,
      deadMarkings: 1,
      deadRun: { sequence: [0], marking: [0, 1, 0] },
      neverEnabled: [1],
    });
  });

  it("[D8.9] bounds are those of the markings that were met, bytes those of their rows and slots", () => {
    const net = parse("t: i -> i + a reset c; u: c -> o");
    const facts = exploreNet(net, { limits: { statesMax: 3 } });
    expect(facts.bounds).toEqual([1, 2, 0, 0]);
    const { words, slots } = stateSpace(net).store;
    expect(facts.bytes).toBe(words.byteLength + slots.byteLength);
    expect(exploreNet(net, { limits: { statesMax: 3, bytesMax: facts.bytes } }).limit?.kind).toBe("states");
  });

  it("[D8.9] numbers beyond 2^31 - 1 are not looked at", () => {
    const net = parse("t: i -> o", { initial: { i: 2 ** 31 } });
    expect(exploreNet(net)).toMatchObject({
      states: 0,
      limit: { kind: "tokens", at: 0 },
      neverEnabled: [0],
      bounds: [2 ** 31, 0],
    });
    const full = parse("t: i -> 2i", { initial: { i: 2 ** 31 - 1 } });
    expect(exploreNet(full).limit).toEqual({ kind: "tokens", at: 1 });
  });
});
