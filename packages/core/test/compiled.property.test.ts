import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canPlay,
  compileNet,
  firstPlayable,
  play,
  playable,
  startGame,
  type TokenGame,
} from "../src/compiled.ts";
import { enabledTransitions, fire, isEnabled } from "../src/fire.ts";
import type { Marking } from "../src/marking.ts";
import type { Net } from "../src/net.ts";
import { oracleEnabled, oracleFire, RULES, smallNet } from "./net-arbitrary.ts";

const walk = fc.array(fc.nat({ max: 1000 }), { maxLength: 20 });

/** The counters that a fresh game in the same marking has. */
function freshCounters(game: TokenGame): unknown {
  const fresh = startGame(game.compiled, Array.from(game.marking), game.selectable, game.rules);
  return { lacking: fresh.lacking, anyMarked: fresh.anyMarked, enabled: fresh.enabled };
}

/**
 * Law: playing a random run, the game's marking is the plain firing rule's, its enabled set is what a scan of all
 * transitions finds, and its counters are those of a game started in that marking. Oracle: `fire` and a scan.
 * Generated: nets with weights, resets, optional inputs and rules; choices by number.
 */
function refinementLaw(playOne: (game: TokenGame, t: number) => void): void {
  fc.assert(
    fc.property(smallNet(), walk, (net, numbers) => {
      const game = startGame(compileNet(net), net.initial, null, RULES);
      let marking: Marking = net.initial;
      for (const number of [...numbers, 0]) {
        const enabled = enabledTransitions(net, marking, RULES);
        expect(playable(game)).toEqual(enabled);
        expect(firstPlayable(game)).toBe(enabled[0] ?? -1);
        for (const t of net.transitions.keys()) {
          expect(canPlay(game, t)).toBe(isEnabled(net, marking, t, RULES));
        }
        expect({ lacking: game.lacking, anyMarked: game.anyMarked, enabled: game.enabled }).toEqual(
          freshCounters(game),
        );
        const t = enabled[number % Math.max(1, enabled.length)];
        if (t === undefined) break;
        const fired = fire(net, marking, t, RULES);
        if (fired.kind !== "fired") throw new Error("an enabled transition did not fire");
        marking = fired.marking;
        playOne(game, t);
        expect(Array.from(game.marking)).toEqual(marking);
      }
    }),
    { numRuns: 500 },
  );
}

describe("[D1.3] [D1.4] the fast form", () => {
  it("[D1.3] [D1.4] plays as the plain form fires, and keeps its enabled set as a scan finds it", () =>
    refinementLaw(play));

  it("[D1.3] [D1.4] the law catches a play that leaves the counters behind or skips the resets", () => {
    const markingOnly = (game: TokenGame, t: number) => {
      const { net } = game.compiled;
      game.marking.set(oracleFire(net, Array.from(game.marking), t));
    };
    const withoutReset = (game: TokenGame, t: number) => {
      const reset = game.compiled.net.transitions[t]!.reset.filter((place) => game.marking[place]! > 0);
      const kept = reset.map((place) => [place, game.marking[place]!] as const);
      play(game, t);
      for (const [place, tokens] of kept) game.marking[place] = tokens;
    };
    expect(() => refinementLaw(markingOnly)).toThrow();
    expect(() => refinementLaw(withoutReset)).toThrow();
  });

  it("[D1.3] limits what it selects, not what can be played", () => {
    fc.assert(
      fc.property(
        smallNet(),
        fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
        walk,
        (net, flags, numbers) => {
          const selectable = Uint8Array.from(net.transitions, (_, t) => (flags[t] === true ? 1 : 0));
          const game = startGame(compileNet(net), net.initial, selectable, RULES);
          for (const number of numbers) {
            const marking = Array.from(game.marking);
            const enabled = [...net.transitions.keys()].filter((t) => oracleEnabled(net, marking, t));
            const selected = enabled.filter((t) => flags[t] === true);
            expect(playable(game)).toEqual(selected);
            expect(firstPlayable(game)).toBe(selected[0] ?? -1);
            expect([...net.transitions.keys()].filter((t) => canPlay(game, t))).toEqual(enabled);
            const t = enabled[number % Math.max(1, enabled.length)];
            if (t === undefined) break;
            play(game, t);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("[D1.4] adding places and transitions that nothing marks leaves every game as it was", () => {
    const padded = (net: Net): Net => ({
      ...net,
      places: [...net.places, { id: "q", role: "control" }, { id: "r", role: "control" }],
      transitions: [
        ...net.transitions,
        { id: "u", pre: [[net.places.length, 1]], any: [], post: [[net.places.length + 1, 1]], reset: [] },
      ],
      initial: [...net.initial, 0, 0],
    });
    fc.assert(
      fc.property(smallNet(true), walk, (net, numbers) => {
        const game = startGame(compileNet(net), net.initial);
        const wide = startGame(compileNet(padded(net)), padded(net).initial);
        for (const number of numbers) {
          const enabled = playable(game);
          expect(playable(wide)).toEqual(enabled);
          const t = enabled[number % Math.max(1, enabled.length)];
          if (t === undefined) break;
          play(game, t);
          play(wide, t);
          expect(Array.from(wide.marking)).toEqual([...game.marking, 0, 0]);
        }
      }),
    );
  });
});
