/** @module Jobs: what a port sees, answers and throws. */
import type { HandlerResult, JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { accepted, type Port } from "../src/index.ts";
import { answers, HANGS, scriptedPort, testEngine, throws } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const job = (meta: JsonObject = {}) => single("w", ["t", "tool", meta]);

async function started(
  port: Port | undefined,
  meta: JsonObject = {},
  data: JsonObject = {},
  more: Parameters<typeof testEngine>[0] = {},
) {
  const test = testEngine({ ...(port === undefined ? {} : { ports: { t: port } }), ...more });
  accepted(await test.engine.deploy(job(meta)));
  const run = accepted(await test.engine.start({ workflow: "w", id: "r", data }));
  await test.settle();
  return { ...test, run };
}

describe("answers", () => {
  it("[D9.8] a port sees its data, its key, its attempt, its node and its run", async () => {
    const port = scriptedPort([answers({ patch: { seen: true } })]);
    const { run, clock } = await started(port.port, { inputs: { url: "u" } }, { a: 1 });
    expect(port.calls).toMatchObject([
      {
        data: { a: 1 },
        idempotencyKey: "r/t.1",
        attempt: 1,
        now: clock.now(),
        run: "r",
        node: { id: "t", meta: { inputs: { url: "u" } } },
      },
    ]);
    expect(await run.result()).toMatchObject({
      status: "completed",
      outcomes: ["done"],
      data: { a: 1, seen: true },
    });
  });

  it("[D9.8] what a port does to its data changes nothing but its copy", async () => {
    const { run } = await started(
      ({ data }) => {
        (data as { a?: unknown }).a = "stolen";
        return undefined;
      },
      {},
      { a: { b: 1 } },
    );
    expect(await run.result()).toMatchObject({ data: { a: { b: 1 } } });
  });

  it.each<readonly [string, unknown, string]>([
    ["a text", "yes", "BODY_INVALID"],
    ["an unknown member", { result: 1 }, "BODY_INVALID"],
    ["a label that the node does not have", { outcome: "elsewhere" }, "OUTCOME_UNKNOWN"],
    ["the clock's label", { outcome: "expired" }, "OUTCOME_UNKNOWN"],
    ["something that is no JSON", { patch: { x: 1n } }, "DATA_INVALID"],
    [
      "a cycle",
      (() => {
        const x: Record<string, unknown> = {};
        x["x"] = x;
        return { patch: { x } };
      })(),
      "DATA_INVALID",
    ],
    ["more than a message may hold", { patch: { x: "0123456789".repeat(20) } }, "MESSAGE_LIMIT"],
    [
      "a mutation against the constraints",
      {
        mutation: {
          create: [{ id: "a", type: "t", payload: {}, links: [{ to: "b" }] }],
          update: [],
          delete: [],
        },
      },
      "GATE_REJECTED",
    ],
  ])("[D9.8] %s is the error outcome, and is not asked again", async (_, value, code) => {
    const port = scriptedPort([answers(value as never)]);
    const { run, engine } = await started(
      port.port,
      { retry: { attempts: 5 } },
      {},
      { limits: { messageBytesMax: 150 } },
    );
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["error"], data: {} });
    expect(port.calls).toHaveLength(1);
    const { events } = accepted(await engine.history("r"));
    expect(
      events.flatMap((event) => (event.kind === "step" && event.trouble ? [event.trouble.code] : [])),
    ).toContain(code);
  });

  it("[D9.8] a node that says what it reads shows its port nothing else", async () => {
    const port = scriptedPort([answers()]);
    const { engine, settle } = testEngine({ ports: { t: port.port } });
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["t", "tool", {}, { reads: ["a"], writes: ["b"] }],
            ["z", "end"],
            ["e", "end"],
          ],
          [
            ["t", "z"],
            ["t", "e", "error"],
          ],
        ),
      ),
    );
    await engine.start({ workflow: "w", data: { a: 1, b: 2, secret: 3 } });
    await settle();
    expect(port.calls[0]?.data).toEqual({ a: 1, b: 2 });
  });
});

describe("failed attempts", () => {
  it("[D9.8] [HZ-47] a throw is tried again by the policy, then becomes the error outcome with its code", async () => {
    const fault = Object.assign(new Error("down"), { code: "ECONNREFUSED" });
    const port = scriptedPort([throws(fault)]);
    const { run, clock, engine } = await started(port.port, {
      retry: { attempts: 3, backoffMs: 1_000, factor: 2 },
    });
    expect(port.calls).toHaveLength(1);
    expect(accepted(await run.state())).toMatchObject({ status: "running", items: [{ attempt: 1 }] });
    await clock.advance(999);
    expect(port.calls).toHaveLength(1);
    await clock.advance(1);
    expect(port.calls).toHaveLength(2);
    await clock.advance(2_000);
    expect(port.calls.map(({ attempt, idempotencyKey }) => [attempt, idempotencyKey])).toEqual([
      [1, "r/t.1"],
      [2, "r/t.1"],
      [3, "r/t.1"],
    ]);
    expect(await run.result()).toMatchObject({ outcomes: ["error"] });
    const { events } = accepted(await engine.history("r"));
    expect(events.at(-2)).toMatchObject({
      node: "t",
      outcome: "error",
      trouble: { code: "ECONNREFUSED", message: "down" },
    });
  });

  it("[D9.8] every attempt sees the same data, whatever happens in the run meanwhile", async () => {
    const port = scriptedPort([throws(new Error("no")), answers()]);
    const { engine, clock, settle } = testEngine({ ports: { t: port.port } });
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["s", "gateway", undefined, { split: "all" }],
            ["t", "tool", { retry: { attempts: 2, backoffMs: 1_000 } }],
            ["h", "human"],
            ["j", "gateway", undefined, { join: "all" }],
            ["z", "end"],
            ["m", "gateway"],
          ],
          [
            ["s", "t"],
            ["s", "h"],
            ["t", "m"],
            ["t", "m", "error"],
            ["m", "j"],
            ["h", "j"],
            ["j", "z"],
          ],
        ),
      ),
    );
    accepted(await engine.start({ workflow: "w", id: "r", data: { a: 1 } }));
    await settle();
    accepted(await engine.workItems.complete({ task: "r/h.1", by: { id: "ann" }, data: { a: 2 } }));
    await clock.advance(1_000);
    expect(port.calls.map(({ data }) => data)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(await engine.run("r").result()).toMatchObject({ status: "completed", data: { a: 2 } });
  });

  it.each<readonly [string, unknown, string]>([
    ["a text", "plain", "plain"],
    ["nothing", undefined, "undefined"],
    ["an object without text", Object.create(null), "something that has no text was thrown"],
    ["a lone surrogate", new Error("\ud800"), "\ufffd"],
  ])("[D9.8] %s can be thrown", async (_, thrown, message) => {
    const { run, engine } = await started(scriptedPort([throws(thrown)]).port);
    expect(await run.result()).toMatchObject({ outcomes: ["error"] });
    const { events } = accepted(await engine.history("r"));
    expect(events.at(-2)).toMatchObject({ trouble: { code: "PORT_THREW", message } });
  });

  it("[D9.8] a port that hangs is told to stop when its time is up, and its slot is free again", async () => {
    const port = scriptedPort([HANGS, answers()]);
    const { run, clock } = await started(
      port.port,
      { timeout: "PT10S", retry: { attempts: 2, backoffMs: 0 } },
      {},
      { concurrency: 1 },
    );
    expect(port.calls[0]?.signal.aborted).toBe(false);
    await clock.advance(10_000);
    expect(port.calls[0]?.signal.aborted).toBe(true);
    expect(port.calls).toHaveLength(2);
    expect(await run.result()).toMatchObject({ outcomes: ["done"] });
  });

  it("[D9.8] an answer that comes after its time is nobody's business", async () => {
    let answer = (_: HandlerResult): void => {};
    const { run, clock, settle } = await started(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
      { timeout: "PT1S" },
    );
    await clock.advance(1_000);
    answer({ patch: { late: true } });
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["error"], data: {} });
  });

  it("[D9.8] jitter comes from the engine's random numbers", async () => {
    const port = scriptedPort([throws(1), answers()]);
    const { clock } = await started(
      port.port,
      { retry: { attempts: 2, backoffMs: 1_000, jitter: 1 } },
      {},
      { random: () => 0.75 },
    );
    await clock.advance(249);
    expect(port.calls).toHaveLength(1);
    await clock.advance(1);
    expect(port.calls).toHaveLength(2);
  });
});
