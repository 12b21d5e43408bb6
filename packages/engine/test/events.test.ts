/** @module Events at resting tokens, turn by turn: who wins, what is closed, what goes on beside. */
import { applyTurn, initialState, type JsonObject, type WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { InputEvent } from "../src/turn.ts";
import { flow } from "./definitions.ts";
import { type BareRun, bareRun, completing, result, starting } from "./host.ts";

const HOUR = 3_600_000;
const timerOf = (run: BareRun, node: string, dueAt: number): InputEvent => {
  run.now = Math.max(run.now, dueAt);
  return { input: { kind: "timer", item: run.item(node).id, dueAt } };
};
const message = (
  run: BareRun,
  node: string,
  event: string,
  name: string,
  data: JsonObject = {},
): InputEvent => ({
  input: { kind: "event", item: run.item(node).id, event, on: "message", name },
  payload: { data },
});
const signal = (run: BareRun, node: string, event: string, name: string): InputEvent => ({
  input: { kind: "event", item: run.item(node).id, event, on: "signal", name },
});
/** What a run has marked, by place. */
const marked = (run: BareRun) =>
  run.plan.program.net.places.flatMap(({ id }, at) => ((run.state.marking[at] ?? 0) > 0 ? [id] : []));
const begun = (definition: WorkflowDefinition, data: JsonObject = {}): BareRun => {
  const run = bareRun(definition);
  run.take(starting(data));
  return run;
};
/** The fold of the records is the state: what every example here must keep. */
const expectReplay = (run: BareRun): void => {
  let state = initialState(run.plan.program);
  for (const record of run.records) {
    const applied = applyTurn(run.plan.program, state, record);
    if (applied.kind === "refused") throw new Error(JSON.stringify(applied));
    state = applied.state;
  }
  expect(state).toEqual(run.state);
};

/** A task of `kind` whose labels lead to ends of their own names. */
const task = (
  kind: string,
  events: readonly JsonObject[],
  labels: readonly string[],
  meta: JsonObject = {},
) =>
  flow(
    "w",
    [
      ["n", kind, { ...meta, events: [...events] }],
      ...labels.map((label) => [label, "end", { outcome: label }] as const),
    ],
    labels.map((label) => ["n", label, label] as const),
  );
const LATE: JsonObject = { id: "late", on: "timer", duration: "PT1H" };
const RECALL: JsonObject = {
  id: "recall",
  on: "message",
  name: "recalled",
  key: "order",
  payload: { why: "reason" },
};
const HALT: JsonObject = { id: "halt", on: "signal", name: "halt" };

describe("[D17.4] what an item waits for", () => {
  it("[D17.4] correlation keys and times are fixed when the token comes to rest; the earliest time is the item's", () => {
    const events = [LATE, { id: "then", on: "timer", key: "when" }, RECALL, HALT];
    const definition = task("human", events, ["done", "late", "then", "recall", "halt", "error", "expired"], {
      deadline: "PT3H",
    });
    const run = begun(definition, { order: 17, when: "PT30M" });
    expect(run.item("n")).toMatchObject({
      kind: "work-item",
      dueAt: 1_000 + HOUR / 2,
      subscriptions: [
        { event: "late", on: "timer", dueAt: 1_000 + HOUR },
        { event: "then", on: "timer", dueAt: 1_000 + HOUR / 2 },
        { event: "recall", on: "message", name: "recalled", key: "17" },
        { event: "halt", on: "signal", name: "halt" },
        { event: "expired", on: "timer", dueAt: 1_000 + 3 * HOUR },
      ],
    });
    expect(run.state).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
  });

  it.each([
    ["no correlation key", RECALL, {}, "CORRELATION_MISSING"],
    ["a key that is no scalar", RECALL, { order: [1] }, "CORRELATION_MISSING"],
    ["a time that is none", { id: "recall", on: "timer", key: "when" }, { when: "soon" }, "TIMER_INVALID"],
    ["no time", { id: "recall", on: "timer", key: "when" }, {}, "TIMER_INVALID"],
  ])("[D17.4] %s is trouble of the node, not silence", (_, event, data, code) => {
    const run = begun(task("human", [event], ["done", "recall", "error"]), data as JsonObject);
    expect(run.state.status).toBe("completed");
    expect(run.records[0]?.steps.some(({ trouble }) => trouble?.code === code)).toBe(true);
    expectReplay(run);
  });

  it("[D17.4] [D20.4] a catch waits for the clock, for somebody outside, or for both", () => {
    const modes = (events: readonly JsonObject[]) =>
      begun(
        task(
          "catch",
          events,
          events.map(({ id }) => String(id)),
        ),
      ).state.modes;
    expect(modes([LATE])).toEqual(["waiting_timer"]);
    expect(modes([HALT])).toEqual(["waiting_external"]);
    expect(modes([LATE, HALT])).toEqual(["waiting_external", "waiting_timer"]);
  });
});

describe("[D17.5] the first event wins", () => {
  const kinds: readonly (readonly [string, JsonObject, readonly string[]])[] = [
    ["human", {}, ["done"]],
    ["collect", { form: {} }, ["done"]],
    ["wait", {}, ["done"]],
    ["tool", {}, ["done"]],
    ["agent", {}, ["done"]],
    ["integration", {}, ["done"]],
    ["subprocess", { workflow: "child" }, ["done", "cancelled"]],
    ["catch", {}, []],
  ];
  it.each(kinds)(
    "[D17.5] BR-062: at a %s the timer takes its own arc, and the answer comes too late",
    (kind, meta, labels) => {
      const run = begun(
        task(kind, [LATE, RECALL, HALT], [...labels, "late", "recall", "halt", "error"], meta),
        { order: "a" },
      );
      const item = run.item("n");
      run.take(timerOf(run, "n", 1_000 + HOUR));
      expect(run.state).toMatchObject({ status: "completed", items: [] });
      expect(marked(run)).toEqual(["late.end"]);
      const answer =
        kind === "human" || kind === "collect" || kind === "wait" ? completing(item) : result(item);
      for (const late of [
        answer,
        { input: { kind: "event", item: item.id, event: "halt", on: "signal", name: "halt" } } as const,
        { input: { kind: "timer", item: item.id, dueAt: 1_000 + HOUR } } as const,
      ])
        expect(run.turn(late)).toMatchObject({ kind: "refused", code: "ended" });
      expectReplay(run);
    },
  );

  it("[D17.5] BR-059 BR-044 BR-060: of a message and a timer at an event-based gateway one wins, the other is gone", () => {
    const definition = flow(
      "w",
      [
        ["g", "catch", { events: [RECALL, LATE, HALT] }],
        ["slow", "tool"],
        ["z", "end"],
      ],
      [
        ["g", "slow", "recall"],
        ["g", "z", "late"],
        ["g", "z", "halt"],
        ["g", "z", "error"],
        ["slow", "z"],
        ["slow", "z", "error"],
      ],
    );
    const run = begun(definition, { order: "a" });
    const gate = run.item("g");
    run.take(message(run, "g", "recall", "recalled", { reason: "why not" }));
    expect(run.state.data).toEqual({ order: "a", why: "why not" });
    expect(run.state.items.map(({ node, dueAt, subscriptions }) => [node, dueAt, subscriptions])).toEqual([
      ["slow", undefined, undefined],
    ]);
    run.now += HOUR;
    for (const input of [
      { kind: "timer", item: gate.id, dueAt: 1_000 + HOUR },
      { kind: "event", item: gate.id, event: "halt", on: "signal", name: "halt" },
      { kind: "event", item: gate.id, event: "recall", on: "message", name: "recalled" },
    ] as const)
      expect(run.turn({ input })).toMatchObject({ kind: "refused", code: "not-open" });
    run.take(result(run.item("slow")));
    expect(run.state.status).toBe("completed");
    expectReplay(run);
  });

  it("[D17.5] BR-061: only the event of this name and type is taken", () => {
    const events = [RECALL, { id: "pay", on: "message", name: "paid" }];
    const run = begun(task("catch", events, ["recall", "pay", "error"]), { order: "a" });
    expect(run.turn(message(run, "n", "recall", "paid"))).toMatchObject({
      kind: "refused",
      code: "not-open",
    });
    expect(run.turn(signal(run, "n", "pay", "paid"))).toMatchObject({ kind: "refused", code: "not-open" });
    run.take(message(run, "n", "pay", "paid"));
    expect(marked(run)).toEqual(["pay.end"]);
  });

  it("[D17.5] two events due at the same moment: the first in document order; not a millisecond early", () => {
    const run = begun(
      task(
        "human",
        [
          { ...LATE, id: "b" },
          { ...LATE, id: "a" },
        ],
        ["done", "a", "b", "expired"],
        {
          deadline: "PT1H",
        },
      ),
    );
    const item = run.item("n");
    const early = { input: { kind: "timer", item: item.id, dueAt: 1_000 + HOUR } } as const;
    expect(run.turn(early)).toMatchObject({ kind: "refused", code: "not-due" });
    run.take(timerOf(run, "n", 1_000 + HOUR));
    expect(marked(run)).toEqual(["b.end"]);
  });

  it("[D17.5] a deadline before the first event is the deadline", () => {
    const run = begun(task("human", [LATE], ["done", "late", "expired"], { deadline: "PT30M" }));
    run.take(timerOf(run, "n", 1_000 + HOUR / 2));
    expect(marked(run)).toEqual(["expired.end"]);
  });

  it("[D17.5] nobody answers with the label of an event; a worker that does is in error", () => {
    const person = begun(task("human", [LATE], ["done", "late"]));
    expect(person.turn(completing(person.item("n"), "late"))).toMatchObject({ code: "unknown-outcome" });
    const job = begun(task("tool", [LATE], ["done", "late", "error"]));
    job.take(result(job.item("n"), "late"));
    expect(marked(job)).toEqual(["error.end"]);
  });

  it("[D17.5] data that the node may not write take its error, and the message is used up", () => {
    const definition = task("catch", [RECALL], ["recall", "error"]);
    const [first, ...others] = definition.nodes;
    const strict = { ...definition, nodes: [{ ...first!, writes: ["other"] }, ...others] };
    const run = begun(strict, { order: "a" });
    run.take(message(run, "n", "recall", "recalled", { reason: 1 }));
    expect(marked(run)).toEqual(["error.end"]);
    expect(run.state.data).toEqual({ order: "a" });
  });
});

describe("[D17.9] subprocesses with events", () => {
  const inside = (events: readonly JsonObject[], labels: readonly string[]) =>
    flow(
      "w",
      [
        ["s", "subprocess", { entry: "split", events: [...events] }],
        ["split", "gateway", undefined, { scope: "s", split: "all" }],
        ["a", "human", undefined, { scope: "s" }],
        ["b", "tool", undefined, { scope: "s" }],
        ["gb", "gateway", undefined, { scope: "s" }],
        ["both", "gateway", undefined, { scope: "s", join: "all" }],
        ["in", "end", undefined, { scope: "s" }],
        ["done", "end"],
        ...labels.map((label) => [label, "end"] as const),
      ],
      [
        ["split", "a"],
        ["split", "b"],
        ["a", "both"],
        ["b", "gb"],
        ["b", "gb", "error"],
        ["gb", "both"],
        ["both", "in"],
        ["s", "done"],
        ...labels.map((label) => ["s", label, label] as const),
      ],
    );

  it("[D17.9] BR-049 BR-077: an interrupting event empties the scope, exactly its items, once each", () => {
    const run = begun(inside([LATE, HALT], ["late", "halt"]));
    expect(run.state.items.map(({ node, kind }) => [node, kind])).toEqual([
      ["s", "event"],
      ["a", "work-item"],
      ["b", "job"],
    ]);
    const work = run.item("a");
    run.take(timerOf(run, "s", 1_000 + HOUR));
    expect(run.state).toMatchObject({ status: "completed", items: [] });
    expect(marked(run)).toEqual(["late.end"]);
    const closed = run.records.flatMap(({ steps }) => steps.flatMap((step) => step.closed ?? []));
    expect([...closed].sort()).toEqual(["a.1", "b.1", "s.1"]);
    expect(run.turn(completing(work))).toMatchObject({ kind: "refused" });
    expectReplay(run);
  });

  it("[D17.9] left by its end, its item is closed with it, and the events with the item", () => {
    const run = begun(inside([LATE, HALT], ["late", "halt"]));
    run.take(completing(run.item("a")));
    expect(run.state.status).toBe("running");
    run.take(result(run.item("b")));
    expect(run.state).toMatchObject({ status: "completed", items: [] });
    expect(marked(run)).toEqual(["done.end"]);
    expectReplay(run);
  });

  it("[D17.9] trouble in opening its events leaves it at once under error, and nothing inside begins", () => {
    const run = begun(inside([{ id: "late", on: "timer", key: "when" }], ["late", "error"]));
    expect(run.state).toMatchObject({ status: "completed", items: [] });
    expect(marked(run)).toEqual(["error.end"]);
    expectReplay(run);
  });

  it("[D17.9] BR-066 BR-065: a terminate end, and an error end, are the scope's alone", () => {
    const definition = flow(
      "w",
      [
        ["s", "subprocess", { entry: "split", outcomes: ["done", "X"], events: [LATE] }],
        ["split", "gateway", undefined, { scope: "s", split: "all" }],
        ["a", "human", undefined, { scope: "s" }],
        ["b", "human", { outcomes: ["fail", "fine"] }, { scope: "s" }],
        ["in", "end", undefined, { scope: "s" }],
        ["out", "end", { outcome: "X", terminate: true }, { scope: "s" }],
        ["stop", "end", { terminate: true }, { scope: "s" }],
        ["final", "human"],
        ["caught", "end"],
        ["z", "end"],
      ],
      [
        ["split", "a"],
        ["split", "b"],
        ["a", "in"],
        ["b", "out", "fail"],
        ["b", "stop", "fine"],
        ["s", "final"],
        ["s", "caught", "X"],
        ["s", "caught", "late"],
        ["final", "z"],
      ],
    );
    const stopped = begun(definition);
    stopped.take(completing(stopped.item("b"), "fine"));
    expect(stopped.state.items.map(({ node }) => node)).toEqual(["final"]);
    const failed = begun(definition);
    failed.take(completing(failed.item("b"), "fail"));
    expect(marked(failed)).toEqual(["caught.end"]);
    expect(failed.state).toMatchObject({ status: "completed", items: [] });
    expectReplay(failed);
  });

  it("[D17.9] BR-076: events at three nested scopes; the outermost one takes everything inside", () => {
    const scopes = ["s1", "s2", "s3"];
    const definition = flow(
      "w",
      [
        ...scopes.map(
          (id, at) =>
            [
              id,
              "subprocess",
              { entry: scopes[at + 1] ?? "work", events: [{ id: `e${at}`, on: "signal", name: `S${at}` }] },
              at === 0 ? {} : { scope: scopes[at - 1]! },
            ] as const,
        ),
        ["work", "human", undefined, { scope: "s3" }],
        ["z", "end"],
        ...scopes.map((id) => [`in-${id}`, "end", undefined, { scope: id }] as const),
      ],
      [
        ["work", "in-s3"],
        ["s3", "in-s2"],
        ["s3", "in-s2", "e2"],
        ["s2", "in-s1"],
        ["s2", "in-s1", "e1"],
        ["s1", "z"],
        ["s1", "z", "e0"],
      ],
    );
    const whole = begun(definition);
    expect(whole.state.items.map(({ node }) => node)).toEqual(["s1", "s2", "s3", "work"]);
    whole.take(signal(whole, "s1", "e0", "S0"));
    expect(whole.state).toMatchObject({ status: "completed", items: [] });
    const middle = begun(definition);
    middle.take(signal(middle, "s2", "e1", "S1"));
    expect(middle.state).toMatchObject({ status: "completed", items: [] });
    expect(middle.records[1]?.steps[0]?.closed).toEqual(["s2.1", "s3.1", "work.1"]);
    const inner = begun(definition);
    inner.take(completing(inner.item("work")));
    expect(inner.state).toMatchObject({ status: "completed", items: [] });
    for (const run of [whole, middle, inner]) expectReplay(run);
  });

  it("[D17.3] BR-064: an escalation goes beside the scope, which goes on", () => {
    const definition = flow(
      "w",
      [
        [
          "s",
          "subprocess",
          { entry: "t", events: [{ id: "up", on: "escalation", name: "E", interrupting: false }] },
        ],
        ["t", "throw", { on: "escalation", name: "E" }, { scope: "s" }],
        ["a", "human", undefined, { scope: "s" }],
        ["in", "end", undefined, { scope: "s" }],
        ["boss", "human"],
        ["z", "end"],
        ["y", "end"],
      ],
      [
        ["t", "a"],
        ["a", "in"],
        ["s", "z"],
        ["s", "boss", "up"],
        ["boss", "y"],
      ],
    );
    const run = begun(definition);
    expect(run.state.items.map(({ node }) => node).sort()).toEqual(["a", "boss"]);
    run.take(completing(run.item("a")));
    run.take(completing(run.item("boss")));
    expect(run.state.status).toBe("completed");
    expectReplay(run);
  });
});

describe("[D17.2] events beside the wait", () => {
  const remind: JsonObject = { id: "remind", on: "timer", duration: "PT1H", interrupting: false };
  it("[D17.2] BR-069: the reminder's path and the task are both there, once", () => {
    const definition = flow(
      "w",
      [
        ["n", "human", { events: [remind, { ...LATE, id: "late", duration: "PT2H" }] }],
        ["r", "human"],
        ["z", "end"],
        ["y", "end"],
        ["l", "end"],
      ],
      [
        ["n", "z"],
        ["n", "r", "remind"],
        ["n", "l", "late"],
        ["r", "y"],
      ],
    );
    const run = begun(definition);
    run.take(timerOf(run, "n", 1_000 + HOUR));
    expect(run.state.items.map(({ node, dueAt }) => [node, dueAt])).toEqual([
      ["n", 1_000 + 2 * HOUR],
      ["r", undefined],
    ]);
    expect(run.turn(timerOf(run, "n", 1_000 + HOUR))).toMatchObject({ kind: "refused", code: "not-due" });
    run.take(completing(run.item("n"), "done", { v: 1 }));
    run.take(completing(run.item("r"), "done", { v: 2 }));
    expect(run.state).toMatchObject({ status: "completed", data: { v: 2 } });
    expectReplay(run);
  });

  it("[D17.2] what cannot go on beside ends the wait under error", () => {
    const ping: JsonObject = {
      id: "ping",
      on: "message",
      name: "ping",
      payload: { x: "x" },
      interrupting: false,
    };
    const definition = flow(
      "w",
      [
        ["n", "human", { events: [ping] }, { writes: ["y"] }],
        ["r", "end"],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["n", "z"],
        ["n", "r", "ping"],
        ["n", "e", "error"],
      ],
    );
    const run = begun(definition);
    run.take(message(run, "n", "ping", "ping", { x: 1 }));
    expect(marked(run)).toEqual(["e.end"]);
    expect(run.state).toMatchObject({ status: "completed", items: [] });
    expectReplay(run);
  });
});

describe("[D17.8] throws", () => {
  const sender = flow(
    "w",
    [
      [
        "t",
        "throw",
        { on: "message", name: "paid", key: "order", payload: { sum: "total", none: "absent" }, ttl: "PT1H" },
      ],
      ["u", "throw", { on: "signal", name: "halt" }],
      ["z", "end"],
      ["e", "end", { outcome: "error" }],
    ],
    [
      ["t", "u"],
      ["t", "e", "error"],
      ["u", "z"],
    ],
  );
  it("[D17.8] what is sent is in the record of the step", () => {
    const run = begun(sender, { order: 7, total: 12, secret: 1 });
    expect(run.records[0]?.steps.flatMap(({ sent }) => sent ?? [])).toEqual([
      { on: "message", name: "paid", key: "7", data: { sum: 12 }, ttlMs: HOUR },
      { on: "signal", name: "halt", data: {} },
    ]);
    expectReplay(run);
  });
  it("[D17.8] without the value of its key nothing is sent, and the outcome is error", () => {
    const run = begun(sender, {});
    expect(run.records[0]?.steps.flatMap(({ sent }) => sent ?? [])).toEqual([]);
    expect(marked(run)).toEqual(["e.end"]);
  });
});
