import type { WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { explore, isSound } from "./explore.ts";
import {
  arcs,
  enabledMoves,
  fired,
  issuesOf,
  marked,
  netOf,
  node,
  playOf,
  workflow,
} from "./workflow-text.ts";

const gate = (id: string, change: Partial<WorkflowNode> = {}) => node(id, "gateway", change);
const human = (id: string, change: Partial<WorkflowNode> = {}) => node(id, "human", change);
const end = (id: string, change: Partial<WorkflowNode> = {}) => node(id, "end", change);
const box = (id: string, entry: string, change: Partial<WorkflowNode> = {}) =>
  node(id, "subprocess", { meta: { entry }, ...change });
const start = (id: string) => ({ node: id, phase: "start" }) as const;
const finish = (id: string) => ({ node: id, phase: "finish" }) as const;

describe("[D6.7] embedded subprocesses", () => {
  it("[D6.7] enter marks the inner source; leave takes the inner end and goes on under its label", () => {
    const labels = { meta: { entry: "h", outcomes: ["yes", "no"] } };
    const definition = workflow(
      [
        node("b", "subprocess", labels),
        human("h", { scope: "b", meta: { outcomes: ["a", "c"] } }),
        end("y", { scope: "b", meta: { outcome: "yes" } }),
        end("n", { scope: "b", meta: { outcome: "no" } }),
        end("e"),
        end("f"),
      ],
      arcs("b:yes -> e, b:no -> f, h:a -> y, h:c -> n"),
    );
    const inside = fired(playOf(definition), { node: "b", phase: "enter" });
    expect(marked(inside)).toEqual({ "b.source": 1 });
    const yes = fired(inside, start("h"), { node: "h", outcome: "a" }, "y");
    expect(marked(yes)).toEqual({ "y.end": 1 });
    expect(enabledMoves(yes, { node: "b" })).toHaveLength(1);
    expect(marked(fired(yes, { node: "b", phase: "leave", outcome: "yes" }, "e"))).toEqual({ "e.end": 1 });
    const no = fired(inside, start("h"), { node: "h", outcome: "c" }, "n", {
      node: "b",
      phase: "leave",
      outcome: "no",
    });
    expect(marked(no)).toEqual({ "b:no->f": 1 });
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D6.7] has a transition for each way in, each inner end and each way out", () => {
    const definition = workflow(
      [
        gate("g"),
        box("b", "x", { split: "first" }),
        gate("x", { scope: "b" }),
        end("y", { scope: "b" }),
        end("z", { scope: "b" }),
        end("e"),
        end("f"),
      ],
      arcs("g -> b, b -> b, b -> e, b -> f, x -> y, x -> z"),
    );
    const net = netOf(definition);
    expect(
      net.transitions
        .filter(({ origin }) => origin?.node === 1)
        .map(({ id, origin }) => [id, origin?.outcome, origin?.consumed]),
    ).toEqual([
      ["b.enter<0", undefined, [0]],
      ["b.enter<1", undefined, [1]],
      ["b.leave:done>1<y", "done", []],
      ["b.leave:done>2<y", "done", []],
      ["b.leave:done>3<y", "done", []],
      ["b.leave:done>1<z", "done", []],
      ["b.leave:done>2<z", "done", []],
      ["b.leave:done>3<z", "done", []],
    ]);
    expect(isSound(net)).toBe(true);
  });

  it("[D6.7] [D6.2] an OR split on a label that two inner ends share has one chain", () => {
    const definition = workflow(
      [
        box("b", "x", { split: "or" }),
        gate("x", { scope: "b" }),
        end("y", { scope: "b" }),
        end("z", { scope: "b" }),
        human("a"),
        human("c"),
        gate("j", { join: "or" }),
        end("e"),
      ],
      arcs("b -> a, b -> c, a -> j, c -> j, j -> e, x -> y, x -> z"),
    );
    expect(issuesOf(definition)).toEqual([]);
    const net = netOf(definition);
    expect(net.transitions.filter(({ origin }) => origin?.phase === "take")).toHaveLength(3);
    expect(net.transitions.filter(({ origin }) => origin?.phase === "leave")).toHaveLength(2);
    expect(isSound(net)).toBe(true);
  });

  it("[D6.7] two subprocesses side by side, and one inside another, do not mix their tokens", () => {
    const definition = workflow(
      [
        gate("s", { split: "all" }),
        box("b", "c"),
        box("c", "h", { scope: "b" }),
        human("h", { scope: "c" }),
        end("hc", { scope: "c" }),
        end("hb", { scope: "b" }),
        box("d", "k"),
        human("k", { scope: "d" }),
        end("kd", { scope: "d" }),
        gate("j", { join: "all" }),
        end("e"),
      ],
      arcs("s -> b, s -> d, h -> hc, c -> hb, k -> kd, b -> j, d -> j, j -> e"),
    );
    const both = fired(playOf(definition), "s", "b", "c", start("h"), "d", start("k"));
    expect(marked(both)).toEqual({ "h.active": 1, "k.active": 1 });
    expect(marked(fired(both, finish("h"), "hc", "c", "hb", "b"))).toEqual({ "k.active": 1, "b->j": 1 });
    expect(isSound(netOf(definition))).toBe(true);
  });
});

describe("[D6.6] [D6.7] a terminate end inside a subprocess", () => {
  /** BR-077: four people in parallel, two of them in a subprocess whose other branch may end it. */
  const definition = workflow(
    [
      gate("s", { split: "all" }),
      human("a"),
      human("b"),
      box("x", "xs"),
      gate("xs", { scope: "x", split: "all" }),
      human("c", { scope: "x" }),
      box("y", "d", { scope: "x" }),
      human("d", { scope: "y" }),
      end("dy", { scope: "y" }),
      human("t", { scope: "x", meta: { outcomes: ["stop", "go"] } }),
      gate("xj", { scope: "x", join: "all" }),
      end("xe", { scope: "x" }),
      end("stop", { scope: "x", meta: { terminate: true } }),
      gate("j", { join: "all" }),
      end("e"),
    ],
    arcs(
      "s -> a, s -> b, s -> x, a -> j, b -> j, x -> j, j -> e",
      "xs -> c, xs -> y, xs -> t, c -> xj, y -> xj, t:go -> xj, xj -> xe, d -> dy, t:stop -> stop",
    ),
  );
  const all = fired(
    playOf(definition),
    "s",
    start("a"),
    start("b"),
    "x",
    "xs",
    start("c"),
    "y",
    start("d"),
    start("t"),
  );

  it("[D6.6] [D6.7] BR-077 takes exactly the tokens of its scope, nested ones too, and leaves the others", () => {
    expect(marked(all)).toEqual({
      "a.active": 1,
      "b.active": 1,
      "c.active": 1,
      "d.active": 1,
      "t.active": 1,
    });
    const stopping = fired(all, { node: "t", outcome: "stop" });
    const stopped = fired(stopping, "stop");
    expect(marked(stopped)).toEqual({ "a.active": 1, "b.active": 1, "stop.end": 1 });
    const left = fired(stopped, "x");
    expect(marked(left)).toEqual({ "a.active": 1, "b.active": 1, "x->j": 1 });
    expect(marked(fired(left, finish("b"), finish("a"), "j", "e"))).toEqual({ "e.end": 1 });
  });

  it("[D6.6] [D6.7] the scope completes also without it, and the whole is sound", () => {
    const going = fired(
      all,
      { node: "t", outcome: "go" },
      finish("d"),
      "dy",
      "y",
      finish("c"),
      "xj",
      "xe",
      "x",
    );
    expect(marked(going)).toEqual({ "a.active": 1, "b.active": 1, "x->j": 1 });
    expect(isSound(netOf(definition))).toBe(true);
  });

  it("[D6.6] after it nothing of the scope is marked but its own end, in every reachable marking", () => {
    const net = netOf(definition);
    const stop = net.transitions.findIndex(({ id }) => id.startsWith("stop.step"));
    const inner = net.places.flatMap(({ id }, place) =>
      /^(?:x\.source|xs->|c\W|y\W|d\W|t\W|dy\.|xj->)/u.test(id) ? [place] : [],
    );
    expect(new Set(net.transitions[stop]?.reset)).toEqual(new Set(inner));
    const space = explore(net);
    const after = space.edges.filter(({ t }) => t === stop).map(({ to }) => space.markings.get(to) ?? []);
    expect(after.length).toBeGreaterThan(10);
    for (const marking of after) for (const place of inner) expect(marking[place]).toBe(0);
  });

  it("[D6.6] at top level it ends the subprocesses with the rest", () => {
    const outer = workflow(
      [
        gate("s", { split: "all" }),
        human("t"),
        box("x", "h"),
        human("h", { scope: "x" }),
        end("xe", { scope: "x" }),
        end("stop", { meta: { terminate: true } }),
        end("e"),
      ],
      arcs("s -> t, s -> x, t -> stop, h -> xe, x -> e"),
    );
    const both = fired(playOf(outer), "s", start("t"), "x", start("h"), finish("t"), "stop");
    expect(marked(both)).toEqual({ "stop.end": 1 });
    const late = fired(
      playOf(outer),
      "s",
      "x",
      start("h"),
      finish("h"),
      "xe",
      "x",
      "e",
      start("t"),
      finish("t"),
      "stop",
    );
    expect(marked(late)).toEqual({ "stop.end": 1, "e.end": 1 });
    expect(isSound(netOf(outer))).toBe(true);
  });
});

describe("[D6.4] [D6.5] fragments", () => {
  it("[D6.4] an automatic node has one transition for each way in, outcome and way out", () => {
    const definition = workflow(
      [gate("g"), node("t", "transform"), end("e"), end("f")],
      arcs("g -> t, t:error -> t, t -> e, t -> f, t:error -> f"),
    );
    const net = netOf(definition);
    expect(
      net.transitions.filter(({ origin }) => origin?.node === 1).map(({ id, origin }) => [id, origin?.phase]),
    ).toEqual([
      ["t.step<0:done>2", "step"],
      ["t.step<0:done>3", "step"],
      ["t.step<0:error>1", "step"],
      ["t.step<0:error>4", "step"],
      ["t.step<1:done>2", "step"],
      ["t.step<1:done>3", "step"],
      ["t.step<1:error>1", "step"],
      ["t.step<1:error>4", "step"],
    ]);
  });

  it("[D6.5] a node that waits comes to rest, and leaves under each outcome", () => {
    const definition = workflow(
      [gate("g"), human("h", { meta: { outcomes: ["yes", "no"] } }), end("e"), end("f")],
      arcs("g -> h, h:no -> h, h:yes -> e, h:yes -> f"),
    );
    const net = netOf(definition);
    const rest = net.places.findIndex(({ id }) => id === "h.active");
    expect(net.places[rest]).toEqual({ id: "h.active", role: "control", origin: { kind: "rest", node: 1 } });
    const own = net.transitions.filter(({ origin }) => origin?.node === 1);
    expect(
      own.map(({ id, pre, post, origin }) => [
        id,
        pre[0]?.[0] === rest,
        post[0]?.[0] === rest,
        origin?.phase,
        origin?.outcome,
      ]),
    ).toEqual([
      ["h.start<0", false, true, "start", undefined],
      ["h.start<1", false, true, "start", undefined],
      ["h.finish:yes>2", true, false, "finish", "yes"],
      ["h.finish:yes>3", true, false, "finish", "yes"],
      ["h.finish:no>1", true, false, "finish", "no"],
    ]);
    expect(
      own.every(({ any, reset, generated }) => any.length + reset.length === 0 && generated === undefined),
    ).toBe(true);
  });
});
