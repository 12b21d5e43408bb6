/** @module Called runs beside a token: handlers of repeatable events, and several instances of one call. */
import { applyTurn, initialState, type JsonObject, type WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { type BareRun, bareRun, completing, result, starting } from "./host.ts";

const begun = (definition: WorkflowDefinition, data: JsonObject = {}): BareRun => {
  const run = bareRun(definition);
  run.take(starting(data));
  return run;
};
const expectReplay = (run: BareRun): void => {
  let state = initialState(run.plan.program);
  for (const record of run.records) {
    const applied = applyTurn(run.plan.program, state, record);
    if (applied.kind === "refused") throw new Error(JSON.stringify(applied));
    state = applied.state;
  }
  expect(state).toEqual(run.state);
};
const openOf = (run: BareRun) => run.state.items.map(({ id, event, instance }) => [id, event ?? instance]);
const itemOf = (run: BareRun, id: string) => {
  const found = run.state.items.find((item) => item.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

describe("[D17.6] handlers", () => {
  const handled = (event: JsonObject) =>
    flow(
      "w",
      [
        ["n", "human", { events: [{ interrupting: false, workflow: "h", ...event }] }],
        ["z", "end"],
        ["e", "end"],
      ],
      [["n", "z"], ...(event["on"] === "message" ? ([["n", "e", "error"]] as const) : [])],
    );
  const ask: JsonObject = {
    id: "ask",
    on: "message",
    name: "q",
    key: "order",
    payload: { text: "t" },
    openMax: 2,
  };
  const asks = (run: BareRun, text: string) =>
    run.turn({
      input: { kind: "event", item: "n.1", event: "ask", on: "message", name: "q" },
      payload: { data: { t: text } },
    });

  it("[D17.6] BR-057: two quick messages are two runs, each with its own data", () => {
    const run = begun(handled(ask), { order: 1 });
    expect(asks(run, "A").kind).toBe("turn");
    expect(asks(run, "B").kind).toBe("turn");
    expect(run.state.items.map(({ id, data }) => [id, data])).toEqual([
      ["n.1", undefined],
      ["n.2", { text: "A" }],
      ["n.3", { text: "B" }],
    ]);
    expect(asks(run, "C")).toMatchObject({ kind: "refused", code: "not-open" });
    run.take(result(itemOf(run, "n.2")));
    expect(asks(run, "C").kind).toBe("turn");
    expect(openOf(run)).toEqual([
      ["n.1", undefined],
      ["n.3", "ask"],
      ["n.4", "ask"],
    ]);
    expectReplay(run);
  });

  it("[D17.6] the run waits for its handlers, takes their outputs, and notes their trouble", () => {
    const run = begun(handled({ ...ask, outputs: { answer: "a" } }), { order: 1 });
    asks(run, "A");
    asks(run, "B");
    run.take(completing(run.item("n")));
    expect(run.state).toMatchObject({ status: "running" });
    run.take(result(itemOf(run, "n.2"), "done", { answer: 42 }));
    expect(run.state.data).toEqual({ order: 1, answer: 42 });
    const trouble = { code: "CALL_FAILED", message: "it failed" };
    run.take({ input: { kind: "result", item: "n.3", outcome: "error", trouble } });
    expect(run.state.status).toBe("completed");
    expect(run.records.at(-1)?.steps).toEqual([{ node: "n", outcome: "error", closed: ["n.3"], trouble }]);
    expectReplay(run);
  });

  it("[D17.6] BR-070: a cycle beside a task, inside a subprocess, each time once; one that is full is missed", () => {
    const definition = flow(
      "w",
      [
        ["s", "subprocess", { entry: "n" }],
        [
          "n",
          "human",
          {
            events: [
              { id: "tick", on: "timer", cycle: "R10/P1D", interrupting: false, workflow: "h", openMax: 2 },
            ],
          },
          { scope: "s" },
        ],
        ["in", "end", undefined, { scope: "s" }],
        ["z", "end"],
      ],
      [
        ["n", "in"],
        ["s", "z"],
      ],
    );
    const run = begun(definition);
    for (const day of [1, 2, 3]) {
      run.now = 1_000 + day * 86_400_000;
      run.take({ input: { kind: "timer", item: "n.1", dueAt: run.now } });
    }
    expect(openOf(run)).toEqual([
      ["n.1", undefined],
      ["n.2", "tick"],
      ["n.3", "tick"],
    ]);
    expect(run.records.at(-1)?.steps[0]?.trouble).toMatchObject({ code: "HANDLERS_FULL" });
    expect(itemOf(run, "n.1")).toMatchObject({
      dueAt: 1_000 + 4 * 86_400_000,
      subscriptions: [{ remaining: 6 }],
    });
    expectReplay(run);
  });

  it("[D17.6] BR-055: a terminate end takes the handlers of its scope, and only those", () => {
    const beside: JsonObject = { id: "ask", on: "message", name: "q", interrupting: false, workflow: "h" };
    const definition = flow(
      "w",
      [
        ["split", "gateway", undefined, { split: "all" }],
        ["s", "subprocess", { entry: "two" }],
        ["two", "gateway", undefined, { scope: "s", split: "all" }],
        ["n", "human", { events: [beside] }, { scope: "s" }],
        ["kill", "human", undefined, { scope: "s" }],
        ["stop", "end", { terminate: true }, { scope: "s" }],
        ["in", "end", undefined, { scope: "s" }],
        [
          "m",
          "human",
          { events: [{ id: "ask", on: "message", name: "q", interrupting: false, workflow: "h" }] },
        ],
        ["z", "end"],
        ["y", "end"],
      ],
      [
        ["split", "s"],
        ["split", "m"],
        ["two", "n"],
        ["two", "kill"],
        ["n", "in"],
        ["kill", "stop"],
        ["s", "z"],
        ["m", "y"],
      ],
    );
    const run = begun(definition);
    for (const item of ["n.1", "m.1"])
      run.take({ input: { kind: "event", item, event: "ask", on: "message", name: "q" } });
    run.take(completing(run.item("kill")));
    expect(openOf(run)).toEqual([
      ["m.1", undefined],
      ["m.2", "ask"],
    ]);
    expectReplay(run);
  });
});

describe("[D17.7] several instances", () => {
  const several = (multi: JsonObject, more: JsonObject = {}) =>
    flow(
      "w",
      [
        ["c", "subprocess", { workflow: "child", multi, ...more }],
        ["z", "end"],
        ["e", "end", { outcome: "error" }],
        ...(more["events"] === undefined && more["outcomes"] === undefined ? [] : ([["x", "end"]] as const)),
      ],
      [
        ["c", "z"],
        ["c", "e", "error"],
        ["c", "e", "cancelled"],
        ...(more["events"] === undefined ? [] : ([["c", "x", "late"]] as const)),
        ...(more["outcomes"] === undefined ? [] : ([["c", "x", "bad"]] as const)),
      ],
    );
  const each: JsonObject = { collection: "list", element: "x", index: "i", result: "y", results: "ys" };
  const finish = (run: BareRun, id: string, value: number, outcome = "done") =>
    run.take(result(itemOf(run, id), outcome, { value }));

  it("[D17.7] at once: all are open, results stand in the order of the collection", () => {
    const run = begun(several({ ...each, mode: "parallel" }), { list: ["a", "b", "c"] });
    expect(run.state.items.map(({ id, data, instances }) => [id, data ?? instances])).toEqual([
      ["c.1", { total: 3, opened: 3, completed: 0 }],
      ["c.2", { x: "a", i: 0 }],
      ["c.3", { x: "b", i: 1 }],
      ["c.4", { x: "c", i: 2 }],
    ]);
    expect(run.state.data["ys"]).toEqual([null, null, null]);
    finish(run, "c.4", 3);
    finish(run, "c.2", 1);
    expect(run.state.data["ys"]).toEqual([1, null, 3]);
    finish(run, "c.3", 2);
    expect(run.state).toMatchObject({ status: "completed", data: { ys: [1, 2, 3] } });
    expectReplay(run);
  });

  it("[D17.7] in turn: one at a time", () => {
    const run = begun(several({ ...each, mode: "sequential" }), { list: [1, 2, 3] });
    const seen: unknown[] = [];
    for (const value of [10, 20, 30]) {
      const open = run.state.items.filter(({ instance }) => instance !== undefined);
      seen.push(open.map(({ data }) => data));
      finish(run, open[0]?.id ?? "", value);
    }
    expect(seen).toEqual([[{ x: 1, i: 0 }], [{ x: 2, i: 1 }], [{ x: 3, i: 2 }]]);
    expect(run.state).toMatchObject({ status: "completed", data: { ys: [10, 20, 30] } });
    expectReplay(run);
  });

  it.each(["sequential", "parallel"])("[D17.7] an empty collection is done at once (%s)", (mode) => {
    const run = begun(several({ ...each, mode }), { list: [] });
    expect(run.state).toMatchObject({ status: "completed", data: { ys: [] }, items: [] });
    expect(begun(several({ mode, count: 0 })).state.status).toBe("completed");
    expectReplay(run);
  });

  it.each([
    ["no list", { list: 7 }, "COLLECTION_INVALID"],
    ["nothing", {}, "COLLECTION_INVALID"],
    ["too many", { list: new Array(10_001).fill(0) }, "INSTANCES_LIMIT"],
  ])("[D17.7] %s under the key is trouble of the node", (_, data, code) => {
    const run = begun(several({ ...each, mode: "parallel" }), data as JsonObject);
    expect(run.records[0]?.steps.at(-2)?.trouble).toMatchObject({ code });
    expect(run.state).toMatchObject({ status: "completed", items: [] });
  });

  it("[D17.7] the completion condition cancels the rest", () => {
    const completion = { key: "numberOfCompletedInstances", op: "atLeast", value: 2 };
    const run = begun(several({ ...each, mode: "parallel", completion }), { list: [1, 2, 3] });
    finish(run, "c.3", 2);
    finish(run, "c.2", 1);
    expect(run.state).toMatchObject({ status: "completed", data: { ys: [1, 2, null] }, items: [] });
    expect(run.records.at(-1)?.steps[0]?.closed).toEqual(["c.1", "c.2", "c.4"]);
    expectReplay(run);
  });

  it("[D17.7] BR-064: one that fails, or ends under another label, ends them all", () => {
    const failed = begun(several({ ...each, mode: "parallel" }), { list: [1, 2, 3] });
    const trouble = { code: "CALL_FAILED", message: "it failed" };
    failed.take({ input: { kind: "result", item: "c.3", outcome: "error", trouble } });
    expect(failed.state).toMatchObject({ status: "completed", items: [] });
    expect(failed.records.at(-1)?.steps[0]).toMatchObject({ outcome: "error", trouble });
    const bad = begun(several({ ...each, mode: "sequential" }, { outcomes: ["done", "bad"] }), {
      list: [1, 2],
    });
    finish(bad, "c.2", 0, "bad");
    expect(bad.state).toMatchObject({ status: "completed", items: [] });
    expectReplay(failed);
  });

  it("[D17.7] an event at the node ends them all; a late result is refused", () => {
    const events = [{ id: "late", on: "timer", duration: "PT1H" }];
    const run = begun(several({ ...each, mode: "parallel" }, { events }), { list: [1, 2] });
    const open = itemOf(run, "c.2");
    run.now += 3_600_000;
    run.take({ input: { kind: "timer", item: "c.1", dueAt: run.now } });
    expect(run.state).toMatchObject({ status: "completed", items: [] });
    expect(run.turn(result(open))).toMatchObject({ kind: "refused", code: "ended" });
    expectReplay(run);
  });

  it("[D17.7] [D17.5] an event beside them that goes wrong ends the wait, and with it all of them", () => {
    const event = { id: "late", on: "message", name: "m", payload: { note: "n" }, interrupting: false };
    const run = bareRun(several({ ...each, mode: "parallel" }, { events: [event] }), {
      validate: ({ note }) =>
        note === undefined ? null : { code: "SCHEMA_INVALID", message: "no", facts: {} },
    });
    run.take(starting({ list: [1, 2] }));
    const open = itemOf(run, "c.2");
    const input = { kind: "event", item: "c.1", event: "late", on: "message", name: "m" } as const;
    run.take({ input, payload: { data: { n: 1 } } });
    expect(run.records.at(-1)?.steps[0]).toMatchObject({ outcome: "error", closed: ["c.1", "c.2", "c.3"] });
    expect(run.state).toMatchObject({ status: "completed", items: [] });
    expect(run.turn(result(open))).toMatchObject({ kind: "refused", code: "ended" });
    expectReplay(run);
  });

  it("[D17.7] BR-050: a step costs its own result, however many there are", () => {
    const list = Array.from({ length: 200 }, (_, at) => at);
    const run = begun(several({ ...each, mode: "sequential" }), { list });
    const bytes: number[] = [];
    for (const at of list) {
      const [open] = run.state.items.filter(({ instance }) => instance !== undefined);
      run.take(result(open!, "done", { value: "r".repeat(500) + at }));
      bytes.push(JSON.stringify(run.records.at(-1)).length);
    }
    expect(run.state.status).toBe("completed");
    expect(Math.max(...bytes) - Math.min(...bytes)).toBeLessThan(400);
  });
});
