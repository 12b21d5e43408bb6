/** @module What operators do to running instances. */
import type { JsonObject } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, reconciled } from "../src/index.ts";
import { answers, HANGS, scriptedPort, type TestOptions, testEngine, throws } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const OP = { by: { id: "op" }, reason: "repair" };

const LINE = flow(
  "line",
  [
    ["begin", "start"],
    ["pay", "tool", { retry: { attempts: 2, backoffMs: 10, nonRetryable: ["DECLINED"], deadLetter: true } }],
    ["ship", "human", { outcomes: ["done"] }],
    ["end", "end"],
    ["failed", "end", { outcome: "failed" }],
  ],
  [
    ["begin", "pay"],
    ["pay", "ship"],
    ["pay", "failed", "error"],
    ["ship", "end"],
  ],
);

async function line(options: TestOptions = {}, data: JsonObject = {}) {
  const test = testEngine(options);
  accepted(await test.engine.deploy(LINE));
  const run = accepted(await test.engine.start({ workflow: "line", id: "r", data }));
  await test.settle();
  return { ...test, run, operations: test.engine.operations };
}

/** A run whose job was held because its port threw once too often. */
async function held(more: TestOptions = {}) {
  const port = scriptedPort([
    throws(Object.assign(new Error("no"), { code: "DECLINED" })),
    answers({ patch: { paid: true } }),
  ]);
  return { ...(await line({ ports: { pay: port.port }, ...more })), port };
}

describe("dead letters", () => {
  it("[D9.8] a code that no repetition can mend makes a dead letter at once: an intervention with the reason", async () => {
    const { engine, port } = await held();
    const { rows } = await engine.workItems.list({ kind: "intervention" });
    expect(rows).toMatchObject([{ id: "r/pay.1", node: "pay", reason: { code: "DECLINED" } }]);
    expect(port.calls).toHaveLength(1);
  });

  it("[D9.8] otherwise after the last attempt", async () => {
    const port = scriptedPort([throws(new Error("down"))]);
    const { engine, clock } = await line({ ports: { pay: port.port } });
    expect((await engine.workItems.list({ kind: "intervention" })).rows).toEqual([]);
    await clock.advance(20);
    expect((await engine.workItems.list({ kind: "intervention" })).rows).toMatchObject([
      { reason: { code: "PORT_THREW" } },
    ]);
    expect(port.calls).toHaveLength(2);
  });

  it("[D9.8] without a dead letter the job takes error", async () => {
    const port = scriptedPort([throws(Object.assign(new Error("no"), { code: "DECLINED" }))]);
    const test = testEngine({ ports: { t: port.port } });
    accepted(
      await test.engine.deploy(
        single("w", ["t", "tool", { retry: { attempts: 5, nonRetryable: ["DECLINED"] } }]),
      ),
    );
    const run = accepted(await test.engine.start({ workflow: "w", id: "r" }));
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["error"] });
    expect(port.calls).toHaveLength(1);
  });

  it("[D9.8] retried, the job sees D as it is now, under the same key", async () => {
    const { engine, operations, run, port, settle } = await held();
    accepted(await operations.edit({ run: "r", data: { card: "new" }, ...OP }));
    accepted(await engine.workItems.retry({ task: "r/pay.1", ...OP }));
    await settle();
    expect(port.calls.map(({ data, idempotencyKey }) => ({ data, idempotencyKey }))).toEqual([
      { data: {}, idempotencyKey: "r/pay.1" },
      { data: { card: "new" }, idempotencyKey: "r/pay.1" },
    ]);
    expect(await run.state()).toMatchObject({ tokens: ["ship"], data: { card: "new", paid: true } });
    expect((await engine.audit()).isSound).toBe(true);
  });
});

describe("reconciliation", () => {
  it("[D9.8] before a repetition the port is asked what became of the call before, and its answer counts", async () => {
    let calls = 0;
    const call = () => {
      calls += 1;
      throw new Error("the answer was lost");
    };
    const pay = reconciled(call, () => ({ patch: { paid: "yes" } }));
    const { run, clock } = await line({ ports: { pay } });
    expect(calls).toBe(1);
    await clock.advance(20);
    expect(calls).toBe(1);
    expect(await run.state()).toMatchObject({ tokens: ["ship"], data: { paid: "yes" } });
  });

  it("[D9.8] null: the effect was not done, so the port is called", async () => {
    const port = scriptedPort([throws(new Error("down")), answers({ patch: { paid: 2 } })]);
    const { run, clock } = await line({ ports: { pay: reconciled(port.port, () => null) } });
    await clock.advance(20);
    expect(port.calls).toHaveLength(2);
    expect(await run.state()).toMatchObject({ data: { paid: 2 } });
  });
});

describe("skip", () => {
  it("[D9.4] takes a held job out under an outcome, with data, and says by whom and why", async () => {
    const { engine, operations, run } = await held();
    accepted(await operations.skip({ task: "r/pay.1", outcome: "done", data: { paid: "by hand" }, ...OP }));
    expect(await run.state()).toMatchObject({ tokens: ["ship"], data: { paid: "by hand" } });
    const { events } = accepted(await engine.history("r"));
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: "input",
        by: "op",
        input: expect.objectContaining({ kind: "skip", reason: "repair" }),
      }),
    );
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.4] takes a token out that waits before a node whose function is missing", async () => {
    const store = memoryStore();
    accepted(
      await testEngine({ store, functions: { t: () => undefined } }).engine.deploy(
        single("w", ["t", "transform"]),
      ),
    );
    const { engine } = testEngine({ store });
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const [task] = (await engine.workItems.list({ kind: "intervention" })).rows;
    expect(task).toMatchObject({ node: "t", reason: { code: "FUNCTION_MISSING" } });
    accepted(await engine.operations.skip({ task: task?.id ?? "", outcome: "done", data: { x: 1 }, ...OP }));
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["done"], data: { x: 1 } });
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.4] refuses an outcome that the node does not have, and what is no intervention", async () => {
    const { operations, engine } = await held();
    expect(await operations.skip({ task: "r/pay.1", outcome: "elsewhere", ...OP })).toMatchObject({
      code: "unknown-outcome",
    });
    accepted(await operations.skip({ task: "r/pay.1", outcome: "done", ...OP }));
    const [task] = (await engine.workItems.list()).rows;
    expect(await operations.skip({ task: task?.id ?? "", outcome: "done", ...OP })).toMatchObject({
      code: "wrong-kind",
    });
  });
});

describe("reroute", () => {
  it("[D9.20] puts the token before another node from which the run can complete", async () => {
    const { engine, operations, run } = await held();
    accepted(await operations.reroute({ task: "r/pay.1", to: "ship", ...OP }));
    expect(await run.state()).toMatchObject({
      tokens: ["ship"],
      status: "waiting",
      items: [{ id: "ship.1", kind: "work-item" }],
    });
    expect((await engine.audit()).isSound).toBe(true);
    expect(accepted(await engine.replay("r"))).toMatchObject({ tokens: ["ship"] });
  });

  it("[D9.20] is refused with the marking as witness where the run could not complete", async () => {
    const fork = flow(
      "fork",
      [
        ["begin", "start"],
        ["split", "gateway", undefined, { split: "all" }],
        ["a", "tool", { retry: { attempts: 1, deadLetter: true } }],
        ["b", "human", { outcomes: ["done"] }],
        ["join", "gateway", undefined, { join: "all" }],
        ["end", "end"],
        ["failed", "end", { outcome: "failed", terminate: true }],
      ],
      [
        ["begin", "split"],
        ["split", "a"],
        ["split", "b"],
        ["a", "join"],
        ["a", "failed", "error"],
        ["b", "join"],
        ["join", "end"],
      ],
    );
    const test = testEngine({ ports: { a: scriptedPort([throws(new Error("no"))]).port } });
    accepted(await test.engine.deploy(fork));
    accepted(await test.engine.start({ workflow: "fork", id: "r" }));
    await test.settle();
    const { operations } = test.engine;
    const before = await test.engine.run("r").state();
    expect(await operations.reroute({ task: "r/a.1", to: "end", ...OP })).toMatchObject({
      code: "unproved",
      facts: { marking: expect.any(Object), obligations: expect.any(Array) },
    });
    expect(await test.engine.run("r").state()).toEqual(before);
    expect(accepted(await operations.reroute({ task: "r/a.1", to: "join", ...OP }))).toMatchObject({
      kind: "done",
    });
    expect(await operations.reroute({ task: "r/a.1", to: "nowhere", ...OP })).toMatchObject({
      code: "not-open",
    });
  });
});

describe("edit", () => {
  it("[D9.4] changes D once for a command id, with its reason, and refuses without one", async () => {
    const { engine, operations, run } = await line(
      { ports: { pay: scriptedPort([HANGS]).port } },
      { a: 1, b: 2 },
    );
    const request = { run: "r", data: { a: [1], b: undefined }, commandId: "c", ...OP };
    const first = accepted(await operations.edit(request));
    expect(accepted(await operations.edit(request))).toMatchObject({
      sequence: first.sequence,
      isRepeated: true,
    });
    expect(await run.state()).toMatchObject({ data: { a: [1] } });
    expect(await operations.edit({ ...request, commandId: "d", reason: " " })).toMatchObject({
      code: "invalid",
    });
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.4] refuses a pass key, which its verifier alone writes", async () => {
    const test = testEngine({ functions: { judge: () => true as never } });
    const judged = flow(
      "judged",
      [
        ["begin", "start"],
        ["wait", "human", { outcomes: ["done"] }],
        ["judge", "verifier", { passKey: "good" }],
        [
          "decide",
          "decision",
          { loop: { id: "l", budget: 1, passKey: "good", proves: "it", body: ["judge"] } },
        ],
        ["end", "end"],
        ["failed", "end", { outcome: "failed" }],
      ],
      [
        ["begin", "wait"],
        ["wait", "judge"],
        ["judge", "decide"],
        ["judge", "failed", "error"],
        ["decide", "end", "pass"],
        ["decide", "judge", "fail"],
        ["decide", "failed", "exhausted"],
        ["decide", "failed", "error"],
      ],
    );
    accepted(
      await test.engine.deploy(judged, { accept: [{ obligation: "O8", reason: "a test", by: "op" }] }),
    );
    accepted(await test.engine.start({ workflow: "judged", id: "r" }));
    expect(await test.engine.operations.edit({ run: "r", data: { good: true }, ...OP })).toMatchObject({
      code: "invalid-data",
      facts: { keys: ["good"] },
    });
  });

  it("[D9.6] refuses whom the application does not allow", async () => {
    const allowed = { current: true };
    const { operations } = await line({
      ports: { pay: scriptedPort([HANGS]).port },
      authorize: () => allowed.current,
    });
    allowed.current = false;
    expect(await operations.edit({ run: "r", data: { a: 1 }, ...OP })).toMatchObject({
      code: "unauthorized",
    });
  });
});

describe("suspension", () => {
  it("[D9.22] nothing is called and nothing comes due until the run is resumed", async () => {
    const port = scriptedPort([HANGS, answers()]);
    const { engine, operations, run, settle } = await line({ ports: { pay: port.port } });
    accepted(await operations.suspend({ run: "r", ...OP }));
    expect(port.calls[0]?.signal.aborted).toBe(true);
    expect(await run.state()).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
    expect(await operations.suspend({ run: "r", ...OP })).toMatchObject({ code: "suspended" });
    await settle();
    expect(port.calls).toHaveLength(1);
    accepted(await operations.resume({ run: "r", ...OP }));
    await settle();
    expect(port.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["r/pay.1", "r/pay.1"]);
    expect(await run.state()).toMatchObject({ tokens: ["ship"] });
    expect(await operations.resume({ run: "r", ...OP })).toMatchObject({ code: "stale" });
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.22] a person cannot complete, and a timer fires late, once", async () => {
    const wait = flow(
      "wait",
      [
        ["begin", "start"],
        ["pause", "timer", { duration: "PT1H" }],
        ["end", "end"],
      ],
      [
        ["begin", "pause"],
        ["pause", "end"],
      ],
    );
    const { engine, clock } = testEngine();
    accepted(await engine.deploy(wait));
    const run = accepted(await engine.start({ workflow: "wait", id: "r" }));
    accepted(await engine.operations.suspend({ run: "r", ...OP }));
    await clock.advance("PT2H");
    expect(await run.state()).toMatchObject({ tokens: ["pause"] });
    accepted(await engine.operations.resume({ run: "r", ...OP }));
    expect(await run.result()).toMatchObject({ status: "completed" });
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.22] survives a restart, and a suspended run can be cancelled", async () => {
    const store = memoryStore();
    const { operations } = await line({ store, ports: { pay: scriptedPort([HANGS]).port } });
    accepted(await operations.suspend({ run: "r", ...OP }));
    const other = testEngine({ store, ports: { pay: scriptedPort([answers()]).port } });
    other.engine.resume();
    await other.settle();
    expect(await other.engine.run("r").state()).toMatchObject({ tokens: ["pay"], modes: ["waiting_human"] });
    accepted(await other.engine.run("r").cancel({ by: OP.by, reason: "enough" }));
    expect(await other.engine.run("r").result()).toMatchObject({ status: "cancelled" });
    expect((await other.engine.audit()).isSound).toBe(true);
  });
});
