import { enabledTransitions, fire, type Marking, type Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { keyOf } from "./explore.ts";
import {
  arcs,
  compiledOf,
  fired,
  marked,
  netOf,
  node,
  playOf,
  programOf,
  workflow,
} from "./workflow-text.ts";

/** s splits to b0 .. b(k-1), which join again; `fallback` is the position of the default arc. */
function block(k: number, split: "first" | "all" | "or", fallback: number | null = null) {
  const branches = Array.from({ length: k }, (_, index) => `b${index}`);
  const lines = branches.flatMap((id) => [`s -> ${id}`, `${id} -> j`]);
  return workflow(
    [
      node("s", "gateway", { split }),
      ...branches.map((id) => node(id, "wait")),
      node("j", "gateway", { join: split === "or" ? "or" : "any" }),
      node("e", "end"),
    ],
    arcs(...lines, "j -> e").map((arc) =>
      arc.to === `b${fallback}` ? { ...arc, default: true as const } : arc,
    ),
  );
}

/** The markings that the chain ends in, each once for every run of the chain that leads to it. */
function chainEnds(net: Net): readonly Marking[] {
  const isChain = (t: number) => ["take", "skip"].includes(net.transitions[t]?.origin?.phase ?? "");
  const first = enabledTransitions(net, net.initial);
  const ends: Marking[] = [];
  const pending = first.flatMap((t) => {
    const result = fire(net, net.initial, t);
    return result.kind === "fired" ? [result.marking] : [];
  });
  for (let marking = pending.pop(); marking !== undefined; marking = pending.pop()) {
    const moves = enabledTransitions(net, marking).filter(isChain);
    if (moves.length === 0) ends.push(marking);
    for (const t of moves) {
      const result = fire(net, marking, t);
      if (result.kind === "fired") pending.push(result.marking);
    }
  }
  return ends;
}

const nameOf = (net: Net, marking: Marking) =>
  net.places
    .flatMap(({ id }, place) => Array.from({ length: marking[place] ?? 0 }, () => id))
    .sort()
    .join(" ");

/** What the runs of a chain of k branches must end in: each non-empty subset taken, the others settled, nothing else. */
function expectedEnds(k: number, fallback: number | null): readonly string[] {
  const free = Array.from({ length: k }, (_, index) => index).filter((index) => index !== fallback);
  const ends: string[] = [];
  for (let bits = 0; bits < 2 ** free.length; bits += 1) {
    const chosen = free.filter((_, position) => (bits >> position) % 2 === 1);
    if (chosen.length === 0 && fallback === null) continue;
    const taken = new Set(chosen.length === 0 ? [fallback] : chosen);
    // Arc 2i leads from the split to branch i.
    const places = Array.from({ length: k }, (_, i) => (taken.has(i) ? `s->b${i}` : `j.settled${2 * i}`));
    ends.push(places.sort().join(" "));
  }
  return ends.sort();
}

/** Law L6.1 for one number of branches and one default, by all runs of the chain. */
function chainLaw(net: Net, k: number, fallback: number | null): void {
  expect(
    chainEnds(net)
      .map((marking) => nameOf(net, marking))
      .sort(),
  ).toEqual(expectedEnds(k, fallback));
}

describe("[D6.1] splits", () => {
  it("[D6.1] [C20-18] first: one transition for each arc, which marks it alone", () => {
    const play = playOf(block(3, "first"));
    const { net } = play;
    expect(net.transitions.filter(({ origin }) => origin?.node === 0).map(({ id }) => id)).toEqual([
      "s.step:done>0",
      "s.step:done>2",
      "s.step:done>4",
    ]);
    expect(marked(fired(play, { node: "s", to: ["b1"] }))).toEqual({ "s->b1": 1 });
  });

  it("[D6.1] [C20-22] all: one transition marks every arc at once", () => {
    for (const k of [2, 3, 6]) {
      const play = playOf(block(k, "all"));
      const split = play.net.transitions.filter(({ origin }) => origin?.node === 0);
      expect(split).toHaveLength(1);
      expect(split[0]?.origin?.chosen).toEqual(Array.from({ length: k }, (_, index) => 2 * index));
      const expected = Object.fromEntries(Array.from({ length: k }, (_, index) => [`s->b${index}`, 1]));
      expect(marked(fired(play, "s"))).toEqual(expected);
    }
  });

  it("[D6.1] a single arc is taken, whatever the split", () => {
    for (const split of ["first", "all", "or"] as const) {
      const net = netOf(workflow([node("s", "gateway", { split }), node("e", "end")], arcs("s -> e")));
      expect(net.transitions[0]).toMatchObject({
        id: "s.step:done>0",
        post: [[1, 1]],
        origin: { chosen: [0] },
      });
      expect(net.places.map(({ id }) => id)).toEqual(["source", "s->e", "e.end"]);
    }
  });

  it("[D6.1] an outcome without an arc has no transition", () => {
    const net = netOf(workflow([node("t", "transform"), node("e", "end")], arcs("t -> e")));
    expect(net.transitions.map(({ id }) => id)).toEqual(["t.step:done>0", "e.step:done"]);
    const parallel = workflow([node("t", "transform", { split: "all" }), node("e", "end")], arcs("t -> e"));
    expect(netOf(parallel).transitions.map(({ id }) => id)).toEqual(["t.step:done>0", "e.step:done"]);
  });

  it("[D6.1] each outcome splits by its own rule", () => {
    const definition = workflow(
      [
        node("h", "human", { split: { yes: "all", no: "first" }, meta: { outcomes: ["yes", "no"] } }),
        node("a", "transform"),
        node("e", "end"),
      ],
      arcs("h:yes -> a, h:yes -> e, h:no -> a, h:no -> e, a -> e"),
    );
    const finish = netOf(definition).transitions.filter(({ origin }) => origin?.phase === "finish");
    expect(finish.map(({ origin }) => [origin?.outcome, origin?.chosen])).toEqual([
      ["yes", [0, 1]],
      ["no", [2]],
      ["no", [3]],
    ]);
  });
});

describe("[D6.2] the choice chain", () => {
  it("[D6.2] [L6.1] [C20-26] its runs end in exactly the non-empty subsets, each once, for 2 to 6 branches", () => {
    for (let k = 2; k <= 6; k += 1) chainLaw(netOf(block(k, "or")), k, null);
  });

  it("[D6.2] [L6.1] [C20-26] with a default, wherever it stands: it alone exactly when nothing else", () => {
    for (let k = 2; k <= 6; k += 1)
      for (let fallback = 0; fallback < k; fallback += 1)
        chainLaw(netOf(block(k, "or", fallback)), k, fallback);
  });

  it("[D6.2] [L6.1] the law catches independent choices, which allow the empty subset, and a chain without its last skip", () => {
    const net = netOf(block(3, "or"));
    const last = net.transitions.filter(({ origin }) => origin?.phase === "take").at(-1)?.id;
    const forced = net.transitions.find(({ id }) => id === "s:done.take4e");
    expect(last).toBe("s:done.take4f");
    const skipOfLast = net.transitions.find(({ id }) => id === "s:done.skip4f");
    if (forced === undefined || skipOfLast === undefined) throw new Error("the chain has no forced end");
    const independent = {
      ...net,
      transitions: [...net.transitions, { ...skipOfLast, id: "empty", pre: forced.pre }],
    };
    const unskipped = { ...net, transitions: net.transitions.filter((t) => t !== skipOfLast) };
    expect(() => chainLaw(independent, 3, null)).toThrow();
    expect(() => chainLaw(unskipped, 3, null)).toThrow();
  });

  it("[D6.2] is linear in its arcs and free-choice", () => {
    for (let k = 2; k <= 6; k += 1) {
      const { places, transitions } = netOf(block(k, "or"));
      const moves = transitions.filter(({ origin }) => origin?.phase === "take" || origin?.phase === "skip");
      // e and f of each link take and skip, but nothing is taken before the first, and nothing else than taking
      // the last is left where nothing was taken.
      expect(moves).toHaveLength(4 * k - 3);
      const withDefault = netOf(block(k, "or", 0)).transitions.filter(({ generated }) => generated === true);
      expect(withDefault.filter(({ origin }) => origin?.phase !== "settle")).toHaveLength(4 * k - 4);
      expect(places.filter(({ origin }) => origin?.kind === "chain")).toHaveLength(2 * k - 1);
      expect(moves.every(({ pre, generated }) => pre.length === 1 && generated === true)).toBe(true);
    }
  });

  it("[D6.2] the program lists its links in the order of the chain, the default last", () => {
    const program = programOf(block(3, "or", 1));
    const head = program.net.places.findIndex(({ id }) => id === "s:done.e0");
    expect([...program.chains.keys()]).toEqual([head]);
    const states = program.net.places.filter(({ origin }) => origin?.kind === "chain").map(({ id }) => id);
    expect(states.sort()).toEqual(["s:done.e0", "s:done.e1", "s:done.e2", "s:done.f1", "s:done.f2"]);
    const ids = (list: readonly number[]) => list.map((t) => program.net.transitions[t]?.id);
    const links = (program.chains.get(head) ?? []).map(({ arc, take, skip }) => [arc, ids(take), ids(skip)]);
    expect(links).toEqual([
      [0, ["s:done.take0e"], ["s:done.skip0e"]],
      [4, ["s:done.take4e", "s:done.take4f"], ["s:done.skip4e", "s:done.skip4f"]],
      [2, ["s:done.take2e"], ["s:done.skip2f"]],
    ]);
    const chain = program.net.transitions.flatMap(({ origin }, t) =>
      origin?.phase === "take" || origin?.phase === "skip" ? [t] : [],
    );
    expect(chain.some((t) => program.automatic[t] === 1)).toBe(false);
  });

  it("[D6.2] is made once for all ways into the node, and once for each outcome", () => {
    const definition = workflow(
      [
        node("m", "gateway"),
        node("h", "human", { split: { yes: "or", no: "or" }, meta: { outcomes: ["yes", "no"] } }),
        node("a", "wait"),
        node("b", "wait"),
        node("j", "gateway", { join: "or" }),
        node("c", "wait"),
        node("d", "wait"),
        node("k", "gateway", { join: "or" }),
        node("x", "gateway"),
        node("e", "end"),
      ],
      arcs(
        "m -> h, x -> h, h:yes -> a, h:yes -> b, a -> j, b -> j, j -> x",
        "h:no -> c, h:no -> d, c -> k, d -> k, k -> x, x -> e",
      ),
    );
    const program = programOf(definition);
    expect(program.chains.size).toBe(2);
    const step = workflow(
      [
        node("m", "gateway"),
        node("s", "gateway", { split: "or" }),
        node("a", "wait"),
        node("b", "wait"),
        node("j", "gateway", { join: "or" }),
        node("e", "end"),
      ],
      arcs("m -> s, m -> s, s -> a, s -> b, a -> j, b -> j, j -> s, j -> e").filter(
        (_, index) => index !== 1,
      ),
    );
    const { net } = compiledOf(step);
    expect(net.transitions.filter(({ origin }) => origin?.phase === "take")).toHaveLength(3);
    expect(
      net.transitions.filter(({ origin }) => origin?.node === 1 && origin.phase === "step"),
    ).toHaveLength(2);
    expect(new Set(net.transitions.map(({ id }) => id)).size).toBe(net.transitions.length);
    expect(keyOf(net.initial)).toMatch(/^1,0/u);
  });
});
