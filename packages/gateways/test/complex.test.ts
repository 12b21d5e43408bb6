import type { WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isQuiet, orJoinRules } from "../src/index.ts";
import { isSound, soundnessOf } from "./explore.ts";
import {
  arcs,
  chooseSubset,
  compiledOf,
  enabledMoves,
  fired,
  issuesOf,
  marked,
  node,
  type Play,
  playOf,
  workflow,
} from "./workflow-text.ts";

const gate = (id: string, change = {}) => node(id, "gateway", change);
const complex = (id: string, activation: number, change = {}) =>
  gate(id, { meta: { activation }, ...change });
const user = (id: string) => node(id, "wait");
const start = (id: string) => ({ node: id, phase: "start" as const });
const finish = (id: string) => ({ node: id, phase: "finish" as const });
const absorb = { node: "g", phase: "settle" as const };
const SOUND = { optionToComplete: true, properCompletion: true, safe: true, deadlocks: [] };

/** A split over `size` people, a complex gateway that starts with `activation` of them, a task behind it. */
function block(size: number, activation: number, split: "all" | "or" = "all"): WorkflowDefinition {
  const ids = Array.from({ length: size }, (_, index) => `u${index}`);
  return workflow(
    [gate("s", { split }), ...ids.map(user), complex("g", activation), user("t"), node("e", "end")],
    arcs(...ids.flatMap((id) => [`s -> ${id}`, `${id} -> g`]), "g -> t, t -> e"),
  );
}
const verdict = (definition: WorkflowDefinition) => {
  const compiled = compiledOf(definition);
  return soundnessOf(compiled.net, orJoinRules(compiled));
};
/** Everything at the gateway that can happen by itself. */
function settled(play: Play): Play {
  const [move] = ["step" as const, "settle" as const].flatMap((phase) =>
    enabledMoves(play, { node: "g", phase }).length > 0 ? [{ node: "g", phase }] : [],
  );
  if (move === undefined) return play;
  return settled(fired(play, move));
}

describe("[D15.10] the complex gateway", () => {
  it("[D15.10] BR-018 passes the first token on, absorbs the late ones, and the run completes", () => {
    const definition = block(3, 1);
    expect(verdict(definition)).toMatchObject(SOUND);
    const compiled = compiledOf(definition);
    expect(isSound(compiled.net, orJoinRules(compiled))).toBe(true);
    const first = fired(playOf(definition), "s", start("u0"), start("u1"), start("u2"), finish("u1"), {
      node: "g",
      phase: "step",
    });
    expect(marked(first)).toEqual({ "u0.active": 1, "u2.active": 1, "g->t": 1, "g.late1": 1, "g.late5": 1 });
    const ended = fired(first, start("t"), finish("t"), "e", finish("u0"));
    expect(enabledMoves(ended, { node: "g", phase: "step" })).toEqual([]);
    const last = fired(ended, absorb, finish("u2"), absorb);
    expect(marked(last)).toEqual({ "e.end": 1 });
  });

  it("[D15.10] starts once for every order of arrival, with the count that is asked for: the rest is taken and passes nothing on", () => {
    const law = (made: typeof block) =>
      fc.assert(
        fc.property(
          fc
            .integer({ min: 2, max: 4 })
            .chain((size) =>
              fc.tuple(
                fc.constant(size),
                fc.integer({ min: 1, max: size }),
                fc.shuffledSubarray([...new Array(size).keys()], { minLength: size }),
              ),
            ),
          ([size, activation, order]) => {
            let play = fired(playOf(made(size, activation)), "s", ...order.map((k) => start(`u${k}`)));
            for (const [arrived, k] of order.entries()) {
              play = settled(fired(play, finish(`u${k}`)));
              const found = marked(play);
              expect(found["g->t"] ?? 0).toBe(arrived + 1 >= activation ? 1 : 0);
              const waiting = Object.keys(found).filter((id) => id.endsWith("->g")).length;
              expect(waiting).toBe(arrived + 1 >= activation ? 0 : arrived + 1);
            }
            expect(marked(play)).toEqual({ "g->t": 1 });
          },
        ),
        { numRuns: 100 },
      );
    law(block);
    expect(() => law((size) => block(size, 1))).toThrow();
    expect(() => law((size, activation) => block(size, Math.min(size, activation + 1)))).toThrow();
    for (const [size, activation] of [
      [2, 1],
      [3, 2],
      [3, 3],
      [4, 2],
    ] as const)
      expect(verdict(block(size, activation))).toMatchObject(SOUND);
  });

  it("[D15.11] gives up what was never activated, once no token can come, and not before", () => {
    const split = fired(playOf(block(3, 1, "or")), "s");
    const two = fired(chooseSubset(split, "s", ["u0", "u2"]), start("u0"), start("u2"), finish("u2"));
    const started = fired(two, { node: "g", phase: "step" });
    const give = (play: Play) =>
      enabledMoves(play, { node: "g", phase: "settle" }).map((t) => play.net.transitions[t]?.id);
    // u0 is at work, and nothing can come by u1; the task behind the gateway goes first.
    expect(give(started)).toEqual([]);
    expect(give(fired(started, start("t")))).toEqual(["g.giveUp3"]);
    const resting = fired(started, start("t"), absorb);
    expect(marked(resting)).toEqual({ "u0.active": 1, "t.active": 1, "g.late1": 1 });
    expect(give(resting)).toEqual([]);
    expect(give(fired(resting, finish("u0")))).toEqual(["g.absorb1"]);
    expect(verdict(block(3, 1, "or"))).toMatchObject(SOUND);
    expect(verdict(block(3, 2, "or")).optionToComplete).toBe(false);
  });

  it("[D15.11] a token that may come by an input that had its token is not waited for", () => {
    const definition = workflow(
      [
        gate("s", { split: "all" }),
        user("a"),
        user("b"),
        gate("x"),
        gate("m"),
        complex("g", 1),
        node("e", "end"),
      ],
      arcs("s -> a, s -> b, a -> m, m -> g, b -> x, x -> m, x -> g, g -> e"),
    );
    const play = fired(playOf(definition), "s", start("a"), start("b"), finish("a"), "m");
    const started = fired(play, { node: "g", phase: "step" }, "e");
    expect(marked(started)).toEqual({ "b.active": 1, "g.late6": 1, "e.end": 1 });
    expect(marked(fired(started, absorb))).toEqual({ "b.active": 1, "e.end": 1 });
  });

  it("[D15.10] a second round waits until the first is over", () => {
    const definition = workflow(
      [
        gate("s", { split: "all" }),
        user("a"),
        user("b"),
        gate("m"),
        complex("g", 1),
        node("x", "wait", { meta: { outcomes: ["done", "again"] } }),
        node("e", "end"),
      ],
      arcs("s -> a, s -> b, a -> m, m -> g, b -> g, g -> x, x -> e, x:again -> m"),
    );
    const round = fired(
      playOf(definition),
      "s",
      start("a"),
      start("b"),
      finish("a"),
      "m",
      { node: "g", phase: "step" },
      start("x"),
      { node: "x", outcome: "again" },
      "m",
    );
    expect(marked(round)).toEqual({ "m->g": 1, "b.active": 1, "g.late4": 1 });
    expect(enabledMoves(round, { node: "g" })).toEqual([]);
    expect(isQuiet(round.net, round.marking)).toBe(true);
    const over = fired(round, finish("b"), absorb);
    expect(isQuiet(over.net, over.marking)).toBe(false);
    expect(marked(fired(over, { node: "g", phase: "step" }))).toEqual({ "g->x": 1, "g.late4": 1 });
  });

  it("[D15.4] [D15.10] its start goes before OR-joins, by the literal and by the fast form", () => {
    const definition = workflow(
      [
        gate("s", { split: "all" }),
        user("a"),
        gate("b"),
        gate("c"),
        complex("g", 1),
        gate("j", { join: "or" }),
        gate("y"),
        node("e", "end"),
      ],
      arcs("s -> b, s -> c, s -> a, b -> g, a -> g, g -> j, c -> j, j -> y, y -> j, y -> e"),
    );
    const ready = fired(playOf(definition), "s", start("a"), "b", "c");
    expect(isQuiet(ready.net, ready.marking)).toBe(false);
    expect(enabledMoves(ready, { node: "j" })).toEqual([]);
    expect(enabledMoves(ready, { node: "g", phase: "step" })).toHaveLength(1);
    expect(orJoinRules(ready.compiled).track).toBeUndefined();
  });

  it("GATE003 has an activation that its arcs allow, no other join, stages nothing, and is no entry", () => {
    const codes = (g: ReturnType<typeof node>, entry = "s") =>
      issuesOf({
        ...workflow(
          [gate("s", { split: "all" }), gate("a"), gate("b"), g, node("e", "end")],
          arcs("s -> a, s -> b, a -> g, b -> g, g -> e"),
        ),
        entry,
      }).map((line) => line.split(" ")[0]);
    for (const activation of [1, 2]) expect(codes(complex("g", activation))).toEqual([]);
    for (const activation of [0, 3]) expect(codes(complex("g", activation))).toEqual(["GATE003"]);
    expect(codes(complex("g", 1, { join: "all" }))).toEqual(["GATE003"]);
    expect(codes(complex("g", 1, { join: "any" }))).toEqual([]);
    expect(codes(gate("g", { meta: { activation: 1, stage: true } }))).toContain("GATE003");
    expect(codes(complex("g", 1), "g")).toContain("GATE003");
    expect(codes(gate("g", { meta: { activation: "2" } }))).toEqual(["KIND002"]);
    expect(issuesOf(block(11, 5)).map((line) => line.split(" ")[0])).toEqual(["GATE003"]);
    expect(issuesOf(block(10, 5))).toEqual([]);
    expect(compiledOf(block(10, 5)).net.transitions.filter(({ id }) => id.startsWith("g.step"))).toHaveLength(
      252,
    );
  });
});
