import type { WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { orJoinRules, reachedInputs, standing } from "../src/index.ts";
import { isSound, soundnessOf } from "./explore.ts";
import {
  arcs,
  choose,
  chooseSubset,
  compiledOf,
  enabledMoves,
  fired,
  marked,
  node,
  type Play,
  playOf,
  workflow,
} from "./workflow-text.ts";

const or = (id: string) => node(id, "gateway", { split: "or" });
const orJoin = (id: string) => node(id, "gateway", { join: "or" });
const and = (id: string) => node(id, "gateway", { split: "all" });
const join = (id: string) => node(id, "gateway", { join: "all" });
const gate = (id: string) => node(id, "gateway");
const user = (id: string) => node(id, "wait");
const end = (id = "e") => node(id, "end");
const start = (id: string) => ({ node: id, phase: "start" as const });
const finish = (id: string) => ({ node: id, phase: "finish" as const });

const verdictOf = (definition: WorkflowDefinition) => {
  const compiled = compiledOf(definition);
  return soundnessOf(compiled.net, orJoinRules(compiled));
};
const sound = (definition: WorkflowDefinition) => {
  const compiled = compiledOf(definition);
  return isSound(compiled.net, orJoinRules(compiled));
};
const waits = (play: Play, id: string) => enabledMoves(play, { node: id }).length === 0;

/** A block that is no structured one: the OR split's branches meet at `j`, which a further arc can enter again. */
function openBlock(...branches: readonly string[]): WorkflowDefinition {
  return workflow(
    [or("s"), ...branches.map(user), orJoin("j"), user("d"), gate("x"), user("back"), end()],
    arcs(
      ...branches.flatMap((id) => [`s -> ${id}`, `${id} -> j`]),
      "j -> d, d -> x, x -> e, x -> back, back -> j",
    ),
  );
}

describe("[D15.3] the OR-join on the hard cases", () => {
  it("[D15.3] [C20-27] J -> X, X -> end | X -> Y -> M -> J: a loop through one input is sound", () => {
    const definition = workflow(
      [and("p"), user("a"), user("b"), gate("m"), orJoin("j"), gate("x"), user("y"), end()],
      arcs("p -> a, p -> b, a -> j, b -> m, m -> j, j -> x, x -> e, x -> y, y -> m"),
    );
    expect(verdictOf(definition)).toEqual({
      optionToComplete: true,
      properCompletion: true,
      dead: [],
      safe: true,
      deadlocks: [],
    });
    const arrived = fired(playOf(definition), "p", start("a"), start("b"), finish("a"));
    expect(waits(arrived, "j")).toBe(true);
    const joined = fired(arrived, finish("b"), "m", "j", { node: "x", to: ["y"] }, start("y"), finish("y"));
    expect(marked(fired(joined, "m", "j", { node: "x", to: ["e"] }, "e"))).toEqual({ "e.end": 1 });
  });

  it("[D15.3] [D15.2] R_J stops at J, at the border of a subprocess and at nothing else", () => {
    const definition = workflow(
      [
        and("p"),
        node("s", "subprocess", { meta: { entry: "i" } }),
        user("b"),
        orJoin("j"),
        gate("x"),
        end(),
        node("i", "wait", { scope: "s" }),
        node("ie", "end", { scope: "s" }),
      ],
      arcs("p -> s, p -> b, s -> j, b -> j, j -> x, x -> e, x -> b, i -> ie"),
    );
    const compiled = compiledOf(definition);
    const at = (id: string) => compiled.net.places.findIndex((place) => place.id === id);
    const reached = (id: string) => [...reachedInputs(compiled, 3, standing(compiled, at(id), undefined))];
    expect(reached("source")).toEqual([2, 3]);
    expect(reached("p->s")).toEqual([2]);
    expect(reached("j->x")).toEqual([3]);
    expect(reached("x->e")).toEqual([]);
    for (const inside of ["s.source", "i.active", "i->ie", "ie.end"]) expect(reached(inside)).toEqual([2]);
    for (const outside of ["p->s", "source", "e.end"])
      expect(standing(compiled, at(outside), "s")).toEqual([]);
    expect(standing(compiled, at("i.active"), "s")).toEqual([7]);
  });

  it("[D15.3] [C20-27] two joins in one loop wait for each other: the vicious circle is a deadlock", () => {
    const definition = workflow(
      [
        and("p"),
        user("a"),
        user("b"),
        orJoin("j1"),
        gate("x1"),
        orJoin("j2"),
        gate("x2"),
        end("e1"),
        end("e2"),
      ],
      arcs("p -> a, p -> b, a -> j1, b -> j2, j1 -> x1, x1 -> j2, x1 -> e1, j2 -> x2, x2 -> j1, x2 -> e2"),
    );
    const verdict = verdictOf(definition);
    expect(verdict.optionToComplete).toBe(false);
    expect(verdict.deadlocks.map((marking) => marked({ ...playOf(definition), marking }))).toEqual([
      { "a->j1": 1, "b->j2": 1 },
    ]);
  });

  it("[D15.3] [C20-27] a join inside its own loop does not wait for itself", () => {
    const definition = workflow(
      [gate("n"), orJoin("j"), user("a"), gate("x"), end()],
      arcs("n -> j, j -> a, a -> x, x -> j, x -> e"),
    );
    expect(sound(definition)).toBe(true);
    const once = fired(playOf(definition), "n", "j", start("a"), finish("a"), { node: "x", to: ["j"] }, "j");
    expect(marked(once)).toEqual({ "j->a": 1 });
  });

  it("[D15.3] [C20-27] takes one token from each marked input; a second token on an input stays", () => {
    const definition = workflow(
      [and("p"), gate("a"), gate("b"), gate("m"), gate("c"), orJoin("j"), end()],
      arcs("p -> a, p -> b, p -> c, a -> m, b -> m, m -> j, c -> j, j -> e"),
    );
    const play = playOf(definition);
    const { net } = play;
    const M = net.places.map(({ id }) => (id === "m->j" ? 2 : id === "c->j" ? 1 : 0));
    expect(marked(fired({ ...play, marking: M }, "j"))).toEqual({ "m->j": 1, "j->e": 1 });
  });

  it("[D15.3] [D15.4] [C20-27] goes on when a token that could have come goes another way, or vanishes", () => {
    const elsewhere = workflow(
      [and("p"), user("a"), user("b"), orJoin("j"), end(), gate("x"), end("f")],
      arcs("p -> a, p -> b, a -> j, b -> x, x -> j, x -> f, j -> e"),
    );
    const half = fired(playOf(elsewhere), "p", start("a"), start("b"), finish("a"));
    expect(waits(half, "j")).toBe(true);
    const decided = fired(half, finish("b"));
    expect(waits(decided, "j")).toBe(true);
    expect(marked(fired(decided, { node: "x", to: ["f"] }, "f", "j", "e"))).toEqual({
      "e.end": 1,
      "f.end": 1,
    });
    expect(sound(elsewhere)).toBe(true);
  });

  it("[D15.3] [C20-27] after a boundary event: the token that leaves by it is waited for where its way still leads", () => {
    const definition = workflow(
      [
        and("p"),
        user("a"),
        node("t", "wait", { meta: { deadline: "PT1H" } }),
        orJoin("j"),
        user("late"),
        end(),
      ],
      arcs("p -> a, p -> t, a -> j, t -> j, t:expired -> late, late -> j, j -> e"),
    );
    expect(sound(definition)).toBe(true);
    const resting = fired(playOf(definition), "p", start("a"), start("t"), finish("a"));
    expect(waits(resting, "j")).toBe(true);
    const expired = fired(resting, { node: "t", outcome: "expired" }, start("late"));
    expect(waits(expired, "j")).toBe(true);
    expect(marked(fired(expired, finish("late"), "j", "e"))).toEqual({ "e.end": 1 });
  });
});

describe("faults of OR-joins that were reported of other engines, without a structured block", () => {
  it("[D15.3] [C20-27] BR-005 fires once, after both active branches, without the third", () => {
    const definition = openBlock("a", "b", "c");
    expect(sound(definition)).toBe(true);
    const chosen = chooseSubset(fired(playOf(definition), "s"), "s", ["a", "c"]);
    const half = fired(chosen, start("a"), start("c"), finish("c"));
    expect(waits(half, "j")).toBe(true);
    expect(marked(fired(half, finish("a"), "j"))).toEqual({ "j->d": 1 });
  });

  it("[D15.3] [D15.5] [C20-26] [C20-27] BR-006 one token leaves for each subset; the variant with an AND join deadlocks", () => {
    const definition = openBlock("a", "b", "c");
    const all = ["a", "b", "c"];
    for (let bits = 1; bits < 8; bits += 1) {
      const subset = all.filter((_, index) => (bits >> index) % 2 === 1);
      let play = chooseSubset(fired(playOf(definition), "s"), "s", subset);
      for (const id of subset) play = fired(play, start(id));
      for (const id of subset) {
        expect(waits(play, "j")).toBe(true);
        play = fired(play, finish(id));
      }
      expect(marked(fired(play, "j"))).toEqual({ "j->d": 1 });
    }
    const joined = workflow(
      [or("s"), user("a"), user("b"), join("j"), end()],
      arcs("s -> a, s -> b, a -> j, b -> j, j -> e"),
    );
    expect(verdictOf(joined)).toMatchObject({ optionToComplete: false });
    expect(verdictOf(joined).deadlocks).toHaveLength(2);
  });

  it("[D15.3] [C20-27] BR-008 waits for a token that comes by a link pair", () => {
    const definition = workflow(
      [or("s"), user("u"), gate("throw"), gate("catch"), orJoin("j"), end(), gate("x"), user("again")],
      arcs("s -> j, s -> u, u -> throw, throw -> catch, catch -> j, j -> x, x -> e, x -> again, again -> j"),
    );
    expect(sound(definition)).toBe(true);
    const both = fired(chooseSubset(fired(playOf(definition), "s"), "s", ["j", "u"]), start("u"));
    expect(waits(both, "j")).toBe(true);
    const thrown = fired(both, finish("u"), "throw");
    expect(waits(thrown, "j")).toBe(true);
    expect(marked(fired(thrown, "catch", "j"))).toEqual({ "j->x": 1 });
  });

  it("[D15.3] [C20-27] BR-009 the token that a join has just taken does not count as still able to arrive", () => {
    const definition = workflow(
      [
        or("s1"),
        user("a"),
        user("b"),
        orJoin("j1"),
        or("s2"),
        user("c"),
        user("d"),
        orJoin("j2"),
        gate("x"),
        end(),
      ],
      arcs(
        "s1 -> a, s1 -> b, a -> j1, b -> j1, j1 -> s2, s2 -> c, s2 -> d, c -> j2, d -> j2",
        "j2 -> x, x -> e, x -> j1",
      ),
    );
    expect(sound(definition)).toBe(true);
    const first = fired(chooseSubset(fired(playOf(definition), "s1"), "s1", ["b"]), start("b"), finish("b"));
    // The second block is structured: its chain names what is skipped, its join settles.
    const between = choose(fired(first, "j1", "s2"), "s2", ["c"]);
    const settle = { node: "j2", phase: "settle" as const };
    const second = fired(between, start("c"), finish("c"), settle, { node: "j2", phase: "step" });
    expect(marked(fired(second, { node: "x", to: ["e"] }, "e"))).toEqual({ "e.end": 1 });
  });

  it("[D15.3] [C20-27] BR-013 waits for every active branch of three, once", () => {
    const definition = openBlock("a", "b", "c");
    let play = chooseSubset(fired(playOf(definition), "s"), "s", ["a", "b", "c"]);
    for (const id of ["a", "b", "c"]) play = fired(play, start(id));
    for (const id of ["c", "a"]) {
      play = fired(play, finish(id));
      expect(waits(play, "j")).toBe(true);
    }
    expect(marked(fired(play, finish("b"), "j"))).toEqual({ "j->d": 1 });
  });

  it("[D15.3] [C20-27] BR-015 a branch that cancels what is left of itself leaves nothing to wait for", () => {
    const inside = (id: string, kind: string, change = {}) => node(id, kind, { scope: "s", ...change });
    const definition = workflow(
      [
        or("p"),
        user("a"),
        node("s", "subprocess", { meta: { entry: "i" } }),
        orJoin("j"),
        gate("x"),
        user("again"),
        end(),
        inside("i", "gateway", { split: "all" }),
        inside("u", "wait"),
        inside("v", "wait"),
        inside("m", "gateway"),
        inside("stop", "end", { meta: { terminate: true } }),
      ],
      arcs(
        "p -> a, p -> s, a -> j, s -> j, j -> x, x -> e, x -> again, again -> j",
        "i -> u, i -> v, u -> m, v -> m, m -> stop",
      ),
    );
    const both = chooseSubset(fired(playOf(definition), "p"), "p", ["a", "s"]);
    const inner = fired(
      both,
      start("a"),
      { node: "s", phase: "enter" },
      "i",
      start("u"),
      start("v"),
      finish("a"),
    );
    expect(waits(inner, "j")).toBe(true);
    const approved = fired(inner, finish("v"), "m", "stop", { node: "s", phase: "leave" });
    expect(marked(approved)).toEqual({ "a->j": 1, "s->j": 1 });
    expect(marked(fired(approved, "j", { node: "x", to: ["e"] }, "e"))).toEqual({ "e.end": 1 });
  });

  it("[D15.3] [C20-24] [C20-27] BR-019 does not wait for a branch that was never activated; an AND join is found to", () => {
    const play = chooseSubset(fired(playOf(openBlock("a", "b")), "s"), "s", ["a"]);
    expect(marked(fired(play, start("a"), finish("a"), "j"))).toEqual({ "j->d": 1 });
    const joined = workflow(
      [or("s"), user("a"), user("b"), join("j"), end()],
      arcs("s -> a, s -> b, a -> j, b -> j, j -> e"),
    );
    expect(verdictOf(joined).optionToComplete).toBe(false);
  });
});
