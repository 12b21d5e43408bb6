/** @module Closing: what is under way is drained or given back, and nothing of the engine keeps a process alive. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { answers, HANGS, scriptedPort, testEngine } from "../src/testing.ts";
import { single } from "./definitions.ts";

describe("closing", () => {
  it("[D9.15] may be done twice, and refuses what comes after it", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    expect([
      await engine.deploy(single("v", ["h", "human"], ["done"])),
      await engine.start({ workflow: "w" }),
      await engine.run("r").cancel(),
      await engine.workItems.claim({ task: "r/h.1", by: { id: "ann" } }),
      await engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }),
    ]).toMatchObject(Array.from({ length: 5 }, () => ({ kind: "refused", code: "closed" })));
    expect(accepted(await engine.run("r").state()).status).toBe("waiting");
  });

  it("[D9.15] waits for a job that is under way, and commits its answer", async () => {
    let answer = (_: undefined): void => {};
    const { engine, settle } = testEngine({
      ports: {
        t: () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      },
    });
    accepted(await engine.deploy(single("w", ["t", "tool"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    let isClosed = false;
    const closing = engine.close({ drainMs: 60_000 }).then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    answer(undefined);
    await closing;
    expect(await engine.run("r").state()).toMatchObject({ status: "completed" });
  });

  it("[D9.15] after its time gives the job back: the next engine begins it at once, with the same key", async () => {
    const store = memoryStore();
    const port = scriptedPort([HANGS, answers()]);
    const first = testEngine({ store, ports: { t: port.port } });
    accepted(await first.engine.deploy(single("w", ["t", "tool"])));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    await first.settle();
    const closing = first.engine.close({ drainMs: 1_000 });
    await first.clock.advance(1_000);
    await closing;
    expect(port.calls[0]?.signal.aborted).toBe(true);
    const second = testEngine({ store, clock: first.clock, ports: { t: port.port } });
    second.engine.resume();
    await second.settle();
    expect(port.calls.map(({ idempotencyKey, attempt }) => [idempotencyKey, attempt])).toEqual([
      ["r/t.1", 1],
      ["r/t.1", 1],
    ]);
    expect(await second.engine.run("r").result()).toMatchObject({ status: "completed" });
  });

  it("[D9.15] an engine without background work claims nothing", async () => {
    const port = scriptedPort([answers()]);
    const { engine, settle, clock, store } = testEngine({ ports: { t: port.port }, concurrency: 0 });
    accepted(await engine.deploy(single("w", ["t", "tool"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    engine.resume();
    await settle();
    await clock.advance("P1D");
    expect(port.calls).toHaveLength(0);
    expect(await store.nextEffect()).not.toBeNull();
  });

  it("[D9.15] nothing runs before resume or the first turn", async () => {
    const store = memoryStore();
    const first = testEngine({ store, concurrency: 0 });
    accepted(await first.engine.deploy(single("w", ["t", "tool"])));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    const port = scriptedPort([answers()]);
    const second = testEngine({ store, ports: { t: port.port } });
    await second.settle();
    expect(port.calls).toHaveLength(0);
    second.engine.resume();
    await second.settle();
    expect(port.calls).toHaveLength(1);
  });
});

const DIST = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** A program that uses a real clock, a job, a timer and a waiter, closes, and says what is left. */
const PROGRAM = `
  const { createEngine } = await import("@tessera/engine");
  const { memoryStore } = await import("@tessera/persist");
  const before = ["SIGINT", "SIGTERM", "exit", "uncaughtException", "unhandledRejection"].map((event) => process.listenerCount(event)).join();
  const engine = createEngine({ store: memoryStore(), ports: { t: () => undefined } });
  const nodes = [["t", "tool"], ["d", "timer", { duration: "PT0.05S" }], ["later", "timer", { duration: "P1D" }], ["z", "end"], ["e", "end"]];
  const arcs = [["t", "d"], ["t", "e", "error"], ["d", "later"], ["later", "z"]];
  const definition = { format: 1, kind: "workflow", id: "w", entry: "t",
    nodes: nodes.map(([id, kind, meta]) => ({ id, kind, ...(meta ? { meta } : {}) })),
    arcs: arcs.map(([from, to, outcome]) => ({ from, to, ...(outcome ? { outcome } : {}) })) };
  await engine.deploy(definition);
  const run = await engine.start({ workflow: "w" });
  const waiting = run.result();
  const isThere = async () => (await run.state()).items.some((item) => item.node === "later");
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 10));
  await engine.close();
  const result = await waiting;
  const after = ["SIGINT", "SIGTERM", "exit", "uncaughtException", "unhandledRejection"].map((event) => process.listenerCount(event)).join();
  await new Promise((resolve) => setImmediate(resolve));
  const open = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap" && name !== "TTYWrap");
  process.stdout.write(JSON.stringify({ reason: result.reason, isSame: before === after, open }));
`;

describe("a program with a closed engine", () => {
  it("[D9.15] exits by itself: no timer, no handle, no listener of the process is left", () => {
    expect(existsSync(DIST), "build first: tsc -b packages/engine").toBe(true);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", PROGRAM],
      {
        cwd: fileURLToPath(new URL("..", import.meta.url)),
        encoding: "utf8",
        timeout: 50_000,
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ reason: "closed", isSame: true, open: [] });
  });
});
