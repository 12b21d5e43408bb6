/** @module Two tokens that rest at one node, or one that comes again: whose instances end, which events are awaited. */
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

/** Two tokens come to `n`; each of them ends at `z`. */
const doubled = (kind: string, meta: JsonObject, outcomes: readonly string[] = []) =>
  flow(
    "w",
    [
      ["split", "gateway", {}, { split: "all" }],
      ["a", "gateway"],
      ["b", "gateway"],
      ["both", "gateway"],
      ["n", kind, meta],
      ["z", "end"],
    ],
    [
      ["split", "a"],
      ["split", "b"],
      ["a", "both"],
      ["b", "both"],
      ["both", "n"],
      ["n", "z"],
      ...outcomes.map((outcome) => ["n", "z", outcome] as const),
    ],
  );

const instancesIn = (run: BareRun) =>
  run.state.items.filter(({ instance }) => instance !== undefined).map(({ id, host }) => [id, host]);

describe("[D17.7] several instances beside two tokens", () => {
  const several = (multi: JsonObject) =>
    doubled("subprocess", { workflow: "c", multi }, ["error", "cancelled"]);
  const ended = (run: BareRun, id: string, outcome = "done") =>
    run.take(result(run.state.items.find((item) => item.id === id)!, outcome));

  it.each(["done", "error"])(
    "[D17.7] those of one token end (%s); those of the other go on, and the run comes to its end",
    (outcome) => {
      const run = begun(several({ mode: "parallel", count: 2 }));
      expect(instancesIn(run)).toEqual([
        ["n.2", "n.1"],
        ["n.3", "n.1"],
        ["n.5", "n.4"],
        ["n.6", "n.4"],
      ]);
      ended(run, "n.5");
      ended(run, "n.2");
      ended(run, "n.3", outcome);
      expect(run.records.at(-1)?.steps[0]?.closed).toEqual(["n.1", "n.3"]);
      expect(instancesIn(run)).toEqual([["n.6", "n.4"]]);
      ended(run, "n.6");
      expect(run.state).toMatchObject({ items: [] });
      expect(Array.from(run.state.marking).at(-1)).toBe(2);
      expectReplay(run);
    },
  );

  it("[D17.7] in turn: the next one of a token opens when its own one ends", () => {
    const run = begun(several({ mode: "sequential", count: 2 }));
    expect(instancesIn(run)).toEqual([
      ["n.2", "n.1"],
      ["n.4", "n.3"],
    ]);
    ended(run, "n.4");
    expect(instancesIn(run)).toEqual([
      ["n.2", "n.1"],
      ["n.5", "n.3"],
    ]);
    ended(run, "n.5");
    expect(instancesIn(run)).toEqual([["n.2", "n.1"]]);
    ended(run, "n.2");
    ended(run, instancesIn(run)[0]![0]!);
    expect(run.state.items).toEqual([]);
    expectReplay(run);
  });

  it("[D17.7] instances that were recorded before they knew their token go on", () => {
    const definition = flow(
      "w",
      [
        ["n", "subprocess", { workflow: "c", multi: { mode: "parallel", count: 2 } }],
        ["z", "end"],
      ],
      [
        ["n", "z"],
        ["n", "z", "error"],
        ["n", "z", "cancelled"],
      ],
    );
    const run = begun(definition);
    run.state = { ...run.state, items: run.state.items.map(({ host: _none, ...item }) => item) };
    ended(run, "n.3");
    ended(run, "n.2");
    expect(run.state).toMatchObject({ status: "completed", items: [] });
  });
});

describe("[D17.6] handlers of more than one visit", () => {
  const EVENT = { id: "ask", on: "message", name: "q", interrupting: false, workflow: "h", openMax: 1 };
  const asks = (run: BareRun, item: string) =>
    run.turn({
      input: { kind: "event", item, event: "ask", on: "message", name: "q" },
      payload: { data: {} },
    });
  const fullOf = (run: BareRun) =>
    run.state.items.flatMap(({ id, subscriptions }) =>
      (subscriptions ?? []).map(({ isFull = false }) => [id, isFull]),
    );

  it("[D17.6] a token that comes again does not wait for an event whose handlers of the visit before run still", () => {
    const run = begun(
      flow(
        "w",
        [
          ["head", "gateway"],
          ["n", "human", { outcomes: ["again", "done"], events: [EVENT] }],
          ["z", "end"],
        ],
        [
          ["head", "n"],
          ["n", "head", "again"],
          ["n", "z"],
        ],
      ),
    );
    expect(asks(run, "n.1").kind).toBe("turn");
    run.take(completing(run.item("n"), "again"));
    expect(fullOf(run)).toEqual([["n.3", true]]);
    // The message is not taken, so that it can wait for its receiver.
    expect(asks(run, "n.3")).toMatchObject({ kind: "refused", code: "not-open" });
    run.take(result(run.state.items.find(({ event }) => event === "ask")!));
    expect(fullOf(run)).toEqual([["n.3", false]]);
    expect(asks(run, "n.3").kind).toBe("turn");
    expectReplay(run);
  });

  it("[D17.6] of two tokens neither waits for an event of which as many handlers run as may", () => {
    const run = begun(doubled("human", { events: [EVENT] }));
    expect(asks(run, "n.1").kind).toBe("turn");
    expect(fullOf(run)).toEqual([
      ["n.1", true],
      ["n.2", true],
    ]);
    expect(asks(run, "n.2")).toMatchObject({ kind: "refused", code: "not-open" });
    run.take(result(run.state.items.find(({ event }) => event === "ask")!));
    expect(fullOf(run)).toEqual([
      ["n.1", false],
      ["n.2", false],
    ]);
    expect(asks(run, "n.2").kind).toBe("turn");
    expectReplay(run);
  });
});
