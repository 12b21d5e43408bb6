/** @module Firings a second: the compiled form beside the plain one, XState and libpetri; the same in nets of 10 and of 10,000 nodes. */
import { compileNet, fire, firstPlayable, makeNet, play, startGame } from "@tessera/core";
import { BitmapNetExecutor, one, outPlace, PetriNet, place, Transition, tokenOf } from "libpetri";
import { createActor, createMachine } from "xstate";
import { compare } from "./harness.mjs";

const RING = 10;
const SIZES = [10, 100, 1_000, 10_000];
const BRANCHES = 10;

const arcs = (...places) => places.map((index) => [index, 1]);
const transition = (id, pre, post) => ({ id, pre: arcs(...pre), any: [], post: arcs(...post), reset: [] });
const places = (count) => Array.from({ length: count }, (_, index) => ({ id: `p${index}`, role: "control" }));
const noEnds = { kind: "markings", markings: [] };

/** One token that goes round `size` places. */
function ring(size) {
  const transitions = Array.from({ length: size }, (_, index) =>
    transition(`t${index}`, [index], [(index + 1) % size]),
  );
  const initial = new Array(size).fill(0).fill(1, 0, 1);
  return makeNet({ places: places(size), transitions, initial, finals: noEnds });
}

/** A fork into `branches` of one step each, a join, and back: `branches` + 2 firings a round. */
function forkJoin(branches) {
  const before = Array.from({ length: branches }, (_, index) => 1 + index);
  const after = before.map((index) => index + branches);
  const end = 1 + 2 * branches;
  const steps = before.map((index) => transition(`t${index}`, [index], [index + branches]));
  return makeNet({
    places: places(end + 1),
    transitions: [
      transition("fork", [0], before),
      ...steps,
      transition("join", after, [end]),
      transition("back", [end], [0]),
    ],
    initial: new Array(end + 1).fill(0).fill(1, 0, 1),
    finals: noEnds,
  });
}

/** Plays whatever is enabled, first in document order. */
function compiled(net) {
  const game = startGame(compileNet(net), net.initial);
  return {
    run(count) {
      for (let firing = 0; firing < count; firing += 1) play(game, firstPlayable(game));
      return count;
    },
  };
}

/** The definition itself: scans the transitions and copies the marking. */
function plain(net) {
  let marking = net.initial;
  return {
    run(count) {
      for (let firing = 0; firing < count; firing += 1) {
        for (let t = 0; t < net.transitions.length; t += 1) {
          const result = fire(net, marking, t);
          if (result.kind !== "fired") continue;
          marking = result.marking;
          break;
        }
      }
      return count;
    },
  };
}

/** An actor that goes round the same ring of states. */
function xstate(size) {
  const states = Array.from({ length: size }, (_, index) => [
    `s${index}`,
    { on: { next: `s${(index + 1) % size}` } },
  ]);
  const actor = createActor(createMachine({ initial: "s0", states: Object.fromEntries(states) })).start();
  const event = { type: "next" };
  return {
    run(count) {
      for (let firing = 0; firing < count; firing += 1) actor.send(event);
      return count;
    },
    close: () => actor.stop(),
  };
}

/** A token that goes round the ring until its value, a countdown, is used up. */
function libpetri(size) {
  const ringPlaces = Array.from({ length: size }, (_, index) => place(`p${index}`));
  const done = place("done");
  const builder = PetriNet.builder("ring");
  ringPlaces.forEach((from, index) => {
    const to = ringPlaces[(index + 1) % size];
    builder.transition(
      Transition.builder(`t${index}`)
        .inputs(one(from, (left) => left > 0))
        .outputs(outPlace(to))
        .action(async (context) => context.output(to, context.input(from) - 1))
        .build(),
    );
    builder.transition(
      Transition.builder(`stop${index}`)
        .inputs(one(from, (left) => left === 0))
        .outputs(outPlace(done))
        .action(async (context) => context.output(done, 0))
        .build(),
    );
  });
  const net = builder.build();
  return {
    async run(count) {
      const marking = await new BitmapNetExecutor(net, new Map([[ringPlaces[0], [tokenOf(count)]]])).run();
      if (marking.tokenCount(done) !== 1) throw new Error("libpetri did not come to its end");
      return count;
    },
  };
}

export async function* comparisons() {
  yield await compare({
    title: `One token round a ring of ${RING}`,
    unit: "firings",
    cases: {
      "Tessera, compiled": compiled(ring(RING)),
      "Tessera, plain": plain(ring(RING)),
      "XState actor.send": xstate(RING),
      libpetri: libpetri(RING),
    },
  });
  yield await compare({
    title: "The compiled form in nets of different size (the ratio should stay near 1)",
    unit: "firings",
    cases: Object.fromEntries(SIZES.map((size) => [`ring of ${size}`, compiled(ring(size))])),
  });
  yield await compare({
    title: "Fork and join",
    unit: "firings",
    cases: {
      [`${BRANCHES} branches, compiled`]: compiled(forkJoin(BRANCHES)),
      [`${BRANCHES} branches, plain`]: plain(forkJoin(BRANCHES)),
      "1,000 branches, compiled": compiled(forkJoin(1000)),
    },
  });
}
