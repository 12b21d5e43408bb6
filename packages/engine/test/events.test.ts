/** @module Events at resting tokens, turn by turn: what is awaited, who wins, what is sent. */
import type { JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import {
  begun,
  expectReplay,
  HALT,
  HOUR,
  LATE,
  marked,
  message,
  RECALL,
  signal,
  task,
  timerOf,
} from "./event-runs.ts";
import { completing, result } from "./host.ts";

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
