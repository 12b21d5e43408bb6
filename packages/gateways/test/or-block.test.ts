import { indexGraph } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { blockClosedBy, structuredBlock } from "../src/index.ts";
import { isSound, soundnessOf } from "./explore.ts";
import {
  arcs,
  choose,
  enabledMoves,
  fired,
  issuesOf,
  marked,
  netOf,
  node,
  playOf,
  workflow,
} from "./workflow-text.ts";

const or = (id: string) => node(id, "gateway", { split: "or" });
const orJoin = (id: string) => node(id, "gateway", { join: "or" });
const gate = (id: string) => node(id, "gateway");
const wait = (id: string) => node(id, "wait");
const tool = (id: string) => node(id, "tool");
const end = (id = "e") => node(id, "end");
const terminate = (id: string) => node(id, "end", { meta: { terminate: true } });

function subsets<T>(members: readonly T[]): readonly (readonly T[])[] {
  const [first, ...rest] = members;
  return first === undefined ? [[]] : subsets(rest).flatMap((set) => [set, [first, ...set]]);
}

function permutations<T>(members: readonly T[]): readonly (readonly T[])[] {
  if (members.length === 0) return [[]];
  return members.flatMap((first, index) =>
    permutations(members.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

describe("[D20.8] [L6.2] the OR join of a structured block", () => {
  it("[D20.8] [L6.2] [C20-26] [C20-27] fires once, after the last, for every non-empty subset of 2 to 4 branches and every order of arrival", () => {
    for (let k = 2; k <= 4; k += 1) {
      const ids = Array.from({ length: k }, (_, index) => `b${index}`);
      const definition = workflow(
        [or("s"), ...ids.map(wait), orJoin("j"), end()],
        arcs(...ids.flatMap((id) => [`s -> ${id}`, `${id} -> j`]), "j -> e"),
      );
      const split = fired(playOf(definition), "s");
      for (const subset of subsets(ids).filter((set) => set.length > 0)) {
        for (const order of permutations(subset)) {
          let play = choose(split, "s", subset);
          for (const id of subset) play = fired(play, { node: id, phase: "start" });
          for (const id of order) {
            expect(enabledMoves(play, { node: "j", phase: "step" })).toEqual([]);
            play = fired(play, { node: id, phase: "finish" }, { node: "j", phase: "settle" });
          }
          play = fired(play, { node: "j", phase: "step" });
          expect(marked(play)).toEqual({ "j->e": 1 });
        }
      }
      expect(soundnessOf(netOf(definition))).toMatchObject({ dead: [], deadlocks: [] });
    }
  });

  it("[D20.8] [C20-27] goes on at once when the branches have arrived before others were decided", () => {
    const definition = workflow(
      [or("s"), gate("a"), wait("b"), orJoin("j"), end()],
      arcs("s -> a, s -> b, a -> j, b -> j, j -> e"),
    );
    const split = fired(playOf(definition), "s", { node: "s", phase: "take", to: ["a"] }, "a", {
      node: "j",
      phase: "settle",
    });
    expect(enabledMoves(split, { node: "j", phase: "step" })).toEqual([]);
    const decided = fired(split, { node: "s", phase: "skip", to: ["b"] });
    expect(marked(fired(decided, { node: "j", phase: "step" }, "e"))).toEqual({ "e.end": 1 });
  });

  it("[D20.8] [C20-27] waits for the one way in that a branch with several takes", () => {
    const definition = workflow(
      [or("s"), gate("a"), gate("x"), gate("b"), orJoin("j"), end()],
      arcs("s -> a, s -> b, a -> j, a -> x, x -> j, b -> j, j -> e"),
    );
    expect(isSound(netOf(definition))).toBe(true);
    const both = choose(fired(playOf(definition), "s"), "s", ["a", "b"]);
    const long = fired(both, { node: "a", to: ["x"] }, "b", { node: "j", phase: "settle" }, "x");
    expect(marked(fired(long, { node: "j", phase: "settle" }, { node: "j", phase: "step" }, "e"))).toEqual({
      "e.end": 1,
    });
  });

  it("[D20.8] nested blocks, blocks in a loop and a loop in a branch are sound", () => {
    const nested = workflow(
      [or("s"), or("s2"), wait("a"), wait("b"), orJoin("j2"), wait("c"), orJoin("j"), end()],
      arcs("s -> s2, s2 -> a, s2 -> b, a -> j2, b -> j2, j2 -> j, s -> c, c -> j, j -> e"),
    );
    const looped = workflow(
      [gate("m"), or("s"), wait("a"), wait("b"), orJoin("j"), gate("x"), end()],
      arcs("m -> s, s -> a, s -> b, a -> j, b -> j, j -> x, x -> m, x -> e"),
    );
    const branchLoop = workflow(
      [or("s"), gate("m"), wait("a"), gate("x"), wait("b"), orJoin("j"), end()],
      arcs("s -> m, m -> a, a -> x, x -> m, x -> j, s -> b, b -> j, j -> e"),
    );
    const around = workflow(
      [
        or("s"),
        node("p", "gateway", { split: "all" }),
        wait("a"),
        wait("b"),
        node("q", "gateway", { join: "all" }),
        orJoin("j"),
        end(),
      ],
      arcs("s -> p, p -> a, p -> b, a -> q, b -> q, q -> j, s -> j, j -> e"),
    );
    for (const definition of [nested, looped, branchLoop, around]) {
      expect(issuesOf(definition)).toEqual([]);
      expect(soundnessOf(netOf(definition))).toMatchObject({
        optionToComplete: true,
        properCompletion: true,
        dead: [],
        safe: true,
      });
    }
  });

  it("[D20.8] a terminate end inside a branch ends the whole, chain and settled places included", () => {
    const definition = workflow(
      [or("s"), tool("a"), wait("b"), orJoin("j"), end(), terminate("stop")],
      arcs("s -> a, a -> j, a:error -> stop, s -> b, b -> j, j -> e"),
    );
    expect(issuesOf(definition)).toEqual([]);
    expect(isSound(netOf(definition))).toBe(true);
    let play = choose(fired(playOf(definition), "s"), "s", ["a"]);
    play = fired(play, { node: "a", phase: "start" }, { node: "a", outcome: "error" });
    expect(marked(play)).toEqual({ "a:error->stop": 1, "j.settled3": 1 });
    expect(marked(fired(play, "stop"))).toEqual({ "stop.end": 1 });
    const early = fired(
      playOf(definition),
      "s",
      { node: "s", phase: "take", to: ["a"] },
      { node: "a", phase: "start" },
    );
    const ended = fired(early, { node: "a", outcome: "error" }, "stop");
    expect(marked(ended)).toEqual({ "stop.end": 1 });
  });
});

describe("[D6.8] [L6.3] structured blocks", () => {
  const NO_EXIT = "no join closes its branches and nothing else: s";
  /** The answer of `structuredBlock` for node `s`: the join, or the reason with the node. */
  function blockOf(
    nodes: Parameters<typeof workflow>[0],
    list: Parameters<typeof workflow>[1],
    outcome = "done",
  ) {
    const graph = indexGraph(workflow(nodes, list));
    const found = structuredBlock(graph, graph.nodeIndex.get("s") ?? -1, outcome);
    const name = (index: number) => graph.definition.nodes[index]?.id;
    return found.kind === "structured" ? `joins ${name(found.join)}` : `${found.reason}: ${name(found.node)}`;
  }
  const plain = [or("s"), wait("a"), wait("b"), orJoin("j"), end()];
  const ways = "s -> a, s -> b, a -> j, b -> j, j -> e";

  it("[D6.8] pair a split with its join and each arc into it with the branch that it ends", () => {
    expect(blockOf(plain, arcs(ways))).toBe("joins j");
    expect(blockOf(plain, arcs("s -> j, s -> a, s -> b, a -> j, b -> j, j -> e"))).toBe("joins j");
    const graph = indexGraph(
      workflow([...plain, gate("x")], arcs("s -> a, a -> x, x -> j, a -> j, s -> b, b -> j, j -> e")),
    );
    const block = structuredBlock(graph, 0, "done");
    expect(block).toEqual({
      kind: "structured",
      join: 3,
      branchOf: new Map([
        [2, 0],
        [3, 0],
        [5, 4],
      ]),
    });
    expect(blockClosedBy(graph, 3)).toEqual(block);
    expect(blockClosedBy(graph, 1)).toBeNull();
  });

  it("[D6.8] take the join where the branches meet, past the blocks inside them", () => {
    const inner = [or("s"), or("s2"), wait("a"), wait("b"), orJoin("j2"), wait("c"), orJoin("j"), end()];
    const list = arcs("s -> s2, s2 -> a, s2 -> b, a -> j2, b -> j2, j2 -> j, s -> c, c -> j, j -> e");
    expect(blockOf(inner, list)).toBe("joins j");
    const graph = indexGraph(workflow(inner, list));
    expect(structuredBlock(graph, 1, "done")).toMatchObject({ join: 4 });
    expect(blockClosedBy(graph, 4)).toMatchObject({ join: 4 });
    expect(blockClosedBy(graph, 6)).toMatchObject({ join: 6 });
    const both = [...inner, or("s3"), wait("c2")];
    const twice = arcs(
      "s -> s2, s2 -> a, s2 -> b, a -> j2, b -> j2, j2 -> j, s -> s3, s3 -> c, s3 -> c2, c -> j, c2 -> j, j -> e",
    );
    expect(blockOf(both, twice)).toBe("a branch may bring several tokens: s3");
    const whole = indexGraph(workflow(both, twice));
    expect(structuredBlock(whole, 8, "done")).toMatchObject({ kind: "unstructured", node: 8 });
  });

  it("[D6.8] are searched for by outcome", () => {
    const nodes = [node("s", "human", { split: "or", meta: { outcomes: ["yes", "no"] } }), ...plain.slice(1)];
    expect(blockOf(nodes, arcs("s:yes -> a, s:yes -> b, a -> j, b -> j, j -> e, s:no -> e"), "yes")).toBe(
      "joins j",
    );
    expect(blockOf(nodes, arcs("s:yes -> a, s:yes -> b, a -> j, b -> j, j -> e, s:no -> a"), "yes")).toBe(
      NO_EXIT,
    );
    expect(blockOf(nodes, arcs("s:yes -> a, s:yes -> b, a -> j, b -> j, j -> e, s:no -> j"), "yes")).toBe(
      NO_EXIT,
    );
  });

  it("[D6.8] [C20-27] are refused with the reason and the place", () => {
    expect(blockOf(plain.slice(0, 3).concat(end(), end("f")), arcs("s -> a, s -> b, a -> e, b -> f"))).toBe(
      NO_EXIT,
    );
    expect(blockOf([or("s"), wait("a"), wait("b"), gate("j"), end()], arcs(ways))).toBe(
      "its branches meet where no OR join is: j",
    );
    const shared = arcs("s -> a, s -> b, a -> x, b -> x, x -> j, a -> j, b -> j, j -> e");
    expect(blockOf([...plain, gate("x")], shared)).toBe("two branches share a node: x");
    expect(blockOf([...plain, end("f")], arcs(ways, "a -> f"))).toBe(NO_EXIT);
    expect(blockOf([...plain, gate("x")], arcs(ways, "a -> x, x -> s"))).toBe(NO_EXIT);
    expect(blockOf([...plain, gate("x")], arcs("x -> s", ways, "x -> a"))).toBe(NO_EXIT);
    expect(blockOf([...plain, gate("x")], arcs("x -> s", ways, "x -> j"))).toBe(NO_EXIT);
    expect(blockOf([...plain, wait("c"), terminate("t")], arcs(ways, "s -> c, c -> t"))).toBe(
      "a branch never reaches the join: s",
    );
    expect(
      blockOf(
        [or("s"), wait("a"), wait("b"), tool("c"), orJoin("j"), end(), end("f")],
        arcs(ways, "s -> c, c -> j, c:error -> f"),
      ),
    ).toBe(NO_EXIT);
    expect(blockOf(plain, arcs("s -> a, a -> j, j -> e"))).toBe("its branches do not meet: s");
  });

  it("[D6.8] a terminate end is neither inside nor a way out; an ordinary end and another node with that meta are", () => {
    const list = arcs("s -> a, a -> j, a:error -> stop, s -> b, b -> j, j -> e");
    expect(blockOf([or("s"), tool("a"), wait("b"), orJoin("j"), end(), terminate("stop")], list)).toBe(
      "joins j",
    );
    expect(blockOf([or("s"), tool("a"), wait("b"), orJoin("j"), end(), end("stop")], list)).toBe(NO_EXIT);
    const odd = node("stop", "wait", { meta: { terminate: true } });
    expect(blockOf([or("s"), tool("a"), wait("b"), orJoin("j"), end(), odd], list)).toBe(NO_EXIT);
  });

  it("[D6.8] GATE001 GATE002 are retired: an unpaired OR split or join is no issue, and compiles without the block", () => {
    const nodes = [or("s"), wait("a"), wait("b"), gate("x"), or("s2"), wait("c"), orJoin("j2"), end()];
    const definition = workflow(
      [...nodes, end("f")],
      arcs("s -> a, s -> b, a -> x, b -> x, x -> s2, s2 -> c, s2 -> f, x -> j2, c -> j2, j2 -> e"),
    );
    expect(issuesOf(definition)).toEqual([]);
    const { places, transitions } = netOf(definition);
    expect(places.filter(({ origin }) => origin?.kind === "skip")).toEqual([]);
    expect(transitions.filter(({ rule }) => rule === "or-join:j2").map(({ any }) => any.length)).toEqual([2]);
    const one = workflow([or("s"), orJoin("j"), end()], arcs("s -> j, j -> e"));
    expect(issuesOf(one)).toEqual([]);
    expect(isSound(netOf(one))).toBe(true);
  });
});
