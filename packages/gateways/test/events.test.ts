import type { JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { CODES, eventsOf, isEventLabel, multiOf, STANDARD_KINDS, thrownBy } from "../src/index.ts";
import { arcs, fired, issuesOf, marked, netOf, node, playOf, workflow } from "./workflow-text.ts";

const late: JsonObject = { id: "late", on: "timer", duration: "P1D" };
const remind: JsonObject = { id: "remind", on: "timer", duration: "PT1H", interrupting: false };
const recall: JsonObject = {
  id: "recall",
  on: "message",
  name: "recalled",
  key: "order",
  payload: { why: "w" },
};
const task = (events: readonly JsonObject[], kind = "human", more: JsonObject = {}) =>
  node("n", kind, { meta: { ...more, events: [...events] } });
const around = (n: ReturnType<typeof node>) => {
  const labels = STANDARD_KINDS.get(n.kind)?.alphabet(n) ?? [];
  return workflow(
    [node("g", "gateway"), n, node("e", "end")],
    [...arcs("g -> n, g -> e"), ...labels.map((outcome) => ({ from: "n", to: "e", outcome }))],
  );
};
const codes = (n: ReturnType<typeof node>) =>
  issuesOf(around(n)).map((text) => text.replace("nodes.1.meta.", ""));

describe("[D17.1] events of a node", () => {
  it("[D17.1] are labels of O(n), with error where D is read or written", () => {
    const alphabet = (kind: string, events: readonly JsonObject[], more: JsonObject = {}) =>
      STANDARD_KINDS.get(kind)?.alphabet(task(events, kind, more));
    expect(alphabet("human", [late, remind])).toEqual(["done", "late", "remind"]);
    expect(alphabet("human", [recall], { deadline: "P3D" })).toEqual(["done", "recall", "error", "expired"]);
    expect(alphabet("collect", [late], { form: {} })).toEqual(["done", "late"]);
    expect(alphabet("tool", [late])).toEqual(["done", "late", "error"]);
    expect(alphabet("subprocess", [late], { workflow: "w" })).toEqual(["done", "late", "error", "cancelled"]);
    expect(alphabet("catch", [late, { id: "go", on: "signal", name: "go" }])).toEqual(["late", "go"]);
    expect(alphabet("catch", [{ id: "t", on: "timer", key: "when" }])).toEqual(["t", "error"]);
    const handled = { ...recall, interrupting: false, workflow: "h" };
    expect(alphabet("human", [handled])).toEqual(["done", "error"]);
  });

  it("[D17.1] read with their defaults; what is malformed is left out and reported", () => {
    expect(eventsOf(task([{ ...recall, interrupting: false, workflow: "h" }, { id: 3 } as never]))).toEqual([
      {
        id: "recall",
        on: "message",
        isInterrupting: false,
        time: null,
        name: "recalled",
        key: "order",
        payload: { why: "w" },
        handler: { workflow: "h", inputs: {}, outputs: {}, openMax: 16 },
      },
    ]);
    expect(isEventLabel(task([late]), "late")).toBe(true);
    expect(isEventLabel(task([late]), "done")).toBe(false);
  });

  const wrong: readonly (readonly [string, JsonObject, string])[] = [
    ["no id", { on: "timer", date: "2026-01-01" }, "KIND009 events.0"],
    ["a type that there is not", { id: "x", on: "mood" }, "KIND009 events.0.on"],
    ["an escalation at a task", { id: "x", on: "escalation", name: "e" }, "KIND009 events.0.on"],
    ["two times", { ...late, date: "2026-01-01" }, "KIND009 events.0"],
    ["no time", { id: "x", on: "timer" }, "KIND009 events.0"],
    ["no name", { id: "x", on: "message" }, "KIND009 events.0"],
    ["a member of another type", { ...late, name: "n" }, "KIND009 events.0.name"],
    ["a member of the wrong type", { ...recall, key: 3 }, "KIND009 events.0.key"],
    ["a handler of an interrupting event", { ...recall, workflow: "w" }, "KIND009 events.0.workflow"],
    ["a cycle along arcs", { ...remind, duration: "", cycle: "R3/PT1H" }, "KIND009 events.0"],
  ];
  it.each(wrong)("KIND009: %s is an issue with its place", (_, event, code) => {
    expect(codes(task([event])).some((found) => found.startsWith(code))).toBe(true);
    expect(CODES["KIND009"]).toBeDefined();
  });

  it("KIND009: events are a list, and not an empty one", () => {
    expect(codes(node("n", "human", { meta: { events: [] } }))).toContain("KIND009 events");
    expect(codes(node("n", "human", { meta: { events: [7] } }))).toContain("KIND009 events.0");
  });

  it("KIND010: a label that the node has already, or another event has", () => {
    expect(codes(task([{ ...late, id: "done" }]))).toContain("KIND010 events.0.id");
    expect(codes(task([late, { ...remind, id: "late" }]))).toContain("KIND010 events.1.id");
    expect(codes(task([{ ...late, id: "expired" }]))).toContain("KIND010 events.0.id");
  });

  it("KIND011: each event that leaves the wait open doubles the net, so there are at most four", () => {
    const many = ["a", "b", "c", "d"].map((id) => ({ ...remind, id }));
    expect(codes(task(many))).toEqual([]);
    expect(codes(task([...many, { ...remind, id: "e" }]))).toEqual(["KIND011 events"]);
  });

  it("KIND012: a catch needs events, a throw something that it sends", () => {
    expect(codes(node("n", "catch"))).toContain("KIND012 nodes.1.meta");
    expect(codes(task([remind], "catch"))).toContain("KIND009 events.0.interrupting");
    const issues = (meta: JsonObject) => codes(node("n", "throw", { meta }));
    expect(issues({ on: "message", name: "m", key: "k", payload: { a: "b" }, ttl: "PT1H" })).toEqual([]);
    expect(issues({ on: "mood", name: "m" })).toContain("KIND012 nodes.1.meta");
    expect(issues({ on: "signal", name: "m", key: "k" })).toContain("KIND012 nodes.1.meta");
    expect(issues({ on: "escalation", name: "m" })).toContain("KIND012 nodes.1.meta");
    expect(thrownBy(node("n", "throw", { meta: { on: "signal", name: "s" } }))).toEqual({
      on: "signal",
      name: "s",
      key: null,
      payload: {},
      ttl: null,
    });
  });

  it("KIND013: a multi-instance call says how often, with what, and what it collects", () => {
    const issues = (multi: JsonObject, more: JsonObject = { workflow: "w" }) =>
      codes(node("n", "subprocess", { meta: { ...more, multi } }));
    const good = { mode: "parallel", collection: "list", element: "x", result: "y", results: "ys" };
    expect(issues(good)).toEqual([]);
    expect(issues({ ...good, completion: { key: "n", op: "is", value: 1 } })).toEqual([]);
    expect(issues({ mode: "sometimes", count: 3 })).toContain("KIND013 multi.mode");
    expect(issues({ mode: "parallel" })).toContain("KIND013 multi");
    expect(issues({ mode: "parallel", count: 10_001 })).toContain("KIND013 multi.count");
    expect(issues({ mode: "parallel", count: 1, result: "x" })).toContain("KIND013 multi");
    expect(issues({ mode: "parallel", count: 1, element: "x" })).toContain("KIND013 multi.element");
    expect(issues({ mode: "parallel", count: 1, completion: { op: "?" } })).toContain(
      "KIND013 multi.completion",
    );
    expect(issues({ ...good, cardinality: 3 })).toContain("KIND013 multi.cardinality");
    expect(issues(good, { workflow: "w", outputs: { a: "b" } })).toContain("KIND013 multi");
    expect(multiOf(node("n", "subprocess", { meta: { multi: good } }))?.mode).toBe("parallel");
    expect(multiOf(node("n", "subprocess"))).toBeNull();
  });
});

describe("[D17.2] events in the net", () => {
  it("[D17.2] an interrupting event is one more way to finish", () => {
    const net = netOf(around(task([late])));
    const ids = net.transitions.map(({ id }) => id).filter((id) => id.startsWith("n."));
    expect(ids).toEqual(["n.start", "n.finish:done>2", "n.finish:late>3"]);
  });

  it("[D17.2] one that leaves the wait open fires beside it, once, and the wait ends in both cases", () => {
    const definition = workflow(
      [node("g", "gateway"), task([remind]), node("e", "end"), node("r", "end")],
      [...arcs("g -> n, n -> e, n:remind -> r")],
    );
    const resting = fired(playOf(definition), "g", { node: "n", phase: "start" });
    expect(marked(resting)).toEqual({ "n.active": 1, "n.armed:remind": 1 });
    const without = fired(resting, { node: "n", phase: "finish" });
    expect(marked(without)).toEqual({ "n->e": 1 });
    const reminded = fired(resting, { node: "n", phase: "trigger" });
    expect(marked(reminded)).toEqual({ "n.active": 1, "n.fired:remind": 1, "n:remind->r": 1 });
    expect(marked(fired(reminded, { node: "n", phase: "finish" }))).toEqual({ "n->e": 1, "n:remind->r": 1 });
  });

  it("[D17.9] an interrupting event empties a subprocess, its ends included; leaving takes the token at rest", () => {
    const definition = workflow(
      [
        node("s", "subprocess", { meta: { entry: "split", events: [late, remind] } }),
        node("split", "gateway", { scope: "s", split: "all" }),
        node("a", "human", { scope: "s" }),
        node("b", "human", { scope: "s" }),
        node("both", "gateway", { scope: "s", join: "all" }),
        node("in", "end", { scope: "s" }),
        node("e", "end"),
        node("l", "end"),
        node("r", "end"),
      ],
      arcs("split -> a, split -> b, a -> both, b -> both, both -> in, s -> e, s:late -> l, s:remind -> r"),
    );
    const inside = fired(playOf(definition), { node: "s", phase: "enter" }, "split", {
      node: "a",
      phase: "start",
    });
    const interrupted = fired(inside, { node: "s", phase: "finish", outcome: "late" });
    expect(marked(interrupted)).toEqual({ "s:late->l": 1 });
    const atEnd = fired(
      inside,
      { node: "b", phase: "start" },
      { node: "a", phase: "finish" },
      { node: "b", phase: "finish" },
      "both",
      "in",
    );
    expect(marked(fired(atEnd, { node: "s", phase: "finish", outcome: "late" }))).toEqual({ "s:late->l": 1 });
    expect(marked(fired(atEnd, { node: "s", phase: "leave" }))).toEqual({ "s->e": 1 });
  });

  it("[D17.3] an escalation goes beside the innermost subprocess that takes it", () => {
    const definition = workflow(
      [
        node("s", "subprocess", {
          meta: { entry: "t", events: [{ id: "up", on: "escalation", name: "E", interrupting: false }] },
        }),
        node("t", "throw", { scope: "s", meta: { on: "escalation", name: "E" } }),
        node("in", "end", { scope: "s" }),
        node("e", "end"),
        node("u", "end"),
      ],
      arcs("t -> in, s -> e, s:up -> u"),
    );
    const thrown = fired(playOf(definition), { node: "s", phase: "enter" }, "t");
    expect(marked(thrown)).toEqual({ "t->in": 1, "s.raised:up": 1 });
    const raised = fired(thrown, { node: "s", phase: "raise" }, "in", { node: "s", phase: "leave" });
    expect(marked(raised)).toEqual({ "s:up->u": 1, "s->e": 1 });
  });
});
