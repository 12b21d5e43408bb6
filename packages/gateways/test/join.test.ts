import { describe, expect, it } from "vitest";
import { arcs, enabledMoves, fired, marked, netOf, node, playOf, workflow } from "./workflow-text.ts";

const and = (id: string) => node(id, "gateway", { split: "all" });
const wait = (id: string) => node(id, "wait");

function permutations<T>(members: readonly T[]): readonly (readonly T[])[] {
  if (members.length === 0) return [[]];
  return members.flatMap((first, index) =>
    permutations(members.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

/** s splits to k waiting branches that meet in j. */
function block(k: number, join: "any" | "all") {
  const ids = Array.from({ length: k }, (_, index) => `b${index}`);
  return {
    ids,
    definition: workflow(
      [and("s"), ...ids.map(wait), node("j", "gateway", { join }), node("e", "end")],
      arcs(...ids.flatMap((id) => [`s -> ${id}`, `${id} -> j`]), "j -> e"),
    ),
  };
}

describe("[D6.3] ways into a node", () => {
  it("[D6.3] [D20.8] [C20-23] [C20-24] an AND join fires once after the last arrival, in every order", () => {
    for (const k of [2, 3, 4]) {
      const { ids, definition } = block(k, "all");
      const open = ids.reduce(
        (play, id) => fired(play, { node: id, phase: "start" }),
        fired(playOf(definition), "s"),
      );
      for (const order of permutations(ids)) {
        let play = open;
        for (const id of order) {
          expect(enabledMoves(play, { node: "j" })).toEqual([]);
          play = fired(play, { node: id, phase: "finish" });
        }
        play = fired(play, "j");
        expect(marked(play)).toEqual({ "j->e": 1 });
      }
    }
  });

  it("[D6.3] [C20-25] an AND join takes one token of each arc; what is over stays", () => {
    const { definition } = block(2, "all");
    const play = playOf(definition);
    const index = (id: string) => play.net.places.findIndex((place) => place.id === id);
    const rich = {
      ...play,
      marking: play.net.places.map((_, p) => (p === index("b0->j") ? 3 : p === index("b1->j") ? 2 : 0)),
    };
    expect(marked(fired(rich, "j"))).toEqual({ "b0->j": 2, "b1->j": 1, "j->e": 1 });
    expect(marked(fired(rich, "j", "j"))).toEqual({ "b0->j": 1, "j->e": 2 });
    expect(enabledMoves(fired(rich, "j", "j"), { node: "j" })).toEqual([]);
  });

  it("[D6.3] [C20-28] a merge passes each token on at once", () => {
    const { definition } = block(2, "any");
    let play = fired(
      playOf(definition),
      "s",
      { node: "b0", phase: "start" },
      { node: "b0", phase: "finish" },
      "j",
    );
    expect(marked(play)).toEqual({ "s->b1": 1, "j->e": 1 });
    play = fired(play, { node: "b1", phase: "start" }, { node: "b1", phase: "finish" }, "j");
    expect(marked(play)).toEqual({ "j->e": 2 });
  });

  it("[D6.3] any: a transition for each arc, which names the arc; a single way in is not named", () => {
    const { net } = playOf(block(2, "any").definition);
    const joins = net.transitions.filter(({ origin }) => origin?.node === 3);
    expect(joins.map(({ id, origin }) => [id, origin?.consumed])).toEqual([
      ["j.step<1:done>4", [1]],
      ["j.step<3:done>4", [3]],
    ]);
    expect(net.transitions.filter(({ origin }) => origin?.node === 1).map(({ id }) => id)).toEqual([
      "b0.start",
      "b0.finish:done>1",
    ]);
  });

  it("[D6.3] all: one transition for all arcs; with one arc every join is a merge", () => {
    const { net } = playOf(block(3, "all").definition);
    const joins = net.transitions.filter(({ origin }) => origin?.node === 4);
    expect(joins.map(({ id, origin }) => [id, origin?.consumed])).toEqual([
      ["j.step<1+3+5:done>6", [1, 3, 5]],
    ]);
    for (const join of ["any", "all", "or"] as const) {
      const single = netOf(
        workflow(
          [node("a", "gateway"), node("j", "gateway", { join }), node("e", "end")],
          arcs("a -> j, j -> e"),
        ),
      );
      expect(single.transitions.map(({ id }) => id)).toEqual([
        "a.step:done>0",
        "j.step:done>1",
        "e.step:done",
      ]);
    }
  });

  it("[D6.3] or: each arrival settles its branch, and the join takes every settled place", () => {
    const definition = workflow(
      [
        node("s", "gateway", { split: "or" }),
        wait("a"),
        wait("b"),
        node("j", "human", { join: "or" }),
        node("e", "end"),
      ],
      arcs("s -> a, s -> b, a -> j, b -> j, j -> e"),
    );
    const net = netOf(definition);
    const name = (p: number | undefined) => net.places[p ?? -1]?.id;
    const joins = net.transitions.filter(({ origin }) => origin?.node === 3);
    expect(
      joins.map(({ id, pre, post, generated, origin }) => ({
        id,
        pre: pre.map(([p]) => name(p)),
        post: post.map(([p]) => name(p)),
        generated: generated === true,
        consumed: origin?.consumed,
        phase: origin?.phase,
      })),
    ).toEqual([
      {
        id: "j.settle2",
        pre: ["a->j"],
        post: ["j.settled0"],
        generated: true,
        consumed: [2],
        phase: "settle",
      },
      {
        id: "j.settle3",
        pre: ["b->j"],
        post: ["j.settled1"],
        generated: true,
        consumed: [3],
        phase: "settle",
      },
      {
        id: "j.start<2+3",
        pre: ["j.settled0", "j.settled1"],
        post: ["j.active"],
        generated: false,
        consumed: [2, 3],
        phase: "start",
      },
      {
        id: "j.finish:done>4",
        pre: ["j.active"],
        post: ["j->e"],
        generated: false,
        consumed: [],
        phase: "finish",
      },
    ]);
    expect(net.places.find(({ id }) => id === "j.settled0")?.origin).toEqual({
      kind: "skip",
      node: 3,
      arc: 0,
    });
  });

  it("[D6.3] a node with no way in has no transition into it, whatever its join", () => {
    // With budget 0 the fail arc is compiled away, and with it the only way to the repair.
    const loop = { id: "l", budget: 0, passKey: "ok", proves: "x", body: ["v", "r"] };
    for (const join of ["any", "all", "or"] as const) {
      const net = netOf(
        workflow(
          [
            node("v", "verifier", { meta: { passKey: "ok" } }),
            node("d", "decision", { meta: { loop } }),
            node("r", "human", { join }),
            node("e", "end"),
          ],
          arcs("v -> d, d:pass -> e, d:fail -> r, d:exhausted -> e, r -> v"),
        ),
      );
      const own = net.transitions.filter(({ origin }) => origin?.node === 2);
      expect(own.map(({ id }) => id)).toEqual(["r.finish:done>4"]);
    }
  });
});
