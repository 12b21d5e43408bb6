import { describe, expect, it } from "vitest";
import { type Soundness, soundnessOf } from "./explore.ts";
import { arcs, choose, enabledMoves, fired, marked, netOf, node, playOf, workflow } from "./workflow-text.ts";

const and = (id: string) => node(id, "gateway", { split: "all" });
const join = (id: string) => node(id, "gateway", { join: "all" });
const or = (id: string) => node(id, "gateway", { split: "or" });
const orJoin = (id: string) => node(id, "gateway", { join: "or" });
const xor = (id: string) => node(id, "gateway");
const user = (id: string) => node(id, "human");
const task = (id: string) => node(id, "transform");
const end = (id = "e") => node(id, "end");

const SOUND: Soundness = {
  optionToComplete: true,
  properCompletion: true,
  dead: [],
  safe: true,
  deadlocks: [],
};

const soundness = (...args: Parameters<typeof workflow>) => soundnessOf(netOf(workflow(...args)));
const start = (id: string) => ({ node: id, phase: "start" }) as const;
const finish = (id: string) => ({ node: id, phase: "finish" }) as const;

describe("faults of joins that were reported of other engines", () => {
  it("[D6.3] [C20-25] BR-001 two tokens on one arc do not fire an AND join; the net is found unsafe", () => {
    const doubled = workflow(
      [and("s"), task("f1"), task("f2"), user("u"), xor("m"), join("j"), end()],
      arcs("s -> f1, s -> f2, s -> u, f1 -> m, f2 -> m, m -> j, u -> j, j -> e"),
    );
    const first = fired(playOf(doubled), "s", "f1", "m", "f2", "m");
    const waiting = fired(first, start("u"));
    expect(marked(waiting)).toEqual({ "m->j": 2, "u.active": 1 });
    expect(enabledMoves(waiting, { node: "j" })).toEqual([]);
    const once = fired(waiting, finish("u"), "j", "e");
    expect(marked(once)).toEqual({ "m->j": 1, "e.end": 1 });
    expect(enabledMoves(once, { node: "j" })).toEqual([]);
    const verdict = soundnessOf(netOf(doubled));
    expect(verdict).toMatchObject({ optionToComplete: false, safe: false });
  });

  it("[D6.3] [C20-25] BR-003 a second round over an AND block needs new arrivals", () => {
    const definition = workflow(
      [xor("m"), and("s"), user("a"), user("b"), join("j"), task("c"), xor("x"), end()],
      arcs("m -> s, s -> a, s -> b, a -> j, b -> j, j -> c, c -> x, x -> m, x -> e"),
    );
    let play = playOf(definition);
    for (const next of ["m", "e"]) {
      play = fired(play, "m", "s", start("a"), start("b"), finish("a"));
      expect(enabledMoves(play, { node: "j" })).toEqual([]);
      play = fired(play, finish("b"), "j", "c", { node: "x", to: [next] });
    }
    expect(marked(fired(play, "e"))).toEqual({ "e.end": 1 });
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
  });

  it("[D6.3] [C20-24] BR-004 a branch through a one-in, one-out AND gateway is waited for", () => {
    const definition = workflow(
      [and("s"), user("t"), node("g", "gateway", { join: "all", split: "all" }), join("j"), end()],
      arcs("s -> j, s -> t, t -> g, g -> j, j -> e"),
    );
    const half = fired(playOf(definition), "s", start("t"));
    expect(enabledMoves(half, { node: "j" })).toEqual([]);
    expect(marked(fired(half, finish("t"), "g", "j", "e"))).toEqual({ "e.end": 1 });
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
  });

  const orBlock = (...users: readonly string[]) =>
    workflow(
      [or("s"), ...users.map(user), orJoin("j"), task("d"), end()],
      arcs(...users.flatMap((id) => [`s -> ${id}`, `${id} -> j`]), "j -> d, d -> e"),
    );

  it("[D20.8] [C20-27] BR-005 an OR join fires once, after both active branches, without the third", () => {
    const chosen = choose(fired(playOf(orBlock("a", "b", "c")), "s"), "s", ["a", "c"]);
    const half = fired(chosen, start("a"), start("c"), finish("c"), { node: "j", phase: "settle" });
    expect(enabledMoves(half, { node: "j" })).toEqual([]);
    const done = fired(half, finish("a"), { node: "j", phase: "settle" }, { node: "j", phase: "step" });
    expect(marked(fired(done, "d", "e"))).toEqual({ "e.end": 1 });
    expect(soundnessOf(netOf(orBlock("a", "b", "c")))).toEqual(SOUND);
  });

  it("[D20.8] [C20-26] [C20-27] BR-006 one token leaves for each subset, default included; an AND join deadlocks", () => {
    const lines = [
      "s -> clean, s -> repair, s -> nothing",
      "clean -> j, repair -> j, nothing -> j, j -> d, d -> e",
    ];
    const withDefault = (nodes: Parameters<typeof workflow>[0]) =>
      workflow(
        nodes,
        arcs(...lines).map((arc) => (arc.to === "nothing" ? { ...arc, default: true as const } : arc)),
      );
    const bodies = [task("clean"), task("repair"), task("nothing")];
    const definition = withDefault([or("s"), ...bodies, orJoin("j"), task("d"), end()]);
    for (const subset of [["clean"], ["repair"], ["clean", "repair"], ["nothing"]]) {
      const chosen = choose(fired(playOf(definition), "s"), "s", subset);
      const arrived = subset.reduce((play, id) => fired(play, id, { node: "j", phase: "settle" }), chosen);
      expect(marked(fired(arrived, { node: "j", phase: "step" }, "d", "e"))).toEqual({ "e.end": 1 });
    }
    expect(() => choose(fired(playOf(definition), "s"), "s", ["clean", "nothing"])).toThrow();
    expect(() => choose(fired(playOf(definition), "s"), "s", [])).toThrow();
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
    const joined = withDefault([or("s"), ...bodies, join("j"), task("d"), end()]);
    const verdict = soundnessOf(netOf(joined));
    expect(verdict).toMatchObject({ optionToComplete: false, properCompletion: true });
    expect(verdict.deadlocks).toHaveLength(4);
  });

  it("[D20.8] [C20-27] BR-009 two OR blocks one directly after the other do not wait for each other", () => {
    const definition = workflow(
      [or("s1"), task("a"), task("b"), orJoin("j1"), or("s2"), task("c"), task("d"), orJoin("j2"), end()],
      arcs("s1 -> a, s1 -> b, a -> j1, b -> j1, j1 -> s2", "s2 -> c, s2 -> d, c -> j2, d -> j2, j2 -> e"),
    );
    const first = choose(fired(playOf(definition), "s1"), "s1", ["b"]);
    const between = fired(first, "b", { node: "j1", phase: "settle" }, { node: "j1", phase: "step" }, "s2");
    const second = fired(
      choose(between, "s2", ["c"]),
      "c",
      { node: "j2", phase: "settle" },
      { node: "j2", phase: "step" },
    );
    expect(marked(fired(second, "e"))).toEqual({ "e.end": 1 });
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
    const fused = workflow(
      [
        or("s1"),
        task("a"),
        task("b"),
        node("g", "gateway", { join: "or", split: "or" }),
        task("c"),
        task("d"),
        orJoin("j2"),
        end(),
      ],
      arcs("s1 -> a, s1 -> b, a -> g, b -> g", "g -> c, g -> d, c -> j2, d -> j2, j2 -> e"),
    );
    expect(soundnessOf(netOf(fused))).toEqual(SOUND);
  });

  it("[D6.3] [C20-24] BR-012 XOR alternatives as two inputs of an AND join are a deadlock; a merge before it is sound", () => {
    const nodes = [and("s"), task("a"), task("b"), xor("x"), task("c"), task("d"), join("j"), end()];
    const stuck = soundness(
      nodes,
      arcs("s -> a, s -> b, b -> x, x -> c, x -> d, a -> j, c -> j, d -> j, j -> e"),
    );
    expect(stuck).toMatchObject({ optionToComplete: false, dead: ["j.step<5+6+7:done>8", "e.step:done"] });
    expect(stuck.deadlocks.length).toBeGreaterThan(0);
    const merged = soundness(
      [...nodes, xor("m")],
      arcs("s -> a, s -> b, b -> x, x -> c, x -> d, a -> j, c -> m, d -> m, m -> j, j -> e"),
    );
    expect(merged).toEqual(SOUND);
  });

  it("[D20.8] [C20-23] [C20-27] BR-013 joins fire once, after the last of the active branches, in every order", () => {
    const block = (split: "all" | "or", kind: "all" | "or") =>
      workflow(
        [
          node("s", "gateway", { split }),
          user("a"),
          user("b"),
          user("c"),
          node("j", "gateway", { join: kind }),
          task("d"),
          end(),
        ],
        arcs("s -> a, s -> b, s -> c, a -> j, b -> j, c -> j, j -> d, d -> e"),
      );
    for (const order of [
      ["a", "b", "c"],
      ["c", "b", "a"],
      ["b", "c", "a"],
    ]) {
      let play = fired(playOf(block("all", "all")), "s", start("a"), start("b"), start("c"));
      for (const id of order) {
        expect(enabledMoves(play, { node: "j" })).toEqual([]);
        play = fired(play, finish(id));
      }
      expect(marked(fired(play, "j", "d", "e"))).toEqual({ "e.end": 1 });
    }
    for (const order of [
      ["a", "c"],
      ["c", "a"],
    ]) {
      let play = choose(fired(playOf(block("or", "or")), "s"), "s", ["a", "c"]);
      play = fired(play, start("a"), start("c"));
      for (const id of order) {
        expect(enabledMoves(play, { node: "j", phase: "step" })).toEqual([]);
        play = fired(play, finish(id), { node: "j", phase: "settle" });
      }
      expect(marked(fired(play, { node: "j", phase: "step" }, "d", "e"))).toEqual({ "e.end": 1 });
    }
  });

  it("[D1.7] [C20-81] BR-014 a side task with an end of its own does not hold the join; both ends complete the run", () => {
    const definition = workflow(
      [
        and("s"),
        user("repair"),
        node("clean", "human", { split: "all" }),
        user("buy"),
        join("j"),
        task("drive"),
        end("e1"),
        end("e2"),
      ],
      arcs(
        "s -> repair, s -> clean, clean -> j, clean -> buy, buy -> e2, repair -> j, j -> drive, drive -> e1",
      ),
    );
    const both = fired(
      playOf(definition),
      "s",
      start("repair"),
      start("clean"),
      finish("repair"),
      finish("clean"),
      start("buy"),
    );
    const first = fired(both, "j", "drive", "e1");
    expect(marked(first)).toEqual({ "buy.active": 1, "e1.end": 1 });
    expect(marked(fired(first, finish("buy"), "e2"))).toEqual({ "e1.end": 1, "e2.end": 1 });
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
  });

  it("[D6.3] [C20-25] BR-016 a join inside a loop waits for all in every iteration", () => {
    const definition = workflow(
      [xor("m"), and("s"), user("a"), user("b"), join("j"), task("t"), xor("x"), end()],
      arcs("m -> s, s -> a, s -> b, a -> j, b -> j, j -> t, t -> x, x -> m, x -> e"),
    );
    let play = playOf(definition);
    for (const [order, next] of [
      [["b", "a"], "m"],
      [["a", "b"], "e"],
    ] as const) {
      play = fired(play, "m", "s", start("a"), start("b"), finish(order[0]));
      for (const id of ["j", "t", "x"]) expect(enabledMoves(play, { node: id })).toEqual([]);
      play = fired(play, finish(order[1]), "j", "t");
      expect(enabledMoves(play, { node: "j" })).toEqual([]);
      play = fired(play, { node: "x", to: [next] });
    }
    expect(marked(fired(play, "e"))).toEqual({ "e.end": 1 });
  });

  it("[D6.3] [C20-18] BR-017 a loop in one branch leaves the waiting token of the other where it is", () => {
    const definition = workflow(
      [and("s"), user("r"), xor("x"), user("k"), join("j"), end()],
      arcs("s -> r, s -> k, r -> x, x -> r, x -> j, k -> j, j -> e"),
    );
    let play = fired(playOf(definition), "s", start("r"), start("k"));
    play = fired(play, finish("r"), { node: "x", to: ["r"] }, finish("k"), start("r"));
    expect(marked(play)).toEqual({ "r.active": 1, "k->j": 1 });
    play = fired(play, finish("r"), { node: "x", to: ["r"] }, start("r"));
    expect(marked(play)).toEqual({ "r.active": 1, "k->j": 1 });
    expect(marked(fired(play, finish("r"), { node: "x", to: ["j"] }, "j", "e"))).toEqual({ "e.end": 1 });
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
  });

  it("[D20.8] [C20-24] [C20-27] BR-019 an OR split into an AND join deadlocks; into an OR join it goes on after one", () => {
    const block = (kind: "all" | "or") =>
      workflow(
        [or("s"), task("a"), task("b"), node("j", "gateway", { join: kind }), end()],
        arcs("s -> a, s -> b, a -> j, b -> j, j -> e"),
      );
    const { deadlocks } = soundnessOf(netOf(block("all")));
    expect(deadlocks.map((marking) => marked({ ...playOf(block("all")), marking }))).toEqual(
      expect.arrayContaining([{ "a->j": 1 }, { "b->j": 1 }]),
    );
    expect(deadlocks).toHaveLength(2);
    const one = choose(fired(playOf(block("or")), "s"), "s", ["a"]);
    expect(
      marked(fired(one, "a", { node: "j", phase: "settle" }, { node: "j", phase: "step" }, "e")),
    ).toEqual({ "e.end": 1 });
  });

  it("[D6.3] [C20-24] [C20-28] BR-021 an XOR split into an AND join never completes, and is found unsound", () => {
    const definition = workflow(
      [xor("x"), task("a"), task("b"), join("c"), task("d"), end()],
      arcs("x -> a, x -> b, a -> c, b -> c, c -> d, d -> e"),
    );
    const stuck = fired(playOf(definition), { node: "x", to: ["a"] }, "a");
    expect(marked(stuck)).toEqual({ "a->c": 1 });
    expect(enabledMoves(stuck, { node: "c" })).toEqual([]);
    const verdict = soundnessOf(netOf(definition));
    expect(verdict).toMatchObject({ optionToComplete: false, properCompletion: true, safe: true });
    expect(verdict.dead).toEqual(["c.step<2+3:done>4", "d.step:done>5", "e.step:done"]);
    expect(verdict.deadlocks).toHaveLength(2);
  });

  it("[D6.3] [C20-28] BR-022 a merge passes each token on; an AND join makes one of two", () => {
    const paths = (kind: "any" | "all") =>
      workflow(
        [
          and("s"),
          task("a1"),
          task("a2"),
          task("b1"),
          task("b2"),
          task("b3"),
          node("f", "transform", { join: kind }),
          end(),
        ],
        arcs("s -> a1, a1 -> a2, a2 -> f, s -> b1, b1 -> b2, b2 -> b3, b3 -> f, f -> e"),
      );
    const merged = soundnessOf(netOf(paths("any")));
    expect(merged).toMatchObject({ optionToComplete: false, properCompletion: false, safe: false });
    expect(soundnessOf(netOf(paths("all")))).toEqual(SOUND);
  });

  it("[D6.1] [C20-18] BR-028 a node may lead back to itself: one token at any time", () => {
    const definition = workflow(
      [node("t", "human"), end()],
      arcs("t -> t, t -> e").map((arc) => (arc.to === "e" ? { ...arc, default: true as const } : arc)),
    );
    const again = fired(playOf(definition), start("t"), { node: "t", phase: "finish", to: ["t"] });
    expect(marked(again)).toEqual({ "t->t": 1 });
    const out = fired(again, start("t"), { node: "t", phase: "finish", to: ["e"] }, "e");
    expect(marked(out)).toEqual({ "e.end": 1 });
    expect(soundnessOf(netOf(definition))).toEqual(SOUND);
  });
});
