/** @module Events that empty a subprocess, or go on beside a wait, turn by turn. */
import type { JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { begun, expectReplay, HALT, HOUR, LATE, marked, message, signal, timerOf } from "./event-runs.ts";
import { completing, result } from "./host.ts";

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
