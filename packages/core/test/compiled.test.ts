import { describe, expect, it } from "vitest";
import {
  canPlay,
  compileNet,
  firstPlayable,
  hasRoom,
  play,
  playable,
  startGame,
  TOKENS_MAX,
} from "../src/compiled.ts";
import { InvariantViolation } from "../src/invariant.ts";
import { netOf } from "./net-arbitrary.ts";

const arc = (place: number, weight = 1) => [place, weight] as const;
const plain = { pre: [], any: [], post: [], reset: [] };
const doubling = netOf([1], [{ ...plain, pre: [arc(0)], post: [arc(0, 2)] }]);

describe("[D1.2] the limits of a game", () => {
  it("[D1.2] a marking of another net, or with counts that no place holds, is a bug of the caller", () => {
    const compiled = compileNet(doubling);
    expect(() => startGame(compiled, [])).toThrow("D1.2");
    expect(() => startGame(compiled, [1, 0])).toThrow("D1.2");
    expect(() => startGame(compiled, [-1])).toThrow("D1.2");
    expect(() => startGame(compiled, [TOKENS_MAX + 1])).toThrow("D1.2");
    expect(startGame(compiled, [TOKENS_MAX]).marking[0]).toBe(TOKENS_MAX);
  });

  it("[D1.2] a weight that 32 bits do not count is a bug of the code that built the net", () => {
    const heavy = (weight: number) => netOf([0, 0], [{ ...plain, pre: [arc(0, weight)], post: [arc(1)] }]);
    expect(() => compileNet(heavy(TOKENS_MAX + 1))).toThrow(InvariantViolation);
    expect(compileNet(heavy(TOKENS_MAX)).consumerWeight[0]).toBe(TOKENS_MAX);
    const producing = netOf([0], [{ ...plain, post: [arc(0, TOKENS_MAX + 1)] }]);
    expect(() => compileNet(producing)).toThrow("D1.2");
  });

  it("[D1.2] says beforehand that a place would overflow; playing on is a bug", () => {
    const game = startGame(compileNet(doubling), [TOKENS_MAX - 1]);
    expect(hasRoom(game, 0)).toBe(true);
    play(game, 0);
    expect(game.marking[0]).toBe(TOKENS_MAX);
    expect(hasRoom(game, 0)).toBe(false);
    expect(() => play(game, 0)).toThrow("D1.2");
  });

  it("[D1.2] asks every place that the transition changes", () => {
    const net = netOf([1, TOKENS_MAX, 0], [{ ...plain, pre: [arc(0)], post: [arc(2), arc(1)] }]);
    expect(hasRoom(startGame(compileNet(net), net.initial), 0)).toBe(false);
    expect(hasRoom(startGame(compileNet(net), [1, TOKENS_MAX - 1, 0]), 0)).toBe(true);
  });
});

describe("[D1.4] optional inputs and resets in place", () => {
  it("[D1.4] takes one token of each marked optional input, empties the resets, and keeps the enabled set", () => {
    const net = netOf(
      [1, 2, 0, 5],
      [
        { pre: [arc(0)], any: [1, 2], reset: [3], post: [arc(3), arc(2)] },
        { ...plain, any: [1, 2], post: [arc(0)] },
        { ...plain, pre: [arc(3, 2)] },
        { ...plain, any: [2] },
      ],
    );
    const game = startGame(compileNet(net), net.initial);
    expect(playable(game)).toEqual([0, 1, 2]);
    expect(Array.from(game.anyMarked)).toEqual([1, 1, 0, 0]);
    play(game, 0);
    expect(Array.from(game.marking)).toEqual([0, 1, 1, 1]);
    expect(Array.from(game.anyMarked)).toEqual([2, 2, 0, 1]);
    expect(playable(game)).toEqual([1, 3]);
    play(game, 3);
    expect(Array.from(game.marking)).toEqual([0, 1, 0, 1]);
    expect(playable(game)).toEqual([1]);
    play(game, 1);
    expect(Array.from(game.marking)).toEqual([1, 0, 0, 1]);
    expect(Array.from(game.anyMarked)).toEqual([0, 0, 0, 0]);
    expect(playable(game)).toEqual([]);
  });
});

describe("[D1.4] playing what is not enabled", () => {
  it("[D1.4] is a bug, and leaves the marking unchanged", () => {
    const game = startGame(compileNet(doubling), [0]);
    expect(() => play(game, 0)).toThrow("D1.4");
    expect(() => play(game, 7)).toThrow("D1.4");
    expect(() => play(game, -1)).toThrow("D1.4");
    expect(Array.from(game.marking)).toEqual([0]);
    expect(canPlay(game, 7)).toBe(false);
  });
});

describe("[D1.3] what a game selects", () => {
  it("[D1.3] selects transitions without inputs from the start, within the selectable ones", () => {
    const net = netOf([0], [plain, { ...plain, post: [arc(0)] }, { ...plain, pre: [arc(0)] }]);
    const compiled = compileNet(net);
    expect(compiled.spontaneous).toEqual([0, 1]);
    expect(playable(startGame(compiled, [0]))).toEqual([0, 1]);
    expect(playable(startGame(compiled, [0], Uint8Array.of(0, 1, 1)))).toEqual([1]);
  });

  it("[D1.3] passes over a transition that its rule forbids", () => {
    const rules = new Map([
      ["never", () => false],
      ["always", () => true],
    ]);
    const net = netOf(
      [1],
      [
        { ...plain, pre: [arc(0)], rule: "never" },
        { ...plain, pre: [arc(0)], rule: "never" },
        { ...plain, pre: [arc(0)], rule: "always" },
      ],
    );
    const game = startGame(compileNet(net), [1], null, rules);
    expect(firstPlayable(game)).toBe(2);
    expect(playable(game)).toEqual([2]);
    expect(canPlay(game, 0)).toBe(false);
    expect(() => play(game, 0)).toThrow("D1.4");
    const stuck = netOf([1], [{ ...plain, pre: [arc(0)], rule: "never" }]);
    expect(firstPlayable(startGame(compileNet(stuck), [1], null, rules))).toBe(-1);
  });

  it("[D1.3] a rule sees the marking as it is, and must be supplied", () => {
    const seen: unknown[] = [];
    const rules = new Map([
      [
        "spy",
        (_net: unknown, marking: ArrayLike<number>, t: unknown) => seen.push([Array.from(marking), t]) > 0,
      ],
    ]);
    const net = netOf([2], [{ ...plain, pre: [arc(0)], rule: "spy" }]);
    const game = startGame(compileNet(net), [2], null, rules);
    expect(firstPlayable(game)).toBe(0);
    expect(seen).toEqual([[[2], 0]]);
    const unsupplied = startGame(compileNet(net), [2]);
    expect(() => firstPlayable(unsupplied)).toThrow("D1.3");
  });

  it("[D1.3] marks which transitions fire place by place, and the net effect of each", () => {
    const net = netOf(
      [0, 0, 0],
      [
        { ...plain, pre: [arc(0, 2), arc(1)], post: [arc(0), arc(1), arc(2, 3)] },
        { ...plain, pre: [arc(0)], reset: [1] },
        { ...plain, any: [0, 1] },
      ],
    );
    const { isSlow, effectStart, effectPlace, effectChange, lackingEmpty } = compileNet(net);
    expect(Array.from(isSlow)).toEqual([0, 1, 1]);
    expect(Array.from(lackingEmpty)).toEqual([2, 1, 1]);
    expect(Array.from(effectStart)).toEqual([0, 2, 3, 3]);
    expect(Array.from(effectPlace)).toEqual([0, 2, 0]);
    expect(Array.from(effectChange)).toEqual([-1, 3, -1]);
  });
});
