/** @module Migration: runs go on in another definition, by a mapping that is proved first. */
import type { WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const OP = { by: { id: "op" }, reason: "new rules" };
const ANN = { by: { id: "ann" } };

/** A line of people: begin, each of `ids`, end. */
function line(...ids: readonly string[]): WorkflowDefinition {
  const all = ["begin", ...ids, "end"];
  return flow(
    "line",
    [["begin", "start"], ...ids.map((id) => [id, "human", { outcomes: ["done"] }] as const), ["end", "end"]],
    all.slice(1).map((id, index) => [all[index] ?? "", id] as const),
  );
}

async function waiting(definition: WorkflowDefinition, next: WorkflowDefinition) {
  const test = testEngine();
  const from = accepted(await test.engine.deploy(definition)).hash;
  accepted(await test.engine.start({ workflow: definition.id, id: "r", data: { old: 1 } }));
  const to = accepted(await test.engine.deploy(next)).hash;
  return { ...test, from, to, operations: test.engine.operations, run: test.engine.run("r") };
}

describe("one run", () => {
  it("[D9.24] BR-121: a token in a node that is gone is refused unless the mapping says where; the dry run shows it", async () => {
    const { engine, operations, run, from, to } = await waiting(line("a", "b", "c"), line("a", "c"));
    accepted(await run.complete({ node: "a", ...ANN }));
    const order = { run: "r", to: { hash: to }, ...OP };
    expect(await operations.migrate(order)).toMatchObject({
      code: "unproved",
      facts: { places: expect.any(Array), marking: expect.any(Object) },
    });
    const mapping = { nodes: { b: "c" } };
    const before = await run.state();
    expect(await operations.migrate({ ...order, mapping, isDryRun: true })).toMatchObject({
      isDryRun: true,
      from,
      to,
      items: [{ id: "b.1", node: "c" }],
    });
    expect(await run.state()).toEqual(before);
    expect(accepted(await operations.migrate({ ...order, mapping }))).toMatchObject({
      kind: "migrated",
      sequence: 3,
    });
    expect(await run.state()).toMatchObject({
      definition: to,
      tokens: ["c"],
      items: [{ id: "b.1", node: "c" }],
    });
    accepted(await run.complete({ node: "c", ...ANN }));
    expect(await run.result()).toMatchObject({ status: "completed" });
    expect((await engine.audit()).runs).toMatchObject([{ verdict: "ok" }]);
  });

  it("[D9.12] [D9.11] replay, history and time travel fold each turn in its own definition", async () => {
    const { engine, operations, run, from, to } = await waiting(line("a", "b"), line("x", "a", "b"));
    accepted(await operations.migrate({ run: "r", to: { hash: to }, ...OP }));
    accepted(await run.complete({ node: "a", ...ANN }));
    expect(accepted(await engine.replay("r", { at: 1 }))).toMatchObject({ definition: from, tokens: ["a"] });
    expect(accepted(await engine.replay("r"))).toMatchObject({ definition: to, tokens: ["b"] });
    const { events } = accepted(await engine.history("r"));
    expect(
      events.filter(({ kind }) => kind === "step").map((event) => ("arcs" in event ? event.arcs : [])),
    ).toContainEqual(["a -> b"]);
    accepted(await operations.fork({ run: "r", at: 1, id: "f", ...OP }));
    expect(await engine.run("f").state()).toMatchObject({ definition: from, tokens: ["a"] });
    expect((await engine.audit()).runs.flatMap(({ findings }) => findings)).toEqual([]);
  });

  it("[D9.24] at a parallel join both tokens go, the one that has arrived and the one that works", async () => {
    const parallel = (id: string, extra: readonly string[]) =>
      flow(
        id,
        [
          ["begin", "start"],
          ["split", "gateway", undefined, { split: "all" }],
          ["a", "human", { outcomes: ["done"] }],
          ["b", "human", { outcomes: ["done"] }],
          ["join", "gateway", undefined, { join: "all" }],
          ...extra.map((node) => [node, "human", { outcomes: ["done"] }] as const),
          ["end", "end"],
        ],
        [
          ["begin", "split"],
          ["split", "a"],
          ["split", "b"],
          ["a", "join"],
          ["b", "join"],
          ...extra.map((node) => ["join", node] as const),
          [extra[0] ?? "join", "end"],
        ],
      );
    const { engine, operations, run, to } = await waiting(parallel("p", []), parallel("p", ["check"]));
    accepted(await run.complete({ node: "a", ...ANN }));
    accepted(await operations.migrate({ run: "r", to: { hash: to }, ...OP }));
    accepted(await run.complete({ node: "b", ...ANN }));
    expect(await run.state()).toMatchObject({ tokens: ["check"] });
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.24] a marking from which the run could not complete is refused with it as the witness", async () => {
    const one = line("a", "b");
    const joined = flow(
      "line",
      [
        ["begin", "start"],
        ["split", "gateway", undefined, { split: "all" }],
        ["a", "human", { outcomes: ["done"] }],
        ["b", "human", { outcomes: ["done"] }],
        ["join", "gateway", undefined, { join: "all" }],
        ["end", "end"],
      ],
      [
        ["begin", "split"],
        ["split", "a"],
        ["split", "b"],
        ["a", "join"],
        ["b", "join"],
        ["join", "end"],
      ],
    );
    const { operations, run, to } = await waiting(one, joined);
    const before = await run.state();
    const refusal = await operations.migrate({ run: "r", to: { hash: to }, ...OP });
    expect(refusal).toMatchObject({
      code: "unproved",
      facts: { run: "r", obligations: [{ id: "O1", verdict: "fails" }] },
    });
    expect(await run.state()).toEqual(before);
  });

  it("[D9.24] an item goes only where it can be answered as before", async () => {
    const asks = (outcomes: readonly string[]) =>
      flow(
        "asks",
        [
          ["begin", "start"],
          ["ask", "human", { outcomes: [...outcomes] }],
          ["end", "end"],
        ],
        [["begin", "ask"], ...outcomes.map((outcome) => ["ask", "end", outcome] as const)],
      );
    const { operations, to } = await waiting(asks(["yes", "no"]), asks(["yes", "maybe"]));
    expect(await operations.migrate({ run: "r", to: { hash: to }, ...OP })).toMatchObject({
      code: "unproved",
      message: expect.stringContaining('"no"'),
    });
  });

  it("[D9.24] D goes to the new names, held against the new declarations", async () => {
    const typed = { ...line("a"), data: { fresh: { type: "string" } } } as unknown as WorkflowDefinition;
    const { operations, run, to } = await waiting(line("a"), typed);
    const order = { run: "r", to: { hash: to }, ...OP };
    expect(
      await operations.migrate({ ...order, mapping: { data: { rename: { old: "fresh" } } } }),
    ).toMatchObject({ code: "invalid-data" });
    accepted(
      await operations.migrate({ ...order, mapping: { data: { set: { fresh: "one" }, unset: ["old"] } } }),
    );
    expect(await run.state()).toMatchObject({ data: { fresh: "one" } });
  });

  it("[D9.24] a job keeps its key and its call, and its answer counts after the migration", async () => {
    const work = (id: string) =>
      flow(
        "work",
        [
          ["begin", "start"],
          [id, "tool", { port: "pay" }],
          ["end", "end"],
          ["failed", "end", { outcome: "failed" }],
        ],
        [
          ["begin", id],
          [id, "end"],
          [id, "failed", "error"],
        ],
      );
    let answer: (value: undefined) => void = () => {};
    const calls: string[] = [];
    const test = testEngine({
      ports: {
        pay: ({ idempotencyKey }) => {
          calls.push(idempotencyKey);
          return new Promise((resolve) => {
            answer = resolve;
          });
        },
      },
    });
    accepted(await test.engine.deploy(work("pay")));
    accepted(await test.engine.start({ workflow: "work", id: "r" }));
    await test.settle();
    const to = accepted(await test.engine.deploy(work("charge"))).hash;
    accepted(
      await test.engine.operations.migrate({
        run: "r",
        to: { hash: to },
        mapping: { nodes: { pay: "charge" } },
        ...OP,
      }),
    );
    answer(undefined);
    await test.settle();
    expect(await test.engine.run("r").result()).toMatchObject({ status: "completed" });
    expect(calls).toEqual(["r/pay.1"]);
    expect((await test.engine.audit()).isSound).toBe(true);
  });

  it("[D9.24] BR-122: a call goes to a call of the same workflow, never to another one", async () => {
    const child = flow(
      "child",
      [
        ["begin", "start"],
        ["w", "human", { outcomes: ["done"] }],
        ["end", "end", { outcome: "done" }],
      ],
      [
        ["begin", "w"],
        ["w", "end"],
      ],
    );
    const calls = (id: string, workflow: string) =>
      flow(
        "calls",
        [
          ["begin", "start"],
          [id, "subprocess", { workflow, outcomes: ["done"] }],
          ["end", "end"],
          ["failed", "end", { outcome: "failed" }],
        ],
        [
          ["begin", id],
          [id, "end", "done"],
          [id, "failed", "error"],
          [id, "failed", "cancelled"],
        ],
      );
    const test = testEngine();
    accepted(await test.engine.deploy(child));
    accepted(await test.engine.deploy({ ...child, id: "other" }));
    accepted(await test.engine.deploy(calls("one", "child")));
    accepted(await test.engine.start({ workflow: "calls", id: "r" }));
    await test.settle();
    const { operations } = test.engine;
    const other = accepted(await test.engine.deploy(calls("two", "other"))).hash;
    const order = { run: "r", mapping: { nodes: { one: "two" } }, ...OP };
    expect(await operations.migrate({ ...order, to: { hash: other } })).toMatchObject({ code: "unproved" });
    const same = accepted(await test.engine.deploy(calls("two", "child"))).hash;
    accepted(await operations.migrate({ ...order, to: { hash: same } }));
    accepted(await test.engine.run("r/one.1").complete({ node: "w", ...ANN }));
    await test.settle();
    expect(await test.engine.run("r").result()).toMatchObject({ status: "completed" });
    expect((await test.engine.audit()).isSound).toBe(true);
  });

  it("[D9.23] the failed rounds of a loop are kept as far as the new budget goes", async () => {
    const loop = (budget: number) =>
      flow(
        "loop",
        [
          ["begin", "start"],
          ["work", "human", { outcomes: ["done"] }],
          ["judge", "verifier", { passKey: "good" }],
          [
            "decide",
            "decision",
            { loop: { id: "l", budget, passKey: "good", proves: "it is good", body: ["work", "judge"] } },
          ],
          ["manual", "human", { outcomes: ["done"] }],
          ["end", "end"],
          ["failed", "end", { outcome: "failed" }],
        ],
        [
          ["begin", "work"],
          ["work", "judge"],
          ["judge", "decide"],
          ["judge", "failed", "error"],
          ["decide", "end", "pass"],
          ["decide", "work", "fail"],
          ["decide", "manual", "exhausted"],
          ["decide", "failed", "error"],
          ["manual", "end"],
        ],
      );
    const test = testEngine({ functions: { judge: () => false as never } });
    accepted(await test.engine.deploy(loop(3)));
    accepted(await test.engine.start({ workflow: "loop", id: "r" }));
    const run = test.engine.run("r");
    accepted(await run.complete({ node: "work", ...ANN }));
    const to = accepted(await test.engine.deploy(loop(2))).hash;
    accepted(await test.engine.operations.migrate({ run: "r", to: { hash: to }, ...OP }));
    accepted(await run.complete({ node: "work", ...ANN }));
    accepted(await run.complete({ node: "work", ...ANN }));
    expect(await run.state()).toMatchObject({ tokens: ["manual"] });
    accepted(await run.complete({ node: "manual", ...ANN }));
    expect(await run.result()).toMatchObject({ status: "completed" });
    expect((await test.engine.audit()).isSound).toBe(true);
  });

  it("[D9.24] no item id comes twice, though a node goes and comes back", async () => {
    const { engine, operations, run, from, to } = await waiting(line("a", "b"), line("b"));
    accepted(await operations.migrate({ run: "r", to: { hash: to }, mapping: { nodes: { a: "b" } }, ...OP }));
    accepted(
      await operations.migrate({ run: "r", to: { hash: from }, mapping: { nodes: { b: "a" } }, ...OP }),
    );
    accepted(await run.complete({ node: "a", ...ANN }));
    expect(await run.state()).toMatchObject({ items: [{ node: "b" }] });
    expect((await engine.audit()).isSound).toBe(true);
  });
});

describe("all runs", () => {
  it("[D9.25] a mapping is proved over every marking at rest, or refused with the marking", async () => {
    const { operations, from, to } = await waiting(line("a", "b", "c"), line("a", "c"));
    const request = { from, to: { hash: to } };
    expect(await operations.proveMigration(request)).toMatchObject({
      code: "unproved",
      facts: { places: expect.any(Array) },
    });
    expect(await operations.proveMigration({ ...request, mapping: { nodes: { b: "c" } } })).toEqual({
      kind: "proved",
      markings: 4,
      searched: 0,
    });
  });

  it("[D9.24] each run of a batch is moved or refused for itself; a dry run moves none", async () => {
    const { engine, operations, run, from, to } = await waiting(line("a", "b", "c"), line("a", "c"));
    accepted(await engine.start({ workflow: { hash: from }, id: "s" }));
    accepted(await run.complete({ node: "a", ...ANN }));
    const order = { from, to: { hash: to }, ...OP };
    const planned = accepted(await operations.migrateAll({ ...order, isDryRun: true }));
    expect(planned.runs.map(({ run: id, result }) => [id, result.kind])).toEqual([
      ["s", "migrated"],
      ["r", "refused"],
    ]);
    accepted(await operations.migrateAll(order));
    expect(await run.state()).toMatchObject({ definition: from });
    expect(await engine.run("s").state()).toMatchObject({ definition: to, tokens: ["a"] });
    expect((await engine.audit()).isSound).toBe(true);
  });
});
