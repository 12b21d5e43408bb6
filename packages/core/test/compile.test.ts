import { describe, expect, it } from "vitest";
import { type CompiledWorkflow, compile, compileWorkflow } from "../src/compile.ts";
import { type KindSpec, kindTable } from "../src/kinds.ts";
import { markedPlaces } from "../src/marking.ts";
import type { Net } from "../src/net.ts";
import type { WorkflowDefinition } from "../src/workflow.ts";
import { arc, node, SMALL_KINDS, workflow } from "./small-kinds.ts";

function compiled(definition: WorkflowDefinition, kinds = SMALL_KINDS): CompiledWorkflow {
  const result = compileWorkflow(definition, kinds);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

const placeIds = (net: Net) => net.places.map(({ id }) => id);
const named = (net: Net, indices: readonly number[]) => indices.map((index) => net.places[index]?.id);

const boxed = workflow(
  [
    node("a"),
    node("b", { meta: { entry: "c" } }),
    node("c", { scope: "b" }),
    node("b2", { scope: "b", meta: { entry: "p" } }),
    node("p", { scope: "b2" }),
    node("e3", { scope: "b2" }),
    node("e2", { scope: "b", meta: { terminate: true } }),
    node("e"),
    node("e0", { meta: { terminate: true } }),
  ],
  [arc("a -> b"), arc("c -> b2"), arc("p -> e3"), arc("b2 -> e2"), arc("b -> e"), arc("a:error -> e0")],
);

describe("[D2.3] compilation", () => {
  it("[D2.3] [C20-06] one place an arc, a source, an end place an end, and one token on the source", () => {
    const { net, graph, kinds, definition } = compiled(
      workflow([node("a"), node("p"), node("e")], [arc("a -> p"), arc("p -> e"), arc("a:error -> e")]),
    );
    expect(net.places).toEqual([
      { id: "source", role: "control", origin: { kind: "source", scope: null } },
      { id: "a->p", role: "control", origin: { kind: "arc", arc: 0 } },
      { id: "p->e", role: "control", origin: { kind: "arc", arc: 1 } },
      { id: "a:error->e", role: "control", origin: { kind: "arc", arc: 2 } },
      { id: "p.active", role: "control", origin: { kind: "rest", node: 1 } },
      { id: "e.end", role: "control", origin: { kind: "end", node: 2 } },
    ]);
    expect(net.transitions.map(({ id }) => id)).toEqual([
      "a:done",
      "a:error",
      "p.start",
      "p:done",
      "e.step",
      "e.step#2",
    ]);
    expect(net.transitions[1]).toEqual({
      id: "a:error",
      pre: [[0, 1]],
      any: [],
      post: [[3, 1]],
      reset: [],
      origin: { node: 0, phase: "step", consumed: [], outcome: "error", chosen: [2] },
    });
    expect(markedPlaces(net, net.initial)).toEqual({ source: 1 });
    expect(net.finals).toEqual({ kind: "ends", ends: [5] });
    expect(kinds.map(({ name }) => name)).toEqual(["task", "pause", "end"]);
    expect(graph.definition).toBe(definition);
  });

  it("[D2.3] an entry with arcs into it takes from the source and from the arcs", () => {
    const { net } = compiled(workflow([node("a"), node("e")], [arc("a:error -> a"), arc("a -> e")]));
    const steps = net.transitions.filter(({ origin }) => origin?.node === 0);
    expect(
      steps.map(({ pre, origin }) => [
        named(
          net,
          pre.map(([p]) => p),
        ),
        origin?.consumed,
      ]),
    ).toEqual([
      [["source"], []],
      [["a:error->a"], [0]],
      [["source"], []],
      [["a:error->a"], [0]],
    ]);
  });

  it("[D2.3] a subprocess has its own source and ends; only ends of the top level are final", () => {
    const { net } = compiled(boxed);
    expect(placeIds(net)).toEqual([
      "source",
      "a->b",
      "c->b2",
      "p->e3",
      "b2->e2",
      "b->e",
      "a:error->e0",
      "b.source",
      "e2.end",
      "b2.source",
      "e3.end",
      "p.active",
      "e.end",
      "e0.end",
    ]);
    expect(net.places[7]?.origin).toEqual({ kind: "source", scope: 1 });
    expect(named(net, net.finals.kind === "ends" ? net.finals.ends : [])).toEqual(["e.end", "e0.end"]);
    const enter = net.transitions.find(({ id }) => id === "b.enter");
    const inner = net.transitions.find(({ origin }) => origin?.node === 2);
    expect(named(net, enter?.post.map(([p]) => p) ?? [])).toEqual(["b.source"]);
    expect(named(net, inner?.pre.map(([p]) => p) ?? [])).toEqual(["b.source"]);
  });

  it("[D2.3] a reset takes in its scope with the scopes inside, but not the scope's own ends", () => {
    const { net } = compiled(boxed);
    const resetOf = (end: string) =>
      named(net, net.transitions.find(({ id }) => id === `${end}.step`)?.reset ?? []);
    expect(resetOf("e2")).toEqual([
      "c->b2",
      "p->e3",
      "b2->e2",
      "b.source",
      "b2.source",
      "e3.end",
      "p.active",
    ]);
    const all = placeIds(net).filter((id) => id !== "e.end" && id !== "e0.end");
    expect(resetOf("e0")).toEqual(all);
    expect(resetOf("e")).toEqual([]);
  });

  it("[D2.3] arcs that a kind omits have no place", () => {
    const task = SMALL_KINDS.get("task") as KindSpec;
    const omits: KindSpec["omits"] = ({ id }, { outcome }) => id === "a" && outcome === "error";
    const kinds = kindTable([{ ...task, omits }], SMALL_KINDS);
    const { net } = compiled(
      workflow([node("a"), node("c"), node("e")], [arc("a:error -> e"), arc("a -> c"), arc("c:error -> e")]),
      kinds,
    );
    expect(placeIds(net)).toEqual(["source", "a->c", "c:error->e", "e.end"]);
    expect(net.transitions.map(({ id }) => id)).toEqual(["a:done", "c:error", "e.step"]);
  });

  it("[D2.3] two arcs, nodes and outcomes that ask for one id get two places and two transitions", () => {
    const guard = { key: "k", op: "is", value: 1 } as const;
    const parallel = compiled(workflow([node("a"), node("e")], [arc("a -> e"), arc("a -> e", { guard })]));
    expect(placeIds(parallel.net)).toEqual(["source", "a->e", "a->e#2", "e.end"]);
    // The rest place of p->x is called as the arc from p to x.active.
    const nodes = [node("p"), node("p->x"), { id: "x.active", kind: "task" }, node("e")];
    const clash = compiled(
      workflow(nodes, [
        { from: "p", to: "x.active" },
        { from: "x.active", to: "p->x" },
        { from: "p->x", to: "e" },
      ]),
    );
    const ids = placeIds(clash.net);
    expect(ids).toContain("p->x.active");
    expect(ids).toContain("p->x.active#2");
    expect(new Set(ids).size).toBe(ids.length);
    expect(clash.net.places.filter(({ origin }) => origin?.kind === "rest")).toHaveLength(2);
  });

  it("[D2.3] rewrites see every transition, in document order of their nodes, and may use places of their own", () => {
    const task = SMALL_KINDS.get("task") as KindSpec;
    const rewrite: KindSpec["rewrite"] = (of, b) => {
      const place = b.place(`${of.id}.left`, { kind: "left", node: b.index }, "counter");
      return (t) =>
        t.origin.node === 2 ? [{ ...t, id: `${t.id}${of.id}`, post: [...t.post, [place, 1]] }] : [t];
    };
    const { net, graph } = compiled(
      workflow([node("a"), node("c"), node("e")], [arc("a -> c"), arc("c -> e")]),
      kindTable([{ ...task, rewrite }], SMALL_KINDS),
    );
    expect(graph.definition.nodes).toHaveLength(3);
    const end = net.transitions.at(-1);
    expect(end?.id).toBe("e.stepac");
    expect(named(net, end?.post.map(([p]) => p) ?? [])).toEqual(["e.end", "a.left", "c.left"]);
    expect(net.places.at(-1)).toEqual({ id: "c.left", role: "counter", origin: { kind: "left", node: 1 } });
  });

  it("[D2.3] a rewrite may drop and multiply transitions", () => {
    const task = SMALL_KINDS.get("task") as KindSpec;
    const rewrite: KindSpec["rewrite"] = () => (t) => (t.origin.phase === "finish" ? [] : [t, t]);
    const { net } = compiled(
      workflow([node("p"), node("a"), node("e")], [arc("p -> a"), arc("a -> e")]),
      kindTable([{ ...task, rewrite }], SMALL_KINDS),
    );
    expect(net.transitions.map(({ id }) => id)).toEqual([
      "p.start",
      "p.start#2",
      "a:done",
      "a:done#2",
      "e.step",
      "e.step#2",
    ]);
  });

  it("[D2.3] an issue of the graph refuses, all at once; a warning does not", () => {
    const result = compile(workflow([node("a"), node("a")], [arc("a -> x")]), SMALL_KINDS);
    expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual(["WF002", "WF006", "WF011"]);
    const tagged = workflow([node("a"), node("e")], [arc("a -> e")], { facet: "hybrid" });
    expect(compile(tagged, SMALL_KINDS).ok).toBe(true);
  });

  it("[D2.3] [D2.4] compiles either form of definition", () => {
    const net = compile({ format: 1, kind: "net", id: "n", places: [], transitions: [] }, SMALL_KINDS);
    expect(net.ok && net.value.kind).toBe("net");
    expect(compile(boxed, SMALL_KINDS)).toEqual({
      ok: true,
      value: expect.objectContaining({ kind: "workflow" }),
    });
  });
});
