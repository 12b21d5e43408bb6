/** @module Jobs and those who work on them: in parallel, under a lease, held for operators. */
import type { HandlerResult, JsonObject } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Port } from "../src/index.ts";
import { answers, HANGS, scriptedPort, testEngine } from "../src/testing.ts";
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

describe("operators", () => {
  it("[D9.8] [OH-71] a port that is not registered holds the job, under its own id and key, until somebody retries", async () => {
    const store = memoryStore();
    const first = await started(undefined, {}, {}, { store });
    const [item] = (await first.engine.workItems.list({ kind: "intervention" })).rows;
    expect(item).toMatchObject({ id: "r/t.1", reason: { code: "PORT_MISSING" } });
    expect(accepted(await first.run.state())).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
    await first.engine.close();
    const port = scriptedPort([answers()]);
    const { engine, settle } = testEngine({ store, ports: { t: port.port } });
    engine.resume();
    await settle();
    expect(port.calls).toHaveLength(0);
    accepted(await engine.workItems.retry({ task: "r/t.1", by: { id: "op" }, reason: "deployed" }));
    await settle();
    expect(port.calls).toMatchObject([{ idempotencyKey: "r/t.1" }]);
    expect(await engine.run("r").result()).toMatchObject({ status: "completed" });
  });

  it("[D9.8] a job whose process dies every time is held in the end", async () => {
    const store = memoryStore();
    const { engine, clock, settle } = testEngine({ store, concurrency: 0 });
    accepted(await engine.deploy(job()));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    for (let death = 0; death < 3; death += 1) {
      await store.claimEffects("dead", clock.now(), 1_000, 1);
      await clock.advance(1_000);
    }
    const alive = testEngine({ store, clock, ports: { t: () => undefined }, limits: { claimsMax: 3 } });
    alive.engine.resume();
    await settle();
    await alive.settle();
    expect(accepted(await alive.engine.run("r").state())).toMatchObject({
      items: [{ kind: "intervention", reason: { code: "JOB_LOST", facts: { claims: 3 } } }],
    });
  });
});

describe("parallel jobs", () => {
  const parallel = (count: number) => {
    const ids = Array.from({ length: count }, (_, index) => `t${index}`);
    return flow(
      "w",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ...ids.flatMap((id) => [[id, "tool", { port: "p" }] as const, [`m${id}`, "gateway"] as const]),
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ...ids.flatMap(
          (id) =>
            [
              ["s", id],
              [id, `m${id}`],
              [id, `m${id}`, "error"],
              [`m${id}`, "j"],
            ] as const,
        ),
        ["j", "z"],
      ],
    );
  };

  it("[D9.8] two jobs run at the same time: each waits for the other", async () => {
    let waiting: (() => void)[] = [];
    const barrier: Port = () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(undefined));
        if (waiting.length === 2) for (const open of waiting) open();
      });
    const { engine, settle } = testEngine({ ports: { p: barrier }, concurrency: 2 });
    accepted(await engine.deploy(parallel(2)));
    const run = accepted(await engine.start({ workflow: "w" }));
    await settle();
    expect(await run.result({ timeoutMs: 0 })).toMatchObject({ status: "completed" });
    waiting = [];
  });

  it("[D9.8] no more jobs than the limit run at a time, and all of them run", async () => {
    let now = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const port: Port = () => {
      now += 1;
      most = Math.max(most, now);
      return new Promise((resolve) =>
        release.push(() => {
          now -= 1;
          resolve(undefined);
        }),
      );
    };
    const { engine, settle } = testEngine({ ports: { p: port }, concurrency: 3 });
    accepted(await engine.deploy(parallel(6)));
    const run = accepted(await engine.start({ workflow: "w" }));
    for (let done = 0; done < 6; done += 1) {
      await settle();
      release.shift()?.();
    }
    await settle();
    expect(most).toBe(3);
    expect(await run.result({ timeoutMs: 0 })).toMatchObject({ status: "completed" });
  });

  it("[D9.8] a cancelled run aborts its jobs, and their answers change nothing", async () => {
    let answer = (_: HandlerResult): void => {};
    const signals: AbortSignal[] = [];
    const { run, settle, store } = await started(({ signal }) => {
      signals.push(signal);
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    accepted(await run.cancel({ by: { id: "ann" } }));
    expect(signals[0]?.aborted).toBe(true);
    answer({ patch: { late: true } });
    await settle();
    expect(await run.result()).toMatchObject({ status: "cancelled", data: {} });
    expect(await store.nextEffect()).toBeNull();
  });

  it("[D9.8] a deadline on a job aborts it and goes on under expired", async () => {
    const port = scriptedPort([HANGS]);
    const { engine, clock, settle, store } = testEngine({ ports: { t: port.port } });
    accepted(
      await engine.deploy(
        single("w", ["t", "tool", { deadline: "PT5S", timeout: "PT1H" }], ["done", "error", "expired"]),
      ),
    );
    const run = accepted(await engine.start({ workflow: "w" }));
    await settle();
    await clock.advance(5_000);
    expect(port.calls[0]?.signal.aborted).toBe(true);
    expect(await run.result()).toMatchObject({ outcomes: ["expired"] });
    expect(await store.nextEffect()).toBeNull();
  });
});

describe("leases", () => {
  it("[D9.8] a long job keeps its lease, so nobody else begins it", async () => {
    const store = memoryStore();
    const port = scriptedPort([HANGS]);
    const first = await started(port.port, { timeout: "PT1H" }, {}, { store, limits: { leaseMs: 9_000 } });
    await first.clock.advance(60_000);
    expect(await store.claimEffects("thief", first.clock.now(), 1, 10)).toEqual([]);
    expect(port.calls[0]?.signal.aborted).toBe(false);
  });

  it("[D9.8] who lost the lease is told to stop, and only the other's answer counts", async () => {
    const store = memoryStore();
    const slow: ((value: unknown) => void)[] = [];
    const first = await started(
      () => new Promise((resolve) => slow.push(resolve as never)),
      { timeout: "PT1H" },
      {},
      { store, limits: { leaseMs: 9_000 } },
    );
    // The first worker is cut off from its clock: its lease ends unrenewed.
    await first.clock.jumpTo(first.clock.now());
    const [stolen] = await store.claimEffects("thief", first.clock.now() + 9_001, 9_000, 1);
    expect(stolen?.effect.id).toBe("r/t.1");
    slow[0]?.({ patch: { by: "first" } });
    await first.settle();
    expect(accepted(await first.run.state())).toMatchObject({ status: "running", data: {} });
  });
});

describe("two processes", () => {
  it("[D9.8] a worker that remembers an older state of the run neither drops nor forgets a job that another one opened", async () => {
    const port = scriptedPort([answers()]);
    const worker = testEngine({ ports: { t: port.port }, pollMs: 1_000 });
    const other = testEngine({ store: worker.store, clock: worker.clock, concurrency: 0 });
    accepted(
      await worker.engine.deploy(
        flow(
          "w",
          [
            ["h", "human"],
            ["k", "human"],
            ["t", "tool"],
            ["z", "end"],
            ["e", "end"],
          ],
          [
            ["h", "k"],
            ["k", "t"],
            ["t", "z"],
            ["t", "e", "error"],
          ],
        ),
      ),
    );
    accepted(await worker.engine.start({ workflow: "w", id: "r" }));
    accepted(await worker.engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
    accepted(await other.engine.workItems.complete({ task: "r/k.1", by: { id: "ann" } }));
    await worker.clock.advance(1_000);
    expect(port.calls).toHaveLength(1);
    expect(await worker.engine.run("r").result()).toMatchObject({ status: "completed" });
  });
});
