/** @module Walks: runs that answer a question though the markings are too many to look at. What they find is shown by the run. */
import type { Net, TransitionIndex } from "@tessera/core";
import type { Run } from "../verdict.ts";
import { play, restart, type TokenGame, tokenGame } from "./token-game.ts";

/**
 * What is looked for. dead: a marking that enables nothing. above: more than so many tokens on a place. enabled: each transition enabled
 * at some time; changed: each place with other tokens than at the start at some time, both by one run or several.
 */
export type WalkGoal =
  | { readonly kind: "dead" | "enabled" | "changed" }
  | { readonly kind: "above"; readonly tokens: number };

/** Firings in all; `isOver`: must the work end? `firings`: how often each transition is to fire, where something says so. */
export interface WalkOptions {
  readonly stepsMax: number;
  readonly isOver: () => boolean;
  readonly firings?: readonly number[];
}

/** Between two looks at the clock. */
const SLICE = 4096;
/** Firings of the first walks and of the longest. */
const SHORTEST = 256;
const LONGEST = 65_536;
/** Enabled transitions among which one is chosen. */
const SAMPLE = 4;

interface Walks {
  readonly game: TokenGame;
  readonly goal: WalkGoal;
  readonly fired: Int32Array;
  /** What is still to be seen: transitions or places. */
  readonly isOpen: Uint8Array;
  open: number;
  readonly runs: Run[];
  readonly firings: readonly number[] | null;
  readonly left: Int32Array;
  random: number;
  steps: number;
}

/**
 * Runs that show the goal, or null where none were found. Walks of growing length follow each other; each chooses at random, or what
 * fired least, or what leaves the fewest transitions enabled, or what is to fire by `firings`.
 *
 * @nonformal A heuristic: what is found this way is shown by its runs.
 */
export function walksFor(net: Net, goal: WalkGoal, options: WalkOptions): readonly Run[] | null {
  const { stepsMax, isOver, firings = null } = options;
  const sizes = { dead: 1, above: 1, enabled: net.transitions.length, changed: net.places.length };
  const size = sizes[goal.kind];
  const isOpen = new Uint8Array(size).fill(1);
  const game = tokenGame(net);
  const fired = new Int32Array(net.transitions.length);
  const left = new Int32Array(net.transitions.length);
  const rest = { open: size, runs: [], random: 0x9e3779b9, steps: 0 };
  const walks: Walks = { game, goal, fired, isOpen, firings, left, ...rest };
  let length = SHORTEST;
  for (let round = 0; walks.steps < stepsMax && !isOver(); round += 1) {
    // A walk may have no firing: it counts as one.
    walks.steps += 1;
    if (round > 0) restart(game);
    if (walkOnce(walks, round, length, isOver)) return walks.runs;
    if (round % 8 === 7) length = Math.min(LONGEST, 2 * length);
  }
  return null;
}

/** One walk; true if the goal is shown. */
function walkOnce(walks: Walks, round: number, length: number, isOver: () => boolean): boolean {
  const { game, goal, runs, fired, left } = walks;
  const sequence: TransitionIndex[] = [];
  const reached = (): Run => ({ sequence: [...sequence], marking: [...game.marking] });
  walks.firings?.forEach((count, t) => {
    left[t] = count;
  });
  let news = look(walks, -1) ? reached() : null;
  const isShown = () => (goal.kind === "dead" ? game.enabledCount === 0 : walks.open === 0);
  while (!isShown() && game.enabledCount > 0 && sequence.length < length) {
    if (walks.steps % SLICE === SLICE - 1 && isOver()) break;
    walks.steps += 1;
    const t = choose(walks, round);
    if (!play(game, t)) break;
    fired[t]! += 1;
    left[t]! -= 1;
    sequence.push(t);
    if (look(walks, t)) news = reached();
  }
  if (goal.kind === "dead") {
    if (isShown()) runs.push(reached());
    return isShown();
  }
  if (news !== null) runs.push(news);
  return isShown();
}

/** Is something seen here for the first time? After the firing of `t`, or at the start. */
function look(walks: Walks, t: TransitionIndex): boolean {
  const { game, goal, isOpen } = walks;
  const { table, marking, net } = game;
  let isNew = false;
  const see = (index: number) => {
    if (isOpen[index] === 0) return;
    isOpen[index] = 0;
    walks.open -= 1;
    isNew = true;
  };
  switch (goal.kind) {
    case "dead":
      return false;
    case "enabled":
      for (let at = 0; at < game.enabledCount; at += 1) see(game.enabled[at]!);
      return isNew;
    case "changed":
      if (t < 0) return false;
      for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1) {
        const place = table.deltaPlace[k]!;
        if (marking[place] !== net.initial[place]) see(place);
      }
      return isNew;
    case "above": {
      const isAbove =
        t < 0 ? marking.some((tokens) => tokens > goal.tokens) : addedAbove(game, t, goal.tokens);
      if (isAbove) walks.open = 0;
      return isAbove;
    }
  }
}

function addedAbove({ table, marking }: TokenGame, t: TransitionIndex, tokens: number): boolean {
  for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1)
    if (marking[table.deltaPlace[k]!]! > tokens) return true;
  return false;
}

/** What fires next: the way of choosing is another one from walk to walk. */
function choose(walks: Walks, round: number): TransitionIndex {
  const { game, fired, firings } = walks;
  if (firings !== null && round % 2 === 0) {
    const due = someDue(walks);
    if (due >= 0) return due;
  }
  if (round % 3 === 0) return any(walks);
  if (round % 3 === 1 || walks.goal.kind !== "dead") return best(walks, SAMPLE, (t) => fired[t]!);
  return best(walks, SAMPLE, (t) => {
    if (!play(game, t)) return Number.POSITIVE_INFINITY;
    const count = game.enabledCount;
    play(game, t, -1);
    return count;
  });
}

/** An enabled transition that is to fire more often, or -1. */
function someDue(walks: Walks): TransitionIndex {
  const { game, left } = walks;
  const { enabled, enabledCount, at } = game;
  const first = at[any(walks)]!;
  for (let step = 0; step < enabledCount; step += 1) {
    const t = enabled[(first + step) % enabledCount]!;
    if (left[t]! > 0) return t;
  }
  return -1;
}

function any(walks: Walks): TransitionIndex {
  const { enabled, enabledCount } = walks.game;
  walks.random = xorshift(walks.random);
  return enabled[(walks.random >>> 0) % enabledCount]!;
}

/** Of as many as `sample` enabled transitions, from one chosen at random on, the first with the least cost. */
function best(walks: Walks, sample: number, cost: (t: TransitionIndex) => number): TransitionIndex {
  const { game } = walks;
  let [found, least] = [-1, Number.POSITIVE_INFINITY];
  for (let tries = Math.min(sample, game.enabledCount); tries > 0; tries -= 1) {
    const t = any(walks);
    const own = cost(t);
    if (found < 0 || own < least) [found, least] = [t, own];
  }
  return found;
}

/** Marsaglia's xorshift32: a walk is the same in every run and on every machine. */
function xorshift(state: number): number {
  let x = state;
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return x | 0;
}
