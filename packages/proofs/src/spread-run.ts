/** @module A run after which several nodes are under way: it starts whatever it can, and finishes as little as it must. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { Run } from "./verdict.ts";

/** The token game of the run. */
interface Game {
  readonly net: Net;
  readonly marking: number[];
  readonly sequence: TransitionIndex[];
  readonly isFired: Uint8Array;
  /** Transitions without resets, optional inputs and rules, by the places that they take from. */
  readonly consumers: readonly (readonly TransitionIndex[])[];
  /** Places that have got a token and were not looked at since. */
  readonly open: PlaceIndex[];
  /** Places at which a node is under way, and which were marked. */
  readonly resting: Set<PlaceIndex>;
}

/**
 * A run from the initial marking to one in which two nodes or more are at rest, or to where nothing is left to fire. It
 * fires each transition at most once; one that finishes a node only where nothing else is left. What it reaches is
 * reachable; that no more could be under way is not claimed. Cost: linear in the arcs around what is fired.
 *
 * @nonformal A heuristic: what is found this way is shown by its run.
 */
export function spreadRun(net: Net): Run {
  const game = startGame(net);
  for (;;) {
    for (let place = game.open.pop(); place !== undefined; place = game.open.pop())
      if (isRest(net, place)) game.resting.add(place);
      else if (fireFrom(game, place)) game.open.push(place);
    const marked = [...game.resting].filter((place) => game.marking[place]! > 0);
    const isOver = marked.length > 1 || !marked.some((place) => fireFrom(game, place));
    if (isOver) return { sequence: game.sequence, marking: game.marking };
    game.resting.clear();
    for (const place of marked) game.open.push(place);
  }
}

function startGame(net: Net): Game {
  const consumers: TransitionIndex[][] = net.places.map(() => []);
  net.transitions.forEach(({ pre, any, reset, rule }, t) => {
    if (any.length + reset.length > 0 || rule !== undefined) return;
    for (const arc of pre) consumers[arc[0]]!.push(t);
  });
  return {
    net,
    marking: [...net.initial],
    sequence: [],
    isFired: new Uint8Array(net.transitions.length),
    consumers,
    open: [...net.places.keys()].filter((place) => net.initial[place]! > 0),
    resting: new Set(),
  };
}

function isRest({ places }: Net, place: PlaceIndex): boolean {
  return places[place]!.origin?.kind === "rest";
}

/** Fires the first transition that takes from the place, is enabled and was not fired; false if there is none. */
function fireFrom({ net, marking, sequence, isFired, consumers, open }: Game, place: PlaceIndex): boolean {
  const t = consumers[place]!.find(
    (index) =>
      isFired[index] === 0 && net.transitions[index]!.pre.every(([p, weight]) => marking[p]! >= weight),
  );
  if (t === undefined) return false;
  isFired[t] = 1;
  sequence.push(t);
  const { pre, post } = net.transitions[t]!;
  for (const [p, weight] of pre) marking[p]! -= weight;
  for (const [p, weight] of post) {
    marking[p]! += weight;
    open.push(p);
  }
  return true;
}
