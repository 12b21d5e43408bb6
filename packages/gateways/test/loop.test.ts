import type { WorkflowNode } from "@tessera/core";
import { indexGraph } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { blockMembers, entersLoop, loopOf } from "../src/index.ts";
import { explore, isSound, soundnessOf } from "./explore.ts";
import { core, decision, end, gate, human, verifier, ways } from "./loop-text.ts";
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

describe("[D7.1] every exit of the block drains the counters", () => {
  it("[D7.1] an error arc out of the body takes them along, whatever was spent", () => {
    const definition = workflow(
      [gate("m"), node("t", "tool"), verifier("v"), decision("d", ["m", "t", "v"], 2), human("h"), end()],
      arcs("m -> t, t -> v, t:error -> h, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> h, h -> e"),
    );
    const round = [
      { node: "t", phase: "start" },
      { node: "t", outcome: "done" },
      "v",
      { node: "d", outcome: "fail" },
      "m",
    ] as const;
    for (let rounds = 0; rounds <= 2; rounds += 1) {
      let play = fired(playOf(definition), "m");
      for (let index = 0; index < rounds; index += 1) play = fired(play, ...round);
      play = fired(play, { node: "t", phase: "start" });
      expect(marked(play)).toEqual({
        "t.active": 1,
        ...(rounds < 2 ? { "d.left": 2 - rounds } : {}),
        ...(rounds > 0 ? { "d.spent": rounds } : {}),
      });
      expect(marked(fired(play, { node: "t", outcome: "error" }))).toEqual({ "t:error->h": 1 });
    }
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D7.1] an exit out of two loops drains both, and says how often each had failed", () => {
    const definition = workflow(
      [
        gate("mo"),
        gate("mi"),
        node("t", "tool"),
        verifier("vi", "i"),
        decision("di", ["mi", "t", "vi"], 1, { passKey: "i" }),
        verifier("vo", "o"),
        decision("do", ["mo", "mi", "t", "vi", "di", "vo"], 2, { passKey: "o" }),
        human("h"),
        end(),
      ],
      arcs(
        "mo -> mi, mi -> t, t -> vi, t:error -> h, vi -> di, di:fail -> mi, di:pass -> vo, di:exhausted -> h",
        "vo -> do, do:fail -> mo, do:pass -> e, do:exhausted -> h, h -> e",
      ),
    );
    const net = netOf(definition);
    const errors = net.transitions.filter(({ origin }) => origin?.outcome === "error" && origin.node === 2);
    expect(errors.map(({ id, origin }) => [id, origin?.counts])).toEqual(
      [0, 1].flatMap((i) => [0, 1, 2].map((o) => [`t.finish:error>3#${i}#${o}`, [i, o]])),
    );
    expect(errors.every(({ generated }) => generated === true)).toBe(true);
    const exhausted = net.transitions.filter(
      ({ origin }) => origin?.node === 4 && origin.outcome === "exhausted",
    );
    expect(exhausted.map(({ origin }) => origin?.counts)).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
    const passes = net.transitions.filter(({ origin }) => origin?.node === 4 && origin.outcome === "pass");
    expect(passes.map(({ origin }) => origin?.counts)).toEqual([[0], [1]]);
    expect(isSound(net)).toBe(true);
  });

  it("[D7.1] a branch that escapes to a terminate end leaves them to its reset, so that its sibling may escape too", () => {
    const definition = workflow(
      [
        gate("m"),
        gate("s", { split: "all" }),
        node("a", "tool"),
        node("b", "tool"),
        gate("j", { join: "all" }),
        verifier("v"),
        decision("d", ["m", "s", "a", "b", "j", "v"]),
        human("h"),
        end(),
        node("stop", "end", { meta: { terminate: true } }),
      ],
      arcs(
        "m -> s, s -> a, s -> b, a -> j, b -> j, a:error -> stop, b:error -> stop, j -> v",
        "v -> d, d:fail -> m, d:pass -> e, d:exhausted -> h, h -> e, d:error -> stop",
      ),
    );
    let play = fired(
      playOf(definition),
      "m",
      "s",
      { node: "a", phase: "start" },
      { node: "b", phase: "start" },
    );
    play = fired(play, { node: "a", outcome: "error" }, { node: "b", outcome: "error" });
    expect(marked(play)).toEqual({ "a:error->stop": 1, "b:error->stop": 1, "d.left": 1 });
    const [stop, other] = enabledMoves(play, { node: "stop" });
    expect([stop, other]).not.toContain(undefined);
    for (const marking of explore(netOf(definition)).markings.values()) {
      const net = netOf(definition);
      const stopped = (marking[net.places.findIndex(({ id }) => id === "stop.end")] ?? 0) > 0;
      if (stopped) expect(marking.reduce((sum, tokens) => sum + tokens, 0)).toBe(1);
    }
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D7.1] an exit by several arcs drains unless all of them lead to terminate ends", () => {
    const outs = (second: WorkflowNode) => {
      const definition = workflow(
        [
          gate("m"),
          node("t", "tool", { split: { error: "all" } }),
          verifier("v"),
          decision("d", ["m", "t", "v"]),
          end(),
          node("stop", "end", { meta: { terminate: true } }),
          second,
        ],
        arcs(
          "m -> t, t -> v, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> e, t:error -> stop, t:error -> f",
        ),
      );
      return netOf(definition)
        .transitions.filter(({ origin }) => origin?.outcome === "error")
        .map(({ id, pre }) => [id, pre.length]);
    };
    expect(outs(end("f"))).toEqual([
      ["t.finish:error>6+7#0", 2],
      ["t.finish:error>6+7#1", 2],
    ]);
    expect(outs(node("f", "end", { meta: { terminate: true } }))).toEqual([["t.finish:error>6+7", 1]]);
  });

  it("[D7.1] the two counters are counter places of their decision", () => {
    const net = netOf(workflow([...core, end()], arcs(ways, "d:pass -> e, d:exhausted -> e")));
    expect(net.places.filter(({ role }) => role === "counter")).toEqual([
      { id: "d.left", role: "counter", origin: { kind: "left", node: 2 } },
      { id: "d.spent", role: "counter", origin: { kind: "spent", node: 2 } },
    ]);
  });

  it("[D7.1] pass and exhausted drain also where they lead to a terminate end", () => {
    const definition = workflow(
      [...core, human("h"), end(), node("stop", "end", { meta: { terminate: true } })],
      arcs(ways, "d:pass -> stop, d:exhausted -> h, h -> e"),
    );
    const play = fired(playOf(definition), "m", "v");
    expect(enabledMoves(play, { node: "d", outcome: "exhausted" })).toEqual([]);
    expect(marked(fired(play, { node: "d", outcome: "pass" }))).toEqual({ "d:pass->stop": 1 });
    const direct = workflow(
      [...core, end(), node("stop", "end", { meta: { terminate: true } })],
      arcs(ways, "d:pass -> e, d:exhausted -> stop"),
    );
    const first = fired(playOf(direct), "m", "v");
    expect(enabledMoves(first, { node: "d", outcome: "exhausted" })).toEqual([]);
    const second = fired(first, { node: "d", outcome: "fail" }, "m", "v");
    expect(enabledMoves(second, { node: "d", outcome: "fail" })).toEqual([]);
    expect(marked(fired(second, { node: "d", outcome: "exhausted" }, "stop"))).toEqual({ "stop.end": 1 });
  });

  it("[D7.1] a head that may go past the loop at once brings no budget in", () => {
    const definition = workflow([...core, end()], arcs(ways, "m -> e, d:pass -> e, d:exhausted -> e"));
    const net = netOf(definition);
    const past = net.transitions.filter(({ origin }) => origin?.node === 0 && origin.chosen[0] === 3);
    expect(
      past.map(({ origin, pre, post }) => [origin?.consumed, origin?.counts, pre.length, post.length]),
    ).toEqual([
      [[], [0], 1, 1],
      [[2], [0], 2, 1],
      [[2], [1], 2, 1],
    ]);
    expect(marked(fired(playOf(definition), { node: "m", to: ["e"] }))).toEqual({ "m->e": 1 });
    const again = fired(playOf(definition), { node: "m", to: ["v"] }, "v", { node: "d", outcome: "fail" });
    expect(marked(again)).toEqual({ "d:fail->m": 1, "d.spent": 1 });
    expect(marked(fired(again, { node: "m", to: ["e"] }))).toEqual({ "m->e": 1 });
    expect(isSound(net)).toBe(true);
  });

  it("[D7.1] an AND or OR split on pass drains once", () => {
    for (const kind of ["all", "or"] as const) {
      const definition = workflow(
        [
          gate("m"),
          verifier("v"),
          { ...decision("d", ["m", "v"], 2), split: { pass: kind } },
          human("a"),
          human("b"),
          gate("j", { join: kind }),
          human("h"),
          end(),
        ],
        arcs(ways, "d:pass -> a, d:pass -> b, a -> j, b -> j, j -> e, d:exhausted -> h, h -> e"),
      );
      expect(issuesOf(definition)).toEqual([]);
      expect(isSound(netOf(definition))).toBe(true);
      const spent = fired(playOf(definition), "m", "v", { node: "d", outcome: "fail" }, "m", "v");
      const passed = fired(spent, { node: "d", outcome: "pass", phase: "step" });
      const both = kind === "or" ? choose(passed, "d", ["a", "b"], "pass") : passed;
      expect(marked(both)).toEqual({ "d:pass->a": 1, "d:pass->b": 1 });
      if (kind === "all") continue;
      const one = choose(passed, "d", ["b"], "pass");
      expect(Object.keys(marked(one)).sort()).toEqual([
        expect.stringMatching(/^d:pass->b$/u),
        expect.stringMatching(/^j\.settled/u),
      ]);
    }
  });

  it("[D7.1] a loop as a branch of an OR block is counted like any other", () => {
    const definition = workflow(
      [
        gate("s", { split: "or" }),
        human("x"),
        ...core,
        gate("out"),
        human("h"),
        gate("j", { join: "or" }),
        end(),
      ],
      arcs("s -> x, s -> m", ways, "d:pass -> out, d:exhausted -> h, h -> out, out -> j, x -> j, j -> e"),
    );
    expect(issuesOf(definition)).toEqual([]);
    expect(isSound(netOf(definition))).toBe(true);
    const direct = workflow(
      [gate("s", { split: "or" }), human("x"), ...core, human("h"), gate("j", { join: "or" }), end()],
      arcs("s -> x, s -> m", ways, "d:pass -> j, d:exhausted -> h, h -> j, x -> j, j -> e"),
    );
    expect(issuesOf(direct)).toEqual([]);
    expect(isSound(netOf(direct))).toBe(true);
  });
});

describe("[D7.1] where a loop is entered", () => {
  it("[D7.1] at the entry of the workflow, from the source place", () => {
    const definition = workflow([...core, end()], arcs(ways, "d:pass -> e, d:exhausted -> e"));
    expect(marked(fired(playOf(definition), "m"))).toEqual({ "m->v": 1, "d.left": 1 });
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D7.1] at the entry of an embedded subprocess, from the subprocess's source place", () => {
    const inside = (n: WorkflowNode): WorkflowNode => ({ ...n, scope: "b" });
    const definition = workflow(
      [
        node("b", "subprocess", { meta: { entry: "m" } }),
        end(),
        ...core.map(inside),
        inside(human("h")),
        inside(end("e2")),
      ],
      arcs("b -> e", ways, "d:pass -> e2, d:exhausted -> h, h -> e2"),
    );
    expect(issuesOf(definition)).toEqual([]);
    expect(marked(fired(playOf(definition), "b", "m"))).toEqual({ "m->v": 1, "d.left": 1 });
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D7.1] a subprocess inside the body is no entry: its own source brings no budget", () => {
    const definition = workflow(
      [
        gate("m"),
        node("b", "subprocess", { meta: { entry: "t" } }),
        verifier("v"),
        decision("d", ["m", "b", "v"], 2),
        end(),
        { ...human("t"), scope: "b" },
        { ...end("e2"), scope: "b" },
      ],
      arcs("m -> b, b -> v, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> e, t -> e2"),
    );
    const inside = fired(
      playOf(definition),
      "m",
      { node: "b", phase: "enter" },
      { node: "t", phase: "start" },
    );
    expect(marked(inside)).toEqual({ "t.active": 1, "d.left": 2 });
    const graph = indexGraph(definition);
    const loop = loopOf(definition.nodes[3] ?? end());
    if (loop === null) throw new Error("no loop");
    const members = blockMembers(graph, definition.nodes[3] ?? end(), loop);
    expect([...members].map((index) => definition.nodes[index]?.id)).toEqual(["m", "b", "v", "d", "t", "e2"]);
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D7.1] by a rest node: the start brings the budget, the finish does not", () => {
    const definition = workflow(
      [gate("g"), human("w"), verifier("v"), decision("d", ["w", "v"], 2), end()],
      arcs("g -> w, w -> v, v -> d, d:fail -> w, d:pass -> e, d:exhausted -> e"),
    );
    expect(issuesOf(definition)).toEqual([]);
    const net = netOf(definition);
    const left = net.places.findIndex(({ id }) => id === "d.left");
    const bringing = net.transitions.filter(({ post }) => post.some(([place]) => place === left));
    expect(bringing.map(({ id }) => id)).toEqual(["w.start<0"]);
    expect(isSound(net)).toBe(true);
  });

  it("[D7.1] says of an origin whether it enters", () => {
    const definition = workflow(
      [gate("g"), ...core, end()],
      arcs("g -> m", ways, "d:pass -> e, d:exhausted -> e"),
    );
    const graph = indexGraph(definition);
    const d = definition.nodes[3] ?? end();
    const inside = new Set([1, 2, 3]);
    const origin = { node: 1, phase: "step", consumed: [0], chosen: [1], outcome: "done" } as const;
    expect(entersLoop(graph, d, inside, origin)).toBe(true);
    expect(entersLoop(graph, d, inside, { ...origin, phase: "start" })).toBe(true);
    expect(entersLoop(graph, d, inside, { ...origin, phase: "enter" })).toBe(true);
    expect(entersLoop(graph, d, inside, { ...origin, phase: "settle" })).toBe(false);
    expect(entersLoop(graph, d, inside, { ...origin, phase: "finish", consumed: [] })).toBe(false);
    expect(entersLoop(graph, d, inside, { ...origin, consumed: [3] })).toBe(false);
    expect(entersLoop(graph, d, inside, { ...origin, consumed: [] })).toBe(false);
    expect(entersLoop(graph, d, inside, { ...origin, node: 0, consumed: [] })).toBe(false);
  });
});

describe("[D7.1] [D6.7] loops and subprocesses", () => {
  it("[D7.1] a terminate end inside empties the counters of its scope, and of no other", () => {
    const inside = (n: WorkflowNode): WorkflowNode => ({ ...n, scope: "b" });
    const definition = workflow(
      [
        gate("mo"),
        node("b", "subprocess", { meta: { entry: "m" } }),
        verifier("vo", "outer"),
        decision("do", ["mo", "b", "vo"], 2, { passKey: "outer" }),
        end(),
        ...core.map(inside),
        inside(node("t", "tool")),
        inside(node("stop", "end", { meta: { terminate: true } })),
        inside(end("e2")),
      ],
      arcs(
        "mo -> b, b -> vo, vo -> do, do:fail -> mo, do:pass -> e, do:exhausted -> e",
        "m -> v, v -> d, d:fail -> m, d:pass -> e2, d:exhausted -> t, t -> e2, t:error -> stop, d:error -> stop",
      ),
    );
    expect(issuesOf(definition)).toEqual([]);
    const play = fired(
      playOf(definition),
      "mo",
      { node: "b", phase: "enter" },
      "m",
      "v",
      { node: "d", outcome: "fail" },
      "m",
      "v",
    );
    expect(marked(play)).toEqual({ "v->d": 1, "d.spent": 1, "do.left": 2 });
    const escaped = fired(play, { node: "d", outcome: "error" });
    expect(marked(escaped)).toEqual({ "d:error->stop": 1, "d.spent": 1, "do.left": 2 });
    expect(marked(fired(escaped, "stop"))).toEqual({ "stop.end": 1, "do.left": 2 });
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D7.1] budget 0 is compiled without the fail arc", () => {
    const definition = workflow(
      [gate("m"), verifier("v"), decision("d", ["m", "v"], 0), human("h"), end()],
      arcs(ways, "d:pass -> e, d:exhausted -> h, h -> e"),
    );
    const net = netOf(definition);
    expect(net.transitions.some(({ origin }) => origin?.outcome === "fail")).toBe(false);
    expect(net.places.some(({ id }) => id === "d:fail->m")).toBe(false);
    expect(isSound(net)).toBe(true);
    expect(soundnessOf(net).dead).toEqual([]);
    const one = workflow([...core, human("h"), end()], arcs(ways, "d:pass -> e, d:exhausted -> h, h -> e"));
    expect(netOf(one).places.some(({ id }) => id === "d:fail->m")).toBe(true);
  });
});
