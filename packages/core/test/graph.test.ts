import { describe, expect, it } from "vitest";
import { entryOf, graphIssues, indexGraph, nodeOf, scopesOf } from "../src/graph.ts";
import { issue } from "../src/issue.ts";
import { CODES } from "../src/issue-codes.ts";
import { type KindSpec, type KindTable, kindTable } from "../src/kinds.ts";
import type { WorkflowDefinition } from "../src/workflow.ts";
import { arc, node, SMALL_KINDS, workflow } from "./small-kinds.ts";

const issuesOf = (definition: WorkflowDefinition, kinds: KindTable = SMALL_KINDS) =>
  graphIssues(indexGraph(definition), kinds);
/** `CODE path` of each issue. */
const shortly = (definition: WorkflowDefinition, kinds: KindTable = SMALL_KINDS) =>
  issuesOf(definition, kinds).map(({ code, path }) => `${code} ${path.join(".")}`);

const good = workflow([node("a"), node("p"), node("e")], [arc("a -> p"), arc("p -> e"), arc("a:error -> e")]);
const withArc = (...arcs: Parameters<typeof arc>[]) =>
  workflow(good.nodes, [...good.arcs, ...arcs.map((args) => arc(...args))]);

describe("[D2.1] well-formed graphs", () => {
  it("[D2.1] [C20-02] have no issue", () => {
    expect(issuesOf(good)).toEqual([]);
  });

  it("[D2.1] [C20-06] WF001 the entry is a merging node of the top level", () => {
    expect(shortly({ ...good, entry: "x" })).toEqual(["WF001 entry"]);
    const joined = workflow([node("a", { join: "all" }), node("e")], [arc("a -> e")]);
    expect(shortly(joined)).toEqual(["WF001 entry"]);
    expect(shortly(workflow([node("a", { join: "any" }), node("e")], [arc("a -> e")]))).toEqual([]);
    const inner = workflow(
      [node("a", { scope: "b", join: "or" }), node("b", { meta: { entry: "a" } }), node("e")],
      [arc("b -> e")],
    );
    expect(shortly(inner).filter((text) => text === "WF001 entry")).toHaveLength(2);
  });

  it("[D2.1] WF002 ids are unique", () => {
    expect(shortly(workflow([...good.nodes, node("p")], good.arcs))).toEqual(["WF002 nodes.3.id"]);
  });

  it("[D2.1] [C20-04] WF003 kinds are registered, and a further kind can be", () => {
    const strange = workflow(
      [node("a"), node("s", { kind: "seal" }), node("e")],
      [arc("a -> s"), arc("s -> e")],
    );
    expect(shortly(strange)).toEqual(["WF003 nodes.1.kind"]);
    expect(issuesOf(strange)[0]?.facts).toEqual({ known: ["task", "pause", "end", "box"] });
    const task = SMALL_KINDS.get("task") as KindSpec;
    expect(issuesOf(strange, kindTable([{ ...task, name: "seal" }], SMALL_KINDS))).toEqual([]);
  });

  it("[D2.1] WF004 a scope is an embedded subprocess and contains nothing twice", () => {
    const inside = (scope: string, boxScope?: string) =>
      workflow(
        [
          node("a"),
          node("b", { meta: { entry: "c" }, ...(boxScope === undefined ? {} : { scope: boxScope }) }),
          node("c", { scope }),
          node("e"),
        ],
        [arc("a -> b"), arc("b -> e")],
      );
    expect(shortly(inside("b"))).toEqual([]);
    expect(shortly(inside("x"))).toContain("WF004 nodes.2.scope");
    expect(shortly(inside("a"))).toContain("WF004 nodes.2.scope");
    const own = shortly(inside("b", "b"));
    expect(own.filter((text) => text.startsWith("WF004"))).toEqual([
      "WF004 nodes.1.scope",
      "WF004 nodes.2.scope",
    ]);
    const ring = workflow(
      [
        node("a"),
        node("b", { scope: "b2", meta: { entry: "b2" } }),
        node("b2", { scope: "b", meta: { entry: "b" } }),
        node("e"),
      ],
      [arc("a -> e")],
    );
    expect(shortly(ring).filter((text) => text.startsWith("WF004"))).toEqual([
      "WF004 nodes.1.scope",
      "WF004 nodes.2.scope",
    ]);
  });

  it("[D2.1] WF004 says nothing of a scope whose kind is unknown: WF003 does", () => {
    const strange = workflow(
      [node("a"), node("s", { kind: "seal", meta: { entry: "c" } }), node("c", { scope: "s" }), node("e")],
      [arc("a -> s"), arc("s -> e")],
    );
    expect(shortly(strange)).toEqual(["WF003 nodes.1.kind"]);
  });

  it("[D2.1] WF005 labels of arcs and splits lie in the alphabet", () => {
    expect(shortly(withArc(["p:error -> e"]))).toEqual(["WF005 arcs.3.outcome"]);
    expect(issuesOf(withArc(["p:error -> e"]))[0]?.facts).toEqual({ alphabet: ["done"] });
    const split = (value: NonNullable<ReturnType<typeof node>["split"]>) =>
      workflow([node("a", { split: value }), ...good.nodes.slice(1)], good.arcs);
    expect(shortly(split({ done: "all", maybe: "or" }))).toEqual(["WF005 nodes.0.split.maybe"]);
    expect(shortly(split("all"))).toEqual([]);
  });

  it("[D2.1] [C20-02] WF006 arcs start and end at nodes", () => {
    expect(shortly(withArc(["x -> y"]))).toEqual(["WF006 arcs.3.from", "WF006 arcs.3.to"]);
    expect(shortly(withArc(["a -> y"]))).toEqual(["WF006 arcs.3.to"]);
    expect(shortly(withArc(["x -> e"]))).toEqual(["WF006 arcs.3.from"]);
  });

  it("[D2.1] WF007 no arc stands twice; another guard, outcome or end makes another arc", () => {
    expect(shortly(withArc(["p -> e"]))).toEqual(["WF007 arcs.3"]);
    expect(shortly(withArc(["p:done -> e"]))).toEqual(["WF007 arcs.3"]);
    const guard = { key: "k", op: "is", value: 1 } as const;
    expect(shortly(withArc(["p -> e", { guard }]))).toEqual([]);
    expect(shortly(withArc(["a -> e"]))).toEqual([]);
    expect(shortly(withArc(["p -> e", { guard }], ["p -> e", { guard }]))).toEqual(["WF007 arcs.4"]);
  });

  it("[D2.1] WF008 one default for each outcome of a node", () => {
    const fallback = { default: true } as const;
    expect(shortly(withArc(["a -> e", fallback]))).toEqual([]);
    expect(shortly(withArc(["a:error -> p", fallback], ["a -> e", fallback]))).toEqual([]);
    expect(shortly(withArc(["a -> e", fallback], ["a -> a", fallback]))).toEqual(["WF008 arcs.4.default"]);
  });

  it("[D2.1] WF009 no arc crosses the border of a subprocess", () => {
    const crossing = workflow(
      [
        node("a"),
        node("b", { meta: { entry: "c" } }),
        node("c", { scope: "b" }),
        node("e"),
        node("e2", { scope: "b" }),
      ],
      [arc("a -> b"), arc("b -> e"), arc("c -> e2"), arc("c:error -> e"), arc("a:error -> e2")],
    );
    expect(shortly(crossing)).toEqual(["WF009 arcs.3", "WF009 arcs.4"]);
    expect(issuesOf(crossing).map(({ facts }) => facts)).toEqual([
      { fromScope: "b", toScope: null },
      { fromScope: null, toScope: "b" },
    ]);
  });

  it("[D2.1] WF010 the entry reaches every node, over arcs and into subprocesses", () => {
    const lonely = workflow([...good.nodes, node("x"), node("y")], [...good.arcs, arc("x -> y")]);
    expect(shortly(lonely)).toEqual(["WF010 nodes.3", "WF010 nodes.4"]);
    const inner = (entry: string) =>
      workflow(
        [node("a"), node("b", { meta: { entry } }), node("c", { scope: "b" }), node("e")],
        [arc("a -> b"), arc("b -> e")],
      );
    expect(shortly(inner("c"))).toEqual([]);
    expect(shortly(inner("e"))).toEqual(["WF010 nodes.2"]);
    expect(shortly(inner("x"))).toEqual(["WF010 nodes.2"]);
  });

  it("[D2.1] WF011 there is an end at top level", () => {
    expect(shortly(workflow([node("a"), node("p")], [arc("a -> p")]))).toEqual(["WF011 nodes"]);
    const inside = workflow(
      [node("a"), node("b", { meta: { entry: "e" } }), node("e", { scope: "b" })],
      [arc("a -> b")],
    );
    expect(shortly(inside)).toEqual(["WF011 nodes"]);
  });

  it("[D2.1] WF012 a guard or default that nothing would ask is an issue", () => {
    const guard = { key: "k", op: "is", value: 1 } as const;
    const split = (...arcs: Parameters<typeof arc>[]) =>
      workflow(
        [node("a", { split: { done: "all" } }), node("p"), node("e")],
        [arc("p -> e"), ...arcs.map((args) => arc(...args))],
      );
    expect(shortly(split(["a -> p"], ["a -> e"]))).toEqual([]);
    expect(shortly(split(["a -> p", { guard }], ["a -> e", { default: true }]))).toEqual([
      "WF012 arcs.1.guard",
      "WF012 arcs.2.default",
    ]);
    expect(shortly(split(["a -> p"], ["a:error -> e", { guard }]))).toEqual([]);
    expect(shortly(withArc(["a -> e", { guard, default: true }]))).toEqual(["WF012 arcs.3.guard"]);
    expect(shortly(withArc(["a -> e", { guard }]))).toEqual([]);
  });

  it("[D2.1] WF013 a stated facet that the nodes do not have is a warning", () => {
    expect(shortly({ ...good, facet: "process" })).toEqual([]);
    expect(issuesOf({ ...good, facet: "agentic" })).toMatchObject([
      { code: "WF013", severity: "warning", facts: { stated: "agentic", computed: "process" } },
    ]);
  });

  it("[D2.1] [C20-05] what a kind says of its node comes with the path of the node", () => {
    const strict: KindSpec = {
      ...(SMALL_KINDS.get("task") as KindSpec),
      validate: ({ id }, graph) => [issue("KIND001", ["meta", "x"], `${id} of ${graph.definition.id}`)],
    };
    const found = issuesOf(good, kindTable([strict], SMALL_KINDS));
    expect(found).toEqual([issue("KIND001", ["nodes", 0, "meta", "x"], "a of w")]);
  });

  it("[D2.1] every problem is reported at once, in document order", () => {
    const everything = workflow(
      [
        node("a", { join: "all", split: { maybe: "or" } }),
        node("a"),
        node("s", { kind: "seal" }),
        node("c", { scope: "x" }),
      ],
      [
        arc("a -> x"),
        arc("a:never -> s"),
        arc("a:never -> s"),
        arc("a -> c", { default: true }),
        arc("a -> s", { default: true }),
      ],
      { facet: "hybrid" },
    );
    expect(shortly(everything)).toEqual([
      "WF001 entry",
      "WF005 nodes.0.split.maybe",
      "WF002 nodes.1.id",
      "WF003 nodes.2.kind",
      "WF004 nodes.3.scope",
      "WF006 arcs.0.to",
      "WF005 arcs.1.outcome",
      "WF005 arcs.2.outcome",
      "WF007 arcs.2",
      "WF009 arcs.3",
      "WF008 arcs.4.default",
      "WF011 nodes",
      "WF013 facet",
    ]);
    const known = new Set(Object.keys(CODES));
    for (const { code, message } of issuesOf(everything)) {
      expect(known.has(code)).toBe(true);
      expect(message).not.toBe("");
    }
  });
});

describe("[D20.2] the index of a graph", () => {
  const nested = workflow(
    [
      node("a"),
      node("b", { meta: { entry: "b2" } }),
      node("b2", { scope: "b", meta: { entry: "c" } }),
      node("c", { scope: "b2" }),
      node("e"),
    ],
    [arc("a -> b"), arc("b -> e"), arc("x -> e"), arc("a:error -> e")],
  );
  const graph = indexGraph(nested);

  it("[D20.2] knows nodes by id and arcs by end, in document order, without arcs to nowhere", () => {
    expect([...graph.nodeIndex]).toEqual([
      ["a", 0],
      ["b", 1],
      ["b2", 2],
      ["c", 3],
      ["e", 4],
    ]);
    expect(graph.outgoing).toEqual([[0, 3], [1], [], [], []]);
    expect(graph.incoming).toEqual([[], [0], [], [], [1, 3]]);
    expect(nodeOf(graph, "b2")).toBe(nested.nodes[2]);
    expect(nodeOf(graph, "x")).toBeUndefined();
    const twice = indexGraph(workflow([node("a"), node("a")], []));
    expect(twice.nodeIndex.get("a")).toBe(0);
  });

  it("[D20.2] knows the scopes around a node, innermost first, and ends on a ring", () => {
    const scopes = (id: string) => scopesOf(graph, nodeOf(graph, id) ?? node("?"));
    expect(scopes("c")).toEqual(["b2", "b"]);
    expect(scopes("b2")).toEqual(["b"]);
    expect(scopes("a")).toEqual([]);
    const ring = indexGraph(workflow([node("b", { scope: "b2" }), node("b2", { scope: "b" })], []));
    expect(scopesOf(ring, node("c", { scope: "b" }))).toEqual(["b", "b2"]);
  });

  it("[D20.2] [C20-06] knows the entry of the workflow and of each scope", () => {
    expect(entryOf(graph, undefined)).toBe("a");
    expect(entryOf(graph, "b")).toBe("b2");
    expect(entryOf(graph, "b2")).toBe("c");
    expect(entryOf(graph, "a")).toBeUndefined();
    expect(entryOf(graph, "x")).toBeUndefined();
    const odd = indexGraph(workflow([node("b", { meta: { entry: 3 } })], []));
    expect(entryOf(odd, "b")).toBeUndefined();
  });
});
