/** @module Forks: a new run that begins where another one was after one of its turns, and what is in its way. */
import { type JsonObject, objectsOf } from "@tessera/core";
import type { Turn } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { answers, HANGS, scriptedPort, type TestOptions, testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

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

describe("fork", () => {
  it("[D9.21] begins a new run where another one was, which stays as it is", async () => {
    const port = scriptedPort([answers({ patch: { paid: 1 } })]);
    const { engine, operations, settle } = await line({ ports: { pay: port.port } }, { a: 1 });
    const before = await engine.run("r").state();
    const forked = accepted(await operations.fork({ run: "r", at: 1, id: "f", ...OP }));
    expect(forked).toMatchObject({ run: "f", isNew: true });
    await settle();
    expect(port.calls.map(({ idempotencyKey, data }) => [idempotencyKey, data])).toEqual([
      ["r/pay.1", { a: 1 }],
      ["f/pay.1", { a: 1 }],
    ]);
    expect(await engine.run("f").state()).toMatchObject({ tokens: ["ship"], data: { a: 1, paid: 1 } });
    expect(await engine.run("r").state()).toEqual(before);
    expect(accepted(await operations.fork({ run: "r", at: 1, id: "f", ...OP }))).toMatchObject({
      isNew: false,
    });
    expect(await operations.fork({ run: "r", at: 2, id: "f", ...OP })).toMatchObject({ code: "exists" });
    expect(await operations.fork({ run: "r", at: 9, ...OP })).toMatchObject({ code: "not-found" });
    expect((await engine.audit()).isSound).toBe(true);
  });

  it("[D9.21] says what is in the way: a run under the id, or a graph of this name without a run", async () => {
    const create = { create: [{ id: "x", type: "thing", payload: {}, links: [] }], update: [], delete: [] };
    const { engine, operations, store } = await line({
      ports: { pay: scriptedPort([HANGS]).port },
      functions: { make: () => ({ mutation: create }) },
    });
    const fork = (id: string, at = 1) => operations.fork({ run: "r", at, id, ...OP });
    accepted(await engine.start({ workflow: "line", id: "taken" }));
    expect(await fork("taken")).toMatchObject({ code: "exists", facts: { run: "taken" } });
    accepted(await fork("f"));
    expect(await operations.fork({ run: "taken", at: 1, id: "f", ...OP })).toMatchObject({
      code: "exists",
      message: expect.stringContaining('run "r" after its turn 1'),
    });
    accepted(
      await engine.deploy(
        flow(
          "makes",
          [
            ["make", "transform"],
            ["h", "human", { outcomes: ["done"] }],
            ["z", "end"],
            ["e", "end"],
          ],
          [
            ["make", "h"],
            ["h", "z"],
            ["make", "e", "error"],
          ],
        ),
      ),
    );
    accepted(await engine.start({ workflow: "makes", id: "writer", graph: "g" }));
    expect((await store.graph("default", "g")).sequence).toBe(1);
    expect(await fork("g")).toMatchObject({ code: "exists", facts: { graph: "g" } });
    expect(accepted(await fork("f"))).toMatchObject({ isNew: false });
  });

  it("[D9.21] finds a graph that another engine has written since this one looked", async () => {
    const first = await line({ ports: { pay: scriptedPort([HANGS]).port } });
    const create = { create: [{ id: "x", type: "thing", payload: {}, links: [] }], update: [], delete: [] };
    const others = testEngine({ store: first.store, functions: { make: () => ({ mutation: create }) } });
    let isWritten = false;
    const makes = flow(
      "makes",
      [
        ["make", "transform"],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["make", "z"],
        ["make", "e", "error"],
      ],
    );
    accepted(await others.engine.deploy(makes));
    const store = {
      ...first.store,
      commit: async (turns: readonly Turn[]) => {
        if (!isWritten) {
          isWritten = true;
          accepted(await others.engine.start({ workflow: "makes", id: "w", graph: "f" }));
        }
        return first.store.commit(turns);
      },
    };
    const { engine } = testEngine({ store, clock: first.clock });
    expect(await engine.operations.fork({ run: "r", at: 1, id: "f", ...OP })).toMatchObject({
      code: "exists",
      facts: { graph: "f" },
    });
  });

  it("[D9.21] [D9.18] a fork whose first turn is pruned is known by its id", async () => {
    const { engine, operations } = await line({ ports: { pay: scriptedPort([HANGS]).port } });
    const fork = () => operations.fork({ run: "r", at: 1, id: "f", ...OP });
    accepted(await fork());
    accepted(await engine.prune({ run: "f", ...OP }));
    expect(accepted(await fork())).toMatchObject({ isNew: false });
  });

  it("[D9.21] has the objects of the graph of that time, through the gate", async () => {
    const then = flow(
      "then",
      [
        ["begin", "start"],
        ["make", "transform"],
        ["wait", "human", { outcomes: ["done"] }],
        ["more", "transform"],
        ["again", "human", { outcomes: ["done"] }],
        ["end", "end"],
        ["failed", "end", { outcome: "failed" }],
      ],
      [
        ["begin", "make"],
        ["make", "wait"],
        ["make", "failed", "error"],
        ["wait", "more"],
        ["more", "again"],
        ["more", "failed", "error"],
        ["again", "end"],
      ],
    );
    const create = (id: string) => ({
      mutation: { create: [{ id, type: "thing", payload: {}, links: [] }], update: [], delete: [] },
    });
    const { engine, store } = testEngine({ functions: { make: () => create("x"), more: () => create("y") } });
    accepted(await engine.deploy(then));
    accepted(await engine.start({ workflow: "then", id: "r" }));
    accepted(await engine.run("r").complete({ node: "wait", by: { id: "ann" } }));
    accepted(await engine.operations.fork({ run: "r", at: 1, id: "f", ...OP }));
    const ids = async (graph: string) => objectsOf((await store.graph("default", graph)).graph).length;
    expect([await ids("r"), await ids("f")]).toEqual([2, 1]);
    accepted(await engine.run("f").complete({ node: "wait", by: { id: "ann" } }));
    expect(await ids("f")).toBe(2);
    expect((await engine.audit()).isSound).toBe(true);
  });
});
